"""What is listed where a business has people with calendars of their own: all of these, and whose each entry is."""

from dataclasses import replace
from datetime import timedelta

import pytest

from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.revoked import noting_in
from tests.desk.calendar_house import NOON, TEN, all_bookings
from tests.desk.calendars.test_displaced_entries import HOUSE, PEOPLES_OWN, Place, both, calendar_of
from tests.desk.front_desk import at
from tests.desk.memory_calendar import event
from tests.each import each
from tests.tools.folder import run

DAY, NEXT = (at(HOUSE, f"2027-03-{day}T00:00") for day in (16, 17))
ROSA, MARCUS = "Rosa Lindqvist", "Marcus"
pytestmark = pytest.mark.requirement("004-538")


async def listed(place, ctx=None):
    """Return what somebody is told of the day: when, what of the caller's own, and whose."""
    found = await place.agenda.events(ctx or place.ask(), DAY, NEXT, 20)
    return [(e.start, e.own.service if e.own else "busy", e.whose) for e in found]


@both
async def test_appointments_are_listed_once_and_with_whom_they_are(business):
    """Wherever their entries stand; only the caller's own by name."""
    place = Place(business)
    await place.booked(with_person="Rosa")
    await place.booked(NOON, with_person="Marcus")
    mine = place.call("look", session="s1", phone="+15185550001", business=business)
    assert await listed(place, mine) == [(TEN, "Haircut", (ROSA,)), (NOON, "busy", (MARCUS,))]


async def test_what_stands_in_peoples_own_calendars_is_theirs():
    """In each of them, without its words; in the calendar of the house it is everybody's."""
    place = Place(replace(PEOPLES_OWN, chosen_calendar="googleCalendar"))
    for hour, calendar in enumerate((place.house, place.own["private"], place.own["rosa"], place.own["marcus"])):
        calendar.put(event(place.business, "2027-03-16", f"1{hour}:00", f"1{hour}:30"))
    place.own["marcus"].put(event(place.business, "2027-03-16", "18:00", "19:00", is_busy=False))
    assert [whose for _, _, whose in await listed(place)] == [(), (ROSA,), (ROSA,), (MARCUS,)]
    assert "Dentist" not in repr(await listed(place))


async def test_an_appointment_that_was_put_elsewhere_by_hand_is_listed_there_too():
    """Where bookings are the calendar it is in two places: both are held."""
    place = Place(PEOPLES_OWN)
    await place.booked(with_person="Rosa")
    place.drag(place.own["rosa"], NOON)
    assert await listed(place) == [(TEN, "busy", (ROSA,)), (NOON, "busy", (ROSA,))]
    place.drag(place.own["rosa"], NOON + timedelta(hours=1), "copied00", place.own["marcus"])
    assert (await listed(place))[-1] == (NOON + timedelta(hours=1), "busy", (MARCUS,))


@both
@each("status", ["confirmed", "cancelled"])
async def test_an_entry_that_stands_for_no_appointment_is_not_told_as_one_of_the_callers(business, status):
    """Put elsewhere by hand, or left over of what was cancelled: it takes time, and nobody is expected then."""
    place = Place(business)
    await place.booked(with_person="Rosa")
    mine = place.call("look", session="s1", phone="+15185550001", business=business)
    if status == "confirmed":
        place.drag(calendar_of(place), NOON)
    else:
        await place.saga.records.save(mine, (await all_bookings(place.store))[0], status=status)
    assert (await listed(place, mine))[-1] == (NOON if status == "confirmed" else TEN, "busy", (ROSA,))


@each("type", [ErrorType.AUTH, ErrorType.PERMANENT, ErrorType.TRANSIENT])
async def test_an_own_calendar_that_cannot_be_read_is_no_free_time(type):
    """Its owner is busy until it is connected again, and the owner of the business is told; the others are listed."""
    place, noted = Place(PEOPLES_OWN), set()
    await place.booked(with_person="Marcus")
    place.own["private"].fail_before["entries"] = ToolError(type, "no")
    noting_in(noted)
    if type is ErrorType.TRANSIENT:
        with pytest.raises(ToolError):
            await listed(place)
    else:
        assert await listed(place) == [(DAY, "busy", (ROSA,)), (TEN, "busy", (MARCUS,))]
    assert noted == ({"googleCalendar"} if type is ErrorType.AUTH else set())


async def test_the_tool_says_whose_time_it_is():
    """By name where it is somebody's, and not at all where it is everybody's."""
    place = Place(replace(PEOPLES_OWN, chosen_calendar="googleCalendar"))
    await place.booked(with_person="Rosa")
    place.house.put(event(place.business, "2027-03-16", "14:00", "14:30"))
    result = await run("list_events", place.ask(), place, {"time_min": "2027-03-16"})
    assert [(e["title"], e.get("whose")) for e in result.data["events"]] == [("busy", ROSA), ("busy", None)]
