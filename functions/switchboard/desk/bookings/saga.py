"""What is under way with a booking in an outside calendar, brought to its end by whoever comes.

That is the caller's own request, a repeated one, or the reaper. Our own
store decides, the calendar follows. Each step first commits what was decided, on condition that nobody has decided
otherwise since, and then makes the calendar agree; so a process may die anywhere, and the next one goes on from what
is stored. Slots are held from the first commit to the last.

`BookingRecovery` tries each that was left by itself. One that cannot even be read, or breaks what tries it, is left
alone for longer and longer, and in the end for people to see: `givenUp` says why.
"""

import asyncio
import logging
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from switchboard.contract.business.business import Business, read_business
from switchboard.contract.business.calendar import NOT_ASKED
from switchboard.contract.context import Premises
from switchboard.contract.deadline import ending_in
from switchboard.contract.document import integer, text
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.observability.subject import About
from switchboard.contract.ports import BusinessPaths, Calendar, Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import (
    DELETE_FIELD,
    Document,
    Filter,
    Missing,
    Order,
    Query,
    Stale,
    StoreError,
    Update,
    Write,
)
from switchboard.desk.bookings.booking import CANCELLED, CANCELLING, CONFIRMED, Booking, changes_to, read_booking
from switchboard.desk.bookings.booking_records import AT_REST, BookingRecords, record_path, taken_up
from switchboard.desk.bookings.confirmations import Event, event_of, text_writes
from switchboard.desk.bookings.refusal import under_way
from switchboard.desk.calendars.calendars import calendar_of
from switchboard.desk.calendars.entries import enter, is_in_the_way, move, move_back, reword, uncertain
from switchboard.desk.calendars.free_busy import BusyTimes
from switchboard.desk.calendars.grid import freeing
from switchboard.desk.messaging.due_times import pause_after

# How many make a page, how many pages one look takes up, and how many are worked on side by side.
_PAGE, _PAGES, _AT_ONCE = 25, 40, 8
# So often is one tried that cannot be read, within some two hours.
_MOST_TRIES = 12
_TROUBLE = ("recoveries", "givenUp", "givenUpAt")
_FIRST_PAUSE, _LONGEST_PAUSE = timedelta(seconds=30), timedelta(minutes=15)

log = logging.getLogger(__name__)

# Well within the lease of whoever works on a booking.
_DRIVE_S = 12.0
_MOST_STEPS = 8


@dataclass(slots=True)
class _Drive:
    """One attempt to bring a booking to its end; `is_first` while nobody can have asked the calendar before."""

    premises: Premises
    is_first: bool
    calendar: Calendar | None = None
    failure: ToolError | None = None


