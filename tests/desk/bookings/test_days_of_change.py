"""What is told to be free when the clocks change: nothing that no clock shows, and what comes twice as such."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from switchboard.app.evaluation.observing import _within
from switchboard.contract.model import ToolMessage
from switchboard.contract.response import ToolResponse
from switchboard.conversation.claims.company_check import free_times
from switchboard.desk.bookings.availability import Availability
from switchboard.desk.bookings.date_text import days_in_words
from switchboard.desk.bookings.duration import VisitLength
from switchboard.desk.bookings.request import BookingRequest
from switchboard.desk.calendars.calendars import BuiltInOnly
from switchboard.desk.calendars.free_busy import BusyTimes
from switchboard.desk.services import open_desk
from switchboard.state.memory.store import MemoryStore
from tests.desk.bookings.test_daylight_saving import WEEKDAYS
from tests.desk.front_desk import StoppedClock, call, salon

pytestmark = pytest.mark.requirement("004-2205")
FORWARD, BACK = date(2027, 3, 14), date(2027, 11, 7)


async def told(day, zone="America/New_York", opens="00:00", closes="24:00", language="en", days=0):
    """Return what is told of a day, and of some after it, by a business that is open so long."""
    hours = {weekday: [{"open": opens, "close": closes}] for weekday in WEEKDAYS}
    business = salon(timezone=zone, workingHours=hours, integrations={}, ai={"language": language})
    availability = Availability(BusyTimes(MemoryStore(), StoppedClock(), BuiltInOnly()))
    now = datetime(day.year, day.month, day.day, tzinfo=UTC) - timedelta(days=7)
    ctx = call(business, now=now)
    answer = await availability.between(ctx, VisitLength(15), day, day + timedelta(days=days))
    return days_in_words(answer.days, business)


async def test_an_hour_that_there_is_not_is_not_told():
    """The night before and the one after have it."""
    rows = await told(FORWARD, days=1)
    assert [row["times"] for row in rows] == ["Sunday 0:00 to 1:55, 3:00 to 23:55", "Monday 0:00 to 23:55"]
    assert not any("note" in row for row in rows)


async def test_an_hour_that_comes_twice_is_told_as_such_and_how_either_is_booked():
    """A model asks which one is meant, and has both to send."""
    (row,) = await told(BACK)
    assert row["times"] == "Sunday 0:00 to 1:55 (EDT), 1:00 (EST) to 23:55"
    assert row["note"] == (
        "The clocks go back and show 1:00 twice. Ask which one is meant, and send its offset: "
        "2027-11-07T01:00:00-04:00 (EDT) or 2027-11-07T01:00:00-05:00 (EST)."
    )


async def test_of_two_times_that_look_alike_the_free_one_alone_is_to_be_sent():
    """Nobody is asked which one is meant where the other one cannot be had."""
    night = salon(timezone="America/New_York", workingHours={"sunday": [{"open": "00:00", "close": "24:00"}]})
    desk = open_desk(MemoryStore(), StoppedClock())
    for number, start in enumerate(("2027-11-07T00:30:00-04:00", "2027-11-07T01:00:00-04:00")):
        ctx = call(night, f"wish {number}", session=f"s{number}", now=datetime(2027, 11, 1, tzinfo=UTC))
        moment = datetime.fromisoformat(start).astimezone(night.timezone)
        await desk.bookings.book(ctx, BookingRequest(service="Haircut", start=moment, customer_name="Ada"))
    ctx = call(night, now=datetime(2027, 11, 1, tzinfo=UTC))
    visit = VisitLength(60)
    (row,) = days_in_words((await desk.availability.on(ctx, visit, BACK)).days, night)
    assert row["times"] == "Sunday 1:30 (EDT) to 1:55 (EDT), 1:00 (EST) to 23:00"
    assert "1:30 twice. Ask which one is meant" in row["note"]
    taken = datetime.fromisoformat("2027-11-07T01:30:00-04:00").astimezone(night.timezone)
    await desk.bookings.book(ctx, BookingRequest(service="Haircut", start=taken, customer_name="Ada"))
    (row,) = days_in_words((await desk.availability.on(ctx, visit, BACK)).days, night)
    assert row["times"] == "Sunday 1:00 (EST) to 23:00"
    assert row["note"] == (
        "The clocks go back and show 1:00 twice. Only one of them is free: send its offset, "
        "2027-11-07T01:00:00-05:00 (EST)."
    )


async def test_where_nothing_that_comes_twice_is_free_nothing_is_said_of_it():
    """Nearly every business is closed at night."""
    (row,) = await told(BACK, opens="09:00", closes="17:00")
    assert row == {"date": "2027-11-07", "times": "Sunday 9:00 to 16:45"}
    (row,) = await told(FORWARD, opens="09:00", closes="17:00")
    assert row == {"date": "2027-03-14", "times": "Sunday 9:00 to 16:45"}


@pytest.mark.parametrize(
    ("zone", "day", "times"),
    [
        ("Europe/Berlin", date(2027, 3, 28), "Sonntag 0:00 bis 1:55, 3:00 bis 23:55"),
        ("Europe/Berlin", date(2027, 10, 31), "Sonntag 0:00 bis 2:55 (CEST), 2:00 (CET) bis 23:55"),
        ("Australia/Lord_Howe", date(2027, 10, 3), "Sonntag 0:00 bis 1:55, 2:30 bis 23:55"),
        ("Australia/Lord_Howe", date(2027, 4, 4), "Sonntag 0:00 bis 1:55 (+11), 1:30 (+1030) bis 23:55"),
    ],
)
async def test_it_is_so_wherever_clocks_change(zone, day, times):
    """Also by half an hour."""
    (row,) = await told(day, zone, language="de")
    assert row["times"] == times
    assert ("note" in row) == ("(" in times)


async def test_who_reads_such_times_reads_all_of_them():
    """The claims of an answer are held against them, and so are those of an evaluation."""
    (row,) = await told(BACK)
    zone = ZoneInfo("America/New_York")
    found = ToolMessage("1", "check_availability", ToolResponse(data={"available": True, "free": [row]}))
    stretches = [(f"{free.first:%H:%M}", f"{free.last:%H:%M}") for free in free_times([found], zone)]
    assert stretches == [("00:00", "01:55"), ("01:00", "23:55")]
    assert {"00:30", "01:35", "12:00", "23:55"} <= set(_within(row["times"]))
