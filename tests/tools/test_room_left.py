"""How many can still come: told with what is free, and beside a no to more; never more than there is."""

from typing import Any

import pytest

from switchboard.contract.error import ErrorType
from switchboard.desk.bookings.duration import visit_for
from tests.desk.front_desk import call, salon
from tests.tools.test_with_person import CLASS, HOUSE, PEOPLE, TUESDAY_TEN, book, check, refused

pytestmark = pytest.mark.requirement("004-2412")
STYLING = {"service": "Styling class"}
TABLES = [{"id": f"t{seats}", "name": f"Table of {seats}", "kind": "table", "seats": seats} for seats in (2, 4)]
INN = salon(resources=TABLES, services=[{"name": "Dinner", "durationMinutes": 60, "needs": [{"kind": "table"}]}])


async def test_how_many_can_come_is_told_of_the_asked_time_and_of_a_day(desk: Any) -> None:
    await book(desk, **STYLING, party_size=2)
    at = await check(desk, **STYLING, date=TUESDAY_TEN)
    assert (at["available"], at["room"]) == (True, 4)
    (day,) = (await check(desk, **STYLING, date="2027-03-16"))["free"]
    assert day["times"] == "Tuesday 9:00 to 17:00"
    assert day["room"] == "9:05 to 10:55: 4; 9:00, 11:00 to 17:00: 6"


async def test_where_it_is_the_same_all_day_the_number_alone_is_told(desk: Any) -> None:
    (day,) = (await check(desk, **STYLING, date="2027-03-16"))["free"]
    assert day["room"] == "6"
    assert "room" not in (await check(desk, date=TUESDAY_TEN))
    assert all("room" not in each for each in (await check(desk, date="2027-03-16"))["free"])


async def test_a_party_that_is_too_large_is_told_how_many_could_come(desk: Any) -> None:
    await book(desk, **STYLING, party_size=4)
    at = await check(desk, **STYLING, date=TUESDAY_TEN, party_size=3)
    assert (at["available"], at["room"]) == (False, 2)
    no = await refused(desk, **STYLING, party_size=3)
    assert no.type is ErrorType.CONFLICT and no.meta["room"] == 2
    assert no.message.startswith("There is no room for 3 then, only for 2. Free instead:")
    await book(desk, who="Cleo", **STYLING, party_size=2)
    no = await refused(desk, **STYLING, party_size=3)
    assert no.message.startswith("There is no room for 3 then. Free instead:") and no.meta["room"] == 0
    assert (await check(desk, **STYLING, date=TUESDAY_TEN))["room"] == 0


async def test_a_day_without_room_for_a_party_tells_the_most_that_could_come(desk: Any) -> None:
    """A class that is on one hour only."""
    hours = {"tuesday": [{"open": "16:00", "close": "17:00"}]}
    house = salon(services=[*HOUSE_SERVICES], resources=[*PEOPLE, CLASS[0] | {"hours": hours}])
    await book(desk, house, **STYLING, start_time="2027-03-16T16:00:00", party_size=3)
    day = await check(desk, house, **STYLING, date="2027-03-16", party_size=4)
    assert (day["available"], day["room"]) == (False, 3)


async def test_tables_are_told_by_the_largest_party_that_one_of_them_takes(desk: Any) -> None:
    dinner = {"service": "Dinner", "date": TUESDAY_TEN}
    assert (await check(desk, INN, **dinner))["room"] == 4
    await book(desk, INN, service="Dinner", party_size=3)
    assert (await check(desk, INN, **dinner))["room"] == 2
    no = await refused(desk, INN, service="Dinner", party_size=3)
    assert no.message.startswith("There is no room for 3 then, only for 2.")


async def test_what_is_told_is_what_can_be_booked_and_one_more_cannot(desk: Any) -> None:
    """Start by start, whatever was booked before."""
    for n, (minute, party) in enumerate([("09:00", 1), ("10:30", 3), ("11:15", 2), ("16:30", 6)]):
        await book(desk, who=f"Guest {n}", **STYLING, start_time=f"2027-03-16T{minute}:00", party_size=party)
    ctx = call(HOUSE)
    for clock in ("09:30", "10:15", "10:30", "11:00", "12:05", "15:35", "16:00"):
        when = f"2027-03-16T{clock}:00"
        room = (await check(desk, **STYLING, date=when))["room"]
        for party in range(1, 7):
            fits = (await check(desk, **STYLING, date=when, party_size=party))["available"]
            assert fits == (party <= room), (clock, party, room)
    assert visit_for(ctx.business, "Styling class", None).minutes == 60


HOUSE_SERVICES: list[dict[str, Any]] = [{"name": "Styling class", "durationMinutes": 60, "needs": [{"kind": "seats"}]}]
