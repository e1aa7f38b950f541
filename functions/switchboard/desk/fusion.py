"""One ranking out of two: what was found by words and what was found by meaning."""

from collections.abc import Sequence

from switchboard.desk.meaning import Neighbour
from switchboard.desk.passage import Passage
from switchboard.desk.passage_index import Hit

# How far behind the best a passage is says more than its rank does (Bruch et al. 2023, "An Analysis of Fusion Functions
# for Hybrid Retrieval"). A word may be shared by chance; what passes the embedder's floor seldom is near by chance.
# Between 1.25 and 2 the labelled questions of `scripts/bench knowledge` are answered equally well, give or take one.
_MEANING, _WORDS = 1.5, 1.0
# What is told of a passage that just so made it.
_LEAST = 0.01


def fused(by_words: Sequence[Hit], by_meaning: Sequence[Neighbour], limit: int) -> list[Hit]:
    """Return the best of both, at most one passage per document; the best scores 1, the others less."""
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
    return [Hit(passages[name][1], max(_LEAST, round(scores[name] / scores[best[0]], 2))) for name in best]


def _shares(ranking: Sequence[tuple[Passage, float]]) -> dict[tuple[str, str], tuple[float, Passage]]:
    """Return the best passage of each document, and what share of the best one's score it has."""
    most = max((score for _, score in ranking), default=0.0)
    found: dict[tuple[str, str], tuple[float, Passage]] = {}
    for passage, score in ranking:
        found.setdefault((passage.kind, passage.id), (score / most if most > 0 else 1.0, passage))
    return found
