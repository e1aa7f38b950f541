"""The protocol itself, by its official library: versions, envelopes, errors, and both of its HTTP transports.

The library is loaded when the first request comes. Nothing of it outlives a request: each is served by a server of its
own, so that any instance can serve any request of a client.
"""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

import orjson
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from switchboard import VERSION
from switchboard.channels.http.answer import json_answer
from switchboard.channels.mcp.elicitation import NAME as QUESTION
from switchboard.channels.mcp.elicitation import WITHDRAWN, Elicitations
from switchboard.channels.mcp.request_session import SESSION_HEADER, RequestSession
from switchboard.channels.mcp.tools import Toolbox
from switchboard.contract.document import mapping
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from mcp.server.lowlevel.server import Server

NAME = "switchboard"
_INVALID_PARAMS, _INTERNAL = -32602, -32603
_INSTRUCTIONS = (
    "Tools of one business, as its receptionist uses them. An action may need a person's yes first: the server asks "
    "for it, or says what to ask. Name the conversation in the address (?session=…) so that calls of one person "
    "belong together."
)
_STREAM_HEADERS = {"content-type": "text/event-stream", "cache-control": "no-store", "x-accel-buffering": "no"}
_VERSION_HEADER = "mcp-protocol-version"
_OF_ANSWERS = ("inputResponses", "requestState")
_Call: TypeAlias = Callable[[JsonObject], Awaitable[JsonObject]]
_Handler: TypeAlias = "Callable[[ServerRequestContext[Any], Any], Awaitable[JsonObject]]"


class Library:
    """The protocol's library, loaded beside whatever else this process does: that takes about a second."""

    def __init__(self) -> None:
        self._is_loaded = False

    async def load(self) -> None:
        """Return once it can be used."""
        if not self._is_loaded:
            for name in ("mcp.server.streamable_http_manager", "mcp.server.lowlevel.server"):
                await asyncio.to_thread(import_module, name)
            self._is_loaded = True


LIBRARY = Library()


class Served(Response):
    """Answers one request by the library, over the body that was read already."""

    def __init__(
        self,
        toolbox: Toolbox,
        elicitations: Elicitations,
        visit: RequestSession,
        body: bytes,
        opens: str | None,
        request_id: object = None,
    ) -> None:
        """Serve `visit`; where the request opens a session of the older protocol, its id is `opens`."""
        super().__init__()
        self._request_id = request_id
        self._toolbox, self._elicitations, self._visit = toolbox, elicitations, visit
        self._body, self._opens, self._began = body, opens, elicitations.now()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the answer."""
        await LIBRARY.load()
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

        unknown = _unknown_version(Headers(scope=scope).get(_VERSION_HEADER), self._request_id)
        if unknown is not None:
            await unknown(scope, receive, send)
            return
        stream = Stream(self._naming(send), receive)
        can_ask = self._visit.asks and _reads_events(scope)
        asker = Asker(self._elicitations, self._visit, self._began, stream) if can_ask else None
        manager = StreamableHTTPSessionManager(
            server_for(self._toolbox, self._visit, asker), json_response=True, stateless=True
        )
        async with manager.run():
            await manager.handle_request(scope, _again(self._body, receive), stream.send)

    def _naming(self, send: Send) -> Send:
        """Return what sends, and tells the client the id of the session that it has opened."""
        opens = self._opens
        if opens is None:
            return send
        start: list[Message] = []

        async def named(message: Message) -> None:
            # An error has the status of a success: whether a session is open is told by the body alone.
            if message["type"] == "http.response.start":
                start.append(message)
                return
            while start:
                head = start.pop()
                if head["status"] == 200 and _is_result(message.get("body", b"")):
                    head["headers"] = [*head.get("headers", ()), (SESSION_HEADER.encode(), opens.encode())]
                await send(head)
            await send(message)

        return named


class Stream:
    """The answer to one request: sent as it is, or as the last event of a stream once something was put before it.

    Attributes:
        is_cancelled: Whether the request was cancelled, so that its stream ends without an answer.
    """

    def __init__(self, send: Send, receive: Receive) -> None:
        """Send by `send`; `receive` says when the client has hung up."""
        self._send, self._receive = send, receive
        self._begun = self.is_cancelled = False
        self._body = bytearray()

    async def put(self, request: JsonObject) -> None:
        """Send the client a request of ours."""
        await self._begin()
        await self._event(orjson.dumps(request), more=True)

    async def cancel(self) -> None:
        """Let the stream end without an answer, since the request was cancelled."""
        self.is_cancelled = True
        await self._begin()

    async def _begin(self) -> None:
        if not self._begun:
            self._begun = True
            headers = [(name.encode(), value.encode()) for name, value in _STREAM_HEADERS.items()]
            await self._send({"type": "http.response.start", "status": 200, "headers": headers})

    async def gone(self) -> None:
        """Return once the client has hung up."""
        while (await self._receive())["type"] != "http.disconnect":
            pass

    async def send(self, message: Message) -> None:
        """Send a part of the answer."""
        if not self._begun:
            await self._send(message)
        elif message["type"] == "http.response.body" and self.is_cancelled:
            if not message.get("more_body"):
                await self._send({"type": "http.response.body", "body": b"", "more_body": False})
        elif message["type"] == "http.response.body":
            self._body += message.get("body", b"")
            if not message.get("more_body"):
                await self._event(bytes(self._body), more=False)

    async def _event(self, data: bytes, *, more: bool) -> None:
        # JSON on one line: nothing in it can end the event.
        line = b"event: message\ndata: " + data.replace(b"\n", b" ") + b"\n\n"
        await self._send({"type": "http.response.body", "body": line, "more_body": more})


@dataclass(frozen=True, slots=True)
class Asker:
    """Puts the questions of one request to the client's human, on the stream of its answer."""

    elicitations: Elicitations
    visit: RequestSession
    began: datetime
    stream: Stream

    def has_place(self) -> bool:
        """Tell whether a question can be put, which keeps a place for it."""
        return self.elicitations.reserve(self.visit)

    async def settled(
        self, result: JsonObject, call: _Call, params: JsonObject, request_id: str | int | None
    ) -> JsonObject:
        """Return what a call comes to, once its questions are answered; one that its client cancels is not told."""
        while result.get("resultType") == "input_required":
            question = result["inputRequests"][QUESTION]["params"]
            action = await self.elicitations.ask(
                self.visit, request_id, self.began, question, self.stream.put, self.stream.gone
            )
            if action == WITHDRAWN:
                await self.stream.cancel()
            answer = {"inputResponses": {QUESTION: {"action": action}}, "requestState": result["requestState"]}
            result = await call(params | answer)
        return result


