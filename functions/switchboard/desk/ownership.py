"""Whose appointments a caller may see and change: those made from, or for, a number that the channel vouches for.

What a model passes on never widens this; a reference or a name that a caller gives can only narrow it down.
"""

from dataclasses import dataclass

from switchboard.contract.context import CallContext
from switchboard.contract.ports import Store
from switchboard.contract.store import Filter
from switchboard.desk.booking import Booking


@dataclass(frozen=True, slots=True)
class Identity:
    """Who is calling, as far as nobody in the conversation could have made it up.

    Attributes:
        phones: E.164: the number of the phone call, and the one on file of a verified caller.
        caller_id: The record of a verified caller.
        session_id: The conversation: what was booked in it may be changed in it.
    """

    phones: frozenset[str]
    caller_id: str | None
    session_id: str

    def owns(self, booking: Booking) -> bool:
        """Tell whether a booking is the caller's own."""
        return (
            bool(self.phones.intersection((booking.caller_phone, booking.customer_phone)))
            or (self.caller_id is not None and self.caller_id == booking.caller_id)
            or (bool(self.session_id) and self.session_id == booking.session_id)
        )

    def filters(self) -> list[Filter]:
        """Return conditions on bookings; those of the caller, the conversation aside, meet one of them."""
        phones = sorted(self.phones)
        found = [Filter(name, "in", phones) for name in ("customerPhone", "callerPhone") if phones]
        if self.caller_id is not None:
            found.append(Filter("callerId", "==", self.caller_id))
        return found


async def identify(store: Store, ctx: CallContext) -> Identity:
    """Return who is calling.

    Raises:
        StoreError: The verified caller's record cannot be read.
    """
    facts = ctx.facts
    phones = {facts.caller_phone} if facts.caller_phone else set()
    caller_id = facts.caller_id if facts.caller_verified and facts.caller_id else None
    if caller_id is not None:
        record = await store.get(ctx.paths.document("callers", caller_id))
        on_file = record.data.get("phone") if record is not None else None
        if isinstance(on_file, str) and on_file:
            phones.add(on_file)
    return Identity(frozenset(phones), caller_id, facts.session_id)
