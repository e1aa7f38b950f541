"""With whom, and for how many: what a business with people, rooms and classes is asked, and what it answers."""

import json
from typing import Any

import pytest

from switchboard.contract.business.business import Business
from switchboard.contract.error import ErrorType, ToolError
from tests.desk.front_desk import SALON, call, salon
from tests.tools.folder import run

TUESDAY_TEN = "2027-03-16T10:00:00"
PEOPLE: list[dict[str, Any]] = [
    {"id": "rosa", "name": "Rosa"},
    {"id": "marcus", "name": "Marcus", "absences": [{"id": "a", "start": "2027-03-17", "end": "2027-03-18"}]},
    {"id": "dana", "name": "Dana", "services": ["Haircut"]},
]
ROOMS = [{"id": "room-1", "name": "Room 1", "kind": "room"}]
CLASS = [{"id": "class", "name": "Saturday class", "kind": "seats", "capacity": 6}]
SERVICES = [
    *({"name": "Haircut", "durationMinutes": 30}, {"name": "Color", "durationMinutes": 90}),
    {"name": "Beard trim", "durationMinutes": 15, "needs": [{"kind": "person", "any": ["marcus"]}]},
    {"name": "Treatment", "durationMinutes": 30, "needs": [{"kind": "person"}, {"kind": "room"}]},
    {"name": "Styling class", "durationMinutes": 60, "needs": [{"kind": "seats"}]},
]
HOUSE = salon(services=SERVICES, resources=[*PEOPLE, *ROOMS, *CLASS])


async def book(desk: Any, business: Business = HOUSE, who: str = "Anna", **arguments: Any) -> Any:
    """Book as a caller of that name would, on a phone of their own."""
    ctx = call(business, str(arguments), session=who, phone=f"+1518555{sum(map(ord, who)) + 1000:04}")
    given = {"service": "Haircut", "start_time": TUESDAY_TEN, "customer_name": who} | arguments
    return await run("book_appointment", ctx, desk, given)


async def check(desk: Any, business: Business = HOUSE, **arguments: Any) -> Any:
    return (await run("check_availability", call(business), desk, {"service": "Haircut"} | arguments)).data


async def refused(desk: Any, business: Business = HOUSE, who: str = "Bo", **arguments: Any) -> ToolError:
    with pytest.raises(ToolError) as caught:
        await book(desk, business, who, **arguments)
    return caught.value


@pytest.mark.requirement("004-510")
async def test_whoever_is_asked_for_takes_the_appointment_and_result_and_receipt_say_so(desk):
    """By name, in any case; without one anybody who does it; both can be had at the same time."""
    found = await book(desk, with_person="marcus")
    assert (found.data["with"], found.receipt["with"]) == ("Marcus", "Marcus")
    others = [(await book(desk, who=who)).data["with"] for who in ("Bo", "Cleo")]
    assert sorted(others) == ["Dana", "Rosa"]
    assert (await refused(desk, who="Dee")).type is ErrorType.CONFLICT


@pytest.mark.requirement("004-510")
@pytest.mark.parametrize("word", ["anyone", "egal", "n'importe qui", "cualquiera", "no preference"])
async def test_anyone_in_the_languages_words_leaves_it_open(desk, word):
    """As if nobody had been named."""
    assert (await book(desk, with_person=word)).data["with"] in ("Rosa", "Marcus", "Dana")


@pytest.mark.requirement("004-511")
async def test_what_is_free_instead_names_person_and_time_and_says_first_who_is_free_then(desk):
    """Rosa is taken at ten; somebody else is not, and Rosa herself is at other times."""
    await book(desk, with_person="Rosa")
    error = await refused(desk, with_person="Rosa")
    assert error.message.startswith("Rosa is taken then; Marcus is free at that time. Free instead: Tuesday, March 16")
    then, *later = error.meta["alternatives"]
    assert (then["start"], then["with"]) == ("2027-03-16T10:00:00-04:00", "Marcus")
    assert [choice["with"] for choice in later] == ["Rosa"] * 3
    assert "2027-03-16T10:00:00-04:00" not in [choice["start"] for choice in later]


