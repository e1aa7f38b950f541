"""Whether two spellings are one person's name: as generous as speech needs, and no more, since strangers guess."""

import re
import unicodedata
from collections.abc import Sequence
from typing import TypeAlias

from switchboard.contract.business.names import visible_text

_Word: TypeAlias = frozenset[str]

_TITLES = frozenset({"mr", "mrs", "ms", "miss", "mx", "dr", "prof", "herr", "frau"})
# Letters that no decomposition takes apart.
_PLAIN = str.maketrans({"\u0131": "i", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe"})
_GERMAN = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"})
_TRANSLITERATED = re.compile(r"[aou]e|aa")
_APOSTROPHES = re.compile("['`\u00b4\u02bc\u2018\u2019]")
_LONGEST = 40
# Nobody's name is longer, and comparing names takes more than in proportion to their length.
_LONGEST_NAME = 300
_NO_LETTERS = re.compile(r"[\W\d_]+")


def same_person(said: str, on_file: str) -> bool:
    """Tell whether a name that a caller says is the one on file.

    Case, accents, titles, hyphens and the order "Whitfield, Anna" do not matter, and ü may be written ue or u. First
    and last name must both be there, letter by letter; middle names may be missing or initials, but not differ.
    """
    one, two = _words(said), _words(on_file)
    if not one or not two:
        return False
    if len(one) == len(two) and (_are_equal(one, two) or (len(one) == 2 and _are_equal(one, two[::-1]))):
        return True
    short, long = sorted((one, two), key=len)
    if len(short) < 2 or not _are_equal([short[0], short[-1]], [long[0], long[-1]]):
        return False
    return all(any(_is_middle(word, other) for other in long[1:-1]) for word in short[1:-1])


def name_key(name: str) -> str:
    """Return the same text for every spelling that could be the same person's name, to count tries by."""
    # However a word was transliterated, it comes out as if it had been without accents: "Mueller" as "Muller".
    words = [_TRANSLITERATED.sub(lambda m: m[0][0], min(word)) for word in _words(name)]
    return " ".join(sorted({words[0], words[-1]})) if words else ""


def first_name(name: str) -> str:
    """Return the name to address somebody by, as it is written on file; empty where there is none."""
    written = [word for word in _in_order(_visible(name)).split() if _words(word)]
    return written[0][:_LONGEST] if written else ""


def _are_equal(one: Sequence[_Word], two: Sequence[_Word]) -> bool:
    return all(a & b for a, b in zip(one, two, strict=True))


def _is_middle(one: _Word, two: _Word) -> bool:
    return any(
        a == b or (len(a) == 1 and b.startswith(a)) or (len(b) == 1 and a.startswith(b)) for a in one for b in two
    )


def _words(name: str) -> list[_Word]:
    """Return the words of a name in order, without titles, each in the ways in which it may be written plainly."""
    ordered = unicodedata.normalize("NFC", _in_order(_visible(name))).casefold()
    plain, german = _folded(ordered), _folded(ordered.translate(_GERMAN))
    # Transliteration changes letters only, so that both have the same words.
    found = [frozenset(pair) for pair in zip(plain, german, strict=True)]
    return [word for word in found if not word & _TITLES]


def _folded(text: str) -> list[str]:
    parts = unicodedata.normalize("NFKD", text.translate(_PLAIN))
    plain = "".join(c for c in parts if not unicodedata.combining(c))
    return _NO_LETTERS.sub(" ", _APOSTROPHES.sub("", plain)).split()


def _visible(text: str) -> str:
    """Return what can be seen of a name; nothing of what is too long to be one."""
    text = " ".join(text.split())
    if len(text) > _LONGEST_NAME:
        return ""
    return visible_text(text)


def _in_order(name: str) -> str:
    last, comma, first = name.partition(",")
    return f"{first} {last}" if comma and first.strip() and "," not in first else name
