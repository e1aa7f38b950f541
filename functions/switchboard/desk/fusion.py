"""One ranking out of two: what was found by words and what was found by meaning (reciprocal rank fusion)."""

from collections.abc import Iterable, Sequence

from switchboard.desk.meaning import Neighbour
from switchboard.desk.passage import Passage
from switchboard.desk.passage_index import Hit

# The constant of Cormack et al. 2009, "Reciprocal Rank Fusion": how little the first places differ from the next.
_RANK_CONSTANT = 60
# A word may be shared by chance; what passes the embedder's floor seldom is near by chance.
_MEANING, _WORDS = 1.5, 1.0


def fused(by_words: Sequence[Hit], by_meaning: Sequence[Neighbour], limit: int) -> list[Hit]:
    """Return the best of both, at most one passage per document; the best scores 1, the others less."""
    scores: dict[tuple[str, str], float] = {}
    passages: dict[tuple[str, str], tuple[int, Passage]] = {}
    for weight, ranking in ((_WORDS, [hit.passage for hit in by_words]), (_MEANING, [n.passage for n in by_meaning])):
        for rank, passage in enumerate(_one_per_document(ranking), 1):
            name = (passage.kind, passage.id)
            scores[name] = scores.get(name, 0.0) + weight / (_RANK_CONSTANT + rank)
            # Of a document that both found, the passage is told that one of them ranked higher.
            if name not in passages or rank < passages[name][0]:
                passages[name] = (rank, passage)
    best = sorted(scores, key=lambda name: -scores[name])[:limit]
    return [Hit(passages[name][1], round(scores[name] / scores[best[0]], 2)) for name in best]


def _one_per_document(passages: Iterable[Passage]) -> list[Passage]:
    found: dict[tuple[str, str], Passage] = {}
    for passage in passages:
        found.setdefault((passage.kind, passage.id), passage)
    return list(found.values())
