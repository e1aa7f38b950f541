"""The form that a schema gives to a value, as far as reading arguments and comparing signatures need it.

A schema's other rules (limits, patterns, combinations) are left to the validator.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

from switchboard.contract.json import JsonObject
from switchboard.formats.subschema import ANNOTATIONS, target

_NOTHING: Mapping[str, Any] = {}
_COMBINING = frozenset({"allOf", "anyOf", "oneOf", "$ref", "if", "dependentSchemas", "not"})


@dataclass(frozen=True, slots=True)
class Shape:
    """What a value may look like.

    Attributes:
        types: JSON type names; empty means any.
        is_moment: Whether text is a date and time.
        words: The values of `enum` or `const`, or None.
        properties: The shapes of known properties.
        required: The names that must be there.
        defaults: By property name, what stands in for a missing one.
        others: The shape of properties that are not known by name.
        items: The shape of an array's items.
    """

    types: frozenset[str] = frozenset()
    is_moment: bool = False
    words: tuple[Any, ...] | None = None
    properties: Mapping[str, "Shape"] = field(default_factory=dict)
    required: frozenset[str] = frozenset()
    defaults: Mapping[str, Any] = field(default_factory=dict)
    others: "Shape | None" = None
    items: "Shape | None" = None

    @property
    def takes_null(self) -> bool:
        """Whether null is a value here."""
        return not self.types or "null" in self.types

    @property
    def is_scalar(self) -> bool:
        """Whether values are text, numbers or booleans, never containers."""
        return bool(self.types) and not self.types & {"array", "object"}


def shape_of(schema: Any, root: JsonObject) -> Shape:
    """Return the shape of a schema whose local references point into `root` (checked: none is circular)."""
    if not isinstance(schema, Mapping):
        return Shape()
    schema = effective(schema, root)
    branches = schema.get("anyOf", schema.get("oneOf"))
    if isinstance(branches, list) and not schema.keys() & {"type", "properties", "items"}:
        return reduce(_either, [shape_of(branch, root) for branch in branches])
    words = schema.get("enum", [schema["const"]] if "const" in schema else None)
    types = schema.get("type", [])
    kinds = frozenset([types] if isinstance(types, str) else types) or _kinds(words or ())
    properties = schema.get("properties", _NOTHING)
    others, items = schema.get("additionalProperties"), schema.get("items")
    return Shape(
        types=kinds,
        is_moment=schema.get("format") == "date-time" and "string" in kinds,
        words=tuple(words) if words is not None else None,
        properties={name: shape_of(inner, root) for name, inner in properties.items()},
        required=frozenset(schema.get("required", ())),
        defaults={name: found["default"] for name, found in _with_default(properties, root)},
        others=shape_of(others, root) if isinstance(others, Mapping) else None,
        items=shape_of(items, root) if isinstance(items, Mapping) else None,
    )


def effective(schema: Mapping[str, Any], root: JsonObject) -> JsonObject:
    """Return a schema with its reference followed, where nothing but words stands beside it."""
    found = dict(schema)
    while "$ref" in found and found.keys() - {"$ref"} <= ANNOTATIONS:
        meant = target(root, found.pop("$ref"))
        found = (dict(meant) if isinstance(meant, Mapping) else {}) | found
    return found


def closed(schema: Any, root: JsonObject, *, at_top: bool = True) -> Any:
    """Return a schema in which silence about further properties means that there are none.

    Design §5: unknown keys are refused. An object that names no properties at all is a free map and stays one, except
    at the top, where it means that the tool takes no arguments.
    """
    if not isinstance(schema, Mapping):
        return schema
    found = effective(schema, root)
    for keyword in ("items", "additionalProperties"):
        if isinstance(found.get(keyword), Mapping):
            found[keyword] = closed(found[keyword], root, at_top=False)
    if "properties" not in found:
        # Beside `properties`, a branch usually names only a part of the keys.
        for keyword in ("anyOf", "oneOf"):
            if isinstance(found.get(keyword), list):
                found[keyword] = [closed(branch, root, at_top=False) for branch in found[keyword]]
    else:
        inner = found["properties"]
        found["properties"] = {name: closed(child, root, at_top=False) for name, child in inner.items()}
    is_silent = not found.keys() & {"additionalProperties", "unevaluatedProperties"}
    if is_silent and (at_top or "properties" in found):
        found["unevaluatedProperties" if found.keys() & _COMBINING else "additionalProperties"] = False
    return found


def _with_default(properties: Mapping[str, Any], root: JsonObject) -> Iterable[tuple[str, JsonObject]]:
    for name, inner in properties.items():
        found = effective(inner, root) if isinstance(inner, Mapping) else {}
        if "default" in found:
            yield name, found


def _kinds(words: Iterable[Any]) -> frozenset[str]:
    return frozenset(map(kind_of, words))


def kind_of(value: Any) -> str:
    """Return the JSON type of a value; a float without a fraction is still a `number`."""
    if isinstance(value, bool):
        return "boolean"
    for types, name in ((str, "string"), (int, "integer"), (float, "number"), (Mapping, "object"), (list, "array")):
        if isinstance(value, types):
            return name
    return "null"


def _either(one: Shape, two: Shape) -> Shape:
    """Return the shape of "one or two"; what only holds for one of them is forgotten, except beside null."""
    if two.types == {"null"}:
        return replace(one, types=one.types and one.types | {"null"})
    if one.types == {"null"}:
        return _either(two, one)
    both = bool(one.types) and bool(two.types)
    texts = [shape.is_moment for shape in (one, two) if "string" in shape.types]
    return Shape(
        types=one.types | two.types if both else frozenset(),
        is_moment=bool(texts) and all(texts),
        words=one.words + two.words if one.words is not None and two.words is not None else None,
    )
