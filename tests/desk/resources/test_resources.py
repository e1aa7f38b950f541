"""People, rooms, chairs and seats: what is free is exact, and what is booked is taken from nobody."""

import asyncio
import random
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from switchboard.contract.error import ErrorType, ToolError
from switchboard.desk.bookings.booking import Booking
from switchboard.desk.bookings.duration import visit_for
from switchboard.desk.bookings.hours import day_bounds
from switchboard.desk.bookings.request import BookingRequest, assigned, draft_of
from switchboard.desk.calendars.outside_entries import OutsideTime
from switchboard.desk.resources.occupancy import Occupancy
from switchboard.desk.services import open_desk
from switchboard.state.memory.store import MemoryStore
from tests.cpu_time import taking_less_than
from tests.desk.calendar_house import all_bookings
from tests.desk.front_desk import NOW, SALON, StoppedClock, WatchedStore, at, call, salon, stored
from tests.desk.house_of_resources import PEOPLE, SERVICES, Ask, Tried, day_of, full_house
from tests.each import each

DAY = "2027-03-16"
TEN = f"{DAY}T10:00"


class Front:
    """Books as callers would, each from a conversation of their own."""

    def __init__(self, business=None, store=None, **wishes: Any) -> None:
        self.business = business or full_house()
        self.store = store or MemoryStore()
        self.desk = open_desk(self.store, StoppedClock())
        self.count = 0

    def call(self, session: str | None = None, **more: Any):
        self.count += 1
        name = session or f"s{self.count}"
        return call(self.business, f"wish {self.count}", session=name, phone=f"+1518555{self.count:04}", **more)

    async def book(self, service="Haircut", start=TEN, name="", session=None, **wish: Any) -> Booking:
        ctx = self.call(session)
        wanted = BookingRequest(
            service=service, start=at(self.business, start), customer_name=name or f"Caller {self.count}", **wish
        )
        return await self.desk.bookings.book(ctx, wanted)

    async def refused(self, *args: Any, **wish: Any) -> ToolError:
        with pytest.raises(ToolError) as error:
            await self.book(*args, **wish)
        return error.value

    async def slots(self) -> dict[str, Any]:
        return await stored(self.store, self.business.id, "slots")

    async def held(self) -> set[str]:
        return {slot for b in await all_bookings(self.store) for slot in b.held}


async def test_three_who_cut_hair_are_booked_at_the_same_time_and_the_fourth_is_told_others():
    """Each with somebody else; the alternatives are free."""
    front = Front()
    people = [(await front.book()).taken.person for _ in range(3)]
    assert sorted(people) == ["Dana", "Marcus", "Rosa Lindqvist"]
    no = await front.refused()
    assert (no.type, no.meta["reason"]) == (ErrorType.CONFLICT, "taken")
    again = datetime.fromisoformat(no.meta["alternatives"][0]["start"])
    assert (await front.book(start=f"{again:%Y-%m-%dT%H:%M}")).stands


async def test_whoever_asks_for_one_gets_that_one_or_a_no():
    """By the whole name, or a part of it that is theirs alone."""
    front = Front()
    assert (await front.book(with_person="rosa")).taken.person == "Rosa Lindqvist"
    no = await front.refused(with_person="Rosa Lindqvist")
    assert (no.type, no.meta["reason"]) == (ErrorType.CONFLICT, "taken")
    assert (await front.book(with_person="anyone")).taken.person in ("Marcus", "Dana")


@each(
    "wish",
    [
        ({"with_person": "Sven"}, "nobody called 'Sven'"),
        ({"service": "Razor line-up", "with_person": "Rosa"}, "Marcus can"),
        ({"party_size": 2}, "one person at a time"),
        ({"service": "Styling class", "party_size": 7}, "at most 6 people"),
        ({"service": "Bridal party", "party_size": 10_000}, "at most 3 people"),
    ],
)
async def test_what_can_never_be_is_refused_in_words_that_say_what_can(wish):
    """Nothing is booked for it."""
    front = Front()
    fields, words = wish
    no = await front.refused(**fields)
    assert (no.type, words in no.message) == (ErrorType.VALIDATION, True), no.message
    assert await front.slots() == {}


