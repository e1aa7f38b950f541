"""Handlers that do what a test needs: quick, slow, broken, lying. Each is planted as a tool of its own."""

import asyncio
from functools import cache
from typing import Any

from switchboard.catalog.definitions.registry import BuiltTool, Registry
from switchboard.catalog.definitions.signature import read_signature
from switchboard.contract.context import CallContext
from switchboard.contract.deadline import bounded
from switchboard.contract.definitions.definition import read_definition
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.response import Intent, IntentType, Result
from switchboard.contract.store import Unavailable

done: list[str] = []
"""The effect keys of the actions that were really carried out."""
faltered: set[str] = set()
LATER = {"en": {"running": "I am on it."}, "de": {"running": "Ich kümmere mich darum."}}
"""The effect keys of the actions that have failed once."""
gates: dict[str, asyncio.Event] = {}
"""What a slow handler waits for."""


async def look(ctx: CallContext, desk: Any, *, word: str = "hello", times: int = 1) -> Result:
    """Read something."""
    return Result({"said": word * times, "business": ctx.business.id}, empty=word == "nothing")


async def see_own(ctx: CallContext, desk: Any, *, word: str = "hello", times: int = 1) -> Result:
    """Read what is the caller's own."""
    return Result({"verified": ctx.facts.caller_verified})


async def act(ctx: CallContext, desk: Any, *, what: str) -> Result:
    """Do something that can be counted."""
    done.append(ctx.effect_key)
    return Result({"done": what}, (Intent(IntentType.INJECT_CONTEXT, {"what": what}),), receipt={"what": what})


async def act_so(ctx: CallContext, desk: Any, *, what: str, manner: str = "politely") -> Result:
    """Do something in some manner."""
    return await act(ctx, desk, what=f"{what} {manner}")


async def look_slowly(ctx: CallContext, desk: Any) -> Result:
    """Read something that does not come."""
    await asyncio.Event().wait()
    return Result({})


async def act_slowly(ctx: CallContext, desk: Any, *, gate: str) -> Result:
    """Do something when the gate opens."""
    await gates[gate].wait()
    done.append(ctx.effect_key)
    return Result({"done": gate})


async def crash(ctx: CallContext, desk: Any) -> Result:
    """Fail as nobody expected."""
    raise KeyError("secret detail")


async def decline(ctx: CallContext, desk: Any, *, type: str, partial: bool = False, reason: str = "") -> Result:
    """Fail in a way the handler knows."""
    meta: dict[str, Any] = {"alternatives": ["later"]} | ({"reason": reason} if reason else {})
    raise ToolError(ErrorType(type), "no", partial_side_effects=partial, meta=meta)


async def lie(ctx: CallContext, desk: Any) -> Result:
    """Return what was not promised."""
    return Result({"said": 7})


async def stall(ctx: CallContext, desk: Any) -> Result:
    """Meet a store that does not answer."""
    raise Unavailable("the store hangs")


async def falter(ctx: CallContext, desk: Any, *, what: str) -> Result:
    """Fail the first time, before anything is done."""
    if ctx.effect_key not in faltered:
        faltered.add(ctx.effect_key)
        raise ToolError(ErrorType.TRANSIENT, "once more may help")
    done.append(ctx.effect_key)
    return Result({"done": what})


async def stumble(ctx: CallContext, desk: Any, *, what: str) -> Result:
    """Be begun, and end nobody knows how."""
    done.append(ctx.effect_key)
    raise ToolError(ErrorType.TRANSIENT, "nobody knows", retryable=True, partial_side_effects=True)


async def clock(ctx: CallContext, desk: Any) -> Result:
    """Tell how long a client may take."""
    return Result({"seconds": bounded(60.0)})


SAID = {"type": "object", "properties": {"said": {"type": "string"}}}
WORD = {"word": {"type": "string", "default": "hello"}, "times": {"type": "integer", "default": 1}}


def _tool(handler: Any, kind: str, properties: dict[str, Any], **fields: Any) -> BuiltTool:
    name = fields.pop("name", handler.__name__)
    required = [n for n, schema in properties.items() if "default" not in schema]
    document = {
        "category": "general",
        "kind": kind,
        "description": f"{name} for {{{{business.name}}}}.",
        "parameters": {"type": "object", "properties": properties, "required": required},
        "requires": [],
        **fields,
    }
    signature, problems = read_signature(handler)
    assert not problems
    path = f"{handler.__module__}:{handler.__name__}"
    return BuiltTool(read_definition(name, document), "", "", {}, signature, path)


DONE = {"type": "object", "properties": {"done": {"type": "string"}}, "additionalProperties": False}


def registry() -> Registry:
    """Return a registry of the planted tools, to which a test may add its own."""
    return Registry("1.0.00000000", _tools())


@cache
def _tools() -> dict[str, BuiltTool]:
    text = {"type": "string"}
    partial = {"type": text, "partial": {"type": "boolean", "default": False}, "reason": text | {"default": ""}}
    tools = [
        _tool(look, "retrieval", WORD),
        _tool(look, "retrieval", WORD, name="look_verified", verified=True),
        _tool(see_own, "retrieval", WORD, name="see_own", verified=True, callersOwn=True),
        _tool(act, "action", {"what": {"type": "string"}}, name="enter_event", verified=True, openedBy="open_events"),
        _tool(look, "retrieval", WORD, name="look_in_portal", channels=["portal"]),
        _tool(look, "retrieval", WORD, name="look_with_calendar", requires=["integration:calendar"]),
        _tool(act, "action", {"what": {"type": "string"}}),
        _tool(act, "action", {"what": {"type": "string"}}, name="act_again", repeatable=True),
        _tool(act, "action", {"what": {"type": "string"}}, name="act_anew", repeatable=True, repeat="turn"),
        _tool(act, "action", {"what": {"type": "string"}}, name="act_anew_if_agreed", repeat="turn", confirm=True),
        _tool(stumble, "action", {"what": {"type": "string"}}, name="stumble_anew", repeatable=True, repeat="turn"),
        _tool(act, "action", {"what": {"type": "string"}}, name="prove_it", category="verification"),
        _tool(act, "action", {"what": {"type": "string"}}, name="act_as_promised", returns=DONE),
        _tool(act, "action", {"what": {"type": "string"}}, name="act_later", say=LATER, **{"async": True}),
        _tool(look_slowly, "retrieval", {}, timeoutMs=50),
        _tool(act_slowly, "action", {"gate": {"type": "string"}}, timeoutMs=50, say={"en": {"failed": "Sorry."}}),
        _tool(crash, "retrieval", {}),
        _tool(crash, "action", {}, name="crash_acting"),
        _tool(decline, "action", partial, say={"en": {"failed": "Sorry."}, "de": {"failed": "Leider nicht."}}),
        _tool(falter, "action", {"what": {"type": "string"}}),
        _tool(lie, "retrieval", {}, returns=SAID),
        _tool(stall, "retrieval", {}),
        _tool(clock, "retrieval", {}),
    ]
    return {tool.name: tool for tool in tools}
