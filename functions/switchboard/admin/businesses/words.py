"""The words that businesses are found by: those of the name and the id, folded, stored with each under its beginnings.

Folded are case and accents. Firestore looks up one entry of an array by itself, so that one word of a search is
answered by its index, however many businesses there are; `are_found` decides about the others.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from switchboard.contract.json import JsonObject

FIELD = "search"
"""The field of a business's document that holds them."""
VERSION = 1
"""Changes with the way in which they are made; documents that hold those of another one are mended."""
_LONGEST = 20
_MOST = 60
_WORD = re.compile(r"[^\W_]+")
# Letters that no accent was put on, and that people without the key write otherwise.
_PLAIN = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "\u0131": "i"})


def words_of(text: str) -> list[str]:
    """Return the words of a text, folded, each once."""
    apart = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    folded = "".join(c for c in apart if not unicodedata.combining(c)).translate(_PLAIN)
    return list(dict.fromkeys(_WORD.findall(folded)))[:_MOST]


def stored_words(id: str, data: Mapping[str, Any]) -> JsonObject:
    """Return what a business's document holds to be found by."""
    beginnings = {word[:length] for word in _own(id, data) for length in range(1, min(len(word), _LONGEST) + 1)}
    return {FIELD: {"version": VERSION, "words": sorted(beginnings)}}


def are_current(id: str, data: Mapping[str, Any]) -> bool:
    """Tell whether a document holds the words that it should."""
    return bool(data.get(FIELD) == stored_words(id, data)[FIELD])


def are_found(words: Sequence[str], id: str, data: Mapping[str, Any]) -> bool:
    """Tell whether each wanted word is the beginning of one of the business's."""
    own = _own(id, data)
    return all(any(word.startswith(one) for word in own) for one in words)


def looked_up(words: Sequence[str]) -> str:
    """Return what is looked up in the index: of several words the longest, which the fewest businesses have."""
    return max(words, key=len)[:_LONGEST]


def _own(id: str, data: Mapping[str, Any]) -> list[str]:
    name = data.get("name")
    return words_of(f"{id} {name if isinstance(name, str) else ''}")
