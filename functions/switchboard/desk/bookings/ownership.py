"""Whose appointments a caller may see and change: those of whom the caller has shown to be, and of this conversation.

The number of a call proves nothing by itself (`contract/caller/strangers.py`), and what a model passes on never widens
this; a reference or a name that a caller gives can only narrow it down. What was made on the line of a phone call
belongs to whoever is on that line, and not to whoever opens the page of which the link was sent there.
"""

import asyncio
from collections.abc import Iterable
from datetime import datetime

from switchboard.contract.business.resources import PERSON
from switchboard.contract.caller.caller_identity import Place, place_of
from switchboard.contract.caller.strangers import proven_number
from switchboard.contract.channel import Channel
from switchboard.contract.context import CallContext, ProvenNumber
from switchboard.contract.error import ErrorType, ToolError, unreadable
from switchboard.contract.ports import Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Document, Filter, Order, Query, StoreError
from switchboard.desk.bookings.booking import CANCELLED, CANCELLING, Booking, read_booking
from switchboard.desk.bookings.booking_records import BookingRecords
from switchboard.desk.bookings.duration import is_last_time, named
from switchboard.desk.callers.callers import read_caller
from switchboard.desk.contact.phone import region_of

# Of all; of a regular's by each kind of match and on each side of now, enough that cancelled ones crowd out nothing.
_READ_AT_ONCE = 20

# Of the newest one or two may have no usable time, and some may have been made by somebody who had the number shown.
_LOOKED_AT = 10
# A conversation makes few, so that no index has to put them in order.
_OF_CONVERSATION = 20
# The number on which the customer is to be reached is the key (seed 000). Only who has none under it is
# looked for by the number that bookings were made from: a parent's for a child, say.
_BY_FIELD = ("customerPhone", "callerId", "callerPhone")


@dataclass(frozen=True, slots=True)
class CallerIdentity:
    """Who is calling, as far as it was shown.

    Attributes:
        phones: E.164: those on file of a verified caller, or the one that the carrier vouches for.
        caller_id: The record of a verified caller.
        session_id: The conversation: what was booked in it may be changed in it.
        place: Where the caller is: on the line, or before a browser.
        is_verified: Whether the conversation, or the channel that carries it, has established who is calling.
        name: As it is written on file, of a verified caller; empty where that is not known.
        shown: The number that the call shows, which proves nothing; None where it shows none.
        is_staff: Whether somebody of the business asks, whose appointments all of them are.
    """

    phones: frozenset[ProvenNumber]
    caller_id: str | None
    session_id: str
    place: Place
    is_verified: bool = False
    name: str = ""
    shown: str | None = None
    is_staff: bool = False

    @property
    def is_known(self) -> bool:
        """Whether more is known of the caller than this conversation."""
        return self.is_verified or self.is_staff or bool(self.phones)

    def owns(self, booking: Booking) -> bool:
        """Tell whether a booking is the caller's own."""
        numbers = {booking.customer_phone, booking.caller_phone if booking.is_proven else None}
        return (
            self.is_staff
            or not self.phones.isdisjoint(numbers)
            or (self.caller_id is not None and self.caller_id == booking.caller_id)
            or self._made_here(booking)
        )

    def _made_here(self, booking: Booking) -> bool:
        if not self.session_id or self.session_id != booking.session_id:
            return False
        if self.shown and booking.caller_phone and self.shown != booking.caller_phone:
            # Whoever comes from another number in the same conversation is somebody else.
            return False
        channel = next((channel for channel in Channel if channel == booking.channel), None)
        return channel is None or place_of(channel) == self.place

    def filters(self) -> list[Filter]:
        """Return conditions on bookings; those of the caller, the conversation aside, meet one of them."""
        phones = sorted(self.phones)
        filters = [Filter(name, "in", phones) for name in ("customerPhone", "callerPhone") if phones]
        if self.caller_id is not None:
            filters.append(Filter("callerId", "==", self.caller_id))
        return filters

    def here(self) -> Filter | None:
        """Return the condition on bookings that were made in this conversation."""
        return Filter("source.sessionId", "==", self.session_id) if self.session_id else None


