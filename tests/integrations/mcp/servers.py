"""Servers to connect to: the official library's, of both eras, and ones that answer with whatever a test wants."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from switchboard.contract.definitions.remote_tools import RemoteServer
from switchboard.integrations.mcp.client import McpClient
from switchboard.integrations.mcp.egress import MessageEgress
from tests.channels.listening import listening


def official() -> MCPServer:
    """Return a server of the official library with a look-up and an action."""
    server = MCPServer("crm")
    server.notes = []  # type: ignore[attr-defined]

    @server.tool(annotations=ToolAnnotations(read_only_hint=True))
    def find_customer(name: str, limit: int = 5) -> dict[str, Any]:
        """Find a customer by name."""
        return {"name": name, "limit": limit}

    @server.tool()
    def add_note(text: str) -> str:
        """Write a note."""
        if text == "boom":
            raise ToolError("the note is too loud")
        server.notes.append(text)  # type: ignore[attr-defined]
        return f"noted: {text}"

    return server


@asynccontextmanager
async def serving(server: MCPServer, *, is_stateless: bool = True, as_json: bool = True) -> AsyncIterator[str]:
    """Serve an official server; give the address of its endpoint."""
    app = server.streamable_http_app(stateless_http=is_stateless, json_response=as_json)
    async with listening(app, lifespan="on") as base:
        yield f"{base}/mcp"


Answer = Callable[[dict[str, Any]], Any]


@asynccontextmanager
async def scripted(answer: Answer) -> AsyncIterator[tuple[str, list[dict[str, Any]]]]:
    """Serve whatever `answer` makes of each message: a result, or a whole response; give address and messages."""
    seen: list[dict[str, Any]] = []

    async def speak(request: Request) -> Response:
        message = await request.json()
        seen.append(message | {"headers": dict(request.headers)})
        found = answer(message)
        if isinstance(found, Response):
            return found
        if "id" not in message:
            return Response(status_code=202)
        return JSONResponse({"jsonrpc": "2.0", "id": message["id"], "result": found})

    async with listening(Starlette(routes=[Route("/mcp", speak, methods=["POST"])])) as base:
        yield f"{base}/mcp", seen


def modern(*tools: dict[str, Any], call: Answer | None = None) -> Answer:
    """Return what answers as a server of the newest revision that offers these tools."""

    def answer(message: dict[str, Any]) -> Any:
        match message["method"]:
            case "server/discover":
                return {"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}
            case "tools/list":
                return {"resultType": "complete", "tools": list(tools)}
            case _:
                return call(message) if call else {"resultType": "complete", "content": []}

    return answer


def tool(name: str = "find", **changes: Any) -> dict[str, Any]:
    """Return one tool as a server lists it."""
    schema = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}
    return {"name": name, "description": "Find something.", "inputSchema": schema} | changes


def client_for(url: str) -> McpClient:
    """Return a client that may reach one server on this machine."""
    return McpClient(MessageEgress(stand_ins=[urlsplit(url).netloc]))


def server(url: str, business_id: str = "salon", **headers: str) -> RemoteServer:
    """Return a server as a business reaches it."""
    return RemoteServer(business_id, url, headers)
