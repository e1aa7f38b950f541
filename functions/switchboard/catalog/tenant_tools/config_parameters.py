"""The parameters of a tenant tool: fixed by its owner, filled by the model, or a list that the model may add to.

Seed 002 ("Parameter Modes"). Only the last two are ever shown to a model, and of a list only what it may add.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any, TypeAlias

from switchboard.catalog.arguments.arguments import TRUSTED_NAMES
from switchboard.catalog.definitions import variables
from switchboard.catalog.definitions.variables import ABSENT, VARIABLES, names_in, problems
from switchboard.catalog.schema.sensitivity import PERSONAL, SECRET
from switchboard.catalog.schema.types import kind_of
from switchboard.contract.definitions.definition import DefinitionError
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import RESERVED_NAME

MODES = ("fixed", "ai", "array_extendable")
MOST_FIXED = 50
"""How many values an owner may fix in one list."""
MOST_ADDED = 10
"""How many values a model may add to a list, unless the owner's schema says fewer."""
_MOST_PARAMETERS = 50
_SHOWN_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")  # what every model vendor takes
_HIDDEN_NAME = re.compile(r"[^{}\x00-\x1f\x7f]{1,128}")
_OWN = frozenset(
    {"mode", "prompt", "schema", "required", "min", "max", "label", "value", "fixedValues", "aiExtension", "enabled"}
)
_BOUNDS = {"string": "Length", "array": "Items", "object": "Properties"}

LONGEST_WORDS = 1_024
"""Characters of a description: what the vendors of models take."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """A parameter whose value is the owner's in every call; variables in it are filled."""

    value: Any


@dataclass(frozen=True, slots=True)
class ModelParameter:
    """A parameter that the model fills.

    Attributes:
        schema: What the model sees, its prompt as description.
        is_required: Whether a call without it is refused.
        default: What stands in for a missing one (may hold variables, and is then not shown), or ABSENT.
    """

    schema: JsonObject
    is_required: bool = True
    default: Any = ABSENT


@dataclass(frozen=True, slots=True)
class Extendable:
    """A list that starts with the owner's values; the model may add to it where there is an `extension`."""

    base: tuple[Any, ...]
    extension: ModelParameter | None = None


Parameter: TypeAlias = Fixed | ModelParameter | Extendable


def read_parameters(reading: ConfigReader) -> dict[str, Parameter]:
    """Return the parameters by name, in the owner's order; those that cannot be used are left out."""
    if len(reading.part) > _MOST_PARAMETERS:
        reading.add("", f"has {len(reading.part)} parameters", f"use at most {_MOST_PARAMETERS}")
        return {}
    parameters = {}
    for name in reading.part:
        parameter = read_parameter(name, reading.inside(name))
        if parameter is not None:
            parameters[name] = parameter
    return parameters


def read_parameter(name: str, reading: ConfigReader, unsaid: JsonObject | None = None) -> Parameter | None:
    """Return one parameter, or None where it cannot be used.

    Args:
        name: Its name.
        reading: The mode object.
        unsaid: The schema of what the model fills where the owner gives none; text by default.
    """
    parameter = _of_mode(reading, unsaid or {"type": "string"})
    is_shown = isinstance(parameter, ModelParameter) or (
        isinstance(parameter, Extendable) and parameter.extension is not None
    )
    if name in VARIABLES or name.startswith("secret."):
        reading.add("", "has the name of a variable", "choose another name")
    elif is_shown and name in TRUSTED_NAMES:
        reading.add("", "is a fact of the call, which no model gives", "choose another name, or fix its value")
    elif RESERVED_NAME.fullmatch(name):
        reading.add("", "is between double underscores, as no stored name may be", "choose another name")
    elif is_shown and not _SHOWN_NAME.fullmatch(name):
        reading.add("", "is no name that models understand", f"use {_SHOWN_NAME.pattern}")
    elif not _HIDDEN_NAME.fullmatch(name):
        reading.add("", "is no name for a parameter", "use 1 to 128 characters without { and }")
    return parameter


def shown_schema(parameter: Parameter) -> JsonObject | None:
    """Return what the model sees of a parameter, or None where it sees nothing."""
    match parameter:
        case ModelParameter(schema):
            return schema
        case Extendable(_, ModelParameter(schema)):
            return schema
    return None


