"""A caller's own bookings."""

from dataclasses import replace
from datetime import timedelta

import pytest

from switchboard.contract.caller.strangers import VOUCHED_FOR
from switchboard.contract.error import ErrorType, ToolError
from switchboard.desk.bookings.own_appointments import Narrowing
from switchboard.desk.bookings.ownership import is_unproven
from switchboard.desk.bookings.request import Correction, told_contact
from switchboard.desk.callers.callers import MOST_OTHER_PHONES
from tests.desk.front_desk import NOW, call, salon, write_down
from tests.each import each
from tests.refused import failure
from tests.tools.bookings import CALLER, START, STRANGER, booking

MAIL = {"customerEmail": "sarah@mail.example"}
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
    latest = (await desk.records.latest(call(salon(), phone=CALLER))).booking
    assert (latest.id, latest.service, latest.status, latest.start) == ("bk_last", "Color", "confirmed", START)


async def test_the_last_of_many_is_told(desk, store):
    """However many there are, no more than a handful is read."""
    many = {f"bk_{n}": booking(createdAt=NOW + timedelta(minutes=n % 20)) for n in range(19)}
    await write_down(store, "demo-salon", "bookings", many)
    assert (await desk.records.latest(call(salon(), phone=CALLER))).booking.id == "bk_18"


async def test_a_booking_that_somebody_else_made_for_the_caller_is_theirs(desk, store):
    """By the number on which they are to be reached."""
    await write_down(store, "demo-salon", "bookings", {"bk_for_them": BOOKINGS["bk_for_them"]})
    assert (await desk.records.latest(call(salon(), phone=CALLER))).booking.id == "bk_for_them"


async def test_who_has_none_of_their_own_is_told_what_was_booked_from_their_number(desk, store):
    """A parent who booked for a child and left the child's number."""
    await write_down(store, "demo-salon", "bookings", {"bk_for_another": BOOKINGS["bk_for_another"]})
    assert (await desk.records.latest(call(salon(), phone=CALLER))).booking.id == "bk_for_another"


@pytest.mark.requirement("004-910")
@each(
    ("crowd", "queries"),
    [(3, 2), (12, 3)],
)
async def test_the_last_is_told_by_the_number_it_is_for_however_many_were_made_later(desk, store, crowd, queries):
    """What was booked from the caller's number for others is told only without one. One query is the conversation's."""
    others = {f"bk_{n}": booking(createdAt=NOW + timedelta(hours=n), customerPhone=STRANGER) for n in range(crowd)}
    await write_down(store, "demo-salon", "bookings", others | {"bk_last": BOOKINGS["bk_last"]})
    store.asked.clear()
    assert (await desk.records.latest(call(salon(), phone=CALLER))).booking.id == "bk_last"
    assert store.asked["query"] == queries


@pytest.mark.requirement("004-101")
async def test_what_was_booked_under_a_number_that_nobody_vouched_for_is_told_as_doubtful(desk, store):
    """It is the caller's by the number to be reached on, and not by the number that was shown when it was made."""
    shown = {"callerProven": False, "callerPhone": CALLER}
    planted = {"bk_forged": booking(**shown), "bk_elsewhere": booking(**shown, customerPhone=STRANGER)}
    await write_down(store, "demo-salon", "bookings", planted)
    ctx = call(salon(), phone=CALLER)
    found = (await desk.records.latest(ctx)).booking
    assert found.id == "bk_forged" and is_unproven(ctx, found)
    assert (await failure(desk.records.booking(ctx, "bk_elsewhere"))).type is ErrorType.NOT_FOUND


@pytest.mark.requirement("004-101")
async def test_what_was_booked_while_verified_is_the_callers_in_a_later_call_too(desk, store):
    """Whose number the carrier vouches for then, without anything being asked."""
    await write_down(store, "demo-salon", "bookings", {"bk_mine": booking(callerId="clr_anna", callerProven=True)})
    ctx = call(salon(), phone=CALLER)
    assert not is_unproven(ctx, (await desk.records.latest(ctx)).booking)
    other = replace(ctx, facts=replace(ctx.facts, caller_verified=True, caller_id="clr_eve"))
    assert is_unproven(other, (await desk.records.latest(ctx)).booking)


