"""When an event is, in Google's notation and as moments; where its notation allows nonsense, refused as Google does."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime, time
from typing import Any
from zoneinfo import ZoneInfo

from stand_ins.google_calendar_refusal import Refusal, invalid, required


def check(event: Mapping[str, Any]) -> None:
    """Refuse an event whose times cannot be.

    Raises:
        Refusal: 400.
    """
    for name in ("start", "end"):
        value = event[name]
        if "dateTime" not in value and "date" not in value:
            raise required(name)
        if "dateTime" in value and "date" in value:
            raise invalid(name, f"Invalid {name} time.")
        if "timeZone" in value:
            zone(value["timeZone"])
        if "dateTime" in value and datetime.fromisoformat(value["dateTime"]).tzinfo is None and "timeZone" not in value:
            raise required("timeZone")
    start, end = event["start"], event["end"]
    if ("date" in start) != ("date" in end):
        raise invalid("start", "Start and end times must either both be date or both be dateTime.")
    if event.get("recurrence") and "dateTime" in start and "timeZone" not in start:
        raise required("start.timeZone")
    first, last = moment(start, ZoneInfo("UTC")), moment(end, ZoneInfo("UTC"))
    if last < first or ("date" in start and last == first):
        raise Refusal(400, "timeRangeEmpty", "The specified time range is empty.", domain="calendar")


def zone(name: str) -> ZoneInfo:
    """Return a zone by its IANA name.

    Raises:
        Refusal: 400.
    """
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise invalid("timeZone", "Invalid time zone definition.") from None


def moment(value: Mapping[str, Any], calendar_zone: ZoneInfo) -> datetime:
    """Return an aware moment; a date is midnight where the calendar is."""
    if "date" in value:
        return datetime.combine(date.fromisoformat(value["date"]), time.min, calendar_zone)
    at = datetime.fromisoformat(value["dateTime"])
    return at if at.tzinfo else at.replace(tzinfo=ZoneInfo(value["timeZone"]))


def shown(value: Mapping[str, Any], calendar_zone: ZoneInfo) -> dict[str, Any]:
    """Return a time as answers show it: with the offset of the calendar's zone, to the second."""
    if "date" in value:
        return {"date": value["date"]}
    local = moment(value, calendar_zone).astimezone(calendar_zone).replace(microsecond=0)
    return {"dateTime": rfc3339(local), "timeZone": value.get("timeZone") or calendar_zone.key}


def rfc3339(moment: datetime) -> str:
    """Return a moment in its own offset; UTC as `Z`."""
    return moment.isoformat().replace("+00:00", "Z")


def now() -> datetime:
    """Return the current time in UTC."""
    return datetime.now(UTC)
