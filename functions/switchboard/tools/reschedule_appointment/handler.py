"""Move one of the caller's own appointments to another time (design §9)."""

from datetime import datetime

from switchboard.contract.context import CallContext
from switchboard.contract.json import JsonObject
from switchboard.contract.response import Proposal, Result
from switchboard.desk import Desk
from switchboard.desk.appointments import told_move
from switchboard.desk.corrections import told_contact
from switchboard.desk.wording import iso


async def propose(ctx: CallContext, desk: Desk, *, booking_id: str, new_start_time: datetime) -> Proposal:
    """Return which appointment would be moved, and from when.

    Args:
        ctx: The call.
        desk: Does the work.
        booking_id: The appointment's reference.
        new_start_time: When it shall begin.

    Raises:
        ToolError: NOT_FOUND, VALIDATION, CONFLICT or TRANSIENT; see `Appointments.movable`.
    """
    booking, target = await desk.appointments.movable(ctx, booking_id, new_start_time)
    return Proposal(told_move(booking, target), is_done=booking.repeated)


async def execute(ctx: CallContext, desk: Desk, *, booking_id: str, new_start_time: datetime) -> Result:
    """Return the appointment at its new time; the old time is free again.

    Args:
        ctx: The call; only an appointment of its caller can be moved.
        desk: Does the work.
        booking_id: The appointment's reference.
        new_start_time: Local time in the business's zone, on a full five minutes.

    Raises:
        ToolError: NOT_FOUND, VALIDATION, CONFLICT with alternatives, AUTH or TRANSIENT; see `Appointments.reschedule`.
    """
    booking = await desk.appointments.reschedule(ctx, booking_id, new_start_time)
    zone = ctx.business.timezone
    when = iso(booking.start, zone)
    data: JsonObject = {
        "moved": True,
        "bookingId": booking.id,
        "service": booking.service,
        "startTime": when,
        "endTime": iso(booking.end, zone),
        "timezone": zone.key,
        "customerName": booking.customer_name,
        "repeated": booking.repeated,
        **told_contact(ctx, booking),
    }
    receipt = {
        "what": f"moved: {booking.service}",
        "for": booking.customer_name,
        "when": when,
        "effectIds": [booking.id],
    }
    return Result(data, receipt=receipt)
