"""How many come to an appointment is changed: what is more is claimed, and what cannot be had changes nothing."""

import asyncio
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from switchboard.contract.error import ErrorType, ToolError
from switchboard.desk.bookings.booking import Booking
from switchboard.desk.bookings.told_changes import told_move
from switchboard.pipeline.confirmation.assent import answer_to
from switchboard.pipeline.confirmation.prompt import read_back
from switchboard.state.memory.store import MemoryStore
from tests.desk.calendar_house import (
    GOOGLE,
    NOON,
    TEN,
    CalendarHouse,
    Dies,
    DistantStore,
    Life,
    all_bookings,
    faults,
)
from tests.desk.front_desk import NOW, StoppedClock, stored
from tests.desk.house_of_resources import full_house
from tests.desk.memory_calendar import SILENT, MemoryCalendar, event
from tests.each import each
from tests.refused import failure
from tests.tools.folder import run
from tests.tools.guide_house import REGISTRY

pytestmark = pytest.mark.requirement("004-1101")
TEXTING = {"builtinCalendar": {"isConnected": True, "textConfirmations": True}}
CLASS, BRIDES = "Styling class", "Bridal party"
OWN, OUTSIDE = full_house(integrations=TEXTING), full_house(integrations=GOOGLE)
TABLES = [{"id": f"t{seats}", "name": f"Table of {seats}", "kind": "table", "seats": seats} for seats in (2, 4, 6)]
INN = full_house(resources=TABLES, services=[{"name": "Dinner", "durationMinutes": 60, "needs": [{"kind": "table"}]}])


class Place:
    """A salon with a class of six, over one store."""

    def __init__(self, business: Any = OWN) -> None:
        self.store, self.calendar, self.clock = DistantStore(MemoryStore()), MemoryCalendar(), StoppedClock()
        self.business, self.house = business, self.process()

    def process(self, life: Life | None = None) -> CalendarHouse:
        return CalendarHouse(self.store, self.calendar, self.clock, life)

    def ctx(self, wish: str = "wish", **fields: Any) -> Any:
        return self.house.call(wish, business=self.business, **fields)

    async def book(self, party: int, who: str = "Anna", service: str = CLASS, **wish: Any) -> Booking:
        whose = {} if who == "Anna" else {"session": who, "phone": None}
        ctx = self.ctx(f"book {who}", **whose)
        return await self.house.book(ctx, service=service, party_size=party, customer_name=who, **wish)

    async def change(self, booking: Booking, party: int | None, start: Any = TEN, house: Any = None) -> Booking:
        ctx = self.ctx(f"{party} at {start}")
        return await (house or self.house).appointments.reschedule(ctx, booking.id, start, party)

    async def slots(self) -> set[str]:
        return set(await stored(self.store, self.business.id, "slots"))

    async def held(self) -> set[str]:
        return {slot for booking in await all_bookings(self.store) for slot in booking.held}


async def test_more_people_at_the_same_time_claim_only_what_is_more() -> None:
    """Their own seats are theirs: three become five of six where one is somebody else's, and the first seats stay."""
    place = Place()
    first, other = await place.book(1, "Bo"), await place.book(3)
    await place.house.appointments.cancel(place.ctx("gone", session="Bo", phone=None), first.id)
    last = await place.book(1, "Cleo")
    changed = await place.change(other, 5)
    assert (changed.party, changed.start, changed.repeated) == (5, TEN, False)
    assert changed.id == other.id and changed.held > other.held and not changed.held & last.held
    assert await place.slots() == await place.held()


async def test_fewer_people_give_back_what_they_do_not_need() -> None:
    """Others can have it; the new number is what is stored."""
    place = Place()
    booking = await place.book(6)
    changed = await place.change(booking, 2)
    assert (changed.party, changed.held < booking.held) == (2, True)
    assert (await place.book(4, "Bo")).stands
    (mine, _) = await all_bookings(place.store)
    assert {mine.party, mine.taken.resources[0].units} <= {2, 4}
    assert await place.slots() == await place.held()


