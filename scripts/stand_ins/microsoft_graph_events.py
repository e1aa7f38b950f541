"""The events of one calendar as Exchange keeps them: ids of its own, transactions, ETags, series with exceptions."""

from __future__ import annotations

import base64
import copy
import itertools
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta
from typing import Any

from stand_ins import microsoft_graph_times as times
from stand_ins.microsoft_graph_refusal import CHANGED, NOT_FOUND, Refusal, invalid

Event = dict[str, Any]

SHOW_AS = ("free", "tentative", "busy", "oof", "workingElsewhere", "unknown")
RESPONSES = ("none", "organizer", "tentativelyAccepted", "accepted", "declined", "notResponded")
WRITABLE = frozenset(
    {
        *("subject", "body", "start", "end", "isAllDay", "showAs", "location", "attendees", "recurrence"),
        *("transactionId", "singleValueExtendedProperties", "isReminderOn", "reminderMinutesBeforeStart"),
        *("sensitivity", "importance", "categories", "responseRequested"),
    }
)
PROPERTIES = WRITABLE | {
    *("id", "createdDateTime", "lastModifiedDateTime", "changeKey", "originalStartTimeZone", "originalEndTimeZone"),
    *("isCancelled", "isOrganizer", "responseStatus", "type", "seriesMasterId", "webLink", "bodyPreview", "iCalUId"),
}
_OFTEN = itertools.count(1)
_FAR = timedelta(days=3660)


