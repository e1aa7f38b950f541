"""What a caller may learn about bookings: their own, and of those no more than they need (seed 000, "Risks")."""

from datetime import datetime

from switchboard.contract.context import CallContext
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.ports import Store
from switchboard.contract.store import Document, Filter, Order, Query, StoreError
from switchboard.desk.booking import Booking, read_booking
from switchboard.desk.outage import unreadable

# The number on which the customer is to be reached is the key (seed 000, "MVP limits"). Only who has none under it is
# looked for by the number that bookings were made from: a parent's for a child, say.
_KEYS = ("customerPhone", "callerPhone")
# Of the newest one or two may have no usable time.
_LOOKED_AT = 3


class Records:
    """Reads bookings for the person they belong to. Phone numbers are E.164 and come from the call, never a model."""

    def __init__(self, store: Store) -> None:
        """Read from `store`; nothing is kept, since a status must be fresh."""
        self._store = store

    async def latest(self, ctx: CallContext, phone: str | None, call_sid: str | None) -> Booking | None:
        """Return the caller's booking that was made last, whatever became of it; None where there is none.

        Args:
            ctx: The call.
            phone: The caller's number, None where it is not known.
            call_sid: The phone call; without a number its own record tells which number it came from.

        Raises:
            ToolError: MODE_RESTRICTED where nobody knows the caller's number; TRANSIENT when the store does not answer.
        """
        phone = await self._number(ctx, phone, call_sid)
        bookings = ctx.paths.collection("bookings")
        for key in _KEYS:
            newest = (Order("createdAt", descending=True),)
            documents = await self._found(Query(bookings, (Filter(key, "==", phone),), newest, _LOOKED_AT))
            usable = [booking for document in documents if (booking := read_booking(document))]
            if usable:
                return max(usable, key=_made)
        return None

    async def booking(self, ctx: CallContext, id: str, phone: str | None, call_sid: str | None) -> Booking:
        """Return a booking of the caller's; for the other arguments see `latest`.

        Raises:
            ToolError: NOT_FOUND when there is none of that id, in the same words whether it does not exist or is
                another's; otherwise as for `latest`.
        """
        phone = await self._number(ctx, phone, call_sid)
        try:
            document = await self._store.get(ctx.paths.document("bookings", id))
        except StoreError as error:
            raise unreadable("bookings", error) from error
        booking = read_booking(document) if document else None
        if booking is None or phone not in (booking.caller_phone, booking.customer_phone):
            raise ToolError(
                ErrorType.NOT_FOUND,
                "The caller has no booking with that id. Use an id that an earlier result of this conversation named, "
                "or look up the caller's latest booking instead.",
            )
        return booking

    async def _number(self, ctx: CallContext, phone: str | None, call_sid: str | None) -> str:
        if not phone and call_sid:
            calls = ctx.paths.collection("interactions")
            found = await self._found(Query(calls, (Filter("callSid", "==", call_sid),), limit=1))
            recorded = found[0].data.get("callerPhone") if found else None
            phone = recorded if isinstance(recorded, str) else None
        if not phone:
            raise ToolError(
                ErrorType.MODE_RESTRICTED,
                "Bookings are looked up by the number that the caller calls from, which is not known in this "
                "conversation and cannot be given as an argument. Offer to take a message.",
            )
        return phone

    async def _found(self, query: Query) -> list[Document]:
        try:
            return await self._store.query(query)
        except StoreError as error:
            raise unreadable("bookings", error) from error


def _made(booking: Booking) -> tuple[datetime, datetime]:
    return booking.created_at, booking.start
