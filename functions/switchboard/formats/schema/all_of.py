"""Two schemas that must both hold, said as one: what `allOf` and a reference with words beside it come to."""

from typing import Any

from switchboard.contract.json import JsonObject
from switchboard.formats.schema.subschema import ANNOTATIONS

TIGHTER = {
    "minimum": max,
    "exclusiveMinimum": max,
    "minLength": max,
    "minItems": max,
    "minProperties": max,
    "maximum": min,
    "exclusiveMaximum": min,
    "maxLength": min,
    "maxItems": min,
    "maxProperties": min,
}
"""How two limits become one."""

# Keywords that read each other: two sets of them cannot be mixed, unless both consist of the first one alone.
_TOGETHER = (
    ("properties", "patternProperties", "additionalProperties", "unevaluatedProperties"),
    ("items", "prefixItems", "unevaluatedItems"),
    ("if", "then", "else"),
    ("contains", "minContains", "maxContains"),
)


def joined(first: JsonObject, second: JsonObject) -> tuple[JsonObject, list[str]]:
    """Return one schema for what satisfies both, and the keywords of the second that could not be said in it.

    Annotations of the first win. A schema inside that differs becomes an `allOf`, to be joined when it is reached.
    """
    found, lost = dict(first), []
    strangers = {key for group in _TOGETHER if _clash(group, first, second) for key in group}
    for key, two in second.items():
        one: Any = found.get(key)
        if key in strangers:
            lost.append(key)
        elif key not in found:
            found[key] = two
        elif one == two or key in ANNOTATIONS:
            continue
        elif key in TIGHTER:
            found[key] = TIGHTER[key](one, two)
        elif key == "required":
            found[key] = list(dict.fromkeys([*one, *two]))
        elif key in ("properties", "$defs"):
            found[key] = one | two | {name: {"allOf": [one[name], two[name]]} for name in _differing(one, two)}
        elif key == "items":
            found[key] = {"allOf": [one, two]}
        elif key in ("type", "enum") and (common := _common(key, one, two)):
            found[key] = common[0] if key == "type" and len(common) == 1 else common
        else:
            lost.append(key)
    return found, lost


def listed(value: Any) -> list[Any]:
    """Return a keyword's value as the list that it may also be written as."""
    return list(value) if isinstance(value, list) else [value]


def _clash(group: tuple[str, ...], first: JsonObject, second: JsonObject) -> bool:
    one, two = ({key: schema[key] for key in group if key in schema} for schema in (first, second))
    return bool(one) and bool(two) and one != two and (one.keys() | two.keys()) != {group[0]}


def _differing(one: JsonObject, two: JsonObject) -> list[str]:
    return [name for name in one if name in two and one[name] != two[name]]


def _common(key: str, one: Any, two: Any) -> list[Any]:
    first, second = listed(one), listed(two)
    if key == "type":  # every integer is a number
        first, second = (side + ["integer"] * ("number" in side) for side in (first, second))
    return list(dict.fromkeys(value for value in first if value in second))
