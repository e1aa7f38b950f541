"""List when the calendar is taken (seed 001, `list_events`)."""

import json
from datetime import datetime

from switchboard.contract.context import CallContext
from switchboard.contract.json import JsonObject
from switchboard.contract.response import Result
from switchboard.desk import Desk
from switchboard.desk.bookings.date_text import iso
from switchboard.desk.calendars.agenda import Event


async def execute(
    ctx: CallContext, desk: Desk, *, time_min: datetime, time_max: datetime | None = None, max_results: int = 10
) -> Result:
    """Return the events of a range in order of time, with whose time each takes; only the caller's own have titles.

    Args:
        ctx: The call.
        desk: Does the work.
        time_min: Where the range begins.
        time_max: Where it ends; without it, events are listed from `time_min` on.
        max_results: At most so many.

    Raises:
        ToolError: VALIDATION for a range that ends before it begins; what the calendar raises when it cannot be read.
    """
    events = await desk.agenda.events(ctx, time_min, time_max, max_results)
    rows = [_row(ctx, event) for event in events]
    return Result({"events": rows, "timezone": ctx.business.timezone.key}, empty=not rows)


def shorten(data: JsonObject, characters: int) -> JsonObject:
    """Return the list without its last events: who wants later ones asks from a later time on."""
    shorter = dict(data)
    while shorter["events"] and len(json.dumps(shorter)) > characters:
        shorter["events"] = shorter["events"][:-1]
    return shorter


def _row(ctx: CallContext, event: Event) -> JsonObject:
    zone = ctx.business.timezone
    row: JsonObject = {
        "start": iso(event.start, zone),
        "end": iso(event.end, zone),
        "title": event.own.service if event.own else "busy",
        "isAllDay": event.is_all_day,
    }
    if event.whose:
        row["whose"] = ", ".join(event.whose)
    if event.own is not None:
        row["bookingId"] = event.own.id
    return row
