"""Making bookings: what is stored, what is refused, and what happens once although it is asked for twice."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from switchboard.contract.caller.strangers import VOUCHED_FOR
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.store import AlreadyExists, Delete, Document, Set, Unavailable
from switchboard.desk.bookings.booking import Booking, booking_id, read_booking
from switchboard.desk.bookings.bookings import claim_writes
from switchboard.desk.bookings.request import BookingRequest
from switchboard.desk.callers.callers import name_keys
from switchboard.desk.services import open_desk
from switchboard.state.memory.store import MemoryStore
from switchboard.state.paths import FirestorePaths
from tests.desk.front_desk import NOW, StoppedClock, WatchedStore, at, call, salon, stored, write_down

SALON = salon()
TEN = at(SALON, "2027-03-16T10:00")


def wish(**changes):
    return replace(BookingRequest(service="haircut", start=TEN, customer_name="Anna Whitfield"), **changes)


async def refused(desk, ctx=None, **changes):
    with pytest.raises(ToolError) as caught:
        await desk.bookings.book(ctx or call(SALON), wish(**changes))
    return caught.value


@pytest.mark.requirement("000-24", "000-106")
async def test_a_booking_is_stored_with_every_field_of_the_data_model(desk, store):
    """Seed 000 ("Data Model") in camelCase, the time in UTC with the zone's name, and its origin."""
    ctx = call(SALON)
    booking = await desk.bookings.book(
        ctx, wish(customer_phone="(518) 555-0177", customer_email="anna@example.com", notes="Short, please.")
    )
    start = datetime(2027, 3, 16, 14, 0, tzinfo=UTC)
    assert await stored(store, SALON.id, "bookings") == {
        booking.id: {
            "id": booking_id(ctx.effect_key),
            "businessId": "demo-salon",
            "callId": "interaction of session-1",
            "customerName": "Anna Whitfield",
            "customerPhone": "+15185550177",
            "customerEmail": "anna@example.com",
            "service": "Haircut",
            "bookingDatetime": start,
            "durationMinutes": 30,
            "status": "confirmed",
            "confirmedAt": NOW,
            "price": "$48",
            "customerNotes": "Short, please.",
            "internalNotes": None,
            "createdAt": NOW,
            "updatedAt": NOW,
            "start": start,
            "end": start + timedelta(minutes=30),
            "timezone": "America/New_York",
            "bufferBeforeMinutes": 0,
            "bufferAfterMinutes": 0,
            "callerPhone": "+15185550171",
            "callerProven": True,
            "effectKey": ctx.effect_key,
            "generation": 0,
            "calendar": "builtinCalendar",
            "source": {"sessionId": "session-1", "channel": "phone"},
            "customerKeys": name_keys("Anna Whitfield"),
        }
    }


async def test_a_booking_claims_one_slot_per_five_minutes_buffers_included(desk, store):
    """Two hours from noon with 10 minutes before and 20 after: 30 slots."""
    booking = await desk.bookings.book(call(SALON), wish(service="Highlights", start=at(SALON, "2027-03-16T12:00")))
    slots = await stored(store, SALON.id, "slots")
    first = datetime(2027, 3, 16, 15, 50, tzinfo=UTC)
    expected = {f"main_{first + n * timedelta(minutes=5):%Y%m%dT%H%M%SZ}" for n in range(30)}
    assert set(slots) == expected
    assert slots["main_20270316T155000Z"] == {
        "bookingId": booking.id,
        "start": first,
        "expireAt": first + timedelta(days=7, minutes=5),
    }


async def test_a_stored_booking_is_read_back_as_it_was(desk, store):
    """Reading is the mirror of writing."""
    booking = await desk.bookings.book(call(SALON), wish(customer_email="a@example.com", notes="n"))
    path = FirestorePaths().within(SALON.id).document("bookings", booking.id)
    assert read_booking(await store.get(path)) == replace(booking, updated_at=NOW)


def test_a_booking_without_a_usable_time_cannot_be_read():
    """It can hold no slot."""
    for data in ({}, {"start": NOW.replace(tzinfo=None), "durationMinutes": 30}, {"start": NOW, "durationMinutes": 0}):
        assert read_booking(Document("businesses/b/bookings/x", data, NOW, NOW)) is None


