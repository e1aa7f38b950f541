"""Bookings: the claim that lets exactly one of any number of callers have a time (design §9).

The commit that creates the booking also creates one document per grid step it holds. Two bookings that overlap by any
step cannot both be committed, whatever each of them had read before.
"""

import asyncio
import unicodedata
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from switchboard.contract.context import CallContext
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.ports import BusinessPaths, Store
from switchboard.contract.store import AlreadyExists, Create, StoreError, Unavailable, Write
from switchboard.desk.availability import Availability
from switchboard.desk.booking import Booking, booking_id, read_booking
from switchboard.desk.busy import BusyTimes, BusyView
from switchboard.desk.grid import STEP, moment_of, slot_id
from switchboard.desk.outage import unreadable
from switchboard.desk.phone import to_e164
from switchboard.desk.refusal import refusal, unknown_outcome
from switchboard.desk.rules import Obstacle, calendar_name, obstacle
from switchboard.desk.visit import Visit, visit_for

# Each loss tells something new: an own earlier booking, a rival, or a cancellation in that very moment.
_ATTEMPTS = 4
# A slot document only matters until its time is over; Firestore's TTL may then remove it.
_KEPT_AFTER = timedelta(days=7)
_NEVER = frozenset({Obstacle.TOO_FAR, Obstacle.NO_SUCH_TIME, Obstacle.OFF_GRID})
_JUST_BEGUN = timedelta(hours=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What a caller asks to be booked; `start` is aware. Without minutes the service's own duration holds."""

    service: str
    start: datetime
    customer_name: str
    duration_minutes: int | None = None
    customer_phone: str | None = None
    customer_email: str | None = None
    notes: str | None = None


class Bookings:
    """Makes bookings in the business's calendar."""

    def __init__(self, store: Store, busy: BusyTimes, availability: Availability) -> None:
        """Claim times in `store`, guided by what `availability` sees and `busy` shares."""
        self._store = store
        self._busy = busy
        self._availability = availability
        self._claiming: dict[tuple[str, datetime], asyncio.Future[None]] = {}

    async def book(self, ctx: CallContext, wish: Wish) -> Booking:
        """Make a booking, or return the one this wish has made before, with `repeated` set.

        The wish is the same under the same effect key; and also for the same name, service and start from the same
        session or from the same trusted phone number, which is how a model asks again after a slow answer.

        Raises:
            ToolError: VALIDATION for what can never be booked: an unknown service, a time that is past, too far ahead,
                off the five-minute grid or skipped by the clocks, or an unusable phone number. CONFLICT when the
                business is closed or the time taken. TRANSIENT when the store does not answer; with partial side
                effects when it did not say whether the booking was made. All name `alternatives` in `meta` that are
                about time.
        """
        visit = visit_for(ctx.business, wish.service, wish.duration_minutes)
        reason = obstacle(ctx.business, ctx.now, wish.start, visit)
        # What has just begun may be this very wish, booked before: only then is it worth a look.
        if reason in _NEVER or (reason is Obstacle.PAST and ctx.now - wish.start > _JUST_BEGUN):
            raise await self._refusal(ctx, visit, wish.start, reason)
        draft = _draft(ctx, wish, visit)
        view = await self._availability.view(ctx, visit, draft.start)
        has_waited = False
        for _ in range(_ATTEMPTS):
            earlier = await self._earlier(ctx, draft, view)
            if earlier is not None:
                return replace(earlier, repeated=True)
            if reason is not None or not view.is_free(draft.claims):
                raise await self._refusal(ctx, visit, wish.start, reason or Obstacle.TAKEN)
            if not has_waited and await self._rival_ended(ctx, draft):
                has_waited = True
                view = await self._availability.view(ctx, visit, draft.start, newer_than=view.number)
                continue
            try:
                return await self._claim(ctx, draft)
            except AlreadyExists:
                view = await self._availability.view(ctx, visit, draft.start, newer_than=view.number)
                if view.is_free(draft.claims):
                    draft = await self._after_cancelled(ctx, draft)
        raise await self._refusal(ctx, visit, wish.start, Obstacle.TAKEN)

    async def _rival_ended(self, ctx: CallContext, draft: Booking) -> bool:
        """Wait until a claim of the same start that is under way in this process has ended; false if there is none.

        Ninety-nine commits that must fail would cost the store more than the one that succeeds.
        """
        rival = self._claiming.get((ctx.paths.business, draft.start))
        if rival is not None:
            await asyncio.wait([rival])
        return rival is not None

    async def _claim(self, ctx: CallContext, draft: Booking) -> Booking:
        """Commit a claim and return its booking.

        Raises:
            AlreadyExists: A rival holds a part of the time, or the booking's id is taken.
            ToolError: TRANSIENT when nobody can say whether it was made.
        """
        key = (ctx.paths.business, draft.start)
        mine = self._claiming[key] = asyncio.get_running_loop().create_future()
        try:
            await self._store.commit(claim_writes(ctx.paths, draft))
        except Unavailable as error:
            if not await self._was_made(ctx, draft):
                raise unknown_outcome(ctx, draft, error) from error
        finally:
            if self._claiming.get(key) is mine:
                del self._claiming[key]
            # Before those who wait look again: their next view must show what was made.
            self._busy.forget(ctx)
            mine.set_result(None)
        return draft

    async def _was_made(self, ctx: CallContext, draft: Booking) -> bool:
        """Look once whether a claim that got no answer was carried out; false when nobody can say.

        Raises:
            AlreadyExists: Another booking holds a part of the time, so that this one cannot have been made.
        """
        paths = [ctx.paths.document("slots", slot_id(step)) for step in draft.claims]
        try:
            found = await self._store.get_many([ctx.paths.document("bookings", draft.id), *paths])
        except StoreError:
            return False
        booking = read_booking(found[0]) if found[0] is not None else None
        if booking is not None and booking.is_active:
            return True
        if any(slot is not None and slot.data.get("bookingId") != draft.id for slot in found[1:]):
            raise AlreadyExists(draft.id)
        return False

    async def _earlier(self, ctx: CallContext, draft: Booking, view: BusyView) -> Booking | None:
        """Return the booking that this wish has made before, if it still stands."""
        for known in view.bookings:
            if _is_same_wish(known, draft):
                # The view may be a second old: nobody is told of a booking that has just been cancelled.
                found = await self._read(ctx, known.id)
                return found if found is not None and found.is_active else None
        return None

    async def _after_cancelled(self, ctx: CallContext, draft: Booking) -> Booking:
        """Return the draft under a new id if the booking of its id was cancelled: the record of that one stays."""
        found = await self._read(ctx, draft.id)
        if found is None or found.is_active:
            return draft
        generation = draft.generation + 1
        return replace(draft, id=booking_id(draft.effect_key, generation), generation=generation)

    async def _read(self, ctx: CallContext, id: str) -> Booking | None:
        try:
            document = await self._store.get(ctx.paths.document("bookings", id))
        except StoreError as error:
            raise unreadable("calendar", error) from error
        return read_booking(document) if document is not None else None

    async def _refusal(self, ctx: CallContext, visit: Visit, start: datetime, reason: Obstacle) -> ToolError:
        try:
            starts = await self._availability.alternatives(ctx, visit, start)
        except ToolError:
            # The no stands without them.
            starts = []
        return refusal(ctx, visit, reason, starts)


def claim_writes(paths: BusinessPaths, booking: Booking) -> list[Write]:
    """Return the writes that make a booking and claim its time: all or none, in one commit.

    A booking that does not hold its time (cancelled, completed) is written without slots.
    """
    writes: list[Write] = [Create(paths.document("bookings", booking.id), booking.to_document())]
    for step in booking.claims if booking.is_active else ():
        start = moment_of(step)
        slot = {"bookingId": booking.id, "start": start, "expireAt": start + STEP + _KEPT_AFTER}
        writes.append(Create(paths.document("slots", slot_id(step)), slot))
    return writes


def _draft(ctx: CallContext, wish: Wish, visit: Visit) -> Booking:
    name = _one_line(wish.customer_name)
    if not name:
        raise ToolError(ErrorType.VALIDATION, "customer_name is empty. Ask the caller for the name.")
    facts = ctx.facts
    phone = to_e164(wish.customer_phone, ctx.business) if wish.customer_phone else facts.caller_phone
    return Booking(
        id=booking_id(ctx.effect_key),
        business_id=ctx.business.id,
        service=visit.service,
        start=wish.start.astimezone(UTC),
        minutes=visit.minutes,
        before=visit.before,
        after=visit.after,
        timezone=ctx.business.timezone.key,
        customer_name=name,
        customer_phone=phone,
        customer_email=wish.customer_email,
        customer_notes=wish.notes,
        price=visit.price,
        created_at=ctx.now,
        confirmed_at=ctx.now,
        caller_phone=facts.caller_phone,
        effect_key=ctx.effect_key,
        calendar=calendar_name(ctx.business),
        call_id=facts.interaction_id,
        session_id=facts.session_id,
        channel=facts.channel.value,
    )


def _is_same_wish(known: Booking, draft: Booking) -> bool:
    if known.effect_key and known.effect_key == draft.effect_key:
        return True
    # An unknown session or number is nobody's, and so never the same one twice.
    same_session = bool(known.session_id) and known.session_id == draft.session_id
    same_caller = same_session or (known.caller_phone is not None and known.caller_phone == draft.caller_phone)
    return (
        same_caller
        and known.start == draft.start
        and known.service.casefold() == draft.service.casefold()
        and known.customer_name.casefold() == draft.customer_name.casefold()
    )


def _one_line(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())
