"""A process is killed at every step of booking, cancelling and moving in an outside calendar.

Whoever comes next, the store and the calendar agree in the end: entries are the confirmed bookings, slots are what
they hold, and nothing is left waiting.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest

from switchboard.contract.business.business import Business
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.policy import CALL_LEASE_S
from switchboard.contract.ports import Store
from switchboard.desk.bookings.booking_records import LEASE
from switchboard.desk.bookings.request import Correction
from switchboard.state.memory.store import MemoryStore
from tests.desk.calendar_house import (
    GOOGLE,
    NOON,
    SALON,
    TEN,
    CalendarHouse,
    Dies,
    DistantStore,
    Life,
    all_bookings,
    faults,
)
from tests.desk.front_desk import StoppedClock, salon, stored
from tests.desk.house_of_resources import full_house
from tests.desk.memory_calendar import SILENT, MemoryCalendar, event
from tests.each import each

LEASE_IS_OVER_S = 21.0
PEOPLED = full_house(integrations=GOOGLE)


class World:
    """What outlives every process: the store, the calendar, the time."""

    def __init__(self, store: Store | None = None, business: Business = SALON) -> None:
        self.store: Any = store or DistantStore(MemoryStore())
        self.business = business
        self.calendar, self.clock = MemoryCalendar(), StoppedClock()
        self.booking_id = ""

    def house(self, life: Life | None = None) -> CalendarHouse:
        return CalendarHouse(self.store, self.calendar, self.clock, life)

    async def person_enters(self) -> None:
        self.calendar.put(event(SALON, "2027-03-16", "12:10" if self.booking_id else "10:10", "12:40"))


Step = Callable[[World, CalendarHouse], Awaitable[Any]]


async def book(world: World, house: CalendarHouse) -> Any:
    return await house.book(house.call(business=world.business))


async def cancel(world: World, house: CalendarHouse) -> Any:
    return await house.appointments.cancel(house.call("cancel", business=world.business), world.booking_id)


async def reschedule(world: World, house: CalendarHouse) -> Any:
    return await house.appointments.reschedule(house.call("move", business=world.business), world.booking_id, NOON)


async def correct(world: World, house: CalendarHouse) -> Any:
    danny = Correction(customer_name="Danny Reed", customer_phone="518 555 0199")
    return await house.appointments.correct(house.call("correct"), world.booking_id, danny)


@dataclass(frozen=True)
class Deed:
    """Something a caller asks for: what comes before it, and what must hold after it was asked for once more."""

    do: Step
    is_on_a_booking: bool
    ends: dict[str, Any]

    async def world(self, business: Business = SALON) -> World:
        world = World(business=business)
        if self.is_on_a_booking:
            house = world.house()
            world.booking_id = (await house.book(house.call(business=business))).id
        return world


DEEDS = {
    "book": Deed(book, False, {"status": "confirmed", "start": TEN}),
    "cancel": Deed(cancel, True, {"status": "cancelled", "start": TEN}),
    "reschedule": Deed(reschedule, True, {"status": "confirmed", "start": NOON}),
}


async def until_killed(world: World, deed: Deed, steps: float) -> Life:
    """Carry out a deed in a process that dies after so many steps, and let its lease run out."""
    life = Life(steps)
    with suppress(Dies, ToolError):
        await deed.do(world, world.house(life))
    world.clock.wait(LEASE_IS_OVER_S)
    return life


async def in_the_end(world: World, deed: Deed) -> None:
    (found,) = (b for b in await all_bookings(world.store) if b.customer_name == "Anna Whitfield")
    assert {name: getattr(found, name) for name in deed.ends} == deed.ends


async def redelivery(world: World, deed: Deed) -> None:
    await deed.do(world, world.house())
    await in_the_end(world, deed)


async def reaper(world: World, deed: Deed) -> None:
    await world.house().reap()
    assert await faults(world.store, world.calendar) == []
    await redelivery(world, deed)


async def two_at_once(world: World, deed: Deed) -> None:
    one, other, third = world.house(), world.house(), world.house()
    await asyncio.gather(deed.do(world, one), deed.do(world, other), third.reap(), return_exceptions=True)
    assert await faults(world.store, world.calendar) == []
    await redelivery(world, deed)


async def rival(world: World, deed: Deed) -> None:
    """Somebody else wants both times at which the caller's booking may stand."""
    for name, start in (("Bob", TEN), ("Cleo", NOON)):
        house = world.house()
        try:
            ctx = house.call(name, session=name, phone=None, business=world.business)
            await house.book(ctx, customer_name=name, start=start)
        except ToolError as error:
            assert error.type is ErrorType.CONFLICT
    await world.house().reap()
    taken = [slot for b in await all_bookings(world.store) if b.status == "confirmed" for slot in b.slots]
    assert len(taken) == len(set(taken)) >= 1


