"""A person who is taken away between a question and its yes: who is there is said, and nobody is booked unasked."""

from dataclasses import replace
from typing import Any

import pytest

from switchboard.contract.business.business import Business
from switchboard.contract.error import ErrorType, ToolError
from switchboard.desk.bookings.request import BookingRequest
from switchboard.desk.services import open_desk
from switchboard.state.memory.store import MemoryStore
from tests.desk.front_desk import StoppedClock, at, call, salon

pytestmark = pytest.mark.requirement("004-1908")

TEN, NOON = "2027-03-16T10:00", "2027-03-16T12:00"
PEOPLE: list[dict[str, Any]] = [{"id": "rosa", "name": "Rosa"}, {"id": "marcus", "name": "Marcus"}]
SERVICES = [
    {"name": "Haircut", "durationMinutes": 30},
    {"name": "Beard", "durationMinutes": 30, "needs": [{"kind": "person", "any": ["marcus"]}]},
]


def house(*people: dict[str, Any]) -> Business:
    return salon(services=SERVICES, resources=list(people))


class Desk:
    """Books and moves, each as a wish of its own."""

    def __init__(self) -> None:
        self.store = MemoryStore()
        self.desk = open_desk(self.store, StoppedClock())
        self.count = 0

    def call(self, business: Business, phone: int = 1, **agreed: Any) -> Any:
        self.count += 1
        ctx = call(business, f"wish {self.count}", session=f"s{phone}", phone=f"+1518555{phone:04}")
        return replace(ctx, agreed=agreed) if agreed else ctx

    async def book(self, business: Business, start: str = TEN, phone: int = 1, agreed: Any = None, **wish: Any) -> Any:
        wanted = BookingRequest(
            service=wish.pop("service", "Haircut"), start=at(business, start), customer_name="Anna", **wish
        )
        return await self.desk.bookings.book(self.call(business, phone, **(agreed or {})), wanted)

    async def move(self, business: Business, booking: Any, start: str) -> Any:
        return await self.desk.appointments.reschedule(self.call(business), booking.id, at(business, start))


async def test_a_move_says_that_they_are_gone_and_who_is_there():
    """Where nobody else is free at the new time: not that the time is taken, which has the caller ask for another."""
    desk, whole, without = Desk(), house(*PEOPLE), house(PEOPLE[0])
    booking = await desk.book(whole, with_person="Marcus")
    await desk.book(whole, NOON, 2, with_person="Rosa")
    with pytest.raises(ToolError) as caught:
        await desk.move(without, booking, NOON)
    assert caught.value.message.startswith("Marcus is not there any more. There for it: Rosa.")
    assert (caught.value.type, caught.value.meta["reason"]) == (ErrorType.CONFLICT, "taken")
    other = await desk.book(whole, "2027-03-16T15:00", with_person="Rosa")
    await desk.book(whole, NOON, 3, with_person="Marcus")
    with pytest.raises(ToolError) as caught:
        await desk.move(whole, other, NOON)
    assert "not there any more" not in caught.value.message


async def test_a_service_that_nobody_does_any_more_says_so():
    desk = Desk()
    booking = await desk.book(house(*PEOPLE), service="Beard")
    with pytest.raises(ToolError) as caught:
        await desk.move(house(PEOPLE[0]), booking, NOON)
    assert caught.value.message.startswith("Marcus is not there any more.")


async def test_a_yes_to_somebody_who_is_gone_books_nobody_else():
    """Also where the caller had named nobody, and was told with whom it would be."""
    desk, without = Desk(), house(PEOPLE[0])
    with pytest.raises(ToolError) as caught:
        await desk.book(without, agreed={"with": "Marcus"})
    assert caught.value.message == "Marcus is not there any more. There for it: Rosa."
    booked = await desk.book(without, agreed={"with": "Rosa"})
    assert booked.taken.person == "Rosa"
    # What was booked before they were gone is told as it is.
    again = await desk.book(without, agreed={"with": "Rosa"})
    assert again.id == booked.id


async def test_who_asks_for_them_by_name_is_told_who_is_there():
    with pytest.raises(ToolError) as caught:
        await Desk().book(house(PEOPLE[0]), with_person="Marcus")
    assert "There is nobody called 'Marcus'" in caught.value.message and "Rosa" in caught.value.message
