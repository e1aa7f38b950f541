"""The labelled questions of `scripts/bench knowledge`: what is found by words, by meaning, and by both."""

import pytest

from benchmarks.knowledge import Asked, ask_everything
from switchboard.desk.knowledge import vector_search


@pytest.fixture(scope="module")
async def asked() -> list[Asked]:
    """Every question, however busy the machine is."""
    patience, vector_search.PATIENCE_S = vector_search.PATIENCE_S, 30.0
    try:
        return await ask_everything()
    finally:
        vector_search.PATIENCE_S = patience


def hits(asked: list[Asked], way: str, within: int) -> int:
    return sum(one.is_hit(way, within) for one in asked)


def test_there_are_enough_questions_in_every_style(asked):
    """At least sixty, most of them in other words than the texts'."""
    styles = [one.style for one in asked]
    assert len(styles) >= 60
    assert styles.count("paraphrase") > len(styles) / 2
    assert {"typo", "speech", "plain"} < set(styles)


@pytest.mark.parametrize(("within", "at_least"), [(1, 0.65), (3, 0.8)])
@pytest.mark.requirement("000-104", "003-09")
def test_both_together_find_more_than_words_alone(asked, within, at_least):
    """By at least ten questions in a hundred; the floor keeps what was reached.

    That is 69 and 84 in a hundred, and without MiniLM 70 and 81.
    """
    both, words = hits(asked, "both", within), hits(asked, "words", within)
    assert both - words >= len(asked) / 10
    assert both >= at_least * len(asked)


@pytest.mark.parametrize("within", [1, 3])
def test_no_kind_of_question_is_answered_worse_than_by_words_alone(asked, within):
    """In neither language: meaning must not push out what words had found."""
    for kind in {(one.language, one.style) for one in asked}:
        own = [one for one in asked if (one.language, one.style) == kind]
        assert hits(own, "both", within) >= hits(own, "words", within), kind
