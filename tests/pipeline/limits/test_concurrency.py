"""One business's many calls must not keep another's waiting."""

import asyncio

import pytest

from switchboard.contract.deadline import ending_in
from switchboard.contract.error import ErrorType, Refused
from switchboard.contract.policy import CALLS_AT_ONCE, RUNNING_AT_ONCE
from switchboard.pipeline.limits import concurrency as crowd_module
from switchboard.pipeline.limits.concurrency import Concurrency
from switchboard.pipeline.limits.fair_queue import FairQueue, Lane


@pytest.fixture(autouse=True)
def refused_at_once(monkeypatch):
    """Nobody is kept waiting for a no."""
    monkeypatch.setattr(crowd_module, "REFUSED_AFTER_S", 0.0)


async def carried_out(crowd, business, gate):
    """Carry out a call that takes until the gate opens."""
    with crowd.slot(business):
        await gate.wait()
    return "done"


async def begin(crowd, business, number, gate):
    """Begin as many slow calls and return their tasks once each is inside or refused."""
    calls = [asyncio.ensure_future(carried_out(crowd, business, gate)) for _ in range(number)]
    await asyncio.sleep(0)
    return calls


async def test_a_noisy_business_does_not_keep_another_from_being_served():
    """1,000 slow calls of one: 200 are carried out, 800 are told to come again, the other's call runs at once."""
    crowd, gate, own_gate = Concurrency(), asyncio.Event(), asyncio.Event()
    own_gate.set()
    noisy = await begin(crowd, "noisy", 1_000, gate)
    assert await asyncio.wait_for(carried_out(crowd, "quiet", own_gate), 60) == "done"
    assert (crowd.inside("noisy"), crowd.inside("quiet")) == (CALLS_AT_ONCE, 0)
    gate.set()
    answers = await asyncio.gather(*noisy, return_exceptions=True)
    assert answers.count("done") == CALLS_AT_ONCE
    assert {answer.type for answer in answers if answer != "done"} == {ErrorType.RATE_LIMIT}


async def test_who_is_refused_is_told_to_come_again():
    """RATE_LIMIT, retryable, and nothing has happened."""
    crowd = Concurrency(at_once=1)
    with crowd.slot("salon"), pytest.raises(Refused) as caught, crowd.slot("salon"):
        pass
    assert (caught.value.type, caught.value.retryable) == (ErrorType.RATE_LIMIT, True)
    assert caught.value.partial_side_effects is False
    assert "make the same call again" in caught.value.message


async def test_a_place_comes_free_when_its_call_ends():
    """The next call is let in at once."""
    crowd, gate = Concurrency(at_once=2), asyncio.Event()
    calls = await begin(crowd, "salon", 2, gate)
    gate.set()
    await asyncio.gather(*calls)
    assert await carried_out(crowd, "salon", gate) == "done"


@pytest.mark.parametrize("ending", ["returns", "fails", "is cancelled", "is refused"])
async def test_nothing_is_left_behind_however_a_call_ends(ending):
    """A business without calls takes no memory, and never loses a place."""
    crowd, end = Concurrency(at_once=1), asyncio.get_running_loop().create_future()

    async def call():
        with crowd.slot("salon"):
            await end

    first = asyncio.ensure_future(call())
    await asyncio.sleep(0)
    match ending:
        case "is refused":
            with pytest.raises(Refused):
                await call()
            end.set_result(None)
        case "is cancelled":
            first.cancel()
        case "fails":
            end.set_exception(KeyError())
        case _:
            end.set_result(None)
    await asyncio.gather(first, return_exceptions=True)
    assert crowd._inside == {}


async def test_an_action_that_outlives_its_caller_keeps_its_place_until_it_ends():
    """It still costs what it costs, whoever hung up."""
    crowd, gate = Concurrency(at_once=1), asyncio.Event()
    with crowd.slot("salon") as place:
        action = asyncio.ensure_future(place.kept(gate.wait()))
        await asyncio.sleep(0)
        assert crowd.inside("salon") == 1
    assert crowd.inside("salon") == 1
    with pytest.raises(Refused), crowd.slot("salon"):
        pass
    gate.set()
    assert await action is True
    assert crowd.inside("salon") == 0


