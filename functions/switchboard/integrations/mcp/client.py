"""The `RemoteTools` port: lists and calls the tools of servers that owners connect.

A call is sent once. It is sent again only where the server said that it was not looked at: the session had ended, or
the revision changed.
"""

import asyncio
from collections.abc import Mapping, Sequence
from importlib import import_module
from threading import Thread
from typing import TYPE_CHECKING, Any, Final

from switchboard.contract.deadline import ending_in
from switchboard.contract.definitions.remote_tools import RemoteAnswer, RemoteServer, RemoteTool
from switchboard.contract.document import items, mapping, text
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.integrations.mcp import failures
from switchboard.integrations.mcp.egress import MessageEgress, longest_s

if TYPE_CHECKING:
    from switchboard.integrations.mcp.session import Sessions

MOST_TOOLS: Final = 200
"""How many tools of one server are read; a longer list is no list for a receptionist."""
_LIBRARY: Final = "switchboard.integrations.mcp.session"
_MOST_PAGES: Final = 10
_MOST_PARTS: Final = 100
_LISTING_S: Final = 15.0
_WISH_KEY: Final = "switchboard/idempotencyKey"
_ASKS = "The connected server asks back instead of answering, which this tool cannot do. Nothing more can be done here."


class McpClient:
    """Reaches every connected server of every business."""

    def __init__(self, egress: MessageEgress) -> None:
        """Connect nowhere yet."""
        self._egress, self._is_prepared = egress, False
        self._sessions: Sessions | None = None

    async def offered(self, server: RemoteServer) -> Sequence[RemoteTool]:
        """Return the tools that a server offers, in its order, the first `MOST_TOOLS` of them.

        Raises:
            ToolError: AUTH, its key is refused; PERMANENT, there is no such server; TRANSIENT, it does not answer.
        """
        sessions = await self._loaded()
        tools: list[RemoteTool] = []
        cursor: str | None = None
        cursors: set[str] = set()
        seen: list[Any] = []
        with ending_in(_LISTING_S):
            for _ in range(_MOST_PAGES):
                page = await sessions.result(
                    server, "tools/list", {"cursor": cursor} if cursor else {}, is_reading=True
                )
                if isinstance(page, RemoteAnswer):
                    raise failures.of_status(400, is_reading=True)
                listed = page.get("tools")
                if not isinstance(listed, list):
                    raise failures.unusable(is_reading=True)
                # A list that goes round is read once.
                fresh = [
                    item for item in listed[: MOST_TOOLS - len(tools)] if isinstance(item, dict) and item not in seen
                ]
                tools += [_tool(item) for item in fresh]
                seen += fresh
                cursor = page.get("nextCursor")
                if len(tools) >= MOST_TOOLS or not isinstance(cursor, str) or not cursor or cursor in cursors:
                    break
                cursors.add(cursor)
        return tools

    async def call(
        self, server: RemoteServer, tool: str, arguments: JsonObject, *, wish: str, is_reading: bool
    ) -> RemoteAnswer:
        """Call a tool, once; see `RemoteTools.call`."""
        sessions = await self._loaded()
        params: JsonObject = {"name": tool, "arguments": arguments, "_meta": {_WISH_KEY: wish}}
        with ending_in(longest_s("GET" if is_reading else "POST")):
            result = await sessions.result(server, "tools/call", params, is_reading=is_reading)
        if isinstance(result, RemoteAnswer):
            return result
        if result.get("resultType", "complete") != "complete":
            raise ToolError(ErrorType.PERMANENT, _ASKS, partial_side_effects=not is_reading, detail="mcp: asks back")
        structured = result.get("structuredContent")
        if result.get("isError") is True:
            words = _text_of(result)
            said = structured if structured is not None and not words else words
            return RemoteAnswer(said, failures.of_words(words or str(said)), is_tools_own=True)
        return RemoteAnswer(structured if structured is not None else _text_of(result) or None)

    def prepare(self) -> None:
        """Begin to load the protocol's library, which takes a second or two, before anyone waits for it."""
        if not self._is_prepared:
            self._is_prepared = True
            Thread(target=import_module, args=[_LIBRARY], daemon=True).start()

    async def close(self) -> None:
        """Let go of the running loop's connections."""
        await self._egress.close()

    async def _loaded(self) -> "Sessions":
        if self._sessions is None:
            # Where nobody prepared it: other people's calls go on meanwhile.
            module = await asyncio.to_thread(import_module, _LIBRARY)
            self._sessions = self._sessions or module.Sessions(self._egress)
        return self._sessions


def _tool(item: Mapping[str, Any]) -> RemoteTool:
    annotations = mapping(item.get("annotations"))
    return RemoteTool(
        name=text(item.get("name")),
        title=text(item.get("title")) or text(annotations.get("title")),
        description=text(item.get("description")),
        input_schema=item.get("inputSchema"),
        output_schema=item.get("outputSchema"),
        annotations=annotations,
        needs_tasks=mapping(item.get("execution")).get("taskSupport") == "required",
    )


def _text_of(result: Mapping[str, Any]) -> str:
    """Return the parts of a result as one text, pictures and files by name."""
    parts = items(result.get("content"))[:_MOST_PARTS]
    return "\n".join(filter(None, (_text_of_part(mapping(part)) for part in parts)))


def _text_of_part(part: Mapping[str, Any]) -> str:
    match part:
        case {"type": "text", "text": str(words)} | {"type": "resource", "resource": {"text": str(words)}}:
            return words
        case {"type": "resource_link", "uri": str(uri)}:
            return f"(a link: {part.get('name') or ''} {uri})"
        case {"type": ("image" | "audio") as kind}:
            return f"(an {kind})"
        case {"type": "resource"}:
            return "(a file)"
    return ""
