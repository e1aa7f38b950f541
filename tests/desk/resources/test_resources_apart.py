"""People with calendars of their own, events, absences without an end: what goes wrong where two things meet."""

from datetime import timedelta

import pytest

from switchboard.contract.business.resources import read_absences
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.store import Set
from switchboard.desk.bookings.assignment import Assignment, TakenResource
from switchboard.desk.bookings.duration import visit_for
from switchboard.desk.bookings.request import BookingRequest, Correction, EventWish
from switchboard.desk.resources.placement import keeps_its_calendar, staying
from tests.cpu_time import taking_less_than
from tests.desk.calendar_house import GOOGLE, NOON, CalendarHouse
from tests.desk.front_desk import StoppedClock, at, call
from tests.desk.house_of_resources import PEOPLE, full_house
from tests.desk.memory_calendar import MemoryCalendar
from tests.desk.resources.test_resources import DAY, Front, day_of
from tests.each import each


@each(
    "edge",
    [
        {"start": DAY, "end": "9999-12-31"},
        {"start": "0001-01-01", "end": DAY},
        {"start": DAY, "end": "9999-12-30T10:00"},
    ],
)
async def test_an_absence_at_the_edge_of_the_calendar_is_named_and_keeps_nobody_from_booking(edge):
    """Each look-up of the business would fail, for everybody."""
    problems: list[str] = []
    assert read_absences([edge], "absences", problems) == () and problems
    front = Front(full_house(resources=[{**PEOPLE[0], "absences": [edge]}, *PEOPLE[1:]]))
    assert (await front.book()).stands


async def test_who_is_away_for_centuries_costs_nobody_time():
    """It is cut to the days that are looked at before it is worked with."""
    away = [{"start": "1971-01-02", "end": "8999-12-30"}]
    front = Front(full_house(resources=[{**PEOPLE[0], "absences": away}, *PEOPLE[1:]]))
    with taking_less_than(0.2):
        assert (await front.book()).taken.person != "Rosa Lindqvist"


async def test_an_event_is_entered_with_whoever_is_there_whatever_it_is_called():
    """Its title is no service that somebody would have to do."""
    own = [{**person, "services": ["Haircut"]} for person in PEOPLE]
    front = Front(full_house(resources=own))
    wish = EventWish(title="Meeting with a supplier", start=at(front.business, f"{DAY}T10:00"))
    entered = await front.desk.bookings.enter(front.call(verified=True), wish)
    assert (entered.service, bool(entered.taken.person)) == ("Meeting with a supplier", True)


async def test_what_is_too_much_for_one_commit_is_refused_before_anybody_is_asked():
    """A yes to what cannot be done is worth nothing."""
    people = [{"id": f"p{n}", "name": f"P{n}", "kind": "person"} for n in range(11)]
    front = Front(full_house(resources=people))
    wish = BookingRequest(
        service="Bridal party",
        start=at(front.business, f"{DAY}T10:00"),
        customer_name="Ann",
        party_size=11,
        duration_minutes=240,
    )
    for ask in (front.desk.bookings.bookable, front.desk.bookings.book):
        with pytest.raises(ToolError) as no:
            await ask(front.call(verified=True), wish)
        assert (no.value.type, "too much" in no.value.message) == (ErrorType.VALIDATION, True)


async def test_two_of_forty_are_found_for_two_weeks_without_anybody_waiting():
    """Whether it can be is asked, not who would be best."""
    people = [{"id": f"p{n}", "name": f"P{n}", "kind": "person"} for n in range(40)]
    pair = {"name": "Pair", "durationMinutes": 30, "needs": [{"kind": "person", "count": 2}]}
    front = Front(full_house(resources=people, services=[pair]))
    visit = visit_for(front.business, "Pair", None)
    with taking_less_than(0.4):
        answer = await front.desk.availability.between(
            front.call(), visit, day_of(DAY), day_of(DAY) + timedelta(days=13)
        )
    assert answer.is_available


def with_own_calendar(person):
    """Return somebody with a calendar of their own at Google."""
    return {**person, "calendars": [{"integration": "googleCalendar", "calendarId": person["id"]}]}