RECOVERIES = {"redelivery": redelivery, "reaper": reaper, "two at once": two_at_once, "rival": rival}


async def every_step(
    deed: Deed, arrange: Callable[[World], None] = lambda _: None, business: Business = SALON
) -> range:
    """Return the numbers of steps after which the deed can be cut short."""
    world = await deed.world(business)
    arrange(world)
    return range((await until_killed(world, deed, float("inf"))).lived + 1)


@pytest.mark.requirement("003-423")
async def test_wherever_a_process_dies_that_corrects_a_name_the_calendar_follows_the_booking():
    """Killed before and after each commit and each call of the calendar; then whoever comes, or a repeated wish."""
    deed = Deed(correct, True, {})
    steps = await every_step(deed)
    assert len(steps) > 6
    for count in steps:
        world = await deed.world()
        await until_killed(world, deed, count)
        await world.house().reap()
        assert (count, await faults(world.store, world.calendar)) == (count, [])
        assert titles(world) == [f"Haircut: {booking.customer_name}" for booking in await all_bookings(world.store)]
        await correct(world, world.house())
        assert (count, await faults(world.store, world.calendar)) == (count, [])
        assert titles(world) == ["Haircut: Danny Reed"]
        assert [booking.customer_name for booking in await all_bookings(world.store)] == ["Danny Reed"]


def titles(world: World) -> list[str]:
    """What whoever works there reads."""
    return [entry.title for entry in world.calendar.shown]


@each("recovery", RECOVERIES.values(), ids=RECOVERIES)
@each("deed", DEEDS.values(), ids=DEEDS)
@pytest.mark.parametrize("business", [SALON, PEOPLED], ids=["one chair", "people"])
async def test_wherever_a_process_dies_the_next_one_brings_the_booking_to_its_end(business, deed, recovery):
    """Killed before and after each commit and each call of the calendar; then the lease runs out."""
    steps = await every_step(deed, business=business)
    assert len(steps) > 6
    for step in steps:
        world = await deed.world(business)
        await until_killed(world, deed, step)
        await recovery(world, deed)
        assert await faults(world.store, world.calendar) == [], step


async def test_each_kind_of_store_finds_what_was_left_under_way(watched):
    """One booking left at every stage, each by a process that died; one look of the reaper ends them all."""
    world = World(watched)
    starts = [TEN + timedelta(hours=n) for n in range(3)]
    for n, start in enumerate(starts):
        house = world.house(Life(4 + 2 * n))
        with pytest.raises(Dies):
            await house.book(house.call(f"{n}", session=f"{n}", phone=None), start=start, customer_name=f"Caller {n}")
    first = (await world.house().book(start=NOON + timedelta(hours=2))).id
    with pytest.raises(Dies):
        house = world.house(Life(4))
        await house.appointments.cancel(house.call(), first)
    with suppress(ToolError):
        assert await world.house().reap() == 0
    world.clock.wait(LEASE_IS_OVER_S)
    assert await world.house().reap() == 4
    assert await faults(watched, world.calendar) == []
    assert [b.status for b in await all_bookings(watched)] == ["confirmed"] * 3 + ["cancelled"]


