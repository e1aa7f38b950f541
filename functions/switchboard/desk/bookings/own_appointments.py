"""Finds what is the caller's own (`ownership.py`): what was asked for, and what was made last.

Anybody may book in somebody's name, and cancel that again. What they leave stands in the way of nothing: it is read
past, up to so many, and comes behind what the caller's own number, record or conversation shows.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta

from switchboard.contract.business.names import folded
from switchboard.contract.business.resources import PERSON
from switchboard.contract.context import CallContext
from switchboard.contract.error import ErrorType, ToolError, unreadable
from switchboard.contract.ports import Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Document, Filter, Order, Query, StoreError
from switchboard.desk.bookings.booking import CANCELLED, CANCELLING, Booking, read_booking
from switchboard.desk.bookings.booking_records import BookingRecords
from switchboard.desk.bookings.duration import is_last_time, named
from switchboard.desk.bookings.ownership import CallerIdentity, identify, is_unproven, unknown_caller

# A page of all; of a regular's by each kind of match and on each side of now, until enough of them can be told.
_PAGE, _ENOUGH = 20, 6
# So many pages are read of each, however many of others' stand in the way.
_PAGES = 10
# Of the newest one or two may have no usable time.
_LOOKED_AT = 10
# A conversation makes few, so that no index has to put them in order.
_OF_CONVERSATION = 20
# The number on which the customer is to be reached is the key (seed 000). Only who has none under it is
# looked for by the number that bookings were made from: a parent's for a child, say.
_BY_FIELD = ("customerPhone", "callerId", "callerPhone")
_ONE_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrowing:
    """What a caller says about the appointment that is meant; nothing means any of the caller's own.

    Attributes:
        booking_id: Its reference.
        customer_name: Whom it is for; part of the name will do.
        day: The local day it is on.
        start: When it begins, aware.
    """

    booking_id: str | None = None
    customer_name: str | None = None
    day: date | None = None
    start: datetime | None = None

    def fits(self, booking: Booking, ctx: CallContext) -> bool:
        """Tell whether a booking may be the one."""
        local = booking.start.astimezone(ctx.business.timezone)
        return (
            (self.booking_id is None or booking.id == self.booking_id.strip())
            and (self.customer_name is None or folded(self.customer_name) in folded(booking.customer_name))
            and (self.day is None or local.date() == self.day)
            and (self.start is None or booking.start == self.start.astimezone(UTC))
        )

    def span(self, ctx: CallContext) -> tuple[datetime, datetime] | None:
        """Return between which times it begins, the second one excluded; None where nothing is said of that."""
        if self.start is not None:
            start = self.start.astimezone(UTC)
            return start, start + timedelta(microseconds=1)
        if self.day is None:
            return None
        # Wider by what clocks are put forward and back: `fits` tells exactly.
        midnight = datetime.combine(self.day, time.min, ctx.business.timezone).astimezone(UTC)
        return midnight - _ONE_DAY, midnight + 2 * _ONE_DAY


@dataclass(frozen=True, slots=True)
class LatestBooking:
    """A caller's latest booking.

    Attributes:
        booking: The one that was made last; of those that only somebody with the caller's number named, where there is
            no other.
        has_newer_unproven: Whether somebody has made another one since of whom no more is known than that.
    """

    booking: Booking
    has_newer_unproven: bool


class OwnAppointments:
    """Reads what belongs to whoever is calling."""

    def __init__(self, store: Store, records: BookingRecords) -> None:
        """Read from `store`; `records` knows single bookings."""
        self._store, self._records = store, records

    async def read(self, ctx: CallContext, narrowing: Narrowing) -> list[Booking]:
        """Return the caller's own appointments that fit, of a regular those around now, or around what is asked for.

        Raises:
            ToolError: MODE_RESTRICTED where nobody has shown who is calling, and this conversation has booked nothing;
                TRANSIENT when they cannot be read.
        """
        try:
            identity = await identify(self._store, ctx)
            results = await asyncio.gather(
                self._theirs(ctx, identity, narrowing), self._named(ctx, narrowing.booking_id)
            )
        except StoreError as error:
            raise unreadable("list of appointments", error) from error
        own = {b.id: b for bookings in results for b in bookings if identity.owns(b)}
        if not identity.is_known and not own:
            raise unknown_caller()
        return [booking for booking in own.values() if narrowing.fits(booking, ctx)]

    async def whom(self, ctx: CallContext, with_person: str | None) -> str | None:
        """Return whom a caller asks for: of "the same as last time" the name, of everything else what was said.

        Last time is the latest appointment that has begun and was with somebody; without one, the next to come. What
        only somebody who named the caller's number has made counts where there is nothing else.

        Raises:
            ToolError: VALIDATION where nobody can tell who that was, or they are not there any more; TRANSIENT when the
                appointments cannot be read.
        """
        people = ctx.business.people
        if with_person is None or not people or not is_last_time(with_person):
            return with_person
        try:
            known = [b for b in await self.read(ctx, Narrowing()) if b.taken.person and _stands(b)]
        except ToolError as error:
            if error.type is not ErrorType.MODE_RESTRICTED:
                raise
            known = []
        known = [booking for booking in known if not is_unproven(ctx, booking)] or known
        begun = max((b for b in known if b.start <= ctx.now), key=lambda b: b.start, default=None)
        last = begun or min(known, key=lambda b: b.start, default=None)
        if last is None:
            raise _ask_for(f"It is not known with whom the caller was last time. Ask for the name: {named(people)}.")
        ids = [taken.id for taken in last.taken.resources if taken.kind == PERSON]
        person_name = next((person.name for person in people if person.id in ids), None)
        if person_name is None:
            raise _ask_for(f"Last time it was {last.taken.person}, who is not there now. Offer: {named(people)}.")
        return person_name

    async def _theirs(self, ctx: CallContext, identity: CallerIdentity, narrowing: Narrowing) -> list[Booking]:
        """Return what may be theirs, by whatever shows it, in one query for all but regulars."""
        bookings = ctx.paths.collection("bookings")
        own, made_here = identity.filters(), identity.here()
        here = [made_here] if made_here is not None else []
        if not own and not here:
            return []
        first = await self._store.query(Query(bookings, limit=_PAGE, any_of=(*own, *here)))
        if not own or len(first) < _PAGE:
            return _read(first)
        # Each kind by itself, so that what others book in somebody's name crowds out nothing of their own.
        sides = (
            Query(bookings, (one, *side), (Order("start", descending=is_past),), _PAGE)
            for one in own
            for is_past, side in _sides(narrowing.span(ctx), ctx.now)
        )

        def is_enough(found: Sequence[Booking]) -> bool:
            return sum(_stands(b) and not is_unproven(ctx, b) and narrowing.fits(b, ctx) for b in found) >= _ENOUGH

        # A conversation makes few of them, so that no index has to put them in order.
        in_conversation = (self._store.query(Query(bookings, (one,), limit=_OF_CONVERSATION)) for one in here)
        of_sides, of_conversation = await asyncio.gather(
            asyncio.gather(*(_paged(self._store, side, is_enough) for side in sides)), asyncio.gather(*in_conversation)
        )
        return _read(document for documents in (*of_sides, *of_conversation) for document in documents)

    async def _named(self, ctx: CallContext, reference: str | None) -> list[Booking]:
        """Return the booking of a reference, which may be an old one of many."""
        if reference is None:
            return []
        booking = await self._records.read(ctx, reference.strip())
        return [booking] if booking is not None else []


class CallersBookings:
    """Reads bookings for the person they belong to; who that is follows from the call alone (`ownership.py`)."""

    def __init__(self, store: Store) -> None:
        """Read from `store`; nothing is kept, since a status must be fresh."""
        self._store = store

    async def latest(self, ctx: CallContext) -> LatestBooking | None:
        """Return the caller's booking that was made last, whatever became of it; None where there is none.

        Raises:
            ToolError: MODE_RESTRICTED where nobody has shown who is calling, and this conversation has booked nothing;
                TRANSIENT when the store does not answer.
        """
        try:
            identity = await identify(self._store, ctx)
            here, theirs = await asyncio.gather(self._made_here(ctx, identity), self._of_caller(ctx, identity))
        except StoreError as error:
            raise unreadable("bookings", error) from error
        if not identity.is_known and not here:
            raise unknown_caller()
        own = [*theirs, *here]
        proven = [booking for booking in own if not is_unproven(ctx, booking)]
        newest = max(own, key=_made, default=None)
        latest = max(proven, key=_made, default=newest)
        return LatestBooking(latest, latest is not newest) if latest is not None else None

    async def booking(self, ctx: CallContext, id: str) -> Booking:
        """Return a booking of the caller's.

        Raises:
            ToolError: NOT_FOUND when there is none of that id, in the same words whether it does not exist or is
                another's; otherwise as for `latest`.
        """
        try:
            identity = await identify(self._store, ctx)
            document = await self._store.get(ctx.paths.document("bookings", id))
        except StoreError as error:
            raise unreadable("bookings", error) from error
        booking = read_booking(document) if document else None
        if booking is None or not identity.owns(booking):
            if not identity.is_known:
                raise unknown_caller()
            raise ToolError(
                ErrorType.NOT_FOUND,
                "The caller has no booking with that id. Use an id that an earlier result of this conversation named, "
                "or look up the caller's latest booking instead.",
            )
        return booking

    async def _made_here(self, ctx: CallContext, identity: CallerIdentity) -> list[Booking]:
        here = identity.here()
        if here is None:
            return []
        query = Query(ctx.paths.collection("bookings"), (here,), limit=_OF_CONVERSATION)
        return [booking for booking in _read(await self._store.query(query)) if identity.owns(booking)]

    async def _of_caller(self, ctx: CallContext, identity: CallerIdentity) -> list[Booking]:
        """Return the newest by the first field that shows any; read on where a page shows no more than a number."""
        filters = sorted(identity.filters(), key=lambda own: _BY_FIELD.index(own.field))
        if not filters:
            return []
        bookings, order = ctx.paths.collection("bookings"), (Order("createdAt", descending=True),)

        def is_enough(found: Sequence[Booking]) -> bool:
            return any(identity.owns(booking) and not is_unproven(ctx, booking) for booking in found)

        newest = await self._store.query(Query(bookings, (), order, _LOOKED_AT, any_of=tuple(filters)))
        doubtful: list[Booking] = []
        for own in filters:
            found = _read(document for document in newest if _meets(document, own))
            if len(newest) == _LOOKED_AT and not is_enough(found):
                # The newest by this field need not be among the newest of all.
                found = _read(await _paged(self._store, Query(bookings, (own,), order, _PAGE), is_enough))
            usable = [booking for booking in found if identity.owns(booking)]
            if is_enough(usable):
                return [*doubtful, *usable]
            doubtful = doubtful or usable
        return doubtful


async def _paged(store: Store, query: Query, is_enough: Callable[[Sequence[Booking]], bool]) -> list[Document]:
    """Return what a query that puts in order finds, page by page until that is enough."""
    found: list[Document] = []
    for _ in range(_PAGES):
        page = await store.query(query)
        found += page
        if len(page) < _PAGE or is_enough(_read(found)):
            break
        query = replace(query, start_after=(*(page[-1].data[order.field] for order in query.order), page[-1].id))
    return found


def _sides(span: tuple[datetime, datetime] | None, now: datetime) -> list[tuple[bool, tuple[Filter, ...]]]:
    """Return the conditions on when appointments begin, and whether the latest come first."""
    if span is not None:
        return [(False, (Filter("start", ">=", span[0]), Filter("start", "<", span[1])))]
    return [(False, (Filter("start", ">=", now),)), (True, (Filter("start", "<", now),))]


def _read(documents: Iterable[Document]) -> list[Booking]:
    return [booking for document in documents if (booking := read_booking(document)) is not None]


def _meets(document: Document, own: Filter) -> bool:
    value = document.data.get(own.field)
    return value in own.value if own.op == "in" else value == own.value


def _stands(booking: Booking) -> bool:
    return booking.status not in (CANCELLED, CANCELLING)


def _ask_for(message: str) -> ToolError:
    return ToolError(ErrorType.VALIDATION, message)


def _made(booking: Booking) -> tuple[datetime, datetime]:
    return booking.created_at, booking.start
