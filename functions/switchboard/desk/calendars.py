"""Which calendar of a business is asked: the one in use, or the one that a booking was made in."""

from dataclasses import replace

from switchboard.contract.business import OUTSIDE_CALENDARS, Business, Integration
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.ports import Calendar, Calendars
from switchboard.desk.booking import Booking


class BuiltInOnly:
    """Calendars where no client for an outside one is at hand."""

    async def of(self, business: Business) -> Calendar | None:
        """Return None: bookings are the calendar."""
        return None


async def calendar_in_use(calendars: Calendars, business: Business) -> Calendar | None:
    """Return a business's outside calendar, or None where its bookings are the calendar.

    Raises:
        ToolError: What `Calendars.of` raises; PERMANENT as well for a business whose calendar is an outside one that
            nobody can reach, or that is not connected. Calling its time free without having looked, or a visit booked
            that its calendar never shows, would be a lie.
    """
    if business.calendar not in OUTSIDE_CALENDARS:
        return None
    found = await calendars.of(business)
    if found is None:
        raise ToolError(
            ErrorType.PERMANENT,
            f"The business's calendar ({OUTSIDE_CALENDARS[business.calendar]}) cannot be reached from here.",
            detail="there is no client for it",
        )
    return found


async def calendar_of(calendars: Calendars, business: Business, booking: Booking) -> Calendar:
    """Return the outside calendar that a booking was made in, whatever the business uses by now.

    Raises:
        ToolError: As `calendar_in_use`.
    """
    then = Integration(is_connected=True, settings=booking.calendar_settings or {})
    found = await calendar_in_use(
        calendars, replace(business, integrations={booking.calendar: then}, chosen_calendar="")
    )
    assert found is not None
    return found