async def test_what_cannot_be_had_leaves_the_appointment_as_it_was_and_names_what_can() -> None:
    """Taken, or more than ever come together; the same number at another time is no way out of a class that is full."""
    place = Place()
    booking = await place.book(3)
    await place.book(2, "Bo")
    full = await failure(place.change(booking, 5))
    assert (full.type, full.meta["reason"]) == (ErrorType.CONFLICT, "taken")
    assert full.message.startswith("There is no room for 5 then, only for 4. Free instead: Tuesday, March 16 at 9:00")
    never = await failure(place.change(booking, 7))
    assert (never.type, "at most 6 people together" in never.message) == (ErrorType.VALIDATION, True)
    alone = await place.book(1, "Dee", service="Haircut")
    ctx = place.ctx("dee", session="Dee", phone=None)
    one = await failure(place.house.appointments.reschedule(ctx, alone.id, TEN, 2))
    assert (one.type, "one person at a time" in one.message) == (ErrorType.VALIDATION, True)
    assert [b.party for b in await all_bookings(place.store) if b.id == booking.id] == [3]
    assert await place.slots() == await place.held()


async def test_time_and_number_change_together_or_not_at_all() -> None:
    """Whoever asks for both is not left with one of them."""
    place = Place()
    booking = await place.book(3)
    await place.book(3, "Bo", start=NOON)
    assert (await failure(place.change(booking, 4, NOON))).type is ErrorType.CONFLICT
    changed = await place.change(booking, 4, NOON + timedelta(hours=1))
    assert (changed.party, changed.start) == (4, NOON + timedelta(hours=1))
    assert (await place.change(changed, None, TEN)).party == 4
    assert await place.slots() == await place.held()


async def test_where_nothing_is_to_be_changed_nothing_is() -> None:
    """The same wish again, as it is redelivered, is told to have been done; so is one that never was another."""
    place = Place()
    booking = await place.book(3)
    assert (await place.change(booking, 3)).repeated and (await place.change(booking, None)).repeated
    assert not (await place.change(booking, 4)).repeated
    before = await stored(place.store, OWN.id, "bookings")
    assert (await place.change(booking, 4)).repeated
    assert await stored(place.store, OWN.id, "bookings") == before
    texts = [text["body"] for text in (await stored(place.store, OWN.id, "outbox")).values()]
    assert len([text for text in texts if "was changed" in text]) == 1


async def test_a_table_that_is_too_small_is_given_for_a_larger_one_and_kept_for_fewer() -> None:
    """Each table has its seats; those who have one keep it as long as it will do."""
    place = Place(INN)
    booking = await place.book(2, service="Dinner")
    assert booking.taken.ids == ("t2",)
    assert (await place.change(booking, 4)).taken.ids == ("t4",)
    assert (await place.change(booking, 1)).taken.ids == ("t4",)
    await place.book(5, "Bo", service="Dinner")
    assert (await failure(place.change(booking, 5))).type is ErrorType.CONFLICT
    assert await place.slots() == await place.held()


async def test_each_of_a_party_that_needs_somebody_each_has_somebody() -> None:
    """Two of three people work for two; the third is free for a third, and not where she is taken."""
    place = Place()
    booking = await place.book(1, service=BRIDES)
    assert len((await place.change(booking, 2)).taken.ids) == 2
    await place.book(1, "Bo", service="Haircut")
    assert (await failure(place.change(booking, 3))).type is ErrorType.CONFLICT
    fewer = await place.change(booking, 1)
    assert len(fewer.taken.ids) == 1 and set(fewer.taken.ids) <= set(booking.taken.ids) | {"rosa", "marcus", "dana"}
    assert await place.slots() == await place.held()


async def test_fewer_may_come_whatever_has_become_of_the_day() -> None:
    """The business is closed by now, and asks for more notice than there is: that is said of more, and not of fewer."""
    place = Place()
    booking = await place.book(4)
    place.business = full_house(workingHours={}, integrations=TEXTING)
    assert (await failure(place.change(booking, 5))).meta["reason"] == "closed"
    assert (await place.change(booking, 2)).party == 2