@pytest.mark.requirement("004-101")
async def test_what_others_named_the_caller_in_does_not_crowd_out_what_the_caller_booked(desk, store):
    """Each of theirs is told as doubtful; one of many is found by its reference all the same."""
    theirs = {f"bk_{n:02}": booking(start=START + timedelta(hours=n), callerPhone=STRANGER) for n in range(12)}
    mine = {"bk_mine": booking(start=START + timedelta(days=9), callerProven=True)}
    await write_down(store, "demo-salon", "bookings", theirs | mine)
    ctx = call(salon(), phone=CALLER)
    found = await desk.appointments.lookup(ctx, Narrowing())
    assert [(b.id, is_unproven(ctx, b)) for b in found if b.id == "bk_mine"] == [("bk_mine", False)]
    assert len(found) == 5 and all(is_unproven(ctx, b) for b in found if b.id != "bk_mine")
    many = {f"bk_x{n:02}": booking(start=START + timedelta(hours=n)) for n in range(60)}
    await write_down(store, "demo-salon", "bookings", many)
    for id in ("bk_x00", "bk_x31", "bk_x59"):
        assert [b.id for b in await desk.appointments.lookup(ctx, Narrowing(booking_id=id))] == [id]


@pytest.mark.requirement("004-102")
async def test_a_verified_caller_owns_what_stands_under_any_number_of_the_record(desk, store):
    """However the numbers are written in it."""
    numbers = {"phone": "+1 (518) 555-0140", "otherPhones": ["+1 518 555 0141", "not a number", 7, None]}
    await write_down(store, "demo-salon", "callers", {"clr_eve": {"name": "Eve Stone", **numbers}})
    theirs = {f"bk_{n}": booking(customerPhone=f"+1518555014{n}", callerPhone=None) for n in range(3)}
    await write_down(store, "demo-salon", "bookings", theirs)
    ctx = call(salon(), phone=CALLER, attestation=None)
    ctx = replace(ctx, facts=replace(ctx.facts, caller_verified=True, caller_id="clr_eve"))
    assert {found.id for found in await desk.appointments.lookup(ctx, Narrowing())} == {"bk_0", "bk_1"}
    assert (await failure(desk.records.booking(ctx, "bk_2"))).type is ErrorType.NOT_FOUND


@pytest.mark.requirement("004-910")
async def test_whose_appointments_are_few_is_answered_by_one_query(desk, store, booked):
    """Whatever shows that they are theirs: the number, the record, or that they were made in this conversation."""
    await write_down(store, "demo-salon", "callers", {"clr_eve": {"name": "Eve Stone", "phone": "+15185550140"}})
    theirs = {
        "bk_by_number": booking(customerPhone="+15185550140", callerPhone=None),
        "bk_by_record": booking(customerPhone=None, callerPhone=None, callerId="clr_eve"),
        "bk_here": made_in(CALLER),
    }
    await write_down(store, "demo-salon", "bookings", theirs)
    ctx = call(salon(), phone=CALLER, attestation=None)
    ctx = replace(ctx, facts=replace(ctx.facts, caller_verified=True, caller_id="clr_eve", session_id="s1"))
    store.asked.clear()
    assert {found.id for found in await desk.appointments.lookup(ctx, Narrowing())} == set(theirs)
    assert store.asked == {"get": 1, "query": 1}


