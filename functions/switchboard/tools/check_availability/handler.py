"""Tell whether a time is free, and which times are (seed 001, `check_availability`; seed 004, calendar tools)."""

import json
from datetime import UTC, datetime, time

from switchboard.contract.context import CallContext
from switchboard.contract.json import JsonObject
from switchboard.contract.response import Result
from switchboard.desk import Desk
from switchboard.desk.availability import Conflict
from switchboard.desk.hours import first_existing
from switchboard.desk.visit import visit_for
from switchboard.desk.wording import iso

_DEFAULT_MINUTES = 30


async def execute(
    ctx: CallContext,
    desk: Desk,
    *,
    date: datetime,
    duration_minutes: int = 30,
    service: str | None = None,
) -> Result:
    """Return whether the caller can come at a time or on a day, and the starts that are free.

    Args:
        ctx: The call.
        desk: Does the work.
        date: Local time in the business's zone; the day's first moment, as which a bare date arrives, means the day.
        duration_minutes: How long; a service's own duration takes the place of the default.
        service: A service of the business, any case.

    Raises:
        ToolError: VALIDATION for a service that is not offered; TRANSIENT or AUTH when the calendar cannot be read.
    """
    own_duration = service is not None and duration_minutes == _DEFAULT_MINUTES
    visit = visit_for(ctx.business, service, None if own_duration else duration_minutes)
    zone = ctx.business.timezone
    # Compared in UTC: Python calls a local time that is shown twice equal to nothing in another zone (PEP 495).
    if date.astimezone(UTC) == first_existing(zone, date.date(), time.min):
        answer = await desk.availability.on(ctx, visit, date.date())
    else:
        answer = await desk.availability.at(ctx, visit, date)
    data: JsonObject = {
        "available": answer.is_available,
        "conflicts": [_conflict(ctx, conflict) for conflict in answer.conflicts],
        "openTimes": [iso(start, zone) for start in answer.starts],
        "durationMinutes": visit.minutes,
        "timezone": zone.key,
    }
    if service is not None:
        data["service"] = visit.service
    return Result(data)


def shorten(data: JsonObject, characters: int) -> JsonObject:
    """Return the answer with fewer times, spread over the day: callers think in mornings and afternoons."""
    times, shorter = data["openTimes"], dict(data)
    for count in range(min(len(times), 40), 3, -1):
        shorter["openTimes"] = [times[n * (len(times) - 1) // (count - 1)] for n in range(count)]
        if len(json.dumps(shorter)) <= characters:
            break
    return shorter


def _conflict(ctx: CallContext, conflict: Conflict) -> JsonObject:
    zone = ctx.business.timezone
    return {
        "start": iso(conflict.time.start, zone),
        "end": iso(conflict.time.end, zone),
        "reason": conflict.reason.value,
    }
