"""How many requests an owner's service gets at once: what its owner says, over all instances, or less if need be."""

import asyncio
from email.utils import format_datetime
from typing import Any

import pytest

from switchboard.contract.deadline import ending_in
from switchboard.contract.error import ErrorType, Refused, ToolError
from switchboard.contract.policy import CALLS_AT_ONCE
from switchboard.desk.tenant_tools.service_places import ServicePlaces
from switchboard.state.memory.store import MemoryStore
from tests.desk.front_desk import NOW, StoppedClock, WatchedStore, call, salon

SALON = salon()
URL = "https://api.example.com/customers"


class MovedClock(StoppedClock):
    """A clock that moves while somebody waits."""

    async def pause(self, seconds: float) -> None:
        self.wait(seconds)
        await asyncio.sleep(0)


class Service:
    """Takes requests at places, and remembers how many it had at once."""

    def __init__(self) -> None:
        self.under_way = self.most = self.served = 0

    async def ask(self, places: ServicePlaces, most: int, url: str = URL) -> None:
        """Send one request, however often it is refused before."""
        while True:
            try:
                async with places.place(call(SALON), url, most):
                    self.under_way += 1
                    self.most = max(self.most, self.under_way)
                    await asyncio.sleep(0.002)
                    self.under_way -= 1
                    self.served += 1
                    return
            except Refused as refused:
                assert refused.type is ErrorType.RATE_LIMIT and refused.retryable
                await asyncio.sleep(0.01)


def over(store: Any) -> ServicePlaces:
    """Return the places of one more instance, which runs by the real clock."""
    clock = StoppedClock()
    loop = asyncio.get_running_loop()
    clock.monotonic = loop.time  # type: ignore[method-assign]
    return ServicePlaces(store, clock)


async def answered(places: ServicePlaces, clock: StoppedClock, status: int, took: float = 0.1, **headers: str) -> None:
    """Send one request that is answered after a time."""
    async with places.place(call(SALON), URL, 0) as answer:
        clock.wait(took)
        answer.status, answer.headers = status, {name.replace("_", "-"): text for name, text in headers.items()}


async def bears(places: ServicePlaces) -> int:
    """Return how many requests at once the service is given."""
    given = asyncio.Event()
    entered = 0

    async def hold() -> None:
        nonlocal entered
        async with places.place(call(SALON), URL, 0):
            entered += 1
            await given.wait()

    with ending_in(0.01):
        # No time to wait: whoever finds no place is refused at once.
        holding = [asyncio.create_task(hold()) for _ in range(CALLS_AT_ONCE)]
    while entered + sum(task.done() for task in holding) < CALLS_AT_ONCE:
        await asyncio.sleep(0)
    given.set()
    await asyncio.gather(*holding, return_exceptions=True)
    return entered


async def test_one_instance_sends_no_more_at_once_than_the_owner_says_and_all_in_the_end(store: WatchedStore):
    service, places = Service(), over(store)
    await asyncio.gather(*(service.ask(places, 3) for _ in range(30)))
    assert (service.most, service.served) == (3, 30)
    # One look and one commit for all of them, and one of each to give the places back.
    assert store.asked["get"] <= 3 and store.asked["commit"] <= 3


async def test_instances_share_the_places_and_one_that_waits_gets_those_that_another_has_left(watched: WatchedStore):
    service, instances = Service(), [over(watched) for _ in range(3)]
    await asyncio.gather(*(service.ask(places, 2) for places in instances for _ in range(6)))
    assert (service.most, service.served) == (2, 18)


async def test_the_places_of_an_instance_that_died_are_free_once_no_request_of_its_can_be_under_way():
    store, clock = MemoryStore(), MovedClock()
    first, second = (ServicePlaces(store, clock, clock.pause) for _ in range(2))
    dead = first.place(call(SALON), URL, 1)
    await dead.__aenter__()
    with pytest.raises(Refused) as refused:
        async with second.place(call(SALON), URL, 1):
            raise AssertionError("two at once")
    assert "as many requests as it takes at once; nothing was sent" in refused.value.message
    assert refused.value.meta == {"retryAfterS": 1}
    clock.wait(60)
    async with second.place(call(SALON), URL, 1):
        pass


async def test_whoever_has_no_time_left_is_refused_at_once_and_others_wait():
    places, clock = ServicePlaces(MemoryStore(), clock := StoppedClock()), clock
    async with places.place(call(SALON), URL, 1):
        with ending_in(0.05), pytest.raises(Refused):
            async with places.place(call(SALON), URL, 1):
                raise AssertionError("two at once")
        waiting = asyncio.create_task(Service().ask(places, 1))
        await asyncio.sleep(0)
        assert not waiting.done()
    await waiting


