"""From what a connected server says of a tool to the tenant tool that an owner may take over: repaired, cleaned, named.

Nothing a server says grants anything: its words are made plain, its keywords for us are taken out, its hints only ever
make a tool a look-up, and its names stand behind the server's own.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

import orjson

from switchboard.admin.importers.untrusted_text import order_in, plain
from switchboard.catalog.schema.repair.repair import repair
from switchboard.catalog.tenant_tools.config import DefinitionErrors, ToolConfig, read_config, snake_case
from switchboard.catalog.tenant_tools.config_mcp import HINTS, LONGEST_REMOTE_NAME, McpSettings, is_storable
from switchboard.catalog.tenant_tools.config_parameters import LONGEST_WORDS
from switchboard.contract.definitions.definition import DefinitionError
from switchboard.contract.definitions.remote_tools import RemoteTool
from switchboard.contract.definitions.tenant_tool import Template
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.formats.schema.subschema import ALONE, IN_LISTS, IN_MAPS, children

LONGEST_NAME = 40
_LABEL_CHARACTERS = 80
_WORDS_CHARACTERS = 500
_OUTPUT_BYTES = 16_384
_DIGITS = 6
_EVERYWHERE = frozenset({"www", "mcp", "api"})


@dataclass(frozen=True, slots=True)
class Adoption:
    """One tool of a server as it would be taken over.

    Attributes:
        tool: Its name there.
        id: Of the tenant tool's document: the same whenever the same tool of the same server is read.
        config: The owner's `ToolConfig` of it.
        report: What was changed in what the server said, one sentence each.
        problems: Why it cannot be taken over; empty where it can.
        read: The configuration as it was understood; None where it cannot be.
    """

    tool: str
    id: str
    config: JsonObject
    report: tuple[str, ...]
    problems: tuple[DefinitionError, ...] = ()
    read: ToolConfig | None = None

    @property
    def digest(self) -> str:
        """The same for as long as the server says the same of it."""
        return digest_of(self.config["offered"])

    @property
    def is_reading(self) -> bool:
        """Whether its server says that it changes nothing."""
        settings = self.read.settings if self.read is not None else None
        return isinstance(settings, McpSettings) and settings.is_reading


def adopt(server: JsonObject, remote: RemoteTool, fixed: Mapping[str, Any] | None = None) -> Adoption:
    """Return how a tool would be taken over.

    Args:
        server: `{name?, url, headers?}`, as its owner entered it.
        remote: What the server says of the tool.
        fixed: Arguments that the owner fixes, as `params` of a `ToolConfig`.
    """
    report: list[str] = []
    problems: list[DefinitionError] = []
    schema: JsonObject = {"type": "object", "properties": {}}
    if remote.input_schema in (None, {}):
        report.append("inputSchema: was missing; the tool takes no arguments")
    else:
        schema = _repaired(remote.input_schema, "inputSchema", report, problems)
    label = plain(remote.title or remote.name, _LABEL_CHARACTERS) or "Tool"
    report += _orders([("name", remote.name), ("title", remote.title), ("description", remote.description)])
    report += _orders(_words(schema, "inputSchema"))
    config: JsonObject = {
        "type": Template.MCP_TOOL.value,
        "name": namespaced(server_name(server), remote.name),
        "label": label,
        "description": plain(remote.description, LONGEST_WORDS) or label,
        "server": server,
        "tool": remote.name,
        "inputSchema": schema,
        "annotations": {name: remote.annotations[name] for name in HINTS if type(remote.annotations.get(name)) is bool},
        "offered": _offered(remote),
    }
    output = _output(remote.output_schema, report)
    if output is not None:
        config["outputSchema"] = output
    if fixed:
        config["params"] = dict(fixed)
    if remote.needs_tasks:
        problem = "says that the tool runs as a task only (taskSupport is required), and a caller cannot wait for one"
        problems.append(DefinitionError("execution", problem, "leave the tool out"))
    if not 0 < len(remote.name) <= LONGEST_REMOTE_NAME or not remote.name.isprintable():
        problem = f"is no name of 1 to {LONGEST_REMOTE_NAME} visible characters"
        problems.append(DefinitionError("tool", problem, "leave the tool out"))
    read: ToolConfig | None = None
    if not problems:
        try:
            read = read_config(config)
        except DefinitionErrors as errors:
            problems += errors.errors
    id = tool_id(str(server.get("url")), remote.name)
    return Adoption(remote.name, id, config, tuple(report), tuple(problems), read)


def _orders(words: Iterable[tuple[str, object]]) -> list[str]:
    orders = ((at, order_in(text)) for at, text in words)
    return [
        f"{at[:100]}: reads like an order to the model ({order!r}); look at it first" for at, order in orders if order
    ]


def _words(schema: Any, at: str) -> Iterator[tuple[str, str]]:
    """Yield what a schema says to readers, by its place: names, titles, descriptions, values."""
    if isinstance(schema, Mapping):
        for key, value in schema.items():
            yield f"{at}.{key} (name)", str(key)
            yield from _words(value, f"{at}.{key}")
    elif isinstance(schema, list):
        for number, value in enumerate(schema):
            yield from _words(value, f"{at}.{number}")
    elif isinstance(schema, str):
        yield at, schema


def server_name(server: Mapping[str, Any]) -> str:
    """Return what stands before the names of a server's tools: as its owner says, or the telling part of its host."""
    given = server.get("name")
    if isinstance(given, str) and snake_case(given):
        return snake_case(given)
    host = urlsplit(str(server.get("url"))).hostname or ""
    telling = [label for label in host.split(".")[:-1] if label not in _EVERYWHERE]
    return snake_case(telling[-1] if telling else host) or "server"


