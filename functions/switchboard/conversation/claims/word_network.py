"""A small network over hashed pieces of words: what it makes of a text, for whoever weighs that further.

A text becomes words; a word the sum of the vectors of its character n-grams; two convolutions look at a word among its
neighbours and at the text as a whole; what is strongest anywhere in it decides. All languages share one network. It is
trained with PyTorch (`scripts/claims/training.py`), and read here with numpy alone.
"""

import math
import re
import unicodedata
import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from cachetools import LRUCache

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

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
# Cyrillic and Greek letters that look like Latin ones.
_LOOKALIKES: Final = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u04bb\u0501\u03bf\u03b1\u03bd\u03c1"
    "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425",
    "aeopcyxijshdoavpABEKMHOPCTX",
)
_LATIN = re.compile(r"[A-Za-z]")
# "ffi" and "10." are written as one letter.
_MOST_OF_ONE = 4
# "b o o k e d" and "b-o-o-k-e-d".
_SPELT = re.compile(r"(?<![^\W_])[^\W\d_](?:[ .\-\u00b7][^\W\d_]){3,}(?![^\W_])")
_BETWEEN_LETTERS = re.compile(r"[ .\-\u00b7]")
_MAY_HIDE = re.compile(r"(?<![^\W_])[^\W\d_][ .\-][^\W\d_][ .\-][^\W\d_][ .\-]")
_TOKEN = re.compile(r"\d+(?:[.:,h/]\d+)*|[^\W\d_]+|[?!.,:;()\"-]")


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
        plain = plain.translate(_LOOKALIKES)
    return _spelt_together(plain)


def _spelt_together(text: str) -> str:
    text = text.translate(_EMPHASIS)
    return _SPELT.sub(lambda match: _BETWEEN_LETTERS.sub("", match[0]), text)


def words_in(text: str) -> list[str]:
    """Return the words and marks of a text as the network knows them: in lower case, numbers by their shape alone."""
    found = []
    for word in _TOKEN.findall(plain_text(text).casefold()):
        if word[0].isdigit():
            found.append("0:" if not word.isdigit() else "0" if len(word) < 3 else "00")
        else:
            found.append(word[:_LONGEST_WORD])
    return found[:LONGEST_WORDS]


def pieces_of(word: str, count: int) -> tuple[int, ...]:
    """Return the numbers below `count` of a word's pieces: the word itself, and its n-grams of three to five."""
    whole = f"<{word}>"
    found = {zlib.crc32(whole.encode()) % count}
    if word.isalpha():
        grams = (whole[at : at + size] for size in (3, 4, 5) for at in range(len(whole) - size + 1))
        found.update(zlib.crc32(f"{gram}~".encode()) % count for gram in grams)
    return tuple(sorted(found))


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
        self._known: LRUCache[str, NDArray[np.float32]] = LRUCache(_WORDS_KEPT)

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
            whole.append(np.concatenate((seen.max(0), seen.mean(0), strongest[n], sums)))
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
        found: NDArray[Any] = np.ndarray((count, width * size), np.float32, padded, 0, strides)
        return found

    def _vector(self, word: str) -> "NDArray[np.float32]":
        found = self._known.get(word)
        if found is None:
            pieces = pieces_of(word, len(self._vectors))
            rows = self._vectors[list(pieces)].astype(self._np.float32)
            found = self._known[word] = rows.sum(0) * self._scale / self._np.sqrt(len(pieces))
        return found