def test_the_id_follows_from_the_wish():
    """Twenty characters of base32hex behind `bk_`, another one for each generation."""
    id, next_id = booking_id("a wish"), booking_id("a wish", 1)
    assert id == booking_id("a wish") != next_id
    for text in (id, next_id):
        assert text[:3] == "bk_"
        assert len(text) == 23
        assert set(text[3:]) <= set("0123456789abcdefghijklmnopqrstuv")


@pytest.mark.parametrize(
    ("given", "caller", "kept"),
    [
        (None, "+15185550171", "+15185550171"),
        ("", "+15185550171", "+15185550171"),
        (None, None, None),
        ("518.555.0177", None, "+15185550177"),
        ("+44 20 7946 0018", "+15185550171", "+442079460018"),
    ],
    ids=["the caller's", "empty", "none known", "local spelling", "from abroad"],
)
async def test_the_customers_phone_is_the_given_or_the_trusted_one(desk, given, caller, kept):
    """Normalised to E.164 by the business's region; the trusted number is kept apart."""
    booking = await desk.bookings.book(call(SALON, phone=caller), wish(customer_phone=given))
    assert (booking.customer_phone, booking.caller_phone) == (kept, caller)


async def test_the_duration_can_differ_from_the_services_own(desk, store):
    """Seed 001 ("create_event"): minutes may be given."""
    booking = await desk.bookings.book(call(SALON), wish(duration_minutes=50))
    assert booking.end - booking.start == timedelta(minutes=50)
    assert len(await stored(store, SALON.id, "slots")) == 10


@pytest.mark.requirement("003-129")
@pytest.mark.parametrize(
    ("changes", "type", "reason", "offers"),
    [
        ({"start": at(SALON, "2027-03-09T10:00")}, ErrorType.VALIDATION, "past", True),
        ({"start": NOW - timedelta(minutes=5)}, ErrorType.VALIDATION, "past", True),
        ({"start": at(SALON, "2027-06-15T10:00")}, ErrorType.VALIDATION, "too_far", False),
        ({"start": at(SALON, "2027-03-16T10:02")}, ErrorType.VALIDATION, "off_grid", True),
        ({"start": at(SALON, "2027-03-14T02:30")}, ErrorType.VALIDATION, "no_such_time", True),
        ({"start": at(SALON, "2027-03-10T10:30")}, ErrorType.CONFLICT, "short_notice", True),
        ({"start": at(SALON, "2027-03-15T10:00")}, ErrorType.CONFLICT, "closed", True),
        ({"start": at(SALON, "2027-03-18T12:15")}, ErrorType.CONFLICT, "closed", True),
        ({"start": at(SALON, "2027-03-16T17:15"), "service": "Color"}, ErrorType.CONFLICT, "closed", True),
    ],
)
async def test_what_cannot_be_booked_is_refused_with_other_times(desk, store, changes, type, reason, offers):
    """VALIDATION where the argument is wrong, CONFLICT where another time would do; nothing is written."""
    error = await refused(desk, **changes)
    assert (error.type, error.meta["reason"], error.partial_side_effects) == (type, reason, False)
    assert bool(error.meta["alternatives"]) is offers
    assert all(choice["start"] in error.message for choice in error.meta["alternatives"])
    assert await stored(store, SALON.id, "slots") == await stored(store, SALON.id, "bookings") == {}


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"service": "Massage"}, "Beard trim"),
        ({"customer_name": " \n"}, "name"),
        ({"customer_phone": "12345"}, "+1"),
        ({"start": datetime(9999, 1, 1, tzinfo=SALON.timezone)}, "9999"),
    ],
)
async def test_a_wrong_argument_is_refused_with_what_would_be_right(desk, changes, word):
    """The model can correct itself by the message."""
    error = await refused(desk, **changes)
    assert error.type is ErrorType.VALIDATION
    assert word in error.message


