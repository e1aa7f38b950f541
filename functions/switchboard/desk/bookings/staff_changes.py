"""What people of the business do with appointments themselves: seen before it is changed, and told in the audit."""

import hashlib
import json
from collections.abc import Sequence
from typing import Final, Protocol

from switchboard.contract.context import CallContext
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.store import Write
from switchboard.desk.bookings.booking import Booking

AT_THE_DESK: Final = "desk"
"""Stands in a booking in place of the channel where somebody of the business has made it."""
SEEN_BEFORE: Final = "seenBefore"
"""The `meta` by which a refusal tells that the appointment is another one than was read."""
_REVISION_DIGITS = 16


class StaffTrail(Protocol):
    """Tells who of the business did what."""

    def entries(self, ctx: CallContext, before: Booking | None, after: Booking) -> Sequence[Write]:
        """Return what is written in the commit of a change; nothing where a caller makes it."""


class NoTrail:
    """For a desk at which only callers have something done."""

    def entries(self, ctx: CallContext, before: Booking | None, after: Booking) -> Sequence[Write]:
        """Return nothing."""
        return ()


def told_to_staff(booking: Booking) -> JsonObject:
    """Return what the business itself decides about an appointment, as its audit and its revision have it."""
    return {
        "service": booking.service,
        "start": booking.start.isoformat(),
        "minutes": booking.minutes,
        "status": booking.status,
        "customerName": booking.customer_name,
        "customerPhone": booking.customer_phone,
        "customerEmail": booking.customer_email,
        "customerNotes": booking.customer_notes,
        "partySize": booking.party,
        "with": [taken.name for taken in booking.taken.resources],
        "resources": list(booking.taken.ids),
    }


def revision_of_booking(booking: Booking) -> str:
    """Return the revision of an appointment: it changes with what the business decides about it, and with that alone.

    What the running system notes in the same document makes nobody's form out of date.
    """
    spelled = json.dumps(told_to_staff(booking), sort_keys=True)
    return hashlib.sha256(spelled.encode("utf-8", "replace")).hexdigest()[:_REVISION_DIGITS]


def require_seen(ctx: CallContext, booking: Booking, *, is_done: bool) -> None:
    """Let a change through that is based on the appointment as it is now; what callers ask for is not.

    Args:
        ctx: The call.
        booking: As it is now.
        is_done: Whether it is already as the change would make it, perhaps by an earlier try of this very call.

    Raises:
        ToolError: CONFLICT; it was changed since it was read.
    """
    staff = ctx.facts.staff
    if staff is None or not staff.seen or staff.seen == revision_of_booking(booking):
        return
    if is_done and staff.is_resumed:
        return
    raise ToolError(
        ErrorType.CONFLICT, "Somebody else has changed that appointment meanwhile.", meta={SEEN_BEFORE: staff.seen}
    )
