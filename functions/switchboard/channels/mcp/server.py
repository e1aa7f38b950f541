"""One request of an MCP client, from its headers to the bytes of its answer.

The protocol itself is the library's (`library.py`), which is loaded when the first request comes. Nothing of a request
outlives it, so that any instance can serve any request of a client.
"""

import asyncio
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from switchboard.channels.http.answer import json_answer
from switchboard.channels.mcp.elicitation import Elicitations, asks_its_human
from switchboard.channels.mcp.request_session import SESSION_HEADER, RequestSession
from switchboard.channels.mcp.stream import PLACE, Asker, Place, Stream
from switchboard.channels.mcp.tools import Toolbox
from switchboard.contract.json import JsonObject

if TYPE_CHECKING:
    from mcp.server.lowlevel.server import Server

_INVALID_REQUEST = -32600
_NO_JSON_TAKEN = "Accept application/json: that is what the answer is."
_VERSION_HEADER = "mcp-protocol-version"


class McpServer:
    """What answers every request of this process.

    Attributes:
        elicitations: The questions that are put to clients' humans.
    """

    def __init__(self, toolbox: Toolbox, elicitations: Elicitations) -> None:
        """Serve the tools of `toolbox`."""
        self._toolbox, self.elicitations = toolbox, elicitations
        self._is_loaded = False

    async def library(self) -> "Server[Any]":
        """Return the library's server, loaded beside whatever else this process does: that takes about a second."""
        if not self._is_loaded:
            await asyncio.to_thread(import_module, "switchboard.channels.mcp.library")
            self._is_loaded = True
        return self._server

    @cached_property
    def _server(self) -> "Server[Any]":
        from switchboard.channels.mcp.library import server_of

        return server_of(self._toolbox)


class Served(Response):
    """Answers one request by the library."""

    def __init__(self, server: McpServer, visit: RequestSession, message: JsonObject, body: bytes) -> None:
        """Serve `visit` what `message` asks, which is what `body` says."""
        super().__init__()
        self._server, self._visit, self._message, self._body = server, visit, message, body
        self._began = server.elicitations.now()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the answer."""
        server = await self._server.library()
        from switchboard.channels.mcp import library

        request = Request(scope, receive)
        version = request.headers.get(_VERSION_HEADER, library.UNNAMED_VERSION)
        if version in library.HANDSHAKE_VERSIONS:
            await self._after_handshake(server, version, request, send)
        elif version in library.MODERN_VERSIONS:
            scope[PLACE] = Place(self._visit)
            await library.transported(server, scope, _again(self._body, receive), send)
        else:
            refusal = library.unknown_version(version, self._message.get("id"))
            await json_answer(orjson.dumps(refusal), 400)(scope, receive, send)

    async def _after_handshake(self, server: "Server[Any]", version: str, request: Request, send: Send) -> None:
        """Answer a client of the older versions, which may have opened its session at another instance."""
        from switchboard.channels.mcp import library

        scope, receive = request.scope, request.receive
        takes_json, reads_events = library.check_accept_headers(request)
        if not takes_json:
            error = {"code": _INVALID_REQUEST, "message": _NO_JSON_TAKEN}
            refusal = orjson.dumps({"jsonrpc": "2.0", "id": None, "error": error})
            await json_answer(refusal, 406)(scope, receive, send)
            return
        if "id" not in self._message:
            # A notification; nothing here waits for any.
            await Response(status_code=202)(scope, receive, send)
            return
        stream = Stream(scope, receive, send)
        can_ask = self._visit.asks and reads_events
        asker = Asker(self._server.elicitations, self._visit, self._began, stream) if can_ask else None
        scope[PLACE] = Place(self._visit, asker)
        answer = await library.answered(server, version, self._message, request)
        opens = "result" in answer and self._message["method"] == "initialize"
        await stream.end(orjson.dumps(answer), {SESSION_HEADER: self._opened()} if opens else {})

    def _opened(self) -> str:
        """Return the id of the session that the request opens."""
        visit = self._visit
        return self._server.elicitations.opened(visit) if asks_its_human(self._message) else visit.session_id


def _again(body: bytes, receive: Receive) -> Receive:
    """Return what gives a body again that was read, and then whatever else there is to hear."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def next_message() -> Message:
        return messages.pop() if messages else await receive()

    return next_message
