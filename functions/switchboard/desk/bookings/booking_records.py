"""Bookings as documents: read, and changed only by whoever has seen their latest state."""

import uuid
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from switchboard.contract.context import Premises
from switchboard.contract.ports import Store
from switchboard.contract.store import DELETE_FIELD, AlreadyExists, Stale, Unavailable, Update, Write
from switchboard.desk.bookings.booking import CANCELLED, Booking, read_booking
from switchboard.desk.calendars.free_busy import BusyTimes

# The changes after which nothing is under way.
AT_REST: dict[str, Any] = {"lease_until": None, "worker": "", "attempts": 0}
# How long whoever works on a booking has it to himself: longer than a drive takes, and less than its call belongs to
# the instance that started it (`policy.CALL_LEASE_S`), so that whoever takes up the call finds the booking free.
LEASE = timedelta(seconds=20)
# A calendar that stays away is asked less and less often.
_LONGEST_LEASE = timedelta(minutes=15)


def taken_up(now: datetime, attempts: int = 0) -> dict[str, Any]:
    """Return the changes by which somebody takes up work on a booking, given how often that was done before."""
    patience = min(LEASE * 2 ** max(0, min(attempts, 10) - 1), _LONGEST_LEASE)
    return {"lease_until": now + patience, "worker": uuid.uuid4().hex[:12], "attempts": attempts + 1}


class BookingRecords:
    """The documents of bookings."""

    def __init__(self, store: Store, busy: BusyTimes) -> None:
        """Keep them in `store`; `busy` forgets what it has seen whenever one changes."""
        self._store = store
        self._busy = busy

    async def read(self, premises: Premises, id: str) -> Booking | None:
        """Return a booking as it is stored.

        Raises:
            StoreError: It cannot be read.
        """
        document = await self._store.get(record_path(premises, id))
        return read_booking(document) if document is not None else None

    async def save(self, premises: Premises, booking: Booking, writes: Sequence[Write] = (), **changes: Any) -> Booking:
        """Change a booking, and carry out other writes with it, unless somebody has changed it since it was read.

        Returns:
            The booking as it is stored now: changed, or as somebody else has changed it.

        Raises:
            StoreError: Nobody can say.
        """
        return (await self.changed(premises, booking, writes, **changes))[0]

    async def changed(
        self, premises: Premises, booking: Booking, writes: Sequence[Write] = (), **changes: Any
    ) -> tuple[Booking, bool | None]:
        """Do what `save` does; return beside it whether it was somebody else who changed it.

        None where the answer was lost and the booking is another one by now: it may have been either. Whoever made a
        document of their own with it can look for that.

        Raises:
            StoreError: Nobody can say.
        """
        now = self._busy.clock.now()
        changed = replace(booking, **changes, updated_at=now)
        old, new = booking.to_document(), changed.to_document()
        data = {name: value for name, value in new.items() if name not in old or old[name] != value}
        data |= dict.fromkeys(old.keys() - new.keys(), DELETE_FIELD)
        update = Update(record_path(premises, booking.id), data, if_update_time=booking.revision)
        try:
            results = await self._store.commit([update, *writes])
        except (Stale, AlreadyExists):
            return await self.again(premises, booking), True
        except Unavailable:
            stored = await self.again(premises, booking)
            if stored.revision == booking.revision:
                raise
            return stored, None
        finally:
            self._busy.forget(premises.paths)
        return replace(changed, revision=results[0].update_time), False

    async def again(self, premises: Premises, booking: Booking) -> Booking:
        """Return a booking as it is stored by now.

        Raises:
            StoreError: It cannot be read.
        """
        booking_again = await self.read(premises, booking.id)
        # An owner may have deleted it by hand: then nothing is under way any more.
        return booking_again if booking_again is not None else replace(booking, status=CANCELLED, move=None, **AT_REST)


def record_path(premises: Premises, id: str) -> str:
    """Return the path of a booking's document."""
    return premises.paths.document("bookings", id)
