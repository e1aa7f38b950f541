"""What is in the business's calendar, as far as a caller may know it (seed 001, "list_events").

A caller learns when the business is busy, and what the caller's own appointments are; nothing else of anybody else.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from switchboard.contract.context import CallContext
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.ports import Calendar, Store
from switchboard.contract.store import Filter, Order, Query, StoreError
from switchboard.desk.booking import Booking, read_booking
from switchboard.desk.busy import LONGEST_MINUTES, BusyTimes
from switchboard.desk.calendars import calendar_in_use
from switchboard.desk.hours import check_year
from switchboard.desk.outage import unreadable
from switchboard.desk.ownership import identify
from switchboard.desk.visit import longest_reach

# Without an end, events are looked for this far; no business takes bookings for longer.
_FARTHEST = timedelta(days=731)
_READ_AT_ONCE = 250


@dataclass(frozen=True, slots=True)
class Event:
    """A stretch of time that is taken; times are UTC.

    Attributes:
        own: The caller's own booking behind it, None for anybody else's.
        is_all_day: Whether it was entered for days and not for times.
    """

    start: datetime
    end: datetime
    own: Booking | None = None
    is_all_day: bool = False


class Agenda:
    """Lists what is taken."""

    def __init__(self, store: Store, busy: BusyTimes) -> None:
        """Read bookings from `store`, and entries from the calendars that `busy` reads."""
        self._store = store
        self._busy = busy

    async def events(
        self, ctx: CallContext, time_min: datetime, time_max: datetime | None, limit: int
    ) -> tuple[Event, ...]:
        """Return at most `limit` events that overlap [time_min, time_max), in order of time; repeating ones one by one.

        What keeps nobody out, such as a birthday, is left out.

        Raises:
            ToolError: VALIDATION when the times are in the wrong order or absurd; TRANSIENT, AUTH, RATE_LIMIT or
                PERMANENT when the calendar cannot be read.
        """
        check_year(time_min)
        start = time_min.astimezone(UTC)
        if time_max is not None:
            check_year(time_max)
        end = start + _FARTHEST if time_max is None else time_max.astimezone(UTC)
        if end <= start:
            raise ToolError(ErrorType.VALIDATION, "time_max must be later than time_min. Leave it out to list on.")
        calendar = await calendar_in_use(self._busy.calendars, ctx.business)
        try:
            if calendar is None:
                events = await self._bookings(ctx, start, end)
            else:
                events = await self._entries(ctx, calendar, start, end)
        except StoreError as error:
            raise unreadable("calendar", error) from error
        return tuple(sorted(events, key=lambda e: (e.start, e.end))[:limit])

    async def _bookings(self, ctx: CallContext, start: datetime, end: datetime) -> list[Event]:
        query = Query(
            ctx.paths.collection("bookings"),
            filters=(
                Filter("start", ">=", start - longest_reach(ctx.business, LONGEST_MINUTES)),
                Filter("start", "<", end),
            ),
            order=(Order("start"),),
            limit=_READ_AT_ONCE,
        )
        found = [booking for booking in map(read_booking, await self._store.query(query)) if booking is not None]
        held = [b for b in found if b.is_active and b.end > start]
        own = await self._own(ctx, held)
        return [Event(b.start, b.end, b if b.id in own else None) for b in held]

    async def _entries(self, ctx: CallContext, calendar: Calendar, start: datetime, end: datetime) -> list[Event]:
        entries = [e for e in await calendar.entries(start, end, _READ_AT_ONCE) if e.is_busy and not e.is_cancelled]
        ids = sorted({entry.booking_id for entry in entries if entry.booking_id})
        documents = await self._store.get_many([ctx.paths.document("bookings", id) for id in ids]) if ids else []
        own = await self._own(ctx, [b for d in documents if d is not None and (b := read_booking(d)) is not None])
        return [
            Event(e.start.astimezone(UTC), e.end.astimezone(UTC), own.get(e.booking_id), e.is_all_day) for e in entries
        ]

    async def _own(self, ctx: CallContext, bookings: Sequence[Booking]) -> dict[str, Booking]:
        identity = await identify(self._store, ctx)
        return {booking.id: booking for booking in bookings if identity.owns(booking)}
