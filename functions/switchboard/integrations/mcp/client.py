"""The `RemoteTools` port: lists and calls the tools of servers that owners connect.

A call is sent once. It is sent again only where the server said that it was not looked at: the session had ended, or
the revision changed.
"""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Final

import orjson
from cachetools import TTLCache

from switchboard.contract.deadline import ending_in
from switchboard.contract.definitions.remote_tools import RemoteAnswer, RemoteServer, RemoteTool
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.integrations.http_session import HttpAnswer
from switchboard.integrations.mcp import failures
from switchboard.integrations.mcp.content import content_of, words_of
from switchboard.integrations.mcp.egress import MessageEgress, longest_s
from switchboard.integrations.mcp.session import Messenger, NegotiatedSession, read_message

MOST_TOOLS: Final = 200
"""How many tools of one server are read; a longer list is no list for a receptionist."""
_MOST_PAGES: Final = 10
_LISTING_S: Final = 15.0
_LINKS_KEPT: Final = 2_000
_LINK_S: Final = 600.0
_WISH_KEY: Final = "switchboard/idempotencyKey"
_ASKS = "The connected server asks back instead of answering, which this tool cannot do. Nothing more can be done here."


class McpClient:
    """Reaches every connected server of every business."""

    def __init__(self, egress: MessageEgress) -> None:
        """Connect nowhere yet."""
        self._egress, self._messenger = egress, Messenger(egress)
        self._links: TTLCache[str, NegotiatedSession] = TTLCache(_LINKS_KEPT, _LINK_S)

    async def offered(self, server: RemoteServer) -> Sequence[RemoteTool]:
        """Return the tools that a server offers, in its order, the first `MOST_TOOLS` of them.

        Raises:
            ToolError: AUTH, its key is refused; PERMANENT, there is no such server; TRANSIENT, it does not answer.
        """
        found: list[RemoteTool] = []
        with ending_in(_LISTING_S):
            cursor: str | None = None
            for _ in range(_MOST_PAGES):
                answer = await self._asked(server, "tools/list", {"cursor": cursor} if cursor else {}, is_reading=True)
                result = _result(answer, is_reading=True)
                if isinstance(result, RemoteAnswer):
                    raise failures.of_status(400, is_reading=True)
                listed = result.get("tools")
                if not isinstance(listed, list):
                    raise failures.unusable(is_reading=True)
                found += [_tool(item) for item in listed[: MOST_TOOLS - len(found)] if isinstance(item, dict)]
                cursor = result.get("nextCursor")
                if len(found) >= MOST_TOOLS or not isinstance(cursor, str) or not cursor:
                    break
        return found

    async def call(
        self, server: RemoteServer, tool: str, arguments: JsonObject, *, wish: str, is_reading: bool
    ) -> RemoteAnswer:
        """Call a tool, once; see `RemoteTools.call`."""
        params: JsonObject = {"name": tool, "arguments": arguments, "_meta": {_WISH_KEY: wish}}
        with ending_in(longest_s("GET" if is_reading else "POST")):
            result = _result(
                await self._asked(server, "tools/call", params, is_reading=is_reading), is_reading=is_reading
            )
        if isinstance(result, RemoteAnswer):
            return result
        if result.get("resultType", "complete") != "complete":
            raise ToolError(ErrorType.PERMANENT, _ASKS, partial_side_effects=not is_reading, detail="mcp: asks back")
        if result.get("isError") is True:
            words = words_of(result)
            return RemoteAnswer(words, failures.of_words(words))
        return RemoteAnswer(content_of(result))

    async def close(self) -> None:
        """Let go of the running loop's connections."""
        await self._egress.close()

    async def _asked(self, server: RemoteServer, method: str, params: JsonObject, *, is_reading: bool) -> HttpAnswer:
        key = _key(server)
        known = self._links.get(key)
        link = self._links[key] = known or await self._messenger.link(server)
        answer = await self._messenger.request(server, link, method, params, is_reading=is_reading)
        if known is not None and _was_not_looked_at(answer, link):
            link = self._links[key] = await self._messenger.link(server)
            answer = await self._messenger.request(server, link, method, params, is_reading=is_reading)
        return answer


def _was_not_looked_at(answer: HttpAnswer, link: NegotiatedSession) -> bool:
    """Tell whether a server has forgotten what was agreed, so that the request came to nothing."""
    error = read_message(answer).get("error")
    code = error.get("code") if isinstance(error, dict) else None
    # 404 is the protocol's word for a session that has ended; servers as often say 400, which no tool is reached by.
    return code == failures.UNSUPPORTED_VERSION or (answer.status in (400, 404) and bool(link.session))


def _result(answer: HttpAnswer, *, is_reading: bool) -> Mapping[str, Any] | RemoteAnswer:
    """Return the result of a response, or the no that it is.

    Raises:
        ToolError: It is no response.
    """
    message = read_message(answer)
    if "error" in message:
        return failures.of_code(message["error"], is_reading=is_reading)
    if not 200 <= answer.status < 300:
        raise failures.of_status(answer.status, is_reading=is_reading)
    result = message.get("result")
    if not isinstance(result, dict):
        raise failures.unusable(is_reading=is_reading)
    return result


def _tool(item: Mapping[str, Any]) -> RemoteTool:
    hints = item.get("annotations")
    annotations = hints if isinstance(hints, dict) else {}

    def text(value: Any) -> str:
        return value if isinstance(value, str) else ""

    return RemoteTool(
        name=text(item.get("name")),
        title=text(item.get("title")) or text(annotations.get("title")),
        description=text(item.get("description")),
        input_schema=item.get("inputSchema"),
        output_schema=item.get("outputSchema"),
        annotations=annotations,
        needs_tasks=isinstance(execution := item.get("execution"), dict) and execution.get("taskSupport") == "required",
    )


def _key(server: RemoteServer) -> str:
    """Return what tells one business's connection from every other, credentials included."""
    parts = [server.business_id, server.url, sorted(server.headers.items())]
    return hashlib.sha256(orjson.dumps(parts)).hexdigest()
