"""What the store holds after a drill, and what is wrong with it."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from drills.premises import WITHIN
from switchboard.contract.store import Document, Filter, Query
from switchboard.desk.bookings.booking import Booking, read_booking
from switchboard.state.firestore.store import FirestoreStore


@dataclass(frozen=True)
class Records:
    """Everything that the drilled business has stored about bookings and calls."""

    bookings: Sequence[Booking]
    slots: Sequence[Document]
    rows: Sequence[Document]
    sessions: Sequence[Document]

    @cached_property
    def by_start(self) -> dict[datetime, list[Booking]]:
        """The active bookings at each time."""
        by_start = defaultdict(list)
        for booking in self.bookings:
            if booking.is_active:
                by_start[booking.start].append(booking)
        return dict(by_start)

    @property
    def orphan_slots(self) -> list[str]:
        """Slot documents that no active booking claims."""
        return sorted(self._held - self._claimed)

    @property
    def missing_slots(self) -> list[str]:
        """Claims of active bookings that no slot document stands for."""
        return sorted(self._claimed - self._held)

    @property
    def without_receipt(self) -> list[str]:
        """Bookings that their conversation has no receipt of."""
        receipts = [receipt for s in self.sessions for receipt in (s.data.get("receipts") or {}).values()]
        return sorted({b.id for b in self.bookings} - {id for receipt in receipts for id in receipt["effectIds"]})

    def in_state(self, state: str) -> list[Document]:
        """Return the ledger's rows in a state."""
        return [row for row in self.rows if row.data.get("state") == state]

    @cached_property
    def _held(self) -> set[str]:
        return {f"{slot.id} of {slot.data.get('bookingId')}" for slot in self.slots}

    @cached_property
    def _claimed(self) -> set[str]:
        return {f"{slot} of {b.id}" for b in self.bookings if b.is_active for slot in b.slots}


async def read_records(store: FirestoreStore) -> Records:
    """Read all of it."""
    documents = await store.query(Query(WITHIN.collection("bookings")))
    return Records(
        bookings=[booking for booking in map(read_booking, documents) if booking],
        slots=await store.query(Query(WITHIN.collection("slots"))),
        rows=[row for row in await store.query(Query("calls", group=True)) if row.path.startswith(WITHIN.business)],
        sessions=await store.query(Query(WITHIN.collection("sessions"))),
    )


async def until_settled(store: FirestoreStore, within_s: float) -> float:
    """Wait until no call stands as started, or the time is over; return how long that took."""
    began = time.monotonic()
    started = Query("calls", filters=(Filter("state", "==", "started"),), limit=1, group=True)
    while await store.query(started) and time.monotonic() - began < within_s:
        await asyncio.sleep(0.1)
    return time.monotonic() - began


async def until_row_settled(store: FirestoreStore, path: str, within_s: float) -> tuple[dict[str, Any] | None, float]:
    """Wait until a call's row is settled; return the row, None where there is none, and the seconds it took."""
    began = time.monotonic()
    while True:
        row = await store.get(path)
        took_s = time.monotonic() - began
        if row is None or row.data.get("state") != "started" or took_s > within_s:
            return (row.data if row else None), took_s
        await asyncio.sleep(0.2)


async def until_quiet(store: FirestoreStore) -> None:
    """Wait until what was still under way has been written: an export is no snapshot of a moment."""
    before: list[int] = []
    while (now := [await store.count(Query(name, group=True)) for name in ("calls", "bookings", "slots")]) != before:
        before = now
        await asyncio.sleep(0.05)
