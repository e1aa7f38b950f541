"""lookup_appointment: seed 004 (calendar tools)."""

import pytest

from switchboard.contract.definitions.definition import read_definition
from switchboard.contract.error import ErrorType, Refused
from tests.desk.calendar_house import NOON, CalendarHouse
from tests.desk.front_desk import StoppedClock, call, salon, stored
from tests.tools.folder import run, schema

SALON = salon()


@pytest.fixture
def desk(store):
    """The desk over the built-in calendar."""
    return CalendarHouse(store, None, StoppedClock())


async def look(desk, ctx=None, **arguments):
    return await run("lookup_appointment", ctx or call(SALON), desk, arguments)


@pytest.mark.requirement("004-03")
async def test_an_appointment_is_told_with_what_the_caller_needs_and_no_more(desk):
    """Local times with offset; no numbers, no notes, no price, nothing internal."""
    booking = await desk.book(call(SALON), notes="allergic", customer_email="anna@example.com")
    result = await look(desk)
    assert result.data == {
        "appointments": [
            {
                "bookingId": booking.id,
                "service": "Haircut",
                "startTime": "2027-03-16T10:00:00-04:00",
                "endTime": "2027-03-16T10:30:00-04:00",
                "status": "confirmed",
                "customerName": "Anna Whitfield",
                "isPast": False,
            }
        ],
        "timezone": "America/New_York",
    }
    assert not result.empty


@pytest.mark.requirement("004-1003")
async def test_nothing_found_is_an_answer(desk):
    """An empty list, which the loop check counts; and whose were searched: others may have one."""
    result = await look(desk)
    assert (result.data["appointments"], result.empty) == ([], True)
    assert "this caller's own" in result.data["searched"]
    await desk.book(call(SALON))
    assert "searched" not in (await look(desk)).data


@pytest.mark.parametrize(
    ("arguments", "count"),
    [
        ({"date": "2027-03-16"}, 2),
        ({"date": "2027-03-16T12:00:00"}, 1),
        ({"date": "2027-03-16T16:00:00Z"}, 1),
        ({"date": "2027-03-17"}, 0),
        ({"customer_name": "anna"}, 2),
        ({"customer_name": "Grace"}, 0),
    ],
)
async def test_a_date_a_time_or_a_name_narrows_it_down(desk, arguments, count):
    """A date alone means the day."""
    await desk.book(call(SALON, "ten"))
    await desk.book(call(SALON, "noon"), start=NOON)
    assert len((await look(desk, **arguments)).data["appointments"]) == count


async def test_a_right_guess_of_a_stranger_is_answered_like_a_wrong_one(desk):
    """The whole answer is the same."""
    booking = await desk.book(call(SALON))
    stranger = call(SALON, session="x", phone="+15185550199")
    right = await look(desk, stranger, booking_id=booking.id, customer_name="Anna Whitfield", date="2027-03-16")
    wrong = await look(desk, stranger, booking_id="bk_00000000000000000000")
    assert right == wrong


@pytest.mark.parametrize("arguments", [{"phone": "+15185550171"}, {"booking_id": ""}, {"date": "soon"}])
async def test_arguments_that_do_not_fit_are_refused(desk, arguments):
    """A phone number is none of them: whose appointments are found is not for a model to say."""
    with pytest.raises(Refused) as caught:
        await look(desk, **arguments)
    assert caught.value.type is ErrorType.VALIDATION


async def test_looking_writes_nothing(desk, store):
    """It is a retrieval."""
    await look(desk)
    assert store.asked["commit"] == 0
    assert await stored(store, SALON.id, "bookings") == {}


def test_only_a_verified_caller_is_told():
    """Where the business asks for verification; the pipeline sees to it."""
    definition = read_definition("lookup_appointment", schema("lookup_appointment"))
    assert definition.verified
    assert not definition.writes
    assert definition.requires == ("integration:calendar",)