async def test_a_taken_time_is_a_conflict_with_three_alternatives_in_words(desk, store):
    """Said so that a model can read it out, and as ISO times in `meta`; never who has it."""
    await desk.bookings.book(call(SALON, session="other", phone=None), wish(customer_name="Grace Okafor"))
    error = await refused(desk)
    assert (error.type, error.retryable, error.partial_side_effects) == (ErrorType.CONFLICT, False, False)
    assert error.meta["alternatives"] == [
        {"start": "2027-03-16T09:15:00-04:00", "end": "2027-03-16T09:45:00-04:00"},
        {"start": "2027-03-16T09:30:00-04:00", "end": "2027-03-16T10:00:00-04:00"},
        {"start": "2027-03-16T10:30:00-04:00", "end": "2027-03-16T11:00:00-04:00"},
    ]
    assert "Tuesday, March 16 at 10:30 AM (2027-03-16T10:30:00-04:00)" in error.message
    assert "Okafor" not in error.message + str(error.meta)
    assert len(await stored(store, SALON.id, "bookings")) == 1


@pytest.mark.parametrize("minutes", [-25, -15, -5, 5, 15, 25])
async def test_overlapping_bookings_exclude_each_other(desk, minutes):
    """By whatever part they overlap."""
    await desk.bookings.book(call(SALON, session="other", phone=None), wish())
    error = await refused(desk, start=TEN + timedelta(minutes=minutes))
    assert error.type is ErrorType.CONFLICT


@pytest.mark.parametrize("minutes", [-30, 30])
async def test_bookings_that_touch_stand_side_by_side(desk, minutes):
    """One ends where the other begins."""
    await desk.bookings.book(call(SALON, session="other", phone=None), wish())
    assert (await desk.bookings.book(call(SALON), wish(start=TEN + timedelta(minutes=minutes)))).status == "confirmed"


async def test_the_same_wish_under_another_call_id_is_the_same_booking(desk, store):
    """The effect key says so; the answer tells that it had been made before."""
    first = await desk.bookings.book(call(SALON), wish())
    again = await desk.bookings.book(call(SALON), wish())
    assert (first.repeated, again.repeated, again.id) == (False, True, first.id)
    assert store.asked["commit"] == 1


async def test_the_same_wish_twice_at_once_is_one_booking(desk, store):
    """Neither call sees the other's booking when it starts."""
    found = await asyncio.gather(*(desk.bookings.book(call(SALON), wish()) for _ in range(20)))
    assert len({booking.id for booking in found}) == len(await stored(store, SALON.id, "bookings")) == 1
    assert sum(not booking.repeated for booking in found) == 1


@pytest.mark.parametrize(
    ("first", "again", "changes", "is_repeated"),
    [
        ({"session": "a"}, {"session": "b"}, {"customer_name": "anna  WHITFIELD"}, True),
        ({"session": "a"}, {"session": "b", "attestation": None}, {}, False),
        ({"session": "a", "attestation": None}, {"session": "b"}, {}, False),
        ({"session": "a"}, {"session": "a", "phone": None}, {"service": "HAIRCUT", "duration_minutes": 30}, True),
        ({"session": "a"}, {"session": "b", "phone": "+15185550188"}, {}, False),
        ({"session": "a", "phone": None}, {"session": "b", "phone": None}, {}, False),
        ({"session": "", "phone": None}, {"session": "", "phone": None}, {}, False),
        ({"session": "a"}, {"session": "b"}, {"customer_name": "Bob"}, False),
        ({"session": "a"}, {"session": "b"}, {"service": "Beard trim"}, False),
        ({"session": "a"}, {"session": "b"}, {"start": TEN + timedelta(minutes=15)}, False),
    ],
    ids=[
        "same phone, which the carrier vouches for, in another session",
        "same phone, vouched for at first only",
        "same phone, vouched for in the end only",
        "same session, the same in other arguments",
        "other phone",
        "no phone at all",
        "neither phone nor session",
        "other name",
        "other service",
        "other start",
    ],
)
async def test_name_service_start_and_trusted_caller_make_the_same_wish(desk, first, again, changes, is_repeated):
    """Reliability.md row 3: a model that asks again, in other words, after a slow answer."""
    booking = await desk.bookings.book(call(SALON, "first", **first), wish())
    ctx = call(SALON, "again", **again)
    if is_repeated:
        found = await desk.bookings.book(ctx, wish(**changes))
        assert (found.id, found.repeated) == (booking.id, True)
    else:
        assert (await refused(desk, ctx, **changes)).type is ErrorType.CONFLICT


