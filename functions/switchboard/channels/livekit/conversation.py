"""One conversation that a LiveKit worker carries: its functions, its turns, and what tools ask of the channel."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from switchboard.channels.livekit.acting import Acting
from switchboard.channels.livekit.functions import function_of
from switchboard.channels.livekit.tools import ConversationTools
from switchboard.contract.call import ToolCall
from switchboard.contract.definitions.definition import Definition
from switchboard.contract.error import ToolError
from switchboard.contract.observability.trace import shown_id
from switchboard.contract.response import Intent, ToolResponse
from switchboard.contract.store import StoreError

if TYPE_CHECKING:
    from livekit.agents import AgentSession, ConversationItemAddedEvent
    from livekit.agents.llm import RawFunctionTool

log = logging.getLogger(__name__)

Apply: TypeAlias = Callable[[Intent], Awaitable[None]]
"""Does what a tool asks of the conversation, such as hanging up; the worker knows how."""


class LiveKitConversation:
    """Joins a session's events to its tools; one per session.

    A worker makes it, gives `await functions()` to its agent, and calls `follow(session)` before the session starts.
    """

    def __init__(self, tools: ConversationTools, apply: Apply) -> None:
        """Begin before the human's first word."""
        self._tools, self._apply = tools, apply
        self.turn = 0
        # What the agent has said since the human did, as far as it was heard.
        self._told = ""
        self._hearing: asyncio.Task[None] | None = None
        self._acting = Acting()

    async def functions(self) -> "Sequence[RawFunctionTool[Any, Any]]":
        """Return one function per offered tool.

        Raises:
            ToolError: It cannot be found out what is offered.
        """
        return [function_of(definition, self._run) for definition in await self._tools.offered()]

    def follow(self, session: "AgentSession[Any]") -> None:
        """Count the human's turns, and hold their words against what tools wait for."""
        session.on("conversation_item_added", self._added)

    def _added(self, event: "ConversationItemAddedEvent") -> None:
        item = event.item
        role = getattr(item, "role", "") if getattr(item, "type", "") == "message" else ""
        text = getattr(item, "text_content", None)
        if role == "assistant":
            # One that was interrupted ends where the human spoke: it does not end in a question then.
            self._told = f"{self._told} {text}" if isinstance(text, str) else self._told
        if role != "user":
            return
        self.turn += 1
        asked, self._told = self._told, ""
        if isinstance(text, str) and text.strip():
            self._hearing = asyncio.create_task(self._hear(text, self.turn, asked, self._hearing))

    async def _hear(self, text: str, turn: int, asked: str, before: "asyncio.Task[None] | None") -> None:
        # In order: a yes must not be overtaken by what was said after it.
        if before is not None:
            await before
        try:
            await self._tools.heard(text, turn, asked)
        except (StoreError, ToolError) as error:
            # The tool asks again; nothing is done that was not agreed to.
            log.warning("what was said could not be recorded", extra={"reason": type(error).__name__})

    async def _run(self, tool: Definition, call: ToolCall) -> ToolResponse:
        log.info("tool called", extra={"tool": tool.name, "call": shown_id(call.call_id)})
        # Of the turn in which it was made, however long others keep it waiting.
        turn, hearing = self.turn, self._hearing

        async def executed() -> ToolResponse:
            # Whether the human agreed must be known before the call that depends on it.
            if hearing is not None:
                await asyncio.shield(hearing)
            return await self._tools.execute(tool, call.arguments, call.call_id, turn)

        response = await (self._acting.run(executed) if tool.writes else executed())
        for intent in response.intents:
            await self._apply(intent)
        return response
