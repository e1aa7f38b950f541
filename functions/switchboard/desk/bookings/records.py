"""What a caller may learn about bookings: their own, and of those no more than they need (seed 000, "Risks")."""

from datetime import datetime

from switchboard.contract.context import CallContext
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.ports import Store
from switchboard.contract.store import Document, Filter, Order, Query, StoreError
from switchboard.desk.bookings.booking import Booking, read_booking
from switchboard.desk.bookings.ownership import CallerIdentity, identify, unknown_caller
from switchboard.desk.limits.outage import unreadable

# Of the newest one or two may have no usable time, and some may have been made by somebody who had the number shown.
_LOOKED_AT = 10
# A conversation makes few, so that no index has to put them in order.
_OF_CONVERSATION = 20
# The number on which the customer is to be reached is the key (seed 000). Only who has none under it is
# looked for by the number that bookings were made from: a parent's for a child, say.
_BY_FIELD = ("customerPhone", "callerId", "callerPhone")


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
        bookings = ctx.paths.collection("bookings")
        here = [booking for booking in await self._of_conversation(ctx, identity) if identity.owns(booking)]
        if not identity.is_known and not here:
            raise unknown_caller()
        by_field = {own.field: own for own in identity.filters()}
        for field in _BY_FIELD:
            own = by_field.get(field)
            newest = (Order("createdAt", descending=True),)
            documents = await self._found(Query(bookings, (own,), newest, _LOOKED_AT)) if own else []
            found = [booking for document in documents if (booking := read_booking(document))]
            usable = [booking for booking in found if identity.owns(booking)]
            if usable:
                return max([*usable, *here], key=_made)
        return max(here, key=_made, default=None)

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

    async def _of_conversation(self, ctx: CallContext, identity: CallerIdentity) -> list[Booking]:
        if not identity.session_id:
            return []
        own = (Filter("source.sessionId", "==", identity.session_id),)
        documents = await self._found(Query(ctx.paths.collection("bookings"), own, limit=_OF_CONVERSATION))
        return [booking for document in documents if (booking := read_booking(document))]

    async def _found(self, query: Query) -> list[Document]:
        try:
            return await self._store.query(query)
        except StoreError as error:
            raise unreadable("bookings", error) from error


def _made(booking: Booking) -> tuple[datetime, datetime]:
    return booking.created_at, booking.start
