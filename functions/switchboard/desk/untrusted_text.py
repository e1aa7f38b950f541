"""Words of owners and callers, on their way to a model: kept as they are, except for what a model could take for ours.

What a document says is data. A model reads it inside a field of a result, but
also reads marks such as `</tool_result>` or `<|im_start|>` as the end of that result or the start of an instruction,
and may obey what no person can see. Those lose their force here; sentences that give orders stay, as sentences.

What they say is nobody's instruction (`untrusted_text`), and a page of an app may be longer than any conversation.
"""

import math
import re
import unicodedata
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from switchboard.contract.json import JsonObject
from switchboard.contract.store import GeoPoint, Reference
from switchboard.desk.bookings.date_text import iso

# Joiners that belong to scripts and emoji; every other invisible character could carry words that nobody sees.
_JOINERS = "\u200c\u200d"
_KEPT = frozenset("\n\t" + _JOINERS)
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
# Less-than and greater-than as ASCII, fullwidth and small forms; what takes their place is a quotation mark.
_OPENS, _CLOSES = "<\uff1c\ufe64", ">\uff1e\ufe65"
_TAG = re.compile(rf"[{_OPENS}](?=[/|!?]|[^\W\d])([^{_OPENS}{_CLOSES}\n]{{0,200}})[{_CLOSES}]?")
_BRACKETED = re.compile(r"\[(/?[A-Z][A-Z_ ]{2,30})\]")
# Blanks before the word within its own line: over line ends the search would begin anew at each of them.
_ROLE = re.compile(
    r"^([^\S\n]*+(?:system|developer|assistant|user|human|tool|function))\s*+:", re.IGNORECASE | re.MULTILINE
)

TEXT_CHARACTERS = 2_000
_NAME_CHARACTERS = 100
_ENTRIES = 50
_FIELDS = 100
_DEPTH = 6
_ENDS = " …"


def quoted(text: str) -> str:
    """Return a text as it may stand in a result: marks of markup and of models made plain, nothing hidden in it."""
    visible = "".join(c for c in text if c in _KEPT or unicodedata.category(c) not in _HIDDEN)
    visible = _TAG.sub("\u2039\\1\u203a", visible)
    visible = _BRACKETED.sub(r"(\1)", visible).replace("```", "'''")
    return _ROLE.sub(r"\1 -", visible)


def as_data(value: Any, zone: ZoneInfo, depth: int = _DEPTH) -> Any:
    """Return a value as JSON that may stand in a result.

    Times become local ISO text, points their two numbers, references the document's id; long texts and lists lose their
    ends; what lies too deep and what JSON cannot carry (bytes, vectors, numbers that are none) becomes None.

    Args:
        value: Any value of a document or of an answer.
        zone: The business's.
        depth: How many objects and lists may stand in each other.
    """
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, str):
        return _shortened(quoted(value), TEXT_CHARACTERS)
    if isinstance(value, datetime):
        return iso(value, zone) if value.tzinfo else value.isoformat()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, GeoPoint):
        return {"latitude": value.latitude, "longitude": value.longitude}
    if isinstance(value, Reference):
        # Where it lies is nobody's business who talks with callers.
        return _shortened(quoted(value.id), TEXT_CHARACTERS)
    if depth == 0:
        return None
    if isinstance(value, Mapping):
        return as_fields(value, zone, depth)
    if isinstance(value, list | tuple):
        return [as_data(item, zone, depth - 1) for item in value[:_ENTRIES]]
    return None


def as_fields(data: Mapping[str, Any], zone: ZoneInfo, depth: int = _DEPTH) -> JsonObject:
    """Return the fields of a document or of an answer as `as_data` does; those that it cannot show are left out."""
    shown: JsonObject = {}
    for name, value in list(data.items())[:_FIELDS]:
        inner = as_data(value, zone, depth - 1)
        if inner is not None or value is None:
            shown[_shortened(quoted(str(name)), _NAME_CHARACTERS)] = inner
    return shown


def _shortened(text: str, size: int) -> str:
    return text if len(text) <= size else text[: size - len(_ENDS)] + _ENDS
