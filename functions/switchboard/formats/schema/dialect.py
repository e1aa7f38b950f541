"""What one schema language can say, and which keywords of JSON Schema there are to be said."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.formats.schema.spelling import SpellingRule
from switchboard.formats.schema.subschema import ALONE, ANNOTATIONS, IN_LISTS, IN_MAPS

COMMON = frozenset(
    {"anyOf", "description", "enum", "format", "items", "maxItems", "maximum"}
    | {"minItems", "minimum", "properties", "required", "title", "type"}
)
"""The keywords that every dialect understands, each in its way."""

FOR_TYPE: dict[str, frozenset[str]] = {
    "string": frozenset({"minLength", "maxLength", "pattern", "format"}),
    "number": frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "format"}),
    "integer": frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "format"}),
    "array": frozenset({"items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains"}),
    "object": frozenset(
        {"properties", "required", "additionalProperties", "propertyOrdering", "minProperties", "maxProperties"}
    ),
    "boolean": frozenset(),
    "null": frozenset(),
}
"""The keywords that only say something about one type of value."""

STANDARD = frozenset({"$ref", "const", "dependentRequired", "maxContains", "minContains"}).union(
    COMMON, IN_MAPS, IN_LISTS, ALONE, ANNOTATIONS, *FOR_TYPE.values()
)
"""The keywords of 2020-12 that say something about a value."""

COMBINING = frozenset({"allOf", "anyOf", "oneOf", "not"})
"""The keywords that combine schemas; most vendors want the outermost schema to be a plain object."""

_HINTS = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "exclusiveMinimum": "more than {}",
    "exclusiveMaximum": "less than {}",
    "multipleOf": "a multiple of {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "minProperties": "at least {} entries",
    "maxProperties": "at most {} entries",
    "uniqueItems": "no item twice",
    "pattern": "matching {}",
    "format": "format {}",
    "default": "default {}",
    "enum": "one of {}",
}
_LONGEST_HINT = 200


# Compared by identity: a dialect is a constant, and its keywords would be hashed at every look-up otherwise.
@dataclass(frozen=True, slots=True, eq=False)
class Dialect:
    """What one schema language can say.

    Attributes:
        keywords: Kept as they are; schemas inside them are lowered in turn.
        formats: Values of `format` that it takes; None means any.
        enum_types: Python types that may stand in an `enum`, where empty text may not either; None means any value.
        has_references: Whether `$ref` may stay (never with other keywords beside it, always into `$defs` at the top);
            otherwise references are written out, and recursion is unrolled to a depth.
        has_type_lists: Whether `type` may be a list; otherwise null becomes `nullable` and other lists `anyOf`.
        has_bare_any_of: Whether nothing but words may stand beside `anyOf`.
        forbidden_at_root: Keywords that the outermost schema must not have.
        names: How arguments may be called; None means in any way.
    """

    keywords: frozenset[str]
    formats: frozenset[str] | None = None
    enum_types: tuple[type, ...] | None = None
    has_references: bool = True
    has_type_lists: bool = True
    has_bare_any_of: bool = False
    forbidden_at_root: frozenset[str] = frozenset()
    names: SpellingRule | None = None

    def understands(self, key: str, value: object, at: str) -> bool:
        """Tell whether a keyword may stand with this value at this JSON pointer."""
        if not at and key in self.forbidden_at_root:
            return False
        if key == "format" and self.formats is not None and value not in self.formats:
            return False
        return key in self.keywords


@dataclass(frozen=True, slots=True)
class Lowered:
    """A schema as a dialect can say it, and one sentence for everything that was lost on the way.

    The schema is prepared once and shared by everyone who asks for it: it is not to be changed.
    """

    schema: JsonObject
    notes: tuple[str, ...] = ()


def with_hints(description: Any, hints: Iterable[str]) -> str:
    """Return a description that also says what the dialect cannot check."""
    hints_text = "; ".join(hints)
    text = description.strip() if isinstance(description, str) else ""
    return f"{text} ({hints_text})" if text else hints_text


def hint(keyword: str, value: Any) -> str:
    """Return words for a limit that the dialect cannot check; empty where words would not help."""
    if keyword == "minLength" and value == 1:
        hint_text = "not empty"
    elif keyword in ("anyOf", "oneOf"):
        hint_text = _needed(value)
    elif keyword == "dependentRequired" and isinstance(value, Mapping):
        hint_text = "; ".join(f"{name} only with {' and '.join(others)}" for name, others in value.items() if others)
    elif keyword not in _HINTS or value is False:
        return ""
    else:
        hint_text = _HINTS[keyword].format(", ".join(map(_shown, value)) if isinstance(value, list) else _shown(value))
    return hint_text if len(hint_text) <= _LONGEST_HINT else ""


def _needed(branches: Any) -> str:
    """Return which arguments are needed where the branches say nothing else."""
    if not isinstance(branches, list) or not all(isinstance(b, Mapping) and list(b) == ["required"] for b in branches):
        return ""
    return "needs " + " or ".join(" and ".join(map(str, branch["required"])) for branch in branches)


def _shown(value: Any) -> str:
    return value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False)
