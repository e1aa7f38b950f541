"""A caller's own appointments: found, cancelled and moved; and nothing told about anybody else's."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.store import Unavailable
from switchboard.desk.bookings.appointments import MOST_FOUND
from switchboard.desk.bookings.duration import VisitLength
from switchboard.desk.bookings.own_appointments import Narrowing
from switchboard.desk.bookings.request import Correction, EventWish
from switchboard.desk.bookings.told_changes import told_facts, told_move
from switchboard.state.memory.store import MemoryStore
from tests.desk.calendar_house import NOON, SALON, TEN, CalendarHouse, all_bookings, faults
from tests.desk.front_desk import StoppedClock, at, salon, stored, write_down
from tests.desk.memory_calendar import AUTH, READ_FAILS, REFUSES, SILENT, MemoryCalendar, event
from tests.refused import failure

BUILT_IN = salon()
ANY = Narrowing()
STRANGER = {"session": "elsewhere", "phone": "+15185550199"}


class Front:
    """The salon with one of the two calendars."""

    def __init__(self, store, clock, business):
        self.business, self.store, self.clock, self.calendar = business, store, clock, MemoryCalendar()
        self.house = CalendarHouse(store, self.calendar, clock)

    def call(self, *args, **fields):
        return self.house.call(*args, business=self.business, **fields)

    async def book(self, ctx=None, **changes):
        return await self.house.book(ctx or self.call(f"book {sorted(changes.items())}"), **changes)

    async def lookup(self, narrowing=ANY, **fields):
        return await self.house.appointments.lookup(self.call(**fields), narrowing)

    async def cancel(self, booking, **fields):
        return await self.house.appointments.cancel(self.call("cancel", **fields), booking.id)

    async def move(self, booking, start, **fields):
        return await self.house.appointments.reschedule(self.call(f"to {start}", **fields), booking.id, start)

    async def correct(self, booking, asked_at=None, **corrected):
        ctx = replace(self.call(f"correct {corrected}"), asked_at=asked_at)
        return await self.house.appointments.correct(ctx, booking.id, Correction(**corrected))

    async def faults(self):
        if self.business is SALON:
            return await faults(self.store, self.calendar)
        found = await all_bookings(self.store)
        held = {(slot["bookingId"]) for slot in (await stored(self.store, SALON.id, "slots")).values()}
        return sorted(held ^ {b.id for b in found if b.is_active})


@pytest.fixture(params=[BUILT_IN, SALON], ids=["built-in calendar", "outside calendar"])
def front(request, store, clock):
    """Both calendars must behave the same."""
    return Front(store, clock, request.param)


@pytest.mark.requirement("004-03", "000-42")
async def test_the_callers_appointments_are_found_by_the_number_of_the_call(front):
    """Those made from it, and those made for it; the soonest first."""
    later = await front.book(start=NOON)
    sooner = await front.book(start=TEN)
    for_her = await front.book(
        front.call("friend", session="s", phone="+15185550188"), start=NOON + timedelta(hours=2),
        customer_phone="+1 518 555 0171",
    )  # fmt: skip
    await front.book(front.call("other", **STRANGER), start=TEN + timedelta(hours=5))
    found = await front.lookup(session="tomorrow")
    assert [b.id for b in found] == [sooner.id, later.id, for_her.id]


async def test_past_and_cancelled_appointments_come_behind_those_to_come(front):
    """Then the latest first; five at most."""
    first = await front.book(front.call("first", verified=True), start=TEN)
    await front.cancel(await front.book(front.call("second", verified=True), start=NOON))
    for hours in (3, 4, 5, 6):
        await front.book(front.call(f"in {hours}", verified=True), start=TEN + timedelta(hours=hours))
    front.clock.wait(timedelta(days=6, hours=1).total_seconds())
    found = await front.lookup()
    assert len(found) == MOST_FOUND
    assert [b.status for b in found] == ["confirmed"] * 4 + ["cancelled"]
    front.clock.wait(timedelta(hours=4).total_seconds())
    found = await front.lookup()
    assert [b.start for b in found][:2] == [TEN + timedelta(hours=6), TEN + timedelta(hours=5)]
    assert first.id not in {b.id for b in found}


async def test_a_regular_with_dozens_of_appointments_is_told_the_next_and_the_latest(front):
    """More than are read at once: those around now are found, however many there have been."""
    for week in (0, 1):
        for half_hours in range(12):
            ctx = front.call(f"{week}, {half_hours}", verified=True)
            await front.book(ctx, start=TEN + timedelta(weeks=week, minutes=30 * half_hours))
    front.clock.wait(timedelta(days=10).total_seconds())
    found = await front.lookup()
    now = front.clock.now()
    coming, past = [b.start for b in found if b.start >= now], [b.start for b in found if b.start < now]
    everything = [b.start for b in await all_bookings(front.store)]
    assert coming == sorted(start for start in everything if start >= now)[:MOST_FOUND]
    assert past == sorted((start for start in everything if start < now), reverse=True)[: MOST_FOUND - len(coming)]


@pytest.mark.parametrize(
    ("narrowing", "hours"),
    [
        (ANY, [0, 2, 26]),
        (Narrowing(customer_name="whitfield"), [0, 26]),
        (Narrowing(customer_name="\uff21nna  WHITFIELD"), [0, 26]),
        (Narrowing(day=TEN.date()), [0, 2]),
        (Narrowing(start=NOON), [2]),
        (Narrowing(start=NOON.astimezone(UTC)), [2]),
        (Narrowing(customer_name="Anna", start=NOON), []),
        (Narrowing(booking_id="bk_nobody"), []),
    ],
)
async def test_what_the_caller_says_narrows_the_list_down(front, narrowing, hours):
    """By name, day, or time; never further than the caller's own."""
    await front.book(start=TEN)
    await front.book(start=NOON, customer_name="Lily Becker")
    await front.book(start=TEN + timedelta(hours=26))
    assert [(b.start - TEN.astimezone(UTC)) // timedelta(hours=1) for b in await front.lookup(narrowing)] == hours


@pytest.mark.parametrize(
    "fields",
    [STRANGER, {"session": "", "phone": None}, {"session": "elsewhere", "phone": None, "portal": True}],
    ids=["another number", "nobody", "a portal visitor"],
)
async def test_a_stranger_learns_nothing_whatever_is_guessed_right(front, fields):
    """Reference, name and time are all known to the stranger: the answer is the one for what does not exist.

    Who has shown who is calling is told that there is none; anybody else, that they would have to show it first.
    """
    is_known = "portal" not in fields and fields["phone"] is not None
    booking = await front.book()
    guesses = [ANY, Narrowing(booking_id=booking.id), Narrowing(customer_name="Anna Whitfield", start=TEN)]
    for guess in guesses:
        if is_known:
            assert await front.lookup(guess, **fields) == ()
        else:
            assert (await failure(front.lookup(guess, **fields))).type is ErrorType.MODE_RESTRICTED
    nobody = replace(booking, id="bk_00000000000000000000")
    for deed in (front.cancel, lambda b, **f: front.move(b, NOON, **f)):
        foreign, missing = await failure(deed(booking, **fields)), await failure(deed(nobody, **fields))
        assert (foreign.type, foreign.message, foreign.meta) == (missing.type, missing.message, missing.meta)
        assert foreign.type is ErrorType.NOT_FOUND
        assert ("verify_caller" in foreign.message) is not is_known
        assert not foreign.partial_side_effects
    assert [b.status for b in await all_bookings(front.store)] == ["confirmed"]


async def test_what_nobody_in_particular_booked_is_nobodys(front):
    """An unknown session and number are not the same ones as another caller's."""
    unknown = {"session": "", "phone": None}
    booking = await front.book(front.call(**unknown))
    assert (await failure(front.lookup(**unknown))).type is ErrorType.MODE_RESTRICTED
    assert (await failure(front.cancel(booking, **unknown))).type is ErrorType.NOT_FOUND


async def test_another_business_has_no_such_appointment(front):
    """The same caller, the same reference: paths keep businesses apart."""
    booking = await front.book()
    other = replace(front.business, id="other")
    ctx = front.house.call(business=other)
    assert (await failure(front.house.appointments.cancel(ctx, booking.id))).type is ErrorType.NOT_FOUND
    assert await front.house.appointments.lookup(ctx, ANY) == ()


async def test_a_verified_caller_is_known_by_the_record_on_any_phone(front):
    """By the number on file, and by bookings that were made while verified; an unverified claim counts for nothing."""
    await write_down(front.store, SALON.id, "callers", {"clr_anna": {"name": "Anna", "phone": "+15185550171"}})
    booking = await front.book()
    ctx = front.call(session="portal", phone=None, portal=True)
    facts = replace(ctx.facts, caller_id="clr_anna", caller_verified=True)
    assert [b.id for b in await front.house.appointments.lookup(replace(ctx, facts=facts), ANY)] == [booking.id]
    claimed = replace(ctx, facts=replace(facts, caller_verified=False))
    assert (await failure(front.house.appointments.lookup(claimed, ANY))).type is ErrorType.MODE_RESTRICTED
    facts = replace(ctx.facts, caller_id="clr_new", caller_verified=True)
    made = await front.book(replace(ctx, facts=facts), start=NOON)
    assert made.caller_id == "clr_new"
    elsewhere = replace(facts, session_id="next week")
    assert [b.id for b in await front.house.appointments.lookup(replace(ctx, facts=elsewhere), ANY)] == [made.id]


async def test_nobody_is_asked_about_themselves_by_name(front):
    """What stands under the name on file is the caller's; somebody else's, such as a child's, is named."""
    await write_down(
        front.store, SALON.id, "callers", {"clr_anna": {"name": "  Anna   WHITFIELD", "phone": "nonsense"}}
    )
    for name, start, told in (("Anna Whitfield", TEN, None), ("Ben Whitfield", NOON, "Ben Whitfield")):
        ctx = front.call(f"for {name}", session="portal", phone=None, portal=True)
        ctx = replace(ctx, facts=replace(ctx.facts, caller_id="clr_anna", caller_verified=True))
        booking = await front.book(ctx, start=start, customer_name=name)
        found = await front.house.appointments.cancellable(ctx, booking.id)
        assert told_facts(found).get("customer_name") == told
        now, target = await front.house.appointments.movable(ctx, booking.id, start + timedelta(hours=1))
        assert told_move(now, target).get("customer_name") == told
    # Whoever is known by this conversation alone is no record of the business.
    booking = await front.book(start=NOON + timedelta(hours=3), customer_name="Anna Whitfield")
    assert "customer_name" in told_facts(await front.house.appointments.cancellable(front.call(), booking.id))


async def test_what_was_booked_in_a_conversation_can_be_changed_in_it(front):
    """A portal visitor without a number who says "no, on second thoughts"."""
    fields = {"session": "chat", "phone": None, "portal": True}
    booking = await front.book(front.call(**fields))
    assert [b.id for b in await front.lookup(**fields)] == [booking.id]
    assert (await front.cancel(booking, **fields)).status == "cancelled"
    assert (await failure(front.lookup(**{**fields, "session": "another chat"}))).type is ErrorType.MODE_RESTRICTED


@pytest.mark.requirement("004-81", "004-103")
@pytest.mark.parametrize("is_on_the_line", [True, False])
async def test_what_was_booked_on_the_line_is_nobodys_behind_the_link_and_the_other_way_round(front, is_on_the_line):
    """One conversation, two places: whoever opened the link may be anybody."""
    there = {"session": "CA1", "phone": None, "attestation": None, "portal": not is_on_the_line}
    elsewhere = there | {"portal": is_on_the_line}
    booking = await front.book(front.call(**there))
    assert [b.id for b in await front.lookup(**there)] == [booking.id]
    assert (await failure(front.lookup(**elsewhere))).type is ErrorType.MODE_RESTRICTED
    for deed in (front.cancel(booking, **elsewhere), front.move(booking, NOON, **elsewhere)):
        assert (await failure(deed)).type is ErrorType.NOT_FOUND
    assert (await front.cancel(booking, **there)).status == "cancelled"


@pytest.mark.requirement("004-04")
async def test_a_cancelled_appointment_frees_its_time_and_keeps_its_record(front):
    """Slots and entry go; somebody else can have the time at once."""
    booking = await front.book()
    cancelled = await front.cancel(booking)
    assert (cancelled.status, cancelled.cancelled_because, cancelled.repeated) == ("cancelled", "caller", False)
    assert await stored(front.store, SALON.id, "slots") == {}
    assert front.calendar.shown == []
    again = await front.cancel(booking)
    assert (again.status, again.repeated) == ("cancelled", True)
    assert (await front.book(front.call("other", **STRANGER), customer_name="Grace")).status == "confirmed"
    assert await front.faults() == []


async def test_only_the_appointment_that_the_caller_was_asked_about_is_cancelled(front):
    """One that begins at another time than was said is left alone."""
    booking = await front.book()
    error = await failure(front.house.appointments.cancel(front.call(), booking.id, NOON))
    assert error.type is ErrorType.CONFLICT
    assert "10:00 AM" in error.message
    assert (await front.house.appointments.cancel(front.call(), booking.id, TEN.astimezone(UTC))).status == "cancelled"


@pytest.mark.parametrize("status", ["completed", "no_show", "confirmed"])
async def test_what_has_begun_cannot_be_changed_any_more(front, status):
    """Neither cancelled nor moved."""
    booking = await front.book()
    await write_down(front.store, SALON.id, "bookings", {booking.id: {**booking.to_document(), "status": status}})
    front.clock.wait((booking.start - front.clock.now()).total_seconds())
    assert (await failure(front.cancel(booking))).type is ErrorType.CONFLICT
    assert (await failure(front.move(booking, NOON))).type is ErrorType.CONFLICT


async def test_a_moved_appointment_holds_its_new_time_and_frees_the_old_one(front):
    """Booking, slots and entry move together; the entry stays the same one."""
    booking = await front.book()
    moved = await front.move(booking, NOON)
    assert (moved.start, moved.end - moved.start) == (NOON, timedelta(minutes=30))
    assert (moved.id, moved.status, moved.repeated) == (booking.id, "confirmed", False)
    (document,) = (await stored(front.store, SALON.id, "bookings")).values()
    assert (document["start"], document["bookingDatetime"]) == (NOON.astimezone(UTC),) * 2
    assert document["end"] == NOON.astimezone(UTC) + timedelta(minutes=30)
    assert "move" not in document
    assert len(front.calendar.kept) == (front.business is SALON)
    assert await front.faults() == []
    again = await front.move(booking, NOON)
    assert (again.start, again.repeated) == (NOON, True)
    assert (await front.book(front.call("other", **STRANGER), customer_name="Grace")).start == TEN


@pytest.mark.requirement("004-747")
@pytest.mark.parametrize("change", ["move", "cancel"])
async def test_what_the_caller_has_taken_back_since_is_not_done_again(front, change):
    """A move that is gone on with later was done, and was moved back: the last word of the caller counts."""
    booking = await front.book()
    asked_at = front.clock.now()
    await front.move(booking, NOON, now=asked_at)
    front.clock.wait(30)
    back = await front.move(booking, TEN)
    front.clock.wait(30)
    ctx = replace(front.call("late"), asked_at=asked_at)
    appointments = front.house.appointments
    late = appointments.reschedule(ctx, booking.id, NOON) if change == "move" else appointments.cancel(ctx, booking.id)
    refusal = await failure(late)
    assert refusal.type is ErrorType.CONFLICT and "changed since this was asked for" in refusal.message
    assert "(Tuesday, March 16 at 10:00 AM" in refusal.message and not refusal.partial_side_effects
    (left,) = await all_bookings(front.store)
    assert (left.start, left.status) == (back.start, "confirmed")
    assert (await front.move(booking, NOON)).start == NOON, "what is asked for now is done"
    assert await front.faults() == []


@pytest.mark.requirement("004-747")
async def test_what_nobody_has_changed_since_is_gone_on_with(front):
    """A correction asked for beside it says nothing about the time, and an earlier move nothing about a later one."""
    booking = await front.book()
    await front.move(booking, NOON)
    front.clock.wait(5)
    asked_at = front.clock.now()
    front.clock.wait(5)
    await front.correct(booking, customer_name="Anna Reed")
    front.clock.wait(60)
    ctx = replace(front.call("late"), asked_at=asked_at)
    assert (await front.house.appointments.reschedule(ctx, booking.id, TEN)).start == TEN
    assert (await front.house.appointments.reschedule(ctx, booking.id, TEN)).repeated


@pytest.mark.requirement("004-747")
async def test_a_name_that_was_corrected_again_since_stays(front):
    """The first correction is gone on with late: it does not bring the first name back."""
    booking = await front.book()
    asked_at = front.clock.now()
    await front.correct(booking, customer_name="Anna Reed")
    front.clock.wait(10)
    await front.correct(booking, customer_name="Anne Reid")
    front.clock.wait(60)
    late = front.correct(booking, customer_name="Anna Reed", asked_at=asked_at)
    assert "changed since this was asked for" in (await failure(late)).message
    assert [each.customer_name for each in await all_bookings(front.store)] == ["Anne Reid"]


@pytest.mark.parametrize("minutes", [-25, -5, 5, 15, 30])
async def test_an_appointment_may_move_into_a_part_of_its_own_time(front, minutes):
    """A quarter of an hour later overlaps nobody but itself."""
    booking = await front.book()
    moved = await front.move(booking, TEN + timedelta(minutes=minutes))
    assert moved.start == TEN + timedelta(minutes=minutes)
    assert await front.faults() == []


@pytest.mark.parametrize(
    ("text", "type", "reason"),
    [
        ("2027-03-16T12:15", ErrorType.CONFLICT, "taken"),
        ("2027-03-15T10:00", ErrorType.CONFLICT, "closed"),
        ("2027-03-24T10:00", ErrorType.CONFLICT, "closed"),
        ("2027-03-18T12:15", ErrorType.CONFLICT, "closed"),
        ("2027-03-16T17:45", ErrorType.CONFLICT, "closed"),
        ("2027-03-10T10:30", ErrorType.CONFLICT, "short_notice"),
        ("2027-03-09T10:00", ErrorType.VALIDATION, "past"),
        ("2027-06-15T10:00", ErrorType.VALIDATION, "too_far"),
        ("2027-03-16T10:02", ErrorType.VALIDATION, "off_grid"),
        ("2027-03-14T02:30", ErrorType.VALIDATION, "no_such_time"),
    ],
)
async def test_a_move_obeys_the_rules_of_booking_and_leaves_the_appointment_where_it_was(front, text, type, reason):
    """Hours, breaks, exceptions, notice, grid, clocks, others; with other times to offer."""
    booking = await front.book()
    await front.book(front.call("other", **STRANGER), customer_name="Grace", start=NOON)
    error = await failure(front.move(booking, at(SALON, text)))
    assert (error.type, error.meta["reason"], error.partial_side_effects) == (type, reason, False)
    assert bool(error.meta["alternatives"]) is (reason != "too_far")
    assert "Grace" not in error.message
    assert booking.start in {b.start for b in await all_bookings(front.store)}
    assert await front.faults() == []


async def test_buffers_and_duration_move_with_the_appointment(front):
    """As they were when it was booked, whatever the service takes by now."""
    booking = await front.book(service="Highlights", start=NOON)
    changed = replace(front.business, services=())
    await front.house.appointments.reschedule(front.house.call(business=changed), booking.id, TEN)
    (moved,) = await all_bookings(front.store)
    assert (moved.minutes, moved.before, moved.after) == (120, 10, 20)
    assert len(await stored(front.store, SALON.id, "slots")) == 30
    ctx = front.call("other", **STRANGER)
    assert (await failure(front.book(ctx, customer_name="Grace", start=TEN + timedelta(minutes=130)))).type is (
        ErrorType.CONFLICT
    )


async def test_a_rival_for_the_new_time_is_met_at_the_commit(front):
    """The view does not show it yet; nothing of the move stays."""
    booking = await front.book()
    await front.house.availability.view(front.call(), VisitLength(30), NOON.astimezone(UTC))
    elsewhere = Front(front.store, StoppedClock(), front.business)
    elsewhere.house.busy.calendars = front.house.busy.calendars
    await elsewhere.book(elsewhere.call("other", **STRANGER), customer_name="Grace", start=NOON)
    error = await failure(front.move(booking, NOON))
    assert error.type is ErrorType.CONFLICT
    assert await front.faults() == []


async def test_a_cancelled_appointment_cannot_be_moved(front):
    """It is gone; a new one can be booked."""
    booking = await front.book()
    await front.cancel(booking)
    assert (await failure(front.move(booking, NOON))).type is ErrorType.CONFLICT


@pytest.mark.parametrize("method", ["get", "query"])
async def test_what_cannot_be_read_is_transient_and_changes_nothing(front, method):
    """Nobody is told that there is nothing."""
    booking = await front.book()
    front.store.fail(method)
    works = [front.lookup()] if method == "query" else [front.cancel(booking), front.move(booking, NOON)]
    for work in works:
        error = await failure(work)
        assert (error.type, error.partial_side_effects) == (ErrorType.TRANSIENT, False)


async def test_a_change_without_an_answer_is_said_honestly(front):
    """The commit may have been carried out; the same again tells."""
    booking = await front.book()
    front.store.fail_before["commit"] = Unavailable("hangs")
    for deed in (front.cancel(booking), front.move(booking, NOON)):
        error = await failure(deed)
        assert (error.type, error.partial_side_effects, error.retryable) == (ErrorType.TRANSIENT, True, True)
    front.store.recover()
    assert (await front.move(booking, NOON)).start == NOON
    assert (await front.cancel(booking)).status == "cancelled"


async def test_an_event_is_an_own_appointment_as_well(front):
    """What was entered under a title can be cancelled by whoever had it entered."""
    made = await front.house.bookings.enter(front.call(), EventWish(title="Photo shoot", start=NOON))
    assert [b.service for b in await front.lookup()] == ["Photo shoot"]
    assert (await front.cancel(made)).status == "cancelled"


@pytest.fixture
def outside(store, clock):
    """The salon with the outside calendar."""
    return Front(store, clock, SALON)


@pytest.mark.parametrize("error", [AUTH, READ_FAILS, REFUSES], ids=lambda error: error.type.value)
async def test_a_plain_no_to_a_move_leaves_the_appointment_where_it_was(outside, error):
    """The calendar's own error is told; the new time is free again."""
    booking = await outside.book()
    outside.calendar.fail_before["move"] = error
    told = await failure(outside.move(booking, NOON))
    assert (told.type, told.partial_side_effects) == (error.type, False)
    assert await outside.faults() == []
    assert len(await stored(outside.store, SALON.id, "slots")) == 6


NOT_LET_IN = ToolError(ErrorType.PERMANENT, "This deployment is not registered.", meta={"reason": "not_asked"})


@pytest.mark.parametrize(
    ("error", "type"),
    [(AUTH, ErrorType.AUTH), (SILENT, ErrorType.TRANSIENT), (NOT_LET_IN, ErrorType.TRANSIENT)],
    ids=["AUTH", "silent", "not let in"],
)
async def test_a_cancellation_stands_even_if_the_calendar_cannot_follow_yet(outside, error, type):
    """The entry goes when the calendar answers again; until then the time stays held."""
    booking = await outside.book()
    outside.calendar.fail_before["delete"] = error
    told = await failure(outside.cancel(booking))
    assert (told.type, told.partial_side_effects) == (type, True)
    assert [b.status for b in await outside.lookup()] == ["cancelling"]
    outside.calendar.recover()
    outside.clock.wait(31)
    again = await outside.cancel(booking)
    assert (again.status, again.repeated) == ("cancelled", True)
    assert await outside.faults() == []


async def test_an_entry_that_the_calendar_never_lets_go_keeps_nobody_from_cancelling(outside):
    """It is left to the people there, and said in the log."""
    booking = await outside.book()
    outside.calendar.fail_before["delete"] = REFUSES
    assert (await outside.cancel(booking)).status == "cancelled"
    assert len(outside.calendar.shown) == 1


async def test_an_entry_that_people_deleted_is_cancelled_all_the_same(outside):
    """A missing one counts as removed."""
    booking = await outside.book()
    outside.calendar.kept.clear()
    assert (await outside.cancel(booking)).status == "cancelled"


@pytest.mark.parametrize("how", ["deleted", "gone", "edited meanwhile", "deleted meanwhile", "moved by hand"])
async def test_an_entry_that_people_touched_is_moved_all_the_same(outside, how):
    """It is entered anew where they removed it, and moved from wherever they put it."""
    booking = await outside.book()
    (entry,) = outside.calendar.shown
    if how == "deleted":
        await outside.calendar.delete(entry.id)
    elif how == "gone":
        outside.calendar.kept.clear()
    elif how == "moved by hand":
        outside.calendar.put(event(SALON, "2027-03-17", "10:00", "10:30", id=entry.id, booking_id=booking.id))
    else:

        async def meanwhile():
            outside.calendar.put(replace(entry, is_cancelled=how.startswith("deleted"), title="Changed"))

        outside.calendar.meanwhile["move"] = meanwhile
    assert (await outside.move(booking, NOON)).start == NOON
    assert await outside.faults() == []
    assert len(outside.calendar.shown) == 1


async def test_an_entry_that_people_keep_editing_is_left_to_them(outside):
    """The move is given up; the appointment is where it was."""
    booking = await outside.book()
    (entry,) = outside.calendar.shown

    async def meanwhile():
        outside.calendar.put(replace(outside.calendar.kept[entry.id], title=f"{outside.calendar.asked['move']}"))
        outside.calendar.meanwhile["move"] = meanwhile

    outside.calendar.meanwhile["move"] = meanwhile
    assert (await failure(outside.move(booking, NOON))).type is ErrorType.TRANSIENT
    assert await outside.faults() == []


async def test_an_overlap_made_by_people_in_that_moment_sends_the_entry_back(outside):
    """Where it was before; the caller is offered other times."""
    booking = await outside.book()

    async def person():
        outside.calendar.put(event(SALON, "2027-03-16", "12:15", "12:20"))

    outside.calendar.meanwhile["move"] = person
    error = await failure(outside.move(booking, NOON))
    assert (error.type, error.meta["reason"]) == (ErrorType.CONFLICT, "taken")
    assert [e.start for e in outside.calendar.shown] == [TEN, NOON + timedelta(minutes=15)]
    assert await outside.faults() == []


MOVES = st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 100), st.sampled_from(["book", "move", "cancel"])))


