"""Why nothing is free, where that is the week's doing; and lists that were cut say so."""

import json
from typing import Any

import pytest

from switchboard.contract.error import ToolError
from switchboard.tools.check_availability.handler import shorten
from tests.desk.front_desk import call, salon
from tests.tools.folder import run
from tests.tools.test_with_person import book, check, refused

pytestmark = pytest.mark.requirement("004-2005")
AFTERNOON = [{"open": "13:30", "close": "17:00"}]
TUESDAY, WEDNESDAY = "2027-03-16", "2027-03-17"
VAN = {"id": "van", "name": "Van", "kind": "van", "hours": {"tuesday": AFTERNOON}}
PEOPLE: list[dict[str, Any]] = [
    {"id": "rosa", "name": "Rosa"},
    {"id": "ben", "name": "Ben", "hours": {"tuesday": AFTERNOON, "thursday": AFTERNOON}},
]
VISIT = {"name": "House visit", "durationMinutes": 60, "needs": [{"kind": "person"}, {"kind": "van"}]}
HOUSE = salon(services=[VISIT, {"name": "Haircut", "durationMinutes": 30}], resources=[*PEOPLE, VAN])


async def test_a_day_on_which_it_cannot_be_says_on_which_it_can(desk):
    """By what it needs, or by whom it is asked for with; on such a day something else is in the way."""
    asked = await check(desk, HOUSE, service="House visit", date=WEDNESDAY)
    assert (asked["conflicts"][0]["reason"], asked["onlyOn"]) == ("away", "Tuesday")
    assert (await check(desk, HOUSE, date=WEDNESDAY, with_person="Ben"))["onlyOn"] == "Tuesday, Thursday"
    one = await check(desk, HOUSE, service="House visit", date=f"{WEDNESDAY}T10:00")
    assert one["onlyOn"] == "Tuesday"
    early = await check(desk, HOUSE, service="House visit", date=f"{TUESDAY}T09:00")
    assert early["conflicts"][0]["reason"] == "away" and "onlyOn" not in early
    assert "onlyOn" not in await check(desk, HOUSE, date=WEDNESDAY)
    by_day = await run("get_availability", call(HOUSE), desk, {"date": WEDNESDAY, "service": "House visit"})
    assert by_day.data["onlyOn"] == "Tuesday"


async def test_a_booking_that_is_refused_for_it_says_so(desk):
    """In words."""
    error = await refused(desk, HOUSE, service="House visit", start_time=f"{WEDNESDAY}T10:00")
    assert "It can only be on Tuesday." in error.message


async def test_what_is_free_instead_is_told_to_its_end(desk):
    """Three times are named, and beside them all that is free on their days."""
    asked = await check(desk, HOUSE, service="House visit", date=WEDNESDAY)
    assert asked["free"] == [{"date": "2027-03-23", "times": "Tuesday 13:30 to 16:00"}]
    assert len(asked["openTimes"]) == 3


async def test_days_that_are_left_out_for_want_of_room_are_not_hidden(desk):
    """Until when there is more is said."""
    data = await check(desk, HOUSE, date=TUESDAY, until="2027-03-26")
    short = shorten(data, len(json.dumps(data)) // 3)
    assert len(short["free"]) < len(data["free"])
    assert short["moreUntil"] == data["free"][-1]["date"]
    assert "moreUntil" not in data


async def test_who_has_an_appointment_is_offered_for_another_time_before_others(desk):
    """Where they have time; so what is offered instead of a move stays with whom it is."""
    people = [{"id": "anna", "name": "Anna"}, {"id": "ben", "name": "Ben"}]
    house = salon(services=[{"name": "Haircut", "durationMinutes": 30}], resources=people)
    await book(desk, house, who="Bo", with_person="Ben", start_time=f"{TUESDAY}T15:00")
    await book(desk, house, who="Cleo", with_person="Ben", start_time=f"{TUESDAY}T16:00")
    own = await book(desk, house, who="Anna", with_person="Ben", start_time=f"{TUESDAY}T10:00")
    ctx = call(house, "move", session="Anna", phone=f"+1518555{sum(map(ord, 'Anna')) + 1000:04}")
    wish = {"booking_id": own.data["bookingId"], "new_start_time": f"{TUESDAY}T23:00"}
    with pytest.raises(ToolError) as caught:
        await run("reschedule_appointment", ctx, desk, wish)
    assert {one["with"] for one in caught.value.meta["alternatives"]} == {"Ben"}


@pytest.mark.requirement("004-2416")
async def test_single_days_beside_the_weekdays_are_told_as_well(desk):
    """An extra Saturday, also every year's; not where the business is closed, or somebody else is missing."""
    extra = {"exceptions": {"2027-03-20": AFTERNOON, "2027-03-21": AFTERNOON, "04-03": AFTERNOON, "2027-03-19": []}}
    van = VAN | {"hours": {"tuesday": AFTERNOON} | extra}
    opened = {day: [{"open": "09:00", "close": "18:00"}] for day in ("monday", "tuesday", "wednesday", "thursday")}
    hours = opened | {"exceptions": {"2027-03-20": AFTERNOON, "2027-04-03": AFTERNOON}}
    house = salon(services=[VISIT], resources=[PEOPLE[0], van], workingHours=hours)
    asked = await check(desk, house, service="House visit", date=WEDNESDAY)
    assert asked["onlyOn"] == "Tuesday, Saturday 2027-03-20, Saturday 2027-04-03"
    error = await refused(desk, house, service="House visit", start_time=f"{WEDNESDAY}T10:00")
    assert "It can only be on Tuesday or Saturday, March 20 or Saturday, April 3." in error.message
    that_day = await check(desk, house, service="House visit", date="2027-03-20T13:30")
    assert that_day["available"] is True
    early = await check(desk, house, service="House visit", date="2027-03-20T09:00")
    assert "onlyOn" not in early


@pytest.mark.requirement("004-2416")
async def test_what_is_on_single_days_alone_is_told_with_those(desk):
    van = VAN | {"hours": {"exceptions": {"2027-03-18": AFTERNOON}}}
    house = salon(services=[VISIT], resources=[PEOPLE[0], van])
    assert (await check(desk, house, service="House visit", date=WEDNESDAY))["onlyOn"] == "Thursday 2027-03-18"