@pytest.mark.requirement("004-910")
async def test_a_record_with_all_the_numbers_that_one_may_have_is_looked_through_by_one_query(desk, store):
    """Which takes thirty alternatives, and each number stands in two fields."""
    numbers = [f"+15185550{n}" for n in range(100, 101 + MOST_OTHER_PHONES)]
    record = {"name": "Eve Stone", "phone": numbers[0], "otherPhones": numbers[1:]}
    await write_down(store, "demo-salon", "callers", {"clr_eve": record})
    theirs = {f"bk_{n}": booking(customerPhone=number, callerPhone=None) for n, number in enumerate(numbers)}
    await write_down(store, "demo-salon", "bookings", theirs)
    ctx = call(salon(), phone=CALLER, attestation=None)
    ctx = replace(ctx, facts=replace(ctx.facts, caller_verified=True, caller_id="clr_eve", session_id="s1"))
    store.asked.clear()
    for id in theirs:
        assert [found.id for found in await desk.appointments.lookup(ctx, Narrowing(booking_id=id))] == [id]
    assert store.asked["query"] == len(theirs)
    assert (await desk.records.latest(ctx)).booking.id in theirs


@pytest.mark.requirement("000-15")
async def test_a_number_without_bookings_has_none(desk, booked):
    """Which is an answer, not an error."""
    assert await desk.records.latest(call(salon(), phone="+15185550100")) is None
    assert await desk.records.latest(call(salon("third"), phone=CALLER)) is None


@pytest.mark.requirement("000-16")
async def test_the_record_of_a_phone_call_is_no_proof_of_whose_number_it_was(desk, booked, store):
    """Seed 000 looks a number up by the call's SID; what stands there was shown by a caller, and proves no more."""
    await write_down(store, "demo-salon", "interactions", {"i": {"callSid": "CA1", "callerPhone": CALLER}})
    ctx = call(salon(), phone=None)
    ctx = replace(ctx, facts=replace(ctx.facts, call_sid="CA1"))
    assert (await failure(desk.records.latest(ctx))).type is ErrorType.MODE_RESTRICTED
    assert (await failure(desk.records.booking(ctx, "bk_old"))).type is ErrorType.MODE_RESTRICTED


@each(
    ("attestation", "trusts", "is_told"),
    [
        (VOUCHED_FOR, True, True),
        (VOUCHED_FOR, False, False),
        ("TN-Validation-Passed-A-Diverted", True, False),
        ("TN-Validation-Passed-B", True, False),
        ("TN-Validation-Passed-C", True, False),
        ("TN-Validation-Failed-A", True, False),
        ("No-TN-Validation", True, False),
        (None, True, False),
    ],
)
async def test_the_number_of_a_call_says_who_is_calling_only_where_the_carrier_vouches_for_it(
    desk, booked, attestation, trusts, is_told
):
    """In full, and the business relies on that; anybody can have anybody's number shown."""
    ctx = call(salon(ai={"trustCallerId": trusts}), phone=CALLER, attestation=attestation)
    if is_told:
        assert (await desk.records.latest(ctx)).booking.id == "bk_last"
        assert (await desk.records.booking(ctx, "bk_last")).id == "bk_last"
    else:
        for asked in (desk.records.latest(ctx), desk.records.booking(ctx, "bk_last")):
            assert (await failure(asked)).type is ErrorType.MODE_RESTRICTED


@pytest.mark.parametrize("level", ["none", "match", "code"])
async def test_who_was_verified_as_herself_owns_nothing_of_the_number_that_the_call_shows(desk, store, level):
    """A call with another customer's number, by somebody who then tells her own name and number: hers, and no more."""
    await write_down(store, "demo-salon", "callers", {"clr_eve": {"name": "Eve Stone", "phone": STRANGER}})
    mine = booking(callerPhone=STRANGER, customerPhone=STRANGER)
    await write_down(store, "demo-salon", "bookings", {"bk_hers": booking(), "bk_mine": mine})
    business = salon(ai={"callerVerification": level, "trustCallerId": True})
    for attestation in (VOUCHED_FOR, "TN-Validation-Passed-B", None):
        ctx = call(business, phone=CALLER, attestation=attestation, session="eve")
        ctx = replace(ctx, facts=replace(ctx.facts, caller_verified=True, caller_id="clr_eve"))
        assert (await desk.records.latest(ctx)).booking.id == "bk_mine"
        assert (await failure(desk.records.booking(ctx, "bk_hers"))).type is ErrorType.NOT_FOUND
        assert [b.id for b in await desk.appointments.lookup(ctx, Narrowing())] == ["bk_mine"]
        for change in (
            desk.appointments.cancel(ctx, "bk_hers"),
            desk.appointments.reschedule(ctx, "bk_hers", START + timedelta(hours=1)),
        ):
            assert (await failure(change)).type is ErrorType.NOT_FOUND