@pytest.mark.requirement("004-101")
@pytest.mark.parametrize(
    ("facts", "is_proven", "customer"),
    [
        ({}, True, "+15185550171"),
        ({"attestation": "TN-Validation-Passed-B"}, False, "+15185550171"),
        ({"attestation": None}, False, "+15185550171"),
        ({"attestation": None, "verified": "+15185550199"}, False, "+15185550199"),
        ({"attestation": None, "verified": "+15185550171"}, True, "+15185550171"),
        ({"verified": None}, False, "+15185550171"),
    ],
)
async def test_a_booking_says_how_far_the_number_was_proven_and_how_its_customer_is_reached(
    desk, facts, is_proven, customer
):
    """A verified caller with another number shown is reached on the one on file."""
    ctx = call(SALON, attestation=facts.get("attestation", VOUCHED_FOR))
    if "verified" in facts:
        known = {"caller_verified": True, "caller_id": "clr_1", "verified_phone": facts["verified"]}
        ctx = replace(ctx, facts=replace(ctx.facts, **known))
    booking = await desk.bookings.book(ctx, wish())
    assert (booking.is_proven, booking.customer_phone, booking.caller_phone) == (is_proven, customer, "+15185550171")


@pytest.mark.requirement("004-128")
@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        ("Tom. Your appointment stays, and I text you the address", False),
        ("Tom? Shall I text you", False),
        ("Tom\nYes!", False),
        ("Kit. Shall I keep it", False),
        ("Mrs. Ana M. de la Cruz", True),
        ("María de los Ángeles García-Lorca y Sánchez", True),
        ("Dr. J. St. John-O'Neil jr.", True),
    ],
)
async def test_a_name_is_a_name_and_no_sentence(desk, name, is_one):
    """It is read out in questions, where a sentence would be heard as ours."""
    if is_one:
        assert (await desk.bookings.book(call(SALON), wish(customer_name=name))).customer_name == name
    else:
        assert (await refused(desk, call(SALON), customer_name=name)).type is ErrorType.VALIDATION


async def test_what_turns_the_direction_of_writing_round_is_left_out_of_names(desk):
    """A name would otherwise be shown as another one."""
    booking = await desk.bookings.book(call(SALON), wish(customer_name="An\u202ean \u2066Lee\u2069"))
    assert booking.customer_name == "Anan Lee"
    unseen = await desk.bookings.book(
        call(SALON, "unseen"), wish(customer_name="\x00Bo\x1b Li\x7f", start=TEN + timedelta(hours=2))
    )
    assert unseen.customer_name == "Bo Li"


@pytest.mark.parametrize("name", ["-", "12345", "\x00", "@(1)", "..."])
async def test_what_holds_no_letter_is_no_name(desk, name):
    """It would be read out to whoever calls back."""
    error = await refused(desk, call(SALON), customer_name=name)
    assert error.type is ErrorType.VALIDATION and "Ask the caller for the name" in error.message


async def test_a_wish_repeated_when_its_time_has_just_begun_is_still_told(desk):
    """The booking stands, although the time could not be booked any more."""
    booking = await desk.bookings.book(call(SALON), wish())
    later = call(SALON, now=booking.start + timedelta(minutes=2))
    assert (await desk.bookings.book(later, wish())).repeated


async def cancel(store, booking, at=None):
    """Cancel as the cancelling tool does: the record stays, the slots go."""
    paths = FirestorePaths().within(SALON.id)
    writes = claim_writes(paths, booking)
    changes = {"status": "cancelled", "cancelledAt": at}
    await store.commit([Set(writes[0].path, changes, merge=True), *(Delete(w.path) for w in writes[1:])])


async def test_what_was_cancelled_can_be_booked_again(desk, store, clock):
    """The same wish gets a new booking of the next generation; the old record stays."""
    ids = []
    for generation in range(3):
        booking = await desk.bookings.book(call(SALON), wish())
        assert (booking.repeated, booking.generation) == (False, generation)
        ids.append(booking.id)
        await cancel(store, booking)
        clock.seconds += 2
    assert set(ids) == set(await stored(store, SALON.id, "bookings"))
    assert len(set(ids)) == 3


