"""Bookings: the claim that lets exactly one of any number of callers have a time.

The commit that creates the booking also creates one document per grid step it holds. Two bookings that overlap by any
step cannot both be committed, whatever each of them had read before. Where the business keeps its calendar elsewhere,
that commit makes a pending booking, and `Saga` makes the calendar agree before anybody is told.

Whoever comes second in this process waits for the first (`ClaimsUnderWay`): ninety-nine commits that must fail would
cost the store more than the one that succeeds.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime, timedelta

from switchboard.contract.caller.strangers import used_up
from switchboard.contract.context import CallContext
from switchboard.contract.error import ErrorType, ToolError, unreadable
from switchboard.contract.policy import Thing
from switchboard.contract.ports import BusinessPaths, Store
from switchboard.contract.store import AlreadyExists, Create, Stale, StoreError, Unavailable, Write, WriteResult
from switchboard.desk.bookings.availability import Availability
from switchboard.desk.bookings.booking import CONFIRMED, Booking, booking_id, read_booking
from switchboard.desk.bookings.booking_records import BookingRecords
from switchboard.desk.bookings.confirmations import text_writes
from switchboard.desk.bookings.duration import VisitLength, too_long, visit_for
from switchboard.desk.bookings.obstacles import Obstacle, obstacle
from switchboard.desk.bookings.open_bookings import Held, OpenBookings
from switchboard.desk.bookings.refusal import cancelled_since, refused, unknown_outcome
from switchboard.desk.bookings.request import (
    BookingRequest,
    EventWish,
    assigned,
    draft_of,
    draft_of_event,
    is_same_wish,
    require_first,
)
from switchboard.desk.bookings.saga import Saga
from switchboard.desk.bookings.staff_changes import NoTrail, StaffTrail
from switchboard.desk.bookings.told_terms import require_as_told
from switchboard.desk.calendars.free_busy import BusyTimes, BusyView
from switchboard.desk.calendars.grid import claiming, slot_path
from switchboard.desk.limits.rate_limits import RateLimits, is_unproven
from switchboard.desk.resources.placement import as_agreed, attempts, beside, chosen, repeated, why_not

# How often a claim that is under way in this process is waited for before an own one is tried beside it.
_MOST_WAITS = 12
_NEVER = frozenset({Obstacle.TOO_FAR, Obstacle.NO_SUCH_TIME, Obstacle.OFF_GRID})
_JUST_BEGUN = timedelta(hours=1)
# How often what a stranger holds may change elsewhere while they book; each time they have one more, up to a few.
_HOLDER_ATTEMPTS = 12


class Bookings:
    """Makes bookings in the business's calendar."""

    def __init__(self, store: Store, busy: BusyTimes, availability: Availability) -> None:
        """Claim times in `store`, guided by what `availability` sees and `busy` shares; see `Appointments` too."""
        self.trail: StaffTrail = NoTrail()
        self._store = store
        self._busy = busy
        self._availability = availability
        self._open, self._limits = OpenBookings(store), RateLimits(store, busy.clock)
        self.saga = Saga(BookingRecords(store, busy), busy)
        self._under_way = ClaimsUnderWay()

    async def book(self, ctx: CallContext, wish: BookingRequest) -> Booking:
        """Make a booking, or return the one this wish has made before, with `repeated` set.

        The wish is the same under the same effect key; and also for the same name, service and start from the same
        session or by the same verified caller, which is how a model asks again after a slow answer.

        Raises:
            ToolError: VALIDATION for what can never be booked: an unknown service, or one for longer than it takes by a
                caller who is not verified; a time that is past, too far ahead, off the five-minute grid or skipped by
                the clocks, or an unusable phone number. CONFLICT when the business is closed or the time taken,
                or the same wish was made with other particulars, which are named.
                TRANSIENT when the store or the calendar does not answer; with partial side effects when it is not known
                yet whether the booking was made. AUTH and PERMANENT as the business's calendar has them. RATE_LIMIT for
                a caller who is not verified and holds as many bookings as such callers may, or where all of them have
                made as many in a day. All name `alternatives` in `meta` that are about time.
        """
        visit = await self._visit(ctx, wish)
        return await self._make(ctx, visit, wish, draft_of(ctx, wish, visit))

    async def bookable(self, ctx: CallContext, wish: BookingRequest) -> Booking:
        """Return the booking that `book` would make, or with `repeated` the one that this wish has made; makes none.

        Raises:
            ToolError: VALIDATION, CONFLICT, TRANSIENT or RATE_LIMIT; see `book`.
        """
        visit = await self._visit(ctx, wish)
        return await self._makeable(ctx, visit, wish, draft_of(ctx, wish, visit))

    async def enter(self, ctx: CallContext, wish: EventWish) -> Booking:
        """Enter an event like a booking, or return the one this wish has made before, with `repeated` set.

        It holds its time as a booking does, by the same rules (seed 001). Where a business lets callers
        enter events who are not verified, they get few.

        Raises:
            ToolError: As `book`.
        """
        visit = await self._visit(ctx, wish)
        draft = draft_of_event(ctx, wish, visit)
        spent: list[bool] = []

        async def spend() -> None:
            if not spent:
                spent.append(await self._limits.spend_as_stranger(ctx, Thing.EVENTS))

        try:
            return await self._make(ctx, visit, wish, draft, spend)
        except ToolError as error:
            if any(spent) and not error.partial_side_effects:
                await self._limits.give_back(ctx, Thing.EVENTS)
            raise

    async def enterable(self, ctx: CallContext, wish: EventWish) -> Booking:
        """Return the event that `enter` would enter, or with `repeated` the one that it has; enters none.

        Raises:
            ToolError: As `bookable`.
        """
        visit = await self._visit(ctx, wish)
        return await self._makeable(ctx, visit, wish, draft_of_event(ctx, wish, visit))

    async def _visit(self, ctx: CallContext, wish: BookingRequest | EventWish) -> VisitLength:
        """Return the visit that is asked for; only somebody known has it longer than it usually takes.

        A stranger's few bookings could otherwise hold whole days.
        """
        service, person, party = None, None, 1
        if isinstance(wish, BookingRequest):
            service, person, party = wish.service, wish.with_person, wish.party_size
        visit = visit_for(ctx.business, service, wish.duration_minutes, person, party)
        usual = visit_for(ctx.business, service, None, None, party)
        if visit.minutes <= usual.minutes:
            return visit
        try:
            if not await is_unproven(self._store, ctx):
                return visit
        except StoreError as error:
            raise unreadable("calendar", error) from error
        raise ToolError(ErrorType.VALIDATION, too_long(visit, usual))

    async def _makeable(
        self, ctx: CallContext, visit: VisitLength, wish: BookingRequest | EventWish, draft: Booking
    ) -> Booking:
        """Return a draft that nothing stands in the way of, or what the same wish has made; changes nothing."""
        reason = await self._never(ctx, visit, wish.start)
        view = await self._availability.view(ctx, visit, draft.start)
        earlier = next((known for known in view.bookings if known.stands and is_same_wish(known, draft)), None)
        if earlier is not None:
            return repeated(ctx, visit, draft, earlier, wish)
        require_first(view.bookings, draft)
        taken = None if reason is not None else chosen(ctx, view, visit, draft, 0)
        if taken is None:
            raise await refused(self._availability, ctx, visit, wish.start, reason or why_not(ctx, view, visit, draft))
        draft = assigned(ctx, draft, taken, self._busy.clock.now())
        held = await self._held(ctx, draft)
        try:
            await self._open.making(ctx, held, draft)
        except StoreError as error:
            raise unreadable("calendar", error) from error
        return draft

    async def _never(self, ctx: CallContext, visit: VisitLength, start: datetime) -> Obstacle | None:
        """Return what the hours have against a start, where that is worth a further look; refuse what can never be."""
        reason = obstacle(ctx.business, ctx.now, start, visit)
        # What has just begun may be this very wish, booked before: only then is it worth a look.
        if reason in _NEVER or (reason is Obstacle.PAST and ctx.now - start > _JUST_BEGUN):
            raise await refused(self._availability, ctx, visit, start, reason)
        return reason

    async def _make(
        self,
        ctx: CallContext,
        visit: VisitLength,
        wish: BookingRequest | EventWish,
        draft: Booking,
        spend: Callable[[], Awaitable[None]] | None = None,
    ) -> Booking:
        """Make a booking; `spend` is asked when nothing else keeps it from being made, and may refuse."""
        visit = as_agreed(ctx, visit)
        reason = await self._never(ctx, visit, wish.start)
        view = await self._availability.view(ctx, visit, draft.start)
        has_finished_others, losses, waits = False, 0, 0
        while losses < attempts(ctx.business):
            earlier = await self._earlier(ctx, draft, view)
            if earlier is not None:
                return repeated(ctx, visit, draft, earlier, wish)
            require_first(view.bookings, draft)
            require_as_told(ctx, visit, has_own_length=wish.duration_minutes is None)
            taken = chosen(ctx, view, visit, draft, losses) if reason is None else None
            if reason is None and taken is None and not has_finished_others:
                has_finished_others = True
                if await self._others_finished(ctx, draft, view):
                    view = await self._availability.view(ctx, visit, draft.start, newer_than=view.number)
                    continue
            if taken is None:
                raise await refused(
                    self._availability, ctx, visit, wish.start, reason or why_not(ctx, view, visit, draft)
                )
            rivals = self._under_way.beside(ctx.paths.business, draft)
            if rivals and waits < _MOST_WAITS:
                left = beside(ctx, view, visit, draft, rivals)
                if left is None:
                    waits += 1
                    await self._under_way.one_ended(ctx.paths.business, rivals)
                    view = await self._availability.view(ctx, visit, draft.start, newer_than=view.number)
                    continue
                taken = left
            if spend is not None:
                await spend()
            draft = assigned(ctx, draft, taken, self._busy.clock.now())
            try:
                claimed = await self._claim(ctx, draft)
            except AlreadyExists:
                losses += 1
                view = await self._availability.view(ctx, visit, draft.start, newer_than=view.number)
                if chosen(ctx, view, visit, draft, losses) is not None:
                    draft = await self._after_cancelled(ctx, draft)
                continue
            made = await self._carried_out(ctx, draft, claimed)
            if made.stands:
                return made
            break
        raise await refused(self._availability, ctx, visit, wish.start, Obstacle.TAKEN)

    async def _claim(self, ctx: CallContext, draft: Booking) -> Booking:
        """Commit a claim and return its booking.

        Raises:
            AlreadyExists: A rival holds a part of the time, or the booking's id is taken.
            ToolError: TRANSIENT when nobody can say whether it was made; RATE_LIMIT.
        """
        writes = [*claim_writes(ctx.paths, draft), *self.trail.entries(ctx, None, draft)]
        if draft.status == CONFIRMED:
            writes += text_writes(ctx.business, ctx.paths, draft, "booked", ctx.now, "made")
        with self._under_way.making(ctx.paths.business, draft):
            try:
                # Read only by who claims: of a hundred who want one time, most are refused without.
                held = await self._held(ctx, draft)
                results = await self._committed(ctx, draft, writes, held)
                return replace(draft, revision=results[0].update_time)
            except Unavailable as error:
                booking = await self._was_made(ctx, draft)
                if booking is None:
                    raise unknown_outcome(ctx, draft, error) from error
                return booking
            finally:
                # Before those who wait look again: their next view must show what was made.
                self._busy.forget(ctx.paths)

    async def _committed(
        self, ctx: CallContext, draft: Booking, writes: Sequence[Write], held: Held
    ) -> list[WriteResult]:
        """Commit a claim together with what its holders then hold; somebody known holds nothing in this sense."""
        async with self._open.turn(held):
            for _ in range(_HOLDER_ATTEMPTS):
                try:
                    counting = await self._open.making(ctx, held, draft)
                except StoreError as error:
                    # Nothing has been claimed yet.
                    raise unreadable("calendar", error) from error
                try:
                    results = await self._store.commit([*writes, *counting])
                except (AlreadyExists, Stale):
                    latest = await self._held(ctx, draft)
                    if latest.versions == held.versions:
                        raise
                    held = latest
                else:
                    if held.day is not None and counting and await self._open.undone(ctx, held, writes, results[-1]):
                        raise used_up(Thing.BOOKINGS, held.day, ctx.now)
                    return results
        raise unreadable("calendar", Stale(f"the holders of {draft.id} kept changing"))

    async def _held(self, ctx: CallContext, draft: Booking) -> Held:
        try:
            return await self._open.held(ctx, draft)
        except StoreError as error:
            raise unreadable("calendar", error) from error

    async def _carried_out(self, ctx: CallContext, draft: Booking, claimed: Booking) -> Booking:
        if not claimed.is_under_way:
            return claimed
        if claimed.worker == draft.worker:
            return await self.saga.drive(ctx, claimed, is_first=True)
        # Our commit got no answer, and what is there was made by another process for the same wish.
        return await self.saga.finish(ctx, claimed)

    async def _was_made(self, ctx: CallContext, draft: Booking) -> Booking | None:
        """Look once for the booking of a claim that got no answer; None when nobody can say whether there will be one.

        Raises:
            AlreadyExists: Another booking holds a part of the time, so that this one cannot have been made.
        """
        paths = [slot_path(ctx.paths, slot) for slot in draft.slots]
        try:
            documents = await self._store.get_many([ctx.paths.document("bookings", draft.id), *paths])
        except StoreError:
            return None
        booking = read_booking(documents[0]) if documents[0] is not None else None
        if booking is not None and booking.is_active:
            return booking
        if any(slot is not None and slot.data.get("bookingId") != draft.id for slot in documents[1:]):
            raise AlreadyExists(draft.id)
        return None

    async def _earlier(self, ctx: CallContext, draft: Booking, view: BusyView) -> Booking | None:
        """Return the booking that this wish has made before, if it still stands; one still being made is finished."""
        for known in view.bookings:
            if is_same_wish(known, draft):
                # The view may be a second old: nobody is told of a booking that has just been cancelled.
                booking = await self._read(ctx, known.id)
                if booking is not None and booking.is_under_way:
                    booking = await self.saga.finish(ctx, booking)
                return booking if booking is not None and booking.stands else None
        return None

    async def _others_finished(self, ctx: CallContext, draft: Booking, view: BusyView) -> bool:
        """Bring to their ends bookings in the way whose makers have died; false if there is none.

        Their time is not stolen: what they may have left in the outside calendar would stay there for ever.
        """
        now = self._busy.clock.now()
        dead = [
            b for b in view.bookings if b.lease_until is not None and b.lease_until <= now and b.overlaps(draft.claims)
        ]
        for booking in dead:
            with suppress(ToolError):
                await self.saga.finish(ctx, booking)
        return bool(dead)

    async def _after_cancelled(self, ctx: CallContext, draft: Booking) -> Booking:
        """Return the draft under a new id if the booking of its id was cancelled: the record of that one stays.

        Raises:
            ToolError: CONFLICT, it was cancelled after this was asked for: the wish was fulfilled, and taken back.
        """
        booking = await self._read(ctx, draft.id)
        if booking is None or booking.is_active:
            return draft
        if ctx.asked_at is not None and booking.cancelled_at is not None and booking.cancelled_at > ctx.asked_at:
            raise cancelled_since(ctx, booking)
        generation = draft.generation + 1
        return replace(draft, id=booking_id(draft.effect_key, generation), generation=generation)

    async def _read(self, ctx: CallContext, id: str) -> Booking | None:
        try:
            return await self.saga.records.read(ctx, id)
        except StoreError as error:
            raise unreadable("calendar", error) from error