@pytest.mark.parametrize("id", ["bk_last", "bk_old", "bk_for_them", "bk_for_another"])
@pytest.mark.requirement("000-17")
async def test_a_callers_own_booking_is_found_by_its_id(desk, booked, id):
    """Whatever became of it."""
    assert (await desk.records.booking(call(salon(), phone=CALLER), id)).id == id


@pytest.mark.parametrize(
    "id", ["bk_stranger", "bk_elsewhere", "bk_nowhere", "bk_broken", "../../other/bookings/x", "."]
)
@pytest.mark.requirement("000-18")
async def test_what_is_not_the_callers_does_not_exist(desk, booked, id):
    """Another caller's, another business's, nobody's: the same answer, so that nobody can find out which."""
    answers = []
    for asked in (id, "bk_never_made"):
        with pytest.raises(ToolError) as caught:
            await desk.records.booking(call(salon(), phone=CALLER), asked)
        answers.append((caught.value.type, caught.value.message, caught.value.meta))
    assert answers[0] == answers[1]
    assert answers[0][0] is ErrorType.NOT_FOUND


async def test_a_store_that_hangs_is_transient(desk, store):
    """A status must be fresh, so there is no older one to tell."""
    store.fail("query", "get")
    for reading in (
        desk.records.latest(call(salon(), phone=CALLER)),
        desk.records.booking(call(salon(), phone=CALLER), "bk_last"),
    ):
        with pytest.raises(ToolError) as caught:
            await reading
        assert caught.value.type is ErrorType.TRANSIENT


def decoys(count, **changes):
    """Return what strangers book in the caller's name and cancel again: one an hour from now on, made just now."""
    made = {"callerPhone": None, "callerProven": False, "status": "cancelled", "createdAt": NOW + timedelta(days=1)}
    return {
        f"bk_decoy{n:03}": booking(**{**made, "start": NOW + timedelta(hours=n + 1), **changes}) for n in range(count)
    }


def mine(**changes):
    return booking(**{"callerProven": True, "start": NOW + timedelta(days=50), **changes})


@pytest.mark.requirement("004-912")
@each("status", ["cancelled", "confirmed"])
async def test_whatever_strangers_book_in_a_callers_name_hides_nothing_of_theirs(desk, store, status):
    """Neither from those around now, nor on its day, nor as the one made last, nor as with whom they were last time."""
    await write_down(store, "demo-salon", "bookings", decoys(90, status=status) | {"bk_mine": mine(createdAt=NOW)})
    ctx = call(salon(), phone=CALLER)
    day = (NOW + timedelta(days=50)).date()
    assert "bk_mine" in [b.id for b in await desk.appointments.lookup(ctx, Narrowing())]
    assert [b.id for b in await desk.appointments.lookup(ctx, Narrowing(day=day))] == ["bk_mine"]
    assert [b.id for b in await desk.appointments.lookup(ctx, Narrowing(start=mine()["start"]))] == ["bk_mine"]
    latest = await desk.records.latest(ctx)
    assert (latest.booking.id, latest.has_newer_unproven) == ("bk_mine", True)


