"""Which deeds a sentence tells as done, under way or sure to come: a small network over hashed pieces of words.

It is trained by `scripts/train_claims` on the sentences in `scripts/claims`, and read as `word_network` describes. A
sentence is read as a whole and clause by clause, and both are weighed: a claim in the middle of much else is one.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from cachetools import LRUCache

from switchboard.contract.definitions.definition import Deed
from switchboard.conversation.claims.sentences import clauses_of
from switchboard.conversation.claims.word_network import WordNetwork, words_in

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WEIGHTS = Path(__file__).parent / "classifier.npz"
_SENTENCES_KEPT = 2_000
# From here on a deed is claimed for certain; where none is, those that are possible are taken for one claim.
_CERTAIN, _POSSIBLE, _MOST_POSSIBLE = 0.7, 0.08, 3
_LIKELY = 0.5
# A clause of so few words goes with what stands beside it.
_FEW_WORDS = 2
_SURE = 1e-6
_WORD = re.compile(r"[^\W\d_]{3,}|(?:[^\W\d_][ .\-\u00b7]){3}")


class ClaimTelling(StrEnum):
    """How a sentence speaks of a deed; the first three are claims, and `plain` speaks of none."""

    DONE = "done"
    UNDERWAY = "underway"
    PROMISED = "promised"
    OFFERED = "offered"
    ASKED = "asked"
    CONDITIONAL = "conditional"
    DENIED = "denied"
    FUTURE = "future"
    GENERAL = "general"
    PLAIN = "plain"


CLAIMING: Final = frozenset({ClaimTelling.DONE, ClaimTelling.UNDERWAY, ClaimTelling.PROMISED})
DEEDS: Final = tuple(Deed)
TELLINGS: Final = tuple(ClaimTelling)


@dataclass(frozen=True, slots=True)
class ClaimReading:
    """What a sentence claims.

    Attributes:
        claims: Each a deed that is told as done, under way or sure to come; of several that one claim may mean, all of
            them, the likeliest first. Empty for a sentence that claims nothing.
        telling: How it speaks of them, or of what it does not claim.
        certainty: How likely the sentence claims anything, from 0 to 1.
    """

    claims: tuple[tuple[Deed, ...], ...]
    telling: ClaimTelling
    certainty: float = 0.0

    @property
    def deeds(self) -> frozenset[Deed]:
        """Every deed that it may claim."""
        return frozenset(deed for claim in self.claims for deed in claim)


@dataclass(frozen=True, slots=True)
class Scores:
    """What the network makes of a sentence.

    Attributes:
        claim: How likely it claims anything, from 0 to 1.
        deeds: How likely each deed is the one that is claimed, in the order of `DEEDS`.
        tellings: How it tells of them, in the order of `TELLINGS`; the highest counts.
        spoken_of: How likely each deed is spoken of at all.
    """

    claim: float
    deeds: "NDArray[np.float32]"
    tellings: "NDArray[np.float32]"
    spoken_of: "NDArray[np.float32]"


class ClaimClassifier:
    """Reads sentences with a network's weights."""

    def __init__(self, weights: "dict[str, NDArray[Any]]") -> None:
        """Take the weights as `scripts/train_claims` writes them."""
        import numpy as np

        self._np = np
        self._network = WordNetwork(weights)
        self._claim, self._claim_bias = weights["claim"].astype(np.float32), weights["claim_bias"].astype(np.float32)
        self._any, self._any_bias = weights["any"].astype(np.float32), float(weights["any_bias"][0])
        self._tell, self._tell_bias = weights["tell"].astype(np.float32), weights["tell_bias"].astype(np.float32)
        self._deed, self._deed_bias = weights["deed"].astype(np.float32), weights["deed_bias"].astype(np.float32)
        self._threshold = float(weights["threshold"])
        self._weights: list[float] = weights["weights"].tolist()
        self._weights_bias = float(weights["weights_bias"])
        # What is said often, and clauses that are looked at twice.
        self._read: LRUCache[str, ClaimReading] = LRUCache(_SENTENCES_KEPT)

    def read(self, sentence: str) -> ClaimReading:
        """Return what a sentence claims."""
        found = self._read.get(sentence)
        if found is None:
            found = self._read[sentence] = self._judged(sentence)
        return found

    def _judged(self, sentence: str) -> ClaimReading:
        whole, clause, certainty = self.weighed(sentence)
        # A time alone, or a number, says nothing that could be true or not.
        is_claim = certainty >= self._threshold and _WORD.search(sentence) is not None
        # "I've cancelled it, would you like another day?" asks, and claims: what it claims stands in the clause.
        scores = whole if whole.claim >= _LIKELY or not is_claim else clause
        allowed = [n for n, telling in enumerate(TELLINGS) if (telling in CLAIMING) == is_claim]
        telling = TELLINGS[max(allowed, key=lambda n: float(scores.tellings[n]))]
        if not is_claim:
            return ClaimReading((), telling, certainty)
        # What is claimed is also spoken of: the two readings of it are taken together.
        likely = (scores.deeds + scores.spoken_of) / 2
        order = [int(n) for n in likely.argsort()[::-1]]
        certain = tuple((DEEDS[n],) for n in order if likely[n] >= _CERTAIN)
        if certain:
            return ClaimReading(certain, telling, certainty)
        possible = tuple(DEEDS[n] for n in order[:_MOST_POSSIBLE] if likely[n] >= _POSSIBLE)
        return ClaimReading((possible or (DEEDS[order[0]],),), telling, certainty)

    def weighed(self, sentence: str) -> "tuple[Scores, Scores, float]":
        """Return the scores of a sentence, of its clause that claims most, and how likely it claims anything."""
        clauses = [clause for clause in clauses_of(sentence) if len(clause.split()) > _FEW_WORDS]
        whole, *others = self._scores([sentence, *(clauses if len(clauses) > 1 else ())])
        clause = max(others, key=lambda scores: scores.claim) if others else whole
        seen = signs(whole, clause, is_one=not others)
        odds = sum(sign * weight for sign, weight in zip(seen, self._weights, strict=True))
        return whole, clause, _likelihood(odds + self._weights_bias)

    def suggested_deed(self, name: str, description: str) -> Deed | None:
        """Return what a tool of such a name and description does; None where its words do not say."""
        spoken_of = self.scores(f"{name.replace('_', ' ')}. {description}").spoken_of
        best = int(spoken_of.argmax())
        found = DEEDS[best] if spoken_of[best] >= _LIKELY else None
        return None if found is Deed.UNNAMED else found

    def scores(self, sentence: str) -> "Scores":
        """Return what the network makes of a sentence, read as a whole."""
        return self._scores([sentence])[0]

    def _scores(self, texts: Sequence[str]) -> "list[Scores]":
        np, made = self._np, self._network.made_of([words_in(text) for text in texts])
        return [
            Scores(*scores)
            for scores in zip(
                (1 / (1 + np.exp(-(made @ self._any + self._any_bias)))).tolist(),
                1 / (1 + np.exp(-(made @ self._claim + self._claim_bias))),
                made @ self._tell + self._tell_bias,
                1 / (1 + np.exp(-(made @ self._deed + self._deed_bias))),
                strict=True,
            )
        ]


