"""Booking where the business keeps its calendar elsewhere: what the calendar gets, and what becomes of its every no."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.store import Set
from switchboard.desk.bookings.booking import Booking, booking_id
from switchboard.desk.calendars.entries import entry_of, is_at
from switchboard.state.memory.store import MemoryStore
from switchboard.state.paths import FirestorePaths
from tests.desk.calendar_house import GOOGLE, NOON, SALON, TEN, CalendarHouse, all_bookings, faults
from tests.desk.front_desk import SALON as SALON_DOCUMENT
from tests.desk.front_desk import WatchedStore, call, salon, stored, write_down
from tests.desk.memory_calendar import AUTH, BUSY, READ_FAILS, REFUSES, SILENT, MemoryCalendar, MemoryCalendars, event
from tests.refused import failure

TEXTING = {"googleCalendar": {**GOOGLE["googleCalendar"], "textConfirmations": True}}

BUILT_IN_TEXTING = {"builtinCalendar": {"isConnected": True, "textConfirmations": True}}


async def test_a_booking_is_entered_with_its_customer_and_confirmed(house, store, calendar):
    """The entry names the booking in a field of its own, under an id that follows from it; times are local ones."""
    booking = await house.book(customer_phone="(518) 555-0177", notes="Short, please.")
    (entry,) = calendar.shown
    assert (entry.id, entry.booking_id) == (booking.entry_id, booking.id)
    assert set(entry.id) <= set("0123456789abcdefghijklmnopqrstuv")
    assert 5 <= len(entry.id) <= 1024
    assert (entry.start, entry.end) == (TEN, TEN + timedelta(minutes=30))
    assert entry.title == "Haircut: Anna Whitfield"
    assert entry.description == f"Short, please.\nPhone: +15185550177\nBooking {booking.id}"
    assert (booking.status, booking.confirmed_at, booking.repeated) == ("confirmed", house.clock.now(), False)
    assert await faults(store, calendar) == []
    assert store.asked["commit"] == 2


async def test_nothing_is_booked_in_another_calendar_while_googles_consent_is_gone(house, store):
    """The owner's own events are only there: a booking that the built-in calendar took could be over one of them."""
    lost = {**GOOGLE, "googleCalendar": {**GOOGLE["googleCalendar"], "needsReauth": True}}
    for chosen in ({}, {"calendar": "googleCalendar"}):
        house.busy.calendars.error = ToolError(ErrorType.AUTH, "Google Calendar must be connected again.")
        error = await failure(house.book(house.call(business=salon(integrations=lost | chosen))))
        assert error.type is ErrorType.AUTH
        assert await all_bookings(store) == []
    house.busy.calendars.error = None
    chosen_built_in = salon(integrations=GOOGLE | {"calendar": "builtinCalendar"})
    assert (await house.book(house.call(business=chosen_built_in))).calendar == "builtinCalendar"


async def test_the_same_wish_again_asks_the_calendar_for_nothing(house, calendar):
    """It is repeated, and one entry."""
    first = await house.book()
    again = await house.book()
    assert (again.id, again.repeated) == (first.id, True)
    assert calendar.asked["insert"] == 1


async def test_an_id_that_somebody_elses_entry_has_is_left_to_it(house, calendar, store):
    """Ids are free for all to choose; the next generation gets another one."""
    draft = Booking(id=_id(house), business_id="", service="", start=TEN, minutes=30, customer_name="", created_at=TEN)
    calendar.put(replace(event(SALON, "2027-03-17", "10:00", "11:00"), id=draft.entry_id))
    booking = await house.book()
    assert booking.entry_generation == 1
    assert len(calendar.shown) == 2
    assert await faults(store, calendar) == []


async def test_a_deleted_entry_keeps_its_id_and_the_next_one_is_used(house, calendar, store):
    """A person deleted it while nobody was sure about it."""
    calendar.fail_after["insert"] = SILENT
    calendar.fail_before["find"] = SILENT
    assert (await failure(house.book())).partial_side_effects
    calendar.recover()
    (entry,) = calendar.shown
    await calendar.delete(entry.id)
    house.clock.wait(31)
    assert await house.reap() == 1
    assert [e.is_cancelled for e in calendar.kept.values()] == [True, False]
    assert await faults(store, calendar) == []


async def test_an_entry_that_the_client_made_at_its_second_try_is_not_left_behind(house, store, calendar):
    """The id is taken, perhaps by ourselves, and nobody can look: that is no plain no."""

    async def first_try():
        draft = Booking(
            id=_id(house), business_id=SALON.id, service="", start=TEN, minutes=30, customer_name="", created_at=TEN
        )
        calendar.put(replace(event(SALON, "2027-03-16", "10:00", "10:30"), id=draft.entry_id, booking_id=draft.id))

    calendar.meanwhile["insert"] = first_try
    calendar.fail_before["find"] = READ_FAILS
    told = await failure(house.book())
    assert (told.type, told.partial_side_effects) == (ErrorType.TRANSIENT, True)
    calendar.recover()
    house.clock.wait(31)
    assert await house.reap() == 1
    assert await faults(store, calendar) == []
    assert len(calendar.shown) == 1


