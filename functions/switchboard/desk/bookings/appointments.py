"""The caller's own appointments: found, cancelled, moved (seed 004, calendar tools).

Whoever asks for somebody else's appointment gets the same answer as for one that does not exist.
"""

import logging
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from switchboard.contract.business.names import folded
from switchboard.contract.context import CallContext
from switchboard.contract.error import ErrorType, ToolError, unreadable
from switchboard.contract.ports import Store
from switchboard.contract.store import StoreError
from switchboard.desk.bookings.assignment import Assignment, Move
from switchboard.desk.bookings.availability import Availability
from switchboard.desk.bookings.booking import CANCELLED, CANCELLING, CONFIRMED, Booking, changes_to
from switchboard.desk.bookings.booking_records import taken_up
from switchboard.desk.bookings.changeable import (
    asked_at,
    check_agreed,
    check_changeable,
    check_latest,
    check_standing,
    language_then,
    whose,
)
from switchboard.desk.bookings.confirmations import event_of, text_writes
from switchboard.desk.bookings.date_text import in_words
from switchboard.desk.bookings.duration import VisitLength
from switchboard.desk.bookings.hours import check_year
from switchboard.desk.bookings.moving import WishedAppointment, placed, require_freed, visit_with, wished_person
from switchboard.desk.bookings.obstacles import Obstacle, obstacle
from switchboard.desk.bookings.own_appointments import Narrowing, OwnAppointments
from switchboard.desk.bookings.ownership import CallerIdentity, identify, is_unproven, unknown_caller
from switchboard.desk.bookings.refusal import refused, under_way, unknown_outcome, without_the_one_gone
from switchboard.desk.bookings.request import Correction, cautioned, guarded
from switchboard.desk.bookings.saga import Saga
from switchboard.desk.bookings.staff_changes import NoTrail, StaffTrail, require_seen
from switchboard.desk.bookings.told_changes import told_facts, told_move
from switchboard.desk.bookings.told_terms import require_as_told
from switchboard.desk.calendars.free_busy import BusyTimes
from switchboard.desk.calendars.grid import claiming, freeing
from switchboard.desk.resources.placement import service_then, staying, visit_of, visit_then

log = logging.getLogger(__name__)

MOST_FOUND = 5
_ATTEMPTS = 3
# One commit holds at most 500 writes: the booking, a text, the slots that are claimed and those that are freed.
_MOST_SLOTS_CHANGED = 490


