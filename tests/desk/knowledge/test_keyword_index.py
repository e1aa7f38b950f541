"""The word that was meant."""

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard.desk.knowledge.chunk import Passage
from switchboard.desk.knowledge.keyword_index import FuzzyMatch, KeywordIndex
from tests.each import each

WORDS = ["balayage", "wheelchair", "wasserschaden", "verstopft", "parking", "cut", "montag", "24"]


def closest(word, words=WORDS):
    return FuzzyMatch(sqlite3.connect(":memory:"), words).closest(word)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("balyage", "balayage"),
        ("weelchair", "wheelchair"),
        ("wasserschadn", "wasserschaden"),
        ("verstopt", "verstopft"),
    ],
)
def test_a_misspelt_word_finds_the_one_that_was_meant(written, meant):
    """Letters left out, doubled or swapped."""
    assert closest(written) == meant


@each("word", ["parking", "bicycles", "sontag", "cuts", "", "24", '" OR "', "aaaaaaaa"])
def test_a_known_or_altogether_other_word_is_left_alone(word):
    """A wrong guess would answer a question that nobody asked."""
    assert closest(word) is None


@given(st.text(max_size=40), st.lists(st.text(alphabet="abcdefgh", max_size=9)))
def test_any_text_is_a_word_to_look_for(word, words):
    """What is found is one of the known ones."""
    assert closest(word, words) in (None, *words)


def test_a_search_forgives_spelling():
    """On top of the words as they stand."""
    index = KeywordIndex(
        [Passage("w", "faq", "Accessibility", "For a wheelchair."), Passage("p", "faq", "Parking", "-")]
    )
    assert [hit.passage.id for hit in index.search("weelchair", 3)] == ["w"]
