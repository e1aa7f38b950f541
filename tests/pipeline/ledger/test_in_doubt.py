"""Whoever is told that nothing was done has nothing done: what is not certain yet is said to be not known."""

import asyncio
import json
from typing import Any

import pytest

from switchboard.catalog.definitions.registry import Registry
from switchboard.contract.channel import Channel
from switchboard.contract.context import CallContext, StaffMember
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.policy import CALL_LEASE_S
from switchboard.contract.response import EARLIER, Earlier, Result
from switchboard.contract.store import Create, Unavailable, Update
from switchboard.pipeline.ledger import unsettled
from tests.pipeline import planted
from tests.pipeline.conftest import BUSINESS, PATHS, Instance

pytestmark = pytest.mark.requirement("004-2101")
WISH = {"what": "x"}


away: list[bool] = []
"""Whether the store is, for handlers."""


async def read_first(ctx: CallContext, desk: Any, *, what: str) -> Result:
    """Do something once its data has been read."""
    if away:
        raise ToolError(ErrorType.TRANSIENT, "The calendar cannot be read right now. Try once more.")
    return await planted.act(ctx, desk, what=what)


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    """Clear up without waiting."""
    monkeypatch.setattr(unsettled, "_FIRST_PAUSE_S", 0.0)
    monkeypatch.setattr(unsettled, "_LONGEST_PAUSE_S", 0.01)


@pytest.fixture
async def houses(store, clock):
    """Two instances over one store; the first clears up behind itself, and the second makes the passes."""

    words = {"what": {"type": "string"}}
    own = [
        planted._tool(read_first, "action", words, name=name, **fields)
        for name, fields in (
            ("write_down", {}),
            ("book", {"repeatable": True}),
            ("leave", {"repeat": "never"}),
            ("order", {"async": True, "say": planted.LATER}),
        )
    ]
    tools = planted.registry().tools | {tool.definition.name: tool for tool in own}
    first, second = (Instance(store, clock, Registry("1.0.00000000", tools)) for _ in range(2))
    await first.call("look")
    keeping = asyncio.create_task(first.dispatcher.keep_cleared_up())
    yield first, second
    keeping.cancel()


def leave_after(store, commits, *, is_lost=True):
    """Let the store go away after so many commits; the one that finds it gone is carried out all the same, or not."""
    commit, count = store.commit, 0

    async def leaving(writes):
        nonlocal count
        count += 1
        if count > commits:
            away.append(True)
            store.fail("commit", "get", "query", "get_many")
            if not is_lost and count == commits + 1:
                await store.inner.commit(writes)
            raise Unavailable("no answer")
        results = await commit(writes)
        if count == commits:
            away.append(True)
            store.fail("get", "query", "get_many")
        return results

    store.commit = leaving

    def back():
        store.commit = commit
        away.clear()
        store.recover()

    return back


async def cleared_up(house, is_left=True):
    """Let an instance clear up what it has left."""
    for _ in range(200):
        await asyncio.sleep(0.005)
        if not house.dispatcher._unsettled._left.is_set():
            return
        house.clock.wait(1)
    assert not is_left


def may_be_done(response):
    """Tell whether a model is told that nobody knows."""
    failure = response.failure
    assert failure is not None and failure.type is ErrorType.TRANSIENT
    assert ("not known whether" in failure.message) is failure.partial_side_effects
    return failure.partial_side_effects


@pytest.mark.parametrize("tool", ["write_down", "book", "leave"])
async def test_what_could_not_be_read_is_not_said_to_be_undone_until_it_is_written_down(houses, store, clock, tool):
    """Its row would be carried out, should this instance die; it lives, and so nothing is done, and that is told."""
    first, second = houses
    call_id, told = f"c.{tool}", []

    async def arrived(facts, name, response):
        assert response.meta[EARLIER] == Earlier.UNKNOWN
        told.append((name, response.failure.partial_side_effects))

    first.dispatcher.arrivals[:] = [arrived]
    back = leave_after(store, 1)
    answer = await first.call(tool, WISH, call_id=call_id)
    back()
    assert may_be_done(answer)
    assert answer.failure.retryable is (tool != "leave")
    await cleared_up(first)
    assert told == [(tool, False)]
    clock.wait(CALL_LEASE_S + 1)
    assert await second.dispatcher.recover() == 0
    assert planted.done == []
    row = await second.ledger(call_id)
    assert row["state"] == "failed"
    late = (await first.call("look", turn=2)).meta["pendingResults"]
    assert [(each["callId"], each["response"]["ok"]) for each in late] == [(call_id, False)]


async def test_what_was_asked_for_again_meanwhile_is_no_news(houses, store):
    """The first call came to nothing; the second one's receipt is what counts."""
    first, _ = houses
    back = leave_after(store, 1)
    unsettled._FIRST_PAUSE_S = 0.2
    assert may_be_done(await first.call("book", WISH, call_id="c1"))
    back()
    assert (await first.call("book", WISH, call_id="c2")).ok
    await cleared_up(first)
    assert (await first.ledger("c1"))["state"] == "failed"
    assert "pendingResults" not in (await first.call("look", turn=2)).meta
    assert len(planted.done) == 1


