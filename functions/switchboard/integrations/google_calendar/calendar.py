"""One business's Google Calendar, as the port `Calendar` wants it."""

import logging
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from switchboard.contract.business.calendar import CalendarEntry, EntryChanged, IdTaken, NoSuchEntry
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.integrations.google_calendar.entries import bounds, to_busy, to_entry, to_event, to_times
from switchboard.integrations.google_calendar.failures import failure
from switchboard.integrations.google_calendar.transport import CalendarDeclined, GoogleTransport
from switchboard.integrations.oauth.tokens import OAuthConnection

log = logging.getLogger(__name__)

# Google refuses free/busy questions about more than some three months at once.
_FREE_BUSY_SPAN = timedelta(days=60)
_PAGE = 250
_MOST_PAGES = 40
# Nobody is notified: what callers are told is this house's affair.
_SEND_UPDATES = "none"
_GONE = (404, 410)
# What says whether an event keeps others out, and whose it is: a day's descriptions may be a hundred times as long.
_WHEN_AND_WHOSE = (
    "nextPageToken,timeZone,items(id,etag,status,eventType,transparency,start,end,originalStartTime,"
    "attendees(email,self,responseStatus),extendedProperties/private)"
)


@dataclass(frozen=True, slots=True)
class GoogleCalendar:
    """A calendar of the account that a business's owner connected.

    Attributes:
        transport: Sends the requests.
        connection: Whose permission they carry.
        calendar_id: Which of the account's calendars; `primary` is its own.
        zone: The business's, for what is entered, and for all-day events where Google does not tell the calendar's.
        knows_free_busy: Whether the owner's permission opens free/busy; otherwise the events themselves are read.
    """

    transport: GoogleTransport
    connection: OAuthConnection
    calendar_id: str
    zone: ZoneInfo
    knows_free_busy: bool

    async def busy(self, start: datetime, end: datetime) -> Sequence[CalendarEntry]:
        """Return what keeps others out and overlaps [start, end), in order of time; perhaps without titles.

        Raises:
            ToolError: As the port says. A calendar that cannot be read is never called free.
        """
        if not self.knows_free_busy:
            return await self.busy_entries(start, end)
        blocks: list[CalendarEntry] = []
        while start < end:
            until = min(end, start + _FREE_BUSY_SPAN)
            blocks += await self._free_busy(start, until)
            start = until
        return sorted(blocks, key=lambda block: (block.start, block.end))

    async def busy_entries(self, start: datetime, end: datetime) -> Sequence[CalendarEntry]:
        """Return what keeps others out and overlaps [start, end), all of it, in order of time, without words.

        Raises:
            ToolError: As the port says; TRANSIENT where there is more than can be read.
        """
        entries, is_whole = await self._listed(start, end, most=_PAGE * _MOST_PAGES, fields=_WHEN_AND_WHOSE)
        if not is_whole:
            raise failure(ErrorType.TRANSIENT, "the list of events has no end")
        return [entry for entry in entries if entry.is_busy]

    async def entries(self, start: datetime, end: datetime, limit: int = 250) -> Sequence[CalendarEntry]:
        """Return the entries that overlap [start, end), in order of time, without cancelled ones.

        Each occurrence of a repeating event stands by itself.

        Raises:
            ToolError: As the port says.
        """
        entries, _ = await self._listed(start, end, most=limit)
        return entries

    async def find(self, id: str) -> CalendarEntry | None:
        """Return an entry, also a cancelled one; None where there never was one.

        Raises:
            ToolError: As the port says.
        """
        try:
            event = await self._send("get", is_write=False, eventId=id)
        except CalendarDeclined as declined:
            if declined.status in _GONE:
                return None
            raise declined.error from None
        return to_entry(event, self.zone)

    async def insert(self, entry: CalendarEntry) -> CalendarEntry:
        """Enter an entry under its own id and return it as it is kept.

        Raises:
            IdTaken: There is, or was, one of that id.
            ToolError: As the port says; PERMANENT where the calendar gives entries ids of its own.
        """
        try:
            body = to_event(entry, self.zone)
            event = await self._send("insert", is_write=True, body=body, sendUpdates=_SEND_UPDATES)
        except CalendarDeclined as declined:
            if declined.status == 409:
                raise IdTaken(entry.id) from None
            raise declined.error from None
        inserted = to_entry(event, self.zone)
        if inserted.id != entry.id:
            await self._take_back(inserted.id)
            raise failure(ErrorType.PERMANENT, "an entry is kept under another id than it was given")
        return inserted

    async def move(self, id: str, start: datetime, end: datetime, version: str) -> CalendarEntry:
        """Change an entry's times if it is still of that version, and return it as it is kept.

        Raises:
            EntryChanged: It is of another version.
            NoSuchEntry: It was removed.
            ToolError: As the port says.
        """
        return await self._changed(id, to_times(start, end, self.zone), version)

    async def reword(self, id: str, title: str, description: str, version: str) -> CalendarEntry:
        """Change an entry's words if it is still of that version, and return it as it is kept.

        Raises:
            EntryChanged: It is of another version.
            NoSuchEntry: It was removed.
            ToolError: As the port says.
        """
        return await self._changed(id, {"summary": title, "description": description}, version)

    async def delete(self, id: str) -> None:
        """Remove an entry; one that is missing counts as removed.

        Raises:
            ToolError: As the port says.
        """
        try:
            await self._send("delete", is_write=True, eventId=id, sendUpdates=_SEND_UPDATES)
        except CalendarDeclined as declined:
            if declined.status not in _GONE:
                raise declined.error from None

    async def _take_back(self, id: str) -> None:
        """Remove what was entered under an id that nobody would look for, to move it or to remove it."""
        try:
            await self.delete(id)
        except ToolError as error:
            log.error("calendar entry left behind", extra={"pii.detail": error.detail or error.message})

    async def _free_busy(self, start: datetime, end: datetime) -> list[CalendarEntry]:
        body = bounds(start, end) | {"items": [{"id": self.calendar_id}]}
        try:
            answer = await self.transport.send(
                self.connection, lambda calendar: calendar.freebusy().query(body=body), is_write=False
            )
        except CalendarDeclined as declined:
            raise declined.error from None
        calendars = answer.get("calendars")
        mine = calendars.get(self.calendar_id) if isinstance(calendars, Mapping) else None
        if not isinstance(mine, Mapping) or mine.get("errors") or not isinstance(mine.get("busy"), list):
            # Google reports a calendar that it cannot read inside a success.
            raise _unreadable(mine)
        return [to_busy(block) for block in mine["busy"]]

    async def _listed(
        self, start: datetime, end: datetime, most: int, fields: str | None = None
    ) -> tuple[list[CalendarEntry], bool]:
        """Return up to `most` entries, and whether there are no more; `fields` of each answer, or all."""
        entries: list[CalendarEntry] = []
        page_token: str | None = None
        if end <= start:
            return entries, True
        for _ in range(_MOST_PAGES):
            page = await self._page(start, end, min(_PAGE, most - len(entries)), page_token, fields)
            zone = _zone_of(page, self.zone)
            if not isinstance(page.get("items"), list):
                # Taken for an empty list, it would call the whole time free.
                raise failure(ErrorType.TRANSIENT, "a list of events without events")
            events = (to_entry(event, zone) for event in page["items"])
            entries += [entry for entry in events if not entry.is_cancelled]
            page_token = page.get("nextPageToken")
            # A page may be empty and still not be the last.
            if not page_token or len(entries) >= most:
                return entries, not page_token
        return entries, False

    async def _page(
        self, start: datetime, end: datetime, most: int, page_token: str | None, fields: str | None
    ) -> JsonObject:
        query = bounds(start, end) | {"singleEvents": True, "orderBy": "startTime", "maxResults": most}
        query |= {"fields": fields} if fields else {}
        try:
            return await self._send("list", is_write=False, pageToken=page_token, **query)
        except CalendarDeclined as declined:
            raise declined.error from None

    async def _changed(self, id: str, body: JsonObject, version: str) -> CalendarEntry:
        if not version:
            # Without a condition the change would be made whatever happened meanwhile.
            raise EntryChanged(id)
        try:
            event = await self._send(
                "patch",
                is_write=True,
                if_match=version,
                eventId=id,
                body=body,
                sendUpdates=_SEND_UPDATES,
            )
        except CalendarDeclined as declined:
            if declined.status == 412:
                raise EntryChanged(id) from None
            if declined.status in _GONE:
                raise NoSuchEntry(id) from None
            raise declined.error from None
        entry = to_entry(event, self.zone)
        if entry.is_cancelled:
            raise NoSuchEntry(id)
        return entry

    async def _send(self, method: str, *, is_write: bool, if_match: str = "", **arguments: Any) -> JsonObject:
        def describe(calendar: Any) -> Any:
            return getattr(calendar.events(), method)(calendarId=self.calendar_id, **arguments)

        return await self.transport.send(self.connection, describe, is_write=is_write, if_match=if_match)


def _zone_of(page: Mapping[str, Any], otherwise: ZoneInfo) -> ZoneInfo:
    try:
        return ZoneInfo(page["timeZone"])
    except (KeyError, TypeError, ValueError, OSError):
        return otherwise


def _unreadable(calendar: object) -> Exception:
    errors = calendar.get("errors") if isinstance(calendar, Mapping) else None
    reasons = {e.get("reason") for e in errors if isinstance(e, Mapping)} if isinstance(errors, list) else set()
    type = ErrorType.PERMANENT if reasons == {"notFound"} else ErrorType.TRANSIENT
    return failure(type, f"free/busy of a calendar is unknown: {sorted(map(str, reasons))}")
