"""Where a sentence ends: a caller hears no half of one, cut behind an abbreviation."""

import pytest

from switchboard.channels.phone.twiml import upto
from switchboard.conversation.speech.sentence_ends import SENTENCE_END, last_end
from tests.each import each


@each(
    "text",
    [
        "Let me look at Friday with Dr. Reid",
        "I have Mr. Hale and Mrs. Hale on the line",
        "We are at St. Mary's",
        "Ich schaue z. B. am Freitag bei Prof. Reid",
        "Le consulto con la Sra. López y el Sr. Ruiz",
        "Je regarde avec M. Dupont et Mme. Petit",
        "Guardo con la Dott. Rossi",
        "It is booked for J. Smith",
        "Vejo com a Dra. Silva",
        "Ik kijk bijv. bij Dr. Jansen",
        "At half past two p.m. on Friday",
    ],
)
@pytest.mark.requirement("004-2306")
def test_no_sentence_ends_behind_an_abbreviation_or_an_initial(text: str) -> None:
    assert SENTENCE_END.search(f"{text} ") is None
    assert last_end(f"{text} and") == 0
    said = "One moment, please."
    assert last_end(f"{said} {text}") == len(said)


@pytest.mark.requirement("004-2306")
def test_what_is_too_long_to_be_said_at_once_is_cut_behind_a_sentence_or_else_a_word() -> None:
    text = f"{'So it is. ' * 3}I ask Dr. Reid"
    assert text[: upto(text, len(text) - 2)] == "So it is. So it is. So it is."
    assert upto("With Dr. Reid tomorrow", 18) == len("With Dr. Reid ")
    assert last_end("It is so! Is it? Yes. " + "word " * 100) == len("It is so! Is it? Yes.")