async def test_each_service_and_each_business_has_places_of_its_own():
    places = ServicePlaces(MemoryStore(), StoppedClock())
    other = salon("other-salon")
    async with places.place(call(SALON), URL, 1), places.place(call(other), URL, 1):
        async with places.place(call(SALON), "https://else.example.com/customers", 1):
            pass
        with ending_in(0.01), pytest.raises(Refused):
            async with places.place(call(SALON), "https://API.example.com/orders", 1):
                raise AssertionError("two at once")


@pytest.mark.parametrize("error", [ToolError(ErrorType.TRANSIENT, "away"), asyncio.CancelledError()])
async def test_a_request_that_failed_or_was_given_up_leaves_its_place(error: BaseException):
    places = ServicePlaces(MemoryStore(), StoppedClock())
    for _ in range(3):
        with pytest.raises(type(error)):
            async with places.place(call(SALON), URL, 1):
                raise error


async def test_while_the_store_is_away_nothing_is_sent_to_a_service_that_is_shared(store: WatchedStore):
    places = ServicePlaces(store, StoppedClock())
    store.fail("get", "commit")
    with pytest.raises(Exception, match="hangs"):
        async with places.place(call(SALON), URL, 1):
            raise AssertionError("sent")
    store.recover()
    async with places.place(call(SALON), URL, 1):
        pass


@pytest.mark.parametrize(
    ("headers", "pause_s"),
    [
        ({"retry_after": "2"}, 2),
        ({"RETRY_AFTER": format_datetime(NOW.replace(second=7))}, 7),
        ({"retry_after": "100000"}, 60),
        ({"retry_after": "in a while"}, 1),
        ({}, 1),
    ],
)
async def test_a_service_that_gets_too_much_is_left_alone_for_the_time_it_names(headers: dict[str, str], pause_s: int):
    clock = StoppedClock()
    places = ServicePlaces(MemoryStore(), clock)
    await answered(places, clock, 429, took=0, **headers)
    with ending_in(0.5), pytest.raises(Refused) as refused:
        await answered(places, clock, 200)
    assert "asked to be left alone" in refused.value.message
    assert refused.value.meta == {"retryAfterS": pause_s}
    clock.wait(pause_s)
    await answered(places, clock, 200)


async def test_a_caller_who_can_waits_until_the_service_may_be_asked_again():
    clock = MovedClock()
    places = ServicePlaces(MemoryStore(), clock, clock.pause)
    await answered(places, clock, 503, retry_after="2")
    before = clock.seconds
    await answered(places, clock, 200, took=0)
    assert clock.seconds - before == pytest.approx(2)


async def test_a_503_without_a_time_is_an_outage_and_no_wish_for_less():
    clock = StoppedClock()
    places = ServicePlaces(MemoryStore(), clock)
    await answered(places, clock, 503)
    await answered(places, clock, 200)
    assert await bears(places) == CALLS_AT_ONCE


async def test_who_is_given_too_much_gets_half_and_then_a_little_more_with_every_answer():
    clock = StoppedClock()
    places = ServicePlaces(MemoryStore(), clock)
    async with asyncio.TaskGroup() as group:
        gate = asyncio.Event()

        async def refused() -> None:
            async with places.place(call(SALON), URL, 0) as answer:
                await gate.wait()
                answer.status = 429

        for _ in range(8):
            group.create_task(refused())
        await asyncio.sleep(0)
        gate.set()
    clock.wait(1)
    assert await bears(places) == 4
    for _ in range(5):
        await answered(places, clock, 200)
    assert await bears(places) == 5


async def test_who_becomes_slow_under_several_requests_gets_fewer_and_is_never_stopped():
    clock = StoppedClock()
    places = ServicePlaces(MemoryStore(), clock)
    for _ in range(5):
        await answered(places, clock, 200, took=0.1)

    async def round_of(number: int) -> None:
        gate = asyncio.Event()

        async def slow() -> None:
            with ending_in(0.01):
                async with places.place(call(SALON), URL, 0) as answer:
                    await gate.wait()
                    answer.status = 200

        asking = [asyncio.create_task(slow()) for _ in range(number)]
        await asyncio.sleep(0)
        clock.wait(2)
        gate.set()
        await asyncio.gather(*asking, return_exceptions=True)

    for _ in range(20):
        await round_of(16)
    assert 2 <= await bears(places) < 8


async def test_answers_that_take_long_one_at_a_time_are_the_services_own_pace():
    clock = StoppedClock()
    places = ServicePlaces(MemoryStore(), clock)
    for took in [0.1] * 5 + [3.0] * 10:
        await answered(places, clock, 200, took=took)
    assert await bears(places) == CALLS_AT_ONCE
