"""A call that several instances take for theirs: one does it, and none ends it while another is still at it."""

import asyncio
import json

import pytest

from switchboard.catalog.registry import Registry
from switchboard.contract.context import CallContext
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.policy import CALL_LEASE_S
from switchboard.contract.response import Result
from switchboard.pipeline.row import MOST_RECOVERIES
from tests.desk.front_desk import StoppedClock
from tests.pipeline import planted, test_once
from tests.pipeline.conftest import Instance

BUSY: dict[str, int] = {}


async def bring(ctx: CallContext, desk: object, *, what: str, type: str = "CONFLICT") -> Result:
    """Be at it already, or out of order, for so many times; then do it."""
    if BUSY.get("times", 0) > 0:
        BUSY["times"] -= 1
        raise ToolError(ErrorType(type), "Somebody is at it.", retryable=True, meta=dict(BUSY.get("meta") or {}))
    planted.done.append(what)
    return Result({"done": what}, receipt={"what": what})


def registry() -> Registry:
    text = {"type": "string"}
    tool = planted._tool(bring, "action", {"what": text, "type": {**text, "default": "CONFLICT"}}, repeatable=True)
    return Registry("1.0.00000000", {**planted.registry().tools, tool.name: tool})


@pytest.mark.requirement("003-464")
async def test_a_clock_that_is_ahead_does_nothing_beside_whoever_is_about_to_begin(store, clock):
    """Its look finds the lease over; whichever is first begins, and the other one does not."""
    here, there = Instance(store, clock), Instance(store, ahead := StoppedClock())
    ahead.wait(45)
    begin = here.dispatcher.ledger.begin

    async def slowly(case):
        await there.dispatcher.recover()
        await begin(case)

    here.dispatcher.ledger.begin = slowly
    planted.done.clear()
    answer = await here.call("act", {"what": "cake"}, call_id="c1")
    assert len(planted.done) == 1
    assert (answer.failure.type, answer.failure.retryable) == (ErrorType.CONFLICT, True)
    row = await here.ledger("c1")
    assert (row["state"], json.loads(row["response"])["ok"]) == ("finished", True)
    again = await here.call("act", {"what": "cake"}, call_id="c1")
    assert again.ok and len(planted.done) == 1


async def die(office, store, **args):
    BUSY["times"] = 1
    await test_once.TestAbandonedCalls.die(office, store, "bring", {"what": "cake", **args})
    planted.done.clear()


@pytest.mark.requirement("003-464")
async def test_what_somebody_else_is_still_at_is_not_ended_but_asked_again(store, clock):
    """As a text that is being sent at this moment: it is done in the end, and told as done."""
    office = Instance(store, clock, registry())
    await die(office, store)
    BUSY["times"] = 3
    clock.wait(CALL_LEASE_S + 1)
    await office.dispatcher.recover()
    row = await office.ledger("c1")
    assert (row["state"], row.get("response")) == ("started", None)
    for _ in range(10):
        clock.wait(20)
        await office.dispatcher.recover()
    row = await office.ledger("c1")
    assert (row["state"], planted.done) == ("finished", ["cake"])


@pytest.mark.requirement("003-464")
async def test_what_is_out_of_order_for_a_moment_is_tried_a_few_times_and_then_told(store, clock):
    """Nobody waits for two hours to be told that it did not work."""
    office = Instance(store, clock, registry())
    await die(office, store, type="TRANSIENT")
    BUSY["times"] = MOST_RECOVERIES
    for _ in range(30):
        clock.wait(20)
        await office.dispatcher.recover()
    row = await office.ledger("c1")
    assert (row["state"], row["leaseUntil"], planted.done) == ("failed", None, [])
    assert 3 <= MOST_RECOVERIES - BUSY["times"] <= 5


@pytest.mark.requirement("003-464")
async def test_whoever_was_asked_says_when_it_is_worth_asking_again(store, clock):
    """Sooner than the usual pause."""
    office = Instance(store, clock, registry())
    await die(office, store)
    BUSY.update(times=1, meta={"retryAfterS": 4})
    clock.wait(CALL_LEASE_S + 1)
    await office.dispatcher.recover()
    clock.wait(5)
    await asyncio.wait_for(office.dispatcher.recover(), 10)
    assert ((await office.ledger("c1"))["state"], planted.done) == ("finished", ["cake"])
    BUSY.pop("meta")
