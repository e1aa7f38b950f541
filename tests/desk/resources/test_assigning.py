"""Giving an appointment to somebody else: in one commit, once, and in the calendar that it stands in."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from switchboard.contract.business.business import Business
from switchboard.contract.error import ErrorType, ToolError
from switchboard.desk.bookings.booking import Booking
from switchboard.desk.resources.assigning import Assigning
from switchboard.desk.resources.placement import Placement
from switchboard.desk.services import open_desk
from switchboard.state.memory.store import MemoryStore
from tests.desk.calendar_house import AT_REST, GOOGLE, CalendarHouse, Dies, Life, all_bookings, faults
from tests.desk.front_desk import StoppedClock, call, salon, stored
from tests.desk.house_of_resources import PEOPLE, SERVICES
from tests.desk.memory_calendar import MemoryCalendar
from tests.each import each

AWAY = [{"start": "2027-03-15", "end": "2027-03-20"}]
ROSA, MARCUS, DANA = PEOPLE


def house_of(*people: dict[str, Any], **changes: Any) -> Business:
    return salon(**{"resources": list(people), "services": SERVICES[:1], "integrations": GOOGLE, **changes})


class Opened:
    """A salon with a calendar of its own, in which an appointment with Rosa stands; she is away by now."""

    def __init__(self, **marcus: Any) -> None:
        self.store, self.clock = MemoryStore(), StoppedClock()
        self.calendar, self.marcus = MemoryCalendar(), MemoryCalendar()
        self.then = house_of(ROSA)
        self.now = house_of({**ROSA, "absences": AWAY}, {**MARCUS, **marcus})

    def process(self, life: Life | None = None) -> CalendarHouse:
        return CalendarHouse(self.store, self.calendar, self.clock, life, marcus=self.marcus)

    async def booked(self) -> Booking:
        house = self.process()
        return await house.book(house.call(business=self.then))

    async def assign(self, id: str, life: Life | None = None, to: str = "") -> Booking:
        house = self.process(life)
        return await Assigning(house.bookings._store, house.busy, house.saga).assign(call(self.now), id, to)


@pytest.mark.requirement("004-532")
async def test_an_entry_stays_where_it_is_and_the_appointment_is_another_persons():
    """The slots of the one are freed in the commit that claims those of the other."""
    opened = Opened()
    booking = await opened.booked()
    assert booking.taken.person == ROSA["name"]
    changed = await opened.assign(booking.id)
    assert (changed.taken.person, changed.id, changed.start) == ("Marcus", booking.id, booking.start)
    assert await faults(opened.store, opened.calendar) == []
    slots = await stored(opened.store, opened.now.id, "slots")
    assert not [id for id in slots if id.startswith("rosa_")] and [id for id in slots if id.startswith("marcus_")]
    assert (await opened.assign(booking.id)).repeated


@pytest.mark.requirement("004-532")
async def test_what_stands_in_another_calendar_is_not_given_away():
    """The entry would be in the wrong one: that is said, and nothing is changed."""
    opened = Opened(calendars=[{"integration": "googleCalendar", "calendarId": "marcus"}])
    booking = await opened.booked()
    with pytest.raises(ToolError) as error:
        await opened.assign(booking.id)
    assert (error.value.type, "a calendar that is not Marcus's" in error.value.message) == (ErrorType.CONFLICT, True)
    assert (await all_bookings(opened.store))[0].taken == booking.taken
    assert await faults(opened.store, opened.calendar) == []


@pytest.mark.requirement("004-532")
async def test_whoever_cannot_have_the_entry_is_passed_over_for_somebody_who_can():
    """Nor are they told as one who could take it."""
    opened = Opened()
    booking = await opened.booked()
    marcus = {**MARCUS, "calendars": [{"integration": "googleCalendar", "calendarId": "marcus"}]}
    opened.now = house_of({**ROSA, "absences": AWAY}, marcus, DANA)
    house, premises = opened.process(), call(opened.now)
    lost = Placement(opened.now, [booking], opened.clock.now()).lost(booking)
    assigning = Assigning(house.bookings._store, house.busy, house.saga)
    assert [[one.name for one in free or ()] for free in await assigning.who_could(premises, [(booking, lost)])] == [
        ["Dana"]
    ]
    assert (await opened.assign(booking.id)).taken.person == "Dana"
    assert await faults(opened.store, opened.calendar) == []


@pytest.mark.requirement("004-532")
async def test_nothing_is_lost_where_a_service_is_spelt_otherwise_by_now():
    """Whoever does it does the same as before."""
    opened = Opened()
    booking = await opened.booked()
    service = {**SERVICES[0], "name": "Hair-cut"}
    now = house_of({**ROSA, "services": ["Hair-cut"]}, services=[service])
    assert Placement(now, [booking], opened.clock.now()).lost(booking) == ()


@pytest.mark.requirement("004-532")
async def test_wherever_it_dies_the_next_one_brings_it_to_its_end():
    """Nothing is held twice, nobody has it half."""
    alive, steps = False, 0
    while not alive:
        opened, life = Opened(), Life(steps)
        booking = await opened.booked()
        try:
            await opened.assign(booking.id, life)
            alive = True
        except Dies:
            pass
        opened.clock.wait(120)
        await opened.process().reap()
        (found,) = await all_bookings(opened.store)
        assert found.status in AT_REST
        assert await faults(opened.store, opened.calendar) == [], steps
        assert (await opened.assign(booking.id)).taken.person == "Marcus"
        steps += 1
    assert steps > 6


@pytest.mark.requirement("004-532")
async def test_two_who_give_it_away_at_once_do_so_once():
    """Both are told with whom it is now."""
    opened = Opened()
    booking = await opened.booked()
    found = await asyncio.gather(*(opened.assign(booking.id) for _ in range(5)), return_exceptions=True)
    people = [one.taken.person for one in found if isinstance(one, Booking)]
    assert people and set(people) == {"Marcus"}
    assert all(isinstance(one, Booking) or one.type is ErrorType.TRANSIENT for one in found)  # type: ignore[union-attr]
    assert await faults(opened.store, opened.calendar) == []


@each("status", ["cancelled", "completed", "past"])
@pytest.mark.requirement("004-532")
async def test_what_is_over_stays_with_whom_it_was(status: str):
    """It is said why."""
    opened = Opened()
    booking = await opened.booked()
    if status == "past":
        opened.clock.wait(400 * 86_400)
    else:
        house = opened.process()
        await house.saga.records.save(call(opened.now), await _latest(opened), status=status)
    with pytest.raises(ToolError) as error:
        await opened.assign(booking.id)
    assert error.value.type is ErrorType.CONFLICT


@pytest.mark.requirement("004-532")
async def test_of_two_rivals_for_the_same_person_one_gets_her():
    """Appointments of two who are away cannot both go to the third."""
    store, clock = MemoryStore(), StoppedClock()
    desk, both = (
        open_desk(store, clock),
        house_of(ROSA, MARCUS, integrations={"builtinCalendar": {"isConnected": True}}),
    )
    house = CalendarHouse(store, None, clock)
    for n, name in enumerate(("Ana", "Ben")):
        await house.book(call(both, f"w{n}", session=f"s{n}", phone=f"+1518555010{n}"), customer_name=name)
    away = [{**one, "absences": AWAY} for one in (ROSA, MARCUS)]
    now = replace(both, resources=house_of(*away, {"id": "dana", "name": "Dana"}).resources)
    ids = [booking.id for booking in await all_bookings(store)]
    found = await asyncio.gather(*(desk.assigning.assign(call(now), id) for id in ids), return_exceptions=True)
    assert sorted(type(one).__name__ for one in found) == ["Booking", "ToolError"]
    people = sorted(booking.taken.person for booking in await all_bookings(store))
    assert "Dana" in people and len(set(people)) == 2


async def _latest(opened: Opened) -> Booking:
    (found,) = await all_bookings(opened.store)
    return found
