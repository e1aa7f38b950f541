"""Whether an appointment may be changed at this moment, for this call, and what a change keeps of who asked for it."""

from datetime import datetime

from switchboard.contract.context import CallContext
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.desk.bookings.booking import CANCELLED, CANCELLING, CONFIRMED, Booking
from switchboard.desk.bookings.date_text import in_words


def check_agreed(ctx: CallContext, details: JsonObject) -> None:
    """Make sure that what is done is what the caller has agreed to.

    Raises:
        ToolError: CONFLICT, somebody else has changed it since.
    """
    # Somebody else may change it between the last look and this one.
    if ctx.agreed is not None and details != ctx.agreed:
        raise ToolError(
            ErrorType.CONFLICT,
            "That appointment was changed by somebody else in this very moment, so nothing was done. Call the tool "
            "again: the caller is then asked about the appointment as it is now.",
        )


def asked_at(ctx: CallContext) -> datetime:
    """Return when the caller asked for it, also where it is gone on with later."""
    return ctx.asked_at or ctx.now


def language_then(ctx: CallContext, booking: Booking) -> str:
    """Return in which the customer is written to from now on: as this call is spoken, if it is a caller's."""
    return ctx.facts.language if ctx.facts.staff is None else booking.language


def check_latest(ctx: CallContext, booking: Booking, latest: datetime | None) -> None:
    """Make sure that nothing of the kind was asked for since, where this is gone on with after an interruption.

    Raises:
        ToolError: CONFLICT.
    """
    # What is gone on with after an interruption may have been done before it, and then been changed again.
    if ctx.asked_at is not None and latest is not None and latest > ctx.asked_at:
        when = in_words(booking.start, ctx.business.timezone)
        raise ToolError(
            ErrorType.CONFLICT,
            f"That appointment ({when}) has been changed since this was asked for, and stays as it is. It is changed "
            "again only if the caller asks for it now.",
        )


def whose(ctx: CallContext) -> str:
    """Return who has it done, as a booking keeps it."""
    return "caller" if ctx.facts.staff is None else "business"


def check_standing(booking: Booking) -> None:
    """Make sure that an appointment stands.

    Raises:
        ToolError: CONFLICT.
    """
    if booking.status != CONFIRMED:
        what = "was cancelled" if booking.status in (CANCELLED, CANCELLING) else "is over"
        raise ToolError(ErrorType.CONFLICT, f"That appointment {what}. Offer to book a new one.")


def check_changeable(ctx: CallContext, booking: Booking) -> None:
    """Make sure that an appointment has not begun.

    Raises:
        ToolError: CONFLICT.
    """
    if not booking.stands or booking.start <= ctx.now:
        when = in_words(booking.start, ctx.business.timezone)
        raise ToolError(
            ErrorType.CONFLICT,
            f"That appointment ({when}) has begun or is over and cannot be changed any more.",
            instead=True,
        )
