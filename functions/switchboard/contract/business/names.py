"""Names as they are compared: what people type or say is seldom spelt as it was entered."""

import re
import unicodedata
from collections.abc import Iterable
from difflib import SequenceMatcher, get_close_matches
from itertools import takewhile
from typing import Final

from switchboard.contract.business.unseen import is_of_none
from switchboard.contract.caller.outside_id import DRAWN_AS_NOTHING

# Marks that are vowels, or make another consonant, as in Devanagari, Thai or Kana: by combining class. Accents have
# others, and so has what Hebrew and Arabic leave out.
_SPOKEN_MARKS = frozenset({0, 8, 9, *range(84, 133)})
_UNSEEN = frozenset(["\u034f", *map(chr, range(0xFE00, 0xFE10)), *map(chr, range(0xE0100, 0xE01F0))])
_BETWEEN = re.compile(r"[^a-z0-9]+")
LOOKALIKES: Final = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u04bb\u0501\u03bf\u03b1\u03bd\u03c1"
    "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425",
    "aeopcyxijshdoavpABEKMHOPCTX",
)
"""Cyrillic and Greek letters that are drawn as Latin ones are, for `str.translate`."""
# What is longer is no name that somebody mistyped, and takes its time to compare.
_LONGEST_MISTYPED = 60


def folded(text: str) -> str:
    """Return a name as it is compared where its marks tell: in whatever case, composed or not, on one line."""
    return " ".join(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).split())


def letters(text: str) -> str:
    """Return a name as it is told from others: what is heard has no accents, punctuation or capitals of its own."""
    return "".join(filter(_is_heard, unicodedata.normalize("NFKD", text).casefold()))


def slug(text: str, between: str = "-") -> str:
    """Return the letters and digits of a text that ASCII has, without accents; empty where there are none."""
    plain = unicodedata.normalize("NFKD", text.casefold()).encode("ascii", "ignore").decode()
    return _BETWEEN.sub(between, plain).strip(between)


def visible_text(text: str) -> str:
    """Return what can be seen of a text, composed: without what turns its direction or joins its letters."""
    if text.isascii():
        return text
    return "".join(c for c in unicodedata.normalize("NFKC", text) if unicodedata.category(c) != "Cf")


def looks(text: str) -> str:
    """Return a name as it looks: what nobody can tell apart by looking at it is the same."""
    drawn = "".join(c for c in text if c not in DRAWN_AS_NOTHING and not is_of_none(c))
    return " ".join(folded(unicodedata.normalize("NFKC", drawn).translate(LOOKALIKES)).split())


def nearest(name: str, known: Iterable[str]) -> str:
    """Return which of the known names a mistyped one is nearest to, in whatever case; empty where none is near."""
    by_folded = {one.casefold(): one for one in known}
    wrong = name[:_LONGEST_MISTYPED].casefold()
    if f"is{wrong}" in by_folded:
        # Of a switch what is left out is what only makes it one.
        return by_folded[f"is{wrong}"]
    close = get_close_matches(wrong, by_folded, n=3, cutoff=0.7)
    # Of those that are as near, the one that begins alike: munday is monday and not sunday.
    best = max(close, default="", key=lambda one: (SequenceMatcher(None, one, wrong).ratio(), _alike(one, wrong)))
    return by_folded.get(best, "")


def _alike(one: str, other: str) -> int:
    """Return how many characters two texts begin with alike."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _is_heard(character: str) -> bool:
    if character.isalnum():
        return True
    is_mark = unicodedata.category(character) in ("Mn", "Mc") and character not in _UNSEEN
    return is_mark and unicodedata.combining(character) in _SPOKEN_MARKS