async def test_nobody_changes_what_is_somebody_elses() -> None:
    """Nor learns whether it is there, also not by looking what would be free in its place."""
    place = Place()
    booking = await place.book(4)
    elsewhere = place.ctx("other", session="elsewhere", phone="+15185550199")
    look = {"date": "2027-03-16T10:00:00", "party_size": 5, "booking_id": booking.id}
    for work in (
        place.house.appointments.reschedule(elsewhere, booking.id, TEN, 2),
        run("check_availability", elsewhere, place.house, look),
    ):
        assert (await failure(work)).type is ErrorType.NOT_FOUND


async def test_what_is_free_for_more_is_told_without_their_own_seats() -> None:
    """A look at their own appointment's place says what a change comes to; any other look counts their seats."""
    place = Place()
    booking = await place.book(4)

    async def is_free(**more: Any) -> Any:
        given = {"date": "2027-03-16T10:00:00", "party_size": 6, **more}
        return (await run("check_availability", place.ctx(), place.house, given)).data

    assert (await is_free(service=CLASS))["available"] is False
    own = await is_free(booking_id=booking.id)
    assert (own["available"], own["durationMinutes"]) == (True, 60)
    await place.book(1, "Bo")
    assert (await is_free(booking_id=booking.id))["available"] is False


@each("party, told", [(5, "for 5 people"), (1, "for 1 person")])
async def test_result_receipt_and_text_say_how_many_come_now(party: int, told: str) -> None:
    """Also where only one is left."""
    place = Place()
    booking = await place.book(3)
    given = {"booking_id": booking.id, "new_start_time": "2027-03-16T10:00:00", "party_size": party}
    result = await run("reschedule_appointment", place.ctx("five"), place.house, given)
    assert (result.data["partySize"], result.receipt["partySize"]) == (party, party)
    texts = [text["body"] for text in (await stored(place.store, OWN.id, "outbox")).values()]
    assert any(f"your appointment was changed: Styling class {told}, Tue" in text for text in texts)


@each(
    "language, kept, moved",
    [
        (
            "en",
            "change your Styling class appointment for Anna on Tuesday, March 16 at 10:00 AM to 5 people.",
            "then for",
        ),
        ("de", "„Styling class“ für Anna am Dienstag, 16. März um 10:00 Uhr auf 5 Personen ändern.", "für dann 5"),
        (
            "es",
            "su cita de Styling class para Anna del martes, 16 de marzo a las 10:00 a 5 personas.",
            "entonces para 5",
        ),
        (
            "fr",
            "modifier votre rendez-vous « Styling class » pour Anna du mardi 16 mars à 10h00 à 5 person",
            "alors pour",
        ),
    ],
)
async def test_the_caller_is_asked_about_the_new_number(language: str, kept: str, moved: str) -> None:
    """Where the time stays nothing is said to move; a yes that names another number is none."""
    place = Place(full_house(ai={"language": language}))
    booking = await place.book(3)
    definition = REGISTRY.tools["reschedule_appointment"].definition

    async def asked(start: Any, party: int) -> str:
        ctx = place.ctx()
        now, target = await place.house.appointments.movable(ctx, booking.id, start, party)
        given = {"booking_id": booking.id, "new_start_time": start, "party_size": party}
        return read_back(definition, {**given, **told_move(now, target)}, place.business, NOW)

    assert kept in await asked(TEN, 5)
    both = await asked(NOON, 5)
    assert moved in both and "12" in both
    deeds = [deed.value for deed in definition.deeds]
    yes = {"en": "yes please", "de": "ja bitte", "es": "sí por favor", "fr": "oui s'il vous plaît"}[language]
    assert answer_to(yes, language, await asked(TEN, 5), deeds) == "yes"


