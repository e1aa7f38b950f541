"""Tell the details of one of the caller's own bookings (seed 000, `get_booking_by_id`)."""

from switchboard.contract.context import CallContext
from switchboard.contract.json import JsonObject
from switchboard.contract.response import Result
from switchboard.desk import Desk
from switchboard.desk.bookings.date_text import iso, stamp
from switchboard.desk.bookings.ownership import is_unproven
from switchboard.desk.bookings.request import told_in_records
from switchboard.desk.untrusted_text import quoted


async def execute(
    ctx: CallContext,
    desk: Desk,
    *,
    booking_id: str,
    customer_phone: str | None = None,
    call_sid: str | None = None,
) -> Result:
    """Return a booking of the caller's; what the business noted for itself is left out.

    Args:
        ctx: The call.
        desk: Does the work.
        booking_id: As an earlier result names it.
        customer_phone: The number that the call shows; whose bookings these are follows from `ctx` alone.
        call_sid: The phone call; the same holds for it.

    Raises:
        ToolError: NOT_FOUND, whether it does not exist or is another's; MODE_RESTRICTED where nobody has shown who is
            calling; TRANSIENT when the store does not answer.
    """
    booking = await desk.records.booking(ctx, booking_id)
    data: JsonObject = {
        "booking_id": booking.id,
        "status": quoted(booking.status),
        "service": quoted(booking.service),
        "booking_datetime": stamp(booking.start),
        "local_time": iso(booking.start, ctx.business.timezone),
        "customer_name": quoted(booking.customer_name),
        "duration_minutes": booking.minutes,
    }
    data |= told_in_records(booking)
    if is_unproven(ctx, booking):
        data["unproven"] = True
    if booking.price:
        data["price"] = quoted(booking.price)
    if booking.customer_notes:
        data["customer_notes"] = quoted(booking.customer_notes)
    return Result(data)