async def identify(store: Store, ctx: CallContext) -> CallerIdentity:
    """Return who is calling: a verified caller is the record that was matched, whatever number the call shows.

    Raises:
        StoreError: The verified caller's record cannot be read.
    """
    facts = ctx.facts
    caller_id = facts.caller_id if facts.caller_verified and facts.caller_id else None
    place = place_of(facts.channel)
    if facts.staff is not None:
        return CallerIdentity(frozenset(), None, facts.session_id, place, is_staff=True)
    if caller_id is None:
        number = proven_number(facts, ctx.business)
        numbers = frozenset((number,) if number else ())
        shown = facts.caller_phone
        return CallerIdentity(numbers, None, facts.session_id, place, facts.caller_verified, shown=shown)
    record = await store.get(ctx.paths.document("callers", caller_id))
    caller = read_caller(record, region_of(ctx.business)) if record is not None else None
    phones = frozenset(map(ProvenNumber, caller.numbers if caller is not None else ()))
    name = caller.name if caller is not None else ""
    return CallerIdentity(phones, caller_id, facts.session_id, place, True, name, facts.caller_phone)


def is_unproven(ctx: CallContext, booking: Booking) -> bool:
    """Tell whether a booking is the caller's by a number alone that somebody else named, or had shown, elsewhere."""
    if booking.session_id == ctx.facts.session_id:
        return False
    if booking.caller_id is not None and ctx.facts.caller_verified:
        return booking.caller_id != ctx.facts.caller_id
    return not booking.is_proven or booking.caller_phone not in (None, booking.customer_phone)


def unknown_caller() -> ToolError:
    """Return the refusal of whoever has not shown who is calling, and asks for what this conversation has not made."""
    return ToolError(
        ErrorType.MODE_RESTRICTED,
        "Nobody has shown who is calling, and this conversation has booked no such appointment. Verify the caller "
        "first, if verify_caller is offered here; the number that a call shows is not enough, and none can be given as "
        "an argument.",
        meta={"condition": "session:verified"},
    )


class OwnAppointments:
    """Reads what belongs to whoever is calling."""

    def __init__(self, store: Store, records: BookingRecords) -> None:
        """Read from `store`; `records` knows single bookings."""
        self._store, self._records = store, records

    async def read(self, ctx: CallContext, reference: str | None = None) -> list[Booking]:
        """Return the caller's own appointments, of a regular those around now; that of a reference is among them.

        Raises:
            ToolError: MODE_RESTRICTED where nobody has shown who is calling, and this conversation has booked nothing;
                TRANSIENT when they cannot be read.
        """
        try:
            identity = await identify(self._store, ctx)
            results = await asyncio.gather(self._theirs(ctx, identity), self._named(ctx, reference))
        except StoreError as error:
            raise unreadable("list of appointments", error) from error
        own = {b.id: b for bookings in results for b in bookings if identity.owns(b)}
        if not identity.is_known and not own:
            raise unknown_caller()
        return list(own.values())

    async def whom(self, ctx: CallContext, with_person: str | None) -> str | None:
        """Return whom a caller asks for: of "the same as last time" the name, of everything else what was said.

        Last time is the latest appointment that has begun and was with somebody; without one, the next to come.

        Raises:
            ToolError: VALIDATION where nobody can tell who that was, or they are not there any more; TRANSIENT when the
                appointments cannot be read.
        """
        people = ctx.business.people
        if with_person is None or not people or not is_last_time(with_person):
            return with_person
        try:
            known = [b for b in await self.read(ctx) if b.taken.person and b.status not in (CANCELLED, CANCELLING)]
        except ToolError as error:
            if error.type is not ErrorType.MODE_RESTRICTED:
                raise
            known = []
        begun = max((b for b in known if b.start <= ctx.now), key=lambda b: b.start, default=None)
        last = begun or min(known, key=lambda b: b.start, default=None)
        if last is None:
            raise _ask_for(f"It is not known with whom the caller was last time. Ask for the name: {named(people)}.")
        ids = [taken.id for taken in last.taken.resources if taken.kind == PERSON]
        person_name = next((person.name for person in people if person.id in ids), None)
        if person_name is None:
            raise _ask_for(f"Last time it was {last.taken.person}, who is not there now. Offer: {named(people)}.")
        return person_name

    async def _theirs(self, ctx: CallContext, identity: CallerIdentity) -> list[Booking]:
        """Return what may be theirs, by whatever shows it, in one query for all but regulars."""
        bookings = ctx.paths.collection("bookings")
        own, made_here = identity.filters(), identity.here()
        here = [made_here] if made_here is not None else []
        if not own and not here:
            return []
        found = [await self._store.query(Query(bookings, limit=_READ_AT_ONCE, any_of=(*own, *here)))]
        if own and len(found[0]) == _READ_AT_ONCE:
            # A regular, of whose appointments those around now are read: those to come, and the latest of the past.
            # Each kind by itself, so that what others book in somebody's name crowds out nothing of their own.
            sides = [
                Query(
                    bookings,
                    filters=(one, Filter("start", "<" if is_past else ">=", ctx.now)),
                    order=(Order("start", descending=is_past),),
                    limit=_READ_AT_ONCE,
                )
                for one in own
                for is_past in (False, True)
            ]
            # A conversation makes few of them, so that no index has to put them in order.
            queries = (*sides, *(Query(bookings, (one,), limit=_READ_AT_ONCE) for one in here))
            found = await asyncio.gather(*map(self._store.query, queries))
        each_found = (read_booking(document) for documents in found for document in documents)
        return [booking for booking in each_found if booking is not None]

    async def _named(self, ctx: CallContext, reference: str | None) -> list[Booking]:
        """Return the booking of a reference, which may be an old one of many."""
        if reference is None:
            return []
        booking = await self._records.read(ctx, reference.strip())
        return [booking] if booking is not None else []


