"""What follows from a result is said: when something ends, what a refusal tells, what was noted or not found."""

from datetime import datetime

import pytest

from switchboard.contract.call import ToolCall
from switchboard.contract.definitions.definition import Deed
from switchboard.contract.error import ErrorType
from switchboard.contract.model import Spoken, ToolMessage
from switchboard.contract.response import Failure, ToolResponse
from switchboard.conversation.claims.fact_sources import sources
from switchboard.conversation.claims.statements.statement import SpokenStatement
from switchboard.conversation.claims.told_by_results import hold_half_noted, tells_what_was_noted
from switchboard.conversation.guard import Unfounded
from switchboard.conversation.session import CallSession
from tests.conversation.claims.guarded import guard_of, said_by
from tests.conversation.claims.test_claim_words import DEFINITIONS, ZONE, after, done
from tests.conversation.claims.test_free_times import HOUSE
from tests.each import each

# A Saturday.
MONDAY = datetime(2026, 11, 30, 12, 0, tzinfo=ZONE)
HALF_PAST_FIVE, QUARTER_TO_SIX = "2026-12-05T17:30:00-05:00", "2026-12-05T17:45:00-05:00"


def booked() -> CallSession:
    tool, words, arguments = done("book_appointment", "Haircut", "Greg Hall", HALF_PAST_FIVE, "bk_1")
    found = after((tool, {**words, "with": "Marcus"}, arguments))
    found.tool_context[tool] = {"booked": True, "startTime": HALF_PAST_FIVE, "endTime": QUARTER_TO_SIX}
    return found


def spoken(session: CallSession, sentence: str) -> SpokenStatement:
    now = datetime(2026, 12, 5, 11, 0, tzinfo=ZONE)
    return SpokenStatement(sentence, HOUSE, session, sources((), ()), list, now, frozenset())


def refused(
    message: str = "That appointment was cancelled. Offer to book a new one.", error: ErrorType = ErrorType.CONFLICT
) -> CallSession:
    found = after()
    failure = Failure(error, message, retryable=False, partial_side_effects=False)
    found.history.add(Spoken("", (ToolCall("reschedule_appointment", {}, "c1"),)))
    found.history.add(ToolMessage("c1", "reschedule_appointment", ToolResponse(failure=failure)))
    return found


def noted(notes: str) -> CallSession:
    tool, words, _ = done("update_appointment", "corrected: Haircut", "Greg Hall", HALF_PAST_FIVE, "bk_1")
    return after((tool, words, {"notes": notes}))


def held(sentence: str, known: CallSession) -> Unfounded | None:
    """Return why a sentence does not get through whole after this; None where it does."""
    try:
        assert said_by(guard_of(known, HOUSE, MONDAY, DEFINITIONS, UNTOLD), sentence) == sentence
    except Unfounded as unfounded:
        return unfounded
    return None


def is_said(sentence: str, known: CallSession) -> bool:
    return held(sentence, known) is None


UNTOLD = frozenset({"create_event"})


@each(
    "sentence",
    [
        "Done: your haircut is on Saturday at five thirty with Marcus, so you're out by quarter to six.",
        "You're booked for Saturday, December 5 at 5:30 PM, so you're done by quarter to six.",
        "You're booked for Saturday at 5:30 PM, and you'll be finished at 5:45 PM.",
        "Gebucht: Samstag um 17:30 Uhr bei Marcus, dann sind Sie um Viertel vor sechs fertig.",
        "Ihr Termin ist am Samstag um 17:30 Uhr und dauert bis 17:45 Uhr.",
        "Su cita queda reservada para el sábado a las cinco y media, así que termina a las seis menos cuarto.",
        "Votre rendez-vous est réservé samedi à 17h30, donc vous serez prête à 17h45.",
    ],
)
@pytest.mark.requirement("004-1002")
def test_when_it_ends_is_said_as_the_result_has_it(sentence: str) -> None:
    """In whatever words, beside when it begins."""
    assert is_said(sentence, booked())


@each(
    "sentence",
    [
        "You're booked for Saturday at 5:30 PM, so you're done by half past six.",
        "You're booked for Saturday at 6:30 PM, so you're done by quarter to six.",
        "Su cita queda reservada para el sábado a las cinco y media, así que termina a las siete.",
        "Votre rendez-vous est réservé samedi à 17h30, donc vous serez prête à 19h.",
    ],
)
@pytest.mark.requirement("004-1002")
def test_another_end_or_another_begin_is_held(sentence: str) -> None:
    """A right end makes no wrong begin true."""
    assert not is_said(sentence, booked())


