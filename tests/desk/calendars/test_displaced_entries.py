"""Entries of ours in outside calendars that do not stand where their appointment does: somebody has put them there."""

from dataclasses import replace
from datetime import timedelta

import pytest

from switchboard.contract.business.business import Business
from switchboard.contract.business.calendar import CalendarEntry
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.store import Delete, Set, Update
from switchboard.desk.bookings.booking import CANCELLED, Booking
from switchboard.desk.bookings.duration import visit_for
from switchboard.state.memory.store import MemoryStore
from switchboard.state.paths import FirestorePaths
from tests.desk.calendar_house import GOOGLE, NOON, TEN, CalendarHouse, all_bookings, faults
from tests.desk.front_desk import SALON as SALON_DOCUMENT
from tests.desk.front_desk import StoppedClock, salon
from tests.desk.house_of_resources import CLASS, PEOPLE, SERVICES
from tests.desk.memory_calendar import MemoryCalendar, event
from tests.each import each

ROSA, MARCUS, _ = PEOPLE
DAY = timedelta(days=1)
pytestmark = pytest.mark.requirement("004-536")


def own(person, *ids):
    """Return somebody with calendars of their own."""
    return {**person, "calendars": [{"integration": "googleCalendar", "calendarId": id} for id in ids]}


PAIR = {"name": "Pair", "durationMinutes": 30, "needs": [{"kind": "person", "count": 2}]}
ALL_SERVICES = [*SERVICES, PAIR]
HOUSE: Business = salon(resources=[ROSA, MARCUS, CLASS], services=ALL_SERVICES, integrations=GOOGLE)
PEOPLES_OWN_FIELDS = {
    **SALON_DOCUMENT,
    "resources": [own(ROSA, "rosa", "private"), own(MARCUS, "marcus"), CLASS],
    "services": ALL_SERVICES,
    "integrations": {**GOOGLE, "calendar": "builtinCalendar"},
}
PEOPLES_OWN: Business = salon(**PEOPLES_OWN_FIELDS)


class Place(CalendarHouse):
    """A house in whose calendars people drag things about."""

    def __init__(self, business: Business) -> None:
        self.own = {name: MemoryCalendar() for name in ("rosa", "private", "marcus")}
        self.house, self.store = MemoryCalendar(), MemoryStore()
        super().__init__(self.store, self.house, StoppedClock(), **self.own)
        self.business, self.count = business, 0

    def ask(self):
        """Return the context of a call of somebody else's."""
        self.count += 1
        name = f"s{self.count}"
        return self.call(name, session=name, phone=f"+1518555{self.count:04}", business=self.business)

    async def booked(self, start=TEN, **wish) -> Booking:
        """Book a haircut."""
        return await self.book(self.ask(), start=start, customer_name=f"Caller {self.count}", **wish)

    async def is_free(self, start, person="", service="Haircut") -> bool:
        """Ask as `check_availability` does, some time later."""
        self.clock.wait(2)
        visit = visit_for(self.business, service, None, person or None)
        return (await self.availability.at(self.ask(), visit, start)).is_available

    async def refused(self, start, **wish) -> ToolError:
        """Try to book, in vain."""
        self.clock.wait(2)
        with pytest.raises(ToolError) as no:
            await self.booked(start, **wish)
        return no.value

    def drag(self, calendar: MemoryCalendar, start, copy_id: str = "", to: MemoryCalendar | None = None) -> None:
        """Put the only entry of a calendar elsewhere, or a copy of it."""
        (entry,) = calendar.shown[:1]
        (to or calendar).put(replace(entry, id=copy_id or entry.id, start=start, end=start + timedelta(minutes=30)))


both = each("business", [HOUSE, PEOPLES_OWN])
"""With one calendar for all, or with one of each."""


def calendar_of(place: Place) -> MemoryCalendar:
    """Return the calendar in which Rosa's appointments are entered."""
    return place.house if place.business is HOUSE else place.own["rosa"]


@both
@each("copy_id", ["", "copied00"])
async def test_where_an_appointment_was_put_by_hand_whoever_has_it_is_busy_and_nobody_else(business, copy_id):
    """Moved, or copied to another time; its own time stays held, for it was not moved with us."""
    place = Place(business)
    await place.booked(with_person="Rosa")
    place.drag(calendar_of(place), NOON, copy_id)
    assert not await place.is_free(NOON, "Rosa") and not await place.is_free(TEN, "Rosa")
    assert await place.is_free(NOON, "Marcus") and await place.is_free(TEN, "Marcus")
    assert await place.is_free(NOON + timedelta(minutes=30), "Rosa")
    no = await place.refused(NOON, with_person="Rosa")
    assert (no.type, no.meta["reason"]) == (ErrorType.CONFLICT, "taken")
    assert (await place.booked(NOON)).taken.person == "Marcus"