def _unknown_version(version: str | None, request_id: object) -> Response | None:
    """Return the refusal of a request in a version of the protocol that is not spoken here; None for every other.

    The library would take it for one of the newer versions and miss what these have in every message.
    """
    from mcp_types import UNSUPPORTED_PROTOCOL_VERSION
    from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

    known = [*HANDSHAKE_PROTOCOL_VERSIONS, *MODERN_PROTOCOL_VERSIONS]
    if version is None or version in known:
        return None
    message = f"This server does not speak version {version[:40]!r} of the protocol; use one of {', '.join(known)}."
    data: JsonObject = {"supported": list(MODERN_PROTOCOL_VERSIONS), "requested": version[:40]}
    error: JsonObject = {"code": UNSUPPORTED_PROTOCOL_VERSION, "message": message, "data": data}
    return json_answer(orjson.dumps({"jsonrpc": "2.0", "id": request_id, "error": error}), 400)


def _is_result(body: bytes) -> bool:
    try:
        return "result" in mapping(orjson.loads(body))
    except orjson.JSONDecodeError:
        return False


def _reads_events(scope: Scope) -> bool:
    accepts = Headers(scope=scope).get("accept", "").lower()
    return "text/event-stream" in accepts


def server_for(toolbox: Toolbox, visit: RequestSession, asker: Asker | None) -> "Server[Any]":
    """Return a server of the protocol that serves one visitor's requests; `asker` puts its questions, if any can."""
    from mcp.server.lowlevel.server import Server
    from mcp_types import CallToolRequestParams, PaginatedRequestParams
    from mcp_types.version import MODERN_PROTOCOL_VERSIONS

    async def list_tools(ctx: "ServerRequestContext[Any]", params: Any) -> JsonObject:
        return await toolbox.list(visit)

    async def call_tool(ctx: "ServerRequestContext[Any]", params: Any) -> JsonObject:
        if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
            abilities = ctx.session.client_capabilities
            elicitation = abilities.elicitation if abilities is not None else None
            # An empty object means forms, as it did before there was anything else.
            can_ask = elicitation is not None and (elicitation.form is not None or elicitation.url is None)
            return await toolbox.call(visit, ctx.request_id, ctx.params or {}, can_ask=lambda: can_ask)
        # How an answer comes back in the newer version is none of this one's.
        given = {key: value for key, value in (ctx.params or {}).items() if key not in _OF_ANSWERS}

        async def call(params: JsonObject) -> JsonObject:
            can_ask = asker.has_place if asker is not None else _nobody
            return await toolbox.call(visit, ctx.request_id, params, can_ask=can_ask)

        result = await call(given)
        return await asker.settled(result, call, given, ctx.request_id) if asker is not None else result

    server: Server[Any] = Server(
        NAME,
        version=VERSION,
        title="Switchboard",
        instructions=_INSTRUCTIONS,
        # None of our tools asks for headers of its own, so that nothing has to be looked up for them.
        get_tool_input_schema=lambda name: None,
    )
    server.add_request_handler("tools/list", PaginatedRequestParams, _protocol_errors(list_tools))
    server.add_request_handler("tools/call", CallToolRequestParams, _protocol_errors(call_tool))
    return server


def _nobody() -> bool:
    return False


def _protocol_errors(handler: _Handler) -> _Handler:
    """Return a handler whose failures are the protocol's own."""

    async def handled(ctx: "ServerRequestContext[Any]", params: Any) -> JsonObject:
        from mcp.shared.exceptions import MCPError

        try:
            return await handler(ctx, params)
        except ToolError as error:
            is_theirs = error.type in (ErrorType.NOT_FOUND, ErrorType.VALIDATION)
            raise MCPError(_INVALID_PARAMS if is_theirs else _INTERNAL, error.message) from None

    return handled


def _again(body: bytes, receive: Receive) -> Receive:
    """Return what gives a body again that was read, and then whatever else there is to hear."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def next_message() -> Message:
        return messages.pop() if messages else await receive()

    return next_message