async def test_an_action_whose_caller_leaves_before_it_begins_is_not_refused():
    """It was let in: it runs although another call has taken the place meanwhile, and both are counted."""
    crowd, gate = Concurrency(at_once=1), asyncio.Event()
    with crowd.slot("salon") as place:
        action = asyncio.ensure_future(place.kept(gate.wait()))
    with crowd.slot("salon"):
        await asyncio.sleep(0)
        assert crowd.inside("salon") == 2
        gate.set()
        assert await action is True
    assert crowd.inside("salon") == 0


class Watched:
    """Calls that take their turns, and until their gate opens."""

    def __init__(self, crowd):
        self.crowd, self.began, self.gate = crowd, [], asyncio.Event()

    async def call(self, business, **how):
        async with self.crowd.slot(business, **how):
            self.began.append(business)
            await self.gate.wait()
        return "done"

    async def make(self, business, number, **how):
        """Begin as many calls and return their tasks once all that can run do."""
        calls = [asyncio.ensure_future(self.call(business, **how)) for _ in range(number)]
        for _ in range(2 * number + 4):
            await asyncio.sleep(0)
        return calls


async def test_a_few_calls_of_a_business_run_at_once_and_the_next_ones_wait_for_them():
    """Nobody is refused, and nobody runs before there is room."""
    watched = Watched(Concurrency())
    calls = await watched.make("salon", 100)
    assert (len(watched.began), watched.crowd.running("salon")) == (RUNNING_AT_ONCE, RUNNING_AT_ONCE)
    assert watched.crowd.inside("salon") == 100
    watched.gate.set()
    assert await asyncio.gather(*calls) == ["done"] * 100
    assert (watched.crowd.inside("salon"), watched.crowd.running("salon")) == (0, 0)


async def test_a_business_whose_calls_all_wait_keeps_nobody_else_waiting():
    """Not even when the instance has as many running as it may."""
    watched = Watched(Concurrency(lanes=FairQueue(8, 8)))
    calls = await watched.make("noisy", 150)
    calls += await watched.make("quiet", 1)
    assert watched.began.count("quiet") == 1
    watched.gate.set()
    await asyncio.gather(*calls)


async def test_the_rooms_of_an_instance_are_shared_in_turn():
    """Of three businesses with calls waiting, each gets one after the other, whoever came first."""
    watched = Watched(Concurrency(lanes=FairQueue(3, 1)))
    watched.gate.set()
    names = ["a"] * 6 + ["b"] * 3 + ["c"] * 3
    await asyncio.gather(*(watched.call(name) for name in names))
    assert sorted(watched.began) == names
    assert sorted(watched.began[:3]) == sorted(watched.began[3:6]) == sorted(watched.began[6:9]) == ["a", "b", "c"]


async def test_calls_that_never_wait_let_others_in_between():
    """One call of a business begins in each round of the loop, however many are ready."""
    crowd, order = Concurrency(), []

    async def call(business):
        async with crowd.slot(business):
            order.append(business)

    noisy = [asyncio.ensure_future(call("noisy")) for _ in range(100)]
    await asyncio.sleep(0)
    await asyncio.gather(call("quiet"))
    assert order.index("quiet") <= 2
    await asyncio.gather(*noisy)


@pytest.mark.parametrize("stuck", Lane)
async def test_what_is_stuck_in_one_lane_keeps_nothing_back_in_another(stuck):
    """Bookings that wait for a calendar do not stop readings, and queued work, which may take long, stops neither."""
    watched = Watched(Concurrency())
    calls = await watched.make("salon", CALLS_AT_ONCE + 1, lane=stuck)
    assert len(watched.began) == RUNNING_AT_ONCE
    for lane in set(Lane) - {stuck}:
        calls += await watched.make("salon", 1, lane=lane)
    assert len(watched.began) == RUNNING_AT_ONCE + 2
    watched.gate.set()
    assert [call.result() for call in (await asyncio.wait(calls))[0] if not call.exception()].count("done") == len(
        calls
    ) - 1


async def test_a_call_that_cannot_have_its_turn_in_time_is_told_to_come_again():
    """By its own limit, or by its caller's deadline if that is sooner; its place is free again."""
    watched = Watched(Concurrency(lanes=FairQueue(1)))
    first = await watched.make("salon", 1)
    with pytest.raises(Refused) as caught:
        await watched.call("salon", within_s=0.02)
    assert (caught.value.type, caught.value.retryable) == (ErrorType.RATE_LIMIT, True)
    assert "make the same call again" in caught.value.message
    with ending_in(0.02), pytest.raises(Refused):
        await asyncio.wait_for(watched.call("salon"), 60)
    assert watched.crowd.inside("salon") == 1
    watched.gate.set()
    await asyncio.gather(*first)
    assert await watched.call("salon") == "done"


