"""A stranger's OpenAPI document (3.0, 3.1): what it is called, where it is served, and its operations one by one.

Nothing is fetched and nothing is created: an operation comes back as the `ToolConfig` that would be made of it, with
what a model would be asked for, what was changed on the way, and what keeps it from being imported.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import field
from typing import Any

from switchboard.admin.importers.api_body import body_of
from switchboard.admin.importers.api_parameters import ApiArguments, ParameterReading, parameters_of
from switchboard.admin.importers.api_schemas import ApiSchemas, Budget
from switchboard.admin.importers.api_security import keys_of
from switchboard.admin.importers.document_text import LIMITS, read_document
from switchboard.admin.importers.untrusted_text import plain
from switchboard.catalog.tenant_tools.config import DefinitionErrors, build, read_config, snake_case
from switchboard.catalog.tenant_tools.config_mcp import is_storable
from switchboard.catalog.tenant_tools.config_parameters import LONGEST_WORDS
from switchboard.catalog.tenant_tools.config_request import METHODS
from switchboard.contract.definitions.definition import DefinitionError
from switchboard.contract.definitions.tenant_tool import Template
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.python.strict_json import MalformedJson, check_value

MOST_OPERATIONS = 1_000
_LABEL = 80
_VERSION = re.compile(r"3\.[01](\.\d+)?(-.*)?")
_VARIABLE = re.compile(r"\{([^{}]*)\}")
_OTHER_METHODS = ("head", "options", "trace")
_MOST_REPORTED = 40
_STORED = 18  # Firestore keeps 20 levels, of which the document itself takes two


@dataclass(frozen=True, slots=True)
class ApiOperation:
    """One operation of a document.

    Attributes:
        id: Its `operationId`, or method and path where it has none that is its own; unique in the document.
        method: In capitals.
        path: As it is written there.
        summary: In the document's words.
        server: Where it is served; empty where it cannot be imported.
        config: The `ToolConfig` that it becomes; empty where it cannot be imported.
        asked: The parameters that a model would see; None where it cannot be imported.
        secrets: What its owner has to enter, by the secret's name.
        report: What was changed or left out, one sentence each.
        problems: Why it cannot be imported; empty where it can.
    """

    id: str
    method: str
    path: str
    summary: str
    server: str = ""
    config: JsonObject = field(default_factory=dict)
    asked: JsonObject | None = None
    secrets: Mapping[str, str] = field(default_factory=dict)
    report: tuple[str, ...] = ()
    problems: tuple[DefinitionError, ...] = ()

    @property
    def key(self) -> str:
        """Method and path, which name it too."""
        return f"{self.method} {self.path}"

    def to_json(self) -> JsonObject:
        """Return it as the owners' API lists it."""
        return {
            "id": self.id,
            "method": self.method,
            "path": self.path,
            "summary": self.summary,
            "name": self.config.get("name"),
            "asked": self.asked,
            "secrets": dict(self.secrets),
            "report": list(self.report),
            "problems": [f"{p.field} {p.problem}; {p.remedy}." for p in self.problems],
        }


@dataclass(frozen=True, slots=True)
class ApiDocument:
    """A document that was read: its title and servers, every operation in it, and what in it is none."""

    title: str
    version: str
    servers: tuple[str, ...]
    operations: tuple[ApiOperation, ...]
    report: tuple[str, ...] = ()


