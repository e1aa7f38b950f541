"""The events of one calendar, kept as Calendar keeps them: ids for ever, tombstones, etags, occurrences."""

from __future__ import annotations

import copy
import itertools
import re
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from stand_ins import google_calendar_repeats as repeats
from stand_ins import google_calendar_times as times
from stand_ins.google_calendar_refusal import NOT_FOUND, Refusal, invalid

Event = dict[str, Any]

_ID = re.compile(r"^[0-9a-v]{5,1024}$")
_EMAIL = re.compile(r"^[^@\s]+@[^@\s]+\.[^@\s]+$")
_OURS = ("kind", "etag", "htmlLink", "created", "updated", "creator", "organizer", "sequence", "recurringEventId")
_NO_TIME_TAKEN = ("workingLocation", "birthday")
_LONGEST = timedelta(days=3660)
_TICKS = itertools.count(3_500_000_000_000_000)


@dataclass
class CalendarBook:
    """One calendar: its id, zone, whose it is, and what its account may do with it."""

    id: str
    summary: str
    zone: ZoneInfo
    owner: str
    access_role: str = "owner"
    is_primary: bool = False
    events: dict[str, Event] = field(default_factory=dict)

    def insert(self, body: Event) -> Event:
        """Enter an event.

        Raises:
            Refusal: 400 for what cannot be, 409 for an id that is or was in use.
        """
        if body.get("id") is not None and not _ID.match(body["id"]):
            raise invalid("id", "Invalid resource id value.")
        if body.get("status") == "cancelled":
            raise invalid("status", "Invalid event status.")
        id = body.get("id") or uuid.uuid4().hex
        if id in self.events:
            raise Refusal(409, "duplicate", "The requested identifier already exists.")
        event = {"status": "confirmed", "eventType": "default", **self._writable(body), "id": id}
        self._check(event)
        event |= {
            "kind": "calendar#event",
            "created": _stamp(),
            "creator": {"email": self.owner, "self": True},
            "organizer": {"email": self.owner, "self": True},
            "iCalUID": body.get("iCalUID") or f"{id}@google.com",
            "htmlLink": f"https://www.google.com/calendar/event?eid={id}",
            "sequence": 0,
        }
        return self._keep(event)

    def find(self, id: str) -> Event:
        """Return an event, one occurrence of a repeating one, or what is left of a deleted one.

        Raises:
            Refusal: 404.
        """
        if id in self.events:
            return self.events[id]
        parent = self.events.get(id.rpartition("_")[0])
        for occurrence in self._occurrences(parent, times.now() + _LONGEST) if parent else ():
            if occurrence["id"] == id:
                return occurrence
        raise NOT_FOUND

    def change(self, id: str, body: Event, if_match: str | None, *, whole: bool) -> Event:
        """Replace an event, or join fields of it, if it is still of the etag.

        Raises:
            Refusal: 400, 404, 412.
        """
        before = self._matching(id, if_match)
        if body.get("id") not in (None, id):
            raise invalid("id", "Invalid resource id value.")
        by_name = {name: before[name] for name in (*_OURS, "id", "iCalUID") if name in before}
        event = {"status": "confirmed", "eventType": "default", **body} if whole else _joined(before, body)
        event = {**self._writable(event), **by_name}
        self._check(event)
        moved = (event["start"], event["end"]) != (before["start"], before["end"])
        return self._keep(event | {"sequence": before["sequence"] + moved})

    def delete(self, id: str, if_match: str | None) -> None:
        """Delete an event; its id stays taken.

        Raises:
            Refusal: 404, 410 for one that is deleted already, 412.
        """
        event = self._matching(id, if_match)
        if event["status"] == "cancelled":
            raise Refusal(410, "deleted", "Resource has been deleted")
        self._keep(event | {"status": "cancelled"})

    def overlapping(self, start: datetime | None, end: datetime | None, *, single: bool) -> Iterator[Event]:
        """Yield events that end after `start` and begin before `end`; repeating ones occurrence by occurrence."""
        for event in list(self.events.values()):
            if event.get("recurrence") and not single:
                yield event
                continue
            many = self._occurrences(event, end or times.now() + _LONGEST) if event.get("recurrence") else [event]
            for one in many:
                first, last = self.span(one)
                if (start is None or last > start) and (end is None or first < end):
                    yield one

    def span(self, event: Event) -> tuple[datetime, datetime]:
        """Return start and end as moments."""
        return times.moment(event["start"], self.zone), times.moment(event["end"], self.zone)

    def busy(self, start: datetime, end: datetime) -> list[dict[str, str]]:
        """Return what is taken, joined where it touches, in UTC."""
        taken = sorted(
            self.span(event) for event in self.overlapping(start, end, single=True) if self._takes_time(event)
        )
        blocks: list[list[datetime]] = []
        for first, last in taken:
            if blocks and first <= blocks[-1][1]:
                blocks[-1][1] = max(blocks[-1][1], last)
            else:
                blocks.append([first, last])
        return [{"start": _utc(first), "end": _utc(last)} for first, last in blocks]

    def shown(self, event: Event, zone: ZoneInfo | None = None) -> Event:
        """Return an event as answers show it."""
        event_copy = copy.deepcopy(event)
        for name in ("start", "end", "originalStartTime"):
            if name in event_copy:
                event_copy[name] = times.shown(event_copy[name], zone or self.zone)
        return event_copy

    def _takes_time(self, event: Event) -> bool:
        if event["status"] == "cancelled" or event.get("transparency") == "transparent":
            return False
        declined = any(a.get("self") and a.get("responseStatus") == "declined" for a in event.get("attendees", ()))
        return not declined and event.get("eventType") not in _NO_TIME_TAKEN

    def _occurrences(self, event: Event, before: datetime) -> Iterator[Event]:
        if not event.get("recurrence"):
            return
        zone = self.zone if "date" in event["start"] else times.zone(event["start"]["timeZone"])
        first, last = (moment.astimezone(zone) for moment in self.span(event))
        for start in repeats.starts(first, event["recurrence"]):
            if start >= before:
                return
            is_day = "date" in event["start"]
            id = f"{event['id']}_{start:%Y%m%d}" if is_day else f"{event['id']}_{start.astimezone(UTC):%Y%m%dT%H%M%SZ}"
            if id in self.events:
                continue  # an occurrence that was changed or deleted by itself
            end = start + (last - first) if is_day else (start.astimezone(UTC) + (last - first)).astimezone(zone)
            placed = {"start": _written(start, is_day, zone), "end": _written(end, is_day, zone)}
            common = {name: value for name, value in event.items() if name != "recurrence"}
            yield common | placed | {"id": id, "recurringEventId": event["id"], "originalStartTime": placed["start"]}

    def _matching(self, id: str, if_match: str | None) -> Event:
        event = self.find(id)
        if if_match not in (None, "*", event["etag"]):
            raise Refusal(412, "conditionNotMet", "Precondition Failed", "If-Match")
        return event

    def _check(self, event: Event) -> None:
        times.check(event)
        repeats.check(event.get("recurrence") or ())
        for attendee in event.get("attendees", ()):
            if not _EMAIL.match(attendee.get("email", "")):
                raise invalid("attendees", "Invalid attendee email.")
        private = (event.get("extendedProperties") or {}).get("private") or {}
        if any(len(name) > 44 or len(value) > 1024 for name, value in private.items()):
            raise invalid("extendedProperties", "Invalid extended property.")

    def _writable(self, body: Mapping[str, Any]) -> Event:
        event = {name: copy.deepcopy(v) for name, v in body.items() if name not in _OURS and v is not None}
        for attendee in event.get("attendees", ()):
            attendee.setdefault("responseStatus", "needsAction")
            if attendee.get("email") == self.owner:
                attendee["self"] = True
        return event

    def _keep(self, event: Event) -> Event:
        self.events[event["id"]] = event | {"updated": _stamp(), "etag": f'"{next(_TICKS)}"'}
        return self.events[event["id"]]


def _joined(before: Mapping[str, Any], changes: Mapping[str, Any]) -> Event:
    """Join fields deeply; null clears one, and a list replaces the whole list."""
    joined = dict(before)
    for name, value in changes.items():
        if value is None:
            joined.pop(name, None)
        elif isinstance(value, dict) and isinstance(joined.get(name), dict):
            joined[name] = _joined(joined[name], value)
        else:
            joined[name] = _joined({}, value) if isinstance(value, dict) else value
    return joined


def _written(moment: datetime, is_day: bool, zone: ZoneInfo) -> dict[str, str]:
    if is_day:
        return {"date": moment.date().isoformat()}
    return {"dateTime": moment.isoformat(), "timeZone": zone.key}


def _utc(moment: datetime) -> str:
    return times.rfc3339(moment.astimezone(UTC).replace(microsecond=0))


def _stamp() -> str:
    return times.rfc3339(times.now().replace(microsecond=0, tzinfo=None)) + ".000Z"
