"""Vectors without a model: what words mean by a list of concepts, and what they look like by their letters.

One half of the default (`minilm.py`), and all of it where no model is installed: it needs no key, no network and no
download. Each concept of `concepts.txt`, each word and each run of letters has a direction of its own in the vector, so
that texts are near each other when they speak of the same things, or in words that look alike: misspelt, run together,
or half heard. It knows no more meaning than the list holds; a model does.
"""

import asyncio
import hashlib
import math
import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from pathlib import Path

DIMENSION = 1024
# What of a word counts how much: what it means, that it is this very word, and what it looks like.
_MEANING, _SPELLING, _LOOKS = 1.0, 0.6, 0.5
_RUNS = (3, 4, 5)
# A shorter one is found inside other words, and before other words, by chance: a car is no card.
_SHORTEST_INSIDE = 6
_SHORTEST_BEGINNING = 4
# Parts of words are looked up pair by pair: a line of dashes or an address must not take a second.
_LONGEST_WORD = 60
_ENDINGS = ("", "s", "d", "ed", "ing")
_WORD = re.compile(r"\w+")
# The straight one and the two typographic ones: can't is written cant in the list, and by many callers.
_APOSTROPHES = re.compile("['\u2019\u02bc]")
_CONCEPTS = Path(__file__).with_name("concepts.txt")


class OfflineEmbedder:
    """Embeds texts on this machine, the same way everywhere and at any time.

    Args:
        silent: Words that tell nothing, folded as `desk.knowledge.stop_words` are.
        dimension: Of the vectors; the fewer, the more features share a direction by chance.
    """

    name = "offline-1"
    # Below it two texts share letters and no more; found on texts that have nothing to do with each other.
    floor = 0.16
    is_local = True

    def __init__(self, silent: frozenset[str] = frozenset(), dimension: int = DIMENSION) -> None:
        self._silent = silent
        self._dimension = dimension
        self._seen = lru_cache(20_000)(self._features)

    async def warm(self) -> None:
        """Read the list of concepts."""
        await asyncio.to_thread(lambda: self._concepts)

    async def embed(self, texts: Sequence[str], purpose: str) -> list[list[float]]:
        """Return one unit vector per text; of a text without a telling word, one that is near nothing."""
        return await asyncio.to_thread(lambda: [self.vector(text) for text in texts])

    def vector(self, text: str) -> list[float]:
        """Return one text's vector, for whoever is in a thread already."""
        weights: dict[str, float] = {}
        for word in _phrases(text):
            if word not in self._silent:
                for feature, weight in self._seen(word):
                    weights[feature] = weights.get(feature, 0.0) + weight
        vector = [0.0] * self._dimension
        for feature, weight in weights.items():
            number, sign = _place(feature)
            # A word that comes again adds less each time.
            vector[number % self._dimension] += sign * math.log1p(weight)
        length = math.sqrt(sum(x * x for x in vector))
        return [x / length for x in vector] if length else vector

    def _features(self, word: str) -> tuple[tuple[str, float], ...]:
        features = [(f"concept {number}", _MEANING) for number in sorted(self._meanings(word))]
        if " " not in word and len(word) > 1:
            marked = f"<{word}>"
            runs = [marked[at : at + n] for n in _RUNS for at in range(len(marked) - n + 1)]
            features.append((f"word {word}", _SPELLING))
            features += [(f"run {run}", _LOOKS / math.sqrt(len(runs))) for run in runs]
        return tuple(features)

    def _meanings(self, word: str) -> set[int]:
        beginnings, whole = self._concepts
        meanings = set(whole.get(word, ()))
        for end in range(_SHORTEST_BEGINNING, len(word) + 1):
            meanings.update(beginnings.get(word[:end], ()))
        for start in range(1, len(word) - _SHORTEST_INSIDE + 1):
            for end in range(start + _SHORTEST_INSIDE, len(word) + 1):
                meanings.update(beginnings.get(word[start:end], ()))
        return meanings

    @cached_property
    def _concepts(self) -> tuple[dict[str, list[int]], dict[str, list[int]]]:
        beginnings: dict[str, list[int]] = {}
        whole: dict[str, list[int]] = {}
        for number, line in enumerate(_CONCEPTS.read_text(encoding="utf-8").splitlines()):
            for word in line.split() if not line.startswith("#") else ():
                plain = _folded(word.removeprefix("=").replace("_", " "))
                if word.startswith("="):
                    whole.setdefault(plain, []).append(number)
                elif len(plain) < _SHORTEST_BEGINNING:
                    for ending in _ENDINGS:
                        whole.setdefault(plain + ending, []).append(number)
                else:
                    beginnings.setdefault(plain, []).append(number)
        return beginnings, whole


def _phrases(text: str) -> Iterator[str]:
    """Yield the words of a text, and every two and three that stand beside each other."""
    words = [word[:_LONGEST_WORD] for word in _WORD.findall(_APOSTROPHES.sub("", _folded(text)))]
    for at, word in enumerate(words):
        yield word
        for count in (2, 3):
            if at + count <= len(words):
                yield " ".join(words[at : at + count])


def _folded(text: str) -> str:
    plain = unicodedata.normalize("NFD", text.casefold())
    return "".join(c for c in plain if not unicodedata.combining(c))


@lru_cache(50_000)
def _place(feature: str) -> tuple[int, float]:
    digest = hashlib.blake2b(feature.encode(), digest_size=8).digest()
    number = int.from_bytes(digest, "big")
    return number, 1.0 if number >> 63 else -1.0
