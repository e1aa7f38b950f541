"""Cached values: read once per lifetime, by one reader at a time, and served stale when the source fails."""

import asyncio

import pytest

from switchboard.contract.cache import RETRY_AFTER_S, Aged, Cache
from switchboard.contract.store import Unavailable


class HandClock:
    """A clock that moves when it is told to."""

    def __init__(self):
        self.at = 0.0

    def monotonic(self):
        return self.at


class Source:
    """Counts its readers, and fails or waits when told to."""

    def __init__(self):
        self.reads, self.error, self.gate = 0, None, None

    async def load(self, key):
        self.reads += 1
        if self.gate:
            await self.gate.wait()
        if self.error:
            raise self.error
        return f"{key}{self.reads}"


@pytest.fixture
def kept():
    clock, source = HandClock(), Source()
    return Cache(clock, 60, 2, source.load), clock, source


@pytest.mark.requirement("004-21")
async def test_a_value_is_read_once_within_its_lifetime(kept):
    """However often it is asked for."""
    values, clock, source = kept
    for clock.at in (0, 1, 59.9):
        assert (await values.get("a")).value == "a1"
    clock.at = 60
    assert (await values.get("a")).value == "a2"
    assert source.reads == 2


async def test_a_value_that_was_old_when_it_was_read_is_fresh_for_as_much_less():
    """Whatever has kept it before counts as part of its lifetime."""
    clock, ages = HandClock(), iter([40, 0])

    async def read(key):
        return Aged(f"{key}{clock.at:g}", next(ages))

    values = Cache(clock, 60, 2, read)
    clock.at = 100
    cached = await values.get("a")
    assert (cached.value, cached.read_at, values.age_s(cached)) == ("a100", 60, 40)
    clock.at = 119.9
    assert (await values.get("a")).value == "a100"
    clock.at = 120
    assert (await values.get("a")).value == "a120"
    clock.at = 179.9
    assert (await values.get("a")).value == "a120"


async def test_many_readers_share_one_read(kept):
    """Single flight: a hundred callers at the moment of expiry cost one read."""
    values, _, source = kept
    source.gate = asyncio.Event()
    readers = [asyncio.create_task(values.get("a")) for _ in range(100)]
    await asyncio.sleep(0)
    source.gate.set()
    assert {(await r).value for r in readers} == {"a1"}
    assert source.reads == 1


async def test_a_reader_who_gives_up_does_not_take_the_answer_from_the_others(kept):
    """One caller hangs up during the read; the rest are served."""
    values, _, source = kept
    source.gate = asyncio.Event()
    first, second = (asyncio.create_task(values.get("a")) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    source.gate.set()
    assert (await second).value == "a1"


@pytest.mark.requirement("004-16")
async def test_an_expired_value_outlives_a_store_that_fails(kept):
    """Stale while error; the store is asked again a second later, not by every caller."""
    values, clock, source = kept
    await values.get("a")
    clock.at, source.error = 100, Unavailable("down")
    stale = await values.get("a")
    assert (stale.value, stale.is_stale, values.age_s(stale)) == ("a1", True, 100)
    await values.get("a")
    assert source.reads == 2
    clock.at, source.error = 100 + RETRY_AFTER_S, None
    assert (await values.get("a")).is_stale is False


async def test_a_value_never_read_fails_with_the_stores_error_without_asking_every_time(kept):
    """The first failure is remembered for a second."""
    values, clock, source = kept
    source.error = Unavailable("down")
    for _ in range(3):
        with pytest.raises(Unavailable):
            await values.get("a")
    assert source.reads == 1
    clock.at, source.error = RETRY_AFTER_S, None
    assert (await values.get("a")).value == "a2"


async def test_a_dropped_value_is_read_again_and_old_ones_make_room(kept):
    """Publishing from this process is visible at once; memory is bounded."""
    values, _, _ = kept
    await values.get("a")
    values.drop("a")
    assert values.fresh("a") is None
    for key in ("a", "b", "c"):
        await values.get(key)
    assert values.fresh("a") is None
    assert values.fresh("c").value == "c4"


@pytest.mark.requirement("004-461")
async def test_what_is_dropped_while_it_is_being_read_is_read_again(kept):
    """That read may have begun before the change: it answers who waits for it, and nobody after them."""
    values, _, source = kept
    source.gate = asyncio.Event()
    early = asyncio.create_task(values.get("a"))
    await asyncio.sleep(0)
    values.drop("a")
    late = asyncio.create_task(values.get("a"))
    await asyncio.sleep(0)
    source.gate.set()
    await asyncio.gather(early, late)
    assert values.fresh("a") is late.result()
    assert source.reads == 2
    assert not early.result().expires_at > 0


@pytest.mark.requirement("004-461")
async def test_a_read_that_fails_after_its_value_was_dropped_leaves_nothing(kept):
    """The next reader asks the store at once."""
    values, _, source = kept
    source.gate, source.error = asyncio.Event(), Unavailable("away")
    early = asyncio.create_task(values.get("a"))
    await asyncio.sleep(0)
    values.drop("a")
    source.gate.set()
    with pytest.raises(Unavailable):
        await early
    source.error = None
    assert (await values.get("a")).value == "a2"


def test_a_loop_that_ended_in_the_middle_of_a_read_keeps_nobody_waiting():
    """Each loop reads for itself: what waits in another cannot be waited for here."""
    source = Source()
    values = Cache(HandClock(), 60, 2, source.load)

    async def leaves() -> None:
        source.gate = asyncio.Event()
        asyncio.get_running_loop().call_soon(asyncio.current_task().cancel)
        with pytest.raises(asyncio.CancelledError):
            await values.get("a")

    async def comes_later() -> str:
        source.gate = None
        return (await values.get("a")).value

    with asyncio.Runner() as runner:
        runner.run(leaves())
        with asyncio.Runner() as other:
            assert other.run(comes_later()) == "a2"
