"""One ranking out of two: what was found by words and what was found by meaning."""

from collections.abc import Sequence
from itertools import accumulate

from switchboard.desk.knowledge.chunk import Passage
from switchboard.desk.knowledge.keyword_index import Hit
from switchboard.desk.knowledge.vector_search import Neighbour

# How far behind the best a passage is says more than its rank does (Bruch et al. 2023, "An Analysis of Fusion Functions
# for Hybrid Retrieval"). A word may be shared by chance; what passes the embedder's floor seldom is near by chance.
# Between 1.25 and 2 the labelled questions of `scripts/bench knowledge` are answered equally well, give or take one.
_MEANING, _WORDS = 1.5, 1.0
# Texts of one subject seldom lie nearer than half way between an embedder's floor and the very same words.
_STEEP = 3
FITS = 0.3
"""Below this, the best passage hardly answers: it has a word or two in common with the question, by chance."""
# What is told of a passage that just so made it.
_LEAST = 0.01


def fused(by_words: Sequence[Hit], by_meaning: Sequence[Neighbour], limit: int) -> list[Hit]:
    """Return the best of both, at most one passage per document, best first.

    What is told as their score is how well each answers the question by itself, and never more than what stands before
    it: the best of nothing that fits scores little.
    """
    shares = [(_WORDS, _shares([(hit.passage, hit.score) for hit in by_words]))]
    shares.append((_MEANING, _shares([(near.passage, near.similarity) for near in by_meaning])))
    scores: dict[tuple[str, str], float] = {}
    passages: dict[tuple[str, str], tuple[float, Passage]] = {}
    for weight, found in shares:
        for name, (share, passage) in found.items():
            scores[name] = scores.get(name, 0.0) + weight * share
            # Of a document that both found, the passage is told that one of them held for better.
            if name not in passages or share > passages[name][0]:
                passages[name] = (share, passage)
    best = sorted(scores, key=lambda name: -scores[name])[:limit]
    fits = _fits(by_words, by_meaning)
    told = accumulate((fits[name] for name in best), min)
    return [
        Hit(passages[name][1], max(_LEAST, round(fit, 2)), fits[name]) for name, fit in zip(best, told, strict=True)
    ]


def _fits(by_words: Sequence[Hit], by_meaning: Sequence[Neighbour]) -> dict[tuple[str, str], float]:
    """Return how well each document answers the question, from 0 to 1: neither way alone can tell."""
    unlike: dict[tuple[str, str], float] = {}
    covered = ((hit.passage, 1 - min(hit.cover, 1.0)) for hit in by_words)
    near = ((near.passage, (1 - min(near.similarity, 1.0)) ** _STEEP) for near in by_meaning)
    for found in (covered, near):
        least: dict[tuple[str, str], float] = {}
        for passage, share in found:
            name = (passage.kind, passage.id)
            least[name] = min(least.get(name, 1.0), share)
        for name, share in least.items():
            unlike[name] = unlike.get(name, 1.0) * share
    return {name: 1 - share for name, share in unlike.items()}


def _shares(ranking: Sequence[tuple[Passage, float]]) -> dict[tuple[str, str], tuple[float, Passage]]:
    """Return the best passage of each document, and what share of the best one's score it has."""
    most = max((score for _, score in ranking), default=0.0)
    found: dict[tuple[str, str], tuple[float, Passage]] = {}
    for passage, score in ranking:
        found.setdefault((passage.kind, passage.id), (score / most if most > 0 else 1.0, passage))
    return found
