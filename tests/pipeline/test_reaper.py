"""The reaper looks every few seconds, and goes on when the store is away."""

import asyncio
import logging

import pytest

from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.policy import CALL_LEASE_S
from switchboard.contract.store import StoreError
from switchboard.pipeline.reaper import passes, reap
from tests.pipeline import test_once


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
    reaper = asyncio.create_task(reap(passes(office.dispatcher, nothing, nothing), every_s=0.01))

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

    found = passes(office.dispatcher, three, seven)
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
    caplog.set_level(logging.INFO, logger="switchboard.pipeline.reaper")
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
