"""What the salon of these tests can do: look for times when a gate opens, and reserve one after a yes."""

import asyncio
from typing import Any

from switchboard.catalog.definitions.registry import Registry
from switchboard.contract.context import CallContext, Context
from switchboard.contract.response import Intent, IntentType, Result
from tests.conversation import planted
from tests.pipeline.planted import _tool

gates: dict[str, asyncio.Event] = {}
"""What looking for times on a day waits for; a day without one is looked up at once."""
looked: list[str] = []
"""The days that were looked up to the end."""
reserved: list[str] = []
"""Who has a reservation."""
rung: list[Context] = []
"""The facts of the calls that rang."""
WHEN = "2027-03-16T10:00:00-04:00"


async def find_times(ctx: CallContext, desk: Any, *, day: str) -> Result:
    """Return the times of a day."""
    if day in gates:
        await gates[day].wait()
    looked.append(day)
    return Result({"times": ["10:00", "11:30"]})


async def reserve(ctx: CallContext, desk: Any, *, service: str, name: str) -> Result:
    """Reserve a time."""
    if name in gates:
        await gates[name].wait()
    reserved.append(name)
    company = {"with": "Maja", "partySize": 3} if service == "Dinner" else {}
    receipt = {"what": service, "for": name, "when": WHEN, "effectIds": ["bk_1"], **company}
    return Result({"reserved": True}, receipt=receipt)


async def ring(ctx: CallContext, desk: Any) -> Result:
    """Ask for effects whose payload is nobody's business."""
    rung.append(ctx.facts)
    payload = {"number": "+15185550143", "callerId": "+15185550177", "reason": "call me on +1 518 555 0177"}
    return Result({}, (Intent(IntentType.START_VOICE_SESSION, payload), Intent(IntentType.INJECT_CONTEXT, payload)))


async def ignore_user(ctx: CallContext, desk: Any) -> Result:
    """Do something about the caller."""
    return Result({"ended": True}, receipt={"what": "block", "for": "+15185550177", "when": WHEN})


def registry() -> Registry:
    """Return a registry of these and of the conversation tests' tools."""
    text = {"type": "string"}
    tools = [
        _tool(find_times, "retrieval", {"day": text}, say={"en": {"running": "Checking Tuesday…"}}),
        _tool(
            reserve,
            "action",
            {"service": text, "name": text},
            name="book_appointment",
            confirm=True,
            readBack={"en": "Shall I book {{service}} for {{name}}?"},
            say={"en": {"running": "One moment, I'm booking that for you."}},
        ),
        _tool(ring, "retrieval", {}),
        _tool(ignore_user, "action", {}),
    ]
    return Registry("1.0.00000000", dict(planted.registry().tools) | {tool.name: tool for tool in tools})


def forget() -> None:
    """Begin a test."""
    for known in (gates, looked, reserved, rung, planted.gates, planted.begun):
        known.clear()
