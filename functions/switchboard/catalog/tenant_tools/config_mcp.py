"""What a tool of a connected server needs: the server, the tool's name there, and its schema as it was approved.

The schema came from a stranger. It says what a model may send, and nothing else: a keyword that would have the call
itself provide a value (`x-from`) or a variable in its words would carry a caller's facts to that stranger.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any

from switchboard.catalog.arguments.arguments import TRUSTED_NAMES
from switchboard.catalog.schema.schema import check_schema
from switchboard.catalog.tenant_tools.config_parameters import ConfigReader, Fixed, Parameter
from switchboard.catalog.tenant_tools.config_request import HEADER_TEXT, MORE_THAN_ONE, Header, parted
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.formats.schema.subschema import children

LONGEST_REMOTE_NAME = 128
HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
"""The hints that a server may give about a tool's effect; each true or false."""
_URL = re.compile(r"https?://[^\s/{}]+[^\s{}]*")
_LONGEST_URL = 2_000
_MOST_HEADERS = 20
_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
_SECRET_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,63}")
# The protocol says these itself, or whoever sends the request does.
_TAKEN = frozenset(
    {"accept", "content-type", "content-length", "host", "connection", "transfer-encoding", "te", "trailer", "upgrade"}
    | {"expect", "keep-alive", "accept-encoding", "http2-settings", "origin", "last-event-id"}
)
DEEPEST_STORED = 16


@dataclass(frozen=True, slots=True)
class McpSettings:
    """One tool of one connected server.

    Attributes:
        url: The server's.
        headers: What it is shown.
        tool: The tool's name there.
        parameters: What a model sees: its schema without what the owner has fixed.
        is_reading: Whether the server says that it changes nothing.
        is_idempotent: Whether it says that the same call again changes nothing more.
    """

    url: str
    headers: tuple[Header, ...]
    tool: str
    parameters: JsonObject = field(default_factory=dict)
    is_reading: bool = False
    is_idempotent: bool = False


def read_mcp(top: ConfigReader, parameters: Mapping[str, Parameter]) -> McpSettings:
    """Return which tool of which server; `params` may only fix values of the tool's own arguments."""
    server = top.inside("server")
    server.only("name", "url", "headers")
    url = server.needed("url", "write it like https://mcp.example.com/mcp", _LONGEST_URL)
    if url and not _URL.fullmatch(url):
        server.add("url", "is no address", "write it like https://mcp.example.com/mcp, without variables")
    headers = server.inside("headers") if server.part.get("headers") is not None else None
    tool = top.needed("tool", "write the tool's name as its server knows it", LONGEST_REMOTE_NAME)
    schema = _schema(top)
    properties = schema.get("properties", {})
    for name, parameter in parameters.items():
        if not isinstance(parameter, Fixed):
            top.add(f"params.{name}", "is the server's to describe", 'fix its value with "mode": "fixed", or remove it')
        elif name not in properties:
            top.add(f"params.{name}", "is no argument of the tool", f"use one of {', '.join(properties)}"[:200])
    for name in sorted(TRUSTED_NAMES & properties.keys() - parameters.keys()):
        remedy = f"fix its value under params.{name}, or leave the tool out"
        top.add(f"inputSchema.properties.{name}", "is a fact of the call, which no model gives", remedy)
    hints = _hints(top)
    return McpSettings(
        url,
        tuple(_headers(headers)) if headers is not None else (),
        tool,
        without(schema, parameters),
        hints.get("readOnlyHint") is True,
        hints.get("idempotentHint") is True,
    )


def without(schema: JsonObject, names: Mapping[str, Any]) -> JsonObject:
    """Return an object schema without some of its properties."""
    if not names:
        return schema
    schema_without = dict(schema)
    schema_without["properties"] = {
        name: inner for name, inner in schema.get("properties", {}).items() if name not in names
    }
    if isinstance(schema.get("required"), list):
        schema_without["required"] = [name for name in schema["required"] if name not in names]
    return schema_without


