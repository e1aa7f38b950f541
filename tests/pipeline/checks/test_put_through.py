"""A caller is put through once in a turn: whoever is rung first is who they speak to."""

import asyncio
from typing import Any

import pytest

from switchboard.catalog.definitions.registry import Registry
from switchboard.contract.context import CallContext
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.response import Intent, IntentType, Result
from switchboard.contract.store import Set
from switchboard.state.memory.store import MemoryStore
from tests.desk.front_desk import StoppedClock
from tests.pipeline import planted
from tests.pipeline.conftest import BUSINESS, PATHS, Instance

pytestmark = pytest.mark.requirement("004-954")


async def transfer_call(ctx: CallContext, desk: Any, *, destination: str = "desk") -> Result:
    """Put the caller through, unless nobody is there."""
    if destination == "nobody":
        raise ToolError(ErrorType.CONFLICT, "Nobody is there.")
    return Result({}, intents=(Intent(IntentType.TRANSFER_CALL, {"destinationId": destination}),))


@pytest.fixture
async def house() -> Instance:
    """A house that can put callers through to several people."""
    to = {"destination": {"type": "string", "default": "desk"}}
    tool = planted._tool(transfer_call, "action", to, writes=False, requires=["escalation:transfer"])
    registry = Registry("1.0.00000000", {**planted.registry().tools, tool.name: tool})
    store = MemoryStore()
    rules = [{"action": "transfer", "destination": "+15185550143"}]
    await store.commit([Set(PATHS.within(BUSINESS).business, {"name": "Salon", "escalation": {"rules": rules}})])
    return Instance(store, StoppedClock(), registry)


@pytest.mark.parametrize("again", ["shop", "desk"])
async def test_a_second_person_is_not_rung_in_the_same_turn(house: Instance, again: str) -> None:
    """Two intents went out, and which of them the caller got was anybody's guess."""
    first = await house.call("transfer_call", {"destination": "desk"}, turn=1)
    assert first.ok and [intent.payload["destinationId"] for intent in first.intents] == ["desk"]
    second = await house.call("transfer_call", {"destination": again}, turn=1)
    assert second.failure is not None and not second.intents
    assert second.failure.type is ErrorType.SESSION_INACTIVE
    assert "being put through already" in second.failure.message
    # What else is called in that turn, and who is rung in a later one since nobody answered, is another matter.
    assert (await house.call("look", {"word": "x"}, turn=1)).ok
    assert (await house.call("transfer_call", {"destination": again}, turn=2)).ok


async def test_whom_nobody_was_rung_for_may_be_put_through_to_somebody_else(house: Instance) -> None:
    """A transfer that failed is none."""
    assert not (await house.call("transfer_call", {"destination": "nobody"}, turn=1)).ok
    assert (await house.call("transfer_call", {"destination": "shop"}, turn=1)).ok


@pytest.mark.requirement("004-971")
async def test_of_two_in_the_same_moment_one_rings_somebody(house: Instance) -> None:
    """Two servers were asked at once, and each found that nobody was rung yet."""
    other = Instance(house.store, StoppedClock(), house.catalog.definitions.registry)
    for turn in range(1, 4):
        both = await asyncio.gather(
            house.call("transfer_call", {"destination": "desk"}, turn=turn),
            other.call("transfer_call", {"destination": "shop"}, turn=turn),
        )
        assert sorted(one.ok for one in both) == [False, True]
        refused = next(one.failure for one in both if not one.ok)
        assert refused is not None and refused.type is ErrorType.SESSION_INACTIVE


async def test_whoever_is_refused_or_fails_beside_another_leaves_nothing_counted(house: Instance) -> None:
    """After two that came to nothing a third one rings."""
    both = await asyncio.gather(
        *(house.call("transfer_call", {"destination": "nobody"}, turn=1) for _ in range(2)),
    )
    assert not any(one.ok for one in both)
    assert (await house.call("transfer_call", {"destination": "shop"}, turn=1)).ok


async def test_another_instance_knows_of_it(house: Instance) -> None:
    """It is counted where all read it."""
    other = Instance(house.store, StoppedClock(), house.catalog.definitions.registry)
    assert (await house.call("transfer_call", {"destination": "desk"}, turn=1)).ok
    second = await other.call("transfer_call", {"destination": "shop"}, turn=1)
    assert second.failure is not None and second.failure.type is ErrorType.SESSION_INACTIVE
