"""Graph's times: without offsets, in zones by Windows's names or IANA's; and the occurrences of a series."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from babel.core import get_global

from stand_ins.microsoft_graph_refusal import invalid

_LOCAL = re.compile(r"\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,7})?)?)?")
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MOST = 1_000


def zone(name: Any) -> ZoneInfo:
    """Return a zone by either kind of name.

    Raises:
        Refusal: 400.
    """
    try:
        return ZoneInfo(get_global("windows_zone_mapping").get(name, name))
    except (KeyError, ValueError, OSError, TypeError):
        raise invalid(f"A valid TimeZone value must be specified: {name!r}.", "TimeZoneNotSupportedException") from None


def moment(value: Any) -> datetime:
    """Return what a `dateTimeTimeZone` of a body says, in the zone that it names.

    Raises:
        Refusal: 400, as for a time that has an offset.
    """
    if not isinstance(value, Mapping) or not {"dateTime", "timeZone"} >= value.keys() or "dateTime" not in value:
        raise invalid("A dateTimeTimeZone has dateTime and timeZone.", "RequestBodyRead")
    text = value["dateTime"]
    if not isinstance(text, str) or not _LOCAL.fullmatch(text):
        raise invalid(f"Cannot convert the literal {text!r} to the expected type.", "RequestBodyRead")
    return datetime.fromisoformat(text).replace(tzinfo=zone(value.get("timeZone", "UTC")))


def bound(text: str | None, name: str) -> datetime:
    """Return a bound of a view; without an offset it is in UTC.

    Raises:
        Refusal: 400.
    """
    try:
        at = datetime.fromisoformat(text or "")
    except ValueError:
        raise invalid(f"This request requires a time window; {name} is missing or no time.") from None
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def shown(at: datetime, zone_name: str, *, is_all_day: bool) -> dict[str, str]:
    """Return a time as answers show it; days begin at midnight, whatever zone is wanted."""
    local = at if is_all_day else at.astimezone(zone(zone_name))
    return {"dateTime": f"{local:%Y-%m-%dT%H:%M:%S}.0000000", "timeZone": zone_name}


def check_recurrence(recurrence: Any) -> None:
    """Refuse what `starts` cannot follow.

    Raises:
        Refusal: 400.
    """
    try:
        pattern, span = recurrence["pattern"], recurrence["range"]
        is_known = pattern["type"] in ("daily", "weekly") and pattern["interval"] >= 1
        is_known = is_known and span["type"] in ("noEnd", "endDate", "numbered") and bool(span["startDate"])
        is_known = is_known and set(pattern.get("daysOfWeek", ())) <= set(_DAYS)
    except (KeyError, TypeError):
        is_known = False
    if not is_known:
        raise invalid("This stand-in follows daily and weekly patterns only.", "ErrorPropertyValidationFailure")


def starts(first: datetime, recurrence: Mapping[str, Any]) -> Iterator[datetime]:
    """Yield the start of each occurrence in the series's own zone, whose clocks may change between them."""
    pattern, span = recurrence["pattern"], recurrence["range"]
    weekly, every = pattern["type"] == "weekly", pattern["interval"]
    days = {_DAYS.index(day) for day in pattern.get("daysOfWeek", ())} if weekly else set(range(7))
    last = date.fromisoformat(span["endDate"]) if span["type"] == "endDate" else date.max
    most = span["numberOfOccurrences"] if span["type"] == "numbered" else _MOST
    monday, day, count_found = first.date() - timedelta(days=first.weekday()), first.date(), 0
    while count_found < min(most, _MOST) and day <= last:
        step = (day - monday).days // 7 if weekly else (day - first.date()).days
        if step % every == 0 and day.weekday() in (days or {first.weekday()}):
            count_found += 1
            yield datetime.combine(day, first.timetz())
        day += timedelta(days=1)
