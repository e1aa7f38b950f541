"""How the customer of an appointment is named and reached: told to be read back, and corrected where it is wrong."""

from dataclasses import dataclass
from typing import Any

from switchboard.contract.context import CallContext
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.desk.bookings.booking import Booking
from switchboard.desk.bookings.date_text import iso
from switchboard.desk.bookings.request import customer_named
from switchboard.desk.contact.phone import to_e164
from switchboard.desk.knowledge.untrusted_text import quoted

NOBODY_REACHED = (
    "none: nobody can reach the customer about this appointment. Ask once for a number or an e-mail address, for "
    "update_appointment; whoever wants to give none is booked all the same."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """What shall be recorded instead; what is None stays."""

    customer_name: str | None = None
    customer_phone: str | None = None
    customer_email: str | None = None
    notes: str | None = None

    def changes(self, ctx: CallContext) -> dict[str, Any]:
        """Return the fields that change.

        Raises:
            ToolError: VALIDATION, nothing is given, or it cannot be recorded.
        """
        found: dict[str, Any] = {}
        if self.customer_name is not None:
            found["customer_name"] = customer_named(self.customer_name)
        if self.customer_phone is not None:
            found["customer_phone"] = to_e164(self.customer_phone, ctx.business)
        if self.customer_email is not None:
            found["customer_email"] = self.customer_email
        if self.notes is not None:
            found["customer_notes"] = self.notes
        if not found:
            raise ToolError(ErrorType.VALIDATION, "Nothing to correct: give a name, a number, an e-mail or notes.")
        return found


def told_appointment(ctx: CallContext, booking: Booking) -> JsonObject:
    """Return what a caller is told of an appointment that was made or moved for them just now."""
    zone = ctx.business.timezone
    return {
        "bookingId": booking.id,
        "service": booking.service,
        "startTime": iso(booking.start, zone),
        "endTime": iso(booking.end, zone),
        "timezone": zone.key,
        "customerName": booking.customer_name,
        "repeated": booking.repeated,
        **told_company(booking),
        **told_contact(ctx, booking),
    }


def receipt_of(ctx: CallContext, booking: Booking, what: str) -> JsonObject:
    """Return the receipt for what was done with an appointment, named in a word or two."""
    return {
        "what": what,
        "for": booking.customer_name,
        "when": iso(booking.start, ctx.business.timezone),
        "effectIds": [booking.id],
        **told_company(booking),
    }


def told_company(booking: Booking) -> JsonObject:
    """Return with whom an appointment is, and how many come; neither where it is with nobody in particular, or one."""
    return {
        **({"with": booking.taken.person} if booking.taken.person else {}),
        **({"partySize": booking.party} if booking.party > 1 else {}),
    }


def told_in_records(booking: Booking) -> JsonObject:
    """Return the same in the fields of seed 000, in words that a model cannot take for ours."""
    names = {"with": "with", "partySize": "party_size"}
    told = told_company(booking).items()
    return {names[name]: quoted(value) if isinstance(value, str) else value for name, value in told}


def told_contact(ctx: CallContext, booking: Booking) -> JsonObject:
    """Return how the customer of a booking of this conversation can be reached, to be read back; or that nobody can.

    What was recorded elsewhere may be somebody else's to tell, and is left out.
    """
    if booking.session_id != ctx.facts.session_id:
        return {}
    told = {"customerPhone": booking.customer_phone, "customerEmail": booking.customer_email}
    known: JsonObject = {name: value for name, value in told.items() if value}
    return known or {"contact": NOBODY_REACHED}
