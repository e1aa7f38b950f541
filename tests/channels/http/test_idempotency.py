"""Webhooks that come twice get one answer, and do one thing."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard.channels.http.idempotency import Deliveries, delivery_key
from switchboard.contract.store import Set, StoreError
from switchboard.state.memory.store import MemoryStore
from switchboard.state.paths import FirestorePaths
from tests.desk.front_desk import StoppedClock, WatchedStore

WITHIN = FirestorePaths().within("salon")


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


async def test_what_is_kept_beside_something_else_is_answered_once_and_leaves_the_rest(store, clock, done):
    """What a phone call's webhooks leave for each other stays, whoever is first."""
    path = WITHIN.document("tickets", "phone:CA1")
    deliveries = Deliveries(store, clock)

    told: list[bool] = []

    async def answer(is_new: bool) -> tuple[str, dict[str, str]]:
        told.append(is_new)
        return await work(done)(), {"noted": "by the first"}

    heard = [await Deliveries(store, clock).once_beside(path, key, answer) for key in ("k", "k", "other")]
    assert heard == ["<Response>1</Response>", "<Response>1</Response>", "<Response>2</Response>"]
    assert (await store.get(path)).data["noted"] == "by the first"
    assert told == [True, False]
    await store.commit([Set(path, {"handoff": {"number": "+1"}}, merge=True)])
    assert await deliveries.once_beside(path, "k", answer) == "<Response>1</Response>"
    assert (await store.get(path)).data["handoff"] == {"number": "+1"}


async def test_of_many_at_once_beside_something_else_one_is_answered(store, clock, done):
    """Also where they come to several instances."""
    path, gate = WITHIN.document("tickets", "phone:CA1"), asyncio.Event()

    async def answer(is_new: bool) -> tuple[str, dict[str, str]]:
        return await work(done, gate)(), {}

    several = [asyncio.create_task(Deliveries(store, clock).once_beside(path, "k", answer)) for _ in range(5)]
    while not done:
        await asyncio.sleep(0)
    gate.set()
    assert set(await asyncio.gather(*several)) == {"<Response>1</Response>"}
    assert len(done) == 1


async def test_what_is_left_with_an_answer_is_not_lost_without_a_word(store, clock, done):
    """The next webhook could not go on without it."""

    async def answer(is_new: bool) -> tuple[str, dict[str, str]]:
        return await work(done)(), {"noted": "something"}

    store.fail("commit")
    with pytest.raises(StoreError):
        await Deliveries(store, clock).once_beside(WITHIN.document("tickets", "phone:CA1"), "k", answer)


@given(st.lists(st.binary(max_size=4), max_size=4), st.lists(st.binary(max_size=4), max_size=4))
def test_different_deliveries_have_different_keys(one, two):
    """Also where their parts, joined, would be the same."""
    assert (delivery_key(*one) == delivery_key(*two)) is (one == two)