def _schema(top: ConfigReader) -> JsonObject:
    given = top.part.get("inputSchema")
    if not isinstance(given, Mapping):
        top.add("inputSchema", "is missing", "connect the server again, so that the tool's schema is read")
        return {"type": "object", "properties": {}}
    schema = dict(given)
    broken = check_schema(schema)
    for error in broken:
        top.add(f"inputSchema{error.field.replace('/', '.')}".rstrip(".")[:200], error.problem, error.remedy)
    if not broken and schema.get("type") != "object":
        top.add("inputSchema.type", "must be object", "leave the tool out")
    if broken or schema.get("type") != "object":
        return {"type": "object", "properties": {}}
    for at, keyword in _meddling(schema):
        top.add(f"inputSchema{at}"[:200], f"has {keyword[:60]}, which is not a server's to say", "connect it again")
    if "{{" in str(schema):
        top.add("inputSchema", "has {{ in its words", "connect the server again")
    if not is_storable(schema):
        problem = "has a list inside a list, or is nested too deeply to be kept"
        top.add("inputSchema", problem, "leave the tool out")
    return {"properties": {}, **schema}


def _meddling(schema: JsonObject) -> Iterator[tuple[str, str]]:
    """Yield each keyword that means something to us and is none of JSON Schema."""
    queue: list[tuple[str, Any]] = [("", schema)]
    for at, node in queue:
        if isinstance(node, Mapping):
            yield from ((at.replace("/", "."), keyword) for keyword in node if keyword.startswith("x-"))
            queue += [(at + inner, child) for inner, child in children(node)]


def is_storable(value: Any, depth: int = DEEPEST_STORED, *, in_list: bool = False) -> bool:
    """Tell whether a document can hold a value: no list inside a list, and no more than 20 levels in all."""
    if isinstance(value, Mapping):
        return depth > 0 and all(is_storable(inner, depth - 1) for inner in value.values())
    if isinstance(value, list):
        return not in_list and depth > 0 and all(is_storable(inner, depth - 1, in_list=True) for inner in value)
    return True


def _hints(top: ConfigReader) -> Mapping[str, Any]:
    if top.part.get("annotations") is None:
        return {}
    hints = top.inside("annotations")
    hints.only(*HINTS)
    return {name: hints.flag(name, False) for name in HINTS if name in hints.part}


def _headers(headers: ConfigReader) -> Iterator[Header]:
    if len(headers.part) > _MOST_HEADERS:
        headers.add("", f"has {len(headers.part)} headers", f"use at most {_MOST_HEADERS}")
        return
    for name, value in headers.part.items():
        if not _HEADER_NAME.fullmatch(name):
            headers.add(name[:60], "is no header name", "use letters, digits and hyphens")
        elif name.lower() in _TAKEN or name.lower().startswith(("mcp-", "proxy-")):
            headers.add(name, "is not the owner's to set", "leave it out")
        else:
            header = _header(headers, name, value)
            if header is not None:
                yield header


def _header(headers: ConfigReader, name: str, value: Any) -> Header | None:
    after = ""
    if isinstance(value, Mapping):
        inside = headers.inside(name)
        inside.only("secret", "prefix")
        before, secret = str(inside.part.get("prefix") or ""), inside.needed("secret", "write the name of a secret")
    else:
        parts = parted(value) if isinstance(value, str) else ("", "", "")
        if parts is None:
            headers.add(name, *MORE_THAN_ONE)
            return None
        before, secret, after = parts if parts[1] else (value if isinstance(value, str) else "", "", "")
        if not before and not secret:
            headers.add(name, "is empty", 'write text, or {"secret": "name", "prefix": "Bearer "}')
    if secret and not _SECRET_NAME.fullmatch(secret):
        headers.add(name, f"{secret[:60]!r} is no name of a secret", f"use {_SECRET_NAME.pattern}")
    elif not HEADER_TEXT.fullmatch(before + after) or "{{" in before or "{{" in after:
        remedy = "use one line of plain ASCII; of variables only a secret, {{secret.name}}"
        headers.add(name, "has characters that headers cannot carry, or variables", remedy)
    else:
        return Header(name, before, secret, after)
    return None
