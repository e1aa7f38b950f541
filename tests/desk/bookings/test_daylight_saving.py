"""Every change of the clocks of every zone, 2026 to 2028: nothing is off by an hour."""

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from itertools import pairwise
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard.contract.business.business import Integration
from switchboard.contract.error import ErrorType, ToolError
from switchboard.desk.bookings.availability import Availability
from switchboard.desk.bookings.duration import VisitLength
from switchboard.desk.bookings.hours import day_of, exists
from switchboard.desk.bookings.request import BookingRequest
from switchboard.desk.calendars.calendars import BuiltInOnly
from switchboard.desk.calendars.free_busy import BusyTimes
from switchboard.desk.services import open_desk
from switchboard.state.memory.store import MemoryStore
from tests.desk.calendar_house import CalendarHouse
from tests.desk.front_desk import StoppedClock, call, salon
from tests.desk.memory_calendar import MemoryCalendar

DAY, MINUTE = timedelta(days=1), timedelta(minutes=1)
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


@cache
def changes():
    """Return (zone, instant) of every change of the clocks."""
    found = []
    for name in sorted(available_timezones()):
        zone, at = ZoneInfo(name), datetime(2026, 1, 1, tzinfo=UTC)
        while at < datetime(2029, 1, 1, tzinfo=UTC):
            before, after = at.astimezone(zone).utcoffset(), (at + DAY).astimezone(zone).utcoffset()
            if before != after:
                low, high = at, at + DAY
                while high - low > MINUTE:
                    middle = low + (high - low) // MINUTE // 2 * MINUTE
                    low, high = (middle, high) if middle.astimezone(zone).utcoffset() == before else (low, middle)
                found.append((name, high))
            at += DAY
    return found


CHANGES = st.deferred(lambda: st.sampled_from(changes()))
CLOCK_TIMES = st.builds(time, st.integers(0, 23), st.integers(0, 59))


def business_in(zone, opens, closes):
    hours = [{"open": f"{opens:%H:%M}", "close": "24:00" if closes is None else f"{closes:%H:%M}"}]
    return salon(timezone=zone, workingHours=dict.fromkeys(WEEKDAYS, hours), integrations={})


def local_day(zone, instant):
    return instant.astimezone(ZoneInfo(zone)).date()


def test_the_changes_cover_many_zones_both_ways_and_odd_sizes():
    """Over 150 zones change their clocks: by an hour, half an hour and two hours; some at midnight."""
    found = changes()
    zones = {name for name, _ in found}
    sizes = {
        (at.astimezone(ZoneInfo(n)).utcoffset() - (at - MINUTE).astimezone(ZoneInfo(n)).utcoffset()) // MINUTE
        for n, at in found
    }
    assert len(zones) > 150
    assert {60, -60, 30, -30, 120, -120} <= sizes
    assert any(at.astimezone(ZoneInfo(n)).time() in (time(1), time(23)) for n, at in found)


@given(CHANGES, CLOCK_TIMES, CLOCK_TIMES, st.integers(-1, 1))
def test_openings_keep_their_wall_clock_and_are_never_inverted(change, one, other, offset):
    """An opening begins at its own wall time, or where that is skipped at the first later one."""
    zone, instant = change
    opens, closes = sorted((one, other))
    if opens == closes:
        closes = None
    day = local_day(zone, instant) + offset * DAY
    for opening in day_of(business_in(zone, opens, closes), day).openings:
        assert opening.start.astimezone(UTC) < opening.end.astimezone(UTC)
        assert exists(opening.start)
        wanted = datetime.combine(day, opens)
        shown = opening.start.replace(tzinfo=None)
        if exists(wanted.replace(tzinfo=ZoneInfo(zone))):
            assert shown == wanted
        else:
            # The minute before is one that the clocks showed before the gap, so nothing in between exists.
            earlier = (opening.start.astimezone(UTC) - MINUTE).astimezone(ZoneInfo(zone)).replace(tzinfo=None)
            assert earlier < wanted < shown


@pytest.mark.parametrize("minutes", [15, 30, 90, 240])
async def test_every_start_offered_around_every_change_exists_and_lies_within_the_hours(minutes):
    """No start is offered in a gap, and none before opening or after closing by the clock on the wall."""
    availability = Availability(BusyTimes(MemoryStore(), StoppedClock(), BuiltInOnly()))
    for zone, instant in changes():
        business = business_in(zone, time(0, 30), time(5))
        day = local_day(zone, instant)
        ctx = call(business, now=instant - 7 * DAY)
        (opening,) = day_of(business, day).openings
        answer = await availability.on(ctx, VisitLength(minutes), day)
        # Where the skipped hour leaves too little, the other days' starts are offered.
        for start in answer.starts if answer.is_available else ():
            shown = start.astimezone(ZoneInfo(zone))
            assert shown.date() == day, (zone, start)
            # Open since the first 0:30, a business stays open while the clocks show 0:00 to 0:59 once more.
            assert shown.fold or time(0, 30) <= shown.time() < time(5), (zone, start)
            assert start + minutes * MINUTE <= opening.end.astimezone(UTC), (zone, start)


