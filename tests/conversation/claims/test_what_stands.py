"""What stands beside what was moved or cancelled, what does no more, and what was done only once."""

from dataclasses import replace

import pytest

from switchboard.contract.model import UserMessage
from switchboard.conversation.guard import Unfounded
from switchboard.conversation.session import CallSession
from tests.conversation.claims.test_claim_words import BOOKED, CANCELLED, MOVED, SECOND, after, done, say
from tests.each import each

# Told on Monday, March 15: on Tuesday at ten a haircut, moved to Wednesday at eleven; on Thursday at half past two
# a color, which stays.
TWO = (BOOKED, SECOND)
ONE_GONE = (*TWO, CANCELLED)
MOVED_NOW = (BOOKED, MOVED)
SECOND_GONE = done("cancel_appointment", "cancelled: Color", "Anna Whitfield", "2027-03-18T14:30:00-04:00", "bk_2")

LEFT = [
    "Le queda una cita, el jueves a las dos y media; la del martes está cancelada.",
    "Cancelé la del martes, y la del jueves a las dos y media sigue en pie.",
    "Il vous reste un rendez-vous, jeudi à quatorze heures trente ; celui de mardi est annulé.",
    "J'ai annulé mardi, et jeudi à quatorze heures trente tient toujours.",
    "Ya no tiene cita el martes a las diez.",
    "Vous n'avez plus de rendez-vous mardi à dix heures.",
    "Non ha più appuntamenti martedì alle dieci.",
    "Já não tem marcação terça às dez.",
]
NOT_LEFT = [
    "Le queda una cita, el martes a las diez; la del jueves está cancelada.",
    "Cancelé la del jueves, y la del martes a las diez sigue en pie.",
    "Il vous reste un rendez-vous, mardi à dix heures ; celui de jeudi est annulé.",
    "Su cita sigue en pie el martes a las diez.",
    "Votre rendez-vous tient toujours mardi à dix heures.",
    "Ya no tiene cita el jueves a las dos y media.",
]


@each("sentence", LEFT)
@pytest.mark.requirement("004-1404")
def test_what_is_left_and_what_is_gone_are_told_beside_each_other(sentence: str) -> None:
    assert say(sentence, after(*ONE_GONE)) == sentence


@each("sentence", NOT_LEFT)
@pytest.mark.requirement("004-1405")
def test_what_was_cancelled_is_not_told_to_stand(sentence: str) -> None:
    with pytest.raises(Unfounded):
        say(sentence, after(*ONE_GONE))


MOVED_THERE = [
    "Perfecto, ya no es el martes, ahora es el miércoles a las once.",
    "Antes era el martes; ahora es el miércoles a las once.",
    "Ya no viene el martes, sino el miércoles a las once.",
    "Ce n'est plus mardi mais mercredi à onze heures.",
    "C'était mardi, c'est maintenant mercredi à onze heures.",
    "Non più martedì, ma mercoledì alle undici.",
    "It's no longer Tuesday, it's now Wednesday at eleven.",
    "La cambié del martes a las diez al miércoles a las once.",
    "Em vez de terça, fica quarta às onze.",
]
NOT_MOVED_THERE = [
    "Su cita sigue el martes a las diez.",
    "L'ho spostata a mercoledì alle quindici.",
    "Ya no es el miércoles, ahora es el martes a las diez.",
    "Cambié su cita del jueves al miércoles a las once.",
    "J'ai déplacé votre rendez-vous de vendredi à mercredi à onze heures.",
    "Listo, de las once pasó a las diez.",
    "Queda el jueves a las once.",
    "Queda el miércoles 24 de marzo a las once.",
]


@each("sentence", MOVED_THERE)
@pytest.mark.requirement("004-1404")
def test_a_move_is_told_with_when_it_was_and_when_it_is(sentence: str) -> None:
    assert say(sentence, after(*MOVED_NOW)) == sentence


@each("sentence", NOT_MOVED_THERE)
@pytest.mark.requirement("004-1405")
def test_a_move_is_told_from_nowhere_else_and_to_nowhere_else(sentence: str) -> None:
    with pytest.raises(Unfounded):
        say(sentence, after(*MOVED_NOW))


