"""Reading the arguments of a call: parsed strictly, coerced where that is safe, checked, and told apart from facts.

One `ArgumentReader` is made per definition. Arguments that need nothing done to them take a few microseconds; whatever
they need done is found out only after the quick look has failed.

Design §5: unknown keys are refused.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date, tzinfo
from itertools import chain
from typing import Any

from switchboard.catalog.arguments.coercion import ArgumentProblem, coerced, names_a_day, read_moment, with_moments
from switchboard.catalog.arguments.correction import correction
from switchboard.catalog.arguments.seen_text import as_seen, is_seen
from switchboard.catalog.schema.schema import check_schema, compile_checked
from switchboard.catalog.schema.sensitivity import holds_secret, shown_to
from switchboard.catalog.schema.types import effective, is_mere_reference, shape_of
from switchboard.contract import policy
from switchboard.contract.error import ErrorType, Refused
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.python.strict_json import Limits, check_value
from switchboard.contract.python.strict_json import MalformedJson as MalformedJson
from switchboard.contract.python.strict_json import parse_json as parse_json
from switchboard.formats.schema.subschema import target

TRUSTED_NAMES = frozenset(
    {"business_id", "businessId", "tenant_id", "tenantId", "session_id", "sessionId", "call_id", "callId"}
    | {"call_sid", "callSid", "channel", "caller_verified", "callerVerified", "caller_id", "callerId"}
)
"""Facts of the call: they come from the credential and the channel, never from the model."""

_LIMITS = Limits(policy.ARGUMENT_DEPTH, policy.ARGUMENT_NODES, policy.ARGUMENT_BYTES)
# The quick look measures nothing: so few and so short values are within every limit.
_FEW = 16
_SHORT = 400
_LARGEST = 2**63
_PYTHON_TYPES: dict[str, frozenset[type]] = {
    "string": frozenset({str}),
    "integer": frozenset({int}),
    "number": frozenset({int, float}),
    "boolean": frozenset({bool}),
    "null": frozenset({type(None)}),
}
_NO_TYPES: frozenset[type] = frozenset()
_NO_DAYS: frozenset[str] = frozenset()

_COMBINING = frozenset({"allOf", "anyOf", "oneOf", "$ref", "if", "dependentSchemas", "not"})


class UnreadDay(Refused):
    """VALIDATION, of a day or a time among others: whoever sent "tomorrow" may not know which day it is."""


@dataclass(frozen=True, slots=True)
class Arguments:
    """A call's arguments, valid.

    Attributes:
        canonical: JSON-safe, coerced, defaults filled in, times as local time with offset: for hashing and storing.
        values: The same with times as aware `datetime` in the business's zone: for the handler.
        ignored: Names that the model has no say in and that were left out.
        days: Names of the times among them, at the top, of which only the date was sent.
        asked_about: What a caller who has to agree is told of them, where a handler gets something else; None for
            `values`.
    """

    canonical: JsonObject
    values: JsonObject
    ignored: tuple[str, ...] = ()
    days: frozenset[str] = frozenset()
    asked_about: JsonObject | None = None

    @property
    def told(self) -> JsonObject:
        """What a caller who has to agree is told of them."""
        return self.values if self.asked_about is None else self.asked_about


class ArgumentReader:
    """Reads the arguments of one tool."""

    def __init__(self, parameters: JsonObject, *, with_time: bool = False, declaring: JsonObject | None = None) -> None:
        """Compile the schema of the arguments.

        Args:
            parameters: The schema.
            declaring: The schema that says which are secret and which stand on one line, where a model is told another;
                secrets are not quoted.
            with_time: Whether a time needs its time of day, as when something is to happen then; otherwise a date alone
                is the beginning of that day.

        Raises:
            DefinitionError: It cannot be used.
        """
        problems = check_schema(parameters)
        if problems:
            raise problems[0]
        self._shape = shape_of(parameters, parameters)
        declaring = declaring or parameters
        self._declared = self._shape if declaring is parameters else shape_of(declaring, declaring)
        self._secretive = declaring if holds_secret(declaring, declaring) else None
        self._compiled = compile_checked(closed(parameters, parameters))
        deepest = self._compiled.deepest
        self._limits = _LIMITS if deepest is None else replace(_LIMITS, depth=min(deepest, _LIMITS.depth))
        self._defaults = dict(self._shape.defaults)
        self._moments = tuple(name for name, inner in self._shape.properties.items() if inner.is_moment)
        self._dates = _names_of_dates(parameters)
        self._with_time = with_time
        self._quick = self._quick_types()
        # Where a default needs care, nothing is quick: not even a call without arguments.
        self._most_quick = _FEW if all(map(self._is_plain_default, self._defaults)) else -1

    def read(self, raw: JsonObject | str | None, zone: tzinfo) -> Arguments:
        """Return the arguments ready for use.

        Args:
            raw: What the model sent: an object, or its JSON text; nothing at all means no arguments.
            zone: The business's, in which times without offset are meant.

        Raises:
            Refused: VALIDATION; the message names every argument that is wrong and says what would be right. It is an
                `UnreadDay` where a day or a time is among them.
        """
        if not isinstance(raw, dict):
            try:
                raw = _parsed(raw, self._limits)
            except MalformedJson as error:
                raise _unreadable(error) from None
        if self._looks_simple(raw):
            canonical = self._defaults | raw
            try:
                values = self._timed(canonical, zone)
            except ValueError:
                return self._read_fully(raw, zone)
            if self._compiled.is_valid(canonical):
                return Arguments(canonical, values, days=self._days(raw))
        return self._read_fully(raw, zone)

    def _quick_types(self) -> dict[str, frozenset[type]]:
        """Return by name the Python types that need no coercion."""
        return {
            name: frozenset(chain.from_iterable(_PYTHON_TYPES[kind] for kind in inner.types))
            for name, inner in self._shape.properties.items()
            if inner.is_scalar and inner.types <= _PYTHON_TYPES.keys()
        }

    def _is_plain_default(self, name: str) -> bool:
        return not self._shape.properties[name].is_moment and not isinstance(self._defaults[name], dict | list)

    def _looks_simple(self, raw: JsonObject) -> bool:
        if len(raw) > self._most_quick:
            return False
        quick = self._quick
        for name, value in raw.items():
            kind = type(value)
            if kind not in quick.get(name, _NO_TYPES):
                return False
            if kind is str:
                if len(value) > _SHORT or not is_seen(value):
                    return False
            elif kind is int and not -_LARGEST < value < _LARGEST:
                return False
        return True

    def _timed(self, canonical: JsonObject, zone: tzinfo) -> JsonObject:
        """Bring the times in `canonical` into their one spelling and return the same arguments with `datetime`s."""
        values = canonical.copy()
        for name in self._moments:
            if isinstance(canonical.get(name), str):
                values[name] = moment = read_moment(canonical[name], zone, with_time=self._with_time)
                canonical[name] = moment.isoformat()
        return values

    def _read_fully(self, raw: JsonObject, zone: tzinfo) -> Arguments:
        try:
            sent = _parsed(raw, self._limits)
        except MalformedJson as error:
            raise _unreadable(error) from None
        ignored = tuple(sorted(n for n in sent if n in TRUSTED_NAMES and n not in self._shape.properties))
        problems: list[ArgumentProblem] = []
        own = as_seen({name: value for name, value in sent.items() if name not in ignored}, self._shape, self._declared)
        canonical: JsonObject = coerced(own, self._shape, zone, problems, with_time=self._with_time)
        if problems or not self._compiled.is_valid(canonical):
            secretive = self._secretive
            shown = shown_to(canonical, secretive, may_see_personal=True).value if secretive is not None else None
            message = correction(self._compiled.errors(canonical), problems, self._shape, shown)
            # Of the problems found so far, those that quote what was sent are about times.
            is_day_unread = any(problem.sent is not None for problem in problems) or self._has_unread_date(canonical)
            raise (UnreadDay if is_day_unread else Refused)(ErrorType.VALIDATION, message)
        return Arguments(canonical, with_moments(canonical, self._shape, zone), ignored, self._days(own))

    def _has_unread_date(self, sent: JsonObject) -> bool:
        return any(isinstance(text := sent.get(name), str) and not _is_date(text) for name in self._dates)

    def _days(self, sent: JsonObject) -> frozenset[str]:
        if not self._moments:
            return _NO_DAYS
        return frozenset(n for n in self._moments if isinstance(text := sent.get(n), str) and names_a_day(text))


def _names_of_dates(parameters: JsonObject) -> tuple[str, ...]:
    properties = parameters.get("properties")
    named = properties.items() if isinstance(properties, Mapping) else ()
    return tuple(name for name, inner in named if isinstance(inner, Mapping) and inner.get("format") == "date")


def _is_date(text: str) -> bool:
    try:
        return bool(date.fromisoformat(text))
    except ValueError:
        return False


def _unreadable(error: MalformedJson) -> Refused:
    return Refused(ErrorType.VALIDATION, f"The arguments cannot be read: what was sent {error}.")


def _parsed(raw: Any, limits: Limits) -> JsonObject:
    """Return what the model sent as an object within the limits."""
    if raw is None:
        return {}
    if isinstance(raw, str):
        raw = parse_json(raw, limits) if raw.strip() else {}
        if isinstance(raw, str) and raw.lstrip()[:1] == "{":
            # Text in text, as models send it that have escaped their JSON once too often.
            raw = parse_json(raw, limits)
        raw = {} if raw is None else raw
    else:
        check_value(raw, limits)
    if not isinstance(raw, dict):
        raise MalformedJson("must be an object that holds the arguments by name")
    return raw


def closed(schema: Any, root: JsonObject) -> Any:
    """Return a schema in which silence about further properties means that there are none.

    An object that names no properties at all is a free map and stays one, except at the top, where it means that the
    tool takes no arguments. What is referred to is closed in a copy of its own: it may also be a part of something.
    """
    if not isinstance(schema, Mapping):
        return schema
    closing = _Closing(root)
    closed_schema = closing.inside(effective(schema, root), at_top=True)
    copies = closing.copies()
    return closed_schema | {"$defs": closed_schema.get("$defs", {}) | copies} if copies else closed_schema


class _Closing:
    """Closes one document's schemas; references lead to closed copies, each made once, also where they go round."""

    def __init__(self, root: JsonObject) -> None:
        self._root = root
        self._names: dict[str, str] = {}

    def copies(self) -> JsonObject:
        """Return the closed copies by the names under which they are referred to."""
        copies: JsonObject = {}
        while len(copies) < len(self._names):
            for reference, name in list(self._names.items())[len(copies) :]:
                copies[name] = self.node(target(self._root, reference))
        return copies

    def node(self, schema: Any) -> Any:
        """Return one schema closed."""
        if not isinstance(schema, Mapping):
            return schema
        if is_mere_reference(schema):
            return dict(schema) | {"$ref": f"#/$defs/{self._name(schema['$ref'])}"}
        return self.inside(dict(schema))

    def inside(self, schema: JsonObject, *, at_top: bool = False) -> JsonObject:
        """Close a schema that is more than a reference."""
        for keyword in ("items", "additionalProperties"):
            if isinstance(schema.get(keyword), Mapping):
                schema[keyword] = self.node(schema[keyword])
        if isinstance(schema.get("prefixItems"), list):
            schema["prefixItems"] = [self.node(inner) for inner in schema["prefixItems"]]
        if "properties" not in schema:
            # Beside `properties`, a branch usually names only a part of the keys.
            for keyword in ("anyOf", "oneOf"):
                if isinstance(schema.get(keyword), list):
                    schema[keyword] = [self.node(branch) for branch in schema[keyword]]
        else:
            schema["properties"] = {name: self.node(inner) for name, inner in schema["properties"].items()}
        is_silent = not schema.keys() & {"additionalProperties", "unevaluatedProperties"}
        if is_silent and (at_top or "properties" in schema):
            schema["unevaluatedProperties" if schema.keys() & _COMBINING else "additionalProperties"] = False
        return schema

    def _name(self, reference: str) -> str:
        taken = self._root.get("$defs", {})
        if reference not in self._names:
            number = len(self._names)
            while f"closed-{number}" in taken:
                number += len(taken) + 1
            self._names[reference] = f"closed-{number}"
        return self._names[reference]