async def test_a_business_without_people_has_nobody_to_choose_from():
    """As before: one chair, whose slots bear the same names."""
    front = Front(salon())
    no = await front.refused(with_person="Rosa")
    assert "Leave with_person out" in no.message
    booking = await front.book()
    assert set(await front.slots()) == booking.held
    assert all(slot.startswith("main_") for slot in booking.held)
    assert "resources" not in (await stored(front.store, front.business.id, "bookings"))[booking.id]


async def test_two_of_one_name_are_asked_about():
    """Both are named."""
    people = [*PEOPLE, {"id": "rosa-b", "name": "Rosa Berg", "kind": "person"}]
    no = await Front(full_house(resources=people)).refused(with_person="Rosa")
    assert "Rosa Lindqvist, Rosa Berg" in no.message


async def test_a_treatment_needs_somebody_and_the_room_and_a_haircut_needs_no_room():
    """With one room there is one treatment at a time, and two more haircuts beside it."""
    front = Front()
    first = await front.book("Treatment")
    assert [taken.kind for taken in first.taken.resources] == ["person", "room"]
    assert (await front.refused("Treatment")).meta["reason"] == "taken"
    assert (await front.book()).stands
    assert (await front.book()).stands
    assert (await front.refused()).meta["reason"] == "taken"


async def test_a_class_of_six_takes_six_and_a_party_of_three_takes_three():
    """Whoever comes later gets what is left of it."""
    front = Front()
    party = await front.book("Styling class", party_size=3)
    assert (party.party, party.taken.resources[0].units) == (3, 3)
    assert (await front.refused("Styling class", party_size=4)).meta["reason"] == "taken"
    assert (await front.book("Styling class", party_size=2)).stands
    assert (await front.book("Styling class")).stands
    assert (await front.refused("Styling class")).meta["reason"] == "taken"
    assert len(await front.slots()) == len(await front.held())


async def test_three_who_come_together_are_with_three_at_the_same_time():
    """And nobody else is booked in between."""
    front = Front()
    party = await front.book("Bridal party", party_size=3)
    assert sorted(taken.id for taken in party.taken.resources) == ["dana", "marcus", "rosa"]
    assert party.taken.person == ""
    assert (await front.refused()).meta["reason"] == "taken"


async def test_the_least_busy_of_those_who_can_is_chosen():
    """By the minutes of that day."""
    front = Front()
    await front.book("Color", f"{DAY}T09:00", with_person="Rosa")
    await front.book("Haircut", f"{DAY}T11:00", with_person="Marcus")
    assert (await front.book("Haircut", f"{DAY}T15:00")).taken.person == "Dana"


async def test_somebody_who_can_only_do_this_is_left_for_it():
    """The only one who does line-ups cuts no hair for a party that others can serve; the matching is complete."""
    services = [*SERVICES, {"name": "Both", "durationMinutes": 30, "needs": [{"kind": "person"}, {"kind": "person"}]}]
    both = {**services[-1], "needs": [{"kind": "person"}, {"kind": "person", "any": ["rosa"]}]}
    front = Front(full_house(services=[*SERVICES, both], resources=PEOPLE[:2]))
    booking = await front.book("Both")
    assert [taken.id for taken in booking.taken.resources] == ["marcus", "rosa"]


async def test_whoever_is_absent_is_not_booked_and_it_is_said_that_nobody_is_there():
    """A day off, own hours, and an afternoon; two absences that overlap are one time away."""
    away = [{"start": DAY, "end": DAY}, {"start": f"{DAY}T08:00", "end": f"{DAY}T12:00"}]
    hours = {"tuesday": [{"open": "14:00", "close": "18:00"}]}
    people = [{**PEOPLE[0], "absences": away}, {**PEOPLE[1], "hours": hours}]
    front = Front(full_house(resources=people))
    assert (await front.refused()).meta["reason"] == "away"
    assert (await front.refused(with_person="Rosa", start=f"{DAY}T15:00")).meta["reason"] == "away"
    assert (await front.book(start=f"{DAY}T14:00")).taken.person == "Marcus"
    assert (await front.refused(start=f"{DAY}T17:45")).meta["reason"] == "closed"


