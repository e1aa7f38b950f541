"""A business's own tools for other systems: as OpenAPI operations, as MCP tools, or as a bundle for Switchboard."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from switchboard.admin.agents.agents import Agents
from switchboard.admin.documents.literals import hidden_places
from switchboard.admin.importers.api_schemas import moved
from switchboard.admin.importers.tool_bundle import bundle_of, is_portable
from switchboard.admin.tenant_tools.record import StoredTenantTool
from switchboard.admin.tenant_tools.tenant_tools import TenantTools
from switchboard.catalog.definitions.variables import PhoneNumbers
from switchboard.catalog.tenant_tools.config import shown
from switchboard.catalog.tenant_tools.definition import OwnTool
from switchboard.contract.channel import Channel
from switchboard.contract.definitions.definition import Definition
from switchboard.contract.json import JsonObject
from switchboard.formats import FORMATS
from switchboard.formats.schema.subschema import pointer


class Exporting:
    """The owners' operation. What the store raises passes through."""

    def __init__(self, tools: TenantTools, agents: Agents, public_url: str | None = None) -> None:
        """Read from these; `public_url` is where services call tools, if that is known."""
        self._tools, self._agents, self._public_url = tools, agents, public_url

    async def export(self, business_id: str, form: str) -> JsonObject:
        """Return the tools as `openapi`, `mcp` or a `bundle`; secrets are in none of them.

        Raises:
            NotFound: There is no such business.
        """
        own_tools = await self._tools.all(business_id)
        if form == "bundle":
            return await self._as_bundle(business_id, own_tools)
        left_out = [{"name": own_tool.name, "why": why} for own_tool in own_tools if (why := _why_not(own_tool))]
        if form == "mcp":
            return _as_mcp(own_tools) | ({"_meta": {"leftOut": left_out}} if left_out else {})
        return self._as_openapi(business_id, own_tools) | ({"x-left-out": left_out} if left_out else {})

    async def _as_bundle(self, business_id: str, tools: list[StoredTenantTool]) -> JsonObject:
        bundle = bundle_of(tools, await self._agents.all(business_id))
        hidden = [place for tool in bundle.tools for place in hidden_places(tool["config"], tool["name"])]
        left_out = [
            {"name": stored_tool.name, "why": _why_not(stored_tool)}
            for stored_tool in tools
            if not is_portable(stored_tool)
        ]
        return bundle.to_json() | {"leftOut": left_out, "hidden": hidden}

    def _as_openapi(self, business_id: str, tools: list[StoredTenantTool]) -> JsonObject:
        paths = {}
        for definition in _definitions(tools):
            at = f"/tools/execute/{definition.name}"
            paths[at] = {"post": _operation(business_id, definition, pointer("paths", at))}
        document: JsonObject = {
            "openapi": "3.1.0",
            "info": {"title": f"Tools of {business_id}", "version": "1.0.0"},
            "paths": paths,
            "components": {
                "securitySchemes": {"apiKey": {"type": "http", "scheme": "bearer"}},
                "schemas": {"Envelope": _ENVELOPE},
            },
            "security": [{"apiKey": []}],
        }
        return document | ({"servers": [{"url": self._public_url}]} if self._public_url else {})


def _as_mcp(tools: list[StoredTenantTool]) -> JsonObject:
    dialect = FORMATS["mcp"]
    return {"tools": dialect.declare_all([dialect.declare(definition) for definition in _definitions(tools)])}


def _definitions(tools: Iterable[StoredTenantTool]) -> Iterator[Definition]:
    """Yield the definitions of the tools that can be called, with the variables told in words."""
    for stored_tool in tools:
        if stored_tool.tool is None or _why_not(stored_tool):
            continue
        definition = OwnTool(stored_tool.tool).definition
        words = shown({"description": definition.description, "parameters": definition.parameters}, PhoneNumbers())
        yield replace(definition, description=words["description"], parameters=words["parameters"])


def _why_not(stored_tool: StoredTenantTool) -> str:
    """Return why a tool cannot be called; empty where it can."""
    if not is_portable(stored_tool):
        return stored_tool.problem or "it is being deleted"
    return "" if stored_tool.tool is not None and stored_tool.tool.is_enabled else "it is disabled"


def _operation(business_id: str, definition: Definition, at: str) -> JsonObject:
    declared = FORMATS["mcp"].declare(definition)["inputSchema"]
    base = f"#{at}/post/requestBody/content/application~1json/schema/properties/args"
    body: JsonObject = {
        "type": "object",
        "required": ["businessId", "args", "context"],
        "properties": {"businessId": {"const": business_id}, "args": moved(declared, base), "context": _CONTEXT},
    }
    answer = {"schema": {"$ref": "#/components/schemas/Envelope"}}
    return {
        "operationId": definition.name,
        "summary": definition.name.replace("_", " ").capitalize(),
        "description": definition.description,
        "requestBody": {"required": True, "content": {"application/json": {"schema": body}}},
        "responses": {
            "200": {"description": "Whatever became of the call.", "content": {"application/json": answer}},
            "default": {"description": "The request itself was refused.", "content": {"application/json": answer}},
        },
    }


_CONTEXT: JsonObject = {
    "type": "object",
    "required": ["channel"],
    "properties": {
        "channel": {"enum": [channel.value for channel in Channel]},
        "sessionId": {"type": "string", "description": "The conversation."},
        "turn": {"type": "integer", "description": "Counts what the caller said, from 1."},
        "callId": {"type": "string", "description": "The delivery; the same one again does nothing again."},
        "callerPhone": {"type": "string"},
    },
}
_ENVELOPE: JsonObject = {
    "type": "object",
    "required": ["ok"],
    "properties": {
        "ok": {"type": "boolean"},
        "data": {},
        "error": {"type": "object"},
        "intents": {"type": "array"},
        "meta": {"type": "object"},
    },
}
