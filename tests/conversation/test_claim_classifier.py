"""What sentences claim, on sentences that were never trained on, in every language that the classifier knows."""

import sys
import time
from pathlib import Path

import pytest

from switchboard.contract.deed import Deed
from switchboard.conversation.claims.classifier import WEIGHTS, Telling, classifier, plain_text, words_in
from tests.each import each

sys.path.append(str(Path(__file__).parents[2] / "scripts"))

from claims.command import Figures, figures
from claims.corpus import LANGUAGES, CorpusError, labelled

# The most that may be missed, and held, in percent, of the sentences that were kept back from training. They are harder
# than what is said on an ordinary day: every one is built differently.
MOST_MISSED, MOST_HELD = 16.0, 14.0


@pytest.fixture(scope="module")
def kept_back() -> dict[str, Figures]:
    """How the shipped weights do, by language."""
    reader = classifier()
    return {name: figures(reader, [one for one in labelled(name) if one.is_kept_back]) for name in LANGUAGES}


@each("language", LANGUAGES)
def test_every_language_has_three_thousand_labelled_sentences(language: str) -> None:
    """Of which one in eight is kept back, and both claims and their look-alikes are there."""
    found = labelled(language)
    assert len(found) >= 3_000
    assert 0.1 < sum(one.is_kept_back for one in found) / len(found) < 0.15
    assert 0.3 < sum(one.is_claim for one in found) / len(found) < 0.6


@each("language", LANGUAGES)
def test_what_was_kept_back_is_told_apart_as_well_as_was_measured(language: str, kept_back: dict[str, Figures]) -> None:
    """A weight file that does worse than the one that was looked at does not land."""
    told = kept_back[language]
    assert told.missed <= MOST_MISSED
    assert told.held <= MOST_HELD
    assert told.deeds >= 85


def test_the_weights_are_small_enough_to_be_shipped() -> None:
    """A cold instance reads them before it answers."""
    assert WEIGHTS.stat().st_size <= 1_000_000


@each(
    "text",
    [
        "You\u200b're bo\u00adoked for Tuesday at ten.",
        "You're **booked** for _Tuesday_ at ten.",
        "You're b o o k e d for Tuesday at ten.",
        "Y\u043eu're b\u043eoked for Tuesday at ten.",
        "\uff39\uff4f\uff55're booked for Tuesday at ten.",
    ],
)
def test_what_disguises_a_claim_changes_nothing(text: str) -> None:
    """Invisible marks, emphasis, spelling out, foreign letters and wide ones."""
    assert words_in(text) == words_in("You're booked for Tuesday at ten.")


def test_other_alphabets_are_left_as_they_are() -> None:
    """Only letters among Latin ones are taken for what they look like."""
    assert plain_text("\u0432\u0435\u0440\u0430") == "\u0432\u0435\u0440\u0430"


@each(
    ("name", "description", "deed"),
    [
        ("send_order", "Orders flowers for the customer", Deed.ORDERED),
        ("refund_deposit", "Gives the customer their deposit back", Deed.REFUNDED),
        ("book_table", "Reserves a table for the guests", Deed.BOOKED),
    ],
)
def test_an_owners_words_suggest_what_a_tool_does(name: str, description: str, deed: Deed) -> None:
    """So that an honest sentence about it is borne out by its receipt."""
    assert classifier().suggested_deed(name, description) is deed


def test_a_label_that_is_an_emoji_suggests_nothing() -> None:
    """It is another deed then, which any owner's receipt bears out."""
    classifier().suggested_deed("\U0001f9e1", "\U0001f9e1")


def test_what_is_under_way_is_told_from_what_is_done() -> None:
    """The one may still be done by the call that follows, the other is a lie by then."""
    assert classifier().read("I'm cancelling your appointment right now.").telling is Telling.UNDERWAY
    assert classifier().read("I have cancelled your appointment.").telling is Telling.DONE


def test_reading_takes_time_in_proportion_to_the_words() -> None:
    """And of a text without end only so much is read."""
    reader = classifier()
    sentence = "and then we talked about the colour of her hair " * 400
    reader.read(sentence)
    began = time.process_time()
    reader.read(sentence)
    assert time.process_time() - began < 0.5


def test_a_file_of_sentences_that_cannot_be_read_says_where(tmp_path: Path) -> None:
    """With the labels that there are."""
    (tmp_path / "en.txt").write_text("[booked done]\nYou are booked.\n[boked done]\nYou are boked.\n")
    with pytest.raises(CorpusError, match=r"en.txt:3: .*boked.*passed_on"):
        labelled("en", tmp_path)
