"""The protocol by its official library: versions, errors, and what each version says. It loads the library.

One server of the library answers everybody. What a client of the versions with a handshake asks goes straight to that
server: the library's transport for these opens streams and tasks for each request, which took longer than the call.
What comes in the newer versions, without a handshake, goes through its transport, which holds headers against it.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import field
from typing import Any, TypeAlias

import anyio
from mcp.server.connection import Connection
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.server.runner import serve_one
from mcp.server.streamable_http import check_accept_headers as check_accept_headers
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.dispatcher import CallOptions
from mcp.shared.exceptions import MCPError, NoBackChannelError
from mcp.shared.jsonrpc_dispatcher import handler_exception_to_error_data
from mcp.shared.message import ServerMessageMetadata
from mcp.shared.transport_context import TransportContext
from mcp_types import (
    DEFAULT_NEGOTIATED_VERSION,
    UNSUPPORTED_PROTOCOL_VERSION,
    CallToolRequestParams,
    PaginatedRequestParams,
)
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from switchboard import VERSION
from switchboard.channels.mcp.stream import PLACE, Place
from switchboard.channels.mcp.tools import Toolbox
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import StoreError
from switchboard.pipeline.boundary import guarded

NAME = "switchboard"
HANDSHAKE_VERSIONS, MODERN_VERSIONS = frozenset(HANDSHAKE_PROTOCOL_VERSIONS), frozenset(MODERN_PROTOCOL_VERSIONS)
UNNAMED_VERSION = DEFAULT_NEGOTIATED_VERSION
"""What a request means that names no version."""
_INVALID_PARAMS, _INTERNAL = -32602, -32603
_INSTRUCTIONS = (
    "Tools of one business, as its receptionist uses them. An action may need a person's yes first: the server asks "
    "for it, or says what to ask. Name the conversation in the address (?session=…) so that calls of one person "
    "belong together."
)
_UNREADABLE = "What this business offers could not be read just now. Send the same request again in a moment."
_FAILED = "Something went wrong here. Whether anything was done is not known; look before you send it again."
_OF_ANSWERS = ("inputResponses", "requestState")
_Handler: TypeAlias = Callable[[ServerRequestContext[Any], Any], Awaitable[JsonObject]]


def server_of(toolbox: Toolbox) -> Server[Any]:
    """Return a server of the protocol; whose a request is, and who asks its questions, says `PLACE` in its scope."""

    async def list_tools(ctx: ServerRequestContext[Any], params: Any) -> JsonObject:
        return await toolbox.list(_place(ctx).visit)

    async def call_tool(ctx: ServerRequestContext[Any], params: Any) -> JsonObject:
        visit, asker = _place(ctx).visit, _place(ctx).asker
        if ctx.protocol_version in MODERN_VERSIONS:
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
    server.add_request_handler("tools/list", PaginatedRequestParams, _protocol_errors(list_tools, acting=False))
    server.add_request_handler("tools/call", CallToolRequestParams, _protocol_errors(call_tool, acting=True))
    return server


def _place(ctx: ServerRequestContext[Any]) -> Place:
    assert ctx.request is not None
    place: Place = ctx.request.scope[PLACE]
    return place


def _nobody() -> bool:
    return False


def _protocol_errors(handler: _Handler, *, acting: bool) -> _Handler:
    """Return a handler whose failures are the protocol's own, also those that nobody foresaw.

    A client waits for an answer, perhaps on a stream that has begun. `acting` says whether something may be done by it.
    """

    async def handled(ctx: ServerRequestContext[Any], params: Any) -> JsonObject:
        found = await guarded(handler(ctx, params), _as_of_protocol, acting=acting, foreseen=_of_the_store)
        if isinstance(found, MCPError):
            raise found
        return found

    return handled


def _as_of_protocol(error: ToolError) -> MCPError:
    is_theirs = error.type in (ErrorType.NOT_FOUND, ErrorType.VALIDATION)
    is_unforeseen = error.type is ErrorType.INTERNAL and error.partial_side_effects
    message = _FAILED if is_unforeseen else error.message
    return MCPError(_INVALID_PARAMS if is_theirs else _INTERNAL, message)


def _of_the_store(failure: Exception) -> ToolError | None:
    return ToolError(ErrorType.TRANSIENT, _UNREADABLE) if isinstance(failure, StoreError) else None


async def answered(server: Server[Any], version: str, message: JsonObject, request: Request) -> JsonObject:
    """Return the message that answers a client's request in a version with a handshake."""
    answer: JsonObject = {"jsonrpc": "2.0", "id": message["id"]}
    connection, exchange = Connection.from_envelope(version, None, None), _Exchange(message["id"], request)
    method, params = message["method"], message.get("params")
    try:
        result = await serve_one(server, exchange, method, params, connection=connection, lifespan_state={})
    except (MCPError, ValidationError) as failure:
        error = handler_exception_to_error_data(failure)
        assert error is not None
        return answer | {"error": error.model_dump(mode="json", by_alias=True, exclude_unset=True)}
    return answer | {"result": result}


@dataclass(slots=True)
class _Exchange:
    """The library's view of a request: one message answers it, and nothing else goes back to its client."""

    request_id: str | int
    request: Request
    can_send_request: bool = False
    cancel_requested: anyio.Event = field(default_factory=anyio.Event)

    @property
    def transport(self) -> TransportContext:
        return TransportContext(kind="streamable-http", can_send_request=False, headers=self.request.headers)

    @property
    def message_metadata(self) -> ServerMessageMetadata:
        return ServerMessageMetadata(request_context=self.request, can_send_request=False)

    async def send_raw_request(
        self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None
    ) -> dict[str, Any]:
        raise NoBackChannelError(method)

    async def notify(self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None) -> None:
        """Leave it: no stream is open that it could be sent on."""

    async def progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        """Leave it, as `notify`."""


async def transported(server: Server[Any], scope: Scope, receive: Receive, send: Send) -> None:
    """Answer a request of a version without a handshake."""
    manager = StreamableHTTPSessionManager(server, json_response=True, stateless=True)
    async with manager.run():
        await manager.handle_request(scope, receive, send)


def unknown_version(version: str, request_id: object) -> JsonObject:
    """Return the refusal of a request in a version of the protocol that is not spoken here.

    The library would take it for one of the newer versions and miss what these have in every message.
    """
    known = ", ".join([*HANDSHAKE_PROTOCOL_VERSIONS, *MODERN_PROTOCOL_VERSIONS])
    message = f"This server does not speak version {version[:40]!r} of the protocol; use one of {known}."
    data: JsonObject = {"supported": list(MODERN_PROTOCOL_VERSIONS), "requested": version[:40]}
    error: JsonObject = {"code": UNSUPPORTED_PROTOCOL_VERSION, "message": message, "data": data}
    return {"jsonrpc": "2.0", "id": request_id, "error": error}