@pytest.mark.parametrize("name", ["book", "reschedule"])
@pytest.mark.parametrize("recovery", ["reaper", "two at once"])
async def test_a_person_who_was_quicker_keeps_the_time_wherever_the_process_dies(name, recovery):
    """The entry appears between the look and the change; ours goes, or goes back to where it was (row 7)."""
    deed, method = DEEDS[name], "insert" if name == "book" else "move"

    def arrange(world: World) -> None:
        world.calendar.meanwhile[method] = world.person_enters

    for step in await every_step(deed, arrange):
        world = await deed.world()
        arrange(world)
        await until_killed(world, deed, step)
        if recovery == "reaper":
            await world.house().reap()
        else:
            houses = (world.house(), world.house())
            await asyncio.gather(*(deed.do(world, house) for house in houses), return_exceptions=True)
        assert await faults(world.store, world.calendar) == [], step
        if method not in world.calendar.meanwhile:
            confirmed = [b.start for b in await all_bookings(world.store) if b.status == "confirmed"]
            assert confirmed == ([] if name == "book" else [TEN]), step


@pytest.mark.parametrize("deed", DEEDS.values(), ids=DEEDS)
async def test_a_second_death_during_recovery_is_recovered_as_well(deed):
    """Every pair of deaths: at a step of the request, and at a step of the reaper that comes after it."""
    for step in await every_step(deed):
        for later in range(12):
            world = await deed.world()
            await until_killed(world, deed, step)
            try:
                await world.house(Life(later)).reap()
            except Dies:
                world.clock.wait(2 * LEASE_IS_OVER_S)
                await world.house().reap()
            assert await faults(world.store, world.calendar) == [], (step, later)


@pytest.mark.parametrize("deed", DEEDS.values(), ids=DEEDS)
async def test_a_calendar_that_accepts_and_drops_the_line_is_never_asked_for_the_same_twice(deed):
    """The change is found by the entry's id, by the caller's own request or later (row 6)."""
    for methods in (["insert", "move", "delete"], ["insert", "move", "delete", "find"]):
        world = await deed.world()
        world.calendar.fail_after = dict.fromkeys(methods, SILENT)
        if "find" in methods:
            world.calendar.fail_before["find"] = SILENT
        try:
            await deed.do(world, world.house())
        except ToolError as error:
            assert (error.type, error.partial_side_effects) == (ErrorType.TRANSIENT, True)
        world.calendar.recover()
        world.clock.wait(LEASE_IS_OVER_S)
        await world.house().reap()
        assert await faults(world.store, world.calendar) == []
        await in_the_end(world, deed)
        assert len(world.calendar.kept) == 1


async def test_twenty_of_the_same_wish_at_once_all_hear_of_one_booking():
    """In one process they wait for the one that is making it, calendar and all."""
    world = World()
    house = world.house()
    found = await asyncio.gather(*(house.book() for _ in range(20)))
    assert len({booking.id for booking in found}) == 1
    assert sorted(booking.repeated for booking in found) == [False] + [True] * 19
    assert world.calendar.asked["insert"] == 1
    assert await faults(world.store, world.calendar) == []


async def test_whoever_asks_while_somebody_may_still_be_at_it_is_told_how_long_that_is():
    """So that the call that made it is taken up again then, and not at some later time."""
    world = World()
    with pytest.raises(Dies):
        await world.house(Life(4)).book()
    world.clock.wait(5)
    with pytest.raises(ToolError) as refused:
        await world.house().book()
    assert refused.value.meta["retryAfterS"] == LEASE.total_seconds() - 5


def test_a_booking_is_free_again_before_the_call_that_made_it_is_taken_up():
    """Otherwise that call finds it held, is put off, and is at its end more than a minute after its process died."""
    assert timedelta(seconds=CALL_LEASE_S - 5) >= LEASE


async def test_of_two_reapers_one_takes_a_booking_up():
    """The other finds it taken, and asks the calendar for nothing."""
    world = World()
    with pytest.raises(Dies):
        await world.house(Life(4)).book()
    world.clock.wait(LEASE_IS_OVER_S)
    assert sorted(await asyncio.gather(*(world.house().reap() for _ in range(3)))) == [0, 0, 1]
    assert world.calendar.asked["insert"] == 1