def is_required(parameter: Parameter) -> bool:
    """Tell whether the model must give it."""
    asked = parameter.extension if isinstance(parameter, Extendable) else parameter
    return isinstance(asked, ModelParameter) and asked.is_required


def always_has_value(parameter: Parameter) -> bool:
    """Tell whether there is a value in every call."""
    return not isinstance(parameter, ModelParameter) or parameter.is_required or parameter.default is not ABSENT


def _of_mode(reading: ConfigReader, unsaid: JsonObject) -> Parameter | None:
    match reading.part.get("mode"):
        case "fixed":
            if "value" not in reading.part:
                reading.add("value", "is missing", "write the value that every call uses")
                return None
            value = reading.part["value"]
            reading.found += problems(value, reading.place("value"))
            return Fixed(value)
        case "ai":
            return _asked(reading, unsaid)
        case "array_extendable":
            return _extendable(reading)
        case mode:
            if reading.part or reading.at:
                problem = "is missing" if mode is None else f"{mode!r} is not a mode"
                reading.add("mode", problem, f"use one of {', '.join(MODES)}")
            return None


def _asked(reading: ConfigReader, unsaid: JsonObject) -> ModelParameter:
    schema = _schema(reading, unsaid)
    prompt = reading.template("prompt") or reading.template("description")
    if prompt:
        schema["description"] = prompt
    elif isinstance(schema.get("description"), str):
        place = reading.place("schema.description")
        reading.found += problems(schema["description"], place)
    default = schema.get("default", ABSENT)
    if names_in(default):
        reading.found += problems(default, reading.place("default"))
        del schema["default"]
    required = reading.part.get("required")
    return ModelParameter(schema, required if isinstance(required, bool) else default is ABSENT, default)


def _schema(reading: ConfigReader, unsaid: JsonObject) -> JsonObject:
    """Return the JSON Schema of what the model fills: under `schema`, or written beside the mode."""
    written = {key: value for key, value in reading.part.items() if key not in _OWN}
    given = reading.part.get("schema")
    if given is not None:
        written |= reading.inside("schema").part
    required = reading.part.get("required")
    if isinstance(required, list):
        written.setdefault("required", required)
    elif required is not None and not isinstance(required, bool):
        reading.add("required", f"expected true or false, found {type(required).__name__}", "write true or false")
    if not written.keys() & {"type", "enum", "const", "anyOf", "oneOf", "allOf", "$ref"}:
        written = unsaid | written
    for key in [key for key in (SECRET, PERSONAL) if not isinstance(written.get(key, False), bool)]:
        reading.add(key, "is neither true nor false", "write true or false")
        del written[key]
    for key in [key for key in written if key.startswith("x-") and key not in (SECRET, PERSONAL)]:
        reading.add(key[:60], "has no effect here", "fix the value with a variable, such as {{caller_phone_number}}")
        del written[key]
    schema: JsonObject = _spelled(written)
    for word in ("min", "max"):
        if word in reading.part:
            kind = schema.get("type")
            schema[f"{word}{_BOUNDS.get(kind, 'imum') if isinstance(kind, str) else 'imum'}"] = reading.part[word]
    return schema


def _spelled(schema: Any) -> Any:
    """Return a schema with the type `datetime` of seed 001 in JSON Schema's words, inner schemas included."""
    if not isinstance(schema, Mapping):
        return schema
    spelled = dict(schema)
    if spelled.get("type") == "datetime":
        spelled |= {"type": "string", "format": "date-time"}
    if "items" in spelled:
        spelled["items"] = _spelled(spelled["items"])
    if isinstance(spelled.get("properties"), Mapping):
        spelled["properties"] = {name: _spelled(inner) for name, inner in spelled["properties"].items()}
    return spelled


def _extendable(reading: ConfigReader) -> Extendable | None:
    base = reading.part.get("fixedValues", [])
    if not isinstance(base, list):
        reading.add("fixedValues", f"expected a list, found {type(base).__name__}", 'write ["+12015550123"]')
        return None
    if len(base) > MOST_FIXED:
        reading.add("fixedValues", f"has {len(base)} values", f"use at most {MOST_FIXED}")
    reading.found += problems(base, reading.place("fixedValues"))
    inside = reading.inside("aiExtension")
    is_enabled = inside.flag("enabled", default="aiExtension" in reading.part)
    if not is_enabled:
        if not base:
            reading.add("fixedValues", "is empty and nothing may be added", "write a value, or enable aiExtension")
        return Extendable(tuple(base))
    schema = _schema(inside, {})
    if schema.get("type") != "array":
        items = {key: value for key, value in schema.items() if key != "description"}
        schema = {"type": "array", "items": items or _like(base)}
    else:
        schema.setdefault("items", _like(base))
    most = schema.get("maxItems")
    schema["maxItems"] = min(most, MOST_ADDED) if type(most) is int else MOST_ADDED
    required = inside.flag("required", default=False)
    if required:
        schema.setdefault("minItems", 1)
    prompt = inside.template("prompt", longest=LONGEST_WORDS) or inside.template("description")
    if prompt:
        schema["description"] = prompt
    return Extendable(tuple(base), ModelParameter(schema, required))


