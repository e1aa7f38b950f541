"""People at the salon that the pages are about, and appointments with them."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from switchboard.contract.store import Set, Update
from switchboard.desk.bookings.assignment import Assignment, TakenResource
from switchboard.desk.bookings.booking import Booking
from switchboard.desk.bookings.bookings import claim_writes
from switchboard.desk.calendars.grid import slot_id
from tests.admin_ui.premises import PATHS, SALON, LiveServer

WITHIN = PATHS.within(SALON)
ALWAYS = {
    day: [{"open": "00:00", "close": "24:00"}]
    for day in ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
}
TEAM = [{"id": "rosa", "name": "Rosa", "kind": "person"}, {"id": "marcus", "name": "Marcus", "kind": "person"}]


def team(live: LiveServer) -> list[dict[str, Any]]:
    return list(live.within(live.house.store.get(WITHIN.business)).data.get("resources") or ())


def furnish(live: LiveServer, *rows: dict[str, Any]) -> None:
    """Have these people and rooms there and no appointments, and the salon open day and night."""
    live.empty(SALON, "bookings", "slots")
    business = live.within(live.house.store.get(WITHIN.business)).data
    live.put(Set(WITHIN.business, {**business, "resources": list(rows), "workingHours": ALWAYS}))


def in_utc(live: LiveServer) -> None:
    """Have the salon's days begin when those of these tests do."""
    live.put(Update(WITHIN.business, {"timezone": "UTC"}))
    live.house.catalog.forget(SALON)


def booked(live: LiveServer, id: str, days: int, with_: dict[str, Any]) -> None:
    """Enter an appointment with somebody."""
    start = datetime.now(UTC).replace(hour=15, minute=0, second=0, microsecond=0) + timedelta(days=days)
    booking = Booking(
        id=f"bk_{id}",
        business_id=SALON,
        service="Haircut",
        start=start,
        minutes=30,
        customer_name=f"Customer {id}",
        created_at=start - timedelta(days=9),
    )
    slots = tuple(slot_id(step, with_["id"]) for step in booking.claims)
    taken = Assignment((TakenResource(with_["id"], "person", with_["name"]),), slots)
    live.put(*claim_writes(WITHIN, replace(booking, taken=taken)))
