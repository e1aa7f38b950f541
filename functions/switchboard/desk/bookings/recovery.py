"""Bookings that were left under way in an outside calendar, brought to their ends: what the reaper calls.

Each is tried by itself. One that cannot even be read, or breaks what tries it, is left alone for longer and longer, and
in the end for people to see: `givenUp` says why.
"""

import asyncio
import logging
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from switchboard.contract.business.business import Business, read_business
from switchboard.contract.document import integer
from switchboard.contract.error import ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import BusinessPaths, Paths, Store
from switchboard.contract.store import DELETE_FIELD, Document, Filter, Missing, Order, Query, Stale, StoreError, Update
from switchboard.desk.bookings.booking import Booking, read_booking
from switchboard.desk.bookings.saga import Saga
from switchboard.desk.messaging.due_times import pause_after

log = logging.getLogger(__name__)

# How many make a page, how many pages one look takes up, and how many are worked on side by side.
_PAGE, _PAGES, _AT_ONCE = 25, 40, 8
# So often is one tried that cannot be read, within some two hours.
_MOST_TRIES = 12
_TROUBLE = ("recoveries", "givenUp", "givenUpAt")
_FIRST_PAUSE, _LONGEST_PAUSE = timedelta(seconds=30), timedelta(minutes=15)


@dataclass(frozen=True, slots=True)
class _Place:
    business: Business
    paths: BusinessPaths


class UnusableBooking(ValueError):
    """A stored booking with which nothing can be done; the message says why."""


class BookingRecovery:
    """Finds, over all businesses, bookings whose workers have died or whose calendars did not answer."""

    def __init__(self, store: Store, paths: Paths, saga: Saga) -> None:
        """Look in `store`, and let `saga` bring them to their ends."""
        self._store = store
        self._paths = paths
        self._saga = saga

    async def recover(self, now: datetime) -> int:
        """Take up bookings whose lease has run out by `now`; return how many of them stand still afterwards.

        A calendar that does not answer, or must be connected again, is asked again later, less and less often. When
        the time of an appointment is over, what is under way with it ends without the calendar.

        Raises:
            StoreError: The store cannot be asked.
        """
        ended, after, room = 0, None, asyncio.Semaphore(_AT_ONCE)
        for _ in range(_PAGES):
            query = Query(
                "bookings",
                filters=(Filter("leaseUntil", "<=", now),),
                order=(Order("leaseUntil"),),
                limit=_PAGE,
                start_after=after,
                group=True,
            )
            page = await self._store.query(query)
            ended += sum(await asyncio.gather(*(self._tried(document, now, room) for document in page)))
            if len(page) < _PAGE:
                break
            after = (page[-1].data["leaseUntil"], page[-1].path)
        return ended

    async def _tried(self, document: Document, now: datetime, room: asyncio.Semaphore) -> bool:
        async with room:
            found = await asyncio.gather(self._ended(document, now), return_exceptions=True)
        ended = found[0]
        if isinstance(ended, bool):
            if ended and "recoveries" in document.data:
                await self._change(Update(document.path, dict.fromkeys(_TROUBLE, DELETE_FIELD)))
            return ended
        if not isinstance(ended, Exception):
            raise ended
        log.warning("booking still under way", extra={"reason": type(ended).__name__, "pii.detail": str(ended)})
        if not isinstance(ended, ToolError | StoreError):
            # Whoever took it up has left it for later; what never came so far would be the first again and again.
            await self._put_off(document, now, ended)
        return False

    async def _put_off(self, document: Document, now: datetime, error: Exception) -> None:
        tries = integer(document.data.get("recoveries")) + 1
        why = str(error) if isinstance(error, UnusableBooking) else type(error).__name__
        pause = pause_after(tries, _FIRST_PAUSE, _LONGEST_PAUSE)
        fields: JsonObject = {"recoveries": tries, "leaseUntil": now + pause}
        if tries >= _MOST_TRIES:
            log.error("booking given up", extra={"path": document.path, "reason": why})
            fields |= {"givenUp": why, "givenUpAt": now}
            if isinstance(error, UnusableBooking):
                # Nobody can ever go on with it.
                fields["leaseUntil"] = DELETE_FIELD
        await self._change(Update(document.path, fields, if_update_time=document.update_time))

    async def _change(self, write: Update) -> None:
        try:
            await self._store.commit([write])
        except (Stale, Missing):
            # Somebody has taken it up.
            return
        except StoreError as failure:
            log.warning("booking not marked", extra={"reason": type(failure).__name__, "pii.detail": str(failure)})

    async def _ended(self, document: Document, now: datetime) -> bool:
        booking = read_booking(document)
        if booking is None or not booking.business_id:
            raise UnusableBooking("it has no usable time, or names no business")
        paths = self._paths.within(booking.business_id)
        if paths.document("bookings", booking.id) != document.path:
            raise UnusableBooking("it names another business than the one it lies in")
        place = _Place(await self._business(paths, booking), paths)
        if booking.end <= now:
            booking = await self._saga.abandon(place, booking)
        else:
            booking = await self._saga.finish(place, booking)
        return not booking.is_under_way

    async def _business(self, paths: BusinessPaths, booking: Booking) -> Business:
        document = await self._store.get(paths.business)
        found = read_business(booking.business_id, document.data if document is not None else {})
        # Words are told in the zone in which it was booked, also for a business that is gone.
        return found if document is not None else replace(found, timezone=ZoneInfo(booking.timezone))
