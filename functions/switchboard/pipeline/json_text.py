"""Values as JSON text, as they are answered and kept: one spelling for both, so that a replay says what was said."""

import json
from typing import Any

import orjson


def json_bytes(value: Any) -> bytes:
    """Return a value as compact JSON in UTF-8; what JSON has no word for is told as text."""
    try:
        return orjson.dumps(value, default=str)
    except TypeError:
        # orjson, ten times as quick, refuses numbers beyond 64 bits, halves of a character and keys that are no text.
        return json.dumps(value, default=str, separators=(",", ":")).encode()


def json_text(value: Any) -> str:
    """Return the same as text."""
    try:
        return orjson.dumps(value, default=str).decode()
    except TypeError:
        return json_bytes(value).decode()
