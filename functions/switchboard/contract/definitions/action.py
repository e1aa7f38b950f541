"""A tool declared in Python, for integrators who would rather not write JSON (seed 001, `ToolAction`).

The seven types and their settings are those of seed 001 ("Component 1: Add Action Models"). What cannot be meant, such
as a default that its own limits refuse, is refused where it is declared, so that no such schema is ever made.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from datetime import datetime
from enum import StrEnum
from typing import Any

from switchboard.contract.channel import Channel
from switchboard.contract.definitions.definition import Definition, DefinitionError, Kind, problems
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass

# What JSON Schema means by `date-time`; Python reads more than that.
_RFC_3339 = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$")
PARAMETER_NAME = re.compile(r"^[a-z][a-z0-9_]{0,63}$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """One thing that a toolkit can do: a function of its own for the model (seed 001, "Problem 1").

    Attributes:
        name: What the model calls.
        description: What it does and when to use it, for the model.
        parameters: What a call may say, in order.
        returns: What comes back: the values, or a sentence about them.
        category: Inclusion group.
        kind: Whether it reads, acts or computes.
        toolkit: The integration it needs, if any.
        channels: Where it may be offered.

    Raises:
        DefinitionError: A name or a description is missing or cannot be, or two parameters have one name.
    """

    name: str
    description: str
    parameters: tuple[Parameter, ...] = ()
    returns: Values | str = ""
    category: str = "general"
    kind: Kind = Kind.RETRIEVAL
    toolkit: str | None = None
    channels: tuple[Channel, ...] = tuple(Channel)

    def __post_init__(self) -> None:
        """Refuse what no definition can be."""
        for error in problems(self.name, self.definition().to_document()):
            raise error
        names = [p.name for p in self.parameters]
        if len(set(names)) < len(names):
            raise DefinitionError("parameters", "has a name twice", "give each parameter its own name")

    def definition(self) -> Definition:
        """Return the tool's definition."""
        return Definition(
            name=self.name,
            category=self.category,
            kind=self.kind,
            description=self.description.strip(),
            parameters=object_schema(self.parameters),
            returns=self._returns(),
            channels=self.channels,
            requires=() if self.toolkit is None else (f"integration:{self.toolkit}",),
            toolkit=self.toolkit,
            writes=self.kind is Kind.ACTION,
        )

    def to_document(self) -> JsonObject:
        """Return the definition as it stands in `schema.json` and in Firestore."""
        return self.definition().to_document()

    def _returns(self) -> JsonObject | None:
        if isinstance(self.returns, Values):
            return self.returns.schema()
        # A sentence is kept where a schema would say what it describes; results are then checked to be objects only.
        return Values(type=ParameterType.OBJECT, description=self.returns).schema() if self.returns else None


class ParameterType(StrEnum):
    """The types that a value may have; a `datetime` is ISO 8601 text on the wire and an aware datetime in a handler."""

    STRING = "string"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    ARRAY = "array"
    OBJECT = "object"
    DATETIME = "datetime"


