"""book_appointment: seed 004 (calendar tools) and seed 001 (`create_event`)."""

import pytest

from switchboard.contract.error import ErrorType, Refused, ToolError
from switchboard.desk.bookings.request import NOBODY_REACHED
from tests.desk.front_desk import call, salon, stored
from tests.each import each
from tests.tools.folder import run

SALON = salon()
WANTED = {"service": "haircut", "start_time": "2027-03-16T10:00:00", "customer_name": "Anna Whitfield"}


async def book(desk, ctx=None, **changes):
    return await run("book_appointment", ctx or call(SALON), desk, WANTED | changes)


@pytest.mark.requirement("000-106", "004-02")
async def test_a_booking_answers_what_was_booked_and_leaves_a_receipt(desk, store):
    """Local times with offset; the receipt says what, for whom and when, with the id of the effect."""
    result = await book(desk)
    (id,) = await stored(store, SALON.id, "bookings")
    assert result.data == {
        "booked": True,
        "bookingId": id,
        "service": "Haircut",
        "startTime": "2027-03-16T10:00:00-04:00",
        "endTime": "2027-03-16T10:30:00-04:00",
        "timezone": "America/New_York",
        "customerName": "Anna Whitfield",
        "repeated": False,
        "customerPhone": "+15185550171",
        "price": "$48",
    }
    assert result.receipt == {
        "what": "Haircut",
        "for": "Anna Whitfield",
        "when": "2027-03-16T10:00:00-04:00",
        "effectIds": [id],
    }


async def test_the_same_wish_again_answers_the_same_booking_as_repeated(desk):
    """Under another call id it is still one appointment."""
    first, again = await book(desk), await book(desk)
    assert again.data == first.data | {"repeated": True}


@pytest.mark.requirement("004-641")
@each(
    "other",
    [
        {"notes": "allergic to latex"},
        {"customer_email": "anna@example.com"},
        {"customer_phone": "518 555 0199"},
        {"duration_minutes": 60},
    ],
)
async def test_a_wish_that_was_booked_with_other_particulars_is_not_told_as_booked(desk, store, other):
    """Whoever adds or changes something hears that it was not changed, what, and how it can be had."""
    known = call(SALON, verified=True)
    booking = (await book(desk, known)).data
    before = await stored(store, SALON.id, "bookings")
    with pytest.raises(ToolError) as refusal:
        await book(desk, known, **other)
    (name,), message = other, refusal.value.message
    way = "cancel that one first" if name == "duration_minutes" else "use update_appointment"
    assert refusal.value.type is ErrorType.CONFLICT
    assert all(part in message for part in (booking["bookingId"], "was not changed", name, way)), message
    assert await stored(store, SALON.id, "bookings") == before


async def test_equal_particulars_are_the_same_wish_however_they_are_written(desk):
    """Case and spelling of a number make none anew, nor does what is left out."""
    told = {"notes": "Allergic to latex", "customer_email": "anna@example.com", "customer_phone": "518 555 0199"}
    first = (await book(desk, call(SALON), **told, duration_minutes=30)).data
    other = {"notes": "allergic to latex.", "customer_email": "Anna@Example.com", "customer_phone": "+15185550199"}
    for again in (await book(desk, call(SALON), **other), await book(desk, call(SALON))):
        assert again.data == first | {"repeated": True}


async def test_a_service_without_a_price_tells_none(desk):
    """The field is left out."""
    assert "price" not in (await book(desk, service="Beard trim")).data


@pytest.mark.requirement("003-422")
@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({}, {"contact": NOBODY_REACHED}),
        ({"customer_phone": "518 555 0199"}, {"customerPhone": "+15185550199"}),
        ({"customer_email": "anna@example.com"}, {"customerEmail": "anna@example.com"}),
    ],
)
async def test_a_booking_in_a_chat_tells_how_the_customer_is_reached_or_that_nobody_can(desk, given, told):
    """No number comes with a chat: the model can ask, and whoever gives none is booked."""
    data = (await book(desk, call(SALON, portal=True, phone=None), **given)).data
    assert data["booked"] is True
    assert {name: data[name] for name in data if name in ("contact", "customerPhone", "customerEmail")} == told


async def test_whose_booking_is_told_again_elsewhere_hears_no_number(desk):
    """A wish that another conversation of the same caller had made is told without what was recorded there."""
    await book(desk, call(SALON, session="one"), customer_phone="518 555 0199")
    again = (await book(desk, call(SALON, session="two"))).data
    assert (again["repeated"], "customerPhone" in again, "contact" in again) == (True, False, False)


@pytest.mark.requirement("000-10")
@pytest.mark.parametrize(
    "changes",
    [
        {"duration_minutes": 4},
        {"duration_minutes": 481},
        {"customer_email": "anna at home"},
        {"customer_name": ""},
        {"start_time": "2027-03-14T02:30:00"},
        {"start_time": "tomorrow"},
        {"room": "blue"},
    ],
)
async def test_arguments_that_do_not_fit_are_refused_before_anything_runs(desk, store, changes):
    """5 to 480 minutes (seed 001), a real address, a time that exists, no unknown names."""
    with pytest.raises(Refused) as caught:
        await book(desk, **changes)
    assert caught.value.type is ErrorType.VALIDATION
    assert await stored(store, SALON.id, "bookings") == {}


@pytest.mark.requirement("003-78")
async def test_a_taken_time_is_a_conflict_with_alternatives(desk):
    """In the message for the model and in `meta`."""
    await book(desk, call(SALON, session="other", phone=None), customer_name="Grace Okafor")
    with pytest.raises(ToolError) as caught:
        await book(desk)
    assert caught.value.type is ErrorType.CONFLICT
    assert [set(choice) for choice in caught.value.meta["alternatives"]] == [{"start", "end"}] * 3


async def test_on_the_portal_a_booking_needs_no_phone_number(desk, store):
    """Nobody is called; the booking keeps none."""
    await book(desk, call(SALON, portal=True, phone=None))
    (booking,) = (await stored(store, SALON.id, "bookings")).values()
    assert (booking["customerPhone"], booking["callerPhone"], booking["source"]["channel"]) == (None, None, "portal")