def _ask_for(message: str) -> ToolError:
    return ToolError(ErrorType.VALIDATION, message)


class CallersBookings:
    """Reads bookings for the person they belong to; who that is follows from the call alone (`ownership.py`)."""

    def __init__(self, store: Store) -> None:
        """Read from `store`; nothing is kept, since a status must be fresh."""
        self._store = store

    async def latest(self, ctx: CallContext) -> Booking | None:
        """Return the caller's booking that was made last, whatever became of it; None where there is none.

        Raises:
            ToolError: MODE_RESTRICTED where nobody has shown who is calling, and this conversation has booked nothing;
                TRANSIENT when the store does not answer.
        """
        identity = await self._identity(ctx)
        here, theirs = await asyncio.gather(self._made_here(ctx, identity), self._of_caller(ctx, identity))
        if not identity.is_known and not here:
            raise unknown_caller()
        return max([*theirs, *here], key=_made, default=None)

    async def booking(self, ctx: CallContext, id: str) -> Booking:
        """Return a booking of the caller's.

        Raises:
            ToolError: NOT_FOUND when there is none of that id, in the same words whether it does not exist or is
                another's; otherwise as for `latest`.
        """
        identity = await self._identity(ctx)
        try:
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

    async def _identity(self, ctx: CallContext) -> CallerIdentity:
        try:
            return await identify(self._store, ctx)
        except StoreError as error:
            raise unreadable("bookings", error) from error

    async def _made_here(self, ctx: CallContext, identity: CallerIdentity) -> list[Booking]:
        here = identity.here()
        if here is None:
            return []
        query = Query(ctx.paths.collection("bookings"), (here,), limit=_OF_CONVERSATION)
        return _own(identity, await self._found(query))

    async def _of_caller(self, ctx: CallContext, identity: CallerIdentity) -> list[Booking]:
        """Return the newest by the first field that shows any; no more than a handful of each is read."""
        filters = sorted(identity.filters(), key=lambda own: _BY_FIELD.index(own.field))
        if not filters:
            return []
        bookings, order = ctx.paths.collection("bookings"), (Order("createdAt", descending=True),)
        newest = await self._found(Query(bookings, order=order, limit=_LOOKED_AT, any_of=tuple(filters)))
        for own in filters:
            of_field = _own(identity, [document for document in newest if _meets(document, own)])
            if not of_field and len(newest) == _LOOKED_AT:
                # The newest by this field need not be among the newest of all.
                of_field = _own(identity, await self._found(Query(bookings, (own,), order, _LOOKED_AT)))
            if of_field:
                return of_field
        return []

    async def _found(self, query: Query) -> list[Document]:
        try:
            return await self._store.query(query)
        except StoreError as error:
            raise unreadable("bookings", error) from error


def _own(identity: CallerIdentity, documents: Iterable[Document]) -> list[Booking]:
    readable = (booking for document in documents if (booking := read_booking(document)))
    return [booking for booking in readable if identity.owns(booking)]


def _meets(document: Document, own: Filter) -> bool:
    value = document.data.get(own.field)
    return value in own.value if own.op == "in" else value == own.value


def _made(booking: Booking) -> tuple[datetime, datetime]:
    return booking.created_at, booking.start
