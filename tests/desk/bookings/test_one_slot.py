"""A hundred callers, one slot: one booking, 99 clean conflicts with alternatives."""

import asyncio
from collections import Counter
from datetime import timedelta
from itertools import pairwise

import pytest

from switchboard.contract.error import ToolError
from switchboard.desk.bookings.request import BookingRequest
from switchboard.desk.services import open_desk
from tests.cpu_time import taking_less_than
from tests.desk.calendar_house import SALON as OUTSIDE_SALON
from tests.desk.calendar_house import CalendarHouse, faults
from tests.desk.front_desk import StoppedClock, at, call, salon, stored
from tests.desk.memory_calendar import MemoryCalendar

CALLERS = 100
SALON = salon()


async def burst(desks, *, minutes_apart=(0,), business=SALON):
    """Let a hundred callers book at once; return how many got which answer."""

    async def one(n):
        start = at(business, "2027-03-16T10:00") + timedelta(minutes=minutes_apart[n % len(minutes_apart)])
        ctx = call(business, session=f"s{n}", phone=f"+1518555{n:04}")
        try:
            await desks[n % len(desks)].bookings.book(
                ctx, BookingRequest(service="Haircut", start=start, customer_name=f"Caller {n}")
            )
        except ToolError as error:
            assert len(error.meta["alternatives"]) == 3
            assert error.partial_side_effects is False
            return error.type.value
        return "booked"

    return Counter(await asyncio.gather(*(one(n) for n in range(CALLERS))))


@pytest.mark.parametrize("desks", [1, 4], ids=["one desk", "four desks"])
@pytest.mark.requirement("004-02")
async def test_one_of_a_hundred_callers_gets_the_slot_and_99_get_other_times(watched, desks):
    """No other error, no orphan slot; two queries and one claim per desk, and a few seconds of work.

    Several desks share nothing but the store, as several instances of the function do.
    """
    with taking_less_than(5):
        answers = await burst([open_desk(watched, StoppedClock()) for _ in range(desks)])
    asked = dict(watched.asked)
    assert answers == {"booked": 1, "CONFLICT": CALLERS - 1}
    (booking,) = (await stored(watched, SALON.id, "bookings")).values()
    slots = await stored(watched, SALON.id, "slots")
    assert len(slots) == 6
    assert {slot["bookingId"] for slot in slots.values()} == {booking["id"]}
    assert asked["query"] <= 2 * desks
    assert asked["commit"] <= desks


async def test_overlapping_wishes_leave_bookings_that_do_not_overlap(watched):
    """Starts at 10:00, 10:15, 10:30 and 10:45: whoever wins, every slot belongs to exactly one booking."""
    answers = await burst([open_desk(watched, StoppedClock()) for _ in range(4)], minutes_apart=(0, 15, 30, 45))
    bookings = await stored(watched, SALON.id, "bookings")
    slots = await stored(watched, SALON.id, "slots")
    assert set(answers) == {"booked", "CONFLICT"}
    assert answers["booked"] == len(bookings) in (1, 2)
    assert Counter(slot["bookingId"] for slot in slots.values()) == dict.fromkeys(bookings, 6)
    starts = sorted(b["start"] for b in bookings.values())
    assert all(b - a >= timedelta(minutes=30) for a, b in pairwise(starts))


@pytest.mark.parametrize("minutes_apart", [(0,), (0, 5, 15, 25)], ids=["one start", "partial overlaps"])
async def test_in_an_outside_calendar_too_exactly_one_of_a_hundred_gets_the_slot(watched, minutes_apart):
    """All overlap all: one booking, one entry, one insertion; the other 99 are clean conflicts."""
    calendar = MemoryCalendar()
    houses = [CalendarHouse(watched, calendar, StoppedClock()) for _ in range(4)]
    with taking_less_than(5):
        answers = await burst(houses, minutes_apart=minutes_apart, business=OUTSIDE_SALON)
    assert answers == {"booked": 1, "CONFLICT": CALLERS - 1}
    assert await faults(watched, calendar) == []
    assert len(calendar.kept) == calendar.asked["insert"] == 1
    # At most one look per desk for the day, and one more behind each commit that was lost or made.
    assert calendar.asked["busy"] <= 4 * (1 + len(minutes_apart) + 2)