def read_api(given: Any, chosen: Collection[str] | None = None, server: str = "") -> ApiDocument:
    """Return what a document holds.

    Args:
        given: Its JSON or YAML text, or its JSON value.
        chosen: Ids (or methods and paths) of the operations that are looked at; all where nobody says.
        server: Where the API is served, if its owner chooses that.

    Raises:
        DefinitionError: It is no document that can be read; the field is `document`.
    """
    document = _value(given)
    version = str(document.get("openapi") or "")
    if not _VERSION.fullmatch(version):
        sentence = "OpenAPI 2 (Swagger)" if "swagger" in document else f"version {version[:20]!r}"
        problem = f"is {sentence}" if version or "swagger" in document else "does not say which OpenAPI it is"
        raise DefinitionError("document", problem, "use OpenAPI 3.0 or 3.1, with openapi: 3.1.0 at the top")
    schemas, report = ApiSchemas(document, Budget()), list[str]()
    entries = list(_operations(document, schemas, report))
    if not entries:
        report.append("The document has no operation below its paths, so that there is nothing to make a tool of.")
    if len(entries) > MOST_OPERATIONS:
        problem = f"has {len(entries)} operations"
        raise DefinitionError("document", problem, f"cut it to the ones you need, at most {MOST_OPERATIONS}")
    ids = [_own_id(operation) for _, _, _, operation in entries]
    operations = []
    for (path, method, item, operation), own in zip(entries, ids, strict=True):
        key = f"{method} {path}"
        id = own if own and ids.count(own) == 1 else key
        if chosen is None or id in chosen or key in chosen:
            operations.append(_OperationReader(document, schemas, server).operation(id, method, path, item, operation))
    info = document.get("info") if isinstance(document.get("info"), Mapping) else {}
    return ApiDocument(
        title=plain(info.get("title"), _LABEL) if info else "",
        version=version,
        servers=tuple(dict.fromkeys(_servers(document))),
        operations=tuple(operations),
        report=tuple(report[:_MOST_REPORTED]),
    )


def _value(given: Any) -> JsonObject:
    try:
        if isinstance(given, str):
            given = read_document(given)
        else:
            check_value(given, LIMITS)
    except MalformedJson as error:
        raise DefinitionError("document", str(error), "send the OpenAPI document as JSON or YAML text") from None
    if not isinstance(given, dict):
        raise DefinitionError("document", "is no object", "send the OpenAPI document as JSON or YAML text")
    return dict(given)


def _operations(
    document: JsonObject, schemas: ApiSchemas, report: list[str]
) -> Iterator[tuple[str, str, JsonObject, JsonObject]]:
    """Yield path, method, what is said of the path, and what is said of the operation."""
    paths = document.get("paths")
    for path, written in paths.items() if isinstance(paths, Mapping) else ():
        try:
            item = schemas.followed(written, f"paths.{path[:100]}")
        except DefinitionError as error:
            report.append(f"{error.field} {error.problem}; {error.remedy}.")
            continue
        if not isinstance(item, dict):
            report.append(f"paths.{path[:100]} is no object and was passed over.")
            continue
        for method in (*METHODS, *map(str.upper, _OTHER_METHODS)):
            operation = item.get(method.lower())
            if isinstance(operation, dict):
                yield path, method, item, operation
            elif operation is not None:
                report.append(f"{method} {path[:100]} is no object and was passed over.")
    if document.get("webhooks"):
        report.append("webhooks are calls that the API makes itself; they are no tools.")


def _own_id(operation: JsonObject) -> str:
    own = operation.get("operationId")
    return own if isinstance(own, str) and 0 < len(own) <= 200 and own.isprintable() else ""


def _servers(*said: JsonObject) -> Iterator[str]:
    """Yield the addresses that the first part which names any says, their variables filled with the defaults."""
    listed: list[Any] = next(
        (part["servers"] for part in said if isinstance(part.get("servers"), list) and part["servers"]), []
    )
    for row in listed[:_MOST_REPORTED]:
        url = row.get("url") if isinstance(row, Mapping) else None
        if not isinstance(url, str):
            continue
        variables = row.get("variables") if isinstance(row.get("variables"), Mapping) else {}
        for name in dict.fromkeys(_VARIABLE.findall(url)):
            variable = variables.get(name)
            default = variable.get("default") if isinstance(variable, Mapping) else None
            if isinstance(default, str | int):
                url = url.replace(f"{{{name}}}", str(default))
        yield url[:500]


