"""Tell when the business is open (seed 000, `get_working_hours`)."""

from datetime import date as Date
from datetime import datetime

from switchboard.contract.context import CallContext
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.response import Result
from switchboard.desk import Desk
from switchboard.desk.bookings.hours import Day


async def execute(ctx: CallContext, desk: Desk, *, date: str | None = None) -> Result:
    """Return the openings of one day, or of the seven days from today.

    Args:
        ctx: The call.
        desk: Does the work.
        date: A local day of the business, ISO 8601; the schema's `format` has been checked.

    Raises:
        ToolError: VALIDATION for a year that cannot be meant.
    """
    days = desk.hours.week(ctx) if date is None else (desk.hours.on(ctx, _day_of(date)),)
    return Result(
        {
            "timezone": ctx.business.timezone.key,
            "isOpenNow": desk.hours.is_open(ctx),
            "days": [_day(day) for day in days],
        }
    )


def _day_of(text: str) -> Date:
    try:
        return Date.fromisoformat(text)
    except ValueError:
        # JSON Schema's `date` has a year 0000, the calendar has none.
        raise ToolError(ErrorType.VALIDATION, f"date: {text} is no day of the calendar; use one near today.") from None


def _day(day: Day) -> JsonObject:
    data: JsonObject = {
        "date": day.date.isoformat(),
        "weekday": f"{day.date:%A}",
        "openings": [{"opens": f"{o.start:%H:%M}", "closes": _closing(o.end, day.date)} for o in day.openings],
    }
    if day.is_exception:
        data["isException"] = True
    return data


def _closing(end: datetime, day: Date) -> str:
    # The end of the day is midnight of the next one; 00:00 would read as if it closed before it opens.
    return f"{end:%H:%M}" if end.date() == day else "24:00"