def claim_writes(paths: BusinessPaths, booking: Booking) -> list[Write]:
    """Return the writes that make a booking and claim its time: all or none, in one commit.

    A booking that does not hold its time (cancelled, completed) is written without slots.
    """
    booked = Create(paths.document("bookings", booking.id), booking.to_document())
    return [booked, *(claiming(paths, booking.id, booking.slots) if booking.is_active else ())]


class ClaimsUnderWay:
    """The drafts whose commits have not been answered yet, by business."""

    def __init__(self) -> None:
        """Start with none."""
        self._claims: dict[str, dict[asyncio.Future[None], Booking]] = {}

    def beside(self, business: str, draft: Booking) -> tuple[Booking, ...]:
        """Return those that overlap a draft in time, buffers included."""
        under_way = self._claims.get(business, {}).values()
        return tuple(rival for rival in under_way if rival.overlaps(draft.claims))

    async def one_ended(self, business: str, rivals: Sequence[Booking]) -> None:
        """Wait until one of some claims has ended."""
        ids = {rival.id for rival in rivals}
        ends = [end for end, draft in self._claims.get(business, {}).items() if draft.id in ids]
        if ends:
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)

    @contextmanager
    def making(self, business: str, draft: Booking) -> Iterator[None]:
        """Let others know of a claim while it is made."""
        mine = asyncio.get_running_loop().create_future()
        self._claims.setdefault(business, {})[mine] = draft
        try:
            yield
        finally:
            own = self._claims[business]
            del own[mine]
            if not own:
                del self._claims[business]
            mine.set_result(None)
