"""Which deeds a sentence tells as done, under way or sure to come: a small network over hashed pieces of words.

It is trained by `scripts/train_claims` on the sentences in `scripts/claims`, and read as `word_network` describes. A
sentence is read as a whole and clause by clause, and both are weighed: a claim in the middle of much else is one.

A text becomes words; a word the sum of the vectors of its character n-grams; two convolutions look at a word among its
neighbours and at the text as a whole; what is strongest anywhere in it decides. All languages share one network. It is
trained with PyTorch (`scripts/claims/training.py`), and read here with numpy alone.
"""

import math
import re
import unicodedata
import zlib
from collections.abc import Sequence
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from cachetools import LRUCache

from switchboard.contract.business.names import LOOKALIKES
from switchboard.contract.definitions.definition import Deed
from switchboard.contract.python.dataclass import dataclass
from switchboard.conversation.claims.sentences import clauses_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


WEIGHTS = Path(__file__).parent / "classifier.npz"
_SENTENCES_KEPT, _CLAUSES_KEPT = 2_000, 500
# From here on a deed is claimed for certain; where none is, those that are possible are taken for one claim.
_CERTAIN, _POSSIBLE, _MOST_POSSIBLE = 0.7, 0.08, 3
_LIKELY = 0.5
# A clause of so few words goes with what stands beside it.
_FEW_WORDS = 2
_SURE = 1e-6
_WORD = re.compile(r"[^\W\d_]{3,}|(?:[^\W\d_][ .\-\u00b7]){3}")

