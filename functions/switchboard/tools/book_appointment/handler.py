"""Book an appointment (seed 004, `book_appointment`; seed 001, `create_event`)."""

from datetime import datetime

from switchboard.contract.context import CallContext
from switchboard.contract.json import JsonObject
from switchboard.contract.response import Proposal, Result
from switchboard.desk import Desk
from switchboard.desk.appointments import told_facts
from switchboard.desk.corrections import told_contact
from switchboard.desk.wish import Wish
from switchboard.desk.wording import iso


async def propose(
    ctx: CallContext,
    desk: Desk,
    *,
    service: str,
    start_time: datetime,
    customer_name: str,
    duration_minutes: int | None = None,
    customer_phone: str | None = None,
    customer_email: str | None = None,
    notes: str | None = None,
) -> Proposal:
    """Return what would be booked, where a business has its callers asked for a yes.

    Args:
        ctx: The call.
        desk: Does the work.
        service: A service of the business, any case.
        start_time: Local time in the business's zone.
        customer_name: Whom it is for.
        duration_minutes: Overrides the service's own duration.
        customer_phone: Any spelling that can be dialled where the business is.
        customer_email: Where a confirmation could go.
        notes: What the caller wants the business to know.

    Raises:
        ToolError: VALIDATION, CONFLICT with alternatives, TRANSIENT or RATE_LIMIT; see `Bookings.bookable`.
    """
    wish = Wish(
        service=service,
        start=start_time,
        customer_name=customer_name,
        duration_minutes=duration_minutes,
        customer_phone=customer_phone,
        customer_email=customer_email,
        notes=notes,
    )
    booking = await desk.bookings.bookable(ctx, wish)
    return Proposal(told_facts(booking), is_done=booking.repeated)


async def execute(
    ctx: CallContext,
    desk: Desk,
    *,
    service: str,
    start_time: datetime,
    customer_name: str,
    duration_minutes: int | None = None,
    customer_phone: str | None = None,
    customer_email: str | None = None,
    notes: str | None = None,
) -> Result:
    """Return the booking that was made, or that the same wish had made before.

    Args:
        ctx: The call; its trusted phone number is used where the caller gives none.
        desk: Does the work.
        service: A service of the business, any case.
        start_time: Local time in the business's zone, on a full five minutes.
        customer_name: Whom it is for.
        duration_minutes: Overrides the service's own duration.
        customer_phone: Any spelling that can be dialled where the business is.
        customer_email: Where a confirmation could go.
        notes: What the caller wants the business to know.

    Raises:
        ToolError: VALIDATION, CONFLICT with alternatives, or TRANSIENT; see `Bookings.book`.
    """
    booking = await desk.bookings.book(
        ctx,
        Wish(
            service=service,
            start=start_time,
            customer_name=customer_name,
            duration_minutes=duration_minutes,
            customer_phone=customer_phone,
            customer_email=customer_email,
            notes=notes,
        ),
    )
    zone = ctx.business.timezone
    when = iso(booking.start, zone)
    data: JsonObject = {
        "booked": True,
        "bookingId": booking.id,
        "service": booking.service,
        "startTime": when,
        "endTime": iso(booking.end, zone),
        "timezone": zone.key,
        "customerName": booking.customer_name,
        "repeated": booking.repeated,
        **told_contact(ctx, booking),
    }
    if booking.price:
        data["price"] = booking.price
    receipt = {"what": booking.service, "for": booking.customer_name, "when": when, "effectIds": [booking.id]}
    return Result(data, receipt=receipt)
