"""Book an appointment (seed 004, `book_appointment`; seed 001, `create_event`)."""

from datetime import datetime

from switchboard.contract.context import CallContext
from switchboard.contract.json import JsonObject
from switchboard.contract.response import Proposal, Result
from switchboard.desk import Desk
from switchboard.desk.bookings.request import BookingRequest, receipt_of, told_appointment
from switchboard.desk.bookings.told_changes import told_facts
from switchboard.desk.bookings.told_terms import told_anew
from switchboard.desk.resources.placement import visit_of


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
    with_person: str | None = None,
    party_size: int | None = None,
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
        with_person: Whom the caller wants, or words for anyone or for whoever it was last time.
        party_size: How many come together.

    Raises:
        ToolError: VALIDATION, CONFLICT with alternatives, TRANSIENT or RATE_LIMIT; see `Bookings.bookable`.
    """
    wish = BookingRequest(
        service=service,
        start=start_time,
        customer_name=customer_name,
        duration_minutes=duration_minutes,
        customer_phone=customer_phone,
        customer_email=customer_email,
        notes=notes,
        with_person=await desk.appointments.whom(ctx, with_person),
        party_size=party_size or 1,
    )
    booking = await desk.bookings.bookable(ctx, wish)
    changed = told_anew(ctx, visit_of(ctx.business, booking), has_own_length=duration_minutes is None)
    return Proposal(told_facts(booking) | changed, is_done=booking.repeated)


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
    with_person: str | None = None,
    party_size: int | None = None,
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
        with_person: Whom the caller wants, or words for anyone or for whoever it was last time.
        party_size: How many come together.

    Raises:
        ToolError: VALIDATION, CONFLICT with alternatives, or TRANSIENT; see `Bookings.book`.
    """
    booking = await desk.bookings.book(
        ctx,
        BookingRequest(
            service=service,
            start=start_time,
            customer_name=customer_name,
            duration_minutes=duration_minutes,
            customer_phone=customer_phone,
            customer_email=customer_email,
            notes=notes,
            with_person=await desk.appointments.whom(ctx, with_person),
            party_size=party_size or 1,
        ),
    )
    data: JsonObject = {"booked": True} | told_appointment(ctx, booking)
    if booking.price:
        data["price"] = booking.price
    return Result(data, receipt=receipt_of(ctx, booking, booking.service))