def _id(house):
    return booking_id(house.call().effect_key)


@pytest.mark.parametrize("error", [AUTH, BUSY, READ_FAILS, REFUSES], ids=lambda error: error.type.value)
async def test_a_plain_no_of_the_calendar_leaves_everything_as_it_was(house, store, calendar, error):
    """The calendar's own error is told, nothing is held, and the same wish can be made later."""
    calendar.fail_before["insert"] = error
    told = await failure(house.book())
    assert (told.type, told.partial_side_effects) == (error.type, False)
    assert await stored(store, SALON.id, "slots") == {}
    assert [b.status for b in await all_bookings(store)] == ["cancelled"]
    calendar.recover()
    assert (await house.book()).generation == 1
    assert await faults(store, calendar) == []


async def test_an_entry_made_without_an_answer_is_found_at_once(house, store, calendar):
    """Accepted, then the line dropped: one look tells, and the caller gets a plain yes."""
    calendar.fail_after["insert"] = SILENT
    assert (await house.book()).status == "confirmed"
    assert calendar.asked == {"busy": 1, "insert": 1, "find": 1, "entries": 1}
    assert await faults(store, calendar) == []


async def test_an_insertion_that_got_lost_is_repeated_once(house, store, calendar):
    """The id makes that safe."""

    async def works_again():
        calendar.fail_before.pop("insert", None)

    calendar.fail_before["insert"] = SILENT
    calendar.meanwhile["find"] = works_again
    assert (await house.book()).status == "confirmed"
    assert calendar.asked["insert"] == 2


@pytest.mark.parametrize("error", [SILENT, AUTH], ids=["silent", "AUTH"])
async def test_what_nobody_knows_is_said_honestly_and_finished_later(house, store, calendar, error):
    """The time stays held; AUTH stays AUTH, so that the calendar is marked as needing re-authorisation."""
    calendar.fail_after["insert"] = SILENT
    calendar.fail_before["find"] = SILENT
    if error is AUTH:
        calendar.recover()
        calendar.fail_before["entries"] = AUTH
    told = await failure(house.book())
    assert (told.type, told.partial_side_effects) == (error.type, True)
    assert [b.status for b in await all_bookings(store)] == ["pending"]
    assert len(await stored(store, SALON.id, "slots")) == 6
    other = house.call("other", session="other", phone=None)
    assert (await failure(house.book(other, customer_name="Grace"))).type is ErrorType.CONFLICT
    calendar.recover()
    house.clock.wait(31)
    assert await house.reap() == 1
    assert await faults(store, calendar) == []
    assert [b.status for b in await all_bookings(store)] == ["confirmed"]


@pytest.mark.parametrize(("begins", "ends"), [("09:45", "10:05"), ("10:10", "10:15"), ("08:00", "18:00")])
async def test_a_person_who_enters_something_in_that_moment_is_met_and_goes_first(house, store, calendar, begins, ends):
    """Between the look and the entry: ours goes, and the caller is offered other times."""

    async def person():
        calendar.put(event(SALON, "2027-03-16", begins, ends))

    calendar.meanwhile["insert"] = person
    told = await failure(house.book())
    assert (told.type, told.partial_side_effects, told.meta["reason"]) == (ErrorType.CONFLICT, False, "taken")
    assert len(told.meta["alternatives"]) == 3
    assert [e.booking_id for e in calendar.shown] == [""]
    assert await faults(store, calendar) == []
    assert await stored(store, SALON.id, "slots") == {}


@pytest.mark.parametrize(
    "fields", [{"is_busy": False}, {"is_cancelled": True}], ids=["keeps nobody out", "was cancelled"]
)
@pytest.mark.requirement("001-54")
async def test_an_entry_that_keeps_nobody_out_is_not_in_the_way(house, calendar, fields):
    """A birthday on the same day."""
    calendar.put(event(SALON, "2027-03-16", "00:00", "23:59", **fields))
    assert (await house.book()).status == "confirmed"


async def test_who_was_faster_is_met_behind_however_many_entries_that_keep_nobody_out(house, store, calendar):
    """The calendar is read whole, or the booking is finished later."""
    for number in range(300):
        calendar.put(event(SALON, "2027-03-16", "09:00", "11:00", id=f"birthday{number}", is_busy=False))

    async def person():
        calendar.put(event(SALON, "2027-03-16", "10:10", "10:20"))

    calendar.meanwhile["insert"] = person
    assert (await failure(house.book())).type is ErrorType.CONFLICT
    assert await faults(store, calendar) == []