@pytest.mark.requirement("004-912")
async def test_a_regulars_appointment_is_found_by_its_day_and_by_its_name_however_late_it_is(desk, store):
    """And where more fit than are told, that is said."""
    many = {f"bk_{n:02}": mine(start=NOW + timedelta(days=n + 1), customerName=f"Child {n}") for n in range(60)}
    await write_down(store, "demo-salon", "bookings", many)
    ctx = call(salon(), phone=CALLER)
    last = (NOW + timedelta(days=60)).date()
    for narrowing in (Narrowing(day=last), Narrowing(customer_name="Child 59")):
        found, has_more = await desk.appointments.lookup_all(ctx, narrowing)
        assert ([b.id for b in found], has_more) == (["bk_59"], False)
    found, has_more = await desk.appointments.lookup_all(ctx, Narrowing())
    assert ([b.id for b in found], has_more) == ([f"bk_{n:02}" for n in range(5)], True)


@pytest.mark.requirement("004-912")
async def test_what_is_read_past_is_bounded(desk, store):
    """Of each kind of match and side of now some hundreds, whoever made thousands."""
    await write_down(store, "demo-salon", "bookings", decoys(450))
    store.asked.clear()
    assert len(await desk.appointments.lookup(call(salon(), phone=CALLER), Narrowing())) == 5
    assert store.asked["query"] <= 2 + 2 * 2 * 10


@pytest.mark.requirement("004-912")
async def test_what_a_caller_booked_for_another_number_is_not_told_as_doubtful(desk, store):
    """Whoever booked on a number that was vouched for is known by it, whoever is to be reached."""
    await write_down(store, "demo-salon", "bookings", {"bk_child": mine(customerPhone=STRANGER, callerPhone=CALLER)})
    ctx = call(salon(), session="another", phone=CALLER)
    (found,) = await desk.appointments.lookup(ctx, Narrowing())
    assert (found.id, is_unproven(ctx, found)) == ("bk_child", False)
    other = call(salon(), session="another", phone=STRANGER)
    (found,) = await desk.appointments.lookup(other, Narrowing())
    assert is_unproven(other, found)


@pytest.mark.requirement("004-913")
async def test_whoever_corrects_the_number_of_their_appointment_goes_on_owning_it(desk, store):
    """One that the business entered is the caller's by that number alone; whose it becomes besides is the new one's."""
    await write_down(store, "demo-salon", "bookings", {"bk_desk": mine(callerPhone=None)})
    changed = await desk.appointments.correct(
        call(salon(), session="s1", phone=CALLER), "bk_desk", Correction(customer_phone=STRANGER)
    )
    assert changed.customer_phone == STRANGER
    for session in ("s1", "s2"):
        (found,) = await desk.appointments.lookup(call(salon(), session=session, phone=CALLER), Narrowing())
        assert (found.id, is_unproven(call(salon(), session=session, phone=CALLER), found)) == ("bk_desk", False)
    cancelled = await desk.appointments.cancel(call(salon(), session="s2", phone=CALLER), "bk_desk")
    assert cancelled.status == "cancelled"


@pytest.mark.requirement("004-913")
async def test_whoever_is_known_by_their_record_goes_on_owning_what_they_correct(desk, store):
    """Also where another number was shown when it was made."""
    await write_down(store, "demo-salon", "callers", {"clr_eve": {"name": "Eve Stone", "phone": CALLER}})
    made = mine(callerPhone="+15185550199", callerProven=False)
    await write_down(store, "demo-salon", "bookings", {"bk_desk": made})
    ctx = call(salon(), phone="+15185550198", attestation=None)
    ctx = replace(ctx, facts=replace(ctx.facts, caller_verified=True, caller_id="clr_eve"))
    await desk.appointments.correct(ctx, "bk_desk", Correction(customer_phone=STRANGER))
    assert [found.id for found in await desk.appointments.lookup(ctx, Narrowing())] == ["bk_desk"]


def made_in(shown, channel="phone", **changes):
    """Return what was booked in the conversation `s1` under a number that nothing vouches for, or under none."""
    source = {"source": {"sessionId": "s1", "channel": channel}}
    return booking(**{"callerPhone": shown, "callerProven": False, "customerPhone": None} | source | changes)


