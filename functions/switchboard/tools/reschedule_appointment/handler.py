"""Move one of the caller's own appointments, have more or fewer come, or make it another service or somebody else's."""

from datetime import datetime

from switchboard.contract.context import CallContext
from switchboard.contract.json import JsonObject
from switchboard.contract.response import Proposal, Result
from switchboard.desk import Desk
from switchboard.desk.bookings.request import receipt_of, told_appointment
from switchboard.desk.bookings.told_changes import told_move


async def propose(
    ctx: CallContext,
    desk: Desk,
    *,
    booking_id: str,
    new_start_time: datetime,
    party_size: int | None = None,
    service: str | None = None,
    with_person: str | None = None,
) -> Proposal:
    """Return which appointment would be moved or changed, and from when.

    Args:
        ctx: The call.
        desk: Does the work.
        booking_id: The appointment's reference.
        new_start_time: When it shall begin.
        party_size: How many shall come; left out, as many as did.
        service: Which service it shall be; left out, the one that it is.
        with_person: Whom the caller wants instead; left out, it stays with whom it is if that can be.

    Raises:
        ToolError: NOT_FOUND, VALIDATION, CONFLICT or TRANSIENT; see `Appointments.movable`.
    """
    person = await desk.appointments.whom(ctx, with_person)
    booking, target = await desk.appointments.movable(ctx, booking_id, new_start_time, party_size, service, person)
    return Proposal(told_move(booking, target), is_done=booking.repeated)


async def execute(
    ctx: CallContext,
    desk: Desk,
    *,
    booking_id: str,
    new_start_time: datetime,
    party_size: int | None = None,
    service: str | None = None,
    with_person: str | None = None,
) -> Result:
    """Return the appointment at its new time, and for as many as come now; what it no longer needs is free again.

    Args:
        ctx: The call; only an appointment of its caller can be moved.
        desk: Does the work.
        booking_id: The appointment's reference.
        new_start_time: Local time in the business's zone, on a full five minutes; the one that it has, to change only
            what it is, how many come, or with whom it is.
        party_size: How many shall come; left out, as many as did.
        service: Which service it shall be, in any case; left out, the one that it is.
        with_person: Whom the caller wants instead; left out, it stays with whom it is if that can be.

    Raises:
        ToolError: NOT_FOUND, VALIDATION, CONFLICT with alternatives, AUTH or TRANSIENT; see `Appointments.reschedule`.
    """
    person = await desk.appointments.whom(ctx, with_person)
    booking = await desk.appointments.reschedule(ctx, booking_id, new_start_time, party_size, service, person)
    data: JsonObject = {"moved": True} | told_appointment(ctx, booking)
    # The caller has agreed to a change at its time, and to no move.
    stays = bool((ctx.agreed or {}).get("same_time"))
    data |= {"timeStays": True} if stays else {}
    receipt = receipt_of(ctx, booking, f"{'changed' if stays else 'moved'}: {booking.service}")
    if party_size is not None:
        # Where that was asked for, one is told as well.
        data["partySize"] = receipt["partySize"] = booking.party
    if service is not None and booking.price:
        data["price"] = booking.price
    return Result(data, receipt=receipt)
