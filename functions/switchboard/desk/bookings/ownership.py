"""Whose appointments a caller may see and change: those of whom the caller has shown to be, and of this conversation.

The number of a call proves nothing by itself (`contract/caller/strangers.py`), and what a model passes on never widens
this; a reference or a name that a caller gives can only narrow it down. What was made on the line of a phone call
belongs to whoever is on that line: not to whoever opens the page of which the link was sent there, nor to whoever shows
another number in the same conversation, or none where one was shown.
"""

from typing import Any

from switchboard.contract.caller.caller_identity import may_be_same, place_of
from switchboard.contract.caller.strangers import proven_number
from switchboard.contract.channel import Channel
from switchboard.contract.context import CallContext, Context, ProvenNumber
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.ports import Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Filter
from switchboard.desk.bookings.booking import Booking
from switchboard.desk.callers.callers import read_caller
from switchboard.desk.contact.phone import region_of


@dataclass(frozen=True, slots=True)
class CallerIdentity:
    """Who is calling, as far as it was shown.

    Attributes:
        phones: E.164: those on file of a verified caller, or the one that the carrier vouches for.
        caller_id: The record of a verified caller.
        facts: The conversation, in which what was booked in it may be changed.
        is_verified: Whether the conversation, or the channel that carries it, has established who is calling.
        name: As it is written on file, of a verified caller; empty where that is not known.
        is_staff: Whether somebody of the business asks, whose appointments all of them are.
    """

    phones: frozenset[ProvenNumber]
    caller_id: str | None
    facts: Context
    is_verified: bool = False
    name: str = ""
    is_staff: bool = False

    @property
    def is_known(self) -> bool:
        """Whether more is known of the caller than this conversation."""
        return self.is_verified or self.is_staff or bool(self.phones)

    def owns(self, booking: Booking) -> bool:
        """Tell whether a booking is the caller's own."""
        return self.is_staff or self._is_shown_by(booking) or was_made_here(self.facts, booking)

    def kept_by(self, before: Booking, after: Booking) -> dict[str, Any]:
        """Return what keeps a booking the caller's own where a correction takes away the number that shows it."""
        if self.is_staff or not self._is_shown_by(before) or self._is_shown_by(after):
            return {}
        if before.caller_phone is None and before.customer_phone in self.phones:
            return {"caller_phone": before.customer_phone, "is_proven": True}
        return {"caller_id": self.caller_id} if self.caller_id is not None and before.caller_id is None else {}

    def _is_shown_by(self, booking: Booking) -> bool:
        numbers = {booking.customer_phone, booking.caller_phone if booking.is_proven else None}
        return not self.phones.isdisjoint(numbers) or (
            self.caller_id is not None and self.caller_id == booking.caller_id
        )

    def filters(self) -> list[Filter]:
        """Return conditions on bookings; those of the caller, the conversation aside, meet one of them."""
        phones = sorted(self.phones)
        filters = [Filter(name, "in", phones) for name in ("customerPhone", "callerPhone") if phones]
        if self.caller_id is not None:
            filters.append(Filter("callerId", "==", self.caller_id))
        return filters

    def here(self) -> Filter | None:
        """Return the condition on bookings that were made in this conversation."""
        session_id = self.facts.session_id
        return Filter("source.sessionId", "==", session_id) if session_id else None


async def identify(store: Store, ctx: CallContext) -> CallerIdentity:
    """Return who is calling: a verified caller is the record that was matched, whatever number the call shows.

    Raises:
        StoreError: The verified caller's record cannot be read.
    """
    facts = ctx.facts
    caller_id = facts.caller_id if facts.caller_verified and facts.caller_id else None
    if facts.staff is not None:
        return CallerIdentity(frozenset(), None, facts, is_staff=True)
    if caller_id is None:
        number = proven_number(facts, ctx.business)
        numbers = frozenset((number,) if number else ())
        return CallerIdentity(numbers, None, facts, facts.caller_verified)
    record = await store.get(ctx.paths.document("callers", caller_id))
    caller = read_caller(record, region_of(ctx.business)) if record is not None else None
    phones = frozenset(map(ProvenNumber, caller.numbers if caller is not None else ()))
    name = caller.name if caller is not None else ""
    return CallerIdentity(phones, caller_id, facts, True, name)


def was_made_here(facts: Context, booking: Booking) -> bool:
    """Tell whether a booking was made in this conversation, by whoever is in it now as far as that can be told."""
    if not facts.session_id or facts.session_id != booking.session_id:
        return False
    place = place_of(facts.channel)
    channel = next((channel for channel in Channel if channel == booking.channel), None)
    if channel is not None and place_of(channel) != place:
        return False
    # Of a verified caller who shows none, the number on file stands in the booking.
    return may_be_same(place, booking.caller_phone, facts.shown_phone) or booking.caller_phone == facts.caller_phone


def is_unproven(ctx: CallContext, booking: Booking) -> bool:
    """Tell whether a booking is the caller's by a number alone that somebody else named, or had shown, elsewhere."""
    if was_made_here(ctx.facts, booking):
        return False
    if booking.is_proven and booking.caller_phone and booking.caller_phone == proven_number(ctx.facts, ctx.business):
        # The caller's own, whoever is to be reached about it.
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