@each(
    "resources",
    [
        [{"id": "rosa", "name": "Rosa", "hours": {}}],
        [{"id": "rosa", "name": "Rosa", "services": []}],
        [{"id": "east", "name": "East", "kind": "room"}],
    ],
)
async def test_where_nobody_does_it_or_is_ever_there_nothing_is_booked(resources):
    """A person without hours, a service that nobody does, a house without people."""
    front = Front(full_house(resources=resources))
    no = await front.refused()
    assert no.type in (ErrorType.CONFLICT, ErrorType.VALIDATION)
    assert await front.slots() == {}


@each(
    "broken",
    [
        {"id": "x", "name": "X", "capacity": 0},
        {"id": "x", "name": "X", "capacity": 10_000},
        {"id": "main", "name": "X"},
        {"id": "X y", "name": "X"},
        {"id": "x", "name": " "},
        {"id": "x", "name": "X", "kind": "Person!"},
        "Rosa",
    ],
)
def test_what_cannot_be_used_is_left_out_and_named(broken):
    """The others work on."""
    business = full_house(resources=[*PEOPLE, broken])
    assert [resource.id for resource in business.resources] == ["rosa", "marcus", "dana"]
    assert len(business.problems) == 1


@each("absence", [{"start": DAY}, {"start": DAY, "end": "2027-03-15"}, {"start": "soon"}, {"end": DAY}, "away"])
def test_an_absence_that_makes_no_sense_is_named(absence):
    """One day alone is a day off; the rest are problems."""
    business = full_house(resources=[{**PEOPLE[0], "absences": [absence]}])
    assert len(business.resources[0].absences) + len(business.problems) == 1


async def test_moving_stays_with_whom_it_was_if_that_can_be_and_says_so_if_not():
    """What it holds itself is not in its way; all its slots go with it."""
    front = Front()
    mine = await front.book(with_person="Rosa", name="Anna")
    own = call(front.business, "move", session="s1", phone="+15185550001")
    moved = await front.desk.appointments.reschedule(own, mine.id, at(front.business, f"{DAY}T10:15"))
    assert moved.taken.person == "Rosa Lindqvist"
    other = await front.book(start=f"{DAY}T12:00", with_person="Rosa")
    own = call(front.business, "again", session="s1", phone="+15185550001")
    _, target = await front.desk.appointments.movable(own, mine.id, other.start)
    assert target.taken.person in ("Marcus", "Dana")
    again = await front.desk.appointments.reschedule(own, mine.id, other.start)
    assert again.taken.person == target.taken.person
    assert set(await front.slots()) == await front.held()
    cancelled = await front.desk.appointments.cancel(
        call(front.business, "c", session="s1", phone="+15185550001"), mine.id
    )
    assert cancelled.status == "cancelled"
    assert set(await front.slots()) == other.held


async def test_what_was_booked_before_there_were_people_keeps_everybody_busy():
    """Nobody knows yet whose it is; and with no people any more, each booking keeps the one chair."""
    store = MemoryStore()
    await Front(salon(), store).book()
    front = Front(store=store)
    front.count = 100
    assert (await front.refused()).meta["reason"] == "taken"
    assert (await front.book(start=f"{DAY}T10:30")).taken.person
    alone = Front(salon(), store)
    alone.count = 200
    assert (await alone.refused(start=f"{DAY}T10:30")).meta["reason"] == "taken"


@pytest.mark.parametrize("desks", [1, 4], ids=["one desk", "four desks"])
@pytest.mark.parametrize(("service", "wanted"), [("Haircut", 3), ("Styling class", 6), ("Treatment", 1)])
async def test_of_a_hundred_callers_as_many_are_booked_as_there_is_room(watched, desks, service, wanted):
    """Each of the others hears of other times, and no slot belongs to nobody."""
    business = full_house()
    own = [open_desk(watched, StoppedClock()) for _ in range(desks)]

    async def one(n: int) -> str:
        ctx = call(business, session=f"s{n}", phone=f"+1518555{n:04}")
        wish = BookingRequest(service=service, start=at(business, TEN), customer_name=f"Caller {n}")
        try:
            await own[n % desks].bookings.book(ctx, wish)
        except ToolError as error:
            assert len(error.meta["alternatives"]) == 3
            return error.type.value
        return "booked"

    with taking_less_than(8):
        answers = Counter(await asyncio.gather(*(one(n) for n in range(100))))
    assert answers == {"booked": wanted, "CONFLICT": 100 - wanted}
    bookings = await all_bookings(watched)
    assert set(await stored(watched, business.id, "slots")) == {slot for b in bookings for slot in b.held}


