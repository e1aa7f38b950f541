"""Enter an event into the calendar (seed 001, `create_event`)."""

from datetime import datetime

from switchboard.contract.context import CallContext
from switchboard.contract.json import JsonObject
from switchboard.contract.response import Proposal, Result
from switchboard.desk import Desk
from switchboard.desk.bookings.date_text import iso
from switchboard.desk.bookings.request import EventWish


async def propose(
    ctx: CallContext,
    desk: Desk,
    *,
    title: str,
    start_time: datetime,
    duration_minutes: int | None = None,
    attendees: list[str] | None = None,
    description: str = "",
) -> Proposal:
    """Return whether the event was entered before, where a business has its callers asked for a yes.

    Args:
        ctx: The call.
        desk: Does the work.
        title: What it is.
        start_time: Local time in the business's zone.
        duration_minutes: How long.
        attendees: E-mail addresses of those who take part.
        description: More words.

    Raises:
        ToolError: VALIDATION, CONFLICT with alternatives, TRANSIENT or RATE_LIMIT; see `Bookings.enterable`.
    """
    people = tuple(dict.fromkeys(attendees or ()))
    event = await desk.bookings.enterable(
        ctx,
        EventWish(
            title=title,
            start=start_time,
            duration_minutes=duration_minutes,
            attendees=people,
            description=description,
        ),
    )
    return Proposal({"title": event.service, "start_time": event.start}, is_done=event.repeated)


async def execute(
    ctx: CallContext,
    desk: Desk,
    *,
    title: str,
    start_time: datetime,
    duration_minutes: int | None = None,
    attendees: list[str] | None = None,
    description: str = "",
) -> Result:
    """Return the event that was entered, or that the same wish had entered before.

    Args:
        ctx: The call.
        desk: Does the work.
        title: What it is.
        start_time: Local time in the business's zone, on a full five minutes.
        duration_minutes: How long; the calendar's default event duration, else 30 minutes, when left out.
        attendees: E-mail addresses of those who take part.
        description: More words.

    Raises:
        ToolError: VALIDATION, CONFLICT with alternatives, AUTH, PERMANENT or TRANSIENT; see `Bookings.enter`.
    """
    people = tuple(dict.fromkeys(attendees or ()))
    event = await desk.bookings.enter(
        ctx,
        EventWish(
            title=title,
            start=start_time,
            duration_minutes=duration_minutes,
            attendees=people,
            description=description,
        ),
    )
    zone = ctx.business.timezone
    when = iso(event.start, zone)
    data: JsonObject = {
        "created": True,
        "eventId": event.id,
        "title": event.service,
        "startTime": when,
        "endTime": iso(event.end, zone),
        "timezone": zone.key,
        "attendees": list(event.attendees),
        "description": event.customer_notes or "",
        "repeated": event.repeated,
    }
    receipt = {"what": event.service, "for": ", ".join(people), "when": when, "effectIds": [event.id]}
    return Result(data, receipt=receipt)
