"""reschedule_appointment: one of the caller's own appointments moves, or stays."""

import pytest

from switchboard.contract.definitions.definition import read_definition
from switchboard.contract.error import ErrorType, Refused, ToolError
from switchboard.pipeline.confirmation.prompt import read_back
from tests.desk.calendar_house import NOON, CalendarHouse
from tests.desk.front_desk import NOW, StoppedClock, call, salon, stored
from tests.tools.folder import run, schema

SALON = salon()
DEFINITION = read_definition("reschedule_appointment", schema("reschedule_appointment"))


@pytest.fixture
def desk(store):
    """The desk over the built-in calendar."""
    return CalendarHouse(store, None, StoppedClock())


async def move(desk, booking_id, start="2027-03-16T12:00:00", ctx=None):
    arguments = {"booking_id": booking_id, "new_start_time": start}
    return await run("reschedule_appointment", ctx or call(SALON), desk, arguments)


async def test_a_move_answers_the_new_time_and_leaves_a_receipt(desk, store):
    """Local times with offset; the same again is repeated."""
    booking = await desk.book(call(SALON))
    result = await move(desk, booking.id)
    assert result.data == {
        "moved": True,
        "bookingId": booking.id,
        "service": "Haircut",
        "startTime": "2027-03-16T12:00:00-04:00",
        "endTime": "2027-03-16T12:30:00-04:00",
        "timezone": "America/New_York",
        "customerName": "Anna Whitfield",
        "repeated": False,
        "customerPhone": "+15185550171",
    }
    assert result.receipt["effectIds"] == [booking.id]
    assert len(await stored(store, SALON.id, "slots")) == 6
    assert (await move(desk, booking.id)).data == result.data | {"repeated": True}


async def test_a_taken_time_is_a_conflict_with_alternatives(desk):
    """The appointment is where it was."""
    booking = await desk.book(call(SALON))
    await desk.book(call(SALON, session="x", phone=None), start=NOON, customer_name="Grace Okafor")
    with pytest.raises(ToolError) as caught:
        await move(desk, booking.id)
    assert caught.value.type is ErrorType.CONFLICT
    assert [set(choice) for choice in caught.value.meta["alternatives"]] == [{"start", "end"}] * 3
    assert "Okafor" not in caught.value.message
    assert (await move(desk, booking.id, "2027-03-16T10:00:00")).data["repeated"]


@pytest.mark.parametrize("start", ["2027-03-14T02:30:00", "tomorrow", ""])
async def test_a_time_that_does_not_exist_is_refused_before_anything_runs(desk, start):
    """The clocks skip it, or it is none."""
    with pytest.raises(Refused) as caught:
        await move(desk, "bk_1", start)
    assert caught.value.type is ErrorType.VALIDATION


async def test_a_strangers_appointment_does_not_exist(desk):
    """NOT_FOUND, as for any invented reference."""
    booking = await desk.book(call(SALON))
    with pytest.raises(ToolError) as caught:
        await move(desk, booking.id, ctx=call(SALON, session="x", phone="+15185550199"))
    assert caught.value.type is ErrorType.NOT_FOUND


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("en", "I would now move your appointment to Tuesday, March 16 at 12:00 PM. Shall I go ahead?"),
        ("de", "Ich würde jetzt Ihren Termin auf Dienstag, 16. März um 12:00 Uhr verlegen. Soll ich das machen?"),
        ("es-MX", "Voy a cambiar su cita al martes, 16 de marzo a las 12:00. ¿Sigo adelante?"),
        ("fr", "Je vais déplacer votre rendez-vous au mardi 16 mars à 12h00. Êtes-vous d'accord ?"),
    ],
)
def test_the_caller_is_asked_about_the_new_time(language, question):
    """In the business's language, before anything is done."""
    business = salon(ai={"language": language})
    assert read_back(DEFINITION, {"booking_id": "bk_1", "new_start_time": NOON}, business, NOW) == question
    assert DEFINITION.confirm


def test_it_needs_a_verified_caller_and_may_be_carried_out_again():
    """A call whose instance died is simply carried out again."""
    assert DEFINITION.verified
    assert DEFINITION.is_repeatable
