"""Whose appointments a caller may see and change: those of whom the caller has shown to be, and of this conversation.

The number of a call proves nothing by itself (`contract/proof.py`), and what a model passes on never widens this; a
reference or a name that a caller gives can only narrow it down.
"""

from dataclasses import dataclass

from switchboard.contract.context import CallContext, ProvenNumber
from switchboard.contract.ports import Store
from switchboard.contract.proof import proven_number
from switchboard.contract.store import Filter
from switchboard.desk.booking import Booking


@dataclass(frozen=True, slots=True)
class Identity:
    """Who is calling, as far as it was shown.

    Attributes:
        phones: E.164: those on file of a verified caller, or the one that the carrier vouches for.
        caller_id: The record of a verified caller.
        session_id: The conversation: what was booked in it may be changed in it.
    """

    phones: frozenset[ProvenNumber]
    caller_id: str | None
    session_id: str

    @property
    def is_known(self) -> bool:
        """Whether more is known of the caller than this conversation."""
        return bool(self.phones) or self.caller_id is not None

    def owns(self, booking: Booking) -> bool:
        """Tell whether a booking is the caller's own."""
        return (
            not self.phones.isdisjoint((booking.caller_phone, booking.customer_phone))
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
    """Return who is calling: a verified caller is the record that was matched, whatever number the call shows.

    Raises:
        StoreError: The verified caller's record cannot be read.
    """
    facts = ctx.facts
    caller_id = facts.caller_id if facts.caller_verified and facts.caller_id else None
    if caller_id is None:
        number = proven_number(facts, ctx.business)
        return Identity(frozenset((number,) if number else ()), None, facts.session_id)
    record = await store.get(ctx.paths.document("callers", caller_id))
    on_file = record.data.get("phone") if record is not None else None
    phones = frozenset((ProvenNumber(on_file),)) if isinstance(on_file, str) and on_file else frozenset()
    return Identity(phones, caller_id, facts.session_id)