@pytest.mark.requirement("004-1002")
def test_what_a_refusal_tells_may_be_told_and_was_done_by_nobody_here() -> None:
    """The same sentences are held where nothing told so."""
    for sentence in (
        "I'm sorry, that appointment was cancelled in the meantime.",
        "I'm sorry your appointment was cancelled.",
        "Es tut mir leid, Ihr Termin wurde bereits storniert.",
        "Lo siento, esa cita fue cancelada entretanto.",
        "Je suis désolé, ce rendez-vous a été annulé entre-temps.",
    ):
        assert is_said(sentence, refused()), sentence
    for sentence in (
        "I've cancelled it.",
        "Ich habe Ihren Termin storniert.",
        "He cancelado su cita.",
        "I'm sorry, that appointment was moved.",
    ):
        assert not is_said(sentence, refused()), sentence
    assert not is_said("Lo siento, esa cita fue cancelada entretanto.", after())
    # Of nothing else a refusal is evidence, whatever it sounds like.
    for told in ("That time is booked.", "There is no tool called fly.", "Your appointment is booked already."):
        for error in ErrorType:
            assert not is_said("You are booked.", refused(told, error)), (told, error)


@each(
    ("notes", "sentence"),
    [
        ("Bitte einen ruhigen Platz.", "Ich habe notiert, dass Sie einen ruhigen Platz möchten."),
        ("Bitte einen ruhigen Platz.", "Ich habe dazugeschrieben, dass Sie einen ruhigen Platz möchten."),
        ("Quiet table, please", "I've added a note that you'd like a quiet table."),
        ("Likes it short", "I've noted that you like it short."),
        ("Una mesa tranquila", "He anotado que quiere una mesa tranquila."),
        ("Une place calme", "J'ai noté que vous souhaitez une place calme."),
    ],
)
@pytest.mark.requirement("004-1002")
def test_what_was_written_down_is_told_as_noted(notes: str, sentence: str) -> None:
    """It went with what was done."""
    assert is_said(sentence, noted(notes))


@each(
    "sentence",
    [
        "Ich habe notiert, dass Sie eine Nussallergie haben.",
        "Ich habe an Rosa weitergegeben, dass Sie einen ruhigen Platz möchten.",
        "He anotado que viene con un perro grande.",
    ],
)
@pytest.mark.requirement("004-1002")
def test_other_notes_and_what_was_passed_on_are_held(sentence: str) -> None:
    """A note is read by whoever serves them, and is passed on to nobody."""
    assert not is_said(sentence, noted("Bitte einen ruhigen Platz."))


@each(
    ("notes", "sentence"),
    [
        ("Window seat", "I've noted that you want a window seat and a cake."),
        ("Window seat", "I noted that you want a window seat and a dog bowl."),
        ("Ein ruhiger Platz", "Ich habe notiert, dass Sie einen ruhigen Platz und einen Kinderstuhl möchten."),
        ("Una mesa tranquila", "He anotado que quiere una mesa tranquila y una tarta."),
        ("Une place calme", "J'ai noté que vous souhaitez une place calme et un gâteau."),
    ],
)
@pytest.mark.requirement("004-1002")
def test_a_note_is_told_with_nothing_beside_it(notes: str, sentence: str) -> None:
    """Half of what is told as noted is not enough: the rest would be missed by whoever comes for it."""
    assert not tells_what_was_noted(sentence, (Deed.OTHER,), noted(notes))


@each(
    ("notes", "sentence"),
    [
        ("Window seat and a cake", "I've noted that you want a window seat and a cake."),
        ("Brings her dog", "I've added a note that you're bringing your dog."),
        ("Nut allergy", "I've noted your allergy to nuts for the haircut."),
        ("Ruhiger Platz, Kinderstuhl", "Ich habe notiert, dass Sie einen ruhigen Platz und einen Kinderstuhl möchten."),
        ("Mesa tranquila y una tarta", "He anotado que quiere una mesa tranquila y una tarta."),
        ("Place calme, gâteau", "J'ai noté que vous souhaitez une place calme et un gâteau."),
    ],
)
@pytest.mark.requirement("004-1002")
def test_a_note_of_several_things_is_told_whole(notes: str, sentence: str) -> None:
    """However many words are around them, and beside what they were noted for."""
    assert tells_what_was_noted(sentence, (Deed.OTHER,), noted(notes))
    assert is_said(sentence, noted(notes))


@pytest.mark.requirement("004-1002")
def test_a_note_that_is_half_true_is_not_said() -> None:
    """Where nothing else bears it out."""
    assert not is_said("I've noted that you want a window seat and a cake.", noted("Window seat"))