async def test_a_booking_is_finished_in_the_calendar_in_which_it_was_begun(store, clock):
    """Whatever the owner has connected since."""
    old, new = MemoryCalendar(), MemoryCalendar()
    house = CalendarHouse(store, old, clock)
    old.fail_before["insert"] = old.fail_before["find"] = SILENT
    await failure(house.book())
    old.recover()
    switched = salon(integrations={"googleCalendar": {"isConnected": True, "calendarId": "new"}})
    house.busy.calendars.by_calendar_id = {"new": new}
    clock.wait(31)
    assert (await house.book(house.call(business=switched))).repeated
    assert len(old.shown) == 1
    assert new.shown == []
    (booking,) = await all_bookings(store)
    await house.appointments.cancel(house.call(business=switched), booking.id)
    assert old.shown == []
    only_built_in = salon()
    second = await house.book(house.call("again", business=SALON), start=NOON)
    await house.appointments.cancel(house.call(business=only_built_in), second.id)
    assert await faults(store, old) == []


async def test_a_business_that_is_gone_leaves_nothing_waiting(house, store, calendar):
    """Its document was deleted; the reaper needs none."""
    calendar.fail_before["insert"] = calendar.fail_before["find"] = SILENT
    await failure(house.book())
    calendar.recover()
    house.clock.wait(31)
    assert await house.reap() == 1
    assert await faults(store, calendar) == []


async def test_a_google_calendar_without_a_client_is_refused_for_good(store, clock):
    """Nothing is called free that nobody looked at, and nothing is claimed."""
    house = CalendarHouse(store, None, clock)
    told = await failure(house.book())
    assert told.type is ErrorType.PERMANENT
    assert await all_bookings(store) == []


async def test_bookings_of_dead_processes_do_not_block_the_time(house, store, calendar):
    """The next caller who wants it brings the old booking to its end first, and gets the time if it ends in nothing."""
    calendar.fail_before["insert"] = calendar.fail_before["find"] = SILENT
    await failure(house.book())
    calendar.recover()
    calendar.fail_before["insert"] = REFUSES
    house.clock.wait(31)

    async def works_again():
        calendar.recover()

    calendar.meanwhile["delete"] = works_again
    ctx = house.call("other", session="other", phone=None)
    assert (await house.book(ctx, customer_name="Grace")).status == "confirmed"
    assert await faults(store, calendar) == []


@pytest.mark.parametrize(
    "integrations", [TEXTING, {"builtinCalendar": {"isConnected": True, "textConfirmations": True}}]
)
@pytest.mark.parametrize(
    ("language", "word"),
    [("en", "appointment"), ("de-DE", "Termin"), ("es", "cita"), ("fr", "rendez-vous"), ("xx", "appoint")],
)
async def test_each_change_orders_one_text_where_the_business_wants_it(
    store, calendar, clock, integrations, language, word
):
    """In the commit that makes it true; in the business's language, or else in English."""
    business = salon(integrations=integrations, ai={"language": language})
    house = CalendarHouse(store, calendar, clock)
    ctx = house.call(business=business)
    booking = await house.book(ctx)
    await house.book(ctx)
    await house.appointments.reschedule(ctx, booking.id, NOON)
    await house.appointments.reschedule(ctx, booking.id, TEN)
    await house.appointments.reschedule(ctx, booking.id, NOON)
    await house.appointments.cancel(ctx, booking.id)
    texts = await stored(store, business.id, "outbox")
    assert len(texts) == 5
    for id, text in texts.items():
        assert (text["id"], text["kind"], text["state"], text["to"]) == (id, "text", "todo", "+15185550171")
        assert (text["bookingId"], text["createdAt"]) == (booking.id, clock.now())
        assert text["expireAt"] > clock.now()
        assert text["effectKey"]
        assert text["body"].startswith("Maple Street Hair Studio")
        assert word in text["body"]
    assert sum("10:00" in text["body"] or "10h00" in text["body"] for text in texts.values()) == 2
    assert len({text["effectKey"] for text in texts.values()}) == 5


async def test_a_booking_that_the_reaper_finishes_orders_its_text_too(store, calendar, clock):
    """In the words of the business as it is then."""
    path = FirestorePaths().within(SALON.id).business
    await store.commit([Set(path, {**SALON_DOCUMENT, "integrations": TEXTING})])
    house = CalendarHouse(store, calendar, clock)
    calendar.fail_before["insert"] = calendar.fail_before["find"] = SILENT
    await failure(house.book(house.call(business=salon(integrations=TEXTING))))
    assert await stored(store, SALON.id, "outbox") == {}
    calendar.recover()
    clock.wait(31)
    await house.reap()
    (text,) = (await stored(store, SALON.id, "outbox")).values()
    assert text["body"] == ("Maple Street Hair Studio: your appointment is booked: Haircut, Tue 2027-03-16 at 10:00.")


