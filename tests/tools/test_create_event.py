"""create_event: seed 001 (Google Calendar toolkit)."""

import pytest

from switchboard.contract.error import ErrorType, Refused, ToolError
from tests.desk.calendar_house import GOOGLE, SALON, CalendarHouse, faults
from tests.desk.front_desk import StoppedClock, call, salon, stored
from tests.desk.memory_calendar import MemoryCalendar, event
from tests.tools.folder import run

WANTED = {"title": "Photo shoot", "start_time": "2027-03-16T10:00:00"}


@pytest.fixture
def calendar():
    """An empty outside calendar."""
    return MemoryCalendar()


@pytest.fixture
def desk(store, calendar):
    """The desk over that calendar."""
    return CalendarHouse(store, calendar, StoppedClock())


async def create(desk, ctx=None, **changes):
    return await run("create_event", ctx or call(SALON, verified=True), desk, WANTED | changes)


@pytest.mark.requirement("001-41", "001-42", "001-47", "001-48", "003-59")
async def test_an_event_is_entered_and_answered_with_its_details(desk, store, calendar):
    """It ends its duration after its start; the receipt names it."""
    result = await create(desk, duration_minutes=60, description="Bring the dates.")
    (id,) = await stored(store, SALON.id, "bookings")
    assert result.data == {
        "created": True,
        "eventId": id,
        "title": "Photo shoot",
        "startTime": "2027-03-16T10:00:00-04:00",
        "endTime": "2027-03-16T11:00:00-04:00",
        "timezone": "America/New_York",
        "attendees": [],
        "description": "Bring the dates.",
        "repeated": False,
    }
    assert result.receipt["effectIds"] == [id]
    (entry,) = calendar.shown
    assert (entry.title, entry.start.isoformat(), entry.end.isoformat()) == (
        "Photo shoot",
        "2027-03-16T10:00:00-04:00",
        "2027-03-16T11:00:00-04:00",
    )
    assert entry.description.startswith("Bring the dates.")
    assert await faults(store, calendar) == []


@pytest.mark.requirement("004-641")
@pytest.mark.parametrize(
    "other",
    [{"duration_minutes": 60}, {"attendees": ["anna@example.com"]}, {"description": "Bring the dates."}],
)
async def test_an_event_that_was_entered_with_other_particulars_is_not_told_as_created(desk, store, other):
    """What was not changed is named, and how it can be had; the same again is told as entered before."""
    event_id = (await create(desk)).data["eventId"]
    before = await stored(store, SALON.id, "bookings")
    with pytest.raises(ToolError) as refusal:
        await create(desk, **other)
    (name,), message = other, refusal.value.message
    assert refusal.value.type is ErrorType.CONFLICT
    assert all(part in message for part in (event_id, "was not changed", name, "cancel it first")), message
    assert await stored(store, SALON.id, "bookings") == before
    assert (await create(desk)).data["repeated"]


@pytest.mark.parametrize(("setting", "minutes"), [(45, 45), (None, 30), (3, 30), ("long", 30)])
@pytest.mark.requirement("001-44")
async def test_without_a_duration_the_calendars_own_default_counts(desk, calendar, setting, minutes):
    """And 30 minutes where it has none that can be used."""
    integrations = {"googleCalendar": {**GOOGLE["googleCalendar"], "defaultEventDuration": setting}}
    await create(desk, call(salon(integrations=integrations)))
    (entry,) = calendar.shown
    assert (entry.end - entry.start).total_seconds() == 60 * minutes


@pytest.mark.requirement("001-45", "001-46")
async def test_attendees_and_description_are_optional(desk, calendar):
    """Each address stands once in the entry."""
    assert (await create(desk)).data["description"] == ""
    people = ["kim@studio.example", "lee@studio.example", "kim@studio.example"]
    result = await create(
        desk, call(SALON, "another", verified=True), start_time="2027-03-16T12:00:00", attendees=people
    )
    assert result.data["attendees"] == people[:2]
    assert [e.attendees for e in calendar.shown] == [(), ("kim@studio.example", "lee@studio.example")]


@pytest.mark.requirement("001-49")
async def test_the_same_wish_twice_makes_one_event(desk, calendar):
    """The second answer is the first one, repeated."""
    first, again = await create(desk), await create(desk)
    assert again.data == first.data | {"repeated": True}
    assert len(calendar.shown) == 1


async def test_a_taken_time_is_a_conflict_with_alternatives(desk, calendar):
    """Checked like a booking: against bookings, and against what people entered."""
    calendar.put(event(SALON, "2027-03-16", "10:15", "10:20"))
    with pytest.raises(ToolError) as caught:
        await create(desk)
    assert caught.value.type is ErrorType.CONFLICT
    assert len(caught.value.meta["alternatives"]) == 3


async def test_an_event_keeps_bookings_out(desk):
    """It holds its time as a booking does."""
    await create(desk)
    with pytest.raises(ToolError) as caught:
        await desk.book(call(SALON, session="x", phone=None))
    assert caught.value.type is ErrorType.CONFLICT


@pytest.mark.parametrize(
    "changes",
    [
        {"title": ""},
        {"title": " "},
        {"duration_minutes": 4},
        {"duration_minutes": 481},
        {"attendees": ["kim"]},
        {"attendees": "kim@studio.example "},
        {"start_time": "2027-03-14T02:30:00"},
        {"calendar_id": "other"},
    ],
)
@pytest.mark.requirement("001-43")
async def test_arguments_that_do_not_fit_are_refused_and_nothing_is_entered(desk, store, changes):
    """5 to 480 minutes, real addresses; which calendar it is is not for a model to say."""
    with pytest.raises(ToolError) as caught:
        await create(desk, **changes)
    assert caught.value.type is ErrorType.VALIDATION
    assert await stored(store, SALON.id, "bookings") == {}


@pytest.mark.parametrize("missing", ["title", "start_time"])
@pytest.mark.requirement("001-41", "001-42")
async def test_title_and_start_are_required(desk, missing):
    """Neither is guessed."""
    with pytest.raises(Refused):
        await run("create_event", call(SALON), desk, {k: v for k, v in WANTED.items() if k != missing})