@each(
    ("notes", "sentence"),
    [
        ("Kinderstuhl, glutenfrei", "Ich habe den Hochstuhl und glutenfrei notiert."),
        ("Kinderstuhl. Glutenfrei!", "Ich habe den Hochstuhl und glutenfrei notiert."),
        ("window seat, dog", "I've noted the window table and the puppy."),
        ("high chair, gluten-free", "I've noted the high chair and the celiac disease."),
        ("Fensterplatz, Nussallergie", "J'ai noté l'allergie aux noix et la place près de la fenêtre."),
        (
            "Sie hat eine Nussallergie mit dem Wunsch nach einem Fensterplatz",
            "J'ai noté l'allergie aux noix et la place près de la fenêtre.",
        ),
    ],
)
@pytest.mark.requirement("004-1002")
def test_a_note_is_told_in_other_words_or_another_language(notes: str, sentence: str) -> None:
    """As many things as were told may be noted under other names."""
    hold_half_noted(spoken(noted(notes), sentence))


@each(
    ("notes", "sentence"),
    [
        ("window seat", "I've noted the window seat and the puppy."),
        ("window seat, dog", "I've noted the window seat, the dog and the cake."),
        ("window seat, dog", "I've noted the window seat and the cake."),
        ("Kinderstuhl", "Ich habe den Kinderstuhl und die Zöliakie vermerkt."),
    ],
)
@pytest.mark.requirement("004-1002")
def test_more_things_and_other_things_than_were_noted_are_held(notes: str, sentence: str) -> None:
    """It is not said to be noted nowhere: it may stand there in other words."""
    with pytest.raises(Unfounded) as unfounded:
        hold_half_noted(spoken(noted(notes), sentence))
    assert "not noted in these words" in unfounded.value.correction


@each(
    "sentence",
    [
        "Le confirmo los datos: corte de pelo el viernes 4 de diciembre a las 14:30, para Al Fay. ¿Lo reservo así?",
        "Ich bestätige die Angaben: Haarschnitt am Freitag um halb drei, auf Jana Dorn. Soll ich das so buchen?",
        "Je vous confirme les données : coupe vendredi à 14h30, au nom de Lucie. C'est bien ça ?",
        "Just to confirm: haircut on Friday at half past two for Anna. Is that right?",
        "I don't see an appointment for Anna Whitfield tomorrow at nine thirty.",
        "I don't see any appointment of yours in this chat.",
        "Ich finde leider keinen Termin für morgen um halb zehn.",
        "No encuentro ninguna cita para mañana a las nueve y media.",
        "Je ne trouve pas de rendez-vous pour demain à 9h30.",
    ],
)
@pytest.mark.requirement("004-1002")
def test_a_read_back_and_what_was_not_found_claim_nothing(sentence: str) -> None:
    """Where a question for a yes is behind it; and a no is a no."""
    assert is_said(sentence, after())


@each(
    "sentence",
    [
        "Le confirmo los datos: corte de pelo el viernes 4 de diciembre a las 14:30, para Al Fay.",
        "Le confirmo que su cita está reservada el viernes a las 14:30.",
        "Ich bestätige die Angaben: Haarschnitt am Freitag um halb drei, auf Jana Dorn.",
        "I don't see why not, your appointment is booked.",
    ],
)
@pytest.mark.requirement("004-1002")
def test_a_read_back_without_its_question_is_held(sentence: str) -> None:
    """It would be heard as done."""
    assert not is_said(sentence, after())


@pytest.mark.requirement("004-1003")
def test_a_correction_names_only_tools_that_the_model_is_told_of_and_only_with_the_callers_wish() -> None:
    """A tool of another door is none that it could call."""
    unfounded = held("You're booked for Friday.", after())
    assert unfounded is not None
    assert "book_appointment" in unfounded.correction and "create_event" not in unfounded.correction
    assert "Only if the caller has asked for it, and agreed" in unfounded.correction


@each(
    "sentence",
    [
        "I'm sorry your appointment was cancelled.",
        "I see your haircut on Saturday at five; cancelling is free of charge, since it's more than a day away.",
        "Es tut mir leid, Ihr Termin wurde storniert.",
        "Lo siento, esa cita fue cancelada entretanto.",
        "Je suis désolé, ce rendez-vous a été annulé entre-temps.",
    ],
)
@pytest.mark.requirement("004-1003")
def test_for_a_sentence_that_only_tells_nothing_is_to_be_called(sentence: str) -> None:
    """It says what is not borne out, and leads to no cancelling that nobody asked for."""
    unfounded = held(sentence, after())
    assert unfounded is None or "Nothing is to be called" in unfounded.correction
    assert unfounded is None or "cancel_appointment" not in unfounded.correction


@pytest.mark.requirement("004-1004")
def test_calls_are_about_a_sentence_where_one_does_what_it_tells_and_none_ends_the_call() -> None:
    """What looks something up is about any sentence."""
    unfounded = held("I've cancelled your appointment.", after())
    assert unfounded is not None
    assert unfounded.leads_to_calls and unfounded.may_run([]) and unfounded.may_run(["cancel_appointment"])
    assert not unfounded.may_run(["book_appointment"])
    assert not unfounded.may_run(["cancel_appointment", "end_call"])
    assert not unfounded.may_run(["cancel_appointment", "transfer_call"])