async def test_what_was_agreed_to_is_what_is_done() -> None:
    """Somebody else changes the number between the yes and the deed: it is asked anew."""
    place = Place()
    booking = await place.book(3)
    ctx = place.ctx("five")
    now, target = await place.house.appointments.movable(ctx, booking.id, TEN, 5)
    agreed = replace(ctx, agreed=told_move(now, target))
    await place.change(booking, 2)
    error = await failure(place.house.appointments.reschedule(agreed, booking.id, TEN, 5))
    assert "changed by somebody else" in error.message


async def test_of_rivals_for_the_last_seats_one_has_them() -> None:
    """Two who would each be four of six, in two processes: one is, and the other is as before."""
    place = Place()
    mine, theirs = await place.book(2), await place.book(2, "Bo")
    bo = place.ctx("bo", session="Bo", phone=None)
    done = await asyncio.gather(
        place.change(mine, 4, house=place.process()),
        place.process().appointments.reschedule(bo, theirs.id, TEN, 4),
        return_exceptions=True,
    )
    assert sorted(isinstance(one, Booking) for one in done) == [False, True]
    assert sorted(b.party for b in await all_bookings(place.store)) == [2, 4]
    assert await place.slots() == await place.held()


async def test_the_same_wish_in_two_processes_at_once_is_done_once() -> None:
    """Redelivered while it is under way, it hears of the one change."""
    place = Place()
    booking = await place.book(2)
    done = await asyncio.gather(*(place.change(booking, 4, house=place.process()) for _ in range(3)))
    assert [one.party for one in done] == [4, 4, 4] and sum(not one.repeated for one in done) == 1
    texts = (await stored(place.store, OWN.id, "outbox")).values()
    assert len([text for text in texts if "was changed" in text["body"]]) == 1
    assert await place.slots() == await place.held()


@each("before, after", [(2, 4), (4, 2)])
async def test_wherever_a_process_dies_the_calendar_says_how_many_come(before: int, after: int) -> None:
    """Killed before and after each commit and each call of the calendar; then the reaper, and the wish once more."""
    life, step = Life(), 0
    while step <= life.lived:
        place = Place(OUTSIDE)
        booking = await place.book(before)
        life = Life(step)
        with suppress(Dies, ToolError):
            await place.change(booking, after, house=place.process(life))
        place.clock.wait(21)
        await place.process().reap()
        assert await faults(place.store, place.calendar) == [], step
        assert [people(place)] == [f"People: {b.party}" for b in await all_bookings(place.store)], step
        assert (await place.change(booking, after)).party == after
        assert people(place) == f"People: {after}"
        assert await faults(place.store, place.calendar) == [], step
        step += 1
    assert step > 6


def people(place: Place) -> str:
    (entry,) = place.calendar.shown
    (line,) = (line for line in entry.description.splitlines() if line.startswith("People: "))
    return line


async def test_a_calendar_that_does_not_answer_is_told_the_number_later() -> None:
    """Nobody is told that it is done before; both numbers' seats are held until then."""
    place = Place(OUTSIDE)
    booking = await place.book(2)
    place.calendar.fail_before["reword"] = SILENT
    assert (await failure(place.change(booking, 4))).partial_side_effects
    assert (await failure(place.book(3, "Bo"))).type is ErrorType.CONFLICT
    place.calendar.recover()
    place.clock.wait(31)
    await place.house.reap()
    assert people(place) == "People: 4"
    assert await faults(place.store, place.calendar) == []


async def test_whoever_enters_something_in_that_moment_keeps_more_out_and_fewer_not() -> None:
    """More than came is as if booked then; the entry says again for how many it is. Fewer take up nothing new."""
    for party, expected in ((5, 3), (2, 2)):
        place = Place(OUTSIDE)
        booking = await place.book(3)

        async def person(place: Place = place) -> None:
            place.calendar.put(event(OUTSIDE, "2027-03-16", "10:15", "10:20"))

        place.calendar.meanwhile["reword"] = person
        with suppress(ToolError):
            await place.change(booking, party)
        (left,) = await all_bookings(place.store)
        (entry,) = (entry for entry in place.calendar.shown if entry.booking_id)
        assert (left.party, f"People: {expected}" in entry.description) == (expected, True)
        assert await faults(place.store, place.calendar) == []