async def test_an_appointment_is_not_moved_to_somebody_with_another_calendar():
    """Its entry would stand in the wrong one; what is offered instead is with whom it is."""
    house = CalendarHouse(Front().store, MemoryCalendar(), StoppedClock())
    business = full_house(resources=[with_own_calendar(person) for person in PEOPLE[:2]], integrations=GOOGLE)
    mine = await house.book(house.call(business=business), with_person="Rosa")
    assert mine.calendar_settings is not None and mine.calendar_settings["calendarId"] == "rosa"
    other = house.call("other", session="other", phone=None, business=business)
    await house.book(other, start=NOON, with_person="Rosa", customer_name="Bob")
    with pytest.raises(ToolError) as no:
        await house.appointments.movable(house.call("move", business=business), mine.id, NOON)
    assert no.value.meta["reason"] == "taken"
    assert {choice.get("with") for choice in no.value.meta["alternatives"]} == {"Rosa Lindqvist"}


async def test_what_stands_in_no_outside_calendar_is_not_given_to_somebody_who_has_one():
    """Theirs would stay empty for ever; of those without, anybody will do."""
    mine = await Front().book(with_person="Dana")
    people = [with_own_calendar(PEOPLE[1]), *PEOPLE[::2]]
    business = full_house(resources=people, integrations=GOOGLE)
    assert mine.calendar == "builtinCalendar"
    assert [one.id for one in staying(business, mine).resources] == ["rosa", "dana"]
    marcus, rosa = (Assignment((TakenResource(id, "person", id),)) for id in ("marcus", "rosa"))
    assert not keeps_its_calendar(business, mine, marcus)
    assert keeps_its_calendar(business, mine, rosa)


async def test_a_name_that_was_corrected_keeps_nobody_of_the_old_name_from_booking():
    """What keeps the same wish from being fulfilled twice bears the name as it is now."""
    front = Front()
    mine = await front.book(name="Anna", session="s1", with_person="Rosa")
    ctx = call(front.business, "correct", session="s1", phone="+15185550001")
    renamed = await front.desk.appointments.correct(ctx, mine.id, Correction(customer_name="Anne Miller"))
    assert renamed.customer_name == "Anne Miller"
    assert set(await front.slots()) == renamed.held
    assert (await front.book(name="Anna", session="s1", with_person="Dana")).repeated is False
    again = await front.book(name="Anne Miller", session="s1")
    assert (again.id, again.repeated) == (mine.id, True)
    assert set(await front.slots()) == await front.held()


@each("other", [{"party_size": 4}, {"party_size": 1}])
async def test_the_same_wish_for_another_number_of_people_is_not_told_as_booked(other):
    """Four would come, and two seats be held; nothing is changed, and it is said so."""
    front = Front()
    mine = await front.book("Styling class", name="Ida", session="s1", party_size=2)
    no = await front.refused("Styling class", name="Ida", session="s1", **other)
    assert (no.type, mine.id in no.message, "for 2 people" in no.message) == (ErrorType.CONFLICT, True, True)
    again = await front.book("Styling class", name="Ida", session="s1", party_size=2)
    assert (again.id, again.repeated) == (mine.id, True)


async def test_the_same_wish_with_somebody_else_is_not_told_as_booked():
    """With whom it is, is part of what was wished for; whoever does not mind has it as it is."""
    front = Front()
    mine = await front.book(name="Ida", session="s1", with_person="Marcus")
    no = await front.refused(name="Ida", session="s1", with_person="Rosa")
    assert (no.type, "with Marcus" in no.message) == (ErrorType.CONFLICT, True)
    assert (await front.book(name="Ida", session="s1")).id == mine.id


async def test_who_has_gone_home_is_booked_by_no_instance_that_has_not_heard_of_it():
    """A business is read once a minute, but who is there when a time is looked at."""
    front = Front()
    rows = [{**PEOPLE[0], "absences": [{"start": DAY}]}, {**PEOPLE[1]}]
    path = front.call().paths.business
    await front.store.commit([Set(path, {"resources": rows})])
    no = await front.refused(with_person="Rosa")
    assert no.meta["reason"] == "away"
    # Dana is not there any more at all.
    assert (await front.refused(with_person="Dana")).type is ErrorType.CONFLICT
    assert (await front.book()).taken.person == "Marcus"
