"""How the check of claims does on thousands of labelled sentences, of which nobody thought when it was written."""

from pathlib import Path

import pytest

from claims.corpus import LANGUAGES, CorpusError, Labelled, labelled
from switchboard.conversation.guard import Unfounded
from tests.conversation.test_claim_words import after, say
from tests.each import each

# The languages that the check knows words of, and the shares that were measured, in percent: it is to get better.
GUARDED = ("en", "de", "es", "fr")
MOST_MISSED, MOST_HELD = 85.0, 6.0
SAMPLE = 500


def is_held(one: Labelled) -> bool:
    """Tell whether a sentence is kept from the caller's ear where nothing was done."""
    try:
        return say(one.text, after()) != one.text
    except Unfounded:
        return True


@each("language", LANGUAGES)
def test_every_language_has_three_thousand_labelled_sentences(language: str) -> None:
    """Of which one in eight is kept back for measuring, and both claims and their look-alikes are there."""
    found = labelled(language)
    assert len(found) >= 3_000
    assert 0.1 < sum(one.is_kept_back for one in found) / len(found) < 0.15
    assert 0.3 < sum(one.is_claim for one in found) / len(found) < 0.6


@each("language", GUARDED)
def test_what_claims_nothing_is_seldom_held_back(language: str) -> None:
    """And the share of claims that get through does not grow."""
    found = [one for one in labelled(language) if one.is_kept_back][:SAMPLE]
    claims = [is_held(one) for one in found if one.is_claim]
    others = [is_held(one) for one in found if not one.is_claim]
    assert 100 * sum(others) / len(others) <= MOST_HELD
    assert 100 - 100 * sum(claims) / len(claims) <= MOST_MISSED


def test_a_file_of_sentences_that_cannot_be_read_says_where(tmp_path: Path) -> None:
    """With the labels that there are."""
    (tmp_path / "en.txt").write_text("[booked done]\nYou are booked.\n[boked done]\nYou are boked.\n")
    with pytest.raises(CorpusError, match=r"en.txt:3: .*boked.*passed_on"):
        labelled("en", tmp_path)