class _OperationReader:
    """Reads one operation."""

    def __init__(self, document: JsonObject, schemas: ApiSchemas, server: str) -> None:
        self._document, self._schemas, self._server = document, schemas, server
        self._report: list[str] = []
        self._used = ""

    def operation(self, id: str, method: str, path: str, item: JsonObject, described: JsonObject) -> ApiOperation:
        """Return an operation as it would be imported, or why it cannot be."""
        summary = plain(described.get("summary") or described.get("description") or "", 200)
        config: JsonObject = {}
        secrets: Mapping[str, str] = {}
        asked = None
        problems: tuple[DefinitionError, ...] = ()
        try:
            config, secrets = self._config(id, method, path, item, described)
            asked = build(read_config(config))[0]["parameters"]
            if not is_storable(config, _STORED):
                raise DefinitionError("schema", "is nested too deeply, or holds a list in a list", "write it plainer")
        except DefinitionErrors as errors:
            problems = errors.errors
        except DefinitionError as error:
            problems = (error,)
        report = list(dict.fromkeys(self._report))
        if len(report) > _MOST_REPORTED:
            report = [*report[:_MOST_REPORTED], f"and {len(report) - _MOST_REPORTED} more of the kind"]
        shown = (self._used, config, asked, secrets) if not problems else ("", {}, None, {})
        return ApiOperation(id, method, path, summary, *shown, tuple(report), problems)

    def _config(
        self, id: str, method: str, path: str, item: JsonObject, described: JsonObject
    ) -> tuple[JsonObject, Mapping[str, str]]:
        if method not in METHODS:
            raise DefinitionError("method", f"{method} has no answer that a model could use", "leave it out")
        server = self._used = self._chosen_server(item, described).rstrip("/")
        keys = keys_of(self._document, described, server, self._schemas, self._report)
        arguments = ApiArguments(self._report)
        reading = ParameterReading(method, self._schemas, arguments, self._report)
        held = {name.lower() for name in keys.headers}
        for parameter in parameters_of(item, described, self._schemas):
            if parameter.place == "header" and parameter.name.lower() in held:
                self._report.append(f"{parameter.at} is left out: the key stands there")
            else:
                reading.read(parameter)
        url = reading.places.address(server, path, arguments, self._report)
        request: JsonObject = {"method": method, "url": url}
        body = None
        if method == "GET":
            if described.get("requestBody") is not None:
                self._report.append("requestBody was left out: GET has none")
        else:
            body = body_of(described, self._schemas, arguments, self._report)
        headers = reading.places.headers | (body.headers if body else {}) | dict(keys.headers)
        if headers:
            request["headers"] = headers
        if body is not None and body.template is not None:
            request["body"] = body.template
        if described.get("deprecated") is True:
            self._report.append("the document calls this operation deprecated")
        return self._words(id, method, path, described) | {"params": arguments.params, "request": request}, keys.secrets

    def _words(self, id: str, method: str, path: str, described: JsonObject) -> JsonObject:
        label = plain(described.get("summary") or id, _LABEL) or f"{method} {path}"[:_LABEL]
        texts = [plain(described.get(key), LONGEST_WORDS) for key in ("summary", "description")]
        summary, description = texts
        words = description if description.startswith(summary) else f"{summary.rstrip('.')}. {description}"
        return {
            "type": Template.API_REQUEST.value,
            "name": snake_case(_apart(id)) or "operation",
            "label": label,
            "description": plain(words, LONGEST_WORDS) or label,
        }

    def _chosen_server(self, item: JsonObject, described: JsonObject) -> str:
        if self._server:
            return self._server
        listed = list(dict.fromkeys(_servers(described, item, self._document)))
        usable = [url for url in listed if url.lower().startswith("https://") and not _VARIABLE.search(url)]
        if not usable:
            sentence = ", ".join(listed)[:100] or "none"
            problem = f"names no address that can be used ({sentence})"
            raise DefinitionError("servers", problem, "say where the API is, as server: https://…")
        if len(listed) > 1:
            self._report.append(f"servers: of {len(listed)} {usable[0]} is used; another can be said as server")
        return usable[0]


def _apart(id: str) -> str:
    """Return an id with its words apart: `getCustomerById` is one name to a program, and four words to a model."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", id)
