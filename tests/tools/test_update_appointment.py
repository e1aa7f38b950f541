"""update_appointment: a name that was misheard, a number, notes; what is left out stays."""

import pytest

from switchboard.contract.error import ErrorType, ToolError
from tests.desk.calendar_house import GOOGLE, CalendarHouse
from tests.desk.front_desk import StoppedClock, call, salon, stored
from tests.desk.memory_calendar import SILENT, MemoryCalendar
from tests.tools.folder import run, schema

pytestmark = pytest.mark.requirement("003-423")
SALON, OUTSIDE = salon(), salon(integrations=GOOGLE)
DANNY = {"customer_name": "Danny Reed", "customer_phone": "518 555 0199"}


@pytest.fixture
def desk(store):
    """The desk over the built-in calendar."""
    return CalendarHouse(store, None, StoppedClock())


async def update(desk, booking_id, ctx=None, **changes):
    return await run("update_appointment", ctx or call(SALON), desk, {"booking_id": booking_id, **changes})


async def test_a_name_and_a_number_are_corrected_in_the_conversation_that_booked(desk, store):
    """Nobody is verified; the result echoes what is recorded now."""
    booking = await desk.book(call(SALON))
    result = await update(desk, booking.id, **DANNY)
    assert result.data == {
        "updated": True,
        "bookingId": booking.id,
        "service": "Haircut",
        "startTime": "2027-03-16T10:00:00-04:00",
        "timezone": "America/New_York",
        "customerName": "Danny Reed",
        "customerPhone": "+15185550199",
        "repeated": False,
    }
    assert result.receipt["effectIds"] == [booking.id]
    (kept,) = (await stored(store, SALON.id, "bookings")).values()
    assert (kept["customerName"], kept["customerPhone"]) == ("Danny Reed", "+15185550199")
    assert (await update(desk, booking.id, **DANNY)).data == result.data | {"repeated": True}


async def test_what_is_left_out_stays(desk, store):
    """Notes alone, and then an e-mail alone."""
    booking = await desk.book(call(SALON))
    assert (await update(desk, booking.id, notes="Roots only.")).data["notes"] == "Roots only."
    told = (await update(desk, booking.id, customer_email="anna@example.com")).data
    assert (told["customerName"], told["customerPhone"]) == ("Anna Whitfield", "+15185550171")
    (kept,) = (await stored(store, SALON.id, "bookings")).values()
    assert (kept["customerNotes"], kept["customerEmail"]) == ("Roots only.", "anna@example.com")


@pytest.mark.requirement("004-1012")
async def test_a_note_of_another_number_of_people_says_that_it_has_changed_none(desk):
    """So does the definition, and what moves changes it; a note of the same number, or of none, says nothing."""
    booking = await desk.book(call(SALON))
    told = (await update(desk, booking.id, notes="Actually we'll be six.")).data
    assert told["note"].startswith("A note changes no number of people: it is still 1. For another number, use resched")
    assert "note" not in (await update(desk, booking.id, notes="One person, two high chairs.")).data
    assert "not how many come" in schema("update_appointment")["description"]
    assert "party_size" in schema("reschedule_appointment")["parameters"]["properties"]


async def test_somebody_elses_appointment_is_not_there(desk, store):
    """Whoever has shown nothing corrects what this conversation has booked, and nothing else."""
    booking = await desk.book(call(SALON))
    stranger = call(SALON, session="another", phone="+15185550123", attestation=None)
    with pytest.raises(ToolError) as refused:
        await update(desk, booking.id, stranger, **DANNY)
    assert refused.value.type in (ErrorType.MODE_RESTRICTED, ErrorType.NOT_FOUND)
    (kept,) = (await stored(store, SALON.id, "bookings")).values()
    assert kept["customerName"] == "Anna Whitfield"


@pytest.mark.parametrize(
    "changes", [{}, {"customer_name": "Shall I cancel? Yes"}, {"customer_phone": "no number"}, {"customer_name": " "}]
)
async def test_what_cannot_be_recorded_is_refused(desk, store, changes):
    """Names are read out in questions; nothing is changed by half."""
    booking = await desk.book(call(SALON))
    with pytest.raises(ToolError) as refused:
        await update(desk, booking.id, **{"notes": "x", **changes} if changes else {})
    assert refused.value.type is ErrorType.VALIDATION
    (kept,) = (await stored(store, SALON.id, "bookings")).values()
    assert (kept["customerName"], kept["customerNotes"]) == ("Anna Whitfield", None)


async def test_one_that_was_cancelled_is_not_corrected(desk):
    """There is nothing left to come to."""
    booking = await desk.book(call(SALON))
    await desk.appointments.cancel(call(SALON), booking.id)
    with pytest.raises(ToolError) as refused:
        await update(desk, booking.id, **DANNY)
    assert refused.value.type is ErrorType.CONFLICT


async def test_an_outside_calendar_shows_the_right_name(store):
    """Its entry is in front of whoever works there."""
    calendar = MemoryCalendar()
    desk = CalendarHouse(store, calendar, StoppedClock())
    booking = await desk.book()
    await update(desk, booking.id, desk.call(), **DANNY)
    (entry,) = calendar.shown
    assert entry.title == "Haircut: Danny Reed"
    assert "+15185550199" in entry.description


async def test_a_calendar_that_does_not_answer_is_told_later(store):
    """The booking holds what is true at once; the reaper has the calendar follow."""
    calendar, clock = MemoryCalendar(), StoppedClock()
    desk = CalendarHouse(store, calendar, clock)
    booking = await desk.book()
    calendar.fail_before["reword"] = SILENT
    assert (await update(desk, booking.id, desk.call(), **DANNY)).data["customerName"] == "Danny Reed"
    assert [entry.title for entry in calendar.shown] == ["Haircut: Anna Whitfield"]
    calendar.recover()
    clock.wait(120)
    await desk.reap()
    assert [entry.title for entry in calendar.shown] == ["Haircut: Danny Reed"]