def namespaced(server: str, tool: str) -> str:
    """Return the name for a tool of a server; where its spelling had to give way, a digest tells it from others.

    The way back is the document itself, which keeps the tool's name as its server knows it.
    """
    spelt = f"{server}_{tool}"
    name = snake_case(spelt)
    if name == spelt:
        return name
    digest = hashlib.sha256(spelt.encode("utf-8", "replace")).hexdigest()[:_DIGITS]
    return f"{name[: LONGEST_NAME - _DIGITS - 1].rstrip('_') or 'tool'}_{digest}"


def tool_id(url: str, tool: str) -> str:
    """Return the id of the document of a tool of a server."""
    return "mcp_" + hashlib.sha256(f"{url}\n{tool}".encode("utf-8", "replace")).hexdigest()[:20]


def digest_of(value: Any) -> str:
    """Return 16 hex digits that are equal for equal JSON values."""
    text = orjson.dumps(value, option=orjson.OPT_SORT_KEYS, default=str)
    return hashlib.sha256(text).hexdigest()[:16]


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Return which parts of what a server says of a tool differ from what it said when it was taken over."""
    return sorted(part for part in {*before, *now} if before.get(part) != now.get(part))


def _offered(remote: RemoteTool) -> JsonObject:
    """Return digests of everything that a server said, part by part, as it said it."""
    parts = {
        "title": remote.title,
        "description": remote.description,
        "inputSchema": remote.input_schema,
        "outputSchema": remote.output_schema,
        "annotations": dict(remote.annotations),
    }
    # Where it was never said, what was taken over before has no such part either.
    parts |= {"execution": "tasks"} if remote.needs_tasks else {}
    return {part: digest_of(value) for part, value in parts.items()}


def _repaired(document: Any, at: str, report: list[str], problems: list[DefinitionError]) -> JsonObject:
    try:
        schema, repairs = repair(document)
    except DefinitionError as error:
        problems.append(DefinitionError(f"{at}{error.field.replace('/', '.')}"[:200], error.problem, error.remedy))
        return {"type": "object", "properties": {}}
    report += [f"{at}{repaired}" for repaired in repairs]
    if _asks_for_headers(schema):
        problems.append(DefinitionError(at, "wants arguments sent as headers (x-mcp-header)", "leave the tool out"))
    cleaned: JsonObject = _cleaned(schema, at, report)
    return cleaned


def _asks_for_headers(schema: Any) -> bool:
    if not isinstance(schema, Mapping):
        return False
    return "x-mcp-header" in schema or any(_asks_for_headers(child) for _, child in children(schema))


def _cleaned(schema: Any, at: str, report: list[str]) -> Any:
    """Return a schema whose words are plain, without what is no server's to say."""
    if not isinstance(schema, Mapping):
        return schema
    result: JsonObject = {}
    for keyword, value in schema.items():
        if keyword.startswith("x-"):
            report.append(f"{at}: {keyword[:60]} was taken out")
        elif keyword in ("title", "description") and isinstance(value, str):
            result[keyword] = plain(value, _WORDS_CHARACTERS)
        elif keyword in IN_MAPS and isinstance(value, Mapping):
            result[keyword] = {name: _cleaned(inner, f"{at}.{keyword}.{name}", report) for name, inner in value.items()}
        elif keyword in IN_LISTS and isinstance(value, list):
            result[keyword] = [_cleaned(inner, f"{at}.{keyword}", report) for inner in value]
        elif keyword in ALONE:
            result[keyword] = _cleaned(value, f"{at}.{keyword}", report)
        elif keyword not in ("$comment", "examples"):
            result[keyword] = value
    return result


def _output(document: Any, report: list[str]) -> JsonObject | None:
    """Return the schema of what a tool gives back, where it is sound and small: it is shown to the owner, no more."""
    if document is None:
        return None
    problems: list[DefinitionError] = []
    schema = _repaired(document, "outputSchema", [], problems)
    if problems or not is_storable(schema) or len(orjson.dumps(schema)) > _OUTPUT_BYTES:
        report.append("outputSchema: cannot be used and was left out")
        return None
    return schema
