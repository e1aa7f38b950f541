"""How long a text is for a model: a rough estimate, four characters a token (seed 003)."""

import json
from math import ceil

import orjson

from switchboard.contract.json import JsonObject

CHARACTERS_PER_TOKEN = 4


def tokens_of(characters: float) -> int:
    """Return the estimated tokens of a text of so many characters: a quarter, rounded up, and 0 for an empty one."""
    return ceil(characters / CHARACTERS_PER_TOKEN)


def estimate_tokens(text: str | None) -> int:
    """Return the estimated tokens of a text; none or an empty one has 0."""
    return tokens_of(len(text)) if text else 0


def characters_in(data: JsonObject | None) -> int:
    """Return the characters of `data` as compact JSON, as a model is shown it; 0 for None."""
    if data is None:
        return 0
    try:
        return len(orjson.dumps(data, default=str).decode())
    except TypeError:
        # orjson refuses numbers beyond 64 bits, lone surrogates and keys that are no text.
        return len(json.dumps(data, default=str, skipkeys=True, ensure_ascii=False, separators=(",", ":")))