@pytest.mark.requirement("004-745")
async def test_what_was_asked_for_before_the_appointment_was_cancelled_does_not_bring_it_back(desk, store, clock):
    """A second delivery that is gone on with later has had its wish fulfilled, and the caller has taken it back."""
    booking = await desk.bookings.book(call(SALON), wish())
    await cancel(store, booking, at=NOW + timedelta(seconds=30))
    clock.seconds += 60
    late = replace(call(SALON, now=NOW + timedelta(seconds=60)), asked_at=NOW)
    with pytest.raises(ToolError, match="has been cancelled since") as caught:
        await desk.bookings.book(late, wish())
    assert caught.value.type is ErrorType.CONFLICT
    assert list(await stored(store, SALON.id, "bookings")) == [booking.id]
    anew = replace(late, asked_at=NOW + timedelta(seconds=45))
    assert (await desk.bookings.book(anew, wish())).generation == 1


async def test_nobody_is_told_of_a_booking_that_was_cancelled_a_moment_ago(desk, store):
    """The shared view still shows it; the booking itself is asked before it is told."""
    booking = await desk.bookings.book(call(SALON), wish())
    await desk.availability.view(call(SALON), _visit(), booking.start)
    await cancel(store, booking)
    assert (await refused(desk)).type is ErrorType.CONFLICT


def _visit():
    from switchboard.desk.bookings.duration import VisitLength

    return VisitLength(30)


async def test_a_rival_that_the_view_does_not_show_is_met_at_the_commit(desk, store):
    """Another process booked within the second: the claim fails as a whole, no slot of it stays."""
    await desk.availability.view(call(SALON), _visit(), TEN.astimezone(UTC))
    elsewhere = open_desk(store, StoppedClock())
    await elsewhere.bookings.book(call(SALON, session="other", phone=None), wish(start=TEN + timedelta(minutes=15)))
    error = await refused(desk)
    assert error.type is ErrorType.CONFLICT
    assert [choice["start"][11:16] for choice in error.meta["alternatives"]] == ["09:15", "09:30", "09:45"]
    assert len(await stored(store, SALON.id, "slots")) == 6


async def test_the_own_booking_made_elsewhere_is_met_at_the_commit(desk):
    """The same wish, delivered to two processes at once."""
    store = desk.bookings._store
    await desk.availability.view(call(SALON), _visit(), TEN.astimezone(UTC))
    booking = await open_desk(store, StoppedClock()).bookings.book(call(SALON), wish())
    found = await desk.bookings.book(call(SALON), wish())
    assert (found.id, found.repeated) == (booking.id, True)


async def test_a_slot_without_a_booking_still_keeps_its_time(desk, store):
    """An owner blocked it; the attempts end, and end in a conflict."""
    await write_down(store, SALON.id, "slots", {"main_20270316T141000Z": {"bookingId": "blocked"}})
    error = await refused(desk)
    assert error.type is ErrorType.CONFLICT
    assert store.asked["commit"] <= 5


async def test_a_store_that_cannot_be_read_is_transient_and_nothing_happened(desk, store):
    """Before the claim there are no side effects."""
    store.fail("query")
    error = await refused(desk)
    assert (error.type, error.retryable, error.partial_side_effects) == (ErrorType.TRANSIENT, True, False)


async def test_a_wish_that_was_fulfilled_cannot_be_told_while_the_store_is_away(desk, store):
    """The shared view shows it, but the booking itself does not answer."""
    booking = await desk.bookings.book(call(SALON), wish())
    await desk.availability.view(call(SALON), _visit(), booking.start)
    store.fail("get")
    error = await refused(desk)
    assert (error.type, error.partial_side_effects) == (ErrorType.TRANSIENT, False)


async def test_where_nothing_else_is_free_what_can_be_had_instead_is_told(desk):
    """A business without opening times has nothing to offer."""
    error = await refused(desk, call(salon(workingHours={})))
    assert (error.type, error.meta["alternatives"]) == (ErrorType.CONFLICT, [])
    assert error.instead


async def test_a_claim_without_an_answer_that_was_carried_out_is_a_success(desk, store):
    """It is looked at once."""
    store.fail("commit", after=True)
    booking = await desk.bookings.book(call(SALON, verified=True), wish())
    assert (booking.status, booking.repeated) == ("confirmed", False)
    assert store.asked["commit"] == store.asked["get_many"] == 1


