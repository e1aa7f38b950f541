"""The reaper looks every few seconds, and goes on when the store is away."""

import asyncio
import json
import logging
from datetime import UTC, datetime

import pytest

from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.policy import CALL_LEASE_S
from switchboard.contract.store import Set, StoreError
from switchboard.pipeline.execution.reaper import passes, reap
from switchboard.pipeline.ledger.record import MOST_RECOVERIES
from tests.pipeline import planted, test_once
from tests.pipeline.conftest import BUSINESS, PATHS

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


async def nothing():
    """There are no bookings and no messages here."""
    return 0


async def until(condition):
    async with asyncio.timeout(60):
        while not await condition():
            await asyncio.sleep(0.01)


async def test_an_abandoned_call_is_brought_to_its_end_without_anybody_asking(office, store, clock):
    """Also when the store did not answer the first time."""
    await test_once.TestAbandonedCalls.die(office, store, "look")
    clock.wait(CALL_LEASE_S + 1)
    store.fail("query")
    own = passes(office.dispatcher.recover, office.dispatcher.carry_out_queued, nothing, nothing)
    reaper = asyncio.create_task(reap(own, every_s=0.01))

    async def was_asked():
        return store.asked["query"] > 2

    async def is_finished():
        return (await office.ledger("c1"))["state"] == "finished"

    await until(was_asked)
    store.recover()
    await until(is_finished)
    reaper.cancel()
    await asyncio.gather(reaper, return_exceptions=True)


async def test_a_scheduler_asks_for_each_pass_by_its_name_and_reads_what_it_did(office):
    """The names are addresses (`POST /tasks/<name>`), and what each did is counted by what it was."""

    async def three():
        return 3

    async def seven():
        return 7

    found = passes(office.dispatcher.recover, office.dispatcher.carry_out_queued, three, seven)
    told = {name: await work(None) for name, work in found.items()}
    assert told == {
        "reap": {"recovered": 0},
        "queued": {"carriedOut": 0},
        "bookings": {"finished": 3},
        "outbox": {"attended": 7},
    }


async def test_there_is_a_pause_before_every_pass():
    """Work behind the calls must not take the time of the calls."""
    made = []

    async def work(business_id):
        made.append(business_id)
        await asyncio.sleep(0)
        return {}

    reaper = asyncio.create_task(reap({"work": work}, every_s=3_600))
    for _ in range(50):
        await asyncio.sleep(0)
    assert made == []
    reaper.cancel()
    await asyncio.gather(reaper, return_exceptions=True)


async def test_the_log_tells_of_passes_that_did_something_and_of_no_others(caplog):
    """A line every ten seconds that says nothing would hide those that do."""
    caplog.set_level(logging.INFO, logger="switchboard.pipeline.execution.reaper")
    rounds = []

    async def idle(business_id):
        rounds.append(1)
        return {"recovered": 0}

    async def busy(business_id):
        return {"finished": 2, "left": 0}

    reaper = asyncio.create_task(reap({"idle": idle, "busy": busy}, every_s=0.0))

    async def were_made():
        return len(rounds) > 2

    await until(were_made)
    reaper.cancel()
    await asyncio.gather(reaper, return_exceptions=True)
    assert {record.task for record in caplog.records} == {"busy"}


@pytest.mark.parametrize(
    "error", [KeyError("createdAt"), ToolError(ErrorType.TRANSIENT, "no answer"), StoreError("away")]
)
async def test_a_pass_that_breaks_down_ends_neither_the_others_nor_itself(error):
    """One document that nobody foresaw must not leave everything else of this instance unfinished until it restarts."""
    tried, made = [], []

    async def broken(business_id):
        tried.append(1)
        raise error

    async def sound(business_id):
        made.append(business_id)
        return {}

    reaper = asyncio.create_task(reap({"broken": broken, "sound": sound}, every_s=0.0))

    async def go_on():
        return reaper.done() or (len(tried) > 2 and len(made) > 2)

    await until(go_on)
    assert not reaper.done()
    assert set(made) == {None}
    reaper.cancel()
    await asyncio.gather(reaper, return_exceptions=True)