def signs(whole: Scores, clause: Scores, *, is_one: bool) -> list[float]:
    """Return what a sentence is weighed by: what the network makes of it, and of its clause that claims most."""
    a, b = _odds(whole.claim), _odds(clause.claim)
    told = _shares(whole.tellings)
    return [
        a,
        b,
        max(a, b),
        0.0 if is_one else 1.0,
        0.0 if is_one else b,
        *told,
        *(told if is_one else _shares(clause.tellings)),
    ]


def _shares(scores: "NDArray[np.float32]") -> list[float]:
    found: list[float] = scores.tolist()
    highest = max(found)
    powers = [math.exp(score - highest) for score in found]
    total = sum(powers)
    return [power / total for power in powers]


def _odds(likelihood: float) -> float:
    return math.log(max(likelihood, _SURE) / max(1 - likelihood, _SURE))


def _likelihood(odds: float) -> float:
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, odds))))


def suggested_deed(name: str, description: str) -> Deed | None:
    """Return what a tool of such a name and description does; None where its words do not say."""
    return classifier().suggested_deed(name, description)


@cache
def classifier() -> ClaimClassifier:
    """Return the network that is shipped; the first time it is read from its file."""
    import numpy as np

    with np.load(WEIGHTS) as stored:
        return ClaimClassifier({name: stored[name] for name in stored.files})