@dataclass
class CalendarFolder:
    """One calendar of the mailbox.

    Attributes:
        transactions_last: Whether a transaction is still known; Exchange forgets them after a while.
        invited: Whom Exchange has mailed an invitation.
        gone: What was deleted, with the number of the change.
    """

    id: str
    name: str
    can_edit: bool = True
    is_default: bool = False
    transactions_last: bool = True
    events: dict[str, Event] = field(default_factory=dict)
    invited: list[str] = field(default_factory=list)
    gone: list[tuple[int, str]] = field(default_factory=list)
    _transactions: dict[str, tuple[str, Event]] = field(default_factory=dict)

    def create(self, body: Event, *, by_person: bool = False) -> Event:
        """Enter an event; the same transaction again brings back what it made.

        A person's may also say what no request can: `responseStatus`, `isCancelled`, `originalStartTimeZone`.

        Raises:
            Refusal: 400 for what cannot be, 409 for a transaction that made something else.
        """
        by_name = {
            name: body[name] for name in ("responseStatus", "isCancelled", "originalStartTimeZone") if name in body
        }
        wish = {name: value for name, value in body.items() if not (by_person and name in by_name)}
        transaction = wish.get("transactionId")
        if transaction in self._transactions and self.transactions_last:
            id, earlier = self._transactions[transaction]
            if earlier != wish or id not in self.events:
                message = (
                    "The TransactionId specified in the request has already been used to create a different event."
                )
                raise Refusal(409, "ErrorDuplicateTransactionId", message)
            return self.events[id]
        event = self._checked({"showAs": "busy", "isAllDay": False, **wish})
        id = "AAMkAD" + base64.urlsafe_b64encode(os.urandom(60)).decode() + "AAA="
        self.invited += [attendee["emailAddress"]["address"] for attendee in event.get("attendees", ())]
        event |= {
            "id": id,
            "createdDateTime": _stamp(),
            "type": "seriesMaster" if event.get("recurrence") else "singleInstance",
            "responseStatus": {"response": "organizer", "time": "0001-01-01T00:00:00Z"},
            "isCancelled": False,
            "isOrganizer": True,
            "seriesMasterId": None,
            "webLink": f"https://outlook.office365.com/owa/?itemid={id}",
            "exceptions": {},
            **by_name,
        }
        if transaction:
            self._transactions[transaction] = (id, copy.deepcopy(wish))
        return self._keep(event)

    def find(self, id: str) -> Event:
        """Return an event, or one occurrence of a series.

        Raises:
            Refusal: 404.
        """
        if id in self.events:
            return self.events[id]
        master = self.events.get(id.rpartition(".")[0])
        for occurrence in self._occurrences(master, datetime.now(UTC) + _FAR) if master else ():
            if occurrence["id"] == id:
                return occurrence
        raise NOT_FOUND

    def change(self, id: str, body: Event, if_match: str | None) -> Event:
        """Change fields of an event, if it is still of the ETag; an occurrence becomes an exception.

        Raises:
            Refusal: 400, 404, 412.
        """
        before = self._matching(id, if_match)
        if "transactionId" in body:
            raise invalid("transactionId cannot be changed.", "ErrorInvalidPropertySet")
        by_name = {name: value for name, value in before.items() if name not in body}
        event = by_name | self._checked(body, before)
        if before["type"] in ("occurrence", "exception"):
            master = self.events[before["seriesMasterId"]]
            event["type"] = "exception"
            master["exceptions"][id] = _changed(event)
            return event
        return self._keep(event)

    def delete(self, id: str, if_match: str | None = None) -> None:
        """Delete an event, of which nothing is left, or an occurrence.

        Raises:
            Refusal: 404, 412.
        """
        event = self._matching(id, if_match)
        if event["type"] in ("occurrence", "exception"):
            self.events[event["seriesMasterId"]]["exceptions"][id] = None
        else:
            del self.events[id]
        self.gone.append((next(_OFTEN), id))

    def view(self, start: datetime, end: datetime) -> list[Event]:
        """Return what overlaps, occurrence by occurrence, in order of time."""
        rows = []
        for event in list(self.events.values()):
            many = self._occurrences(event, end) if event["type"] == "seriesMaster" else [event]
            rows += [one for one in many if one["end"] > start and one["start"] < end]
        return sorted(rows, key=lambda event: (event["start"].timestamp(), event["id"]))

    def marked(self, id: str, value: str) -> list[Event]:
        """Return the events that carry an extended property; names count by the letter, values do not."""
        return [
            event
            for event in self.events.values()
            if any(
                p["id"] == id and p["value"].casefold() == value.casefold()
                for p in event.get("singleValueExtendedProperties", ())
            )
        ]

    def _occurrences(self, master: Event, before: datetime) -> Iterator[Event]:
        if master["type"] != "seriesMaster":
            return
        first, lasts = master["start"], master["end"].astimezone(UTC) - master["start"].astimezone(UTC)
        for start in times.starts(first, master["recurrence"]):
            id = f"{master['id']}.{start:%Y%m%d}"
            if id in master["exceptions"]:
                if (exception := master["exceptions"][id]) is not None:
                    yield exception
                continue
            if start >= before:
                return
            end = (start.astimezone(UTC) + lasts).astimezone(start.tzinfo)
            own = {"id": id, "type": "occurrence", "seriesMasterId": master["id"], "start": start, "end": end}
            yield {name: value for name, value in master.items() if name != "recurrence"} | own

    def _matching(self, id: str, if_match: str | None) -> Event:
        event = self.find(id)
        if if_match not in (None, "*", etag_of(event)):
            raise CHANGED
        return event

    def _checked(self, body: Event, before: Mapping[str, Any] | None = None) -> Event:
        if unknown := body.keys() - WRITABLE:
            message = f"The property '{min(unknown)}' does not exist on type 'microsoft.graph.event' or is read-only."
            raise invalid(message, "RequestBodyRead")
        if body.get("showAs", "busy") not in SHOW_AS:
            raise invalid("Requested value was not found: showAs.", "RequestBodyRead")
        event = copy.deepcopy(body)
        for name, zone in (("start", "originalStartTimeZone"), ("end", "originalEndTimeZone")):
            if name in body:
                event[name] = times.moment(body[name])
                event[zone] = body[name].get("timeZone", "UTC")
        if event.get("recurrence"):
            times.check_recurrence(event["recurrence"])
        for row in event.get("singleValueExtendedProperties", ()):
            if row.keys() != {"id", "value"} or not row["id"].startswith("String {"):
                raise invalid("An extended property has an id and a value.", "ErrorInvalidProperty")
        _check_times({**(before or {}), **event})
        return event

    def _keep(self, event: Event) -> Event:
        self.events[event["id"]] = _changed(event)
        return self.events[event["id"]]


def etag_of(event: Mapping[str, Any]) -> str:
    """Return an event's ETag."""
    return f'W/"{event["changeKey"]}"'


def _check_times(event: Mapping[str, Any]) -> None:
    start, end = event.get("start"), event.get("end")
    if start is None or end is None:
        raise invalid("An event has a start and an end.", "ErrorPropertyValidationFailure")
    if end < start:
        raise invalid("The end is before the start.", "ErrorPropertyValidationFailure")
    if event.get("isAllDay") and (start.time() != time.min or end.time() != time.min or end <= start):
        message = "The Event.Start and Event.End of an all day event have to be set to midnight."
        raise invalid(message, "ErrorPropertyValidationFailure")


def _changed(event: Event) -> Event:
    tick = next(_OFTEN)
    key = base64.b64encode(f"key-{tick:012}".encode()).decode()
    return event | {"changeKey": key, "lastModifiedDateTime": _stamp(), "tick": tick}


def _stamp() -> str:
    # As fine as Exchange's: two that are created at once differ.
    return f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S.%f}0Z"
