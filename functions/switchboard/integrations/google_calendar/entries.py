"""Between Google's event resource and our `CalendarEntry`.

What a list shows and what keeps others out are two things: transparent, declined, cancelled,
working-place and birthday events take nobody's time. An all-day event lasts from midnight to midnight where the
calendar is.
"""

from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from switchboard.contract.business.calendar import CalendarEntry
from switchboard.contract.error import ErrorType
from switchboard.contract.json import JsonObject
from switchboard.integrations.google_calendar.failures import failure

BOOKING = "bookingId"
"""The private extended property that tells our entries from those that people made."""
_TAKES_NO_TIME = frozenset({"workingLocation", "birthday"})
_NEVER = datetime(1970, 1, 1, tzinfo=UTC)


def to_event(entry: CalendarEntry, zone: ZoneInfo) -> JsonObject:
    """Return the body that enters an entry, in the business's zone."""
    event: JsonObject = {
        "id": entry.id,
        "summary": entry.title,
        "status": "confirmed",
        "transparency": "opaque" if entry.is_busy else "transparent",
    }
    if entry.is_all_day:
        event["start"] = {"date": entry.start.astimezone(zone).date().isoformat()}
        event["end"] = {"date": entry.end.astimezone(zone).date().isoformat()}
    else:
        event |= {"start": _moment(entry.start, zone), "end": _moment(entry.end, zone)}
    if entry.description:
        event["description"] = entry.description
    if entry.location:
        event["location"] = entry.location
    if entry.attendees:
        event["attendees"] = [{"email": address} for address in entry.attendees]
    if entry.booking_id:
        event["extendedProperties"] = {"private": {BOOKING: entry.booking_id}}
    return event


def to_times(start: datetime, end: datetime, zone: ZoneInfo) -> JsonObject:
    """Return the body that changes an event's times, and makes it one with times if somebody made it last all day."""
    return {"start": _moment(start, zone) | {"date": None}, "end": _moment(end, zone) | {"date": None}}


def to_entry(event: Mapping[str, Any], zone: ZoneInfo) -> CalendarEntry:
    """Return an event of the API as an entry.

    Args:
        event: As `events.get`, `list`, `insert` and `patch` answer it.
        zone: The calendar's, in which all-day events begin and end.

    Raises:
        ToolError: TRANSIENT, it is not an event that can be understood. Leaving one out would call its time free.
    """
    try:
        is_cancelled = event.get("status") == "cancelled"
        start, end = _times(event, zone, is_cancelled)
        private = (event.get("extendedProperties") or {}).get("private") or {}
        return CalendarEntry(
            id=str(event["id"]),
            start=start,
            end=end,
            title=str(event.get("summary") or ""),
            description=str(event.get("description") or ""),
            location=str(event.get("location") or ""),
            attendees=tuple(str(a["email"]) for a in event.get("attendees") or () if a.get("email")),
            booking_id=str(private.get(BOOKING) or ""),
            is_all_day="date" in (event.get("start") or {}),
            is_busy=not is_cancelled and _takes_time(event),
            is_cancelled=is_cancelled,
            version=str(event.get("etag") or ""),
            link=str(event.get("htmlLink") or ""),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise failure(ErrorType.TRANSIENT, f"an event that cannot be read: {type(error).__name__}") from None


def to_busy(block: Mapping[str, Any]) -> CalendarEntry:
    """Return a block of a free/busy answer as an entry without a title.

    Raises:
        ToolError: TRANSIENT, it cannot be understood.
    """
    try:
        start, end = datetime.fromisoformat(block["start"]), datetime.fromisoformat(block["end"])
        if start.tzinfo is None or end.tzinfo is None:
            raise ValueError("a time without offset")
    except (KeyError, TypeError, ValueError) as error:
        raise failure(ErrorType.TRANSIENT, f"free/busy cannot be read: {type(error).__name__}") from None
    return CalendarEntry(id="", start=start, end=end)


def bounds(start: datetime, end: datetime) -> JsonObject:
    """Return `timeMin` and `timeMax`, in UTC, for what overlaps [start, end); Google ignores parts of a second."""
    until = end + timedelta(microseconds=999_999)
    return {"timeMin": _rfc3339(start), "timeMax": _rfc3339(until)}


def _rfc3339(moment: datetime) -> str:
    return moment.astimezone(UTC).replace(microsecond=0, tzinfo=None).isoformat() + "Z"


def _moment(moment: datetime, zone: ZoneInfo) -> JsonObject:
    return {"dateTime": moment.astimezone(zone).isoformat(), "timeZone": zone.key}


def _times(event: Mapping[str, Any], zone: ZoneInfo, is_cancelled: bool) -> tuple[datetime, datetime]:
    if is_cancelled and "start" not in event:
        # What is left of a deleted occurrence has little more than its id.
        original = event.get("originalStartTime")
        moment = _read(original, zone) if original else _NEVER
        return moment, moment
    return _read(event["start"], zone), _read(event["end"], zone)


def _read(value: Mapping[str, Any], zone: ZoneInfo) -> datetime:
    if "date" in value:
        return datetime.combine(date.fromisoformat(value["date"]), time.min, zone)
    moment = datetime.fromisoformat(value["dateTime"])
    return moment if moment.tzinfo else moment.replace(tzinfo=ZoneInfo(value["timeZone"]))


def _takes_time(event: Mapping[str, Any]) -> bool:
    if event.get("transparency") == "transparent" or event.get("eventType") in _TAKES_NO_TIME:
        return False
    own = (a for a in event.get("attendees") or () if a.get("self"))
    return all(a.get("responseStatus") != "declined" for a in own)
