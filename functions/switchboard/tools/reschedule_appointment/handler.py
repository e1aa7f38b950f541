"""Move one of the caller's own appointments to another time."""

from datetime import datetime

from switchboard.contract.context import CallContext
from switchboard.contract.response import Proposal, Result
from switchboard.desk import Desk
from switchboard.desk.bookings.appointments import told_move
from switchboard.desk.bookings.request import receipt_of, told_appointment


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
    data = {"moved": True} | told_appointment(ctx, booking)
    return Result(data, receipt=receipt_of(ctx, booking, f"moved: {booking.service}"))
