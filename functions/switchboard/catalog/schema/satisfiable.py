"""Required arguments that no value satisfies: a tool that has one can never be called, whatever a model sends.

Nor does a value count that is greater than what a call can carry. What is found is proven; what would need more than a
look at bounds, types and words (patterns, conditions, most of `not`) counts as possible.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from switchboard.catalog.schema.references import followed
from switchboard.contract import policy
from switchboard.contract.json import JsonObject
from switchboard.formats.schema.subschema import pointer

Check: TypeAlias = Callable[[JsonObject, Any], bool]
"""Tells whether a value satisfies a schema that refers to nothing."""
_Conditions: TypeAlias = list[Mapping[str, Any]]
_Key: TypeAlias = frozenset[int]

# Of conditions, over the whole schema: each takes some 3 µs. One without unions is looked through to its end.
_MOST_CONDITIONS = 10_000
_WORDS_PER_CONDITION = 50
_KINDS = frozenset({"null", "boolean", "integer", "number", "string", "array", "object"})
_ABOUT_ONE_VALUE = frozenset(
    {"type", "enum", "const", "minLength", "maxLength", "pattern", "multipleOf"}
    | {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}
)


def impossible_required(root: JsonObject, check: Check) -> Iterator[str]:
    """Yield the JSON pointer of every required property of a sound schema that no value satisfies.

    A property's own required properties are blamed rather than what holds them. Those of optional ones, and of one of
    several forms, are nobody's business: they can be left out.
    """
    search = _Search(root, check)
    yield from search.blamed(root, "", frozenset())


class _TooMuch(Exception):
    """The schema is too intricate to be looked through."""


class _Search:
    """Looks for some value that satisfies schemas together."""

    def __init__(self, root: JsonObject, check: Check) -> None:
        self._root, self._check = root, check
        self._left = _MOST_CONDITIONS

    def blamed(self, schema: Any, at: str, seen: _Key) -> Iterator[str]:
        """Yield the innermost required properties for which there is no value, at and below a JSON pointer."""
        if not isinstance(schema, Mapping) or id(schema) in seen:
            return
        try:
            conditions = self._joined([schema]) or []
        except _TooMuch:
            return
        for name in sorted(_required(conditions)):
            if self._has_value(_about(name, conditions)):
                continue
            if name in schema.get("properties", {}):
                place = at + pointer("properties", name)
                inner = self.blamed(schema["properties"][name], place, seen | {id(schema)})
                yield from list(inner) or [place]
            elif not at:
                yield "/required"

    def _has_value(self, schemas: Iterable[Any]) -> bool:
        try:
            return self._is_possible(schemas, frozenset(), frozenset())
        except _TooMuch:
            return True

    def _is_possible(self, schemas: Iterable[Any], open_: frozenset[_Key], chosen: frozenset[int]) -> bool:
        """Tell whether one value can satisfy all of the schemas.

        Args:
            schemas: The schemas.
            open_: What is being looked for around it: a value that must hold one like itself would never end.
            chosen: The unions of which a form is among the schemas already.
        """
        conditions = self._joined(schemas)
        if conditions is None:
            return False
        for condition in conditions:
            for forms in (condition.get("anyOf"), condition.get("oneOf")):
                if isinstance(forms, list) and id(forms) not in chosen:
                    taken = chosen | {id(forms)}
                    return any(self._is_possible([*conditions, form], open_, taken) for form in forms)
        key = frozenset(map(id, conditions))
        return key not in open_ and self._has_plain_value(conditions, open_ | {key})

    def _joined(self, schemas: Iterable[Any]) -> _Conditions | None:
        """Return all that must hold together, references and `allOf` followed; None where one refuses everything.

        Raises:
            _TooMuch: As many have been joined as may be, over all of the schema.
        """
        conditions: dict[int, Mapping[str, Any]] = {}
        queue = list(schemas)
        for schema in queue:
            self._spend(1)
            if schema is False or (isinstance(schema, Mapping) and schema.get("not") in (True, {})):
                return None
            if isinstance(schema, Mapping) and id(schema) not in conditions:
                conditions[id(schema)] = schema
                queue += [followed(self._root, schema), *schema.get("allOf", ())]
        return list(conditions.values())

    def _spend(self, conditions: int) -> None:
        self._left -= conditions
        if self._left < 0:
            raise _TooMuch

    def _has_plain_value(self, conditions: _Conditions, open_: frozenset[_Key]) -> bool:
        listed = [c["enum"] if "enum" in c else [c["const"]] for c in conditions if "enum" in c or "const" in c]
        if listed:
            plain = [{key: value for key, value in c.items() if key in _ABOUT_ONE_VALUE} for c in conditions]
            self._spend(len(listed[0]) * len(plain) // _WORDS_PER_CONDITION)
            return self._check({"contains": {"allOf": plain}}, listed[0])
        kinds = set(_KINDS).intersection(*map(_kinds, conditions))
        if kinds & {"null", "boolean"}:
            return True
        return (
            ("string" in kinds and _in_order(conditions, "minLength", "maxLength", policy.ARGUMENT_BYTES))
            or ("integer" in kinds and _has_integer(conditions))
            or ("number" in kinds and _has_number(conditions))
            or ("array" in kinds and self._has_array(conditions, open_))
            or ("object" in kinds and self._has_object(conditions, open_))
        )

    def _has_array(self, conditions: _Conditions, open_: frozenset[_Key]) -> bool:
        if not _in_order(conditions, "minItems", "maxItems", policy.ARGUMENT_NODES):
            return False
        contained = [c["contains"] for c in conditions if "contains" in c and c.get("minContains", 1) > 0]
        if contained and _least(conditions, "maxItems") < 1:
            return False
        if not all(self._is_possible([inner], open_, frozenset()) for inner in contained):
            return False
        longest = max((len(c.get("prefixItems", ())) for c in conditions), default=0)
        # Behind the last position that has rules of its own all are alike.
        positions = range(int(min(_most(conditions, "minItems"), longest + 1)))
        return all(self._is_possible(_at(position, conditions), open_, frozenset()) for position in positions)

    def _has_object(self, conditions: _Conditions, open_: frozenset[_Key]) -> bool:
        required = _required(conditions)
        if not _in_order(conditions, "minProperties", "maxProperties", policy.ARGUMENT_NODES):
            return False
        if len(required) > _least(conditions, "maxProperties"):
            return False
        if required and any(c.get("propertyNames") is False for c in conditions):
            return False
        return all(self._is_possible(_about(name, conditions), open_, frozenset()) for name in required)


def _kinds(condition: Mapping[str, Any]) -> frozenset[str]:
    types = condition.get("type")
    kinds = frozenset([types] if isinstance(types, str) else types or _KINDS)
    return kinds | {"integer"} if "number" in kinds else kinds


def _required(conditions: _Conditions) -> set[str]:
    return {name for condition in conditions for name in condition.get("required", ())}


def _about(name: str, conditions: _Conditions) -> list[Any]:
    """Return every schema that surely speaks of the property of that name."""
    findings = []
    for condition in conditions:
        if name in condition.get("properties", {}):
            findings.append(condition["properties"][name])
        elif "patternProperties" not in condition:
            findings.append(condition.get("additionalProperties", True))
    return findings


def _at(position: int, conditions: _Conditions) -> list[Any]:
    """Return every schema that speaks of the item at a position."""
    findings = []
    for condition in conditions:
        first = condition.get("prefixItems", ())
        findings.append(first[position] if position < len(first) else condition.get("items", True))
    return findings


def _most(conditions: _Conditions, keyword: str) -> float:
    return max((c[keyword] for c in conditions if keyword in c), default=0)


def _least(conditions: _Conditions, keyword: str) -> float:
    return min((c[keyword] for c in conditions if keyword in c), default=math.inf)


def _in_order(conditions: _Conditions, low: str, high: str, carried: int) -> bool:
    """Tell whether there is a size between the bounds that a call can carry: `carried` is more than any does."""
    return _most(conditions, low) <= min(_least(conditions, high), carried)


def _bounds(conditions: _Conditions) -> tuple[float, bool, float, bool]:
    """Return the lower bound, whether it is excluded, and the same of the upper one."""
    lows = [
        (c[key], key == "exclusiveMinimum") for c in conditions for key in ("minimum", "exclusiveMinimum") if key in c
    ]
    highs = [
        (-c[key], key == "exclusiveMaximum") for c in conditions for key in ("maximum", "exclusiveMaximum") if key in c
    ]
    low, is_low_out = max(lows, default=(-math.inf, False))
    high, is_high_out = max(highs, default=(-math.inf, False))
    return low, is_low_out, -high, is_high_out


def _has_number(conditions: _Conditions) -> bool:
    low, is_low_out, high, is_high_out = _bounds(conditions)
    return low < high or (low == high and not is_low_out and not is_high_out)


def _has_integer(conditions: _Conditions) -> bool:
    low, is_low_out, high, is_high_out = _bounds(conditions)
    if math.isinf(low) or math.isinf(high):
        return low < high
    first = math.floor(low) + 1 if is_low_out else math.ceil(low)
    last = math.ceil(high) - 1 if is_high_out else math.floor(high)
    steps = [c["multipleOf"] for c in conditions if isinstance(c.get("multipleOf"), int)]
    return all(-(-first // step) * step <= last for step in steps) and first <= last
