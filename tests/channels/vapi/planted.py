"""Tools that run when a phone call starts: one that knows the caller, and some that fail in their own ways."""

import asyncio
from types import SimpleNamespace
from typing import Any

from switchboard.catalog.definitions.registry import Registry
from switchboard.contract.context import CallContext, PhoneContext
from switchboard.contract.response import Intent, IntentType, Result
from switchboard.desk.escalation.transfers import Transfers
from switchboard.desk.services import NoPhoneAccounts
from switchboard.tools.transfer_call import handler
from tests.pipeline import planted

begun: list[str] = []
"""Which of them were begun, in order."""
meeting: dict[str, asyncio.Barrier] = {}
"""Where tools meet that only end together."""


async def recall(ctx: CallContext, desk: Any) -> Result:
    """Say who calls whom."""
    begun.append(ctx.tool)
    assert isinstance(ctx.facts, PhoneContext)
    if "all" in meeting:
        await meeting["all"].wait()
    return Result(
        {"caller": ctx.facts.caller_phone, "called": ctx.facts.called_phone, "start": ctx.facts.is_call_start}
    )


async def recall_late(ctx: CallContext, desk: Any) -> Result:
    """Never come to an end."""
    begun.append(ctx.tool)
    await asyncio.Event().wait()
    return Result({})


async def recall_broken(ctx: CallContext, desk: Any) -> Result:
    """Fail."""
    begun.append(ctx.tool)
    raise KeyError("secret detail")


async def recall_of(ctx: CallContext, desk: Any, *, whom: str) -> Result:
    """Need an argument that nobody gives at the start of a call."""
    begun.append(ctx.tool)
    return Result({"whom": whom})


async def remark(ctx: CallContext, desk: Any) -> Result:
    """Find something, and say what to make of it."""
    begun.append(ctx.tool)
    return Result({"vip": True}, (Intent(IntentType.INJECT_CONTEXT, {"text": "They come\nevery week."}),))


async def hang_up(ctx: CallContext, desk: Any) -> Result:
    """End the call."""
    return Result({"ended": True}, (Intent(IntentType.END_CALL, {"reason": "goodbye"}),))


async def transfer_call(ctx: CallContext, desk: Any, *, destination: str = "") -> Result:
    """Put the call through, as the house's own tool does."""
    return await handler.execute(
        ctx,
        SimpleNamespace(transfers=Transfers(NoPhoneAccounts())),
        destination=destination or None,  # type: ignore[arg-type]
    )


def registry(*names: str) -> Registry:
    """Return the pipeline's planted tools, and those named of the above (`recall_1`, ... are further `recall`s)."""
    start = {"onCallStart": True}
    made = {**planted.registry().tools}
    if "transfer_call" in names:
        said = {"de": {"running": "Ich stelle Sie durch."}}
        made["transfer_call"] = planted._tool(
            *(transfer_call, "action", {"destination": {"type": "string", "default": ""}}),
            say=said,
            requires=["escalation:transfer"],
            writes=False,
        )
    for name in set(names) - {"transfer_call"}:
        handler = globals()[name if name in globals() else name.rpartition("_")[0]]
        properties = {"whom": {"type": "string"}} if name == "recall_of" else {}
        made[name] = planted._tool(handler, "retrieval", properties, name=name, **start)
    made["act_confirmed"] = planted._tool(
        planted.act, "action", {"what": {"type": "string"}}, name="act_confirmed", confirm=True
    )
    farewell = {"en": {"running": "Take care."}, "de": {"running": "Auf Wiederhören."}}
    made["hang_up"] = planted._tool(hang_up, "action", {}, name="hang_up", say=farewell, writes=False)
    return Registry("1.0.00000000", made)
