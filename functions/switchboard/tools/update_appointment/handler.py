"""Correct what is recorded of one of the caller's own appointments."""

from switchboard.contract.context import CallContext
from switchboard.contract.json import JsonObject
from switchboard.contract.response import Result
from switchboard.desk import Desk
from switchboard.desk.bookings.date_text import iso
from switchboard.desk.bookings.people_in_notes import people_in
from switchboard.desk.bookings.request import Correction, receipt_of, told_company, told_contact

_STILL = (
    "A note changes no number of people: it is still {}. For another number, use reschedule_appointment with its own "
    "start time and party_size."
)


async def execute(
    ctx: CallContext,
    desk: Desk,
    *,
    booking_id: str,
    customer_name: str | None = None,
    customer_phone: str | None = None,
    customer_email: str | None = None,
    notes: str | None = None,
) -> Result:
    """Return the appointment as it is recorded now; its time and service stay.

    Args:
        ctx: The call; only an appointment of its caller can be corrected.
        desk: Does the work.
        booking_id: The appointment's reference.
        customer_name: The right name.
        customer_phone: Any spelling that can be dialled where the business is.
        customer_email: The right address.
        notes: In place of what was noted before.

    Raises:
        ToolError: NOT_FOUND, VALIDATION, CONFLICT or TRANSIENT; see `Appointments.correct`.
    """
    correction = Correction(
        customer_name=customer_name, customer_phone=customer_phone, customer_email=customer_email, notes=notes
    )
    booking = await desk.appointments.correct(ctx, booking_id, correction)
    zone = ctx.business.timezone
    data: JsonObject = {
        "updated": True,
        "bookingId": booking.id,
        "service": booking.service,
        "startTime": iso(booking.start, zone),
        "timezone": zone.key,
        "customerName": booking.customer_name,
        "repeated": booking.repeated,
        **told_company(booking),
        **told_contact(ctx, booking),
    }
    if booking.customer_notes and notes is not None:
        data["notes"] = booking.customer_notes
    if notes and people_in(notes) not in (None, booking.party):
        data["note"] = _STILL.format(booking.party)
    return Result(data, receipt=receipt_of(ctx, booking, f"corrected: {booking.service}"))