@pytest.mark.requirement("004-511")
async def test_whoever_is_away_is_said_to_be_away(desk):
    """Not taken: to ask again makes no sense on these days."""
    error = await refused(desk, start_time="2027-03-17T10:00:00", with_person="Marcus")
    assert error.message.startswith("Marcus is not there then; Rosa is free at that time.")
    assert error.meta["reason"] == "away"
    day = await check(desk, date="2027-03-17", with_person="Marcus")
    assert [conflict["reason"] for conflict in day["conflicts"]] == ["away"]
    alone = await check(desk, date="2027-03-17", service="Beard trim")
    assert (alone["available"], [conflict["reason"] for conflict in alone["conflicts"]]) == (False, ["away"])


@pytest.mark.requirement("004-511")
async def test_free_times_are_those_of_whoever_is_asked_for_or_else_of_all(desk):
    """One of three taken leaves the time free, and says who is."""
    await book(desk, with_person="Rosa")
    own = await check(desk, date=TUESDAY_TEN, with_person="Rosa")
    assert (own["available"], own["with"], own["freeWith"]) == (False, "Rosa", ["Marcus", "Dana"])
    anyone = await check(desk, date=TUESDAY_TEN)
    assert (anyone["available"], anyone["freeWith"], "with" in anyone) == (True, ["Marcus", "Dana"], False)
    other = await run("get_availability", call(HOUSE), desk, {"date": "2027-03-16", "with_person": "Dana"})
    assert (other.data["with"], other.data["available"]) == ("Dana", True)


@pytest.mark.requirement("004-512")
async def test_the_same_as_last_time_is_with_whom_the_latest_appointment_was(desk):
    """Of the caller's own, looked up by the number that the carrier vouches for."""
    await book(desk, with_person="Dana", start_time="2027-03-11T10:00:00")
    await book(desk, who="Bo", with_person="Rosa", start_time="2027-03-12T10:00:00")
    again = await book(desk, with_person="the same as last time")
    assert again.data["with"] == "Dana"
    free = await run(
        "check_availability",
        call(HOUSE, session="Anna", phone="+15185551382"),
        desk,
        {"date": TUESDAY_TEN, "with_person": "wie letztes Mal"},
    )
    assert free.data["with"] == "Dana"


@pytest.mark.requirement("004-512")
async def test_where_nobody_can_tell_who_that_was_the_name_is_asked_for(desk, store):
    """A caller who is not known, and one who has never been there; nothing is booked."""
    for who in ({"attestation": None}, {}):
        with pytest.raises(ToolError, match="Ask for the name: Rosa, Marcus, Dana") as caught:
            await run(
                "book_appointment",
                call(HOUSE, session="new", phone="+15185550188", **who),
                desk,
                {
                    "service": "Haircut",
                    "start_time": TUESDAY_TEN,
                    "customer_name": "Eve",
                    "with_person": "same as last time",
                },
            )
        assert caught.value.type is ErrorType.VALIDATION
    assert not store.asked["commit"]


@pytest.mark.requirement("004-513")
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"with_person": "Maria"}, "There is nobody called 'Maria' at Maple Street Hair Studio. Ask which of these"),
        ({"with_person": "Dana", "service": "Color"}, "Color is not done by Dana at Maple Street Hair Studio; Rosa"),
        ({"with_person": "Rosa", "service": "Beard trim"}, "Marcus can."),
        ({"party_size": 7, "service": "Styling class"}, "Styling class is for at most 6 people together."),
        ({"party_size": 2}, "Haircut is for one person at a time."),
    ],
)
async def test_what_can_never_be_had_is_refused_in_words_that_say_what_can(desk, store, arguments, told):
    """Nobody of that name, one who does not do it, a party larger than the house: nothing is booked."""
    error = await refused(desk, **arguments)
    assert error.type is ErrorType.VALIDATION
    assert told in error.message
    assert not store.asked["commit"]


