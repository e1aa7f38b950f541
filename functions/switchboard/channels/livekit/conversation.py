"""One conversation that a LiveKit worker carries: its functions, its turns, and what tools ask of the channel.

The schema goes to the model as it is; LiveKit checks no arguments against it, the dispatcher does. Exactly one answer
goes back per call: what the model may read of the envelope. LiveKit runs all calls of an answer side by side: two that
ask for a yes would then not find each other, and neither's question would name both, so acting calls wait for another.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from switchboard.channels.livekit.tools import ConversationTools
from switchboard.contract.background import in_background
from switchboard.contract.call import ToolCall
from switchboard.contract.caller.outside_id import is_blank
from switchboard.contract.definitions.definition import Definition
from switchboard.contract.error import ErrorType, Refused, ToolError
from switchboard.contract.observability.subject import About
from switchboard.contract.observability.trace import shown_id
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.response import Intent, IntentType, ToolResponse
from switchboard.contract.store import StoreError
from switchboard.formats import FORMATS

if TYPE_CHECKING:
    from livekit.agents import AgentSession, ConversationItemAddedEvent, RunContext
    from livekit.agents.llm import RawFunctionTool


log = logging.getLogger(__name__)

Apply: TypeAlias = Callable[[Intent], Awaitable[None]]
"""Does what a tool asks of the conversation, such as hanging up; the worker knows how."""

Run: TypeAlias = Callable[[Definition, ToolCall], Awaitable[ToolResponse]]
"""Executes one call of a tool; its id makes a repetition recognisable."""

_DIALECT = FORMATS["livekit"]
# After these the agent has nothing more to say.
_LAST_WORDS = frozenset({IntentType.END_CALL, IntentType.TRANSFER_CALL, IntentType.END_VOICE_SESSION})
_INTERRUPTED = "The caller interrupted before this was begun; nothing was done. Listen first."


class LiveKitConversation:
    """Joins a session's events to its tools; one per session.

    A worker makes it, gives `await functions()` to its agent, and calls `follow(session)` before the session starts.
    """

    def __init__(self, tools: ConversationTools, apply: Apply) -> None:
        """Begin before the human's first word."""
        self._tools, self._apply = tools, apply
        self.turn = 0
        # What the agent has said since the human did, as far as it was heard.
        self._agents_words = ""
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
            self._agents_words = f"{self._agents_words} {text}" if isinstance(text, str) else self._agents_words
        if role != "user":
            return
        self.turn += 1
        asked, self._agents_words = self._agents_words, ""
        if isinstance(text, str) and not is_blank(text):
            self._hearing = asyncio.create_task(self._hear(text, self.turn, asked, self._hearing))

    async def _hear(self, text: str, turn: int, asked: str, before: "asyncio.Task[None] | None") -> None:
        # In order: a yes must not be overtaken by what was said after it.
        if before is not None:
            await before
        with About(*self._tools.whose):
            try:
                await self._tools.heard(text, turn, asked)
            except (StoreError, ToolError) as error:
                # The tool asks again; nothing is done that was not agreed to.
                log.warning("what was said could not be recorded", extra={"reason": type(error).__name__})

    async def _run(self, tool: Definition, call: ToolCall) -> ToolResponse:
        with About(*self._tools.whose):
            return await self._carried_out(tool, call)

    async def _carried_out(self, tool: Definition, call: ToolCall) -> ToolResponse:
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


def function_of(definition: Definition, run: Run) -> "RawFunctionTool[Any, Any]":
    """Return the function that LiveKit registers for a tool.

    An action cannot be interrupted once it has begun, and goes on if the conversation ends meanwhile.
    """
    from livekit.agents import RunContext, ToolError, ToolResult, function_tool

    declaration, offered = _DIALECT.declare(definition), {definition.name: definition}

    async def execute(context: RunContext[Any], raw_arguments: dict[str, object]) -> ToolResult:
        if definition.writes and not _holds(context):
            raise ToolError(_INTERRUPTED)
        made = {"call_id": context.function_call.call_id, "name": declaration["name"], "raw_arguments": raw_arguments}
        try:
            call = _DIALECT.read(made, offered)
        except Refused as error:
            raise ToolError(error.message) from None
        response = await _execute(definition, run, call)
        answer = _DIALECT.render(call.call_id, call.name, response)
        if answer["is_error"]:
            raise ToolError(answer["output"])
        is_over = any(intent.type in _LAST_WORDS for intent in response.intents)
        return ToolResult(answer["output"], reply_required=not is_over)

    return function_tool(execute, raw_schema=declaration)


def _holds(context: "RunContext[Any]") -> bool:
    """Keep the caller from interrupting what is about to be done; False where that has happened already."""
    try:
        context.disallow_interruptions()
    except RuntimeError:
        return False
    return True


async def _execute(definition: Definition, run: Run, call: ToolCall) -> ToolResponse:
    async def running() -> ToolResponse:
        return await run(definition, call)

    if not definition.writes:
        return await running()
    # An action goes on when its conversation is over.
    return await asyncio.shield(in_background(running()))


@dataclass
class _Round:
    """Calls that are under way together, and what was asked last on behalf of any of them."""

    under_way: int = 0
    asked: ToolResponse | None = None
    over: asyncio.Event = field(default_factory=asyncio.Event)


class Acting:
    """Those of one conversation, in the order in which they were made."""

    def __init__(self) -> None:
        """Begin with none under way."""
        self._one = asyncio.Lock()
        self._round = _Round()

    async def run(self, execute: Callable[[], Awaitable[ToolResponse]]) -> ToolResponse:
        """Execute a call after those that were made before it, and return its answer.

        One that waits for the caller's yes is answered once the others of its round are: with the question that was
        asked last, which names each of them. Only that one can be agreed to.
        """
        own = self._round
        own.under_way += 1
        try:
            async with self._one:
                response = await execute()
            if _asks(response):
                own.asked = response
        finally:
            own.under_way -= 1
            if not own.under_way:
                own.over.set()
                self._round = _Round()
        if not _asks(response):
            return response
        await own.over.wait()
        return replace(response, failure=own.asked.failure if own.asked is not None else response.failure)


def _asks(response: ToolResponse) -> bool:
    return response.failure is not None and response.failure.type is ErrorType.CONFIRMATION_REQUIRED