async def test_what_is_delivered_again_is_told_by_that_delivery_alone(houses, store, monkeypatch):
    """What came to nothing before is no news beside what it came to now."""
    monkeypatch.setattr(unsettled, "_FIRST_PAUSE_S", 60.0)
    first, _ = houses
    back = leave_after(store, 1)
    assert may_be_done(await first.call("book", WISH, call_id="c1"))
    back()
    assert (await first.call("book", WISH, call_id="c1")).ok
    assert "pendingResults" not in (await first.call("look", turn=2)).meta
    assert len(planted.done) == 1


async def test_nobody_is_told_that_nothing_was_done_while_it_is_delivered_again(houses, store, monkeypatch):
    """The row is another delivery's by then, which has not come to its end."""
    monkeypatch.setattr(unsettled, "_FIRST_PAUSE_S", 60.0)
    first, _ = houses
    told: list[str] = []

    async def arrived(facts, name, response):
        told.append(name)

    first.dispatcher.arrivals[:] = [arrived]
    back = leave_after(store, 0)
    assert may_be_done(await first.call("book", WISH, call_id="c1"))
    back()
    row = PATHS.within(BUSINESS).call("s1", "c1")
    await store.commit([Create(row, {"owner": "another", "state": "started", "tool": "book"})])
    await first.dispatcher.clear_up()
    assert told == []
    assert (await store.get(row)).data["owner"] == "another"


async def test_what_was_written_down_although_nobody_heard_so_is_told(houses, store):
    """The commit went through and its answer was lost: the caller was told that nobody knows, and hears more."""
    first, _ = houses
    told: list[str] = []

    async def arrived(facts, name, response):
        told.append(name)

    first.dispatcher.arrivals[:] = [arrived]
    back = leave_after(store, 1, is_lost=False)
    assert may_be_done(await first.call("book", WISH, call_id="c1"))
    back()
    await cleared_up(first)
    assert told == ["book"]
    late = (await first.call("look", turn=2)).meta["pendingResults"]
    assert [(each["callId"], each["response"]["ok"]) for each in late] == [("c1", False)]
    assert planted.done == []


@pytest.mark.parametrize("tool", ["write_down", "book"])
async def test_an_instance_that_dies_in_between_has_told_nobody_anything_else(houses, store, clock, tool):
    """Others carry out what it had let in; its caller was told that this may be."""
    _, second = houses
    dying = Instance(store, clock, second.dispatcher.catalog.definitions.registry)
    await dying.call("look")
    back = leave_after(store, 1)
    answer = await dying.call(tool, WISH, call_id=f"c.{tool}")
    back()
    assert may_be_done(answer)
    clock.wait(CALL_LEASE_S + 1)
    assert await second.dispatcher.recover() == 1
    assert (await second.ledger(f"c.{tool}"))["state"] == "finished"
    assert len(planted.done) == 1


async def test_an_outage_that_outlasts_the_lease_leaves_nothing_to_whoever_clears_up_and_leads(houses, store, clock):
    """The pass of the very instance that has answered it does not carry it out, though it cannot be written down."""
    first, _ = houses
    back = leave_after(store, 1)
    await first.call("book", WISH, call_id="c1")
    clock.wait(CALL_LEASE_S + 1)
    back()
    settle = first.dispatcher.ledger.settle_late

    async def lost(*_):
        raise Unavailable("no answer")

    first.dispatcher.ledger.settle_late = lost
    assert await first.dispatcher.recover() == 0
    first.dispatcher.ledger.settle_late = settle
    await cleared_up(first)
    assert planted.done == []


@pytest.mark.parametrize("is_lost", [True, False])
async def test_an_admission_without_an_answer_is_taken_back_by_whoever_does_not_lead(houses, store, clock, is_lost):
    """Whether it was carried out or not; and told, since its caller was told that nobody knows."""
    first, second = houses
    call_id = f"c.{is_lost}"
    back = leave_after(store, 0, is_lost=is_lost)
    answer = await first.call("book", WISH, call_id=call_id)
    back()
    assert may_be_done(answer)
    await cleared_up(first)
    clock.wait(CALL_LEASE_S + 1)
    assert await second.dispatcher.recover() == 0
    assert planted.done == []
    assert await store.get(PATHS.within(BUSINESS).call("s1", call_id)) is None


async def test_the_same_delivery_once_more_does_not_wait_for_what_nobody_carries_out(houses, store, monkeypatch):
    """Its row is there, and was disowned by the very instance that it comes to."""
    monkeypatch.setattr(unsettled, "_FIRST_PAUSE_S", 60.0)
    first, _ = houses
    back = leave_after(store, 0, is_lost=False)
    assert may_be_done(await first.call("write_down", WISH, call_id="c1"))
    back()
    assert (await first.call("write_down", WISH, call_id="c1")).ok
    assert len(planted.done) == 1


