"""Bookings that were left under way in an outside calendar, brought to their ends: what the reaper calls."""

import logging
from dataclasses import dataclass, replace
from datetime import datetime
from zoneinfo import ZoneInfo

from switchboard.contract.business import Business, read_business
from switchboard.contract.error import ToolError
from switchboard.contract.ports import BusinessPaths, Paths, Store
from switchboard.contract.store import Document, Filter, Order, Query, StoreError
from switchboard.desk.booking import Booking, read_booking
from switchboard.desk.saga import Saga

log = logging.getLogger(__name__)

# How many one look takes up; the next look takes the rest.
_AT_ONCE = 25


@dataclass(frozen=True, slots=True)
class _Place:
    business: Business
    paths: BusinessPaths


class UnfinishedBookings:
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
        query = Query(
            "bookings",
            filters=(Filter("leaseUntil", "<=", now),),
            order=(Order("leaseUntil"),),
            limit=_AT_ONCE,
            group=True,
        )
        ended = 0
        for document in await self._store.query(query):
            try:
                ended += await self._ended(document, now)
            except (ToolError, StoreError) as error:
                log.warning("booking still under way", extra={"reason": type(error).__name__, "pii.detail": str(error)})
        return ended

    async def _ended(self, document: Document, now: datetime) -> bool:
        booking = read_booking(document)
        if booking is None or not booking.business_id:
            return False
        paths = self._paths.within(booking.business_id)
        if paths.document("bookings", booking.id) != document.path:
            # It names another business than the one it lies in.
            return False
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