@both
async def test_an_appointment_that_was_put_on_another_day_takes_that_day_from_nobody_else(business):
    """It is looked up: on that day there is no booking of it."""
    place = Place(business)
    await place.booked(with_person="Rosa")
    place.drag(calendar_of(place), TEN + 7 * DAY)
    assert not await place.is_free(TEN + 7 * DAY, "Rosa")
    assert await place.is_free(TEN + 7 * DAY, "Marcus")


@both
async def test_where_its_entry_was_put_by_hand_an_appointment_can_be_moved(business):
    """It is not in its own way."""
    place = Place(business)
    booking = await place.booked(with_person="Rosa")
    place.drag(calendar_of(place), NOON)
    place.clock.wait(2)
    mine = place.call("move", session="s1", phone="+15185550001", business=place.business)
    moved = await place.appointments.reschedule(mine, booking.id, NOON)
    assert (moved.start, moved.taken.person) == (NOON, booking.taken.person)
    assert await place.is_free(TEN, "Rosa")
    assert await faults(place.store, calendar_of(place)) == []


@both
@each("is_deleted", [True, False])
async def test_what_is_left_of_an_appointment_that_is_gone_still_takes_its_time(business, is_deleted):
    """Of whoever had it, where that is known; else it is like anybody's: in the calendar of the house, everybody's."""
    place = Place(business)
    booking = await place.booked(with_person="Rosa")
    path = FirestorePaths().within(place.business.id).document("bookings", booking.id)
    gone = Delete(path) if is_deleted else Update(path, {"status": CANCELLED})
    await place.store.commit([gone])
    place.busy.forget(place.call().paths)
    assert not await place.is_free(TEN, "Rosa")
    assert await place.is_free(TEN, "Marcus") == (place.business is PEOPLES_OWN or not is_deleted)


@both
async def test_an_appointment_of_another_business_in_the_same_calendar_is_like_anybodys_entry(business):
    """Its booking is not among ours."""
    place = Place(business)
    day = f"{TEN:%Y-%m-%d}"
    calendar_of(place).put(event(place.business, day, "10:00", "10:30", booking_id="bk_of_the_shop_next_door"))
    assert not await place.is_free(TEN, "Rosa")


async def test_a_copy_in_somebody_elses_calendar_keeps_them_busy_too():
    """Also at the same time: there it is no entry of ours."""
    place = Place(PEOPLES_OWN)
    await place.booked(with_person="Rosa")
    place.drag(place.own["rosa"], TEN, "copied00", place.own["marcus"])
    assert not await place.is_free(TEN, "Marcus")


async def test_a_calendar_of_two_keeps_only_that_one_busy_whose_appointment_it_is():
    """Also where it was put by hand; what people enter keeps both busy."""
    people = [own(ROSA, "rosa"), own(MARCUS, "rosa")]
    place = Place(salon(resources=people, services=ALL_SERVICES, integrations=GOOGLE))
    await place.booked(with_person="Rosa")
    assert await place.is_free(TEN, "Marcus")
    place.drag(place.own["rosa"], NOON)
    assert await place.is_free(NOON, "Marcus") and not await place.is_free(NOON, "Rosa")
    place.own["rosa"].put(event(place.business, f"{TEN:%Y-%m-%d}", "14:00", "14:30"))
    assert not await place.is_free(TEN + timedelta(hours=4), "Marcus")


async def test_an_appointment_whose_persons_calendar_became_anothers_is_still_known():
    """Its entry stays where it was entered; who has that calendar by now is not kept busy by it."""
    place = Place(PEOPLES_OWN)
    await place.booked(with_person="Rosa")
    people = [ROSA, own(MARCUS, "rosa")]
    place.business = salon(resources=people, services=ALL_SERVICES, integrations=GOOGLE)
    assert await place.is_free(TEN, "Marcus") and not await place.is_free(TEN, "Rosa")


async def test_of_a_class_one_who_was_put_elsewhere_takes_one_place_there():
    """The others still have theirs."""
    place = Place(HOUSE)
    await place.booked(service="Styling class", party_size=4)
    place.drag(place.house, NOON)
    place.clock.wait(2)
    with pytest.raises(ToolError) as no:
        await place.booked(NOON, service="Styling class", party_size=3)
    assert no.value.type is ErrorType.CONFLICT
    assert (await place.booked(NOON, service="Styling class", party_size=2)).stands


async def test_an_entry_that_was_made_while_both_were_read_is_no_stranger():
    """The bookings were read before, the calendar after: its booking is looked up."""
    place = Place(HOUSE)
    other = Place(HOUSE)
    other.busy._store, other.busy.calendars = place.store, place.busy.calendars

    async def rival() -> None:
        await place.booked(with_person="Rosa")

    place.house.meanwhile["entries"] = rival
    assert await other.is_free(TEN, "Marcus")