@each(
    "sentence",
    [
        "Su corte sigue costando lo mismo.",
        "El precio sigue siendo el mismo.",
        "La oferta sigue en pie hasta el martes.",
    ],
)
@pytest.mark.requirement("004-1405")
def test_what_goes_on_beside_appointments_is_told(sentence: str) -> None:
    assert say(sentence, after(BOOKED, CANCELLED)) == sentence


def introduced(*happened: object) -> CallSession:
    """Return a conversation in which the caller has said who they are: Anna."""
    session = after(*happened)
    session.history.messages.insert(0, UserMessage("Hola, soy Anna Whitfield."))
    return session


BOTH = [
    "Cancelé sus dos citas.",
    "Cancelé las dos.",
    "J'ai annulé les deux.",
    "J'ai annulé vos deux rendez-vous.",
    "Ho annullato i suoi due appuntamenti.",
    "Cancelei as suas duas marcações.",
    "Ich habe beide Termine storniert.",
    "I've cancelled your two appointments.",
]


SEVERAL = [
    "I've booked two appointments for you.",
    "I've booked you two appointments.",
    "He reservado dos citas.",
    "Le reservé dos citas.",
    "Ich habe zwei Termine gebucht.",
    "Ich habe zwei Termine für Sie gebucht.",
    "J'ai réservé deux rendez-vous.",
    "Je vous ai réservé deux rendez-vous.",
    "Ho prenotato due appuntamenti.",
    "Marquei duas consultas.",
]


@each("sentence", SEVERAL)
@pytest.mark.requirement("004-1406")
def test_so_many_are_told_as_booked_as_there_are(sentence: str) -> None:
    """Also without a word of whose they are."""
    with pytest.raises(Unfounded):
        say(sentence, after(BOOKED))
    assert say(sentence, after(*TWO)) == sentence


@each("sentence", BOTH)
@pytest.mark.requirement("004-1406")
def test_both_are_told_where_both_were_done(sentence: str) -> None:
    with pytest.raises(Unfounded):
        say(sentence, after(*ONE_GONE))
    assert say(sentence, after(*ONE_GONE, SECOND_GONE)) == sentence


ONE_MORE = [
    "Listo, y también le reservé a su hijo.",
    "J'ai aussi réservé pour votre fils.",
    "I've also booked your son in.",
    "Le reservé otra cita más el martes a las diez.",
    "Je vous ai réservé un deuxième rendez-vous mardi à dix heures.",
    "Le ho prenotato un secondo appuntamento martedì alle dieci.",
    "Marquei-lhe um segundo horário terça às dez.",
    "I've booked you a second appointment on Tuesday at ten.",
]


@each("sentence", ONE_MORE)
@pytest.mark.requirement("004-1406")
def test_the_callers_own_is_not_told_as_one_more(sentence: str) -> None:
    """With another one beside it, it may be."""
    with pytest.raises(Unfounded):
        say(sentence, introduced(BOOKED))
    assert say(sentence, introduced(SECOND, BOOKED)) == sentence


OTHERS = done("book_appointment", "Haircut", "Tom Whitfield", "2027-03-16T10:00:00-04:00", "bk_4")


@pytest.mark.requirement("004-1406")
def test_what_is_under_another_name_is_told_as_theirs() -> None:
    sentence = "I've also booked your son in."
    assert say(sentence, introduced(OTHERS)) == sentence


@each("sentence", ["Se la mandé a su madre también.", "Je l'ai aussi envoyée à votre mère."])
@pytest.mark.requirement("004-1406")
def test_a_text_to_the_callers_own_number_went_to_nobody_else(sentence: str) -> None:
    own = done("send_sms", "text message", "+15185550161", id="tx_1", message="We are at 14 Maple Street.")
    session = after(own)
    session.facts = replace(session.facts, caller_phone="+15185550161")
    with pytest.raises(Unfounded):
        say(sentence, session)
    other = after(done("send_sms", "text message", "+15185550199", id="tx_1", message="We are at 14 Maple Street."))
    other.facts = replace(other.facts, caller_phone="+15185550161")
    assert say(sentence, other) == sentence


