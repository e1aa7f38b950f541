"""What is said before a question and turns it round: a yes behind it may be to either, and is asked for once more."""

from datetime import UTC, datetime

import pytest

from switchboard.conversation.speech.done_words import lead_in
from switchboard.pipeline.confirmation.pending_call import PendingCall
from tests.each import each
from tests.pipeline.asked_questions import LANGUAGES, question

_NOW = datetime(2026, 11, 24, 12, 0, tzinfo=UTC)
DENIED = {
    "en": (
        *("I will not cancel.", "I won't cancel it.", "We're not going to cancel that one.", "I would never do this."),
        *("I'm not cancelling it.", "I won't.", "It will not be cancelled."),
    ),
    "de": (
        *("Ich werde den Termin nicht absagen.", "Ich sage den Termin nicht ab.", "Ich würde das nicht tun."),
        "Der Termin wird nicht abgesagt.",
    ),
    "es": ("No voy a cancelar la cita.", "No la cancelaré.", "No la cancelo."),
    "fr": ("Je ne vais pas annuler le rendez-vous.", "Je n'annulerai pas.", "Je ne l'annule pas."),
    "it": ("Non annullerò l'appuntamento.",),
    "nl": ("Ik ga de afspraak niet annuleren.",),
    "pt": ("Não vou cancelar a consulta.",),
}
HARMLESS = {
    "en": (
        "I haven't cancelled anything yet.",
        "I can't move it to Friday, since we're closed then.",
        "I won't be able to move it to Friday.",
        "We won't charge you for that.",
        "It won't take long.",
        "I'm not sure about the price.",
        "We won't charge you to cancel.",
        "We will not send you ads.",
    ),
    "de": (
        *("Ich habe noch nichts abgesagt.", "Am Freitag haben wir nicht geöffnet.", "Das kostet Sie nichts."),
        *("Wir machen dienstags leider nicht auf.", "Wir verlegen Termine nicht kostenlos."),
    ),
    "es": ("Todavía no he cancelado nada.", "El viernes no abrimos."),
    "fr": ("Je n'ai encore rien annulé.", "Nous ne sommes pas ouverts vendredi."),
    "it": ("Non ho ancora annullato niente.",),
    "nl": ("Ik heb nog niets geannuleerd.",),
    "pt": ("Ainda não cancelei nada.",),
}


def _was_asked(before: str, put: str, told: str = "") -> bool:
    return PendingCall("cancel", "key", put, 1, _NOW).was_asked(f"{before} {told or put}")


@each("language", LANGUAGES)
@pytest.mark.requirement("003-190")
def test_a_question_behind_words_that_say_it_will_not_be_done_was_not_asked(language: str) -> None:
    """Nor are they said where the house speaks."""
    put = question("cancel", language)
    assert [words for words in DENIED[language] if _was_asked(words, put) or lead_in(words)] == []


@each("language", LANGUAGES)
@pytest.mark.requirement("003-190")
def test_what_was_not_done_so_far_or_cannot_be_turns_no_question_round(language: str) -> None:
    put = question("cancel", language)
    assert [words for words in HARMLESS[language] if not _was_asked(words, put) or not lead_in(words)] == []


@pytest.mark.requirement("003-190")
def test_a_question_that_was_told_with_other_marks_is_looked_at_all_the_same() -> None:
    """What runs into it turns it round, however a channel writes it down."""
    put = question("cancel", "en")
    told = put.upper().replace(",", "").replace(". ", "; ")
    assert _was_asked("We are open on Monday.", put, told)
    assert not _was_asked("I'd hardly think that", put, told)
    assert not _was_asked("I will not cancel.", put, told)


@pytest.mark.requirement("003-190")
def test_a_model_may_put_the_question_into_a_sentence_of_its_own() -> None:
    """What begins as questions do turns nothing round; whatever else stands there does."""
    for opener in ("Shall I", "So, shall I", "Okay. Would you like me to", "One moment. Then may I", "Also soll ich"):
        assert _was_asked(opener, "Book a cut?", "book a cut?"), opener
    for opener in (
        "Shall I not",
        "I would never",
        "You don't want me to",
        "Would Anna like me to",
        "Nobody asked me to",
    ):
        assert not _was_asked(opener, "Book a cut?", "book a cut?"), opener
