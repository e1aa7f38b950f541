"""Of many instances one makes the passes; the others look rarely whether it is still there."""

import asyncio
import heapq
import random
from datetime import timedelta

import pytest

from switchboard.contract.store import SERVER_TIME, Set, Update
from switchboard.pipeline.execution.pass_lead import PassLead
from switchboard.pipeline.execution.reaper import reap
from switchboard.state.memory.store import MemoryStore
from tests.pipeline.conftest import PATHS

EVERY_S = 10.0


class Counted:
    """A store that counts what it is asked."""

    def __init__(self, clock):
        self.store, self.asked = MemoryStore(clock), 0

    async def get(self, path):
        """Count and read."""
        self.asked += 1
        return await self.store.get(path)

    async def commit(self, writes):
        """Count and write."""
        self.asked += 1
        return await self.store.commit(writes)


class Instances:
    """So many instances over one store, each looking when it says it will; time goes on from look to look."""

    def __init__(self, clock, count):
        self.clock, self.store, self.now_s = clock, Counted(clock), 0.0
        self.all = [PassLead(self.store, PATHS, EVERY_S, random.Random(n)) for n in range(count)]
        self.queue = [(lead.wait_s(), n) for n, lead in enumerate(self.all)]
        heapq.heapify(self.queue)
        self.rounds = dict.fromkeys(range(count), 0)

    async def go_on(self, seconds):
        """Let so much time pass; returns the rounds that were made in it, by who made them."""
        end, before = self.now_s + seconds, dict(self.rounds)
        while self.queue[0][0] <= end:
            at, number = heapq.heappop(self.queue)
            self.clock.wait(at - self.now_s)
            self.now_s = at
            lead = self.all[number]
            self.rounds[number] += await lead.look()
            heapq.heappush(self.queue, (at + lead.wait_s(), number))
        self.clock.wait(end - self.now_s)
        self.now_s = end
        return {n: made - before[n] for n, made in self.rounds.items() if made > before[n]}

    async def kill(self, number):
        """Let one of them never look again."""
        self.queue = [entry for entry in self.queue if entry[1] != number]
        heapq.heapify(self.queue)


@pytest.fixture
def instances(clock):
    """Return a maker of instances."""
    return lambda count: Instances(clock, count)


@pytest.mark.parametrize("count", [1, 2, 5, 300])
async def test_one_instance_makes_every_round_and_no_other_makes_any(instances, count):
    """However many there are."""
    some = instances(count)
    await some.go_on(60)
    (made,) = (await some.go_on(600)).values()
    assert made == 60


async def test_three_hundred_idle_instances_ask_the_store_twice_a_second_at_most(instances):
    """All that they look at, and the signs of who leads, once they know how many they are."""
    some = instances(300)
    await some.go_on(1_800)
    before = some.store.asked
    await some.go_on(3_600)
    assert (some.store.asked - before) / 3_600 <= 2


@pytest.mark.parametrize("count", [2, 3, 10, 100])
async def test_when_the_one_dies_another_goes_on_within_forty_seconds(instances, count):
    """Soon enough for whatever it has left behind."""
    some = instances(count)
    await some.go_on(1_800)
    (leader,) = await some.go_on(60)
    await some.kill(leader)
    (other,) = await some.go_on(40 + EVERY_S)
    assert other != leader


async def test_few_that_are_left_of_many_look_as_often_as_few_do(instances):
    """Three hundred that were scaled down to three, and then lost the one that led."""
    some = instances(300)
    await some.go_on(1_800)
    (leader,) = await some.go_on(60)
    for number in [n for n in range(300) if n != leader][3:]:
        await some.kill(number)
    await some.go_on(3_600)
    await some.kill(leader)
    assert await some.go_on(40 + EVERY_S)


async def test_clocks_of_instances_play_no_part(clock):
    """The store's does: none of them reads its own."""
    store = MemoryStore(clock)
    first, second = (PassLead(store, PATHS, EVERY_S) for _ in range(2))
    assert await first.look()
    clock.wait(2.4 * EVERY_S)
    assert not await second.look()
    clock.wait(0.2 * EVERY_S)
    assert await second.look()
    assert not await first.look()
    assert (first.is_held, second.is_held) == (False, True)


async def test_of_two_that_take_over_at_once_one_does(clock):
    """Whoever writes first; the other looks again later."""
    store = MemoryStore(clock)
    await PassLead(store, PATHS, EVERY_S).look()
    clock.wait(60)
    leads = [PassLead(store, PATHS, EVERY_S) for _ in range(2)]

    class Interrupted:
        """Lets the other take over between a look and the claim."""

        commits = 0
        get = store.get

        async def commit(self, writes):
            self.commits += 1
            if self.commits == 2:
                assert await leads[1].look()
            return await store.commit(writes)

    interrupted = PassLead(Interrupted(), PATHS, EVERY_S)
    assert not await interrupted.look()


async def test_where_the_store_is_away_nobody_leads(office, store):
    """There is nothing to pass over either; it goes on where it was once the store is back."""
    lead = PassLead(store, PATHS, EVERY_S)
    assert await lead.look()
    store.fail("get")
    assert not await lead.look()
    assert lead.wait_s() >= 0.5 * EVERY_S
    store.recover()
    assert await lead.look()


@pytest.mark.parametrize("sign", [{}, {"instance": 7, "aliveAt": "yesterday", "lookedAt": None}])
async def test_a_document_that_nobody_can_read_is_taken_over(clock, sign):
    """As somebody may have written it by hand."""
    store = MemoryStore(clock)
    await store.commit([Set(PATHS.pass_lead, {"note": "by hand", **sign})])
    assert await PassLead(store, PATHS, EVERY_S).look()


async def test_what_somebody_else_notes_there_stays(clock):
    """A sign of life is written beside it."""
    store = MemoryStore(clock)
    lead = PassLead(store, PATHS, EVERY_S)
    await lead.look()
    await store.commit([Update(PATHS.pass_lead, {"note": "x", "at": SERVER_TIME})])
    clock.wait(timedelta(seconds=5).total_seconds())
    assert await lead.look()
    assert (await store.get(PATHS.pass_lead)).data["note"] == "x"


async def test_the_passes_of_one_instance_stop_when_another_leads_and_what_it_saw_is_told_no_more(clock, monkeypatch):
    """A figure of the metrics that nobody renews would be believed."""
    store, made, lost = MemoryStore(clock), [], asyncio.Event()
    lead = PassLead(store, PATHS, EVERY_S)
    monkeypatch.setattr(lead, "wait_s", lambda: 0.0)

    async def work(business_id):
        made.append(business_id)
        if len(made) == 3:
            # As after a pause of the whole process.
            clock.wait(60)
            assert await PassLead(store, PATHS, EVERY_S).look()
        return {}

    reaper = asyncio.create_task(reap({"work": work}, 0.0, lead, lost.set))
    async with asyncio.timeout(60):
        await lost.wait()
    assert len(made) == 3
    reaper.cancel()
    await asyncio.gather(reaper, return_exceptions=True)
