"""One ranking out of two."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard.desk.knowledge.chunk import Passage
from switchboard.desk.knowledge.keyword_index import Hit
from switchboard.desk.knowledge.knowledge import FITS, fused
from switchboard.desk.knowledge.vector_search import Neighbour


def passage(id, kind="faq", text=""):
    return Passage(id, kind, id, text or id)


def words(*ids):
    return [Hit(passage(id), 1.0) for id in ids]


def meanings(*ids):
    return [Neighbour(passage(id), 0.9) for id in ids]


def ranked(hits):
    return [hit.passage.id for hit in hits]


def test_what_both_find_comes_before_what_one_finds():
    """Also where neither has it first."""
    assert ranked(fused(words("a", "both"), meanings("b", "both"), 3))[0] == "both"


def test_meaning_decides_where_each_has_its_own_first():
    """A shared word may be chance."""
    assert ranked(fused(words("a"), meanings("b"), 3)) == ["b", "a"]


def test_how_far_behind_counts_for_more_than_the_rank():
    """Second place may be as good as first, or nearly nothing."""
    near = [Neighbour(passage("a"), 0.9), Neighbour(passage("b"), 0.88), Neighbour(passage("c"), 0.05)]
    assert ranked(fused(words("c", "b"), near, 3)) == ["b", "a", "c"]
    weak = [Neighbour(passage("a"), 0.9), Neighbour(passage("b"), 0.05)]
    assert ranked(fused([Hit(passage("b"), 1.0)], weak, 3)) == ["a", "b"]


def test_one_alone_keeps_its_order():
    """Without an embedder, or for words that no embedder knows."""
    assert ranked(fused(words("a", "b", "c"), [], 2)) == ["a", "b"]
    assert ranked(fused([], meanings("a", "b", "c"), 2)) == ["a", "b"]
    assert fused([], [], 3) == []


def test_a_document_is_told_once_by_the_passage_that_ranked_higher():
    """Its passages share an id; another kind may have the same one."""
    long, short, other = passage("doc", text="first"), passage("doc", text="second"), passage("doc", "policy")
    found = fused([Hit(other, 1.0), Hit(long, 0.9)], [Neighbour(short, 0.9), Neighbour(long, 0.8)], 5)
    assert [(h.passage.kind, h.passage.text) for h in found] == [("faq", "second"), ("policy", "doc")]


ids = st.lists(st.sampled_from("abcdefghij"), unique=True)


@given(ids, ids, st.integers(1, 10))
def test_scores_fall_and_nothing_is_invented(by_words, by_meaning, limit):
    """Whatever the two rankings say."""
    hits = fused(words(*by_words), meanings(*by_meaning), limit)
    assert len(hits) == min(limit, len({*by_words, *by_meaning}))
    assert len(set(ranked(hits))) == len(hits)
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score <= 1 for score in scores)


@pytest.mark.requirement("004-332")
def test_the_best_of_nothing_that_fits_scores_little():
    """One common word, and hardly any likeness: to be first among those is no answer."""
    chance = [Hit(passage("a"), 1.0, cover=0.2)]
    (hit,) = fused(chance, [], 3)
    assert hit.score == 0.2 < FITS
    (hit,) = fused(chance, [Neighbour(passage("a"), 0.02)], 3)
    assert hit.score < FITS
    (hit,) = fused(chance, [Neighbour(passage("a"), 0.6)], 3)
    assert hit.score > 0.9