@pytest.mark.parametrize("desks", [1, 3], ids=["one desk", "three desks"])
async def test_the_same_wish_in_other_words_at_the_same_moment_is_booked_once(watched, desks):
    """Though there would be a chair for each: the caller, the time and the name are the same.

    Whoever asked for other notes is told that they are not what stands there.
    """
    business = full_house()
    own = [open_desk(watched, StoppedClock()) for _ in range(desks)]

    async def one(n: int) -> Booking:
        ctx = call(business, f"wish {n}", session="s1", phone="+15185550001")
        wish = BookingRequest(service="Haircut", start=at(business, TEN), customer_name="Anna", notes=f"note {n}")
        return await own[n % desks].bookings.book(ctx, wish)

    answers = await asyncio.gather(*(one(n) for n in range(6)), return_exceptions=True)
    (booking,) = [answer for answer in answers if isinstance(answer, Booking)]
    assert not booking.repeated
    refusals = [answer for answer in answers if isinstance(answer, ToolError)]
    assert [refusal.type for refusal in refusals] == [ErrorType.CONFLICT] * 5
    assert all(booking.id in refusal.message and "update_appointment" in refusal.message for refusal in refusals)


def _document(chance: random.Random) -> dict[str, Any]:
    """Return a salon that chance has furnished."""
    names = ["Haircut", "Color", "Treatment", "Class", "Pair"]
    people = []
    for n in range(chance.randint(1, 4)):
        person: dict[str, Any] = {"id": f"p{n}", "name": f"P{n}", "kind": "person"}
        if chance.random() < 0.4:
            person["services"] = chance.sample(names, chance.randint(1, 5))
        if chance.random() < 0.3:
            person["hours"] = {"tuesday": [{"open": f"{chance.randint(9, 12):02}:00", "close": "17:00"}]}
        if chance.random() < 0.3:
            person["absences"] = [{"start": f"{DAY}T{chance.randint(9, 13):02}:00", "end": f"{DAY}T14:30"}]
        if chance.random() < 0.2:
            person["capacity"] = 2
        people.append(person)
    rooms = [
        {"id": f"r{n}", "name": f"R{n}", "kind": "room", "seats": chance.choice([0, 0, 1, 3])}
        for n in range(chance.randint(1, 2))
    ]
    classes = [
        {"id": f"c{n}", "name": f"C{n}", "kind": "seats", "capacity": chance.randint(1, 5)}
        for n in range(chance.randint(1, 2))
    ]
    some = [person["id"] for person in people[: chance.randint(1, len(people))]]
    services = [
        {"name": "Haircut", "durationMinutes": 30},
        {"name": "Color", "durationMinutes": 60, "bufferAfterMinutes": 10, "needs": [{"kind": "person", "any": some}]},
        {"name": "Treatment", "durationMinutes": 45, "needs": [{"kind": "person"}, {"kind": "room"}]},
        {"name": "Class", "durationMinutes": 60, "needs": [{"kind": "seats"}, {"kind": "person", "any": some}]},
        {
            "name": "Pair",
            "durationMinutes": 30,
            "bufferBeforeMinutes": 5,
            "needs": [{"kind": "person", "perPerson": True}],
        },
    ]
    return {**SALON, "resources": [*people, *rooms, *classes], "services": services}


def _asks(document: dict[str, Any], chance: random.Random) -> list[Ask]:
    people = ["", *(r["id"] for r in document["resources"] if r["kind"] == "person")]
    names = [service["name"] for service in document["services"]]
    return [Ask(chance.choice(names), chance.choice(people), chance.choice([1, 1, 1, 2, 3])) for _ in range(12)]


