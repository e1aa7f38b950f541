"""One tool invocation: its name, its arguments, and the two keys that make it happen once.

The delivery key (the provider's call id) guards the ledger: the same webhook again. The effect key (business, tool,
canonical arguments, session) goes to the vendor: the same wish again, under whatever call id.
"""

import hashlib
import json
import unicodedata
from collections.abc import Mapping
from typing import Any

import orjson

from switchboard.contract.document import json_object
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass

# Made once: `json.dumps` makes a new one for every call that asks for anything special.
_SPELLING = json.JSONEncoder(sort_keys=True, ensure_ascii=True, separators=(",", ":"))

PLAIN_KINDS = frozenset({str, int, bool, type(None)})
"""Values that have one spelling in JSON; a number with a fraction may have several."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call as a dialect parsed it; `arguments` is an object, or the JSON text that the model wrote."""

    name: str
    arguments: JsonObject | str
    call_id: str = ""

    @property
    def arguments_object(self) -> JsonObject:
        """The arguments as an object; an empty one where what the model wrote is none."""
        if isinstance(self.arguments, dict):
            return self.arguments
        try:
            return json_object(orjson.loads(self.arguments))
        except ValueError:
            return {}


def canonical(arguments: Mapping[str, Any]) -> str:
    """Return one spelling for equal arguments: sorted keys, NFC text with blanks collapsed, 3.0 as 3."""
    return _SPELLING.encode(_canonical(arguments))


def question(tool: str, arguments: str) -> str:
    """Return a call as text, the same for equal calls, from a tool's name and the canonical spelling of arguments."""
    return f"{tool}|{arguments}"


def arguments_hash(tool: str, arguments: Mapping[str, Any]) -> str:
    """Return 16 hex digits that are equal for equal calls of a tool, however they were spelt."""
    return question_hash(question(tool, canonical(arguments)))


def question_hash(question: str) -> str:
    """Return `arguments_hash` of a call that is already spelt."""
    return _digest(question)[:16]


def delivery_hash(tool: str, sent: str) -> str:
    """Return 16 hex digits that are equal for calls of a tool that were sent in the same words."""
    return _digest(f"{tool}|{sent}")[:16]


def effect_key(business_id: str, session_id: str, tool: str, arguments: Mapping[str, Any]) -> str:
    """Return the key of the wish itself: 40 hex digits from business, session, tool and canonical arguments."""
    return wish_key(business_id, session_id, question(tool, canonical(arguments)))


def wish_key(business_id: str, session_id: str, question: str) -> str:
    """Return `effect_key` of a call that is already spelt."""
    return _digest(f"{business_id}|{session_id}|{question}")[:40]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def _canonical(value: Any) -> Any:
    if isinstance(value, str):
        # In plain ASCII there is nothing to normalise.
        return " ".join((value if value.isascii() else unicodedata.normalize("NFC", value)).split())
    if isinstance(value, Mapping):
        return {_canonical(str(k)): _canonical(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_canonical(v) for v in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def spelling(arguments: JsonObject) -> str:
    """Return `canonical` of arguments."""
    if PLAIN_KINDS.issuperset(map(type, arguments.values())):
        try:
            text = orjson.dumps(arguments, None, orjson.OPT_SORT_KEYS).decode()
        except TypeError:
            # Half of a character, or a number of more than 64 bits.
            return canonical(arguments)
        if is_canonical(text):
            return text
    return canonical(arguments)


def is_canonical(text: str) -> bool:
    """Tell whether compact JSON with sorted keys and without fractions is canonical as it is; false when in doubt."""
    # Plain ASCII without escapes, and single blanks between words.
    return text.isascii() and "\\" not in text and "\x7f" not in text and (" " not in text or not _has_odd_blanks(text))


def _has_odd_blanks(text: str) -> bool:
    return "  " in text or '" ' in text or ' "' in text
