"""A day that somebody closes on one instance is closed on every other at once, whose business is up to a minute old."""

from typing import Any

import pytest

from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.store import Set
from switchboard.desk.bookings.request import BookingRequest
from switchboard.desk.services import open_desk
from switchboard.state.memory.store import MemoryStore
from switchboard.state.paths import FirestorePaths
from tests.desk.front_desk import DAY_HOURS, SALON, StoppedClock, at, calendar, call, salon
from tests.desk.house_of_resources import PEOPLE
from tests.tools.folder import run

pytestmark = pytest.mark.requirement("004-531")
TEN = "2027-03-16T10:00"
HOUSES: list[dict[str, Any]] = [{}, {"resources": PEOPLE}]
ids = ["one chair", "people"]


async def closing(fields: dict[str, Any], exception: Any) -> Any:
    """Return a desk over a store in which Tuesday, March 16 is an exception by now."""
    hours = {**SALON["workingHours"], "exceptions": {"2027-03-16": exception}}
    store = MemoryStore()
    document = {**SALON, **fields, "workingHours": hours, "integrations": calendar()}
    await store.commit([Set(FirestorePaths().within("demo-salon").business, document)])
    return open_desk(store, StoppedClock())


def wish(business: Any, text: str = TEN) -> BookingRequest:
    return BookingRequest(service="Haircut", start=at(business, text), customer_name="Ada")


@pytest.mark.parametrize("fields", HOUSES, ids=ids)
async def test_nobody_is_booked_on_a_day_that_was_closed_a_moment_ago(fields: dict[str, Any]) -> None:
    """Nor told that anything is free on it; what is offered instead is on other days."""
    business, desk = salon(**fields, integrations=calendar()), await closing(fields, "closed")
    with pytest.raises(ToolError) as caught:
        await desk.bookings.book(call(business), wish(business))
    assert caught.value.type is ErrorType.CONFLICT
    assert [row["start"][:10] for row in caught.value.meta["alternatives"]] == ["2027-03-17"] * 3
    data = (await run("check_availability", call(business), desk, {"date": TEN[:10], "service": "Haircut"})).data
    assert (data["available"], data["free"][0]["date"]) == (False, "2027-03-17")


@pytest.mark.parametrize("fields", HOUSES, ids=ids)
async def test_nobody_is_moved_there_and_a_visit_must_end_before_the_new_closing_time(fields: dict[str, Any]) -> None:
    """Hours that were shortened count to the minute."""
    business, desk = (
        salon(**fields, integrations=calendar()),
        await closing(fields, [{"open": "09:00", "close": "12:00"}]),
    )
    booked = await desk.bookings.book(call(business), wish(business, "2027-03-16T11:30"))
    with pytest.raises(ToolError):
        await desk.appointments.reschedule(call(business, "move"), booked.id, at(business, "2027-03-16T11:35"))
    data = (await run("check_availability", call(business), desk, {"date": TEN[:10], "duration_minutes": 30})).data
    assert data["free"][0]["times"].endswith(" to 11:30" if fields else " to 11:00")


async def test_what_was_opened_a_moment_ago_is_no_hindrance() -> None:
    """Until the instance has read it, the hours that it knows hold."""
    business = salon(integrations=calendar())
    desk = await closing({}, [*DAY_HOURS, {"open": "19:00", "close": "21:00"}])
    assert (await desk.bookings.book(call(business), wish(business))).start == at(business, TEN)