def persons(start, minutes=30, **more) -> CalendarEntry:
    """Return what somebody enters in that moment."""
    return CalendarEntry(id="private0", start=start, end=start + timedelta(minutes=minutes), title="private", **more)


@pytest.mark.requirement("004-537")
@each("calendar", ["rosa", "private", "marcus"])
async def test_somebody_who_is_faster_in_any_calendar_of_those_it_takes_goes_first(calendar):
    """Two people, one of them with two calendars: only one has the entry, and all are looked at. Nothing is left."""
    place = Place(PEOPLES_OWN)

    async def faster() -> None:
        place.own[calendar].put(persons(TEN))

    place.own["rosa"].meanwhile["insert"] = faster
    no = await place.refused(TEN, service="Pair")
    assert (no.type, no.partial_side_effects, bool(no.meta["alternatives"])) == (ErrorType.CONFLICT, False, True)
    assert [b.status for b in await all_bookings(place.store)] == [CANCELLED]
    assert [[e.title for e in own.shown] for own in place.own.values()].count(["private"]) == 1
    assert not [e for own in place.own.values() for e in own.shown if e.booking_id]
    assert await faults(place.store, place.own["rosa"]) == []


@pytest.mark.requirement("004-537")
@each("calendar", ["house", "private"])
async def test_somebody_who_is_faster_keeps_a_move_where_it_was(calendar):
    """The calendar of the house is everybody's."""
    business = replace(PEOPLES_OWN, chosen_calendar="googleCalendar") if calendar == "house" else PEOPLES_OWN
    place = Place(business)
    booking = await place.booked(with_person="Rosa")
    place.clock.wait(2)

    async def faster() -> None:
        (place.house if calendar == "house" else place.own["private"]).put(persons(NOON))

    place.own["rosa"].meanwhile["move"] = faster
    mine = place.call("move", session="s1", phone="+15185550001", business=place.business)
    with pytest.raises(ToolError) as no:
        await place.appointments.reschedule(mine, booking.id, NOON)
    assert no.value.type is ErrorType.CONFLICT
    assert (await all_bookings(place.store))[0].start == TEN
    assert await faults(place.store, place.own["rosa"]) == []


async def test_who_is_not_asked_for_may_enter_what_they_like():
    """Only the calendars of those whom it takes are looked at."""
    place = Place(PEOPLES_OWN)

    async def meanwhile() -> None:
        place.own["marcus"].put(persons(TEN))

    place.own["rosa"].meanwhile["insert"] = meanwhile
    assert (await place.booked(with_person="Rosa")).stands


async def test_an_entry_of_ours_that_is_put_there_in_that_moment_goes_first_too():
    """Another appointment of hers was dragged to this time; one that is booked beside it keeps nobody out."""
    place = Place(HOUSE)
    await place.booked(NOON, with_person="Rosa")
    await place.booked(with_person="Marcus")
    noon = next(e for e in place.house.shown if e.start == NOON)

    async def faster() -> None:
        place.house.put(replace(noon, start=TEN, end=TEN + timedelta(minutes=30)))

    place.house.meanwhile["insert"] = faster
    no = await place.refused(TEN, with_person="Rosa")
    assert (no.type, no.meta["reason"]) == (ErrorType.CONFLICT, "taken")


@pytest.mark.requirement("004-537")
async def test_a_second_calendar_whose_consent_is_withdrawn_in_that_moment_leaves_nothing_behind():
    """Time that cannot be seen is not free; whoever else is free can be booked at once."""
    place = Place(PEOPLES_OWN)

    async def withdrawn() -> None:
        place.own["private"].fail_before["entries"] = ToolError(ErrorType.AUTH, "connect it again")

    place.own["rosa"].meanwhile["insert"] = withdrawn
    assert (await place.refused(TEN, with_person="Rosa")).type is ErrorType.CONFLICT
    assert not place.own["rosa"].shown
    assert (await place.booked(TEN)).taken.person == "Marcus"


@pytest.mark.requirement("004-537")
async def test_a_second_calendar_that_does_not_answer_leaves_it_to_be_finished_later():
    """Nobody is told that it is booked, and nobody that it is not."""
    place = Place(PEOPLES_OWN)

    async def silent() -> None:
        place.own["private"].fail_before["entries"] = ToolError(ErrorType.TRANSIENT, "no answer")

    place.own["rosa"].meanwhile["insert"] = silent
    no = await place.refused(TEN, with_person="Rosa")
    assert (no.type, no.partial_side_effects) == (ErrorType.TRANSIENT, True)
    place.own["private"].recover()
    await place.store.commit([Set(FirestorePaths().within(place.business.id).business, PEOPLES_OWN_FIELDS)])
    place.clock.wait(60)
    assert await place.reap() == 1
    assert await faults(place.store, place.own["rosa"]) == []
    assert [e.booking_id for e in place.own["rosa"].shown] == [b.id for b in await all_bookings(place.store)]
