"""The tools that these conversations call, on top of those planted for the pipeline."""

import asyncio
from typing import Any

from switchboard.catalog.definitions.registry import Registry
from switchboard.contract.context import CallContext
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.response import Intent, IntentType, Result
from tests.pipeline import planted

gates: dict[str, asyncio.Event] = {}
"""What a slow handler waits for."""
begun: list[str] = []
"""What slow handlers have begun."""


async def fetch(ctx: CallContext, desk: Any, *, key: str) -> Result:
    """Read something when the gate opens."""
    begun.append(key)
    await gates[key].wait()
    return Result({"found": key})


async def post(ctx: CallContext, desk: Any, *, key: str) -> Result:
    """Do something when the gate opens."""
    begun.append(key)
    await gates[key].wait()
    planted.done.append(key)
    return Result({"done": key}, receipt={"what": key})


async def book(ctx: CallContext, desk: Any, *, what: str) -> Result:
    """Do what a caller has agreed to."""
    planted.done.append(what)
    return Result({"booked": True}, receipt={"what": what})


async def hand_on(ctx: CallContext, desk: Any, *, what: str) -> Result:
    """Do what a later turn may ask for again."""
    planted.done.append(what)
    return Result({"handedOn": what}, receipt={"what": what})


async def hang_up(ctx: CallContext, desk: Any) -> Result:
    """End the call."""
    return Result({"ended": True}, (Intent(IntentType.END_CALL),))


async def put_through(ctx: CallContext, desk: Any) -> Result:
    """Put the call through."""
    return Result({"transferred": True}, (Intent(IntentType.TRANSFER_CALL, {"number": "+15555550100"}),))


async def put_to_rosa(ctx: CallContext, desk: Any) -> Result:
    """Put the call through, as an owner's own tool does."""
    payload = {"number": "+15555550101", "message": "Rosa will be with you."}
    return Result({"transferred": True}, (Intent(IntentType.TRANSFER_CALL, payload),))


async def put_nowhere(ctx: CallContext, desk: Any) -> Result:
    """Find nobody to put the call through to."""
    raise ToolError(ErrorType.CONFLICT, "Nobody is there now.")


async def whisper(ctx: CallContext, desk: Any) -> Result:
    """Tell the model something, and ask for silence."""
    inject = Intent(IntentType.INJECT_CONTEXT, {"text": "The caller is called Anna."})
    return Result({}, (Intent(IntentType.SUPPRESS_AUDIO), inject))


async def hush(ctx: CallContext, desk: Any) -> Result:
    """Ask that what is said about it be heard only."""
    return Result({}, (Intent(IntentType.SUPPRESS_TRANSCRIPT),))


async def leave_message(ctx: CallContext, desk: Any) -> Result:
    """Have something said in the next turn."""
    return Result({}, (Intent(IntentType.SET_PENDING_MESSAGE, {"text": "Your parcel has come."}),))


async def send_later(ctx: CallContext, desk: Any, *, what: str) -> Result:
    """Do something while the conversation goes on."""
    planted.done.append(what)
    intents = (Intent(IntentType.SET_PENDING_MESSAGE, {"text": "It is on its way."}),) if what == "parcel" else ()
    ending = (Intent(IntentType.END_CALL),) if what == "farewell" else ()
    return Result({"sent": what}, intents + ending, receipt={"what": what})


def registry() -> Registry:
    """Return a registry of both."""
    slow = {"say": {"en": {"running": "One moment."}}}
    tools = [
        planted._tool(fetch, "retrieval", {"key": {"type": "string"}}, **slow),
        planted._tool(post, "action", {"key": {"type": "string"}}, **slow),
        planted._tool(
            book,
            "action",
            {"what": {"type": "string"}},
            confirm=True,
            readBack={"en": "Book {{what}}?"},
            say={"en": {"running": "I'm booking that."}},
        ),
        planted._tool(hand_on, "action", {"what": {"type": "string"}}, repeat="turn"),
        planted._tool(hang_up, "action", {}, name="hang_up"),
        planted._tool(put_through, "action", {}, name="put_through"),
        planted._tool(put_to_rosa, "action", {}, name="put_to_rosa"),
        planted._tool(put_nowhere, "action", {}, name="put_nowhere"),
        planted._tool(whisper, "retrieval", {}),
        planted._tool(hush, "retrieval", {}),
        planted._tool(leave_message, "utility", {}),
        planted._tool(send_later, "action", {"what": {"type": "string"}}, **{"async": True}),
    ]
    return Registry("1.0.00000000", dict(planted.registry().tools) | {tool.name: tool for tool in tools})
