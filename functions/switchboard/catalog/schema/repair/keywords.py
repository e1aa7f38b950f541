"""Keywords as people misspell them: other names for the same thing, and values of the wrong kind.

OpenAPI 3.0 and Swagger, draft 4, Gemini's upper-case schemas and their Python spelling, Pydantic's constraints.
"""

import re
from collections.abc import Mapping
from typing import Any

from switchboard.formats.schema.subschema import ALONE, ANNOTATIONS, IN_LISTS, IN_MAPS

COUNTS = frozenset({"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"}) | {
    "minContains",
    "maxContains",
}
NUMBERS = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"})
FLAGS = frozenset({"uniqueItems", "nullable", "x-nullable", "optional", "deprecated", "readOnly", "writeOnly"})
KEYWORDS = frozenset({"type", "enum", "const", "required", "dependentRequired", "format", "pattern"}).union(
    {"$schema", "$id", "$ref", "$anchor", "$dynamicRef", "$dynamicAnchor", "$vocabulary", "$comment"},
    {"contentMediaType", "contentEncoding"},
    IN_MAPS,
    IN_LISTS,
    ALONE,
    ANNOTATIONS,
    COUNTS,
    NUMBERS,
) - {"definitions"}
"""The keywords of 2020-12."""

_SNAKE = {
    re.sub(r"(?<=[a-z])(?=[A-Z])", "_", word).lower(): word
    for word in KEYWORDS
    if word.isalpha() and not word.islower()
}
RENAMED: Mapping[str, str] = _SNAKE | {
    "ge": "minimum",
    "le": "maximum",
    "gt": "exclusiveMinimum",
    "lt": "exclusiveMaximum",
    "regex": "pattern",
    "choices": "enum",
    "allowedValues": "enum",
    "allowed_values": "enum",
    "desc": "description",
}
"""Other names of keywords, used where the keyword itself is not."""

SIZES: Mapping[str, tuple[str, ...]] = {
    "string": ("minLength", "maxLength"),
    "array": ("minItems", "maxItems"),
    "integer": ("minimum", "maximum"),
    "number": ("minimum", "maximum"),
}
"""What `min` and `max` mean, by type."""

FORMATS = {
    "datetime": "date-time",
    "date_time": "date-time",
    "dateTime": "date-time",
    "url": "uri",
    "e-mail": "email",
    "guid": "uuid",
    "UUID": "uuid",
}
"""Formats by names that can only mean one."""

COMMENTS = re.compile(r"^(?://|#|_?comments?$)")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?", re.ASCII)
_FLAG = {"true": True, "false": False, "yes": True, "no": False}

TYPED = (
    ("object", frozenset({"properties", "required", "additionalProperties", "minProperties", "maxProperties"})),
    ("array", frozenset({"items", "prefixItems", "minItems", "maxItems", "uniqueItems"})),
    ("string", frozenset({"minLength", "maxLength", "pattern"})),
    ("number", NUMBERS),
)
"""Types, and the keywords that speak of no other."""


def number_in(value: Any) -> int | float | None:
    """Return the number that a text spells, or None."""
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        return float(value) if "." in value else int(value)
    return None


def flag_in(value: Any) -> bool | None:
    """Return what a text says that stands for true or false, or None."""
    return _FLAG.get(value.strip().casefold()) if isinstance(value, str) else None