@pytest.mark.requirement("004-960")
@pytest.mark.parametrize(
    ("booked_from", "shown", "is_theirs"),
    [
        (CALLER, CALLER, True),
        (None, None, True),
        (CALLER, STRANGER, False),
        (CALLER, None, False),
        (None, STRANGER, False),
    ],
)
async def test_on_the_line_what_was_booked_is_theirs_who_show_the_number_that_it_was_booked_from(
    desk, store, booked_from, shown, is_theirs
):
    """Or none, where it was booked from none: a phone call shows what it shows from its beginning to its end."""
    await write_down(store, "demo-salon", "bookings", {"bk_1": made_in(booked_from)})
    ctx = call(salon(), session="s1", phone=shown, attestation=None)
    asked = (
        (lambda: desk.appointments.lookup(ctx, Narrowing()), ErrorType.MODE_RESTRICTED),
        (lambda: desk.records.booking(ctx, "bk_1"), ErrorType.MODE_RESTRICTED),
        (lambda: desk.appointments.cancel(ctx, "bk_1"), ErrorType.NOT_FOUND),
    )
    for one, refused in asked:
        if is_theirs:
            await one()
        else:
            assert (await failure(one())).type is refused


@pytest.mark.requirement("004-960")
@each(("shown", "is_theirs"), [(CALLER, True), (None, True), (STRANGER, False)])
async def test_in_a_browser_what_was_booked_is_theirs_who_hold_the_conversation(desk, store, shown, is_theirs):
    """Its id vouches for them, also where the number is left out; another number tells that somebody else holds it."""
    await write_down(store, "demo-salon", "bookings", {"bk_1": made_in(CALLER, "portal")})
    ctx = call(salon(), session="s1", phone=shown, portal=True)
    if is_theirs:
        assert [found.id for found in await desk.appointments.lookup(ctx, Narrowing())] == ["bk_1"]
    else:
        assert (await failure(desk.appointments.lookup(ctx, Narrowing()))).type is ErrorType.MODE_RESTRICTED


@pytest.mark.requirement("004-960")
async def test_who_withholds_the_number_and_was_verified_has_what_they_booked_before_and_after(desk, store):
    """What is booked then stands under the number on file, and the contact is read back to them."""
    await write_down(store, "demo-salon", "callers", {"clr_eve": {"name": "Eve Stone", "phone": STRANGER}})
    before, after = made_in(None), made_in(STRANGER, callerProven=True, callerId="clr_eve", customerPhone=STRANGER)
    await write_down(store, "demo-salon", "bookings", {"bk_before": before, "bk_after": after})
    withheld = call(salon(), session="s1", phone=None, attestation=None)
    known = {"caller_verified": True, "caller_id": "clr_eve", "caller_phone": STRANGER, "is_number_on_file": True}
    verified = replace(withheld, facts=replace(withheld.facts, **known))
    found = await desk.appointments.lookup(verified, Narrowing())
    assert {one.id: is_unproven(verified, one) for one in found} == {"bk_before": False, "bk_after": False}
    assert {one.id: told_contact(verified, one) for one in found}["bk_after"]["customerPhone"] == STRANGER
    assert [found.id for found in await desk.appointments.lookup(withheld, Narrowing())] == ["bk_before"]


@pytest.mark.requirement("004-960")
async def test_how_somebody_can_be_reached_is_not_read_back_to_another_number(desk, store):
    """Also where they share a conversation."""
    await write_down(store, "demo-salon", "bookings", {"bk_1": made_in(STRANGER, customerPhone=CALLER)})
    ctx = call(salon(), session="s1", phone=CALLER)
    (found,) = await desk.appointments.lookup(ctx, Narrowing())
    assert (is_unproven(ctx, found), told_contact(ctx, found)) == (True, {})
    booker = call(salon(), session="s1", phone=STRANGER, attestation=None)
    assert (is_unproven(booker, found), told_contact(booker, found)) == (False, {"customerPhone": CALLER, **MAIL})
