"""Planted tools that call other tools."""

import asyncio
from dataclasses import replace
from typing import Any

from switchboard.catalog.definitions.registry import BuiltTool, Registry
from switchboard.contract.context import CallContext
from switchboard.contract.response import Result, ToolResponse
from tests.pipeline import planted

heard: list[ToolResponse] = []
"""What the calls within calls were answered, the innermost first."""


async def ask(ctx: CallContext, desk: Any, *, tool: str, word: str = "hello", times: int = 1) -> Result:
    """Call another tool, so many times after each other."""
    for number in range(times):
        heard.append(await ctx.tools.call(tool, {"word": f"{word}{number}"} if tool == "look" else {}))
    return Result({"answers": [answer.ok for answer in heard]})


async def ask_to_act(ctx: CallContext, desk: Any, *, tool: str) -> Result:
    """Call an action."""
    heard.append(await ctx.tools.call(tool, {"what": "x"}))
    return Result({"ok": heard[-1].ok})


async def ask_slowly(ctx: CallContext, desk: Any) -> Result:
    """Call a tool that takes longer than there is time."""
    heard.append(await ctx.tools.call("wait", {}))
    await asyncio.Event().wait()
    return Result({})


async def wait(ctx: CallContext, desk: Any) -> Result:
    """Never come back."""
    await asyncio.Event().wait()
    return Result({})


async def descend(ctx: CallContext, desk: Any, *, levels: int) -> Result:
    """Call itself until there are no levels left."""
    if levels:
        heard.append(await ctx.tools.call("descend", {"levels": levels - 1}))
    return Result({"depth": len(ctx.facts.within)})


def _tool(handler: Any, kind: str, properties: dict[str, Any], **fields: Any) -> BuiltTool:
    built = planted._tool(handler, kind, properties, **fields)
    return replace(built, handler_path=f"{__name__}:{handler.__name__}")


def registry() -> Registry:
    """Return a registry of these and of the other planted tools."""
    text, number = {"type": "string"}, {"type": "integer", "default": 1}
    asking = {"tool": text, "word": {"type": "string", "default": "hello"}, "times": number}
    act = {"what": text}
    tools = [
        _tool(ask, "utility", asking),
        _tool(ask, "retrieval", asking, name="ask_reading"),
        _tool(ask_to_act, "utility", {"tool": text}),
        _tool(ask_to_act, "action", {"tool": text}, name="act_by_another"),
        _tool(ask_slowly, "utility", {}, timeoutMs=60),
        _tool(wait, "retrieval", {}, timeoutMs=700),
        _tool(descend, "utility", {"levels": {"type": "integer"}}),
        planted._tool(planted.act, "action", act, name="act_if_agreed", confirm=True),
    ]
    known = planted.registry().tools
    return Registry("1.0.00000000", known | {tool.name: tool for tool in tools})