class Appointments:
    """Finds, cancels, moves and corrects appointments for those they belong to."""

    def __init__(self, store: Store, busy: BusyTimes, availability: Availability, saga: Saga) -> None:
        """Change bookings in `store`; `saga` makes outside calendars agree.

        What people of the business do themselves is told to `trail`, which whoever joins the house may set.
        """
        self.trail: StaffTrail = NoTrail()
        self._store = store
        self._busy = busy
        self._availability = availability
        self._saga = saga
        self._own_appointments = OwnAppointments(store, saga.records)

    async def lookup(self, ctx: CallContext, narrowing: Narrowing) -> tuple[Booking, ...]:
        """Return at most five of the caller's own appointments: those to come, soonest first, then past, latest first.

        Nothing found and nothing that fits are one and the same answer: none.

        Raises:
            ToolError: MODE_RESTRICTED where nobody has shown who is calling, and this conversation has booked nothing;
                TRANSIENT when they cannot be read.
        """
        return (await self.lookup_all(ctx, narrowing))[0]

    async def lookup_all(self, ctx: CallContext, narrowing: Narrowing) -> tuple[tuple[Booking, ...], bool]:
        """Return what `lookup` does, and whether there are more that fit."""
        fitting = await self._own_appointments.read(ctx, narrowing)
        # What others booked in the caller's name must not crowd out what the caller did.
        latest = sorted(fitting, key=lambda b: (is_unproven(ctx, b), _rank(b, ctx.now)))[:MOST_FOUND]
        return tuple(sorted(latest, key=lambda b: _rank(b, ctx.now))), len(fitting) > MOST_FOUND

    async def whom(self, ctx: CallContext, with_person: str | None) -> str | None:
        """Return whom a caller asks for, by name where that is "the same as last time"; see `OwnAppointments.whom`.

        Raises:
            ToolError: VALIDATION where that is not known; TRANSIENT when the appointments cannot be read.
        """
        return await self._own_appointments.whom(ctx, with_person)

    async def cancel(self, ctx: CallContext, booking_id: str, start: datetime | None = None) -> Booking:
        """Cancel one of the caller's own appointments and free its time; `repeated` if it had been cancelled before.

        Args:
            ctx: The call.
            booking_id: The appointment's reference.
            start: When it begins, as the caller was told; what the caller agrees to is what is done.

        Raises:
            ToolError: NOT_FOUND for what is not the caller's own, or is not there. CONFLICT when it has begun, or
                begins at another time than `start`. AUTH, or TRANSIENT, with partial side effects when the calendar
                does not answer: it will be cancelled all the same.
        """
        for _ in range(_ATTEMPTS):
            booking = await self.cancellable(ctx, booking_id, start)
            if booking.repeated:
                return booking
            check_agreed(ctx, told_facts(booking))
            changed = await self._cancelled(ctx, booking)
            if changed.status == CANCELLED:
                return changed
        raise under_way(ctx.business, booking)

    async def cancellable(self, ctx: CallContext, booking_id: str, start: datetime | None = None) -> Booking:
        """Return the appointment that `cancel` would cancel, as it is; `repeated` if it has been cancelled.

        Raises:
            ToolError: NOT_FOUND, CONFLICT or TRANSIENT; see `cancel`.
        """
        if start is not None:
            check_year(start)
        booking = await self._own(ctx, booking_id, await self._identity(ctx))
        if start is not None and booking.start != start.astimezone(UTC):
            when = in_words(booking.start, ctx.business.timezone)
            raise ToolError(ErrorType.CONFLICT, f"That appointment begins at another time: {when}. Ask again.")
        require_seen(ctx, booking, is_done=booking.status == CANCELLED)
        if booking.status == CANCELLED:
            return replace(booking, repeated=True)
        check_changeable(ctx, booking)
        check_latest(ctx, booking, booking.time_asked_at)
        return booking

    async def reschedule(
        self,
        ctx: CallContext,
        booking_id: str,
        start: datetime,
        party: int | None = None,
        service: str | None = None,
        person: str | None = None,
    ) -> Booking:
        """Move one of the caller's own appointments, have more or fewer come to it, or make it another service.

        What it takes up then is held before what it has is let go, so that the caller never ends up with none. How long
        it takes stays as it was booked, unless its service changes. `repeated` if it is so already.

        Args:
            ctx: The call.
            booking_id: The appointment's reference.
            start: Its new beginning, aware; the one that it has, to change only what it is, or for how many.
            party: How many come then; None for as many as did.
            service: The service that it is to be, in any case; None for the one that it is.
            person: With whom it shall be then, as callers say it; None stays with whom it is, if that can be.

        Raises:
            ToolError: NOT_FOUND for what is not the caller's own, or is not there. VALIDATION, and CONFLICT with
                `alternatives` in `meta`, as for a new booking: the appointment is as it was. AUTH, or TRANSIENT,
                with partial side effects when the calendar does not answer: one of the two holds.
        """
        for _ in range(_ATTEMPTS):
            booking, target = await self.movable(ctx, booking_id, start, party, service, person)
            if booking.repeated:
                return booking
            check_agreed(ctx, told_move(booking, target))
            if target.its_service != booking.its_service:
                require_as_told(ctx, visit_of(ctx.business, target))
            changed = await self._moved(ctx, booking, target)
            is_with_them = person is None or changed.taken.person == target.taken.person
            if (changed.agreement, changed.status) == (target.agreement, CONFIRMED) and is_with_them:
                return changed
        visit = visit_then(ctx.business, booking, target.party, service_then(ctx.business, booking, service))
        raise await self._refused(ctx, booking, visit, start, Obstacle.TAKEN)

    async def movable(
        self,
        ctx: CallContext,
        booking_id: str,
        start: datetime,
        party: int | None = None,
        service: str | None = None,
        person: str | None = None,
    ) -> tuple[Booking, Booking]:
        """Return the appointment that `reschedule` would move, as it is and as it would be; `repeated` if it is there.

        It stays with whom it is if that can be and nobody else is asked for.

        Raises:
            ToolError: NOT_FOUND, VALIDATION, CONFLICT or TRANSIENT; see `reschedule`.
        """
        check_year(start)
        identity = await self._identity(ctx)
        booking = await self._own(ctx, booking_id, identity)
        party, stays = party or booking.party, booking.start == start.astimezone(UTC)
        other = service_then(ctx.business, booking, service)
        wished = wished_person(ctx.business, booking, person, other)
        is_same = other is None and (not wished or wished in booking.taken.ids)
        is_done = stays and party == booking.party and is_same
        require_seen(ctx, booking, is_done=is_done)
        check_standing(booking)
        if is_done:
            return replace(booking, repeated=True), booking
        check_changeable(ctx, booking)
        check_latest(ctx, booking, booking.time_asked_at)
        visit = visit_with(visit_then(ctx.business, booking, party, other), booking, wished)
        # Whoever has a time may come with fewer, whatever is asked of those who want one.
        is_less = stays and party < booking.party and is_same
        reason = None if is_less else obstacle(ctx.business, ctx.now, start, visit)
        if reason is None:
            view = await self._availability.view(ctx, visit, start)
            wish = WishedAppointment(booking, visit, start.astimezone(UTC), is_other_service=other is not None)
            target = placed(ctx.business, view, wish)
            require_freed(ctx, identity, view, wish, target)
            if isinstance(target, Booking):
                return booking, target
            reason = target
        raise await self._refused(ctx, booking, visit, start, reason)

    async def visit_instead(
        self,
        ctx: CallContext,
        booking_id: str,
        party: int | None = None,
        with_person: str | None = None,
        service: str | None = None,
    ) -> VisitLength:
        """Return the visit that one of the caller's own appointments would be for so many, or for another service.

        Raises:
            ToolError: NOT_FOUND for what is not the caller's own, or is not there; VALIDATION, so many can never come,
                or not with that person; TRANSIENT when it cannot be read.
        """
        booking = await self._own(ctx, booking_id, await self._identity(ctx))
        other = service_then(ctx.business, booking, service)
        visit = visit_then(ctx.business, booking, party or booking.party, other)
        return replace(visit, instead_of=booking.id, person=wished_person(ctx.business, booking, with_person, other))

    async def correct(self, ctx: CallContext, booking_id: str, correction: Correction) -> Booking:
        """Correct what is recorded of one of the caller's own appointments; `repeated` if it is so already.

        An outside calendar follows, at once or as soon as it can be asked: the booking holds what is true.

        Raises:
            ToolError: NOT_FOUND for what is not the caller's own, or is not there; VALIDATION for what cannot be
                recorded; CONFLICT when it is over or cancelled; TRANSIENT when it cannot be read or written.
        """
        wished = correction.changes(ctx)
        for attempt in range(_ATTEMPTS):
            identity = await self._identity(ctx)
            booking = await self._own(ctx, booking_id, identity)
            changes = {**wished, **identity.kept_by(booking, replace(booking, **wished))}
            corrected = cautioned(ctx, replace(booking, **changes))
            require_seen(ctx, booking, is_done=corrected == booking)
            check_standing(booking)
            check_changeable(ctx, booking)
            if corrected == booking:
                return replace(booking, repeated=True)
            check_latest(ctx, booking, booking.words_asked_at)
            fields = {**changes, "caution": corrected.caution}
            # The wish bears the new name from here on; where the same one has been fulfilled once more, it is left.
            taken = guarded(corrected, booking.taken) if not attempt else booking.taken
            changed = await self._corrected(ctx, booking, fields, taken)
            if all(getattr(changed, name) == value for name, value in fields.items()):
                return changed
        raise under_way(ctx.business, booking)

    async def _corrected(
        self, ctx: CallContext, booking: Booking, changes: dict[str, Any], taken: Assignment
    ) -> Booking:
        new, old = (frozenset(each) for each in (taken.slots, booking.taken.slots))
        writes = [*claiming(ctx.paths, booking.id, new - old), *freeing(ctx.paths, old - new)]
        if taken != booking.taken:
            changes = {**changes, "taken": taken}
        changes = {**changes, "words_asked_at": asked_at(ctx)}
        if booking.calendar_settings is None:
            return await self._save(ctx, booking, writes, **changes)
        lease = taken_up(self._busy.clock.now())
        changed = await self._save(ctx, booking, writes, **changes, is_reworded=True, **lease)
        if changed.worker != lease["worker"]:
            return changed
        try:
            return await self._saga.drive(ctx, changed)
        except ToolError as error:
            # Whoever brings to their ends what is under way tells it later.
            log.warning("calendar not told", extra={"type": error.type.value, "pii.detail": error.detail})
            return changed

    async def _identity(self, ctx: CallContext) -> CallerIdentity:
        try:
            return await identify(self._store, ctx)
        except StoreError as error:
            raise unreadable("appointment", error) from error

    async def _own(self, ctx: CallContext, booking_id: str, identity: CallerIdentity) -> Booking:
        """Return one of the caller's own, after whatever was under way with it has ended."""
        try:
            booking = await self._saga.records.read(ctx, booking_id.strip())
        except StoreError as error:
            raise unreadable("appointment", error) from error
        if booking is None or not identity.owns(booking):
            if not identity.is_known and ctx.business.caller_verification != "none":
                raise unknown_caller()
            earlier = "" if identity.is_known else " One of an earlier conversation needs verify_caller first."
            raise ToolError(
                ErrorType.NOT_FOUND,
                f"There is no such appointment of this caller. Use lookup_appointment to find the right one.{earlier}",
            )
        finished = await self._saga.finish(ctx, booking) if booking.is_under_way else booking
        is_for_caller = bool(identity.name) and folded(identity.name) == folded(finished.customer_name)
        return replace(finished, is_for_caller=is_for_caller)

    async def _cancelled(self, ctx: CallContext, booking: Booking) -> Booking:
        if booking.calendar_settings is not None:
            # From here on it is cancelled, whenever the calendar lets go of it; the time is held until it has.
            decided = {"status": CANCELLING, "cancelled_because": whose(ctx), "time_asked_at": asked_at(ctx)}
            decided["language"] = language_then(ctx, booking)
            return await self._carried_out(ctx, booking, **decided)
        told = replace(booking, language=language_then(ctx, booking))
        texts = text_writes(ctx.business, ctx.paths, told, "cancelled", ctx.now, str(booking.revision))
        changes = {"status": CANCELLED, "cancelled_at": ctx.now, "cancelled_because": whose(ctx)}
        changes |= {"time_asked_at": asked_at(ctx), "language": told.language}
        return await self._save(ctx, booking, [*freeing(ctx.paths, booking.held), *texts], **changes)

    async def _moved(self, ctx: CallContext, booking: Booking, target: Booking) -> Booking:
        new, old = target.held - booking.held, booking.held - target.held
        if len(new) + len(old) > _MOST_SLOTS_CHANGED:
            raise ToolError(
                ErrorType.VALIDATION, "That appointment is too long to be moved; cancel it and book it anew."
            )
        claims = claiming(ctx.paths, booking.id, new)
        asked = {"time_asked_at": asked_at(ctx), "language": language_then(ctx, booking)}
        if booking.calendar_settings is not None:
            its = target.its_service if target.its_service != booking.its_service else None
            on_its_way = Move(target.start, taken=target.taken, party=target.party, service=its)
            return await self._carried_out(ctx, booking, claims, move=on_its_way, **asked)
        target = replace(target, language=language_then(ctx, booking))
        event = event_of(booking, target)
        texts = text_writes(ctx.business, ctx.paths, target, event, ctx.now, str(booking.revision))
        changes = {**changes_to(booking, target), **asked}
        return await self._save(ctx, booking, [*claims, *freeing(ctx.paths, old), *texts], **changes)

    async def _carried_out(self, ctx: CallContext, booking: Booking, writes: Any = (), **changes: Any) -> Booking:
        """Decide on a change, and make the outside calendar agree; or return what somebody else decided meanwhile."""
        lease = taken_up(self._busy.clock.now())
        changed = await self._save(ctx, booking, writes, **changes, **lease)
        return await self._saga.drive(ctx, changed, is_first=True) if changed.worker == lease["worker"] else changed

    async def _save(self, ctx: CallContext, booking: Booking, writes: Any = (), **changes: Any) -> Booking:
        told = self.trail.entries(ctx, booking, replace(booking, **changes))
        try:
            changed, is_others = await self._saga.records.changed(ctx, booking, [*writes, *told], **changes)
        except StoreError as error:
            raise unknown_outcome(ctx, booking, error, "changed") from error
        # Where it is as was wished for by now, it was somebody else who wished for the same.
        return replace(changed, repeated=is_others is True)

    async def _refused(
        self, ctx: CallContext, booking: Booking, visit: VisitLength, start: datetime, reason: Obstacle
    ) -> ToolError:
        # What is offered instead must be with somebody to whom the appointment can go.
        within = replace(ctx, business=staying(ctx.business, booking))
        no = await refused(self._availability, within, visit, start, reason, booking.taken.ids)
        return without_the_one_gone(ctx, booking, no)


def _rank(booking: Booking, now: datetime) -> tuple[int, timedelta]:
    if booking.start >= now:
        return (0 if booking.is_active else 1), booking.start - now
    return 2, now - booking.start
