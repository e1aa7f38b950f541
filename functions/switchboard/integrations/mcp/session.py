"""One request to a server that an owner connected, by the protocol's own library over our door to strangers.

`mcp.ClientSession` says how a server is spoken to: it asks for the revision, does the handshake of the older ones, and
writes what each revision wants in messages and headers. Its own transport insists on its own HTTP client, which knows
no pinned addresses; here one request is one POST through `MessageEgress`, and nothing runs between two.

Loading the library takes a second or two, so this module is imported only when a connected server is called.
"""

import hashlib
import itertools
import time
from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any, Final

import anyio
import orjson
from mcp.client.session import ClientSession
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    UNSUPPORTED_PROTOCOL_VERSION,
    CallToolRequest,
    CallToolResult,
    DiscoverResult,
    Implementation,
    InitializeResult,
    ListToolsRequest,
    ListToolsResult,
)
from pydantic import ValidationError

from switchboard.contract.cache import Cache
from switchboard.contract.definitions.remote_tools import RemoteAnswer, RemoteServer
from switchboard.contract.document import integer, mapping
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.integrations.http_session import HttpAnswer
from switchboard.integrations.mcp import failures
from switchboard.integrations.mcp.egress import MessageEgress, response_in

if TYPE_CHECKING:
    from anyio.abc import TaskStatus
    from mcp.shared.dispatcher import CallOptions, OnNotify, OnNotifyIntercept, OnRequest

_CLIENT: Final = Implementation(name="switchboard", version="1")
_REQUESTS: Final[Mapping[str, tuple[Any, Any]]] = {
    "tools/list": (ListToolsRequest, ListToolsResult),
    "tools/call": (CallToolRequest, CallToolResult),
}
_MOST_SESSIONS: Final = 2_000
_SESSION_S: Final = 600.0
_SESSION: Final = "mcp-session-id"
_LONGEST_SESSION: Final = 1_000
_HEADER_TEXT: Final = frozenset(map(chr, range(0x20, 0x7F)))
_HEADERS: Final = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
# Nothing here reads these parts of an answer, so no server is refused because it left them out.
_UNREAD: Final[Mapping[str, JsonObject]] = {
    "initialize": {"capabilities": {}, "serverInfo": {"name": "server", "version": ""}},
    "server/discover": {"capabilities": {}},
}
_UNSENDABLE: Final = "The arguments cannot be sent: they hold what JSON has no words for. Nothing was sent."


@dataclass(frozen=True, slots=True)
class NegotiatedSession:
    """What was agreed with a server: a revision, and with an older one perhaps a session."""

    agreed: InitializeResult | DiscoverResult
    id: str = field(default="", repr=False)


class SingleExchange:
    """What a `ClientSession` sends by: every message is one POST to one server, answered on the spot.

    Attributes:
        session_id: The session that the messages belong to; empty for none.
        status: The HTTP status of the last answer; 0 where none came.
        result: The result of the last request, as the server wrote it; None where none came.
    """

    def __init__(self, egress: MessageEgress, server: RemoteServer, session_id: str = "", *, is_reading: bool) -> None:
        """Send nothing yet."""
        self._egress, self._server, self._is_reading = egress, server, is_reading
        self._ids = itertools.count(1)
        self.session_id, self.status = session_id, 0
        self.result: dict[str, Any] | None = None

    async def send_raw_request(
        self, method: str, params: Mapping[str, Any] | None, opts: "CallOptions | None" = None
    ) -> dict[str, Any]:
        """Send a request and return its result.

        Raises:
            MCPError: The server answered with an error of the protocol.
            ToolError: It gave no answer, or none of the protocol's.
        """
        self.status, self.result = 0, None
        id = next(self._ids)
        answer = await self._post({"id": id, "method": method, "params": dict(params or {})}, opts)
        self.status = answer.status
        message = response_in(answer.body)
        if not _answers(message, id):
            # What was said to somebody else, or to nobody, says nothing of this.
            message = {}
        if "error" in message:
            raise _protocol_error(message["error"])
        if not 200 <= answer.status < 300:
            raise failures.of_status(answer.status, is_reading=self._is_reading)
        result = message.get("result")
        if not isinstance(result, dict):
            raise failures.unusable(is_reading=self._is_reading)
        if method == "initialize":
            self.session_id = _session_id(answer)
        self.result = result | _UNREAD.get(method, {})
        return dict(self.result)

    async def notify(self, method: str, params: Mapping[str, Any] | None, opts: "CallOptions | None" = None) -> None:
        """Send a message that is not answered.

        Raises:
            ToolError: It did not get through.
        """
        await self._post({"method": method} | ({"params": dict(params)} if params else {}), opts)

    async def run(
        self,
        on_request: "OnRequest",
        on_notify: "OnNotify",
        on_notify_intercept: "OnNotifyIntercept | None" = None,
        *,
        task_status: "TaskStatus[None]" = anyio.TASK_STATUS_IGNORED,
    ) -> None:
        """Listen to nobody: no stranger asks anything of us."""
        task_status.started()
        await anyio.sleep_forever()

    async def _post(self, message: JsonObject, opts: "CallOptions | None") -> HttpAnswer:
        headers = {**self._server.headers, **_HEADERS, **(opts or {}).get("headers", {})}
        if self.session_id:
            headers[_SESSION] = self.session_id
        try:
            body = orjson.dumps({"jsonrpc": "2.0"} | message)
        except TypeError:
            raise ToolError(ErrorType.VALIDATION, _UNSENDABLE) from None
        return await self._egress.post(self._server.url, headers, body, is_reading=self._is_reading)


