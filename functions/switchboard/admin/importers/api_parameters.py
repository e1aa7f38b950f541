"""The parameters of a stranger's operation, each with its place in the request: path, query or header.

What a place cannot carry as the document wants it is left out and said so; where the operation cannot do without it,
that is a problem. Every value is written as a variable of its own, so that it can never become structure.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any
from urllib.parse import quote

from switchboard.admin.importers.api_schemas import ApiSchemas, resolved, with_needed, within
from switchboard.admin.importers.untrusted_text import has_variables, plain
from switchboard.catalog.arguments.arguments import TRUSTED_NAMES
from switchboard.catalog.definitions.variables import VARIABLES
from switchboard.catalog.tenant_tools.config_parameters import LONGEST_WORDS
from switchboard.catalog.tenant_tools.config_request import IN_QUERY
from switchboard.contract.definitions.definition import DefinitionError
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass

_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_LONGEST = 56


class ApiArguments:
    """Gathers the arguments of one operation."""

    def __init__(self, report: list[str]) -> None:
        """Begin with none; what is called otherwise than there goes to `report`."""
        self.params: JsonObject = {}
        self._report = report

    def add(self, name: str, place: str, schema: JsonObject, *, is_required: bool, words: object = "") -> str:
        """Add one argument and return what it is called.

        Args:
            name: What it is called there.
            place: Where it stands there: `path`, `query`, `header` or `body`.
            schema: Sound, and standing by itself.
            is_required: Whether a call without it is refused.
            words: What the document says of it.
        """
        schema = _plainly(schema)
        argument = self._told(name, place)
        if argument != name:
            self._report.append(f"{place}.{name[:60]} is called {argument}")
        only = _only_value(schema)
        if is_required and only and not has_variables(only[0]):
            self.params[argument] = {"mode": "fixed", "value": only[0]}
            self._report.append(f"{place}.{name[:60]} has one possible value, which is fixed")
            return argument
        asked: JsonObject = {"mode": "ai", "required": is_required}
        prompt = plain(words, LONGEST_WORDS)
        if prompt:
            asked["prompt"] = prompt
        # A schema that allows everything says nothing, which would be taken for a text.
        self.params[argument] = asked | {"schema": within(schema or {"type": list(_ANY)}, argument)}
        return argument

    def _told(self, name: str, place: str) -> str:
        base = re.sub(r"[^A-Za-z0-9_.-]+", "_", name).strip("_.-")[:_LONGEST] or place
        if _NAME.fullmatch(name) and name not in TRUSTED_NAMES and name not in VARIABLES:
            base = name
        is_ours = base in TRUSTED_NAMES or base in VARIABLES or base.startswith("secret.")
        if is_ours or base in self.params:
            base = f"{place}_{base}"[:_LONGEST]
        free, number = base, 1
        while free in self.params:
            number += 1
            free = f"{base}_{number}"
        return free


_ANY = ("string", "number", "boolean", "object", "array", "null")


def kind_of(schema: JsonObject) -> str:
    """Return what a schema's values are: `array`, `object` or `scalar`; empty where they may be any."""
    schema = resolved(schema, schema) or {}
    declared = schema.get("type")
    kinds = {kind for kind in (declared if isinstance(declared, list) else [declared]) if kind not in (None, "null")}
    if not kinds and ("enum" in schema or "const" in schema):
        values = [*schema.get("enum", ()), *([schema["const"]] if "const" in schema else ())]
        kinds = {"array" if isinstance(v, list) else "object" if isinstance(v, dict) else "text" for v in values}
    if len(kinds) == 1 and (only := kinds.pop()) in ("array", "object"):
        return str(only)
    return "" if not kinds and not declared else "scalar" if not kinds & {"array", "object"} else ""


def _plainly(schema: JsonObject) -> JsonObject:
    """Return what a schema refers to in its place, unless that refers to itself."""
    meant, definitions = resolved(schema, schema), schema.get("$defs") or {}
    if not isinstance(meant, dict) or meant is schema:
        return schema
    words: JsonObject = {key: schema[key] for key in ("title", "description") if key in schema}
    needed = with_needed({**meant, **words}, definitions)
    is_round = any(definition is meant for definition in needed.get("$defs", {}).values())
    return schema if is_round else needed


def _only_value(schema: JsonObject) -> list[Any]:
    if "const" in schema:
        return [schema["const"]]
    listed = schema.get("enum")
    return listed if isinstance(listed, list) and len(listed) == 1 else []


_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
# OpenAPI 3: "If in is header and the name is Accept, Content-Type or Authorization, the definition shall be ignored."
_IGNORED = ("accept", "content-type", "authorization")
_USUAL_STYLE = {"path": "simple", "query": "form", "header": "simple"}


