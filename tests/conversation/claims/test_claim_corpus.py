"""How the check of claims does on labelled sentences that it was never trained on, language by language."""

from pathlib import Path

import pytest

from claims.command import Figures, figures
from claims.corpus import LANGUAGES, CorpusError, labelled, openings
from switchboard.conversation.claims.classifier import classifier
from switchboard.conversation.guard import Unfounded
from tests.conversation.claims.test_claim_words import after, say
from tests.each import each

# The most that may be missed, and held, in percent, of the sentences that were kept back from training. They are harder
# than what is said on an ordinary day: every one is built differently, and most stand close to the border.
MOST_MISSED, MOST_HELD, LEAST_DEEDS = 14.0, 14.0, 90.0
SAMPLE = 200


@pytest.fixture(scope="module")
def kept_back() -> dict[str, Figures]:
    """How the shipped weights do, by language."""
    reader = classifier()
    return {name: figures(reader, [one for one in labelled(name) if one.is_kept_back]) for name in LANGUAGES}


@each("language", LANGUAGES)
def test_every_language_has_three_thousand_labelled_sentences(language: str) -> None:
    """Of which one in sixteen is kept back for measuring, and both claims and their look-alikes are there."""
    found = [one for one in labelled(language) if not one.is_composed]
    assert len(found) >= 3_000
    assert 0.05 < sum(one.is_kept_back for one in found) / len(found) < 0.08
    assert 0.3 < sum(one.is_claim for one in found) / len(found) < 0.6


@pytest.mark.requirement("000-380")
@each("language", LANGUAGES)
def test_what_was_kept_back_is_told_apart_as_well_as_was_measured(language: str, kept_back: dict[str, Figures]) -> None:
    """Weights that do worse than those that were looked at do not land."""
    told = kept_back[language]
    assert told.missed <= MOST_MISSED
    assert told.held <= MOST_HELD
    assert told.deeds >= LEAST_DEEDS


@pytest.mark.requirement("000-380")
@each("language", LANGUAGES)
def test_what_the_classifier_finds_the_caller_does_not_hear(language: str) -> None:
    """Where nothing was done, a sentence is heard whole or not at all."""
    for one in [one for one in labelled(language) if one.is_kept_back][:SAMPLE]:
        try:
            said = say(one.text, after())
        except Unfounded:
            continue
        assert said == one.text, said


@each("language", LANGUAGES)
def test_words_that_change_nothing_do_not_make_a_claim_of_what_is_none(language: str) -> None:
    """Nor hide one: what is read behind most of them is read as before."""
    reader = classifier()
    claims, others = [
        [one.text for one in labelled(language) if one.is_kept_back and len(one.text) < 80 and one.is_claim is is_claim]
        for is_claim in (True, False)
    ]
    for sentences, is_claim in ((claims, True), (others, False)):
        alone = [text for text in sentences if bool(reader.read(text).claims) is is_claim]
        for opening in openings(language):
            read = [bool(reader.read(f"{opening} {text[:1].lower()}{text[1:]}").claims) for text in alone[:20]]
            assert read.count(is_claim) >= len(read) * 0.7, opening


def test_a_file_of_sentences_that_cannot_be_read_says_where(tmp_path: Path) -> None:
    """With the labels that there are."""
    (tmp_path / "en.txt").write_text("[booked done]\nYou are booked.\n[boked done]\nYou are boked.\n")
    with pytest.raises(CorpusError, match=r"en.txt:3: .*boked.*passed_on"):
        labelled("en", tmp_path)
