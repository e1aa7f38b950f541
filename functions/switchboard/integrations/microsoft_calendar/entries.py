"""Between Graph's event resource and our `CalendarEntry`.

Graph gives events ids of its own. Ours, and the booking, stand in the event as extended properties that people do not
see. Guests are named in the text and never entered as attendees: Exchange would mail each of them an invitation, and
nothing in a request can forbid it.
"""

import uuid
from collections.abc import Mapping
from datetime import UTC, datetime, time
from typing import Any
from zoneinfo import ZoneInfo

from switchboard.contract.business.calendar import CalendarEntry
from switchboard.contract.error import ErrorType
from switchboard.contract.json import JsonObject
from switchboard.integrations.microsoft_calendar.failures import failure
from switchboard.integrations.microsoft_calendar.zones import zone_named, zone_of_days

_OURS = "String {5b0c6a0e-7b2f-4a53-9c39-0d7a1f3c8e21} Name "
ENTRY, BOOKING = f"{_OURS}switchboardEntry", f"{_OURS}switchboardBooking"
"""The extended properties that hold our id of an entry, and the booking that it belongs to."""
EXPANDED = f"singleValueExtendedProperties($filter=id eq '{ENTRY}' or id eq '{BOOKING}')"
TIMES = "id,start,end,isAllDay,isCancelled,showAs,responseStatus,originalStartTimeZone"
"""The properties that say whether an event keeps others out."""
SELECTED = f"{TIMES},subject,body,attendees,location,createdDateTime,transactionId,webLink"
"""Those of a whole entry."""
# `busy`, `oof`, `tentative` and whatever comes to be; who works elsewhere is at work.
_TAKES_NO_TIME = frozenset({"free", "workingElsewhere"})
_GUESTS = "Guests: "
UNREADABLE = "an event that cannot be read"
"""With this the detail of a failure begins that one event alone has caused."""
_TRANSACTIONS = uuid.UUID("0c0d6a8e-1b7e-4e0f-8a59-3f1c9b7e2d64")


def transaction_of(calendar_id: str, id: str) -> str:
    """Return what lets Graph recognise that an entry is being created for the second time."""
    return str(uuid.uuid5(_TRANSACTIONS, f"{calendar_id}|{id}"))


def to_event(entry: CalendarEntry, calendar_id: str, zone: ZoneInfo) -> JsonObject:
    """Return the body that enters an entry, in the business's zone."""
    marks = {ENTRY: entry.id} | ({BOOKING: entry.booking_id} if entry.booking_id else {})
    event: JsonObject = {
        "transactionId": transaction_of(calendar_id, entry.id),
        "subject": entry.title,
        "body": _text(entry.description, entry.attendees),
        "showAs": "busy" if entry.is_busy else "free",
        "isAllDay": entry.is_all_day,
        "singleValueExtendedProperties": [{"id": id, "value": value} for id, value in marks.items()],
    }
    if entry.is_all_day:
        event |= {"start": _midnight(entry.start, zone), "end": _midnight(entry.end, zone)}
    else:
        event |= {"start": _moment(entry.start, zone), "end": _moment(entry.end, zone)}
    if entry.location:
        event["location"] = {"displayName": entry.location}
    return event


def to_times(start: datetime, end: datetime, zone: ZoneInfo) -> JsonObject:
    """Return the body that changes an event's times, and makes it one with times if somebody made it last all day."""
    return {"isAllDay": False, "start": _moment(start, zone), "end": _moment(end, zone)}


def to_words(title: str, description: str, attendees: tuple[str, ...]) -> JsonObject:
    """Return the body that changes an event's words; the guests stay named."""
    return {"subject": title, "body": _text(description, attendees)}


def in_utc(body: JsonObject) -> JsonObject:
    """Return a body with its times in UTC, for an Exchange that does not know the business's zone."""
    changed = dict(body)
    for name in ("start", "end"):
        value = body.get(name)
        if value and body.get("isAllDay"):
            changed[name] = value | {"timeZone": "UTC"}
        elif value:
            zone = ZoneInfo(value["timeZone"])
            changed[name] = _utc(datetime.fromisoformat(value["dateTime"]).replace(tzinfo=zone))
    return changed