class Saga:
    """Drives bookings to where they stand still."""

    def __init__(self, records: BookingRecords, busy: BusyTimes) -> None:
        """Change bookings in `records`, and ask the calendars that `busy` reads."""
        self.records = records
        self._busy = busy
        self._driving: dict[str, asyncio.Future[None]] = {}

    async def finish(self, premises: Premises, booking: Booking) -> Booking:
        """Bring to its end what somebody else began with a booking, and return the booking as it then stands.

        Raises:
            ToolError: TRANSIENT with partial side effects while somebody is at it, and as `drive`.
        """
        try:
            running = self._driving.get(record_path(premises, booking.id))
            if running is not None:
                await asyncio.wait([running])
                booking = await self.records.again(premises, booking)
            if not booking.is_under_way:
                return booking
            now = self._busy.clock.now()
            if booking.lease_until is not None and booking.lease_until > now:
                raise under_way(premises.business, booking, left=booking.lease_until - now)
            lease = taken_up(now, booking.attempts)
            taken = await self.records.save(premises, booking, **lease)
        except StoreError as error:
            raise under_way(premises.business, booking, repr(error)) from error
        if taken.worker != lease["worker"]:
            # Somebody was quicker.
            return taken if not taken.is_under_way else await self.finish(premises, taken)
        return await self.drive(premises, taken)

    async def drive(self, premises: Premises, booking: Booking, *, is_first: bool = False) -> Booking:
        """Bring to its end what is under way with a booking that is ours to work on; return it as it then stands.

        A booking that could not be made comes back cancelled, one that could not be moved at its old time: a person's
        entry was in the way.

        Args:
            premises: Whose it is.
            booking: As it was committed, with its lease.
            is_first: Nobody has asked the calendar for this yet, so that a plain no of it means that nothing is there.

        Raises:
            ToolError: The calendar's own where it refused and everything is as it was before. AUTH, or TRANSIENT, with
                partial side effects where the calendar does not answer: it will be brought to its end later.
        """
        path = record_path(premises, booking.id)
        mine = self._driving[path] = asyncio.get_running_loop().create_future()
        drive = _Drive(premises, is_first)
        try:
            with ending_in(_DRIVE_S):
                for _ in range(_MOST_STEPS):
                    if not booking.is_under_way:
                        break
                    booking = await self._tried(drive, booking)
        except StoreError as error:
            raise under_way(premises.business, booking, repr(error)) from error
        finally:
            if self._driving.get(path) is mine:
                del self._driving[path]
            self._busy.forget(premises.paths)
            mine.set_result(None)
        if booking.is_under_way:
            raise under_way(premises.business, booking)
        if drive.failure is not None:
            raise drive.failure
        return booking

    async def abandon(self, premises: Premises, booking: Booking) -> Booking:
        """End in the store alone what is still under way with a booking whose time is over.

        Raises:
            StoreError: It cannot be written.
        """
        return await self._concluded(premises, booking, "late")

    async def _tried(self, drive: _Drive, booking: Booking) -> Booking:
        """Take the next step, or decide what follows from the calendar's no."""
        before = booking
        try:
            if drive.calendar is None:
                drive.calendar = await calendar_of(self._busy.calendars, drive.premises.business, booking)
            booking = await self._step(drive.premises, drive.calendar, booking)
        except ToolError as error:
            booking = await self._after_no(drive, booking, error)
        if booking.worker == before.worker or drive.failure is not None or _has_arrived(before, booking):
            return booking
        # Somebody thought this process dead and took over; what it did since may be too late.
        if drive.calendar is not None and _is_given_up(before, booking):
            await _taken_back(drive.calendar, before)
        if booking.is_under_way:
            raise under_way(drive.premises.business, booking)
        return booking

    async def _after_no(self, drive: _Drive, booking: Booking, error: ToolError) -> Booking:
        # Words are never taken back for what a calendar says: the booking has them.
        is_undoing = (
            booking.status == CANCELLING or booking.is_reworded or (booking.move is not None and booking.move.is_undone)
        )
        if is_undoing and error.type is ErrorType.PERMANENT and error.meta.get("reason") != NOT_ASKED:
            # A calendar that never lets go of an entry keeps nobody from ending. One that nobody could ask may yet.
            log.error("calendar entry left behind", extra={"pii.detail": error.detail or error.message})
            return await self._concluded(drive.premises, booking, "calendar")
        if not is_undoing and drive.is_first and not error.partial_side_effects:
            # Everything is as it was, and that can be said at once.
            drive.failure = error
            return await self._concluded(drive.premises, booking, "calendar")
        if not is_undoing and error.type is ErrorType.PERMANENT:
            drive.failure = ToolError(
                error.type, error.message, say=error.say, detail=error.detail, instead=error.instead
            )
            return await self._undoing(drive.premises, booking, "calendar")
        if error.type is ErrorType.AUTH:
            raise uncertain(error) from error
        raise under_way(drive.premises.business, booking, error.detail or error.message) from error

    async def _step(self, premises: Premises, calendar: Calendar, booking: Booking) -> Booking:
        if booking.status == CANCELLING:
            await calendar.delete(booking.entry_id)
            return await self._concluded(premises, booking)
        if booking.move is not None and booking.move.is_undone:
            await move_back(calendar, booking)
            return await self._concluded(premises, booking)
        if booking.is_reworded:
            await reword(calendar, booking)
            return await self._concluded(premises, booking)
        target = booking.moved
        done = move(calendar, booking, target) if booking.move else enter(calendar, booking)
        if not await done:
            return await self.records.save(premises, booking, entry_generation=booking.entry_generation + 1)
        try:
            is_taken = await self._is_in_the_way(premises, calendar, booking)
        except ToolError as error:
            raise uncertain(error) from error
        if is_taken:
            return await self._undoing(premises, booking, "taken")
        return await self._arrived(premises, booking, target)

    async def _is_in_the_way(self, premises: Premises, calendar: Calendar, booking: Booking) -> bool:
        """Tell whether somebody who entered something elsewhere was faster than a booking or its move."""
        target = booking.moved
        if booking.move is not None and target.slots <= booking.slots:
            # Fewer come, or it is shorter: it takes up nothing that it did not before.
            return False
        if not premises.business.resources or not target.taken.resources:
            return await is_in_the_way(calendar, target)
        return await self._busy.is_in_the_way(premises.business, premises.paths, booking, target)

    async def _arrived(self, premises: Premises, booking: Booking, target: Booking) -> Booking:
        event: Event = event_of(booking, target) if booking.move else "booked"
        now = self._busy.clock.now()
        changes: dict[str, Any] = {"status": CONFIRMED, "move": None, **changes_to(booking, target)}
        if booking.move is None:
            changes["confirmed_at"] = now
        writes = freeing(premises.paths, booking.held - target.held)
        writes += self._texts(premises, booking, replace(booking, **changes), event)
        return await self.records.save(premises, booking, writes, **changes, **AT_REST)

    async def _undoing(self, premises: Premises, booking: Booking, because: str) -> Booking:
        """Decide that a booking is not made, or not moved, after the calendar may have been changed for it."""
        if booking.move is not None:
            return await self.records.save(premises, booking, move=replace(booking.move, is_undone=True))
        return await self.records.save(premises, booking, status=CANCELLING, cancelled_because=because)

    async def _concluded(self, premises: Premises, booking: Booking, because: str = "") -> Booking:
        """Write down that nothing is under way any more: cancelled, or where it was before it was to be moved."""
        if booking.status == CONFIRMED:
            writes = freeing(premises.paths, booking.held - booking.slots)
            return await self.records.save(premises, booking, writes, move=None, is_reworded=False, **AT_REST)
        writes, because = freeing(premises.paths, booking.held), booking.cancelled_because or because
        if because == "caller":
            writes += self._texts(premises, booking, booking, "cancelled")
        changes = {"status": CANCELLED, "cancelled_at": self._busy.clock.now(), "cancelled_because": because}
        return await self.records.save(premises, booking, writes, **changes, **AT_REST)

    def _texts(self, premises: Premises, booking: Booking, after: Booking, event: Event) -> list[Write]:
        # The revision that a change is conditioned on names it: whoever else tries the same change fails.
        now, change = self._busy.clock.now(), str(booking.revision)
        return text_writes(premises.business, premises.paths, after, event, now, change)


