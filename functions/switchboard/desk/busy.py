"""When a business is taken: its own bookings and whatever its outside calendar reports, read once for many callers."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TypeAlias

from switchboard.contract.context import CallContext
from switchboard.contract.ports import BusinessPaths, Calendar, Calendars, Clock, Store
from switchboard.contract.store import Document, Filter, Order, Query, StoreError
from switchboard.desk.booking import Booking, read_booking
from switchboard.desk.calendars import calendar_in_use
from switchboard.desk.grid import steps_between
from switchboard.desk.hours import Stretch, day_bounds
from switchboard.desk.outage import unreadable
from switchboard.desk.shared_read import SharedReads
from switchboard.desk.visit import longest_reach

# As long as a caller's view may be old. The claim itself never trusts it, so a stale view costs at most a wrong offer.
_SHARED_S = 1.0
_KEPT_VIEWS = 256
# The longest appointment that book_appointment makes (seed 001, "create_event").
LONGEST_MINUTES = 480

_Key: TypeAlias = tuple[str, date, date]


@dataclass(frozen=True, slots=True)
class BusyView:
    """What was taken on some local days when it was read.

    Attributes:
        number: The read it comes from; a later read has a higher number.
        taken: Every grid step that somebody holds.
        bookings: The business's bookings behind them, also those that are being made or cancelled.
    """

    number: int
    taken: frozenset[int]
    bookings: tuple[Booking, ...]

    def is_free(self, steps: range) -> bool:
        """Tell whether nobody holds any of the steps."""
        return self.taken.isdisjoint(steps)


class BusyTimes:
    """Reads what is taken; for the same business and days, once for everybody who asks within a second."""

    def __init__(self, store: Store, clock: Clock, calendars: Calendars) -> None:
        """Read from `store`, and from the business's own of `calendars` where it has an outside one."""
        self._store = store
        self.clock = clock
        self.calendars = calendars
        self._reads: SharedReads[_Key, tuple[frozenset[int], tuple[Booking, ...]]] = SharedReads(
            clock, _SHARED_S, _KEPT_VIEWS
        )

    async def around(self, ctx: CallContext, time: Stretch, newer_than: int = 0) -> BusyView:
        """Return what is taken on the local days that [start, end) touches.

        Args:
            ctx: Names the business.
            time: The stretch of interest, aware.
            newer_than: The number of a view that is known to be outdated.

        Raises:
            ToolError: TRANSIENT when the store does not answer, or what the outside calendar raised.
        """
        zone = ctx.business.timezone
        # Whole days, so that callers who ask for different hours share one read.
        first = time.start.astimezone(zone).date()
        last = (time.end - timedelta(microseconds=1)).astimezone(zone).date()
        try:
            reading = await self._reads.get(
                (ctx.paths.business, first, last),
                lambda: self._read(ctx, day_bounds(zone, first, last)),
                newer_than,
            )
        except StoreError as error:
            raise unreadable("calendar", error) from error
        return BusyView(reading.number, *reading.value)

    def forget(self, paths: BusinessPaths) -> None:
        """Drop every view of a business: a booking was made, moved or cancelled here."""
        self._reads.forget(lambda key: key[0] == paths.business)

    async def _read(self, ctx: CallContext, time: Stretch) -> tuple[frozenset[int], tuple[Booking, ...]]:
        calendar = await calendar_in_use(self.calendars, ctx.business)
        if calendar is None:
            bookings, taken = await self._bookings(ctx, time), frozenset[int]()
        else:
            bookings, taken = await asyncio.gather(self._bookings(ctx, time), _outside(calendar, time))
        return taken.union(*(b.held for b in bookings)), bookings

    async def _bookings(self, ctx: CallContext, time: Stretch) -> tuple[Booking, ...]:
        reach = longest_reach(ctx.business, LONGEST_MINUTES)
        # A range on `start` alone needs no composite index; the few cancelled bookings in it are dropped here.
        query = Query(
            ctx.paths.collection("bookings"),
            filters=(Filter("start", ">=", time.start - reach), Filter("start", "<", time.end + reach)),
            order=(Order("start"),),
        )
        found = await self._store.query(query)
        return tuple(booking for booking in _readable(found) if booking.is_active)


def _readable(documents: Iterable[Document]) -> Iterable[Booking]:
    for document in documents:
        booking = read_booking(document)
        if booking is not None:
            yield booking


async def _outside(calendar: Calendar, time: Stretch) -> frozenset[int]:
    events = await calendar.busy(time.start, time.end)
    return frozenset[int]().union(*(steps_between(event.start, event.end) for event in events))