async def negotiate(egress: MessageEgress, server: RemoteServer) -> NegotiatedSession:
    """Ask a server how it is spoken to; that changes nothing there.

    Raises:
        ToolError: It does not answer, or is no server of the protocol.
    """
    exchange = SingleExchange(egress, server, is_reading=True)
    session = ClientSession(dispatcher=exchange, client_info=_CLIENT)
    try:
        return NegotiatedSession(await session.discover())
    except (MCPError, ToolError, ValidationError, RuntimeError):
        if exchange.status in (401, 403):
            raise failures.of_status(exchange.status, is_reading=True) from None
        if exchange.status == 0:
            raise
    # Whatever a server of the older revisions says to a question that they do not have, it is asked in their way.
    try:
        return NegotiatedSession(await session.initialize(), exchange.session_id)
    except (MCPError, ValidationError, RuntimeError):
        is_away = exchange.status >= 500 or exchange.status in (401, 403, 408, 429)
        raise failures.of_status(exchange.status if is_away else 400, is_reading=True) from None


class Sessions:
    """What was agreed with each server for each business, and the requests that go by it."""

    def __init__(self, egress: MessageEgress) -> None:
        """Agree upon nothing yet."""
        self._egress = egress
        self._sessions: Cache[str, NegotiatedSession] = Cache(
            time, _SESSION_S, _MOST_SESSIONS, stale_s=0, remembers_failures=False
        )

    async def result(
        self, server: RemoteServer, method: str, params: JsonObject, *, is_reading: bool
    ) -> JsonObject | RemoteAnswer:
        """Send a request and return its result as the server wrote it, or the no that the server says.

        Raises:
            ToolError: There is no answer, or none of the protocol's.
        """
        key, newer_than = _key(server), 0
        for is_last in (False, True):
            known = self._sessions.fresh(key)
            session = await self._sessions.get(key, lambda: negotiate(self._egress, server), newer_than)
            exchange = SingleExchange(self._egress, server, session.value.id, is_reading=is_reading)
            try:
                return await _result(exchange, session.value, method, params)
            except (MCPError, ToolError) as error:
                if session is known and not is_last and _was_not_looked_at(error, exchange):
                    newer_than = session.number
                    continue
                if isinstance(error, MCPError):
                    return failures.of_code(error.code, error.message, is_reading=is_reading)
                raise
        raise AssertionError("the second round always ends")


async def _result(
    exchange: SingleExchange, negotiated: NegotiatedSession, method: str, params: JsonObject
) -> JsonObject:
    session = ClientSession(dispatcher=exchange, client_info=_CLIENT)
    session.adopt(negotiated.agreed)
    request, result = _REQUESTS[method]
    try:
        await session.send_request(request.model_validate({"params": params}), result)
    except ValueError:
        # Either the arguments are none that can be written, or the result breaks the letter of its revision. Servers
        # are looser than the library: what was done is done, and one odd tool does not hide the others.
        if exchange.result is None:
            raise ToolError(ErrorType.VALIDATION, _UNSENDABLE) from None
    return exchange.result or {}


def _was_not_looked_at(error: MCPError | ToolError, exchange: SingleExchange) -> bool:
    """Tell whether a server has forgotten what was agreed, so that the request came to nothing."""
    if isinstance(error, MCPError) and error.code == UNSUPPORTED_PROTOCOL_VERSION:
        return True
    # 404 is the protocol's word for a session that has ended; servers as often say 400, by which no tool is reached.
    return exchange.status in (400, 404) and bool(exchange.session_id)


def _answers(message: Mapping[str, Any], id: int) -> bool:
    """Tell whether a response is to the request of an id; of an error, one that could not tell which is taken too."""
    said = message.get("id")
    return str(said) == str(id) or (said is None and "error" in message)


def _session_id(answer: HttpAnswer) -> str:
    id = answer.headers.get(_SESSION, "")
    if len(id) > _LONGEST_SESSION or not _HEADER_TEXT.issuperset(id):
        raise failures.unusable(is_reading=True)
    return id


def _protocol_error(error: Any) -> MCPError:
    fields = mapping(error)
    message = fields.get("message")
    words = message if isinstance(message, str) else "no reason was given"
    return MCPError(integer(fields.get("code"), INTERNAL_ERROR), words, fields.get("data"))


def _key(server: RemoteServer) -> str:
    """Return what tells one business's connection from every other, credentials included."""
    parts = [server.business_id, server.url, sorted(server.headers.items())]
    return hashlib.sha256(orjson.dumps(parts)).hexdigest()