@each(
    "sentence", ["À jeudi !", "¡Hasta el jueves!", "A venerdì!", "Até sexta!", "See you Thursday!", "Bis Donnerstag!"]
)
@pytest.mark.requirement("004-1407")
def test_nobody_is_bid_goodbye_until_a_day_with_nothing_booked(sentence: str) -> None:
    with pytest.raises(Unfounded) as held:
        say(sentence, after())
    assert "nothing is known to be then" in held.value.correction


@each("sentence", ["À bientôt !", "¡Hasta luego!", "See you!", "Bis bald!", "See you Thursday!"])
@pytest.mark.requirement("004-1407")
def test_a_goodbye_without_a_day_and_until_a_visit_is_said(sentence: str) -> None:
    assert say(sentence, after(SECOND)) == sentence


COMING = [
    ("I have an appointment tomorrow, I'll be five minutes late", "No problem, see you tomorrow."),
    ("I have an appointment tomorrow, I'll be five minutes late", "Thanks for letting us know. See you tomorrow!"),
    (
        "I have an appointment with you tomorrow, where can I park?",
        "You can park behind the building. See you Tuesday!",
    ),
    ("I'll just come by tomorrow to buy a shampoo.", "Great, see you tomorrow!"),
    ("I'm coming in tomorrow anyway, can I bring my dog?", "Of course. See you tomorrow!"),
    ("Ich habe morgen um zehn einen Termin, ich komme etwas später.", "Gut, bis morgen!"),
    ("Kann ich morgen vorbeikommen und einen Gutschein kaufen?", "Ja, gerne. Wir freuen uns auf Sie morgen."),
    ("¿Puedo pasar mañana a comprar un champú?", "Claro que sí, le esperamos mañana."),
    ("Je passe demain acheter un shampoing.", "Parfait, à demain !"),
    ("Thanks, I'll call back on Monday.", "Until Monday, then."),
]
NOT_COMING = [
    ("What does a haircut cost?", "See you Thursday!"),
    ("Thursday at three, please.", "Great, see you Thursday at three!"),
    ("I'd like a haircut tomorrow at ten.", "Great, see you tomorrow!"),
    ("I need an appointment tomorrow.", "Great, see you tomorrow!"),
    ("Can I have an appointment tomorrow?", "Sure, see you tomorrow!"),
    ("Do I have an appointment tomorrow?", "Yes. See you tomorrow!"),
    ("Can I move my appointment to Thursday?", "Done. See you Thursday!"),
    ("Can I come by tomorrow for highlights?", "Sure. See you tomorrow!"),
    ("I have an appointment tomorrow.", "Great, see you Thursday!"),
    ("I have an appointment tomorrow.", "Great, see you tomorrow at ten!"),
    ("Ich hätte gern morgen einen Termin.", "Gut, bis morgen!"),
    ("Quiero una cita mañana.", "Perfecto, hasta mañana."),
    ("Je voudrais un rendez-vous demain.", "Parfait, à demain !"),
]


def told(heard: str, *happened: object) -> CallSession:
    session = after(*happened)
    session.history.heard(heard)
    return session


@each(("heard", "sentence"), COMING)
@pytest.mark.requirement("004-1407")
def test_who_says_that_they_come_is_bid_goodbye_until_then(heard: str, sentence: str) -> None:
    assert say(sentence, told(heard)) == sentence


@each(("heard", "sentence"), NOT_COMING)
@pytest.mark.requirement("004-1407")
def test_who_only_wishes_for_a_day_is_not_bid_goodbye_until_then(heard: str, sentence: str) -> None:
    """Nor until another than they have said."""
    with pytest.raises(Unfounded):
        say(sentence, told(heard))


@pytest.mark.requirement("004-1407")
def test_what_was_cancelled_or_not_found_is_no_reason_to_come() -> None:
    heard = "I have an appointment tomorrow, I'll be five minutes late"
    for happened in (CANCELLED, ("lookup_appointment", {"appointments": []})):
        with pytest.raises(Unfounded):
            say("No problem, see you tomorrow.", told(heard, happened))