# type → the keywords that bound it: a number's value, a text's characters, a list's items
_BOUNDS: dict[ParameterType, tuple[str, str]] = {
    ParameterType.INTEGER: ("minimum", "maximum"),
    ParameterType.NUMBER: ("minimum", "maximum"),
    ParameterType.STRING: ("minLength", "maxLength"),
    ParameterType.ARRAY: ("minItems", "maxItems"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Values:
    """Which values are meant.

    Attributes:
        type: One of the seven.
        description: What they are, for the model.
        enum: The only ones allowed; any where empty.
        min_value: The least number, the fewest characters of a text, or the fewest items of an array.
        max_value: The most.
        format: For text: a format of JSON Schema, such as `email`.
        pattern: For text: a regular expression that it matches somewhere.
        items: For an array: what it holds; anything where None.
        properties: For an object: its entries, and no others; any entries where empty.

    Raises:
        DefinitionError: No value could be meant, or a setting does not belong to the type.
    """

    type: ParameterType
    description: str = ""
    enum: tuple[Any, ...] = ()
    min_value: float | None = None
    max_value: float | None = None
    format: str = ""
    pattern: str = ""
    items: Values | None = None
    properties: tuple[Parameter, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what cannot be meant."""
        for error in self._problems():
            raise error

    def schema(self) -> JsonObject:
        """Return the JSON Schema 2020-12 of these values."""
        if self.type is ParameterType.DATETIME:
            schema: JsonObject = {"type": "string", "format": "date-time"}
        else:
            schema = {"type": self.type.value}
        least, most = _BOUNDS.get(self.type, ("", ""))
        optional = {
            least: self.min_value,
            most: self.max_value,
            "format": self.format or None,
            "pattern": self.pattern or None,
            "items": None if self.items is None else self.items.schema(),
            "enum": list(self.enum) or None,
            "description": self.description or None,
        }
        schema |= {keyword: value for keyword, value in optional.items() if value is not None}
        return schema | object_schema(self.properties) if self.properties else schema

    def accepts(self, value: Any) -> bool:
        """Tell whether a JSON value is of the type, within the bounds, and one of the enumeration."""
        size = _size(self.type, value)
        if size is None or (self.enum and value not in self.enum):
            return False
        is_least = self.min_value is None or size >= self.min_value
        return is_least and (self.max_value is None or size <= self.max_value)

    def _problems(self) -> Iterator[DefinitionError]:
        where = self.type.value
        for name, given, fits in self._settings():
            if given and self.type not in fits:
                types = ", ".join(sorted(t.value for t in fits))
                yield DefinitionError(name, f"does not belong to {where}", f"use it with {types}, or leave it out")
        if self.min_value is not None and self.max_value is not None and self.min_value > self.max_value:
            yield DefinitionError("min_value", "is above max_value, so no value fits", "swap or widen the limits")
        if any(not self.accepts(value) for value in self.enum):
            yield DefinitionError("enum", f"holds what is no {where} within the limits", "list only such values")
        names = [p.name for p in self.properties]
        if len(set(names)) < len(names):
            yield DefinitionError("properties", "has a name twice", "give each entry its own name")

    def _settings(self) -> Iterator[tuple[str, bool, frozenset[ParameterType]]]:
        bounded, text = frozenset(_BOUNDS), frozenset({ParameterType.STRING})
        yield "min_value", self.min_value is not None, bounded
        yield "max_value", self.max_value is not None, bounded
        yield "format", bool(self.format), text
        yield "pattern", bool(self.pattern), text
        yield "items", self.items is not None, frozenset({ParameterType.ARRAY})
        yield "properties", bool(self.properties), frozenset({ParameterType.OBJECT})


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter(Values):
    """One named parameter; optional unless it says that it is required (seed 001, `ActionParameter`).

    Attributes:
        name: As the handler's argument is called.
        required: Whether a call must have it.
        default: What a call without it means; None where the handler decides.

    Raises:
        DefinitionError: As for `Values`; also for a bad name, no description, or a default that is refused.
    """

    name: str
    required: bool = False
    default: Any = None

    def schema(self) -> JsonObject:
        """Return the JSON Schema of the parameter's values, with its default."""
        # Not `super()`: a dataclass with slots is made anew, and the class that `super()` remembers is the old one.
        schema = Values.schema(self)
        return schema if self.default is None else schema | {"default": self.default}

    def _problems(self) -> Iterator[DefinitionError]:
        if not PARAMETER_NAME.match(self.name):
            yield DefinitionError("name", f"{self.name!r} is not a parameter name", f"use {PARAMETER_NAME.pattern}")
        if not self.description.strip():
            yield DefinitionError(f"{self.name}.description", "is missing", "say what the parameter does")
        for error in Values._problems(self):
            yield DefinitionError(f"{self.name}.{error.field}", error.problem, error.remedy)
        if self.default is not None and not self.accepts(self.default):
            yield DefinitionError(f"{self.name}.default", "is refused by its own limits", "correct it or leave it out")
        if self.default is not None and self.required:
            yield DefinitionError(f"{self.name}.default", "can never be used", "make the parameter optional")


def object_schema(parameters: tuple[Parameter, ...]) -> JsonObject:
    """Return the closed object schema of some parameters, in their order."""
    schema: JsonObject = {"type": "object", "properties": {p.name: p.schema() for p in parameters}}
    required = [p.name for p in parameters if p.required]
    return schema | ({"required": required} if required else {}) | {"additionalProperties": False}


def _size(type: ParameterType, value: Any) -> float | None:
    """Return what a type's bounds look at, 0 where it has none; None for a value of another type."""
    return _SIZES[type](value)


def _number(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return value if is_number and math.isfinite(value) else None


def _integer(value: Any) -> float | None:
    # JSON knows one kind of number: 3.0 is the integer 3.
    size = _number(value)
    return size if size is not None and size == int(size) else None


def _moment(value: Any) -> float | None:
    if not isinstance(value, str) or not _RFC_3339.match(value):
        return None
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return None
    return 0


def _of(kind: type, size: Callable[[Any], float]) -> Callable[[Any], float | None]:
    return lambda value: size(value) if isinstance(value, kind) else None


_SIZES: dict[ParameterType, Callable[[Any], float | None]] = {
    ParameterType.STRING: _of(str, len),
    ParameterType.INTEGER: _integer,
    ParameterType.NUMBER: _number,
    ParameterType.BOOLEAN: _of(bool, lambda _: 0),
    ParameterType.ARRAY: _of(list, len),
    ParameterType.OBJECT: _of(dict, lambda _: 0),
    ParameterType.DATETIME: _moment,
}