def to_entry(event: Mapping[str, Any], zone: ZoneInfo) -> CalendarEntry:
    """Return an event of Graph as an entry; its id is ours where we entered it, else Graph's.

    Args:
        event: As Graph answers it, with `SELECTED` or `TIMES`, and `EXPANDED`.
        zone: The business's, for days that stand in no zone of their own.

    Raises:
        ToolError: TRANSIENT, it is not an event that can be understood. Leaving one out would call its time free.
    """
    try:
        marks = {str(p["id"]).casefold(): str(p["value"]) for p in event.get("singleValueExtendedProperties") or ()}
        ours = marks.get(ENTRY.casefold(), "")
        is_all_day, is_cancelled = event.get("isAllDay") is True, event.get("isCancelled") is True
        description, guests = _read_text(event.get("body") or {}, is_ours=bool(ours))
        invited = (str((a.get("emailAddress") or {}).get("address") or "") for a in event.get("attendees") or ())
        days = zone_of_days(str(event.get("originalStartTimeZone") or ""), zone) if is_all_day else None
        return CalendarEntry(
            id=ours or str(event["id"]),
            start=_read(event["start"], zone, days),
            end=_read(event["end"], zone, days),
            title=str(event.get("subject") or ""),
            description=description,
            location=str((event.get("location") or {}).get("displayName") or ""),
            attendees=guests or tuple(filter(None, invited)),
            booking_id=marks.get(BOOKING.casefold(), ""),
            is_all_day=is_all_day,
            is_busy=not is_cancelled and _takes_time(event),
            is_cancelled=is_cancelled,
            version=version_of(event),
            link=str(event.get("webLink") or ""),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise failure(ErrorType.TRANSIENT, f"{UNREADABLE}: {type(error).__name__}") from None


def version_of(event: Mapping[str, Any]) -> str:
    """Return what tells one state of an event from another, with Graph's id of it: `{id} {etag}`."""
    etag = event.get("@odata.etag")
    return f"{event['id']} {etag}" if isinstance(etag, str) and etag else ""


def of_version(version: str) -> tuple[str, str]:
    """Return Graph's id and the ETag that a version holds; two empty texts where it is none of ours."""
    id, _, etag = version.partition(" ")
    return (id, etag) if id and etag else ("", "")


def _moment(moment: datetime, zone: ZoneInfo) -> JsonObject:
    local = moment.astimezone(zone)
    if local.replace(fold=0).utcoffset() != local.replace(fold=1).utcoffset():
        # Graph's times have no offset, and in autumn an hour comes twice.
        return _utc(moment)
    return {"dateTime": local.replace(tzinfo=None).isoformat(), "timeZone": zone.key}


def _utc(moment: datetime) -> JsonObject:
    return {"dateTime": moment.astimezone(UTC).replace(tzinfo=None).isoformat(), "timeZone": "UTC"}


def _midnight(moment: datetime, zone: ZoneInfo) -> JsonObject:
    return {"dateTime": f"{moment.astimezone(zone).date().isoformat()}T00:00:00", "timeZone": zone.key}


def _read(value: Mapping[str, Any], zone: ZoneInfo, days: ZoneInfo | None) -> datetime:
    moment = datetime.fromisoformat(value["dateTime"])
    if days is not None:
        # Midnight to midnight, whatever zone was asked for.
        return datetime.combine(moment.date(), time.min, days)
    return (moment if moment.tzinfo else moment.replace(tzinfo=zone_named(str(value["timeZone"])))).astimezone(zone)


def _takes_time(event: Mapping[str, Any]) -> bool:
    answered = (event.get("responseStatus") or {}).get("response")
    return event.get("showAs") not in _TAKES_NO_TIME and answered != "declined"


def _text(description: str, attendees: tuple[str, ...]) -> JsonObject:
    guests = f"{_GUESTS}{', '.join(attendees)}" if attendees else ""
    return {"contentType": "text", "content": "\n\n".join(part for part in (description, guests) if part)}


def _read_text(body: Mapping[str, Any], *, is_ours: bool) -> tuple[str, tuple[str, ...]]:
    text = str(body.get("content") or "").replace("\r\n", "\n").rstrip("\n")
    before, _, last = text.rpartition("\n\n")
    if not is_ours or not last.startswith(_GUESTS) or "\n" in last:
        return text, ()
    return before, tuple(last.removeprefix(_GUESTS).split(", "))
