"""Which appointments are a caller's own, and with whom the latest of them was."""

import asyncio

from switchboard.contract.business.resources import PERSON
from switchboard.contract.context import CallContext
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.ports import Store
from switchboard.contract.store import Filter, Order, Query, StoreError
from switchboard.desk.bookings.booking import CANCELLED, CANCELLING, Booking, read_booking
from switchboard.desk.bookings.booking_records import BookingRecords
from switchboard.desk.bookings.ownership import CallerIdentity, identify, unknown_caller
from switchboard.desk.limits.outage import unreadable
from switchboard.desk.resources.people import is_last_time, named

# Of each kind of match, and then on each side of now; enough that cancelled ones do not crowd out the rest.
_READ_AT_ONCE = 20


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
            found = await asyncio.gather(
                *(self._of(ctx, own) for own in identity.filters()),
                self._in_session(ctx, identity),
                self._named(ctx, reference),
            )
        except StoreError as error:
            raise unreadable("list of appointments", error) from error
        own = {b.id: b for bookings in found for b in bookings if identity.owns(b)}
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
        found = next((person.name for person in people if person.id in ids), None)
        if found is None:
            raise _ask_for(f"Last time it was {last.taken.person}, who is not there now. Offer: {named(people)}.")
        return found

    async def _of(self, ctx: CallContext, own: Filter) -> list[Booking]:
        bookings = ctx.paths.collection("bookings")
        found = await self._store.query(Query(bookings, filters=(own,), limit=_READ_AT_ONCE))
        if len(found) == _READ_AT_ONCE:
            # A regular, of whose appointments those around now are read: those to come, and the latest of the past.
            sides = (
                Query(
                    bookings,
                    filters=(own, Filter("start", "<" if is_past else ">=", ctx.now)),
                    order=(Order("start", descending=is_past),),
                    limit=_READ_AT_ONCE,
                )
                for is_past in (False, True)
            )
            found = [document for side in await asyncio.gather(*map(self._store.query, sides)) for document in side]
        return [booking for booking in map(read_booking, found) if booking is not None]

    async def _named(self, ctx: CallContext, reference: str | None) -> list[Booking]:
        """Return the booking of a reference, which may be an old one of many."""
        if reference is None:
            return []
        booking = await self._records.read(ctx, reference.strip())
        return [booking] if booking is not None else []

    async def _in_session(self, ctx: CallContext, identity: CallerIdentity) -> list[Booking]:
        if not identity.session_id:
            return []
        # A conversation makes few of them, so that no index has to put them in order.
        own = Filter("source.sessionId", "==", identity.session_id)
        found = await self._store.query(Query(ctx.paths.collection("bookings"), filters=(own,), limit=_READ_AT_ONCE))
        return [booking for booking in map(read_booking, found) if booking is not None]


def _ask_for(message: str) -> ToolError:
    return ToolError(ErrorType.VALIDATION, message)
