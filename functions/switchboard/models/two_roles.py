"""How what nobody said aloud is told apart in a message of the user.

For vendors in whose histories only a user and the model speak, notes of the house stand there, marked; for every
vendor what was true when the caller spoke does. What the caller writes can therefore not look like one.
"""

import re
from typing import Any

import orjson

from switchboard.contract.document import json_object
from switchboard.contract.json import JsonObject
from switchboard.contract.model import Noted, UserMessage

_MARK = "[Note from the switchboard: "
_FORGED = re.compile(r"[\[\uff3b\u3010(]\s*(note\s+from\s+the\s+switchboard)", re.IGNORECASE)


def words_of(message: UserMessage | Noted) -> str:
    """Return what stands in the user's message; only what the house has noted is marked as a note of it."""
    if isinstance(message, Noted):
        return note(message.text)
    said = _FORGED.sub(r'"\1', message.text)
    return f"{note(message.moment)}\n\n{said}".strip() if message.moment else said


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
    return json_object(found)
