"""What a model is told beside an error: what can be had instead here, by a tool that is offered here."""

import itertools
from typing import Any

import pytest

from switchboard.catalog.definitions.registry import Registry
from switchboard.catalog.offer.alternatives import WHEREVER
from switchboard.contract.channel import Channel
from switchboard.contract.context import CallContext, PhoneContext
from switchboard.contract.error import ErrorType, Refused, ToolError
from switchboard.contract.response import Result
from switchboard.contract.store import Set
from switchboard.state.memory.store import MemoryStore
from tests.desk.front_desk import StoppedClock
from tests.each import each
from tests.pipeline import planted
from tests.pipeline.conftest import BUSINESS, PATHS, Instance

NUMBER = "(518) 555-0142"
NOTHING = "take no message and put nobody through"
# What a model puts right itself, or what another answer follows.
SILENT = {
    ErrorType.VALIDATION,
    ErrorType.NOT_FOUND,
    ErrorType.CONFLICT,
    ErrorType.CONFIRMATION_REQUIRED,
    ErrorType.SESSION_INACTIVE,
}
raised: list[ToolError] = []


async def fail(ctx: CallContext, desk: Any) -> Result:
    """Fail as a test has asked for."""
    raise raised[-1]


async def take_message(ctx: CallContext, desk: Any) -> Result:
    """Fail to take a message."""
    raise raised[-1]


async def transfer_call(ctx: CallContext, desk: Any) -> Result:
    """Fail to put somebody through."""
    raise raised[-1]


async def look_within(ctx: CallContext, desk: Any) -> Result:
    """Tell what another tool has failed with."""
    return Result({"told": (await ctx.tools.call("fail", {})).failure.message})


def registry() -> Registry:
    say = {"en": {"failed": "I could not do it. {{ways_out}}"}}
    tools = [
        planted._tool(fail, "utility", {}, say=say),
        planted._tool(look_within, "utility", {}),
        planted._tool(look_within, "utility", {}, name="verify_first", verified=True),
        planted._tool(take_message, "action", {}, requires=["escalation:message"], say=say),
        planted._tool(transfer_call, "action", {}, requires=["escalation:transfer"], channels=["phone"], say=say),
    ]
    return Registry("1.0.00000000", {**planted.registry().tools, **{tool.name: tool for tool in tools}})


async def house(*actions: str, number: bool = False) -> Instance:
    store = MemoryStore()
    document = {
        "name": "Salon",
        "phone": NUMBER if number else "",
        "ai": {"language": "en", "callerVerification": "match"},
        "escalation": {"rules": [{"action": action} for action in actions]},
    }
    await store.commit([Set(PATHS.within(BUSINESS).business, document)])
    return Instance(store, StoppedClock(), registry())


def ways_in(message: str) -> set[str]:
    return {way for way, tool in (("message", "take_message"), ("transfer", "transfer_call")) if f"({tool})" in message}


@pytest.mark.requirement("000-371")
async def test_every_error_offers_what_is_offered_and_nothing_else() -> None:
    """Whatever its type, whether a check or a tool says it; on every channel."""
    offered = [(), ("message",), ("transfer",), ("message", "transfer")]
    for actions, number in itertools.product(offered, (False, True)):
        office = await house(*actions, number=number)
        for channel, type, kind in itertools.product(Channel, ErrorType, (ToolError, Refused)):
            raised[:] = [kind(type, "It did not work.")]
            response = await office.call("fail", channel=channel, session_id=f"{channel} {type} {kind}")
            assert response.failure is not None
            message = response.failure.message
            can_be_had = {way for way in actions if way == "message" or channel is Channel.PHONE}
            assert message.startswith("It did not work.")
            assert ways_in(message) == (set() if type in SILENT else can_be_had), message
            assert (NOTHING in message) == (type not in SILENT and not can_be_had)
            assert (NUMBER in message) == (type not in SILENT and not can_be_had and number)
            say = response.meta.get("say", "")
            assert ("take a message" in say) == (bool(say) and "message" in can_be_had), say
            assert ("put you through" in say) == (bool(say) and "transfer" in can_be_had), say


@each("instead", [True, False])
@each("type", list(ErrorType))
async def test_an_error_may_know_better_whether_it_is_the_end(type, instead):
    """Another time is free, or no other is."""
    office = await house("message")
    raised[:] = [ToolError(type, "No.", instead=instead)]
    response = await office.call("fail", session_id=type.value)
    assert (ways_in(response.failure.message) == {"message"}) is instead


@pytest.mark.requirement("000-371")
@pytest.mark.parametrize("tool", ["take_message", "transfer_call"])
async def test_what_a_turn_had_no_room_for_is_still_offered(tool: str) -> None:
    """It was not tried in vain: the next turn has new calls, and nobody is told that no message can be taken."""
    office = await house("message", "transfer")
    await office.store.commit(
        [Set(PATHS.within(BUSINESS).business, {"limits": {"phone": {"callsPerTurn": 1}}}, merge=True)]
    )
    raised[:] = [ToolError(ErrorType.NOT_FOUND, "No.")]
    await office.call("fail", turn=1)
    response = await office.call(tool, turn=1)
    assert response.failure is not None and response.failure.type is ErrorType.BUDGET_EXCEEDED
    assert "their next turn has new tool calls" in response.failure.message
    assert ways_in(response.failure.message) == {"message", "transfer"}


@pytest.mark.requirement("000-371")
@pytest.mark.parametrize(("tool", "left"), [("take_message", "transfer"), ("transfer_call", "message")])
async def test_what_has_just_failed_is_not_offered_again(tool: str, left: str) -> None:
    """A message that could not be taken is no way out of that, and neither is a transfer."""
    raised[:] = [ToolError(ErrorType.PERMANENT, "No.")]
    response = await (await house("message", "transfer")).call(tool)
    assert response.failure is not None and ways_in(response.failure.message) == {left}
    assert ("take a message" in response.meta["say"]) is (left == "message")
    alone = await (await house("message" if tool == "take_message" else "transfer")).call(tool)
    assert alone.failure is not None and NOTHING in alone.failure.message
    assert alone.meta["say"] == "I could not do it. Please call again a little later."


async def test_a_tool_within_a_tool_is_told_the_bare_error() -> None:
    """What can be had is told once, by the call that the model has made."""
    raised[:] = [ToolError(ErrorType.PERMANENT, "No.")]
    response = await (await house("message")).call("look_within")
    assert response.data == {"told": "No."}


@pytest.mark.requirement("000-374")
async def test_whoever_cannot_be_verified_is_not_asked_to_be() -> None:
    """Where nothing verifies anybody, a tool for verified callers says so, and what can be had instead."""
    response = await (await house("message")).call("verify_first")
    assert response.failure is not None and response.failure.type is ErrorType.MODE_RESTRICTED
    assert "Nobody can be verified here" in response.failure.message
    assert ways_in(response.failure.message) == {"message"}


async def test_where_nobody_knows_what_is_offered_nothing_is() -> None:
    """A call that the catalog could say nothing about."""
    office = await house("message")
    response = await office.dispatcher.execute_tool(
        "fail", {}, "another", PhoneContext(business_id=BUSINESS, session_id="s1", call_id="c1")
    )
    assert response.failure is not None and response.failure.message.endswith(WHEREVER)