# A text is cut behind so many words; what is read at once is shorter.
LONGEST_WORDS: Final = 120
_WORDS_KEPT = 8_000
_LONGEST_WORD = 40
# So many empty rows between two texts keep the widest window of one from seeing the other.
_APART = 2
# Invisible characters and emphasis change nothing; quotes and dashes are written in many ways.
_PLAIN: Final = (
    dict.fromkeys([0xAD, 0x61C, 0x180E, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2065)])
    | dict.fromkeys([0xFEFF, *range(0xFE00, 0xFE10)])
    | dict.fromkeys([0x2018, 0x2019, 0x2BC, 0xB4], "'")
    | dict.fromkeys([0x201C, 0x201D, 0x201E, 0xAB, 0xBB], '"')
    | dict.fromkeys([0x2013, 0x2014], "-")
    | {0x2026: "."}
)
_EMPHASIS: Final = dict.fromkeys(map(ord, "*_~`#"), " ")
_LATIN = re.compile(r"[A-Za-z]")
# "ffi" and "10." are written as one letter.
_MOST_OF_ONE = 4
# "b o o k e d" and "b-o-o-k-e-d".
_SPELT = re.compile(r"(?<![^\W_])[^\W\d_](?:[ .\-\u00b7][^\W\d_]){3,}(?![^\W_])")
_BETWEEN_LETTERS = re.compile(r"[ .\-\u00b7]")
_MAY_HIDE = re.compile(r"(?<![^\W_])[^\W\d_][ .\-][^\W\d_][ .\-][^\W\d_][ .\-]")
_TOKEN = re.compile(r"\d+(?:[.:,h/]\d+)*|[^\W\d_]+|[?!.,:;()\"-]")


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
        spoken_of: Deeds of which it speaks in any way, also where it says that they were not done.
    """

    claims: tuple[tuple[Deed, ...], ...]
    telling: ClaimTelling
    certainty: float = 0.0
    spoken_of: frozenset[Deed] = frozenset()

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
        # What is said often, and clauses that are looked at twice: within their sentence, and by themselves.
        self._read: LRUCache[str, ClaimReading] = LRUCache(_SENTENCES_KEPT)
        self._scored: LRUCache[str, Scores] = LRUCache(_CLAUSES_KEPT)

    def read(self, sentence: str) -> ClaimReading:
        """Return what a sentence claims."""
        reading = self._read.get(sentence)
        if reading is None:
            reading = self._read[sentence] = self._judged(sentence)
        return reading

    def _judged(self, sentence: str) -> ClaimReading:
        whole, clause, certainty = self.weighed(sentence)
        # A time alone, or a number, says nothing that could be true or not.
        is_claim = certainty >= self._threshold and _WORD.search(sentence) is not None
        # "I've cancelled it, would you like another day?" asks, and claims: what it claims stands in the clause.
        scores = whole if whole.claim >= _LIKELY or not is_claim else clause
        allowed = [n for n, telling in enumerate(TELLINGS) if (telling in CLAIMING) == is_claim]
        telling = TELLINGS[max(allowed, key=lambda n: float(scores.tellings[n]))]
        spoken_of = frozenset(DEEDS[n] for n, likely in enumerate(whole.spoken_of.tolist()) if likely >= _LIKELY)
        if not is_claim:
            return ClaimReading((), telling, certainty, spoken_of)
        # What is claimed is also spoken of: the two readings of it are taken together.
        likely = (scores.deeds + scores.spoken_of) / 2
        order = [int(n) for n in likely.argsort()[::-1]]
        certain = tuple((DEEDS[n],) for n in order if likely[n] >= _CERTAIN)
        if certain:
            return ClaimReading(certain, telling, certainty, spoken_of)
        possible = tuple(DEEDS[n] for n in order[:_MOST_POSSIBLE] if likely[n] >= _POSSIBLE)
        return ClaimReading((possible or (DEEDS[order[0]],),), telling, certainty, spoken_of)

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
        deed = DEEDS[best] if spoken_of[best] >= _LIKELY else None
        return None if deed is Deed.UNNAMED else deed

    def scores(self, sentence: str) -> "Scores":
        """Return what the network makes of a sentence, read as a whole."""
        return self._scores([sentence])[0]

    def _scores(self, texts: Sequence[str]) -> "list[Scores]":
        new = [text for text in dict.fromkeys(texts) if text not in self._scored]
        scored = {text: self._scored[text] for text in texts if text in self._scored}
        scored |= zip(new, self._new_scores(new) if new else (), strict=True)
        for text in new:
            self._scored[text] = scored[text]
        return [scored[text] for text in texts]

    def _new_scores(self, texts: Sequence[str]) -> "list[Scores]":
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
    signs_told = _shares(whole.tellings)
    return [
        a,
        b,
        max(a, b),
        0.0 if is_one else 1.0,
        0.0 if is_one else b,
        *signs_told,
        *(signs_told if is_one else _shares(clause.tellings)),
    ]


def _shares(scores: "NDArray[np.float32]") -> list[float]:
    shares: list[float] = scores.tolist()
    highest = max(shares)
    powers = [math.exp(score - highest) for score in shares]
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


def plain_text(text: str) -> str:
    """Return a text without what only disguises it: invisible marks, emphasis, foreign letters among Latin ones."""
    if text.isascii():
        return text.translate(_EMPHASIS) if _MAY_HIDE.search(text) is None else _spelt_together(text)
    plain = unicodedata.normalize("NFKC", text.translate(_PLAIN))
    if len(plain) > 2 * len(text):
        # One letter may stand for a sentence of eighteen, which no claim is written with.
        apart = ((letter, unicodedata.normalize("NFKC", letter)) for letter in text.translate(_PLAIN))
        plain = "".join(spelt if len(spelt) <= _MOST_OF_ONE else letter for letter, spelt in apart)
    plain = plain.translate(_PLAIN)
    if _LATIN.search(plain):
        plain = plain.translate(LOOKALIKES)
    return _spelt_together(plain)


def _spelt_together(text: str) -> str:
    text = text.translate(_EMPHASIS)
    return _SPELT.sub(lambda match: _BETWEEN_LETTERS.sub("", match[0]), text)


def words_in(text: str) -> list[str]:
    """Return the words and marks of a text as the network knows them: in lower case, numbers by their shape alone."""
    words = []
    for word in _TOKEN.findall(plain_text(text).casefold()):
        if word[0].isdigit():
            words.append("0:" if not word.isdigit() else "0" if len(word) < 3 else "00")
        else:
            words.append(word[:_LONGEST_WORD])
    return words[:LONGEST_WORDS]


def pieces_of(word: str, count: int) -> tuple[int, ...]:
    """Return the numbers below `count` of a word's pieces: the word itself, and its n-grams of three to five."""
    whole = f"<{word}>"
    pieces = {zlib.crc32(whole.encode()) % count}
    if word.isalpha():
        grams = (whole[at : at + size] for size in (3, 4, 5) for at in range(len(whole) - size + 1))
        pieces.update(zlib.crc32(f"{gram}~".encode()) % count for gram in grams)
    return tuple(sorted(pieces))