def _has_arrived(before: Booking, after: Booking) -> bool:
    """Tell whether what was under way has come to the end that was wished for."""
    if before.status == CANCELLING:
        return after.status == CANCELLED
    target = before.moved
    return after.status == CONFIRMED and (after.agreement, after.move) == (target.agreement, None)


def _is_given_up(before: Booking, after: Booking) -> bool:
    """Tell whether others have decided against what this process was about to do."""
    if before.move is None:
        return not after.stands
    return after.agreement == before.agreement and (after.move is None or after.move.is_undone)


async def _taken_back(calendar: Calendar, booking: Booking) -> None:
    """Undo in the calendar what was done by a process that had slept through its lease, while others decided."""
    try:
        await (move_back(calendar, booking) if booking.move else calendar.delete(booking.entry_id))
    except ToolError as error:
        log.error("calendar entry left behind", extra={"pii.detail": error.detail or error.message})


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
        with About(text(document.data.get("businessId"))):
            async with room:
                results = await asyncio.gather(self._ended(document, now), return_exceptions=True)
            return await self._noted(document, now, results[0])

    async def _noted(self, document: Document, now: datetime, ended: bool | BaseException) -> bool:
        """Write down what came of trying a booking; return whether it is at its end."""
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
        business = read_business(booking.business_id, document.data if document is not None else {})
        # Words are told in the zone in which it was booked, also for a business that is gone.
        return business if document is not None else replace(business, timezone=ZoneInfo(booking.timezone))
