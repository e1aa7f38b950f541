"""When a business is taken: its own bookings and whatever its outside calendar reports, read once for many callers."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import field, replace
from datetime import date
from typing import TypeAlias

from switchboard.contract.business.business import Business
from switchboard.contract.business.resources import Resource, read_resources
from switchboard.contract.business.working_hours import WorkingHours, read_working_hours
from switchboard.contract.cache import Cache
from switchboard.contract.context import CallContext
from switchboard.contract.error import unreadable
from switchboard.contract.ports import BusinessPaths, Calendars, Clock, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Document, Filter, Order, Query, StoreError
from switchboard.desk.bookings.booking import Booking, read_booking
from switchboard.desk.bookings.duration import longest_reach
from switchboard.desk.bookings.hours import Stretch, local_days, whole_days
from switchboard.desk.calendars.calendars import outside_times
from switchboard.desk.calendars.grid import span_of, steps_between
from switchboard.desk.calendars.outside_entries import WHOLE_HOUSE, OutsideTime, named_in, told_apart
from switchboard.desk.resources.occupancy import Occupancy

# As long as a caller's view may be old. The claim itself never trusts it, so a stale view costs at most a wrong offer.
_SHARED_S = 1.0
_KEPT_VIEWS = 256
# The longest appointment that book_appointment makes (seed 001).
LONGEST_MINUTES = 480

_Key: TypeAlias = tuple[str, date, date]


@dataclass(frozen=True, slots=True)
class _Taken:
    """What a read has brought: bookings, and the time that outside calendars take beside them.

    `resources` and `hours` are the business's as they stood in the store; None where nobody has looked.
    """

    bookings: tuple[Booking, ...]
    outside: OutsideTime
    resources: Mapping[str, Resource] | None = None
    hours: WorkingHours | None = None
    made: list[tuple[Business, Occupancy]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class BusyView:
    """What was taken on some local days when it was read.

    Attributes:
        number: The read it comes from; a later read has a higher number.
        time: Those days, in UTC.
    """

    number: int
    time: Stretch
    _taken: _Taken

    @property
    def bookings(self) -> tuple[Booking, ...]:
        """The business's bookings, also those that are being made or cancelled."""
        return self._taken.bookings

    def within(self, time: Stretch) -> "BusyView":
        """Return the part that lies in a stretch of UTC time."""
        steps = steps_between(time.start, time.end)
        known = (booking for booking in self.bookings if booking.overlaps(steps))
        return BusyView(self.number, time, replace(self._taken, bookings=tuple(known), made=[]))

    def lacking(self, ids: Set[str]) -> "BusyView":
        """Return it as it would be without some bookings; what an outside calendar tells of them stays."""
        known = tuple(booking for booking in self.bookings if booking.id not in ids)
        return BusyView(self.number, self.time, replace(self._taken, bookings=known, made=[]))

    def occupancy(self, business: Business, without: str = "", also: Sequence[Booking] = ()) -> Occupancy:
        """Return what is free of what a business has; worked out once for everybody who asks.

        Args:
            business: As it is today.
            without: A booking that does not count, as it is to be moved.
            also: Others that count, as they are being made.
        """
        if without or also:
            return self._occupancy(business, (*self.bookings, *also), without)
        if not self._taken.made or self._taken.made[0][0] is not business:
            self._taken.made[:] = [(business, self._occupancy(business, self.bookings))]
        return self._taken.made[0][1]

    def _occupancy(self, business: Business, bookings: Sequence[Booking], without: str = "") -> Occupancy:
        hours = self._taken.hours if self._taken.hours != business.working_hours else None
        return Occupancy(self._as_read(business), self.time, bookings, self._taken.outside, without, hours)

    def _as_read(self, business: Business) -> Business:
        """Return a business whose people and rooms are as they were read: an absence counts at once, everywhere."""
        known = self._taken.resources
        if known is None:
            return business
        return replace(business, resources=tuple(known[own.id] for own in business.resources if own.id in known))


