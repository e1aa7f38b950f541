"""Tell which times are free on a day (seed 000, `get_availability`)."""

from switchboard.contract.context import CallContext
from switchboard.contract.json import JsonObject
from switchboard.contract.response import Result
from switchboard.desk import Desk
from switchboard.desk.bookings.date_text import days_in_words, fewer_times, iso, told_people
from switchboard.desk.bookings.duration import visit_for
from switchboard.desk.bookings.hours import day_named


async def execute(
    ctx: CallContext,
    desk: Desk,
    *,
    date: str,
    service: str | None = None,
    with_person: str | None = None,
    party_size: int | None = None,
) -> Result:
    """Return the free start times of a day, or the next ones after it.

    Args:
        ctx: The call.
        desk: Does the work.
        date: A local day of the business, ISO 8601; the schema's `format` has been checked.
        service: A service of the business, any case.
        with_person: Whom the caller wants, or words for anyone or for whoever it was last time.
        party_size: How many come together.

    Raises:
        ToolError: VALIDATION for a service, person or party that cannot be had, or a year that cannot be
            meant; TRANSIENT or AUTH when the calendar cannot be read.
    """
    whom = await desk.appointments.whom(ctx, with_person)
    visit = visit_for(ctx.business, service, None, whom, party_size or 1)
    answer = await desk.availability.on(ctx, visit, day_named(date))
    zone = ctx.business.timezone
    data: JsonObject = {
        "available": answer.is_available,
    }
    # Before what is but a sample of it.
    if answer.days:
        data["free"] = days_in_words(answer.days, ctx.business)
    data |= {
        "openTimes": [iso(start, zone) for start in answer.starts],
        "durationMinutes": visit.minutes,
        "timezone": zone.key,
    }
    if service is not None:
        data["service"] = visit.service
    data |= told_people(ctx, visit, answer)
    return Result(data, empty=not answer.starts)


def shorten(data: JsonObject, characters: int) -> JsonObject:
    """Return the answer with fewer single times."""
    return fewer_times(data, characters)
