"""The reaper looks every few seconds, and goes on when the store is away."""

import asyncio

from switchboard.contract.policy import CALL_LEASE_S
from switchboard.pipeline.reaper import passes, reap
from tests.pipeline.test_once import TestAbandonedCalls


async def nothing():
    """There are no bookings and no messages here."""
    return 0


async def until(condition):
    async with asyncio.timeout(10):
        while not await condition():
            await asyncio.sleep(0.01)


async def test_an_abandoned_call_is_brought_to_its_end_without_anybody_asking(office, store, clock):
    """Also when the store did not answer the first time."""
    await TestAbandonedCalls.die(office, store, "look")
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