@dataclass
class Places:
    """Where the values of parameters stand in the request.

    Attributes:
        path: By the placeholder's name, what the argument is called.
        query: Pairs of `key={{argument}}`, encoded.
        headers: By name.
    """

    path: dict[str, str] = field(default_factory=dict)
    query: list[str] = field(default_factory=list)
    headers: JsonObject = field(default_factory=dict)

    def address(self, server: str, path: str, arguments: ApiArguments, report: list[str]) -> str:
        """Return the address as a template; a placeholder that nothing describes becomes an argument of its own."""

        def variable(match: re.Match[str]) -> str:
            name = match[1].strip()
            if name not in self.path:
                report.append(f"path.{name[:60]} is described nowhere and was taken as text")
                schema: JsonObject = {"type": "string", "minLength": 1}
                self.path[name] = arguments.add(name or "path", "path", schema, is_required=True)
            return f"\0{self.path[name]}\1"

        # Braces that are none of ours must not become variables; a NUL cannot stand in an address.
        marked = _PLACEHOLDER.sub(variable, path.replace("\0", "").replace("\1", ""))
        literal = f"{_braceless(server.rstrip('/'))}{_braceless(marked)}"
        text = literal.replace("\0", "{{").replace("\1", "}}")
        joint = "&" if "?" in text else "?"
        return text + (joint + "&".join(self.query) if self.query else "")


@dataclass(frozen=True, slots=True)
class ApiParameter:
    """One parameter as the document has it."""

    name: str
    place: str
    said: Mapping[str, Any]

    @property
    def at(self) -> str:
        """How it is named to owners."""
        return f"{self.place}.{self.name[:60]}"

    @property
    def is_required(self) -> bool:
        """Whether a request needs it; the path always does."""
        return self.place == "path" or self.said.get("required") is True


def parameters_of(item: JsonObject, operation: JsonObject, schemas: ApiSchemas) -> Iterator[ApiParameter]:
    """Yield the parameters of an operation with those of its path; its own win.

    Raises:
        DefinitionError: One of them cannot be read.
    """
    parameters: dict[tuple[str, str], ApiParameter] = {}
    for listed in (item.get("parameters"), operation.get("parameters")):
        for position, row in enumerate(listed if isinstance(listed, list) else ()):
            described = schemas.followed(row, f"parameters[{position}]")
            name, place = (
                (described.get("name"), described.get("in")) if isinstance(described, Mapping) else (None, None)
            )
            if not isinstance(name, str) or not isinstance(place, str) or not name:
                raise DefinitionError(f"parameters[{position}]", "has no name or place", "write name and in")
            parameters[name, place] = ApiParameter(name, place, described)
    yield from parameters.values()


class ParameterReading:
    """Puts the parameters of one operation into their places."""

    def __init__(self, method: str, schemas: ApiSchemas, arguments: ApiArguments, report: list[str]) -> None:
        """Read into `arguments` for a request of `method`; what is left out goes to `report`."""
        self._method, self._schemas, self._arguments, self._report = method, schemas, arguments, report
        self.places = Places()

    def read(self, parameter: ApiParameter) -> None:
        """Put one parameter into its place.

        Raises:
            DefinitionError: The operation needs it, and it cannot be sent.
        """
        if parameter.place == "header" and parameter.name.lower() in _IGNORED:
            self._report.append(f"{parameter.at}: is left out: the request itself says it")
            return
        try:
            self._place(parameter)
        except DefinitionError as error:
            if parameter.is_required:
                raise
            self._report.append(f"{parameter.at} is left out: it {error.problem}")

    def _place(self, parameter: ApiParameter) -> None:
        if parameter.place not in _USUAL_STYLE:
            raise DefinitionError(parameter.at, f"stands in {parameter.place[:40]!r}", "use path, query or header")
        if "content" in parameter.said:
            raise DefinitionError(parameter.at, "is written as a media type of its own", "use schema")
        schema = self._schemas.whole(parameter.said.get("schema"), parameter.at, self._report)
        is_loose = self._is_loose(parameter, schema)
        words = parameter.said.get("description")
        name = self._arguments.add(
            parameter.name, parameter.place, schema, is_required=parameter.is_required, words=words
        )
        if is_loose and name != parameter.name:
            del self._arguments.params[name]
            raise DefinitionError(parameter.at, "is a list under a name that models cannot be told", "rename it")
        if parameter.place == "path":
            self.places.path[parameter.name] = name
        elif parameter.place == "header":
            self.places.headers[parameter.name] = f"{{{{{name}}}}}"
        elif not is_loose:
            self.places.query.append(f"{quote(parameter.name, safe='')}={{{{{name}}}}}")

    def _is_loose(self, parameter: ApiParameter, schema: JsonObject) -> bool:
        """Tell whether a parameter is left to the query as a list, one pair for each of its values.

        Raises:
            DefinitionError: Its values cannot be written as the document wants them.
        """
        usual = _USUAL_STYLE[parameter.place]
        style = parameter.said.get("style", usual)
        kind = kind_of(schema)
        if kind == "object" or (style != usual and (kind != "scalar" or parameter.place == "path")):
            problem = f"is written in a way that is not supported (style {str(style)[:40]}, {kind or 'any value'})"
            raise DefinitionError(parameter.at, problem, "use plain values or lists")
        is_exploded = parameter.said.get("explode", usual == "form") is True
        if kind != "array" or parameter.place != "query" or not is_exploded:
            return False
        if self._method not in IN_QUERY:
            raise DefinitionError(parameter.at, f"is a repeated key in the query of {self._method}", "use a list")
        return True


def _braceless(text: str) -> str:
    return text.replace("{", "%7B").replace("}", "%7D")
