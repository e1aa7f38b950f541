"""A call that several instances take for theirs: one does it, and none ends it while another is still at it."""

import asyncio
import json
from dataclasses import replace
from datetime import timedelta

import pytest

from switchboard.catalog.definitions.registry import Registry
from switchboard.contract.context import CallContext
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.policy import CALL_LEASE_S
from switchboard.contract.response import Result
from switchboard.contract.store import Update
from switchboard.pipeline.ledger.record import MOST_RECOVERIES
from tests.desk.front_desk import StoppedClock
from tests.pipeline import planted, test_once
from tests.pipeline.conftest import BUSINESS, PATHS, Instance

BUSY: dict[str, int] = {}


async def bring(ctx: CallContext, desk: object, *, what: str, type: str = "CONFLICT") -> Result:
    """Be at it already, or out of order, for so many times; then do it."""
    if BUSY.get("times", 0) > 0:
        BUSY["times"] -= 1
        raise ToolError(ErrorType(type), "Somebody is at it.", retryable=True, meta=dict(BUSY.get("meta") or {}))
    planted.done.append(what)
    return Result({"done": what}, receipt={"what": what})


FATES: dict[str, ToolError] = {}
UNKNOWN = ToolError(ErrorType.TRANSIENT, "Nobody knows.", retryable=False, partial_side_effects=True)


async def send(ctx: CallContext, desk: object, *, what: str) -> Result:
    """Do it under its effect key, and meet what is meant for the call."""
    planted.done.append(ctx.effect_key)
    if ctx.facts.call_id in FATES:
        raise FATES[ctx.facts.call_id]
    return Result({"done": what}, receipt={"what": what})


def registry() -> Registry:
    text = {"type": "string"}
    params = {"what": text, "type": {**text, "default": "CONFLICT"}}
    tool = planted._tool(bring, "action", params, repeatable=True)
    once = planted._tool(bring, "action", params, name="bring_once")
    anew = planted._tool(send, "action", {"what": text}, repeatable=True, repeat="turn")
    return Registry("1.0.00000000", {**planted.registry().tools, **{one.name: one for one in (tool, once, anew)}})


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
    assert (row["state"], row["dueAt"], planted.done) == ("failed", None, [])
    assert 5 <= MOST_RECOVERIES - BUSY["times"] <= 7


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


def out_of_order() -> Registry:
    """Return the tools, of which two need the same service outside."""
    tools = dict(registry().tools)
    for name in ("bring", "decline"):
        tools[name] = replace(tools[name], definition=replace(tools[name].definition, toolkit="outside"))
    return Registry("1.0.00000000", tools)


@pytest.mark.requirement("004-746")
@pytest.mark.parametrize("comes_again", [False, True])
async def test_what_cannot_be_found_out_while_a_service_is_left_alone_is_found_out_later(store, clock, comes_again):
    """Its tool is not offered for a moment: nobody says for good that nobody knows, to no delivery and behind none."""
    office = Instance(store, clock, out_of_order())
    await die(office, store)
    clock.wait(CALL_LEASE_S + 1)
    for number in range(5):
        await office.call("decline", {"type": "TRANSIENT"}, session_id=f"other{number}")
    if comes_again:
        answer = await office.call("bring", {"what": "cake"}, call_id="c1")
        assert (answer.failure.type, answer.failure.retryable) == (ErrorType.CONFLICT, True)
    await office.dispatcher.recover()
    assert (await office.ledger("c1"))["state"] == "started"
    BUSY["times"] = 0
    for _ in range(3):
        clock.wait(20)
        await office.dispatcher.recover()
    assert ((await office.ledger("c1"))["state"], planted.done) == ("finished", ["cake"])


class Dies(BaseException):
    """The process ends here."""


async def die_before_beginning(office, call_id="c1", **args):
    begin = office.dispatcher.ledger.begin

    async def dies(case):
        raise Dies

    office.dispatcher.ledger.begin = dies
    with pytest.raises(Dies):
        await office.call("bring_once", {"what": "cake", **args}, call_id=call_id)
    office.dispatcher.ledger.begin = begin


