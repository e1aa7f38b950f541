"""A result that fits the channel: shortened by structure, never cut in the middle, and saying that there is more.

A caller cannot listen to sixty free times, and a model's context is not free (seed 003). A tool may
bring its own `shorten(data, characters)` beside `execute`; otherwise lists lose their last entries and long texts end
at a sentence.
"""

from collections.abc import Iterator
from typing import Any

import orjson

from switchboard.catalog.definitions.tool import Shorten
from switchboard.contract.json import JsonObject

_SHORTEST_TEXT = 200


def size(data: JsonObject) -> int:
    """Return how many characters a model reads, as JSON."""
    return len(orjson.dumps(data, default=str).decode())


def fitted(data: JsonObject, characters: int, shorten: Shorten | None = None) -> tuple[JsonObject, JsonObject]:
    """Return a result within a number of characters, and what was left out.

    Returns:
        The result, and for `meta.more` how many entries each shortened list and characters each shortened text lost,
        by dotted name; empty when everything fitted.
    """
    if size(data) <= characters:
        return data, {}
    shorter = shorten(data, characters) if shorten else data
    if shorter is not data and size(shorter) <= characters:
        return shorter, {"shortened": True}
    left_out: JsonObject = {"shortened": True} if shorter is not data else {}
    shorter = _copied(shorter)
    while size(shorter) > characters:
        longest = max(_parts(shorter, ""), key=lambda part: part[0], default=None)
        if longest is None:
            break
        _, name, holder, key = longest
        left_out[name] = left_out.get(name, 0) + _cut(holder, key)
    # Nothing could be left out: what there is goes out whole rather than not at all.
    return (shorter, left_out) if left_out else (data, {})


def _parts(value: Any, name: str) -> Iterator[tuple[int, str, Any, Any]]:
    """Yield what can be shortened: lists of several entries, and long texts, each with its size."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in pairs:
        inner_name = f"{name}.{key}" if name else str(key)
        if isinstance(inner, list) and len(inner) > 1:
            yield len(orjson.dumps(inner, default=str)), inner_name, value, key
        elif isinstance(inner, str) and len(inner) > _SHORTEST_TEXT:
            # A list loses entries before a text loses sentences.
            yield len(inner) // 2, inner_name, value, key
        elif isinstance(inner, dict | list):
            yield from _parts(inner, inner_name)


def _cut(holder: Any, key: Any) -> int:
    """Shorten one part by a tenth or more; return how many entries or characters it lost."""
    part = holder[key]
    if isinstance(part, list):
        lost = max(1, len(part) // 10)
        del part[-lost:]
        return lost
    keep = max(_SHORTEST_TEXT // 2, len(part) * 9 // 10 - 1)
    end = max(part.rfind(mark, 0, keep) for mark in (". ", "! ", "? ", "\n"))
    holder[key] = part[: end + 1] if end > keep // 2 else part[:keep].rsplit(" ", 1)[0] + " …"
    return len(part) - len(holder[key])


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copied(inner) for key, inner in value.items()}
    return [_copied(inner) for inner in value] if isinstance(value, list) else value
