"""Reads that callers share: single flight, a short life, a bounded number, and old values in an outage."""

import asyncio

import pytest

from switchboard.contract.cache import Cache
from switchboard.contract.store import Unavailable
from tests.desk.front_desk import StoppedClock


class Source:
    """Counts its reads, waits at a gate, and fails when told to."""

    def __init__(self):
        self.reads, self.gate, self.failing = 0, asyncio.Event(), False
        self.gate.set()

    async def read(self):
        self.reads += 1
        number, failing = self.reads, self.failing
        await self.gate.wait()
        if failing:
            raise Unavailable("hangs")
        return number


@pytest.fixture
def source():
    return Source()


@pytest.fixture
def clock():
    return StoppedClock()


def sharing(clock: StoppedClock, *, ttl_s: float, size: int, stale_s: float = 0) -> Cache[str, int]:
    """Return a cache as the desk has them: each caller brings the read, and his own deadline with it."""
    return Cache(clock, ttl_s, size, stale_s=stale_s, retry_after_s=5.0, remembers_failures=False)


async def test_a_hundred_callers_share_one_read(source, clock):
    """Whoever comes while it is in flight joins it."""
    shared = sharing(clock, ttl_s=1, size=4)
    found = await asyncio.gather(*(shared.get("key", source.read) for _ in range(100)))
    assert {reading.value for reading in found} == {1}
    assert source.reads == 1


async def test_a_value_lives_its_time_and_no_longer(source, clock):
    """Counted from the start of its read: what changed since then may be missing in it."""
    shared = sharing(clock, ttl_s=1, size=4)
    for seconds, value in ((0, 1), (0.9, 1), (0.2, 2)):
        clock.seconds += seconds
        assert (await shared.get("key", source.read)).value == value


async def test_who_knows_better_gets_a_newer_read_and_shares_it(source, clock):
    """All who saw the same outdated value are served by one read more."""
    shared = sharing(clock, ttl_s=60, size=4)
    old = await shared.get("key", source.read)
    found = await asyncio.gather(*(shared.get("key", source.read, newer_than=old.number) for _ in range(50)))
    assert {reading.value for reading in found} == {2}


@pytest.mark.parametrize("seconds", [0, 61], ids=["in its time", "after it"])
async def test_what_is_known_to_be_outdated_is_given_to_nobody_again(source, clock, seconds):
    """Not even when the read that was to bring a newer one failed, and others would be served for a while yet."""
    shared = sharing(clock, ttl_s=60, size=4, stale_s=600)
    old = await shared.get("key", source.read)
    clock.seconds += seconds
    source.failing = True
    with pytest.raises(Unavailable):
        await shared.get("key", source.read, newer_than=old.number)
    with pytest.raises(Unavailable):
        await shared.get("key", source.read)


async def test_what_is_forgotten_is_read_again_even_while_it_is_in_flight(source, clock):
    """A read that began before the change must not be taken for one after it."""
    shared = sharing(clock, ttl_s=60, size=4)
    source.gate.clear()
    before = asyncio.create_task(shared.get("key", source.read))
    await asyncio.sleep(0)
    shared.drop("key")
    after = asyncio.create_task(shared.get("key", source.read))
    await asyncio.sleep(0)
    source.gate.set()
    assert [(await before).value, (await after).value] == [1, 2]
    assert (await shared.get("key", source.read)).value == 2


async def test_forgetting_one_key_keeps_the_others(source, clock):
    """Only what is outdated goes."""
    shared = sharing(clock, ttl_s=60, size=4)
    await shared.get("one", source.read)
    await shared.get("other", source.read)
    shared.drop_where(lambda key: key == "one")
    assert (await shared.get("other", source.read)).value == 2


async def test_a_caller_who_hangs_up_takes_nothing_from_the_others(source, clock):
    """The read goes on for those who wait with him."""
    shared = sharing(clock, ttl_s=60, size=4)
    source.gate.clear()
    first, second = (asyncio.create_task(shared.get("key", source.read)) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    source.gate.set()
    assert (await second).value == 1


async def test_a_failed_read_is_tried_once_more_by_those_who_joined_it(source, clock):
    """The first caller's time limit must not decide for all; and nobody asks a third time."""
    shared = sharing(clock, ttl_s=60, size=4)
    source.failing = True
    source.gate.clear()
    callers = [asyncio.create_task(shared.get("key", source.read)) for _ in range(20)]
    while not source.reads:
        await asyncio.sleep(0)
    source.failing = False
    source.gate.set()
    found = await asyncio.gather(*callers, return_exceptions=True)
    assert isinstance(found[0], Unavailable)
    assert {reading.value for reading in found[1:]} == {2}


async def test_a_failure_is_not_kept(source, clock):
    """The next caller asks again."""
    shared = sharing(clock, ttl_s=60, size=4)
    source.failing = True
    with pytest.raises(Unavailable):
        await shared.get("key", source.read)
    source.failing = False
    assert (await shared.get("key", source.read)).value == 2


async def test_an_old_value_is_served_while_the_source_is_away(source, clock):
    """Until it is too old; meanwhile the source is asked again every five seconds only."""
    shared = sharing(clock, ttl_s=60, size=4, stale_s=600)
    await shared.get("key", source.read)
    source.failing = True
    clock.seconds += 61
    found = await asyncio.gather(*(shared.get("key", source.read) for _ in range(10)))
    assert {reading.value for reading in found} == {1}
    assert source.reads == 2
    clock.seconds += 5
    assert (await shared.get("key", source.read)).value == 1
    assert source.reads == 3
    clock.seconds += 600
    with pytest.raises(Unavailable):
        await shared.get("key", source.read)


async def test_a_source_that_comes_back_is_read_again(source, clock):
    """The outage leaves nothing behind."""
    shared = sharing(clock, ttl_s=60, size=4, stale_s=600)
    await shared.get("key", source.read)
    source.failing = True
    clock.seconds += 61
    await shared.get("key", source.read)
    source.failing = False
    clock.seconds += 5
    assert (await shared.get("key", source.read)).value == 3


async def test_only_so_many_values_are_kept(source, clock: StoppedClock):
    """The least recently used goes first."""
    shared = sharing(clock, ttl_s=60, size=2)
    for key in ("a", "b", "a", "c"):
        await shared.get(key, source.read)
    assert source.reads == 3
    await shared.get("a", source.read)
    assert source.reads == 3
    await shared.get("b", source.read)
    assert source.reads == 4


async def test_nobody_left_to_hear_of_a_failure_is_no_warning(source, clock, caplog):
    """All callers hung up, then the read failed."""
    shared = sharing(clock, ttl_s=60, size=2)
    source.failing = True
    source.gate.clear()
    caller = asyncio.create_task(shared.get("key", source.read))
    await asyncio.sleep(0)
    caller.cancel()
    source.gate.set()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert caplog.records == []
