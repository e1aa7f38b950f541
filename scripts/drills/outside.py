"""What an outside calendar holds after a drill, and when the store has come to rest with it."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from datetime import UTC, datetime

from drills.premises import WITHIN
from stand_ins.google_calendar import GoogleCalendarStandIn
from switchboard.contract.store import Query
from switchboard.integrations.google_calendar.entries import BOOKING
from switchboard.state.firestore import FirestoreStore

NOBODY = "nobody's"


def active_entries(google: GoogleCalendarStandIn) -> dict[str, int]:
    """Return how many entries stand for each booking, by its id."""
    events = [event for book in google.books.values() for event in book.events.values()]
    return dict(Counter(_booking_of(event) for event in events if event["status"] != "cancelled"))


async def until_at_rest(store: FirestoreStore, within_s: float) -> bool:
    """Wait until nothing is under way with any booking of the drilled business; false if the time is over first."""
    deadline = time.monotonic() + within_s
    while await _under_way(store):
        if time.monotonic() > deadline:
            return False
        await asyncio.sleep(0.1)
    return True


async def _under_way(store: FirestoreStore) -> bool:
    found = await store.query(Query(WITHIN.collection("bookings")))
    return any(document.data.get("leaseUntil") for document in found)


def _booking_of(event: dict[str, object]) -> str:
    properties = event.get("extendedProperties")
    private = properties.get("private") if isinstance(properties, dict) else None
    return str(private.get(BOOKING, NOBODY)) if isinstance(private, dict) else NOBODY


def entry_starts(google: GoogleCalendarStandIn) -> dict[str, datetime]:
    """Return when the entry of each booking begins, by the booking's id, in UTC."""
    return {
        _booking_of(event): book.span(event)[0].astimezone(UTC)
        for book in google.books.values()
        for event in book.events.values()
        if event["status"] != "cancelled"
    }