class WordNetwork:
    """Reads texts with a network's weights."""

    def __init__(self, weights: "dict[str, NDArray[Any]]") -> None:
        """Take the weights as `scripts/claims/training.py` writes them."""
        import numpy as np

        self._np = np
        self._vectors, self._scale = weights["vectors"], weights["scale"].astype(np.float32)
        near = weights["near"].astype(np.float32)
        # One matrix product for all the places of a window: (width, in, out) -> (width * in, out).
        self._near, self._near_bias = near.reshape(-1, near.shape[2]), weights["near_bias"].astype(np.float32)
        wide = weights["wide"].astype(np.float32)
        self._wide, self._wide_bias = wide.reshape(-1, wide.shape[2]), weights["wide_bias"].astype(np.float32)
        self._around = weights["around"].astype(np.float32)
        self._near_width, self._wide_width = near.shape[0], wide.shape[0]
        self._gap = [np.zeros(self._vectors.shape[1], np.float32)] * _APART
        self._known: dict[str, NDArray[np.float32]] = {}

    def made_of(self, texts: Sequence[Sequence[str]]) -> "NDArray[np.float32]":
        """Return a row for each of some texts, given as their words (`words_in`); all are read at once."""
        np = self._np
        # They stand one behind the other, too far apart to see each other.
        read = [words or ["."] for words in texts]
        counts = [len(words) for words in read]
        starts, rows = [0], []
        for words in read:
            rows += [self._vector(word) for word in words]
            rows += self._gap
            starts.append(len(rows))
        x = np.array(rows[: -len(self._gap)], np.float32)
        near = np.maximum(self._windows(x, self._near_width) @ self._near + self._near_bias, 0)
        for end in starts[1:-1]:
            near[end - len(self._gap) : end] = 0
        parts = list(zip(starts, counts, strict=False))
        strongest = np.array([near[start : start + count].max(0) for start, count in parts])
        wide = self._windows(near, self._wide_width) @ self._wide
        around = self._wide_bias + strongest @ self._around
        whole = []
        for n, (start, count) in enumerate(parts):
            seen = np.maximum(wide[start : start + count] + around[n], 0)
            sums = x[start : start + count].sum(0) / math.sqrt(count)
            whole.append(np.concatenate((seen.max(0), seen.sum(0) / np.float32(count), strongest[n], sums)))
        made: NDArray[Any] = np.array(whole)
        return made

    def _windows(self, rows: "NDArray[np.float32]", width: int) -> "NDArray[np.float32]":
        """Return each row beside its neighbours, with zeros beyond both ends."""
        np = self._np
        count, size = rows.shape
        half = width // 2
        padded = np.zeros((count + 2 * half, size), np.float32)
        padded[half : half + count] = rows
        strides = (padded.strides[0], padded.strides[1])
        windows: NDArray[Any] = np.ndarray((count, width * size), np.float32, padded, 0, strides)
        return windows

    def _vector(self, word: str) -> "NDArray[np.float32]":
        vector = self._known.get(word)
        if vector is None:
            pieces = pieces_of(word, len(self._vectors))
            rows = self._vectors[list(pieces)].astype(self._np.float32)
            if len(self._known) >= _WORDS_KEPT:
                self._known.clear()
            vector = self._known[word] = rows.sum(0) * self._scale / self._np.sqrt(len(pieces))
        return vector
