"""A caller's own bookings."""

from datetime import timedelta

import pytest

from switchboard.contract.error import ErrorType, ToolError
from tests.desk.front_desk import NOW, call, salon, write_down
from tests.tools.bookings import CALLER, START, STRANGER, booking

BOOKINGS = {
    "bk_old": booking(createdAt=NOW - timedelta(days=30), start=START + timedelta(days=50), status="cancelled"),
    "bk_last": booking(createdAt=NOW, service="Color"),
    "bk_for_them": booking(createdAt=NOW - timedelta(days=2), callerPhone=STRANGER),
    "bk_for_another": booking(createdAt=NOW + timedelta(hours=1), customerPhone=STRANGER),
    "bk_stranger": booking(createdAt=NOW + timedelta(days=1), callerPhone=STRANGER, customerPhone=STRANGER),
    "bk_broken": booking(createdAt=NOW + timedelta(days=2), start=None, bookingDatetime=None),
}


@pytest.fixture
async def booked(store):
    await write_down(store, "demo-salon", "bookings", BOOKINGS)
    await write_down(store, "other", "bookings", {"bk_elsewhere": booking()})


@pytest.mark.requirement("000-13", "000-14")
async def test_the_booking_that_was_made_last_is_told(desk, booked):
    """Not the one that takes place last; a document without a usable time is no booking (seed 000)."""
    latest = await desk.records.latest(call(salon()), CALLER, None)
    assert (latest.id, latest.service, latest.status, latest.start) == ("bk_last", "Color", "confirmed", START)


async def test_the_last_of_many_is_told(desk, store):
    """However many there are, no more than a handful is read."""
    many = {f"bk_{n}": booking(createdAt=NOW + timedelta(minutes=n % 20)) for n in range(19)}
    await write_down(store, "demo-salon", "bookings", many)
    assert (await desk.records.latest(call(salon()), CALLER, None)).id == "bk_18"


async def test_a_booking_that_somebody_else_made_for_the_caller_is_theirs(desk, store):
    """By the number on which they are to be reached."""
    await write_down(store, "demo-salon", "bookings", {"bk_for_them": BOOKINGS["bk_for_them"]})
    assert (await desk.records.latest(call(salon()), CALLER, None)).id == "bk_for_them"


async def test_who_has_none_of_their_own_is_told_what_was_booked_from_their_number(desk, store):
    """A parent who booked for a child and left the child's number."""
    await write_down(store, "demo-salon", "bookings", {"bk_for_another": BOOKINGS["bk_for_another"]})
    assert (await desk.records.latest(call(salon()), CALLER, None)).id == "bk_for_another"


@pytest.mark.requirement("000-15")
async def test_a_number_without_bookings_has_none(desk, booked):
    """Which is an answer, not an error."""
    assert await desk.records.latest(call(salon()), "+15185550100", None) is None
    assert await desk.records.latest(call(salon("third")), CALLER, None) is None


@pytest.mark.requirement("000-16")
async def test_the_phone_calls_record_tells_the_number_where_the_call_does_not(desk, booked, store):
    """By its SID (seed 000, `call_sid`); another business's record tells nothing."""
    await write_down(store, "demo-salon", "interactions", {"i": {"callSid": "CA1", "callerPhone": CALLER}})
    await write_down(store, "other", "interactions", {"i": {"callSid": "CA2", "callerPhone": CALLER}})
    assert (await desk.records.latest(call(salon()), None, "CA1")).id == "bk_last"
    assert (await desk.records.booking(call(salon()), "bk_old", None, "CA1")).id == "bk_old"
    for sid in ("CA2", "", None):
        with pytest.raises(ToolError) as caught:
            await desk.records.latest(call(salon()), None, sid)
        assert caught.value.type is ErrorType.MODE_RESTRICTED


@pytest.mark.parametrize("id", ["bk_last", "bk_old", "bk_for_them", "bk_for_another"])
@pytest.mark.requirement("000-17")
async def test_a_callers_own_booking_is_found_by_its_id(desk, booked, id):
    """Whatever became of it."""
    assert (await desk.records.booking(call(salon()), id, CALLER, None)).id == id


@pytest.mark.parametrize(
    "id", ["bk_stranger", "bk_elsewhere", "bk_nowhere", "bk_broken", "../../other/bookings/x", "."]
)
@pytest.mark.requirement("000-18")
async def test_what_is_not_the_callers_does_not_exist(desk, booked, id):
    """Another caller's, another business's, nobody's: the same answer, so that nobody can find out which."""
    answers = []
    for asked in (id, "bk_never_made"):
        with pytest.raises(ToolError) as caught:
            await desk.records.booking(call(salon()), asked, CALLER, None)
        answers.append((caught.value.type, caught.value.message, caught.value.meta))
    assert answers[0] == answers[1]
    assert answers[0][0] is ErrorType.NOT_FOUND


async def test_a_store_that_hangs_is_transient(desk, store):
    """A status must be fresh, so there is no older one to tell."""
    store.fail("query", "get")
    for reading in (
        desk.records.latest(call(salon()), CALLER, None),
        desk.records.booking(call(salon()), "bk_last", CALLER, None),
    ):
        with pytest.raises(ToolError) as caught:
            await reading
        assert caught.value.type is ErrorType.TRANSIENT