@given(MOVES)
async def test_whatever_three_callers_do_no_two_appointments_ever_overlap(deeds):
    """Bookings, slots and entries agree after every single deed."""
    front = Front(MemoryStore(), StoppedClock(), SALON)
    mine = {}
    for caller, step, deed in deeds:
        ctx = front.call(f"{step}", session=caller, phone=None)
        start = TEN + timedelta(minutes=5 * step)
        try:
            if deed == "book" or caller not in mine:
                mine[caller] = await front.book(ctx, start=start, customer_name=caller)
            elif deed == "move":
                mine[caller] = await front.house.appointments.reschedule(ctx, mine[caller].id, start)
            else:
                await front.house.appointments.cancel(ctx, mine.pop(caller).id)
        except ToolError as error:
            # A name without an appointment in the way books one, and whoever is unknown holds a few at most.
            assert error.type in (ErrorType.CONFLICT, ErrorType.RATE_LIMIT)
        assert await front.faults() == []
        standing = [b for b in await all_bookings(front.store) if b.stands]
        assert all(a.end <= b.start for a, b in pairwise(standing))


async def test_the_reference_may_be_any_text(front):
    """A model may pass on anything."""
    for text in ("", " ", "../x", "bk_1/../../other", "😀", "x" * 400):
        booking = replace(await front.book(), id=text)
        assert (await failure(front.cancel(booking))).type is ErrorType.NOT_FOUND


async def test_an_absurd_year_is_refused(front):
    """Zone arithmetic would overflow."""
    booking = await front.book()
    absurd = datetime(9999, 12, 31, 23, 59, tzinfo=SALON.timezone)
    works = (front.move(booking, absurd), front.house.appointments.cancel(front.call(), booking.id, absurd))
    for work in works:
        assert (await failure(work)).type is ErrorType.VALIDATION