async def test_more_calls_than_may_wait_are_refused():
    """Those that run and those that wait together; the others are not kept, and were not begun."""
    watched = Watched(Concurrency(at_once=10, lanes=FairQueue(8)))
    calls = await watched.make("salon", 25)
    refused = [call for call in calls if call.done()]
    assert {call.exception().type for call in refused} == {ErrorType.RATE_LIMIT}
    assert (len(refused), len(watched.began)) == (15, 8)
    watched.gate.set()
    assert (await asyncio.gather(*calls, return_exceptions=True)).count("done") == 10


async def test_a_no_takes_its_time(monkeypatch):
    """Whoever comes again as soon as they are refused would otherwise cost more than those who wait."""
    monkeypatch.setattr(crowd_module, "REFUSED_AFTER_S", 60.0)
    watched = Watched(Concurrency(at_once=0))
    call = asyncio.ensure_future(watched.call("salon"))
    done, _ = await asyncio.wait((call,), timeout=0.05)
    assert not done
    call.cancel()
    with ending_in(0.02), pytest.raises(Refused):
        await asyncio.wait_for(watched.call("salon"), 60)


@pytest.mark.parametrize("when", ["waiting", "given its turn"])
async def test_a_caller_who_leaves_the_lane_loses_nobody_a_turn(when):
    """Also at the very moment in which the turn was given."""
    watched = Watched(Concurrency(lanes=FairQueue(1)))
    first, second, third = await watched.make("salon", 3)
    if when == "given its turn":
        watched.gate.set()
        await first
        while watched.crowd.running("salon") == 0:
            await asyncio.sleep(0)
        assert len(watched.began) == 1
    second.cancel()
    watched.gate.set()
    assert await asyncio.wait_for(third, 60) == "done"
    with pytest.raises(asyncio.CancelledError):
        await second
    assert (watched.crowd.inside("salon"), watched.crowd.running("salon")) == (0, 0)


async def test_a_call_within_a_call_needs_no_turn():
    """Whoever waits for it holds the turn that it would wait for."""
    crowd = Concurrency(at_once=1, lanes=FairQueue(1))

    async def outer():
        async with crowd.slot("salon"), crowd.slot("salon", is_let_in=True):
            assert (crowd.inside("salon"), crowd.running("salon")) == (2, 1)
            return "done"

    assert await asyncio.wait_for(outer(), 60) == "done"
    assert crowd.inside("salon") == 0


async def test_an_action_for_which_nobody_waits_any_more_keeps_its_place_and_gives_its_turn_away():
    """It still counts among those under way; a calendar that hangs does not stop everything else."""
    crowd, gate = Concurrency(lanes=FairQueue(1)), asyncio.Event()
    async with crowd.slot("salon") as place:
        action = asyncio.ensure_future(place.kept(gate.wait()))
        await asyncio.sleep(0)
    assert (crowd.inside("salon"), crowd.running("salon")) == (1, 0)
    async with crowd.slot("salon"):
        assert crowd.inside("salon") == 2
    gate.set()
    assert await action is True
    assert crowd.inside("salon") == 0


async def test_calls_that_waited_leave_nothing_behind():
    """Neither those that had their turn, nor those that gave up, nor those that were refused."""
    watched = Watched(Concurrency(at_once=12, lanes=FairQueue(2)))
    calls = await watched.make("salon", 12)
    calls += await watched.make("salon", 3)
    calls[5].cancel()
    watched.gate.set()
    await asyncio.gather(*calls, return_exceptions=True)
    await asyncio.sleep(0)
    lanes = watched.crowd.lanes
    assert (watched.crowd._inside, lanes._running, lanes._waiting, lanes._begun) == ({}, {}, {}, set())


def test_a_crowd_may_be_used_by_one_loop_after_another():
    """What waited in a loop that has ended is forgotten with it."""
    crowd = Concurrency(lanes=FairQueue(1))

    async def one_holds_and_one_waits():
        watched = Watched(crowd)
        await watched.make("salon", 2)

    async def two():
        watched = Watched(crowd)
        watched.gate.set()
        return await asyncio.wait_for(asyncio.gather(watched.call("salon"), watched.call("salon")), 60)

    asyncio.run(one_holds_and_one_waits())
    assert asyncio.run(two()) == ["done", "done"]