@given(CHANGES, st.integers(0, 287), st.integers(-1, 1), st.booleans())
async def test_a_booking_is_kept_at_the_very_wall_time_that_was_asked_for(change, five_minutes, offset, second_time):
    """What is skipped is refused; everything else comes back as it was asked, never off by an hour."""
    zone, instant = change
    day = local_day(zone, instant) + offset * DAY
    wanted = (datetime.combine(day, time.min) + 5 * five_minutes * MINUTE).replace(
        tzinfo=ZoneInfo(zone), fold=second_time
    )
    desk = open_desk(MemoryStore(), StoppedClock())
    ctx = call(business_in(zone, time(0), None), now=instant - 7 * DAY)
    wish = BookingRequest(service="Beard trim", start=wanted, customer_name="Ada")
    if not exists(wanted):
        with pytest.raises(ToolError) as caught:
            await desk.bookings.book(ctx, wish)
        assert caught.value.type is ErrorType.VALIDATION
        assert all(exists(datetime.fromisoformat(a["start"])) for a in caught.value.meta["alternatives"])
        return
    booking = await desk.bookings.book(ctx, wish)
    shown = booking.start.astimezone(ZoneInfo(zone))
    assert (shown.replace(tzinfo=None), shown.utcoffset()) == (wanted.replace(tzinfo=None), wanted.utcoffset())
    assert booking.end - booking.start == 15 * MINUTE


@given(CHANGES, st.integers(0, 287), st.integers(-1, 1), st.booleans(), st.booleans())
async def test_a_moved_booking_is_kept_at_the_very_wall_time_that_was_asked_for(
    change, five_minutes, offset, second_time, is_outside
):
    """In either calendar; the entry shows what the booking says, and what is skipped is refused."""
    zone, instant = change
    day = local_day(zone, instant) + offset * DAY
    wanted = (datetime.combine(day, time.min) + 5 * five_minutes * MINUTE).replace(
        tzinfo=ZoneInfo(zone), fold=second_time
    )
    business = business_in(zone, time(0), None)
    if is_outside:
        business = replace(business, integrations={"googleCalendar": Integration(is_connected=True)})
    calendar = MemoryCalendar()
    house = CalendarHouse(MemoryStore(), calendar, StoppedClock())
    ctx = call(business, now=instant - 7 * DAY)
    booking = await house.book(ctx, service="Color", start=instant - 4 * DAY)
    if not exists(wanted):
        with pytest.raises(ToolError) as caught:
            await house.appointments.reschedule(ctx, booking.id, wanted)
        assert caught.value.type is ErrorType.VALIDATION
        return
    moved = await house.appointments.reschedule(ctx, booking.id, wanted)
    shown = moved.start.astimezone(ZoneInfo(zone))
    assert (shown.replace(tzinfo=None), shown.utcoffset()) == (wanted.replace(tzinfo=None), wanted.utcoffset())
    assert moved.end - moved.start == 90 * MINUTE
    entries = [(e.start.astimezone(UTC), e.end.astimezone(UTC)) for e in calendar.shown]
    assert entries == ([(moved.start, moved.end)] if is_outside else [])


async def test_bookings_of_every_zone_survive_a_move_across_each_of_its_changes():
    """From the day before each change to the day after, at noon by the wall: never off by an hour."""
    for zone, instant in changes():
        business = business_in(zone, time(0), None)
        house = CalendarHouse(MemoryStore(), None, StoppedClock())
        ctx = call(business, now=instant - 7 * DAY)
        day = local_day(zone, instant)
        before, after = (datetime.combine(day + n * DAY, time(12), ZoneInfo(zone)) for n in (-1, 1))
        booking = await house.book(ctx, service="Beard trim", start=before)
        moved = await house.appointments.reschedule(ctx, booking.id, after)
        assert moved.start.astimezone(ZoneInfo(zone)).replace(tzinfo=None) == after.replace(tzinfo=None), zone


async def test_the_hour_that_comes_twice_can_be_booked_twice():
    """1:30 before and 1:30 after the change are different times with different slots."""
    zone = ZoneInfo("America/New_York")
    business = salon(workingHours={"sunday": [{"open": "00:00", "close": "24:00"}]}, integrations={})
    desk = open_desk(MemoryStore(), StoppedClock())
    starts = []
    for fold in (0, 1):
        ctx = call(business, f"wish {fold}", now=datetime(2027, 11, 1, tzinfo=UTC))
        start = datetime(2027, 11, 7, 1, 30, tzinfo=zone, fold=fold)
        starts.append(
            (await desk.bookings.book(ctx, BookingRequest(service="Haircut", start=start, customer_name="Ada"))).start
        )
    assert starts[1] - starts[0] == timedelta(hours=1)


@given(CHANGES)
def test_the_bounds_of_days_leave_no_gap_and_no_overlap(change):
    """Each day ends in the very instant in which the next begins."""
    zone, instant = change
    business = business_in(zone, time(0), None)
    day: date = local_day(zone, instant)
    days = [day_of(business, day + n * DAY).openings[0] for n in (-1, 0, 1)]
    for one, next_one in pairwise(days):
        assert one.end.astimezone(UTC) == next_one.start.astimezone(UTC)
