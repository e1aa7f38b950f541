"""More planted tools: those whose calls may take the short way, and those that need something special."""

import asyncio
from dataclasses import replace
from functools import cache
from typing import Any

from switchboard.catalog.registry import BuiltTool, Registry
from switchboard.contract.context import CallContext
from switchboard.contract.response import Result
from tests.pipeline import planted
from tests.pipeline.planted import WORD


async def pause(ctx: CallContext, desk: Any, *, word: str = "hello", times: int = 1) -> Result:
    """Read something after a moment."""
    for _ in range(times):
        await asyncio.sleep(0)
    return Result({"said": word, "now": ctx.now.isoformat(), "key": ctx.effect_key, "turn": ctx.facts.turn})


async def nap(ctx: CallContext, desk: Any) -> Result:
    """Take a moment that can be measured."""
    await asyncio.sleep(0.002)
    return Result({})


async def doze(ctx: CallContext, desk: Any) -> Result:
    """Take longer than there is."""
    await asyncio.Event().wait()
    return Result({})


async def note(ctx: CallContext, desk: Any, *, text: str = "") -> Result:
    """Compute something."""
    return Result({"noted": text, "call": ctx.facts.call_id, "tool": ctx.tool, "path": ctx.paths.business})


async def weigh(ctx: CallContext, desk: Any, *, share: float = 0.5) -> Result:
    """Take a number with a fraction."""
    return Result({"share": share, "type": type(share).__name__})


async def meet(ctx: CallContext, desk: Any, *, at: Any) -> Result:
    """Take a time."""
    return Result({"at": at.isoformat()})


async def chat(ctx: CallContext, desk: Any, *, word: str = "hello", times: int = 1) -> Result:
    """Return more than a channel takes."""
    return Result({"said": ["long " * 20 + word] * 200})


async def call_back(ctx: CallContext, desk: Any, *, phone: str) -> Result:
    """Use what only the call knows."""
    return Result({"phone": phone})


async def time_out(ctx: CallContext, desk: Any, *, times: int = 1) -> Result:
    """Meet a client that gives up by itself."""
    for _ in range(times):
        await asyncio.sleep(0)
    raise TimeoutError


async def stall_later(ctx: CallContext, desk: Any) -> Result:
    """Meet a store that does not answer, after a moment."""
    await asyncio.sleep(0)
    return await planted.stall(ctx, desk)


async def break_json(ctx: CallContext, desk: Any) -> Result:
    """Return what JSON cannot carry."""
    return Result({"huge": 2**70})


PHONE = {"phone": {"type": "string", "x-trust": "signalling", "x-from": "caller_phone"}}


def _tool(handler: Any, kind: str, properties: dict[str, Any], **fields: Any) -> BuiltTool:
    built = planted._tool(handler, kind, properties, **fields)
    return replace(built, handler_path=f"{__name__}:{handler.__name__}")


def registry() -> Registry:
    """Return a registry of these and of all other planted tools."""
    return Registry("1.0.00000000", planted.registry().tools | _tools())


@cache
def _tools() -> dict[str, BuiltTool]:
    tools = [
        _tool(pause, "retrieval", WORD),
        _tool(nap, "retrieval", {}),
        _tool(doze, "retrieval", {}, timeoutMs=5),
        _tool(note, "utility", {"text": {"type": "string", "default": ""}}),
        _tool(weigh, "utility", {"share": {"type": "number", "default": 0.5}}),
        _tool(meet, "retrieval", {"at": {"type": "string", "format": "date-time"}}),
        _tool(chat, "retrieval", WORD),
        _tool(call_back, "retrieval", PHONE),
        _tool(time_out, "retrieval", {"times": WORD["times"]}),
        _tool(stall_later, "retrieval", {}),
        _tool(break_json, "utility", {}),
    ]
    return {tool.name: tool for tool in tools}
