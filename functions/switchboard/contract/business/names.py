"""Names as they are compared: what people type or say is seldom spelt as it was entered."""

import re
import unicodedata
from collections.abc import Iterable
from difflib import SequenceMatcher, get_close_matches
from itertools import takewhile
from typing import Final

from switchboard.contract.caller.outside_id import DRAWN_AS_NOTHING

# Marks that are vowels, or make another consonant, as in Devanagari, Thai or Kana: by combining class. Accents have
# others, and so has what Hebrew and Arabic leave out.
_SPOKEN_MARKS = frozenset({0, 8, 9, *range(84, 133)})
_UNSEEN = frozenset(["\u034f", *map(chr, range(0xFE00, 0xFE10)), *map(chr, range(0xE0100, 0xE01F0))])
_BETWEEN = re.compile(r"[^a-z0-9]+")
_HIDDEN = frozenset({"Cc", "Cf", "Co", "Cs", "Zl", "Zp"})
# Format characters that are drawn: signs that stand over the Arabic, Syriac or Kaithi numbers after them.
_DRAWN = frozenset(map(chr, (*range(0x0600, 0x0606), 0x06DD, 0x070F, 0x0890, 0x0891, 0x08E2, 0x110BD, 0x110CD)))
_JOINERS = "\u200c\u200d"
# What chooses how the character before it is drawn; alone, or one behind the other, they only carry what nobody sees.
_SELECTORS = frozenset(map(chr, (*range(0x180B, 0x180E), 0x180F, *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
# They put a sign where it belongs between words that are written from right to left and others; elsewhere they hide.
_TURNING, _TO_THE_LEFT = "\u200e\u200f\u061c", frozenset({"R", "AL"})
_KEYCAP = "\u20e3"
# Latin letters join nothing and have one form each.
_JOINED = frozenset({"Lo", "Lm", "Mn", "Mc", "So", "Sm", "Sk", "Po", "Pd"})
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
    return "".join(c for c in unicodedata.normalize("NFKC", text) if unicodedata.category(c) != "Cf")


def hidden_at(text: str) -> int | None:
    """Return where the first character stands that nobody sees and that could say something else; None without one.

    What only joins letters of a script or parts of an emoji, or chooses how one is drawn, is there for being seen.
    """
    if text.isascii() and text.isprintable():
        return None
    return next((at for at in range(len(text)) if _is_hidden(text, at)), None)


def looks(text: str) -> str:
    """Return a name as it looks: what nobody can tell apart by looking at it is the same."""
    seen = "".join(c for c in text if c not in DRAWN_AS_NOTHING and (c in _DRAWN or not _is_of_none(c)))
    return " ".join(folded(unicodedata.normalize("NFKC", seen).translate(LOOKALIKES)).split())


def _is_of_none(character: str) -> bool:
    return unicodedata.category(character) in _HIDDEN and not character.isspace()


def _is_hidden(text: str, at: int) -> bool:
    character = text[at]
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    if character in _JOINERS:
        is_before = before in _SELECTORS or _is_joined(before)
        return not (is_before and (_is_joined(after) or (character == _JOINERS[0] and after.isspace())))
    if character in _SELECTORS:
        return not (_is_joined(before) and before not in _SELECTORS) and after != _KEYCAP
    if character in _TURNING:
        return not any(unicodedata.bidirectional(c) in _TO_THE_LEFT and c not in _TURNING for c in text)
    if character in DRAWN_AS_NOTHING:
        return True
    return unicodedata.category(character) in _HIDDEN and character not in _DRAWN


def _is_joined(character: str) -> bool:
    # The signs of keycaps, © and the like are ASCII or Latin, and become emoji by a selector alone.
    return character != "" and not character.isascii() and unicodedata.category(character) in _JOINED


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
