"""Gives an appointment that has lost its person or room to somebody who is free, in one commit, once.

Nothing about it changes for the caller but with whom it is: time, service and reference stay.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from switchboard.contract.business.business import Business
from switchboard.contract.business.resources import Resource
from switchboard.contract.context import Premises
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.ports import Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Document, Filter, Order, Query, StoreError, Write
from switchboard.contract.vendors import OUTSIDE_CALENDARS
from switchboard.desk.bookings.assignment import Assignment
from switchboard.desk.bookings.booking import CANCELLED, CANCELLING, Booking, read_booking
from switchboard.desk.bookings.booking_records import taken_up
from switchboard.desk.bookings.duration import longest_reach
from switchboard.desk.bookings.hours import Stretch, whole_days
from switchboard.desk.bookings.request import guarded
from switchboard.desk.bookings.saga import Saga
from switchboard.desk.calendars.free_busy import LONGEST_MINUTES, BusyTimes
from switchboard.desk.calendars.grid import MOST_SLOTS, claiming, freeing
from switchboard.desk.resources.placement import Lost, Placement, keeps_its_calendar, staying, visit_of, who_could

log = logging.getLogger(__name__)

MOST_LOOKED_AT = 1_000
"""So many appointments to come are looked at."""
_ATTEMPTS = 4

Note = Callable[[Booking, Booking], Sequence[Write]]
"""Returns what is written along with an appointment that is given to somebody, as it was and as it is."""


@dataclass(frozen=True, slots=True)
class LookedAt:
    """Appointments that are looked at, and what decides whether they can be.

    Attributes:
        bookings: These, the soonest first.
        beside: What else holds time with them, also what has begun; these may be among it.
        at: When they were read.
        are_all: Whether these are all there are to come.
    """

    bookings: tuple[Booking, ...]
    beside: tuple[Booking, ...]
    at: datetime
    are_all: bool = True

    def placement(self, business: Business) -> Placement:
        """Return who can still take them in a business, which may be one as it would be."""
        every = {booking.id: booking for booking in (*self.beside, *self.bookings)}
        return Placement(business, tuple(every.values()), self.at)


async def upcoming(premises: Premises, store: Store, now: datetime, most: int = MOST_LOOKED_AT) -> LookedAt:
    """Return the appointments that have not begun and hold their time; of more than `most`, the soonest are looked at.

    Raises:
        StoreError: They cannot be read.
    """
    bookings, by_start = premises.paths.collection("bookings"), (Order("start"),)
    since = now - longest_reach(premises.business, LONGEST_MINUTES)
    begun, documents = await asyncio.gather(
        store.query(Query(bookings, (Filter("start", ">=", since), Filter("start", "<", now)), by_start)),
        store.query(Query(bookings, (Filter("start", ">=", now),), by_start, limit=most + 1)),
    )
    return LookedAt(_holding(documents[:most]), _holding(begun), now, len(documents) <= most)


def _holding(documents: Iterable[Document]) -> tuple[Booking, ...]:
    read = map(read_booking, documents)
    return tuple(booking for booking in read if booking is not None and booking.is_active)


class Assigning:
    """Finds somebody else for appointments. What the store raises passes through."""

    def __init__(self, store: Store, busy: BusyTimes, saga: Saga) -> None:
        """Change bookings in `store`; `saga` makes outside calendars agree."""
        self._store, self._busy, self._saga = store, busy, saga

    async def upcoming(self, premises: Premises, most: int = MOST_LOOKED_AT) -> LookedAt:
        """Return the appointments that have not begun and hold their time, as the function of this name does."""
        return await upcoming(premises, self._store, self._busy.clock.now(), most)

    async def looked_at(self, premises: Premises, bookings: Sequence[Booking]) -> LookedAt:
        """Return some bookings with whatever holds time on their local days: it decides what is full."""
        now, beside = self._busy.clock.now(), tuple[Booking, ...]()
        if bookings:
            days = [_days(premises.business, booking) for booking in bookings]
            beside = await self._busy.booked(premises.business, premises.paths, _span(days))
        return LookedAt(tuple(bookings), beside, now)

    async def who_could(
        self, premises: Premises, concerned: Sequence[tuple[Booking, Sequence[Lost]]]
    ) -> list[tuple[Resource, ...] | None]:
        """Return for each of some appointments who, or what, could take the place of what it has lost.

        None instead where nobody can tell, as an outside calendar does not answer.
        """
        if not concerned:
            return []
        business, days = premises.business, [_days(premises.business, booking) for booking, _ in concerned]
        try:
            view = await self._busy.unshared(business, premises.paths, _span(days))
        except ToolError as error:
            log.warning("calendar not read", extra={"pii.detail": error.detail or error.message})
            return [None] * len(concerned)
        resources: list[tuple[Resource, ...] | None] = []
        for (booking, lost), day in zip(concerned, days, strict=True):
            there = staying(business, booking)
            occupancy = view.within(day).occupancy(there, without=booking.id)
            resources.append(tuple(who_could(there, booking, lost, occupancy)))
            await asyncio.sleep(0)
        return resources

    async def assign(self, premises: Premises, booking_id: str, to: str = "", note: Note | None = None) -> Booking:
        """Give an appointment to somebody who is free then; it keeps what it has, as far as that can be.

        Args:
            premises: Whose it is.
            booking_id: The appointment's reference.
            to: Whose it shall be, by id; empty for whoever can, and then one that lacks nothing stays as it is.
            note: What is written in the same commit.

        Returns:
            The appointment; `repeated` where there was nothing to do.

        Raises:
            ToolError: NOT_FOUND, there is no such appointment. VALIDATION, there is nobody of that id, or not for this.
                CONFLICT, it has begun or is over, nobody is free, or its entry would have to go to another calendar.
                TRANSIENT, it is being changed at this moment, or a calendar does not answer.
        """
        business = premises.business
        if to and to not in {resource.id for resource in business.resources}:
            raise ToolError(ErrorType.VALIDATION, f"There is nobody, and nothing, of the id {to[:60]!r} here.")
        for _ in range(_ATTEMPTS):
            booking = await self._changeable(premises, booking_id)
            target = await self._target(premises, booking, to)
            if target is None:
                return replace(booking, repeated=True)
            changed = await self._saved(premises, booking, target, note)
            if changed is not None:
                return changed
        raise ToolError(ErrorType.TRANSIENT, "This appointment is being changed too quickly; try again in a moment.")

    async def _changeable(self, premises: Premises, booking_id: str) -> Booking:
        booking = await self._saga.records.read(premises, booking_id)
        if booking is None:
            raise ToolError(ErrorType.NOT_FOUND, "There is no such appointment.")
        if booking.is_under_way:
            booking = await self._saga.finish(premises, booking)
        if not booking.stands or booking.start <= self._busy.clock.now():
            what = "was cancelled" if booking.status in (CANCELLED, CANCELLING) else "has begun or is over"
            raise ToolError(ErrorType.CONFLICT, f"This appointment {what}, so that nobody else can take it.")
        return booking

    async def _target(self, premises: Premises, booking: Booking, to: str) -> Booking | None:
        """Return the appointment as it would be; None where it stays as it is."""
        business, own = premises.business, booking.taken.ids
        visit = replace(visit_of(business, booking), person=to)
        view = await self._busy.unshared(business, premises.paths, _days(business, booking))
        placement = Placement(business, view.bookings, self._busy.clock.now())
        if (not to or to in own) and not placement.lost(booking):
            return None
        # Those first with whom its entry can stay where it is; that of anybody else tells why it cannot be theirs.
        tried = (view.occupancy(there, without=booking.id) for there in (staying(business, booking), business))
        taken = next(filter(None, (it.assignment(visit, booking.start, own) for it in tried)), None)
        if taken is None:
            who = next((r.name for r in business.resources if r.id == to), "Nobody who could take it")
            raise ToolError(
                ErrorType.CONFLICT, f"{who} is not free for this appointment then. Move it, or call the customer."
            )
        _check_calendar(business, booking, taken)
        target = replace(booking, taken=taken)
        return replace(target, taken=guarded(target, taken))

    async def _saved(self, premises: Premises, booking: Booking, target: Booking, note: Note | None) -> Booking | None:
        """Commit the change; None where somebody else has changed something meanwhile."""
        new, old = target.held - booking.held, booking.held - target.held
        if len(new) + len(old) > MOST_SLOTS:
            raise ToolError(ErrorType.CONFLICT, "This appointment is too long to be given to somebody else at once.")
        writes: list[Write] = [*claiming(premises.paths, booking.id, new), *freeing(premises.paths, old)]
        writes += note(booking, target) if note is not None else ()
        changes: dict[str, Any] = {"taken": target.taken}
        if booking.calendar_settings is not None:
            # The words of its entry say with whom it is.
            changes |= {"is_reworded": True, **taken_up(self._busy.clock.now())}
        changed = await self._saga.records.save(premises, booking, writes, **changes)
        if changed.taken != target.taken:
            return None
        if changed.worker and changed.worker == changes.get("worker"):
            try:
                return await self._saga.drive(premises, changed)
            except (ToolError, StoreError) as error:
                # Whoever brings to their ends what is under way tells it later.
                log.warning("calendar not told", extra={"pii.detail": repr(error)})
        return changed


def _days(business: Business, booking: Booking) -> Stretch:
    """Return the local days that a booking touches, whole, so that the least busy of a day can be told."""
    return whole_days(business.timezone, visit_of(business, booking).claimed(booking.start, booking.start))


def _span(stretches: Sequence[Stretch]) -> Stretch:
    return Stretch(min(one.start for one in stretches), max(one.end for one in stretches))


def _check_calendar(business: Business, booking: Booking, taken: Assignment) -> None:
    """Refuse to give away an appointment whose entry stands in a calendar where it then would not belong.

    Raises:
        ToolError: CONFLICT.
    """
    if not keeps_its_calendar(business, booking, taken):
        where = OUTSIDE_CALENDARS.get(booking.calendar, booking.calendar)
        raise ToolError(
            ErrorType.CONFLICT,
            f"This appointment stands in {where}, in a calendar that is not {taken.person or 'theirs'}'s, and is not "
            "taken from one calendar to another by itself. Cancel it and book it anew, with the customer's consent.",
        )