@pytest.mark.parametrize("also", [(), ("get_many",)], ids=["it cannot be seen", "nor looked for"])
async def test_a_claim_without_an_answer_is_never_called_booked(desk, store, also):
    """The outcome is unknown: transient, with possible side effects, and an honest message; asking again tells."""
    store.fail("commit", *also)
    error = await refused(desk, call(SALON, verified=True))
    assert (error.type, error.retryable, error.partial_side_effects) == (ErrorType.TRANSIENT, True, True)
    assert "Do not tell the caller that it is booked" in error.message
    store.recover()
    assert not (await desk.bookings.book(call(SALON, verified=True), wish())).repeated


async def test_a_claim_that_was_carried_out_unseen_is_found_when_asked_again(desk, store):
    """The second call gets the booking of the first, once."""
    store.fail("commit", after=True)
    store.fail("get_many")
    assert (await refused(desk, call(SALON, verified=True))).partial_side_effects
    store.recover()
    assert (await desk.bookings.book(call(SALON, verified=True), wish())).repeated
    assert len(await stored(store, SALON.id, "bookings")) == 1


async def test_a_claim_without_an_answer_whose_time_a_rival_holds_is_a_conflict(desk, store):
    """It cannot have been carried out, so the caller is told the plain truth."""
    await desk.availability.view(call(SALON), _visit(), TEN.astimezone(UTC))
    await open_desk(store, StoppedClock()).bookings.book(call(SALON, session="other", phone=None), wish())
    store.fail("commit")
    error = await refused(desk)
    assert (error.type, error.partial_side_effects) == (ErrorType.CONFLICT, False)


async def test_a_conflict_stands_even_if_alternatives_cannot_be_read(desk, store):
    """The no does not depend on them."""
    error = await refused(desk, start=at(SALON, "2027-03-15T10:00"))
    store.fail("query")
    desk.bookings._busy.forget(call(SALON).paths)
    silent = await refused(desk, start=at(SALON, "2027-03-16T10:02"))
    assert error.meta["alternatives"]
    assert (silent.type, silent.meta["alternatives"]) == (ErrorType.VALIDATION, [])


async def test_who_waits_for_a_rival_that_fails_tries_himself(store):
    """A claim under way holds others up, but never takes their turn."""

    class FirstFails(WatchedStore):
        async def commit(self, writes):
            self.asked["commit"] += 1
            await asyncio.sleep(0)
            if self.asked["commit"] == 1:
                raise Unavailable("hangs")
            return await self.inner.commit(writes)

    desk = open_desk(FirstFails(MemoryStore()), StoppedClock())
    calls = [call(SALON, session=f"s{n}", phone=None) for n in range(5)]
    found = await asyncio.gather(*(desk.bookings.book(ctx, wish()) for ctx in calls), return_exceptions=True)
    kinds = sorted(e.type.value if isinstance(e, ToolError) else "booked" for e in found)
    assert kinds == ["CONFLICT", "CONFLICT", "CONFLICT", "TRANSIENT", "booked"]


async def test_the_same_id_in_two_businesses_is_two_bookings(desk, store):
    """Paths keep them apart, whatever the keys are."""
    other = salon("other")
    ctx = replace(call(other), effect_key=call(SALON).effect_key)
    one, two = await desk.bookings.book(call(SALON), wish()), await desk.bookings.book(ctx, wish())
    assert one.id == two.id
    assert not two.repeated
    assert (await stored(store, "other", "bookings"))[two.id]["businessId"] == "other"


async def test_claims_written_by_the_seeds_keep_callers_out(desk, store):
    """Demo bookings are entered with their slots; those that are over hold none."""
    paths = FirestorePaths().within(SALON.id)
    planted = Booking(
        id="bk_demo", business_id=SALON.id, service="Haircut", start=TEN.astimezone(UTC), minutes=30,
        customer_name="Anna", created_at=NOW,
    )  # fmt: skip
    over = replace(planted, id="bk_over", status="completed")
    assert len(claim_writes(paths, over)) == 1
    await store.commit([*claim_writes(paths, planted), *claim_writes(paths, over)])
    assert (await refused(desk)).type is ErrorType.CONFLICT
    with pytest.raises(AlreadyExists):
        await store.commit(claim_writes(paths, replace(planted, id="bk_other")))