async def test_what_cannot_be_noted_as_begun_nor_settled_is_not_known(houses, store, clock):
    """Where it can be settled, that is certain: nothing was done."""
    first, second = houses

    async def away(case):
        raise Unavailable("no answer")

    begin, settle = first.dispatcher.ledger.begin, first.dispatcher.ledger.settle
    first.dispatcher.ledger.begin = away
    assert not may_be_done(await first.call("act", WISH, call_id="c1"))

    async def lost(case, outcome, unless_since=None):
        raise Unavailable("no answer")

    first.dispatcher.ledger.settle = lost
    assert may_be_done(await first.call("act", {"what": "y"}, call_id="c2"))
    first.dispatcher.ledger.begin, first.dispatcher.ledger.settle = begin, settle
    await cleared_up(first)
    clock.wait(CALL_LEASE_S + 1)
    assert await second.dispatcher.recover() == 0
    assert planted.done == []


@pytest.mark.parametrize("is_lost", [True, False])
async def test_what_may_have_been_accepted_is_carried_out_or_told_to_be_undone(houses, store, clock, is_lost):
    """Its caller was told that nobody knows whether it was accepted."""
    first, second = houses
    call_id = f"c.{is_lost}"
    back = leave_after(store, 1, is_lost=is_lost)
    answer = await first.call("order", {"what": call_id}, call_id=call_id)
    back()
    assert may_be_done(answer)
    await cleared_up(first)
    clock.wait(CALL_LEASE_S + 1)
    await second.dispatcher.carry_out_queued()
    await second.dispatcher.recover()
    assert len(planted.done) == (0 if is_lost else 1)
    late = (await first.call("look", turn=2)).meta["pendingResults"]
    assert [(each["callId"], each["response"]["ok"]) for each in late] == [(call_id, not is_lost)]


async def test_a_refusal_that_could_not_be_recorded_stays_one(store, clock):
    """Its row says that it was refused, so that nobody carries it out once nothing stands against it any more."""
    for_verified = planted._tool(
        planted.act, "action", {"what": {"type": "string"}}, name="act_verified", verified=True
    )
    registry = Registry("1.0.00000000", planted.registry().tools | {"act_verified": for_verified})
    first, second = Instance(store, clock, registry), Instance(store, clock, registry)
    await first.call("look")
    back = leave_after(store, 1)
    answer = await first.call("act_verified", WISH, call_id="c1")
    back()
    assert answer.failure.type is ErrorType.MODE_RESTRICTED
    assert (await second.ledger("c1"))["isRefused"] is True
    ai = (await store.get(PATHS.within(BUSINESS).business)).data["ai"]
    await store.commit([Update(PATHS.within(BUSINESS).business, {"ai": ai | {"callerVerification": "none"}})])
    clock.wait(CALL_LEASE_S + 61)
    assert await second.dispatcher.recover() == 1
    row = await second.ledger("c1")
    assert (row["state"], json.loads(row["response"])["error"]["partialSideEffects"]) == ("failed", False)
    assert planted.done == []


async def test_a_look_up_is_answered_and_leaves_nothing(houses, store, clock):
    """It changes nothing, so that there is nothing to be in doubt about."""
    first, second = houses
    back = leave_after(store, 0, is_lost=False)
    assert (await first.call("look", {"word": "x"}, call_id="c1", turn=2)).ok
    back()
    assert not first.dispatcher._unsettled._left.is_set()
    clock.wait(CALL_LEASE_S + 1)
    assert await second.dispatcher.recover() == 0


@pytest.mark.parametrize("is_repeatable", [True, False])
async def test_what_people_of_the_business_do_needs_no_yes_to_be_gone_on_with(store, clock, is_repeatable):
    """Its row tells of none, and it was let through all the same: it is done once at most, or ends as done."""
    words = {"what": {"type": "string"}}
    tool = planted._tool(planted.act, "action", words, name="change", confirm=True, repeatable=is_repeatable)
    registry = Registry("1.0.00000000", planted.registry().tools | {"change": tool})
    dying, second = Instance(store, clock, registry), Instance(store, clock, registry)
    by = {"staff": StaffMember(id="u1", name="Ana", role="owner", seen=""), "is_trial": True, "caller_verified": True}
    await dying.call("look", channel=Channel.PORTAL, **by)
    back = leave_after(store, 1 if is_repeatable else 2)
    away.clear()
    assert (await dying.call("change", WISH, call_id="c1", channel=Channel.PORTAL, **by)).ok
    back()
    clock.wait(CALL_LEASE_S + 1)
    assert await second.dispatcher.recover() == 1
    row = await second.ledger("c1")
    assert row["state"] == ("finished" if is_repeatable else "unknown")
    assert len(set(planted.done)) == 1
    assert is_repeatable or len(planted.done) == 1
