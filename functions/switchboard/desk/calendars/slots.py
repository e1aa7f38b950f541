"""Slots: a document for each grid step of what a booking takes up; whoever creates it has the time."""

from collections.abc import Iterable
from datetime import timedelta

from switchboard.contract.ports import BusinessPaths
from switchboard.contract.store import Create, Delete, Write
from switchboard.desk.calendars.grid import STEP, moment_of_slot

# One commit holds at most 500 writes: a booking, its slots, what its holders hold, a text.
MOST_SLOTS = 480
# A slot document only matters until its time is over; Firestore's TTL may then remove it.
_KEPT_AFTER = timedelta(days=7)


def claiming(paths: BusinessPaths, booking_id: str, slots: Iterable[str]) -> list[Write]:
    """Return the writes that claim slots for a booking; the commit fails if anybody holds one of them."""
    writes: list[Write] = []
    for id in sorted(slots):
        start = moment_of_slot(id)
        slot = {"bookingId": booking_id, "start": start, "expireAt": start + STEP + _KEPT_AFTER}
        writes.append(Create(slot_path(paths, id), slot))
    return writes


def freeing(paths: BusinessPaths, slots: Iterable[str]) -> list[Write]:
    """Return the writes that free slots; only for the commit that also writes, conditionally, the booking they had."""
    return [Delete(slot_path(paths, id)) for id in sorted(slots)]


def slot_path(paths: BusinessPaths, id: str) -> str:
    """Return the path of the document that claims a slot."""
    return paths.document("slots", id)
