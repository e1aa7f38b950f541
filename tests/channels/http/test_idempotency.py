"""Webhooks that come twice get one answer, and do one thing."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard.channels.http.idempotency import Deliveries, delivery_key
from switchboard.channels.stranger_shares import StrangerShares
from switchboard.contract.context import PortalContext
from switchboard.contract.error import Refused
from switchboard.contract.policy import Thing
from switchboard.contract.store import Create
from switchboard.state.memory.store import MemoryStore
from switchboard.state.paths import FirestorePaths
from tests.desk.front_desk import StoppedClock, WatchedStore

WITHIN = FirestorePaths().within("salon")


class HeldStore(WatchedStore):
    """A store in which whoever claims a delivery hears of it only later."""

    held: asyncio.Event | None = None

    async def commit(self, writes):
        results = await super().commit(writes)
        if self.held is not None and any(isinstance(write, Create) for write in writes):
            self.asked.clear()
            await self.held.wait()
        return results


@pytest.fixture
def store() -> WatchedStore:
    return WatchedStore(MemoryStore())


@pytest.fixture
def clock() -> StoppedClock:
    return StoppedClock()


@pytest.fixture
def done() -> list[str]:
    return []


def work(done: list[str], gate: asyncio.Event | None = None):
    async def answer() -> str:
        done.append("once more")
        if gate is not None:
            await gate.wait()
        return f"<Response>{len(done)}</Response>"

    return answer


async def test_a_second_delivery_gets_the_first_ones_answer(store, clock, done):
    """On this instance or another."""
    first = await Deliveries(store, clock).once(WITHIN, "k", work(done))
    again = await Deliveries(store, clock).once(WITHIN, "k", work(done))
    other = await Deliveries(store, clock).once(WITHIN, "other", work(done))
    assert (first, again, other) == ("<Response>1</Response>", "<Response>1</Response>", "<Response>2</Response>")


async def test_a_delivery_that_comes_while_the_first_is_answered_waits_for_it(store, clock, done):
    """Twilio may try again on another connection."""
    gate = asyncio.Event()
    deliveries = Deliveries(store, clock)
    first = asyncio.create_task(deliveries.once(WITHIN, "k", work(done, gate)))
    while not done:
        await asyncio.sleep(0)
    rest = [asyncio.create_task(deliveries.once(WITHIN, "k", work(done))) for _ in range(5)]
    while store.asked["get"] < 5:
        await asyncio.sleep(0)
    gate.set()
    assert set(await asyncio.gather(first, *rest)) == {"<Response>1</Response>"}
    assert len(done) == 1


async def test_what_an_instance_left_unanswered_is_answered_later(store, clock, done):
    """It died; the effects of its tools are guarded by the ledger."""

    async def die() -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await Deliveries(store, clock).once(WITHIN, "k", die)
    clock.wait(16)
    assert await Deliveries(store, clock).once(WITHIN, "k", work(done)) == "<Response>1</Response>"


@pytest.mark.parametrize("after", [False, True])
async def test_a_store_that_does_not_answer_keeps_nobody_waiting_for_an_answer(store, clock, done, after):
    """Any failure inside still answers the phone."""
    store.fail("commit", after=after)
    assert await Deliveries(store, clock).once(WITHIN, "k", work(done)) == "<Response>1</Response>"


async def test_a_delivery_whose_first_was_refused_meanwhile_has_to_have_a_share_itself(clock, done):
    """What was claimed for one that is refused lets nobody through; the same message twice at once is no way in."""
    store, refused = HeldStore(MemoryStore()), asyncio.Event()
    facts = PortalContext(business_id="salon", session_id="s", address="203.0.113.9")
    shares = [StrangerShares(store, FirestorePaths(), clock) for _ in range(3)]
    with pytest.raises(Refused):
        while True:
            await shares[0].spend(facts, Thing.MODEL_TURNS)
    store.held = refused
    both = [
        asyncio.create_task(Deliveries(store, clock).once(WITHIN, "k", work(done), one.of(facts, Thing.MODEL_TURNS)))
        for one in shares[1:]
    ]
    while not store.asked["get"]:
        await asyncio.sleep(0)
    refused.set()
    found = await asyncio.gather(*both, return_exceptions=True)
    assert [type(one) for one in found] == [Refused, Refused]
    assert not done


@given(st.lists(st.binary(max_size=4), max_size=4), st.lists(st.binary(max_size=4), max_size=4))
def test_different_deliveries_have_different_keys(one, two):
    """Also where their parts, joined, would be the same."""
    assert (delivery_key(*one) == delivery_key(*two)) is (one == two)