async def test_no_text_is_ordered_that_nobody_asked_for(house, store, calendar, clock):
    """Not without the setting, and not without a number."""
    await house.book()
    business = salon(integrations=TEXTING)
    await house.book(call(business, "portal", session="p", phone=None, portal=True), start=NOON)
    assert await stored(store, SALON.id, "outbox") == {}


async def test_a_refused_booking_is_told_to_nobody_by_text(store, calendar, clock):
    """Nothing was booked, so nothing was cancelled either."""
    house = CalendarHouse(store, calendar, clock)

    async def person():
        calendar.put(event(SALON, "2027-03-16", "10:00", "10:30"))

    calendar.meanwhile["insert"] = person
    await failure(house.book(house.call(business=salon(integrations=TEXTING))))
    assert await stored(store, SALON.id, "outbox") == {}


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("number", [1, 2])
async def test_a_store_that_does_not_answer_a_commit_leaves_no_doubt_for_long(calendar, clock, number, after):
    """Claim or confirmation, carried out or not: the caller is told the truth, and the same wish again tells."""

    class Falters(WatchedStore):
        async def commit(self, writes):
            is_it = self.asked["commit"] == number - 1
            if is_it:
                self.fail("commit", after=after)
            try:
                return await super().commit(writes)
            finally:
                if is_it:
                    self.recover()

    store = Falters(MemoryStore())
    house = CalendarHouse(store, calendar, clock)
    if after:
        assert (await house.book()).status == "confirmed"
    else:
        assert (await failure(house.book())).partial_side_effects
        clock.wait(31)
        assert (await house.book()).status == "confirmed"
    assert await faults(store, calendar) == []


async def test_the_reaper_takes_up_only_what_lies_where_it_says(house, store, calendar):
    """A document that names another business than the one it is in is left alone; so is one that cannot be read."""
    past = house.clock.now() - timedelta(minutes=1)
    broken = {"leaseUntil": past, "businessId": "other", "start": TEN, "durationMinutes": 30, "status": "pending"}
    await write_down(store, SALON.id, "bookings", {"bk_a": broken, "bk_b": {"leaseUntil": past}})
    assert await house.reap() == 0
    assert calendar.shown == []


async def test_a_failing_calendar_of_one_business_keeps_no_other_waiting(store, clock):
    """Each booking is recovered by itself."""
    bad, good = MemoryCalendar(), MemoryCalendar()
    house = CalendarHouse(store, good, clock)
    house.busy.calendars = MemoryCalendars(good, bad=bad)
    other = salon("other", integrations={"googleCalendar": {"isConnected": True, "calendarId": "bad"}})
    for calendar in (bad, good):
        calendar.fail_before["insert"] = calendar.fail_before["find"] = SILENT
    for business in (other, SALON):
        await failure(house.book(house.call(business=business)))
    good.recover()
    clock.wait(31)
    assert await house.reap() == 1
    assert [b.status for b in await all_bookings(store)] == ["confirmed"]
    assert [b.status for b in await all_bookings(store, "other")] == ["pending"]


def test_times_of_an_entry_are_right_on_the_night_of_the_change():
    """Nine hours that begin before the clocks go back end eight hours later by the clocks on the wall."""
    start = datetime(2027, 11, 7, 5, 30, tzinfo=UTC)
    booking = Booking(
        id="bk", business_id="b", service="s", start=start, minutes=60, customer_name="", created_at=start,
        timezone="America/New_York",
    )  # fmt: skip
    entry = entry_of(booking)
    assert entry.start.isoformat() == "2027-11-07T01:30:00-04:00"
    assert entry.end.isoformat() == "2027-11-07T01:30:00-05:00"
    assert is_at(entry, booking)
    assert not is_at(entry, replace(booking, start=start + timedelta(hours=1)))


@pytest.mark.requirement("004-132")
async def test_an_entry_warns_of_a_number_that_costs_extra(house, calendar, store):
    """Before the notes, in the business's language; the record keeps it, and the notes stay as they were told."""
    booking = await house.book(notes="Please call me at +1 900 234 5678.")
    (entry,) = calendar.shown
    warning, notes = entry.description.splitlines()[:2]
    assert "costs extra" in warning and "+19002345678" in warning
    assert notes == booking.customer_notes == "Please call me at +1 900 234 5678."
    (found,) = await all_bookings(store)
    assert found.caution == warning
