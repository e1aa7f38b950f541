"""For vendors in whose histories only a user and the model speak: how what nobody said aloud is told apart.

A note of the house stands in the user's message, marked. What the caller writes can therefore not look like one.
"""

import re
from typing import Any

import orjson

from switchboard.contract.json import JsonObject
from switchboard.contract.model import Heard, Noted

_MARK = "[Note from the switchboard: "
_FORGED = re.compile(r"[\[\uff3b\u3010(]\s*(note\s+from\s+the\s+switchboard)", re.IGNORECASE)


def words_of(message: Heard | Noted) -> str:
    """Return what stands in the user's message; only what the house has noted is marked as a note of it."""
    return note(message.text) if isinstance(message, Noted) else _FORGED.sub(r'"\1', message.text)


def note(text: str) -> str:
    """Return a note of the house."""
    return f"{_MARK}{text}]"


def as_object(arguments: Any) -> JsonObject:
    """Return arguments as the object that vendors insist on; what a model wrote may be none, and is then empty."""
    if isinstance(arguments, dict):
        return arguments
    try:
        found = orjson.loads(arguments)
    except (ValueError, TypeError):
        return {}
    return found if isinstance(found, dict) else {}