class BusyTimes:
    """Reads what is taken; for the same business and days, once for everybody who asks within a second."""

    def __init__(self, store: Store, clock: Clock, calendars: Calendars) -> None:
        """Read from `store`, and from the business's own of `calendars` where it has an outside one."""
        self._store = store
        self.clock = clock
        self.calendars = calendars
        self._reads: Cache[_Key, _Taken] = Cache(clock, _SHARED_S, _KEPT_VIEWS, stale_s=0, remembers_failures=False)

    async def around(self, ctx: CallContext, time: Stretch, newer_than: int = 0) -> BusyView:
        """Return what is taken on the local days that [start, end) touches.

        Args:
            ctx: Names the business.
            time: The stretch of interest, aware.
            newer_than: The number of a view that is known to be outdated.

        Raises:
            ToolError: TRANSIENT when the store does not answer, or what the outside calendar raised.
        """
        # Whole days, so that callers who ask for different hours share one read.
        days, whole = local_days(ctx.business.timezone, time), whole_days(ctx.business.timezone, time)
        try:
            reading = await self._reads.get(
                (ctx.paths.business, *days),
                lambda: self._read_anew(ctx, whole),
                newer_than,
            )
        except StoreError as error:
            raise unreadable("calendar", error) from error
        return BusyView(reading.number, whole, reading.value)

    def forget(self, paths: BusinessPaths) -> None:
        """Drop every view of a business: a booking was made, moved or cancelled here."""
        self._reads.drop_where(lambda key: key[0] == paths.business)

    async def unshared(self, business: Business, paths: BusinessPaths, time: Stretch) -> BusyView:
        """Return what is taken in a stretch of UTC time, read for this alone; the business may be one as it would be.

        Raises:
            StoreError: The store does not answer.
            ToolError: What the outside calendar raised.
        """
        return BusyView(0, time, await self._read(business, paths, time))

    async def _read_anew(self, ctx: CallContext, time: Stretch) -> _Taken:
        # The business of a call may be a minute old, and in that minute somebody may have gone home, or closed a day.
        taken, document = await asyncio.gather(
            self._read(ctx.business, ctx.paths, time), self._store.get(ctx.paths.business)
        )
        if document is None:
            return taken
        known = document.data.get("workingHours")
        hours = None if known is None else read_working_hours(known, "workingHours", [])
        if not ctx.business.resources:
            return replace(taken, hours=hours)
        resources = read_resources(document.data.get("resources"), [])
        return replace(taken, hours=hours, resources={resource.id: resource for resource in resources})

    async def is_in_the_way(self, business: Business, paths: BusinessPaths, booking: Booking, target: Booking) -> bool:
        """Tell whether any outside calendar has something against a booking, which somebody entered a moment ago.

        Asked are the calendars of everybody and everything that it takes, of the house, and the one that it stands in.

        Args:
            business: Whose it is; it has people or rooms.
            paths: Where its documents are.
            booking: As it is; what is entered for it is not in its way.
            target: As it will be.

        Raises:
            StoreError: The store does not answer.
            ToolError: What a calendar raised.
        """
        claims = target.claims
        time = Stretch(*span_of(claims))
        read = await outside_times(self.calendars, business, time, target)
        others = await self._named(paths, named_in(read) - {booking.id})
        outside = told_apart(business, read, [booking, *others])
        alone = {r.id for r in business.resources if r.capacity == 1}
        ids = {one.id for one in target.taken.resources}
        keep_out = [outside.steps.get(name, frozenset[int]()) for name in (*ids, WHOLE_HOUSE)]
        for displaced in outside.displaced:
            own = {one.id for one in displaced.taken.resources}
            # In a class there may be room for both.
            if displaced.booking_id != booking.id and (not own or own & ids & alone):
                keep_out.append(displaced.steps)
        return any(not steps.isdisjoint(claims) for steps in keep_out)

    async def _read(self, business: Business, paths: BusinessPaths, time: Stretch) -> _Taken:
        bookings_read, read = await asyncio.gather(
            self._found(business, paths, time), outside_times(self.calendars, business, time)
        )
        # An appointment of another day may have been put here by hand, and one of this day made while both were read.
        named = await self._named(paths, named_in(read) - {booking.id for booking in bookings_read})
        bookings = tuple(booking for booking in bookings_read if booking.is_active)
        return _Taken(bookings, told_apart(business, read, [*bookings_read, *named]))

    async def _named(self, paths: BusinessPaths, ids: Iterable[str]) -> list[Booking]:
        """Return those of some bookings that there are; an id that somebody else wrote may be any text."""
        paths_named = [paths.document("bookings", id) for id in sorted(ids)]
        documents = await self._store.get_many(paths_named) if paths_named else []
        return list(_readable(document for document in documents if document is not None))

    async def booked(self, business: Business, paths: BusinessPaths, time: Stretch) -> tuple[Booking, ...]:
        """Return the bookings that hold time in a stretch of UTC time, and some near it; no outside calendar is asked.

        Raises:
            StoreError: The store does not answer.
        """
        return tuple(booking for booking in await self._found(business, paths, time) if booking.is_active)

    async def _found(self, business: Business, paths: BusinessPaths, time: Stretch) -> list[Booking]:
        reach = longest_reach(business, LONGEST_MINUTES)
        # A range on `start` alone needs no composite index; the few cancelled bookings in it are dropped by who asks.
        query = Query(
            paths.collection("bookings"),
            filters=(Filter("start", ">=", time.start - reach), Filter("start", "<", time.end + reach)),
            order=(Order("start"),),
        )
        return list(_readable(await self._store.query(query)))


def _readable(documents: Iterable[Document]) -> Iterable[Booking]:
    for document in documents:
        booking = read_booking(document)
        if booking is not None:
            yield booking
