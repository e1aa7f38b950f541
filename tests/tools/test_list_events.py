"""list_events: seed 001 (Google Calendar toolkit)."""

import json

import pytest

from switchboard.contract.error import ErrorType, Refused
from switchboard.tools.list_events.handler import shorten
from tests.desk.calendar_house import NOON, SALON, CalendarHouse
from tests.desk.front_desk import StoppedClock, call
from tests.desk.memory_calendar import MemoryCalendar, event
from tests.tools.folder import run


@pytest.fixture
def calendar():
    """An outside calendar with four events a day on two days."""
    days = ("2027-03-16", "2027-03-17")
    return MemoryCalendar(*(event(SALON, d, f"{h}:00", f"{h}:20") for d in days for h in ("14", "15", "16", "17")))


@pytest.fixture
def desk(store, calendar):
    """The desk over that calendar."""
    return CalendarHouse(store, calendar, StoppedClock())


async def events(desk, ctx=None, **arguments):
    return await run("list_events", ctx or call(SALON), desk, {"time_min": "2027-03-16", **arguments})


@pytest.mark.requirement("001-36", "001-37", "001-39")
async def test_events_are_told_in_order_and_only_own_ones_by_name(desk):
    """Anna's haircut at noon, then what others have."""
    booking = await desk.book(call(SALON), start=NOON)
    result = await events(desk, max_results=2)
    assert result.data == {
        "events": [
            {
                "start": "2027-03-16T12:00:00-04:00",
                "end": "2027-03-16T12:30:00-04:00",
                "title": "Haircut",
                "isAllDay": False,
                "bookingId": booking.id,
            },
            {
                "start": "2027-03-16T14:00:00-04:00",
                "end": "2027-03-16T14:20:00-04:00",
                "title": "busy",
                "isAllDay": False,
            },
        ],
        "timezone": "America/New_York",
    }


@pytest.mark.requirement("001-37", "001-38", "001-39")
async def test_the_range_and_the_number_are_kept(desk, calendar):
    """Without an end from the start on; ten at most where nothing is said; an empty range is an answer."""
    for minute in range(10, 22):
        calendar.put(event(SALON, "2027-03-18", f"{minute}:00", f"{minute}:30"))
    assert len((await events(desk)).data["events"]) == 10
    assert len((await events(desk, max_results=100)).data["events"]) == 20
    assert len((await events(desk, time_max="2027-03-17", max_results=3)).data["events"]) == 3
    nothing = await events(desk, time_max="2027-03-16T09:00:00")
    assert (nothing.data["events"], nothing.empty) == ([], True)


@pytest.mark.parametrize(
    "arguments", [{"time_min": None}, {"max_results": 0}, {"max_results": 101}, {"time_max": "later"}, {"q": "x"}]
)
@pytest.mark.requirement("001-36", "001-38")
async def test_arguments_that_do_not_fit_are_refused(desk, arguments):
    """`time_min` is required, and 1 to 100 events may be asked for."""
    wanted = {name: value for name, value in {"time_min": "2027-03-16", **arguments}.items() if value is not None}
    with pytest.raises(Refused) as caught:
        await run("list_events", call(SALON), desk, wanted)
    assert caught.value.type is ErrorType.VALIDATION


async def test_a_list_too_long_for_the_channel_ends_earlier(desk):
    """The first events stay whole."""
    data = (await events(desk)).data
    shorter = shorten(data, 600)
    assert len(json.dumps(shorter)) <= 600
    assert shorter["events"] == data["events"][: len(shorter["events"])]
    assert shorter["events"]
    assert shorten(data, 10_000) == data
