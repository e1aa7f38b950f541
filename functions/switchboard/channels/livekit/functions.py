"""Each offered tool as its own typed function of a LiveKit agent (seed 001, "Component 4").

The schema goes to the model as it is; LiveKit checks no arguments against it, the dispatcher does. Exactly one answer
goes back per call: what the model may read of the envelope.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from switchboard.contract.call import ToolCall
from switchboard.contract.definitions.definition import Definition
from switchboard.contract.error import Refused
from switchboard.contract.response import IntentType, ToolResponse
from switchboard.formats import FORMATS

if TYPE_CHECKING:
    from livekit.agents import RunContext
    from livekit.agents.llm import RawFunctionTool

Run: TypeAlias = Callable[[Definition, ToolCall], Awaitable[ToolResponse]]
"""Executes one call of a tool; its id makes a repetition recognisable."""

_DIALECT = FORMATS["livekit"]
# After these the agent has nothing more to say.
_LAST_WORDS = frozenset({IntentType.END_CALL, IntentType.TRANSFER_CALL, IntentType.END_VOICE_SESSION})
_INTERRUPTED = "The caller interrupted before this was begun; nothing was done. Listen first."

# Kept until they end: nobody else holds an action whose conversation is over.
_underway: set[asyncio.Task[ToolResponse]] = set()


def function_of(definition: Definition, run: Run) -> "RawFunctionTool[Any, Any]":
    """Return the function that LiveKit registers for a tool.

    An action cannot be interrupted once it has begun, and goes on if the conversation ends meanwhile.
    """
    from livekit.agents import RunContext, ToolError, ToolResult, function_tool

    told, offered = _DIALECT.declare(definition), {definition.name: definition}

    async def execute(context: RunContext[Any], raw_arguments: dict[str, object]) -> ToolResult:
        if definition.writes and not _holds(context):
            raise ToolError(_INTERRUPTED)
        made = {"call_id": context.function_call.call_id, "name": told["name"], "raw_arguments": raw_arguments}
        try:
            call = _DIALECT.read(made, offered)
        except Refused as error:
            raise ToolError(error.message) from None
        response = await _executed(definition, run, call)
        answer = _DIALECT.render(call.call_id, call.name, response)
        if answer["is_error"]:
            raise ToolError(answer["output"])
        is_over = any(intent.type in _LAST_WORDS for intent in response.intents)
        return ToolResult(answer["output"], reply_required=not is_over)

    return function_tool(execute, raw_schema=told)


def _holds(context: "RunContext[Any]") -> bool:
    """Keep the caller from interrupting what is about to be done; False where that has happened already."""
    try:
        context.disallow_interruptions()
    except RuntimeError:
        return False
    return True


async def _executed(definition: Definition, run: Run, call: ToolCall) -> ToolResponse:
    async def running() -> ToolResponse:
        return await run(definition, call)

    if not definition.writes:
        return await running()
    task = asyncio.create_task(running())
    _underway.add(task)
    task.add_done_callback(_underway.discard)
    return await asyncio.shield(task)
