"""Slots: one document per grid step that a booking holds; whoever creates it has the time (design §9)."""

from collections.abc import Iterable
from datetime import timedelta

from switchboard.contract.ports import BusinessPaths
from switchboard.contract.store import Create, Delete, Write
from switchboard.desk.grid import STEP, moment_of, slot_id

# A slot document only matters until its time is over; Firestore's TTL may then remove it.
_KEPT_AFTER = timedelta(days=7)


def claiming(paths: BusinessPaths, booking_id: str, steps: Iterable[int]) -> list[Write]:
    """Return the writes that claim steps for a booking; the commit fails if anybody holds one of them."""
    writes: list[Write] = []
    for step in sorted(steps):
        start = moment_of(step)
        slot = {"bookingId": booking_id, "start": start, "expireAt": start + STEP + _KEPT_AFTER}
        writes.append(Create(slot_path(paths, step), slot))
    return writes


def freeing(paths: BusinessPaths, steps: Iterable[int]) -> list[Write]:
    """Return the writes that free steps; only for the commit that also writes, conditionally, the booking they had."""
    return [Delete(slot_path(paths, step)) for step in sorted(steps)]


def slot_path(paths: BusinessPaths, step: int) -> str:
    """Return the path of the document that claims a step."""
    return paths.document("slots", slot_id(step))
