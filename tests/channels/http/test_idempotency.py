"""Webhooks that come twice get one answer, and do one thing."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard.channels.http.idempotency import Deliveries, delivery_key
from switchboard.contract.store import Set, StoreError
from switchboard.conversation.record import turn_lease
from switchboard.conversation.record.turn_lease import LEASE_S
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


async def left_behind(store, clock, key="k"):
    """Let a delivery be claimed by an instance that dies."""

    async def die() -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await Deliveries(store, clock).once(WITHIN, key, die)


async def test_of_several_that_find_what_an_instance_left_one_answers_it(store, clock, done):
    """The others wait for that."""
    await left_behind(store, clock)
    clock.wait(LEASE_S + 1)
    gate = asyncio.Event()
    several = [asyncio.create_task(Deliveries(store, clock).once(WITHIN, "k", work(done, gate))) for _ in range(4)]
    while not done:
        await asyncio.sleep(0)
    gate.set()
    assert set(await asyncio.gather(*several)) == {"<Response>1</Response>"}
    assert len(done) == 1


@pytest.mark.requirement("004-2401")
async def test_what_takes_long_is_waited_for_as_long_as_somebody_says_that_they_are_at_it(
    store, clock, done, monkeypatch
):
    """A turn that an owner tries takes as long as any."""
    monkeypatch.setattr(turn_lease, "RENEWED_AFTER_S", 0.01)
    gate = asyncio.Event()
    first = asyncio.create_task(Deliveries(store, clock).once(WITHIN, "k", work(done, gate)))
    while not done:
        await asyncio.sleep(0)
    for _ in range(3):
        clock.wait(LEASE_S - 3)
        await asyncio.sleep(0.05)
    second = asyncio.create_task(Deliveries(store, clock).once(WITHIN, "k", work(done)))
    await asyncio.sleep(0.1)
    assert not second.done()
    gate.set()
    assert await asyncio.gather(first, second) == ["<Response>1</Response>"] * 2
    assert len(done) == 1


@pytest.mark.requirement("004-2402")
@pytest.mark.parametrize("was_missed", [True, False])
async def test_an_instance_that_stood_still_answers_as_whoever_has_answered_meanwhile(store, clock, done, was_missed):
    """And what it would have answered is kept nowhere; where nobody has, its own is."""
    gate = asyncio.Event()
    frozen = asyncio.create_task(Deliveries(store, clock).once(WITHIN, "k", work(done, gate)))
    while not done:
        await asyncio.sleep(0)
    clock.wait(LEASE_S + 1)
    if was_missed:
        assert await Deliveries(store, clock).once(WITHIN, "k", work(done)) == "<Response>2</Response>"
        done.append("something that only the frozen one counts")
    gate.set()
    expected = "<Response>2</Response>" if was_missed else "<Response>1</Response>"
    assert await frozen == expected
    assert await Deliveries(store, clock).once(WITHIN, "k", work(done)) == expected


async def test_a_write_of_its_own_without_an_answer_loses_no_delivery(store, clock, done, monkeypatch):
    """That it is being worked on was written down, and nobody heard so."""
    monkeypatch.setattr(turn_lease, "RENEWED_AFTER_S", 0.01)
    gate = asyncio.Event()
    first = asyncio.create_task(Deliveries(store, clock).once(WITHIN, "k", work(done, gate)))
    while not done:
        await asyncio.sleep(0)
    store.fail("commit", after=True)
    clock.wait(3)
    await asyncio.sleep(0.05)
    store.recover()
    gate.set()
    assert await first == "<Response>1</Response>"
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
