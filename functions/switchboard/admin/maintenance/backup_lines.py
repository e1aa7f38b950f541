"""A backup's lines: one document each, as JSON that loses no type.

What JSON has no word for stands as a map with one key: `{"$time": …}`, `{"$bytes": …}` (base64), `{"$vector": […]}`,
`{"$point": [latitude, longitude]}`, `{"$ref": path}`, `{"$number": "nan"}`. A stored map whose only key begins like
these is wrapped in `{"$map": …}`.
"""

import base64
import json
import math
from datetime import UTC, datetime
from typing import Any, NoReturn

from switchboard.contract.json import JsonObject
from switchboard.contract.store import GeoPoint, Reference, Vector

_TIME, _BYTES, _VECTOR, _POINT, _REFERENCE = "$time", "$bytes", "$vector", "$point", "$ref"
_NUMBER, _MAP = "$number", "$map"


class BadLine(Exception):
    """A line that is none of a backup's; the text says why."""


def to_line(path: str, data: JsonObject) -> str:
    """Return a document as a line, without its end."""
    return json.dumps({"path": path, "data": _map(data)}, ensure_ascii=False, separators=(",", ":"))


def read_line(line: str) -> tuple[str, JsonObject]:
    """Return a line's path and fields.

    Raises:
        BadLine: It is no document.
    """
    try:
        parsed = json.loads(line, parse_float=_finite, parse_constant=_refused)
        path, data = parsed["path"], parsed["data"]
        fields = _read(data)
    except (ValueError, KeyError, TypeError, RecursionError, OverflowError) as error:
        raise BadLine(f"no document can be read from it ({type(error).__name__})") from None
    if not isinstance(path, str) or not isinstance(fields, dict):
        raise BadLine("no document can be read from it")
    return path, fields


def _map(fields: JsonObject) -> JsonObject:
    # The store has no order of fields: sorted, the same document is the same line whenever it is backed up.
    written = {name: _written(value) for name, value in sorted(fields.items())}
    return {_MAP: written} if _is_marked(written) else written


def _written(value: Any) -> Any:
    match value:
        case datetime():
            return {_TIME: value.astimezone(UTC).isoformat()}
        case bytes():
            return {_BYTES: base64.b64encode(value).decode()}
        case Vector():
            return {_VECTOR: list(value.values)}
        case GeoPoint():
            return {_POINT: [value.latitude, value.longitude]}
        case Reference():
            return {_REFERENCE: value.path}
        case float() if not math.isfinite(value):
            return {_NUMBER: str(value)}
        case dict():
            return _map(value)
        case list():
            return [_written(item) for item in value]
    return value


def _read(value: Any) -> Any:
    match value:
        case {"$map": dict(inner), **rest} if not rest:
            return {name: _read(item) for name, item in inner.items()}
        case dict() if _is_marked(value):
            return _of_mark(value)
        case dict():
            return {name: _read(item) for name, item in value.items()}
        case list():
            return [_read(item) for item in value]
    return value


def _of_mark(value: JsonObject) -> Any:
    match value:
        case {"$time": str(text)}:
            moment = datetime.fromisoformat(text)
            if moment.tzinfo is None:
                raise ValueError("a time without a zone")
            return moment.astimezone(UTC)
        case {"$bytes": str(text)}:
            return base64.b64decode(text, validate=True)
        case {"$vector": list(numbers)}:
            return Vector(tuple(float(number) for number in numbers))
        case {"$point": [int() | float() as latitude, int() | float() as longitude]}:
            return GeoPoint(float(latitude), float(longitude))
        case {"$ref": str(path)}:
            return Reference(path)
        case {"$number": "nan" | "inf" | "-inf" as word}:
            return float(word)
    # Taken for a map, it would be written back as something else than it was.
    raise ValueError("a mark that nothing here writes")


def _is_marked(fields: JsonObject) -> bool:
    return len(fields) == 1 and next(iter(fields)).startswith("$")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("a number that no float holds")
    return number


def _refused(word: str) -> NoReturn:
    raise ValueError(f"{word} is not JSON")