class TestPoison:
    """Calls that nobody can bring to their ends: each is left for later by itself, and in the end for people."""

    UNREADABLE = ("channel", "tool", "kind", "arguments", "turn")

    async def plant(self, office, store, count):
        """Leave so many calls whose rows cannot be read, older than any other, and one sound one behind them."""
        await office.call("look", call_id="c0")
        sound = await office.ledger("c0")
        within = PATHS.within(BUSINESS)
        for n in range(count):
            spoilt = sound | {"state": "started", "response": None, "callId": f"bad{n}", "dueAt": LONG_AGO}
            spoilt.pop(self.UNREADABLE[n % len(self.UNREADABLE)])
            await store.commit([Set(within.call("s1", f"bad{n}"), spoilt)])
        fresh = sound | {"state": "started", "response": None, "callId": "fresh", "dueAt": office.clock.now()}
        await store.commit([Set(within.call("s1", "fresh"), fresh)])

    async def test_more_than_a_page_of_them_keeps_no_sound_one_waiting(self, office, store, clock):
        """The very first pass comes to what stands behind them."""
        await self.plant(office, store, 120)
        clock.wait(1)
        await office.dispatcher.recover()
        assert (await office.ledger("fresh"))["state"] == "finished"

    async def test_they_are_tried_less_and_less_often_and_then_given_up(self, office, store, clock):
        """A pass every ten seconds for three hours tries each a few times; its row then says why it was left."""
        await self.plant(office, store, 10)
        tried = 0
        for _ in range(3 * 360):
            clock.wait(10)
            tried += await office.dispatcher.recover()
        assert tried <= 10 * (MOST_RECOVERIES + 1) + 1
        for n in range(10):
            row = await office.ledger(f"bad{n}")
            assert (row["state"], row["dueAt"], row["businessId"]) == ("unknown", None, BUSINESS)
            assert row["givenUp"] and row["givenUpAt"] and row["finishedAt"]
            assert json.loads(row["response"])["error"]["partialSideEffects"] is True

    async def test_what_is_queued_and_cannot_be_read_keeps_no_other_waiting_either(self, office, store, clock):
        """The same for calls that were accepted."""
        await office.call("act_later", {"what": "x"}, call_id="c1")
        sound = await office.ledger("c1")
        for n in range(60):
            spoilt = {**sound, "callId": f"bad{n}", "dueAt": LONG_AGO} | {"channel": "telegraph"}
            await store.commit([Set(PATHS.within(BUSINESS).call("s1", f"bad{n}"), spoilt)])
        await office.dispatcher.carry_out_queued()
        assert (await office.ledger("c1"))["state"] == "finished"
        assert await office.dispatcher.carry_out_queued() == 0

    async def test_a_row_that_stands_for_another_call_is_not_carried_out_as_that_one(self, office, store, clock):
        """As a copy in another business's folder: whose it is is where it lies."""
        await office.call("look", call_id="c0")
        sound = await office.ledger("c0")
        copy = sound | {"state": "started", "response": None, "dueAt": LONG_AGO}
        await store.commit([Set(PATHS.within("other").call("s1", "c0"), copy)])
        await office.dispatcher.recover()
        found = await store.get(PATHS.within("other").call("s1", "c0"))
        assert (found.data["state"], found.data["recoveries"]) == ("started", 1)

    async def test_a_call_that_kills_whoever_tries_it_is_not_tried_for_ever(self, office, store, clock):
        """It is counted before it is tried."""
        await test_once.TestAbandonedCalls.die(office, store, "act_again", {"what": "x"})
        for _ in range(MOST_RECOVERIES + 3):
            clock.wait(CALL_LEASE_S + 1)
            await test_once.TestAbandonedCalls.die(office, store, "act_again", {"what": "x"})
            clock.wait(CALL_LEASE_S + 1)
        planted.done.clear()
        await office.dispatcher.recover()
        row = await office.ledger("c1")
        assert (row["state"], row["dueAt"]) == ("unknown", None)
        assert planted.done == []
