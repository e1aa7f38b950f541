"""Arguments that can be used as they are: told from all others in a microsecond, by the compiled schema itself.

Flat, with no number that has a fraction, nothing to coerce and nothing to leave out. `ArgumentReader` reads the same
arguments to the same values; whatever is not plain is its alone.
"""

from collections.abc import Callable
from datetime import tzinfo
from typing import Any, TypeAlias

import orjson

from switchboard.catalog.closing import closed
from switchboard.catalog.moment import read_moment
from switchboard.catalog.schema import compile_checked
from switchboard.catalog.shape import shape_of
from switchboard.catalog.spelling import PLAIN_KINDS, is_canonical
from switchboard.contract.call import canonical
from switchboard.contract.json import JsonObject

Plain: TypeAlias = tuple[JsonObject, str]
"""The arguments as a handler takes them, and their one spelling: `canonical` JSON, the same for equal arguments."""
PlainReader: TypeAlias = Callable[[Any], Plain | None]
"""Reads what a model sent, as JSON text or as an object; None where that is not plain."""

# Far below every limit of the strict reader, and far above what a model writes by hand.
_LONGEST_TEXT = 4_096
_MOST_ARGUMENTS = 16
_WORDS = frozenset({"string", "boolean", "null"})
# No containers; and what the strict reader, and Firestore, take for a whole number.
_FLAT = {
    "type": ["string", "number", "boolean", "null"],
    "minimum": -(2**63) + 1,
    "maximum": 2**63 - 1,
}


def plain_reader(parameters: JsonObject, zone: tzinfo) -> PlainReader | None:
    """Return a reader for checked parameters; None where no arguments are plain, not even none at all.

    Args:
        parameters: The schema.
        zone: The business's, in which times without offset are meant.
    """
    shape, schema = shape_of(parameters, parameters), closed(parameters, parameters)
    if (
        schema.get("additionalProperties") is not False
        or len(shape.properties) > _MOST_ARGUMENTS
        or not PLAIN_KINDS.issuperset(map(type, shape.defaults.values()))
        or any(shape.properties[name].is_moment for name in shape.defaults)
    ):
        return None
    numbers = tuple(name for name, inner in shape.properties.items() if not inner.types or inner.types - _WORDS)
    properties = schema.get("properties", {})
    flat = properties | {name: {"allOf": [properties[name], _FLAT]} for name in numbers}
    is_valid, defaults, size = compile_checked(schema | {"properties": flat}).is_valid, shape.defaults, len(flat)
    moments = tuple(name for name, inner in shape.properties.items() if inner.is_moment)
    loads, dumps, in_order = orjson.loads, orjson.dumps, orjson.OPT_SORT_KEYS

    def read(raw: Any) -> Plain | None:
        text = raw if type(raw) is str else _text(raw)
        try:
            sent = loads(text)
        except ValueError:
            return None
        # Every key brings a colon.
        if type(sent) is not dict or (text.count(":") != len(sent) and not _is_unambiguous(text, sent)):
            return None
        for name in numbers:
            # 3.0 is a whole number to the schema, and has to be made one.
            if type(sent.get(name)) is float:
                return None
        values = sent if len(sent) == size else {**defaults, **sent}
        spelt = values
        if moments:
            timed = _timed(values, moments, zone)
            if timed is None:
                return None
            values, spelt = timed
        if not is_valid(spelt) or len(text) > _LONGEST_TEXT:
            return None
        text = dumps(spelt, None, in_order).decode()
        return values, text if is_canonical(text) else canonical(spelt)

    return read


def _text(raw: Any) -> str:
    """Return an object as JSON text; an empty text where it is none, or has something in it that is not plain."""
    if type(raw) is not dict or not {str}.issuperset(map(type, raw)):
        return ""
    if not PLAIN_KINDS.issuperset(map(type, raw.values())):
        return ""
    try:
        return orjson.dumps(raw).decode()
    except TypeError:  # half of a character
        return ""


def _is_unambiguous(text: str, sent: JsonObject) -> bool:
    return text.count('"') == 2 * (len(sent) + sum(type(value) is str for value in sent.values()))


def _timed(arguments: JsonObject, moments: tuple[str, ...], zone: tzinfo) -> tuple[JsonObject, JsonObject] | None:
    """Return the arguments with their times read, and with them spelt; None where one is no time, or not just one."""
    values, spelt = dict(arguments), dict(arguments)
    for name in moments:
        if isinstance(arguments.get(name), str):
            try:
                # That only a day was named is told by the reader of all arguments.
                values[name] = moment = read_moment(arguments[name], zone, with_time=True)
            except ValueError:
                return None
            spelt[name] = moment.isoformat()
    return values, spelt
