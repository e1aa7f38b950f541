"""Cancel one of the caller's own appointments (seed 004, `cancel_appointment`)."""

from datetime import datetime

from switchboard.contract.context import CallContext
from switchboard.contract.json import JsonObject
from switchboard.contract.response import Proposal, Result
from switchboard.desk import Desk
from switchboard.desk.bookings.date_text import iso
from switchboard.desk.bookings.request import receipt_of, told_company
from switchboard.desk.bookings.told_changes import told_facts


async def propose(ctx: CallContext, desk: Desk, *, booking_id: str, start_time: datetime | None = None) -> Proposal:
    """Return which appointment would be cancelled.

    Args:
        ctx: The call.
        desk: Does the work.
        booking_id: The appointment's reference.
        start_time: When it begins, as the caller was told.

    Raises:
        ToolError: NOT_FOUND, CONFLICT or TRANSIENT; see `Appointments.cancellable`.
    """
    booking = await desk.appointments.cancellable(ctx, booking_id, start_time)
    return Proposal(told_facts(booking), is_done=booking.repeated)


async def execute(ctx: CallContext, desk: Desk, *, booking_id: str, start_time: datetime | None = None) -> Result:
    """Return the appointment that was cancelled, now or before; its time is free again.

    Args:
        ctx: The call; only an appointment of its caller can be cancelled.
        desk: Does the work.
        booking_id: The appointment's reference.
        start_time: When it begins, as the caller was told; one that begins at another time is left alone.

    Raises:
        ToolError: NOT_FOUND, CONFLICT, AUTH or TRANSIENT; see `Appointments.cancel`.
    """
    booking = await desk.appointments.cancel(ctx, booking_id, start_time)
    zone = ctx.business.timezone
    data: JsonObject = {
        "cancelled": True,
        "bookingId": booking.id,
        "service": booking.service,
        "startTime": iso(booking.start, zone),
        "timezone": zone.key,
        "customerName": booking.customer_name,
        "repeated": booking.repeated,
        **told_company(booking),
    }
    return Result(data, receipt=receipt_of(ctx, booking, f"cancelled: {booking.service}"))
