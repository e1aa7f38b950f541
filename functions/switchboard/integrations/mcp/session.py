"""How to speak to one server: the newest revision, without a session, or an older one by its handshake.

Each message is one POST. Which revision a server speaks is asked before the first call, and again when it says that it
has changed; asking changes nothing there.
"""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from switchboard.contract.definitions.remote_tools import RemoteServer
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.integrations.http_session import HttpAnswer
from switchboard.integrations.mcp import failures
from switchboard.integrations.mcp.egress import MessageEgress
from switchboard.integrations.mcp.events import is_response

NEWEST = "2026-07-28"
HANDSHAKE = "2025-11-25"
OLDER = frozenset({"2024-11-05", "2025-03-26", "2025-06-18", HANDSHAKE})
"""The revisions whose handshake and results we understand."""
_CLIENT: JsonObject = {"name": "switchboard", "version": "1"}
_PREFIX = "io.modelcontextprotocol/"
_SESSION = "mcp-session-id"
_LONGEST_SESSION = 1_000
_HEADER_TEXT = frozenset(map(chr, range(0x20, 0x7F)))


@dataclass(frozen=True, slots=True)
class NegotiatedSession:
    """What was agreed with a server: a revision, and with an older one perhaps a session."""

    version: str
    session: str = field(default="", repr=False)

    @property
    def is_newest(self) -> bool:
        """Whether every message says for itself what it needs."""
        return self.version == NEWEST


class Messenger:
    """Sends the protocol's messages to servers."""

    def __init__(self, egress: MessageEgress) -> None:
        """Send by `egress`."""
        self._egress, self._ids = egress, itertools.count(1)

    async def link(self, server: RemoteServer) -> NegotiatedSession:
        """Ask a server how it is spoken to.

        Raises:
            ToolError: It does not answer, or is no server of the protocol.
        """
        probe = await self._posted(server, NegotiatedSession(NEWEST), "server/discover", {}, is_reading=True)
        if probe.status in (401, 403):
            raise failures.of_status(probe.status, is_reading=True)
        message = read_message(probe)
        result = message.get("result")
        versions = result.get("supportedVersions") if isinstance(result, dict) else None
        if isinstance(versions, list) and NEWEST in versions:
            return NegotiatedSession(NEWEST)
        return await self._handshake(server)

    async def request(
        self, server: RemoteServer, link: NegotiatedSession, method: str, params: JsonObject, *, is_reading: bool
    ) -> HttpAnswer:
        """Send a request and return what came back, whatever it is.

        Raises:
            ToolError: Nothing came back.
        """
        return await self._posted(server, link, method, params, is_reading=is_reading)

    async def _handshake(self, server: RemoteServer) -> NegotiatedSession:
        params: JsonObject = {"protocolVersion": HANDSHAKE, "capabilities": {}, "clientInfo": _CLIENT}
        answer = await self._posted(server, NegotiatedSession(""), "initialize", params, is_reading=True)
        result = read_message(answer).get("result")
        if not isinstance(result, dict):
            is_away = answer.status >= 500 or answer.status in (401, 403, 408, 429)
            raise failures.of_status(answer.status if is_away else 400, is_reading=True)
        version, session = result.get("protocolVersion"), answer.headers.get(_SESSION, "")
        if version not in OLDER or len(session) > _LONGEST_SESSION or not _HEADER_TEXT.issuperset(session):
            raise failures.unusable(is_reading=True)
        link = NegotiatedSession(str(version), session)
        await self._posted(server, link, "notifications/initialized", None, is_reading=True)
        return link

    async def _posted(
        self, server: RemoteServer, link: NegotiatedSession, method: str, params: JsonObject | None, *, is_reading: bool
    ) -> HttpAnswer:
        message: JsonObject = {"jsonrpc": "2.0", "method": method}
        if params is not None:
            message |= {"id": next(self._ids), "params": params | _envelope(link, params)}
        headers = {**server.headers, **_headers(link, method, params or {})}
        try:
            body = orjson.dumps(message)
        except TypeError:
            problem = "The arguments cannot be sent: they hold what JSON has no words for. Nothing was sent."
            raise ToolError(ErrorType.VALIDATION, problem) from None
        return await self._egress.post(server.url, headers, body, is_reading=is_reading)


def read_message(answer: HttpAnswer) -> Mapping[str, Any]:
    """Return the response that came back; empty where none did."""
    try:
        found = orjson.loads(answer.body)
    except orjson.JSONDecodeError:
        return {}
    return found if is_response(found) else {}


def _envelope(link: NegotiatedSession, params: JsonObject) -> JsonObject:
    if not link.is_newest:
        return {}
    own = {"protocolVersion": NEWEST, "clientCapabilities": {}, "clientInfo": _CLIENT}
    return {"_meta": {**params.get("_meta", {}), **{_PREFIX + name: value for name, value in own.items()}}}


def _headers(link: NegotiatedSession, method: str, params: JsonObject) -> dict[str, str]:
    """Return the headers that the protocol wants; an owner's of the same names do not count."""
    found = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
    if link.version:
        found["mcp-protocol-version"] = link.version
    if link.session:
        found[_SESSION] = link.session
    if link.is_newest:
        found["mcp-method"] = method
        if method == "tools/call":
            found["mcp-name"] = _header_text(str(params.get("name", "")))
    return found


def _header_text(text: str) -> str:
    """Return a text as the protocol writes it in a header: as it is where a header can carry it, else as base64."""
    if _HEADER_TEXT.issuperset(text) and text == text.strip():
        return text
    import base64

    return f"=?base64?{base64.b64encode(text.encode('utf-8', 'replace')).decode()}?="
