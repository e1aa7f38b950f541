"""Tell the booking that the caller made last (seed 000, `get_latest_booking`)."""

from switchboard.contract.context import CallContext
from switchboard.contract.response import Result
from switchboard.desk import Desk
from switchboard.desk.bookings.date_text import iso, stamp
from switchboard.desk.bookings.ownership import is_unproven
from switchboard.desk.bookings.request import told_in_records
from switchboard.desk.untrusted_text import quoted


async def execute(
    ctx: CallContext, desk: Desk, *, customer_phone: str | None = None, call_sid: str | None = None
) -> Result:
    """Return the caller's latest booking in the fields of seed 000 ("Tool Call Protocol"); empty when there is none.

    Args:
        ctx: The call.
        desk: Does the work.
        customer_phone: The number that the call shows; whose bookings these are follows from `ctx` alone.
        call_sid: The phone call; the same holds for it.

    Raises:
        ToolError: MODE_RESTRICTED where nobody has shown who is calling; TRANSIENT when the store does not answer.
    """
    latest = await desk.records.latest(ctx)
    if latest is None:
        return Result({}, empty=True)
    booking = latest.booking
    return Result(
        {
            "booking_id": booking.id,
            "status": quoted(booking.status),
            "service": quoted(booking.service),
            "booking_datetime": stamp(booking.start),
            "local_time": iso(booking.start, ctx.business.timezone),
            "customer_name": quoted(booking.customer_name),
            **told_in_records(booking),
            **({"unproven": True} if is_unproven(ctx, booking) else {}),
            **({"newer_unproven": True} if latest.has_newer_unproven else {}),
        }
    )