@pytest.mark.requirement("003-464")
async def test_what_is_left_for_later_has_not_been_begun_even_where_it_may_not_be_done_twice(store, clock):
    """Each try found somebody at it and did nothing: it is done in the end, and not told as what nobody knows."""
    office = Instance(store, clock, registry())
    await die_before_beginning(office)
    BUSY["times"] = 2
    for _ in range(10):
        clock.wait(CALL_LEASE_S + 1)
        await office.dispatcher.recover()
    row = await office.ledger("c1")
    assert (row["state"], planted.done) == ("finished", ["cake"])


@pytest.mark.requirement("003-464")
async def test_what_is_left_for_later_stays_with_whoever_has_begun_it_meanwhile(store, clock):
    """They are at it: that it was begun stays in the row, or somebody would do it a second time."""
    office = Instance(store, clock, registry())
    await die_before_beginning(office)
    BUSY["times"] = 1
    clock.wait(CALL_LEASE_S + 1)
    lease_ends = clock.now() + timedelta(seconds=CALL_LEASE_S)
    others = {"begunAt": clock.now(), "owner": "others", "dueAt": lease_ends}
    settle = office.dispatcher.ledger.settle

    async def slowly(case, outcome):
        await store.commit([Update(PATHS.within(BUSINESS).call("s1", "c1"), others)])
        await settle(case, outcome)

    office.dispatcher.ledger.settle = slowly
    await office.dispatcher.recover()
    row = await office.ledger("c1")
    assert {name: row[name] for name in others} == others


@pytest.mark.requirement("003-464")
async def test_a_delivery_that_is_tried_again_and_dies_before_it_is_begun_is_carried_out(store, clock):
    """Its first try did nothing, and its second one was never begun: what the row says of the first is over."""
    office = Instance(store, clock, registry())
    await office.call("look")
    BUSY["times"] = 1
    first = await office.call("bring_once", {"what": "cake"}, call_id="c1")
    assert first.failure.retryable
    await die_before_beginning(office)
    clock.wait(CALL_LEASE_S + 1)
    await office.dispatcher.recover()
    row = await office.ledger("c1")
    assert (row["state"], planted.done) == ("finished", ["cake"])


async def die_unsettled(office, name, call_id, turn=0):
    """Come to an end of which nothing is written down."""
    settle = office.dispatcher.ledger.settle

    async def lost(case, outcome):
        return None

    office.dispatcher.ledger.settle = lost
    await office.call(name, {"what": "cake"}, call_id=call_id, turn=turn)
    office.dispatcher.ledger.settle = settle


@pytest.mark.requirement("003-464")
@pytest.mark.parametrize("by", ["reaper", "redelivery"])
async def test_what_was_answered_as_the_same_wish_is_not_done_by_whoever_takes_it_over(office, clock, by):
    """Another call had done it: that its instance died with the answer is no reason to do it a second time."""
    first = await office.call("act", {"what": "cake"}, call_id="c1")
    await die_unsettled(office, "act", "c2")
    clock.wait(CALL_LEASE_S + 1)
    if by == "reaper":
        await office.dispatcher.recover()
    again = await office.call("act", {"what": "cake"}, call_id="c2")
    assert (again.data, again.meta["repeatedOf"], len(planted.done)) == ({**first.data, "repeated": True}, "c1", 1)
    row = await office.ledger("c2")
    assert row["state"] == "finished"


@pytest.mark.requirement("003-464")
async def test_a_call_that_went_on_with_anothers_wish_does_not_give_it_up(store, clock):
    """Nobody knows what came of the first: a later turn still asks under its key, or it might be done twice."""
    office = Instance(store, clock, registry())
    FATES.update(c1=UNKNOWN, c2=UNKNOWN)
    assert (await office.call("send", {"what": "cake"}, call_id="c1", turn=1)).failure.partial_side_effects
    await die_unsettled(office, "send", "c2", turn=2)
    FATES["c2"] = ToolError(ErrorType.PERMANENT, "No.")
    clock.wait(CALL_LEASE_S + 1)
    await office.dispatcher.recover()
    assert (await office.ledger("c2"))["state"] == "failed"
    await office.call("send", {"what": "cake"}, call_id="c3", turn=3)
    FATES.clear()
    assert len(planted.done) >= 4 and len(set(planted.done)) == 1
