"""Tell which times are free on a day (seed 000, "Phase 3", `get_availability`)."""

import json
from datetime import date as Date

from switchboard.contract.context import CallContext
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.response import Result
from switchboard.desk import Desk
from switchboard.desk.visit import visit_for
from switchboard.desk.wording import iso


async def execute(ctx: CallContext, desk: Desk, *, date: str, service: str | None = None) -> Result:
    """Return the free start times of a day, or the next ones after it.

    Args:
        ctx: The call.
        desk: Does the work.
        date: A local day of the business, ISO 8601; the schema's `format` has been checked.
        service: A service of the business, any case.

    Raises:
        ToolError: VALIDATION for a service that is not offered or a year that cannot be meant; TRANSIENT or AUTH when
            the calendar cannot be read.
    """
    visit = visit_for(ctx.business, service, None)
    answer = await desk.availability.on(ctx, visit, _day_of(date))
    zone = ctx.business.timezone
    data: JsonObject = {
        "available": answer.is_available,
        "openTimes": [iso(start, zone) for start in answer.starts],
        "durationMinutes": visit.minutes,
        "timezone": zone.key,
    }
    if service is not None:
        data["service"] = visit.service
    return Result(data, empty=not answer.starts)


def shorten(data: JsonObject, characters: int) -> JsonObject:
    """Return the answer with fewer times, spread over the day: callers think in mornings and afternoons."""
    times, shorter = data["openTimes"], dict(data)
    for count in range(min(len(times), 40), 3, -1):
        shorter["openTimes"] = [times[n * (len(times) - 1) // (count - 1)] for n in range(count)]
        if len(json.dumps(shorter)) <= characters:
            break
    return shorter


def _day_of(text: str) -> Date:
    try:
        return Date.fromisoformat(text)
    except ValueError:
        # JSON Schema's `date` has a year 0000, the calendar has none.
        raise ToolError(ErrorType.VALIDATION, f"date: {text} is no day of the calendar; use one near today.") from None
