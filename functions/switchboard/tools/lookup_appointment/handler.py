"""Find the caller's own appointments (seed 004, `lookup_appointment`)."""

from datetime import UTC, datetime, time

from switchboard.contract.context import CallContext
from switchboard.contract.json import JsonObject
from switchboard.contract.response import Result
from switchboard.desk import Desk
from switchboard.desk.bookings.date_text import iso
from switchboard.desk.bookings.hours import check_year, first_existing
from switchboard.desk.bookings.own_appointments import Narrowing
from switchboard.desk.bookings.ownership import is_unproven
from switchboard.desk.bookings.request import told_company


async def execute(
    ctx: CallContext,
    desk: Desk,
    *,
    booking_id: str | None = None,
    customer_name: str | None = None,
    date: datetime | None = None,
) -> Result:
    """Return five of the caller's own appointments: those to come, soonest first, then past ones; none is an answer.

    Args:
        ctx: The call; whose appointments are looked for follows from it alone.
        desk: Does the work.
        booking_id: Only the one with this reference.
        customer_name: Only those for this name, or a part of it.
        date: Only those that begin then; the day's first moment, as which a bare date arrives, means the whole day.

    Raises:
        ToolError: MODE_RESTRICTED where nobody has shown who is calling, and this conversation has booked nothing;
            TRANSIENT when they cannot be read.
    """
    zone, day, start = ctx.business.timezone, None, date
    if date is not None:
        check_year(date)
        # Compared in UTC: Python calls a local time that is shown twice equal to nothing in another zone (PEP 495).
        if date.astimezone(UTC) == first_existing(zone, date.date(), time.min):
            day, start = date.date(), None
    narrowing = Narrowing(booking_id=booking_id, customer_name=customer_name, day=day, start=start)
    lookup, has_more = await desk.appointments.lookup_all(ctx, narrowing)
    rows: list[JsonObject] = [
        {
            "bookingId": booking.id,
            "service": booking.service,
            "startTime": iso(booking.start, zone),
            "endTime": iso(booking.end, zone),
            "status": booking.status,
            "customerName": booking.customer_name,
            "isPast": booking.start < ctx.now,
            **told_company(booking),
            **({"unproven": True} if is_unproven(ctx, booking) else {}),
        }
        for booking in lookup
    ]
    more: JsonObject = {"hasMore": True} if has_more else {}
    if not rows:
        # "There is none" was told to callers whose appointment stands under another number.
        more["searched"] = "this caller's own appointments only; others' are not looked through"
    return Result({"appointments": rows, "timezone": zone.key, **more}, empty=not rows)
