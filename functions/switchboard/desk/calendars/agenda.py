"""What is in the business's calendar, as far as a caller may know it (seed 001).

A caller learns when the business is busy, and what the caller's own appointments are; nothing else of anybody else.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta

from switchboard.contract.business.business import Business
from switchboard.contract.business.calendar import CalendarEntry
from switchboard.contract.business.resources import PERSON
from switchboard.contract.context import CallContext
from switchboard.contract.error import ErrorType, ToolError, unreadable
from switchboard.contract.ports import Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Filter, Order, Query, StoreError
from switchboard.contract.vendors import OUTSIDE_CALENDARS
from switchboard.desk.bookings.booking import Booking, read_booking
from switchboard.desk.bookings.duration import longest_reach
from switchboard.desk.bookings.hours import Stretch, check_year
from switchboard.desk.bookings.ownership import identify
from switchboard.desk.calendars.calendars import outside_entries
from switchboard.desk.calendars.entries import is_at
from switchboard.desk.calendars.free_busy import LONGEST_MINUTES, BusyTimes
from switchboard.desk.calendars.outside_entries import OutsideCalendar

# Without an end, events are looked for this far; no business takes bookings for longer.
_FARTHEST = timedelta(days=731)
_READ_AT_ONCE = 250


@dataclass(frozen=True, slots=True)
class Event:
    """A stretch of time that is taken; times are UTC.

    Attributes:
        own: The caller's own booking behind it, None for anybody else's.
        is_all_day: Whether it was entered for days and not for times.
        whose: The names of those whose time it takes; none where it is the whole house's.
    """

    start: datetime
    end: datetime
    own: Booking | None = None
    is_all_day: bool = False
    whose: tuple[str, ...] = ()


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

        What keeps nobody out, such as a birthday, is left out. The calendars of people's own are listed with that of
        the house; one that must be connected again takes its owner's time as a whole.

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
        business, time = ctx.business, Stretch(start, end)
        is_built_in = business.calendar not in OUTSIDE_CALENDARS
        try:
            listed = await outside_entries(self._busy.calendars, business, time, _READ_AT_ONCE)
            bookings = await self._bookings(ctx, start, end) if is_built_in else []
            events = await self._events(ctx, bookings, listed)
        except StoreError as error:
            raise unreadable("calendar", error) from error
        return tuple(sorted(events, key=lambda e: (e.start, e.end, e.whose))[:limit])

    async def _bookings(self, ctx: CallContext, start: datetime, end: datetime) -> list[Booking]:
        query = Query(
            ctx.paths.collection("bookings"),
            filters=(
                Filter("start", ">=", start - longest_reach(ctx.business, LONGEST_MINUTES)),
                Filter("start", "<", end),
            ),
            order=(Order("start"),),
            limit=_READ_AT_ONCE,
        )
        bookings = [booking for booking in map(read_booking, await self._store.query(query)) if booking is not None]
        return [b for b in bookings if b.is_active and b.end > start]

    async def _events(
        self,
        ctx: CallContext,
        bookings: Sequence[Booking],
        listed: Iterable[tuple[OutsideCalendar, Sequence[CalendarEntry]]],
    ) -> list[Event]:
        """Return bookings, and the entries that stand for none of them."""
        by_id = {booking.id: booking for booking in bookings}
        entries = [(it, e) for it, booking_entry in listed for e in booking_entry if e.is_busy and not e.is_cancelled]
        ids = sorted({entry.booking_id for _, entry in entries if entry.booking_id} - by_id.keys())
        documents = await self._store.get_many([ctx.paths.document("bookings", id) for id in ids]) if ids else []
        named = [b for d in documents if d is not None and (b := read_booking(d)) is not None]
        known = by_id | {booking.id: booking for booking in named}
        own = await self._own(ctx, list(known.values()))
        events = [Event(b.start, b.end, own.get(b.id), whose=_people(b)) for b in bookings]
        for calendar, entry in entries:
            booking = known.get(entry.booking_id)
            if booking is not None and booking.id in by_id and is_at(entry, booking):
                continue
            is_known = booking is not None and calendar.may_have(booking)
            names = _people(booking) if booking is not None and is_known else _owners(ctx.business, calendar)
            start, end = entry.start.astimezone(UTC), entry.end.astimezone(UTC)
            # An entry that was left over, or put elsewhere by hand, takes time and is no appointment.
            is_one = booking is not None and booking.is_active and is_at(entry, booking)
            events.append(Event(start, end, own.get(entry.booking_id) if is_one else None, entry.is_all_day, names))
        return events

    async def _own(self, ctx: CallContext, bookings: Sequence[Booking]) -> dict[str, Booking]:
        identity = await identify(self._store, ctx)
        return {booking.id: booking for booking in bookings if identity.owns(booking)}


def _people(booking: Booking) -> tuple[str, ...]:
    return tuple(one.name for one in booking.taken.resources if one.kind == PERSON)


def _owners(business: Business, calendar: OutsideCalendar) -> tuple[str, ...]:
    return tuple(own.name for own in business.resources if own.id in calendar.whose)
