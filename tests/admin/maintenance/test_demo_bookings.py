"""Bookings that are said relative to the day on which they are entered."""

from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from itertools import islice
from zoneinfo import ZoneInfo

import pytest

from switchboard.admin.maintenance.demo_bookings import BookingWish
from switchboard.contract.business.business import read_business
from switchboard.desk.bookings.bookings import claim_writes
from switchboard.desk.bookings.duration import visit_for
from tests.admin.small_seeds import BUSINESS, NOW, PATHS

NEW_YORK = ZoneInfo("America/New_York")


def wish(days, at="10:00", service="Haircut", **changes):
    business = read_business("salon", BUSINESS | changes)
    caller = {"name": "Anna", "phone": "+15185550161", "email": "anna@mail.example"}
    return BookingWish(business, "cut", visit_for(business, service, None), days, time.fromisoformat(at), caller, "Hi")


PEOPLE = [{"id": "rosa", "name": "Rosa"}, {"id": "marcus", "name": "Marcus"}]


def days_of(wish, now=NOW, count=3):
    return [f"{start.astimezone(NEW_YORK):%a %m-%d %H:%M}" for start in islice(wish.starts(now), count)]


@pytest.mark.parametrize(
    ("days", "at", "expected"),
    [
        (3, "10:00", ["Tue 11-24 10:00", "Wed 11-25 10:00", "Thu 11-26 10:00"]),
        (1, "10:00", ["Tue 11-24 10:00", "Wed 11-25 10:00", "Thu 11-26 10:00"]),
        (6, "10:00", ["Tue 12-01 10:00", "Wed 12-02 10:00", "Thu 12-03 10:00"]),
        (-1, "10:00", ["Thu 11-19 10:00", "Wed 11-18 10:00", "Tue 11-17 10:00"]),
        (3, "17:45", []),
        (3, "23:00", []),
    ],
)
def test_a_closed_day_moves_a_booking_to_the_next_open_one(days, at, expected):
    """NOW is a Saturday, open are Tuesday to Thursday; the past moves backwards, and it must fit before closing."""
    assert days_of(wish(days, at)) == expected


def test_an_exceptional_day_counts_as_it_is():
    """A holiday is skipped, an exceptional opening is used."""
    exceptions = {"2026-11-24": "closed", "2026-11-23": {"open": "09:00", "close": "12:00"}}
    changed = wish(1, workingHours=BUSINESS["workingHours"] | {"exceptions": exceptions})
    assert days_of(changed, count=2) == ["Mon 11-23 10:00", "Wed 11-25 10:00"]


def test_a_time_that_is_over_today_is_tomorrow():
    """Nothing that lies ahead is entered in the past."""
    noon = datetime(2026, 11, 24, 12, 0, tzinfo=NEW_YORK)
    assert days_of(wish(0, "11:00"), noon, 1) == ["Wed 11-25 11:00"]
    assert days_of(wish(0, "13:00"), noon, 1) == ["Tue 11-24 13:00"]


def test_the_local_time_stands_on_both_sides_of_a_change_of_the_clocks():
    """Ten o'clock is ten o'clock in winter and in summer."""
    march = datetime(2027, 3, 11, 12, 0, tzinfo=UTC)
    before, after = islice(wish(0).starts(march), 2)
    assert (before.hour, after.hour) == (15, 14)


def test_a_booking_ahead_is_confirmed_and_holds_its_time():
    """It is a booking like any other: claimed, with the caller's number as the trusted one."""
    booking = wish(3).booking(next(wish(3).starts(NOW)), NOW)
    document = booking.to_document()
    assert (booking.status, booking.created_at, document["calendar"]) == ("confirmed", NOW, "builtinCalendar")
    assert (document["callerPhone"], document["customerPhone"]) == ("+15185550161", "+15185550161")
    assert (document["customerName"], document["customerNotes"]) == ("Anna", "Hi")
    assert len(claim_writes(PATHS.within("salon"), booking)) == 1 + 6


def test_a_booking_of_the_past_is_completed_and_holds_nothing():
    """It was made a week before it took place."""
    start = next(wish(-3).starts(NOW))
    booking = wish(-3).booking(start, NOW)
    assert (booking.status, booking.created_at) == ("completed", start - timedelta(days=7))
    assert len(claim_writes(PATHS.within("salon"), booking)) == 1


def test_it_is_the_same_booking_on_every_day():
    """Its id says which wish it is and not when."""
    one, other = (wish(3).booking(start, NOW) for start in islice(wish(3).starts(NOW), 2))
    assert one.id == other.id == wish(3).id
    assert one.start != other.start


def test_where_there_are_people_somebody_free_takes_it():
    """The one who is wished for, else whoever is free; nobody is booked twice, and what is full is left out."""
    anyone = wish(3, resources=PEOPLE)
    start = next(anyone.starts(NOW))
    rosas = replace(anyone, visit=replace(anyone.visit, person="rosa"))
    first = rosas.booking(start, NOW)
    second = anyone.booking(start, NOW, [first])
    assert (first.taken.person, second.taken.person) == ("Rosa", "Marcus")
    assert len(claim_writes(PATHS.within("salon"), first)) == 1 + 6
    assert rosas.booking(start, NOW, [first]) is None
    assert anyone.booking(start, NOW, [first, second]) is None
    assert anyone.booking(start, NOW, [first, replace(second, status="cancelled")]).taken.person == "Marcus"
