"""JSON from models and strangers, read strictly: what two readers could understand differently is refused.

Reference reliability, faults 15 and 28: duplicate keys, NaN, 1e400, thousands of digits, lone surrogates and depth
bombs end in one sentence, in milliseconds.
"""

import json
from math import isfinite
from typing import Any, Final, NoReturn

import orjson

from switchboard.contract.python.dataclass import dataclass

_LARGEST = 2**63 - 1  # what Firestore keeps as a whole number

_UNCLEAR: Final = object()


class MalformedJson(ValueError):
    """A text or value is not the JSON we take; the message says why, in words that fit behind "it"."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one value may hold.

    Attributes:
        depth: Containers inside containers.
        nodes: Values of any kind, inner ones included.
        bytes: UTF-8 bytes of all keys and text values; of the JSON text itself where there is one.
    """

    depth: int
    nodes: int
    bytes: int


_GENEROUS = Limits(depth=64, nodes=20_000, bytes=1_048_576)


def parse_json(text: str | bytes, limits: Limits = _GENEROUS) -> Any:
    """Return the value of a JSON text.

    Raises:
        MalformedJson: It is not JSON (RFC 8259), means different things to different readers, or exceeds a limit.
    """
    if len(text) > limits.bytes:
        raise MalformedJson(f"is larger than {limits.bytes} bytes")
    value = _read_plainly(text, limits)
    if value is not _UNCLEAR:
        return value
    try:
        if isinstance(text, bytes):
            text = text.decode()
        if text.startswith("\ufeff"):
            raise MalformedJson("is not valid JSON: it begins with a byte order mark")
        value = _DECODER.decode(text)
    except MalformedJson:
        raise
    except json.JSONDecodeError as error:
        raise MalformedJson(f"is not valid JSON: {error.msg} at character {error.pos + 1}") from None
    except UnicodeDecodeError:
        raise MalformedJson("is not UTF-8 text") from None
    except RecursionError:
        raise MalformedJson("is nested too deeply") from None
    except ValueError:  # more digits than Python reads in one go
        raise MalformedJson("has a number that is too large") from None
    check_value(value, limits)
    return value


def _read_plainly(text: str | bytes, limits: Limits) -> Any:
    """Return the value of a text that every reader understands alike, as most do; `_UNCLEAR` where that is in doubt.

    It takes a fifth of the time, and says nothing of what is wrong.
    """
    if isinstance(text, str):
        if not text.isascii():
            # How many bytes it has would have to be counted first.
            return _UNCLEAR
        text = text.encode()
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return _UNCLEAR
    level, depth, nodes, quotes = [value], 0, 0, 0
    while level:
        nodes += len(level)
        if depth > limits.depth or nodes > limits.nodes:
            return _UNCLEAR
        inner: list[Any] = []
        for item in level:
            kind = type(item)
            if kind is str:
                quotes += 2
            elif kind is dict:
                quotes += 2 * len(item)
                inner += item.values()
            elif kind is list:
                inner += item
            # A number with a fraction may have been a whole one that is too large.
            elif kind is float or (kind is int and not -_LARGEST <= item <= _LARGEST):
                return _UNCLEAR
        level, depth = inner, depth + 1
    # A key that stands there twice leaves quotes over.
    return value if text.count(b'"') == quotes else _UNCLEAR


def check_value(value: Any, limits: Limits) -> None:
    """Make sure that a value is JSON and within the limits; looks at one level after the other, never recursing.

    Raises:
        MalformedJson: It is not.
    """
    level = [value]
    depth = nodes = size = 0
    while level:
        nodes += len(level)
        if depth > limits.depth:
            raise MalformedJson("is nested too deeply")
        if nodes > limits.nodes:
            raise MalformedJson(f"holds more than {limits.nodes} values")
        inner: list[Any] = []
        for item in level:
            if type(item) is str:
                size += _size_of_text(item)
            elif isinstance(item, dict):
                size += sum(map(_size_of_key, item))
                inner += item.values()
            elif isinstance(item, list):
                inner += item
            else:
                size += _size_of(item)
        if size > limits.bytes:
            raise MalformedJson(f"is larger than {limits.bytes} bytes")
        level, depth = inner, depth + 1


def is_text(text: str) -> bool:
    """Tell whether a text can be written as UTF-8: it holds no half of a character (lone surrogate)."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _size_of(item: Any) -> int:
    if isinstance(item, str):
        return _size_of_text(item)
    if isinstance(item, int):
        if not -_LARGEST <= item <= _LARGEST:
            raise MalformedJson("has a number that is too large")
    elif isinstance(item, float):
        if not isfinite(item):
            raise MalformedJson("has a number that JSON cannot carry (infinite or not a number)")
    elif item is not None:
        raise MalformedJson(f"has a {type(item).__name__}, which JSON cannot carry")
    return 0


def _size_of_key(key: Any) -> int:
    if not isinstance(key, str):
        raise MalformedJson("has a key that is not text")
    return _size_of_text(key)


def _size_of_text(text: str) -> int:
    if text.isascii():
        return len(text)
    if not is_text(text):
        raise MalformedJson("has half of a character (a lone surrogate)")
    return len(text.encode())


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise MalformedJson(f"has the key {twice[:40]!r} twice in one object")
    return fields


def _refuse_constant(name: str) -> NoReturn:
    raise MalformedJson(f"has {name}, which is no JSON number")


# Made once: `json.loads` makes a new one for every text that is to be read in any other way than its own.
_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_refuse_constant)