@pytest.mark.requirement("004-513")
async def test_of_two_with_the_same_name_it_is_asked_which(desk):
    """By the whole name either can be had."""
    two = [{"id": "rosa-l", "name": "Rosa Lopez"}, {"id": "rosa-m", "name": "Rosa Meyer"}]
    house = salon(resources=two)
    error = await refused(desk, house, with_person="Rosa")
    assert "There are several called 'Rosa'" in error.message
    assert "Rosa Lopez, Rosa Meyer" in error.message
    assert (await book(desk, house, with_person="Rosa Meyer")).data["with"] == "Rosa Meyer"


@pytest.mark.requirement("004-513")
async def test_a_business_without_people_says_that_there_is_nobody_to_choose(desk):
    """Also where the definition in use still declares the parameter."""
    error = await refused(desk, salon(), with_person="Rosa")
    assert "has nobody to choose from. Leave with_person out." in error.message


@pytest.mark.requirement("004-510")
async def test_a_party_takes_a_seat_each_until_the_class_is_full(desk):
    """Four and two of six; the next is told that there is no room, and for how many there is none."""
    found = await book(desk, service="Styling class", party_size=4)
    assert (found.data["partySize"], found.receipt["partySize"]) == (4, 4)
    error = await refused(desk, service="Styling class", party_size=3)
    assert error.message.startswith("There is no room for 3 then, only for 2. ")
    assert (await book(desk, who="Bo", service="Styling class", party_size=2)).data["partySize"] == 2


@pytest.mark.requirement("004-510")
async def test_each_look_up_of_an_appointment_says_with_whom_it_is(desk):
    """Found, found by its reference, found as the latest, moved, cancelled."""
    booked = (await book(desk, with_person="Dana")).data
    own = call(HOUSE, session="Anna", phone="+15185551382")
    rows = (await run("lookup_appointment", own, desk, {})).data["appointments"]
    one = await run("get_booking_by_id", own, desk, {"booking_id": booked["bookingId"]})
    latest = await run("get_latest_booking", own, desk, {})
    moving = {"booking_id": booked["bookingId"], "new_start_time": "2027-03-16T11:00:00"}
    moved = await run("reschedule_appointment", own, desk, moving)
    gone = await run("cancel_appointment", own, desk, {"booking_id": booked["bookingId"]})
    told = [rows[0], one.data, latest.data, moved.data, moved.receipt, gone.data, gone.receipt]
    assert [data["with"] for data in told] == ["Dana"] * 7


@pytest.mark.requirement("004-510")
async def test_where_there_is_one_chair_nothing_speaks_of_people(desk):
    """A business that has entered nobody is answered as ever."""
    found = await book(desk, salon())
    asked = await run("check_availability", call(salon()), desk, {"date": TUESDAY_TEN})
    refusal = await refused(desk, salon())
    assert "with" not in found.data and "with" not in found.receipt
    assert not {"with", "freeWith"} & asked.data.keys()
    assert not any("with" in choice for choice in refusal.meta["alternatives"])
    assert "with" not in json.dumps(SALON)


@pytest.mark.requirement("004-510")
async def test_what_was_booked_in_a_conversation_is_not_another_numbers_that_comes_in_it(desk):
    """A platform may give one session id to two callers."""
    booked = (await book(desk, with_person="Dana")).data
    other = call(HOUSE, session="Anna", phone="+15185550177", attestation=None)
    with pytest.raises(ToolError):
        await run("cancel_appointment", other, desk, {"booking_id": booked["bookingId"]})
    own = call(HOUSE, session="Anna", phone="+15185551382", attestation=None)
    assert (await run("cancel_appointment", own, desk, {"booking_id": booked["bookingId"]})).data["cancelled"]