@pytest.mark.parametrize("seed", range(200))
async def test_what_is_free_is_what_trying_everything_finds(seed):
    """Two hundred salons that chance has furnished and booked: no start more, none less, and each can be booked."""
    chance = random.Random(seed)
    document = _document(chance)
    business = salon(**{key: document[key] for key in ("resources", "services")})
    assert business.problems == ()
    time = day_bounds(business.timezone, day_of(DAY), day_of(DAY))
    ctx = call(business)
    bookings: list[Booking] = []
    first = at(business, f"{DAY}T09:00").astimezone(UTC)
    for n, ask in enumerate(_asks(document, chance)):
        try:
            person = next((r.name for r in business.people if r.id == ask.person), None)
            visit = visit_for(business, ask.service, None, person, ask.party)
        except ToolError:
            # What can never be: nothing that was tried may say otherwise.
            tried = Tried(document, bookings, business.timezone)
            is_for_one = ask.party > 1 and not tried.is_for_parties(ask.service)
            assert is_for_one or not any(tried.is_free(ask, first + timedelta(minutes=15 * k)) for k in range(32))
            continue
        tried, occupancy = (
            Tried(document, bookings, business.timezone),
            Occupancy(business, time, bookings, OutsideTime()),
        )
        starts = [first + timedelta(minutes=5 * k) for k in range(0, 90, 3)]
        expected = [start for start in starts if tried.is_free(ask, start)]
        steps = {int(start.timestamp()) // 300: start for start in starts}
        assert [steps[step] for step in occupancy.starts(visit, steps)] == expected, (seed, n, ask)
        for start in starts:
            taken = occupancy.assignment(visit, start)
            assert (taken is not None) is (start in expected)
        if expected:
            start = chance.choice(expected)
            taken = occupancy.assignment(visit, start)
            assert taken is not None
            wish = BookingRequest(service=ask.service, start=start, customer_name=f"C{n}", party_size=ask.party)
            made = assigned(ctx, draft_of(ctx, wish, visit), taken, NOW)
            # Nobody else has any of its slots.
            others = {slot for b in bookings for slot in b.taken.slots if not slot.startswith("wish-")}
            assert others.isdisjoint(made.slots)
            bookings.append(made)


async def test_a_day_of_forty_people_costs_little():
    """One query and one look at who is there, whoever else asks, and a few milliseconds of work."""
    people = [{"id": f"p{n}", "name": f"P{n}", "kind": "person"} for n in range(40)]
    watched = WatchedStore(MemoryStore())
    front = Front(full_house(resources=people), watched)
    for n in range(0, 40, 2):
        for hour in range(9, 17, 1 + n % 5):
            await front.book(start=f"{DAY}T{hour:02}:{15 * (n % 3):02}", with_person=f"P{n}")
    visit = visit_for(front.business, "Haircut", None)
    watched.asked.clear()
    with taking_less_than(0.3):
        answer = await front.desk.availability.on(front.call(), visit, day_of(DAY))
    assert answer.is_available
    assert watched.asked == {"query": 1, "get": 1}


async def test_an_absence_that_is_entered_over_a_booking_loses_nothing():
    """It stands as it was; only new ones are not made."""
    front = Front()
    mine = await front.book(with_person="Rosa", name="Anna")
    away = [{**PEOPLE[0], "absences": [{"start": DAY}]}, *PEOPLE[1:]]
    later = Front(full_house(resources=away), front.store)
    later.count = 50
    assert (await later.refused(with_person="Rosa", start=f"{DAY}T14:00")).meta["reason"] == "away"
    (still,) = await all_bookings(front.store)
    assert (still.id, still.status, still.taken.person) == (mine.id, "confirmed", "Rosa Lindqvist")


async def test_a_person_who_was_deleted_keeps_nothing_from_others_but_the_room():
    """Of a treatment with somebody who is not there any more, the room is still taken."""
    front = Front()
    await front.book("Treatment", with_person="Rosa")
    later = Front(full_house(resources=[*PEOPLE[1:], {"id": "east", "name": "East", "kind": "room"}]), front.store)
    later.count = 50
    assert (await later.refused("Treatment")).meta["reason"] == "taken"
    assert (await later.book()).taken.person in ("Marcus", "Dana")