@pytest.mark.parametrize("count", [2, 3, 5])
@pytest.mark.parametrize("business", [SALON, salon()], ids=["outside calendar", "built-in calendar"])
async def test_changes_of_one_booking_at_once_end_in_one_of_them(business, count):
    """Several processes move it here and there and cancel it; each decides on what it has seen, or not at all."""
    for start in range(5):
        world = World()
        booking = await world.house().book(world.house().call(business=business))

        async def change(n: int, world: World = world, booking: Any = booking) -> None:
            house = world.house()
            ctx = house.call(f"{n}", business=business)
            if n % 5 == 4:
                await house.appointments.cancel(ctx, booking.id)
            else:
                await house.appointments.reschedule(ctx, booking.id, NOON + timedelta(hours=n % 5))

        await asyncio.gather(*(change(start + n) for n in range(count)), return_exceptions=True)
        world.clock.wait(LEASE_IS_OVER_S)
        await world.house().reap()
        (found,) = await all_bookings(world.store)
        slots = await stored(world.store, SALON.id, "slots")
        assert set(slots) == found.held
        if business is SALON:
            assert await faults(world.store, world.calendar) == []


async def test_a_process_that_slept_through_its_lease_takes_back_what_it_did_too_late():
    """Frozen just before its entry is made; meanwhile a person took the time, and the reaper gave the booking up."""
    world = World()

    async def the_others() -> None:
        world.clock.wait(LEASE_IS_OVER_S)
        world.calendar.put(event(SALON, "2027-03-16", "10:00", "10:30"))
        await world.house().reap()
        # The entry that the frozen process is about to make is not there yet, so nothing stands in its way.
        world.calendar.kept = {id: e for id, e in world.calendar.kept.items() if not e.booking_id}

    world.calendar.meanwhile["insert"] = the_others
    with pytest.raises(ToolError):
        await world.house().book()
    assert await faults(world.store, world.calendar) == []
    assert [e.title for e in world.calendar.shown] == ["Dentist, private"]


async def test_work_that_is_under_way_elsewhere_is_left_alone_until_its_lease_is_over():
    """The caller hears the truth meanwhile; it is being confirmed."""
    world = World()
    with pytest.raises(Dies):
        await world.house(Life(4)).book()
    world.clock.wait(5)
    assert await world.house().reap() == 0
    with pytest.raises(ToolError) as caught:
        await world.house().book()
    error = caught.value
    assert (error.type, error.retryable, error.partial_side_effects) == (ErrorType.TRANSIENT, True, True)
    assert "being confirmed" in error.message
    assert error.say
    world.clock.wait(LEASE_IS_OVER_S)
    assert (await world.house().book()).repeated


async def test_a_calendar_that_stays_away_is_asked_less_and_less_often():
    """Half a minute at first, then longer, at most a quarter of an hour apart; it ends when it answers (row 42)."""
    world = World()
    world.calendar.fail_before["insert"] = world.calendar.fail_before["find"] = SILENT
    with pytest.raises(ToolError):
        await world.house().book()
    for _ in range(6 * 60 * 3):
        world.clock.wait(10)
        await world.house().reap()
    assert 12 <= world.calendar.asked["insert"] <= 20
    world.calendar.recover()
    world.clock.wait(900)
    assert await world.house().reap() == 1
    assert await faults(world.store, world.calendar) == []


@pytest.mark.parametrize("deed", DEEDS.values(), ids=DEEDS)
async def test_when_its_time_is_over_a_booking_stops_waiting_for_the_calendar(deed):
    """Disconnected for ever: the booking ends in the store, and its slots are free."""
    world = await deed.world()
    world.calendar.fail_before = dict.fromkeys(("insert", "find", "delete", "move"), SILENT)
    with pytest.raises(ToolError):
        await deed.do(world, world.house())
    world.clock.wait(timedelta(days=7).total_seconds())
    await world.house().reap()
    (booking,) = await all_bookings(world.store)
    assert not booking.is_under_way
    assert booking.status in ("cancelled", "confirmed")
