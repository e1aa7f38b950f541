"""Tell whether a time is free, and which times are (seed 001, `check_availability`; seed 004, calendar tools)."""

from datetime import UTC, datetime, time

from switchboard.contract.context import CallContext
from switchboard.contract.json import JsonObject
from switchboard.contract.response import Result
from switchboard.desk import Desk
from switchboard.desk.bookings.availability import AvailabilityAnswer, Conflict
from switchboard.desk.bookings.date_text import days_in_words, fewer_times, iso, told_people
from switchboard.desk.bookings.duration import VisitLength, visit_for
from switchboard.desk.bookings.hours import day_named, first_existing

_DEFAULT_MINUTES = 30


async def execute(
    ctx: CallContext,
    desk: Desk,
    *,
    date: datetime,
    until: str | None = None,
    soonest: bool = False,
    duration_minutes: int = 30,
    service: str | None = None,
    with_person: str | None = None,
    party_size: int | None = None,
    booking_id: str | None = None,
) -> Result:
    """Return whether the caller can come at a time or on some days, and what is free.

    Args:
        ctx: The call.
        desk: Does the work.
        date: Local time in the business's zone; the day's first moment, as which a bare date arrives, means the day.
        until: The last local day of a range, ISO 8601; the schema's `format` has been checked.
        soonest: Whether the first free times from `date` on are wanted.
        duration_minutes: How long; a service's own duration takes the place of the default.
        service: A service of the business, any case.
        with_person: Whom the caller wants, or words for anyone or for whoever it was last time.
        party_size: How many come together.
        booking_id: One of the caller's own appointments that is to be changed: it is looked for as long as that takes,
            or the service that it shall be, and what it holds counts as free.

    Raises:
        ToolError: VALIDATION for a service, person or party that cannot be had; NOT_FOUND for an appointment that is
            not the caller's own; TRANSIENT or AUTH when the calendar cannot be read.
    """
    whom = await desk.appointments.whom(ctx, with_person)
    if booking_id is not None:
        visit = await desk.appointments.visit_instead(ctx, booking_id, party_size, whom, service)
    else:
        own_duration = service is not None and duration_minutes == _DEFAULT_MINUTES
        minutes = None if own_duration else duration_minutes
        visit = visit_for(ctx.business, service, minutes, whom, party_size or 1)
    zone = ctx.business.timezone
    if soonest:
        answer = await desk.availability.soonest(ctx, visit, date)
    elif until is not None:
        answer = await desk.availability.between(ctx, visit, date.date(), day_named(until))
    # Compared in UTC: Python calls a local time that is shown twice equal to nothing in another zone (PEP 495).
    elif date.astimezone(UTC) == first_existing(zone, date.date(), time.min):
        answer = await desk.availability.on(ctx, visit, date.date())
    else:
        answer = await desk.availability.at(ctx, visit, date)
    data = _told(ctx, visit, answer)
    if service is not None:
        data["service"] = visit.service
    return Result(data | told_people(ctx, visit, answer))


def _told(ctx: CallContext, visit: VisitLength, answer: AvailabilityAnswer) -> JsonObject:
    zone = ctx.business.timezone
    data: JsonObject = {
        "available": answer.is_available,
        "conflicts": [_conflict(ctx, conflict) for conflict in answer.conflicts],
    }
    # Before what is but a sample of it.
    if answer.days:
        data["free"] = days_in_words(answer.days, ctx.business)
    if answer.looked_until is not None:
        data["lookedUntil"] = answer.looked_until.isoformat()
    return data | {
        "openTimes": [iso(start, zone) for start in answer.starts],
        "durationMinutes": visit.minutes,
        "timezone": zone.key,
    }


def shorten(data: JsonObject, characters: int) -> JsonObject:
    """Return the answer with fewer single times, and then with fewer days."""
    return fewer_times(data, characters)


def _conflict(ctx: CallContext, conflict: Conflict) -> JsonObject:
    zone = ctx.business.timezone
    return {
        "start": iso(conflict.time.start, zone),
        "end": iso(conflict.time.end, zone),
        "reason": conflict.reason.value,
    }