def _like(base: list[Any]) -> JsonObject:
    """Return a schema for further values like the owner's."""
    kinds = {kind_of(value) for value in base}
    if kinds == {"integer", "number"}:
        return {"type": "number"}
    return {"type": kinds.pop()} if len(kinds) == 1 else {"type": "string"}


class DefinitionErrors(DefinitionError):
    """A configuration cannot be used; `errors` holds everything that is wrong with it, and its own parts the first."""

    def __init__(self, errors: Iterable[DefinitionError]) -> None:
        """Keep all of them, at least one, each problem of a field once."""
        self.errors = tuple({(error.field, error.problem): error for error in errors}.values())
        first = self.errors[0]
        super().__init__(first.field, first.problem, first.remedy)

    def __str__(self) -> str:
        """Return all of them in one line."""
        return "; ".join(f"{error.field}: {error.problem}; {error.remedy}" for error in self.errors)


class ConfigReader:
    """One object of a configuration. What cannot be used is noted in `found`, and a harmless value given instead."""

    def __init__(self, part: Any, at: str, problems: list[DefinitionError]) -> None:
        """Read `part`, which stands at `at` (empty at the top); problems go to `problems`."""
        self.at = at
        self.found = problems
        self.part: JsonObject = dict(part) if isinstance(part, Mapping) else {}
        if not isinstance(part, Mapping):
            self.add("", f"expected an object, found {type(part).__name__}", "write a JSON object")

    def place(self, key: str) -> str:
        """Return where a field stands."""
        return f"{self.at}.{key}" if self.at and key else self.at or key or "/"

    def add(self, key: str, problem: str, remedy: str) -> None:
        """Note that a field cannot be used."""
        self.found.append(DefinitionError(self.place(key), problem, remedy))

    def inside(self, key: str) -> ConfigReader:
        """Return the reading of an object inside; a missing one is empty."""
        return ConfigReader(self.part.get(key, {}), self.place(key), self.found)

    def needed(self, key: str, remedy: str, longest: int = 200) -> str:
        """Return a text that must be there and not be blank."""
        text, given = self.text(key, longest), self.part.get(key)
        # Whatever else keeps it from being used, `text` has said.
        if given is None or (isinstance(given, str) and not given.strip()):
            self.add(key, "is missing", remedy)
        return text

    def text(self, key: str, longest: int = 200) -> str:
        """Return a text without the blanks around it; empty where it is missing."""
        value = self.part.get(key)
        if value is None:
            return ""
        if not isinstance(value, str):
            self.add(key, f"expected text, found {type(value).__name__}", "write it as a string")
            return ""
        if len(value) > longest:
            self.add(key, f"has {len(value)} characters", f"use at most {longest}")
            return ""
        return value.strip()

    def template(self, key: str, parameters: Iterable[str] = (), longest: int = LONGEST_WORDS) -> str:
        """Return a text in which the two variables may stand, and these parameters."""
        text = self.text(key, longest)
        self.found += variables.problems(text, self.place(key), tuple(parameters))
        return text

    def flag(self, key: str, default: bool) -> bool:
        """Return true or false."""
        value = self.part.get(key)
        if value is None:
            return default
        if not isinstance(value, bool):
            self.add(key, f"expected true or false, found {type(value).__name__}", "write true or false")
            return default
        return value

    def only(self, *keys: str) -> None:
        """Note every field that is none of these, so that a misspelled one is not passed over."""
        for key in self.part.keys() - set(keys):
            close = get_close_matches(key, keys, n=1)
            meant = f"did you mean {close[0]}?" if close else f"the known ones are {', '.join(keys)}"
            self.add(key[:60], "is not known here", meant)
