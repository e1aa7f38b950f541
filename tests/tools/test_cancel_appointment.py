"""cancel_appointment: seed 004 (calendar tools)."""

import pytest

from switchboard.contract.definitions.definition import read_definition
from switchboard.contract.error import ErrorType, ToolError
from switchboard.pipeline.confirmation.prompt import read_back
from tests.desk.calendar_house import TEN, CalendarHouse
from tests.desk.front_desk import NOW, StoppedClock, call, salon, stored
from tests.tools.folder import run, schema

SALON = salon()
DEFINITION = read_definition("cancel_appointment", schema("cancel_appointment"))


@pytest.fixture
def desk(store):
    """The desk over the built-in calendar."""
    return CalendarHouse(store, None, StoppedClock())


async def cancel(desk, booking_id, ctx=None, **arguments):
    return await run("cancel_appointment", ctx or call(SALON), desk, {"booking_id": booking_id, **arguments})


@pytest.mark.requirement("004-04")
async def test_a_cancellation_answers_what_was_cancelled_and_leaves_a_receipt(desk, store):
    """The slots are gone; the same again is repeated."""
    booking = await desk.book(call(SALON))
    result = await cancel(desk, booking.id, start_time="2027-03-16T10:00:00")
    assert result.data == {
        "cancelled": True,
        "bookingId": booking.id,
        "service": "Haircut",
        "startTime": "2027-03-16T10:00:00-04:00",
        "timezone": "America/New_York",
        "customerName": "Anna Whitfield",
        "repeated": False,
    }
    assert result.receipt == {
        "what": "cancelled: Haircut",
        "for": "Anna Whitfield",
        "when": "2027-03-16T10:00:00-04:00",
        "effectIds": [booking.id],
    }
    assert await stored(store, SALON.id, "slots") == {}
    assert (await cancel(desk, booking.id)).data == result.data | {"repeated": True}


@pytest.mark.parametrize(
    ("fields", "arguments", "type"),
    [
        ({"session": "x", "phone": "+15185550199"}, {}, ErrorType.NOT_FOUND),
        ({}, {"start_time": "2027-03-16T10:30:00"}, ErrorType.CONFLICT),
        ({"now": TEN}, {}, ErrorType.CONFLICT),
    ],
    ids=["a stranger", "another time than was said", "it has begun"],
)
async def test_what_cannot_be_cancelled_stays(desk, store, fields, arguments, type):
    """Somebody else's, one that the caller was not asked about, and one that has begun."""
    booking = await desk.book(call(SALON))
    with pytest.raises(ToolError) as caught:
        await cancel(desk, booking.id, call(SALON, **fields), **arguments)
    assert caught.value.type is type
    assert len(await stored(store, SALON.id, "slots")) == 6


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("en", "I would now cancel your appointment on Tuesday, March 16 at 10:00 AM. Shall I go ahead?"),
        ("de", "Ich würde jetzt Ihren Termin am Dienstag, 16. März um 10:00 Uhr absagen. Soll ich das machen?"),
        ("es", "Voy a cancelar su cita del martes, 16 de marzo a las 10:00. ¿Sigo adelante?"),
        ("fr-CA", "Je vais annuler votre rendez-vous du mardi 16 mars à 10h00. Êtes-vous d'accord ?"),
    ],
)
def test_the_caller_is_asked_about_the_time(language, question):
    """In the business's language, before anything is done; a reference says nothing to a caller."""
    business = salon(ai={"language": language})
    assert read_back(DEFINITION, {"booking_id": "bk_1", "start_time": TEN}, business, NOW) == question
    assert DEFINITION.confirm


def test_it_needs_a_verified_caller_and_may_be_carried_out_again():
    """A call whose instance died is simply carried out again."""
    assert DEFINITION.verified
    assert DEFINITION.is_repeatable
