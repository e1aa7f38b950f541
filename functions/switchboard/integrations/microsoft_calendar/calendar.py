"""One business's calendar in Microsoft 365, as the port `Calendar` wants it.

Graph chooses the ids of events, so that the second of two creations under one id is not refused by itself. Whoever
creates looks first, creates with a `transactionId`, by which Graph recognises the same wish for a while, and looks
again: of two entries of one id the earliest stays.
"""

import logging
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote
from zoneinfo import ZoneInfo

from switchboard.contract.business.calendar import CalendarEntry, EntryChanged, IdTaken, NoSuchEntry
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.integrations.microsoft_calendar.entries import (
    ENTRY,
    EXPANDED,
    SELECTED,
    TIMES,
    in_utc,
    of_version,
    to_entry,
    to_event,
    to_times,
    to_words,
    transaction_of,
)
from switchboard.integrations.microsoft_calendar.failures import failure
from switchboard.integrations.microsoft_calendar.graph import Graph, GraphDeclined
from switchboard.integrations.oauth.tokens import OAuthConnection

log = logging.getLogger(__name__)

PRIMARY = "primary"
_OUR_ID = re.compile(r"[0-9a-v]{5,1024}")
# Without words an event is a few hundred bytes; with them a meeting's invitation may be a hundred kilobytes.
_PAGE, _PAGE_OF_WORDS = 250, 50
_MOST_PAGES = 40
_MOST_COPIES = 50
_GONE = (404, 410)
# An id that Graph cannot have given is not found, and no mistake in what is asked.
NO_ID = ("ErrorInvalidIdMalformed", "ErrorInvalidId")
# Days begin up to 14 hours from where UTC has them begin.
_DAYS_APART = timedelta(hours=15)


@dataclass(frozen=True, slots=True)
class MicrosoftCalendar:
    """A calendar of the account that a business's owner connected.

    Attributes:
        graph: Sends the requests.
        connection: Whose permission they carry.
        calendar_id: Which of the account's calendars; `primary` is its own.
        zone: The business's, for what is entered, and for days that stand in no zone.
    """

    graph: Graph
    connection: OAuthConnection
    calendar_id: str
    zone: ZoneInfo

    async def busy(self, start: datetime, end: datetime) -> Sequence[CalendarEntry]:
        """Return what keeps others out and overlaps [start, end), in order of time, without titles.

        Raises:
            ToolError: As the port says. A calendar that cannot be read is never called free.
        """
        entries, is_whole = await self._listed(start, end, _PAGE * _MOST_PAGES, TIMES, _PAGE)
        if not is_whole:
            raise failure(ErrorType.TRANSIENT, "the list of events has no end")
        return [entry for entry in entries if entry.is_busy]

    async def busy_entries(self, start: datetime, end: datetime) -> Sequence[CalendarEntry]:
        """Return what keeps others out and overlaps [start, end), all of it, in order of time, without words.

        Raises:
            ToolError: As the port says; TRANSIENT where there is more than can be read.
        """
        return await self.busy(start, end)

    async def entries(self, start: datetime, end: datetime, limit: int = 250) -> Sequence[CalendarEntry]:
        """Return the entries that overlap [start, end), in order of time, without cancelled ones.

        Each occurrence of a repeating event stands by itself.

        Raises:
            ToolError: As the port says.
        """
        entries, _ = await self._listed(start, end, limit, SELECTED, min(limit, _PAGE_OF_WORDS))
        return entries[:limit]

    async def find(self, id: str) -> CalendarEntry | None:
        """Return an entry, also a cancelled one; None where there is none: Graph keeps nothing of a deleted one.

        Raises:
            ToolError: As the port says.
        """
        if _OUR_ID.fullmatch(id):
            rows = await self._of_id(id)
            return to_entry(rows[0], self.zone) if rows else None
        event = await self._event(id)
        return to_entry(event, self.zone) if event else None

    async def insert(self, entry: CalendarEntry) -> CalendarEntry:
        """Enter an entry under its own id and return it as it is kept.

        Raises:
            IdTaken: There is one of that id, or was until a moment ago.
            ToolError: As the port says.
        """
        if await self._of_id(entry.id):
            raise IdTaken(entry.id)
        try:
            made = await self._written("POST", f"{self.path}/events", to_event(entry, self.calendar_id, self.zone))
        except GraphDeclined as declined:
            if declined.status == 409:
                # The transaction is known, and its entry is not there any more.
                raise IdTaken(entry.id) from None
            raise declined.error from None
        return to_entry(await self._settled(entry.id, made), self.zone)

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
        if not version:
            raise EntryChanged(id)
        entry = await self.find(id)
        if entry is None:
            raise NoSuchEntry(id)
        return await self._changed(id, to_words(title, description, entry.attendees), version)

    async def delete(self, id: str) -> None:
        """Remove an entry; one that is missing counts as removed.

        Raises:
            ToolError: As the port says.
        """
        if not _OUR_ID.fullmatch(id):
            await self._removed(id)
            return
        rows = await self._of_id(id)
        transaction = transaction_of(self.calendar_id, id)
        for row in rows:
            # A copy that a person made of it carries our mark as well, and is theirs.
            if row is rows[0] or row.get("transactionId") == transaction:
                await self._removed(row["id"])

    @property
    def path(self) -> str:
        """Where Graph has the calendar."""
        if self.calendar_id == PRIMARY:
            return "/me/calendar"
        return f"/me/calendars/{quote(self.calendar_id, safe='')}"

    def _path_of(self, graph_id: str) -> str:
        return f"{self.path}/events/{quote(graph_id, safe='')}"

    async def _of_id(self, id: str) -> list[JsonObject]:
        """Return the events that carry our id, the earliest created first."""
        condition = f"singleValueExtendedProperties/Any(ep: ep/id eq '{ENTRY}' and ep/value eq '{id}')"
        query = {"$filter": condition, "$top": str(_MOST_COPIES), **_SHOWN}
        try:
            rows = _rows(await self.graph.read(self.connection, f"{self.path}/events", query))
        except GraphDeclined as declined:
            raise declined.error from None
        return sorted(rows, key=lambda row: (str(row.get("createdDateTime") or ""), str(row["id"])))

    async def _event(self, graph_id: str) -> JsonObject | None:
        try:
            return await self.graph.read(self.connection, self._path_of(graph_id), _SHOWN)
        except GraphDeclined as declined:
            if declined.status in _GONE or declined.code in NO_ID:
                return None
            raise declined.error from None

    async def _settled(self, id: str, made: JsonObject) -> JsonObject:
        """Return the one entry of an id, now that ours was made; another that was made meanwhile stays or goes."""
        graph_id = made.get("id")
        try:
            rows = await self._of_id(id)
            if not rows:
                # Not to be found by its mark yet; or the transaction brought back what is not there any more.
                row = await self._event(str(graph_id))
                if row is None:
                    raise IdTaken(id)
                return row
            for row in rows[1:]:
                await self._removed(row["id"])
        except ToolError as error:
            raise failure(error.type, f"not looked at again: {error.detail}", is_unknown=True) from None
        if rows[0]["id"] != graph_id:
            raise IdTaken(id)
        return rows[0]

    async def _listed(
        self, start: datetime, end: datetime, most: int, properties: str, page_size: int
    ) -> tuple[list[CalendarEntry], bool]:
        """Return at least `most` entries if there are as many, and whether there are no more."""
        entries: list[CalendarEntry] = []
        if end <= start:
            return entries, True
        bounds = {"startDateTime": _rfc3339(start - _DAYS_APART), "endDateTime": _rfc3339(end + _DAYS_APART)}
        shown = {"$select": properties, "$expand": EXPANDED}
        query = {**bounds, "$orderby": "start/dateTime", "$top": str(page_size), **shown}
        try:
            page: JsonObject | None = await self.graph.read(self.connection, f"{self.path}/calendarView", query)
        except GraphDeclined as declined:
            raise declined.error from None
        for _ in range(_MOST_PAGES):
            assert page is not None
            page_entries = (to_entry(row, self.zone) for row in _rows(page))
            entries += [e for e in page_entries if not e.is_cancelled and e.start < end and e.end > start]
            if len(entries) >= most:
                break
            page = await self.graph.go_on(self.connection, page)
            if page is None:
                return sorted(entries, key=_by_time), True
        return sorted(entries, key=_by_time), False

    async def _changed(self, id: str, body: JsonObject, version: str) -> CalendarEntry:
        if not version:
            # Without a condition the change would be made whatever happened meanwhile.
            raise EntryChanged(id)
        graph_id, etag = of_version(version)
        if not graph_id:
            raise EntryChanged(id) if await self.find(id) else NoSuchEntry(id)
        try:
            await self._written("PATCH", self._path_of(graph_id), body, if_match=etag)
        except GraphDeclined as declined:
            if declined.status in (409, 412):
                raise EntryChanged(id) from None
            if declined.status in _GONE or declined.code in NO_ID:
                raise NoSuchEntry(id) from None
            raise declined.error from None
        # What answers a change does not show our marks.
        try:
            event = await self._event(graph_id)
        except ToolError as error:
            raise failure(error.type, f"not looked at again: {error.detail}", is_unknown=True) from None
        if event is None or event.get("isCancelled") is True:
            raise NoSuchEntry(id)
        return to_entry(event, self.zone)

    async def _written(self, method: str, path: str, body: JsonObject, if_match: str = "") -> JsonObject:
        try:
            return await self.graph.write(self.connection, method, path, body, if_match=if_match)
        except GraphDeclined as declined:
            if declined.status != 400 or "TimeZone" not in declined.code:
                raise
        # Not every Exchange knows every zone by its name; nothing was done yet.
        return await self.graph.write(self.connection, method, path, in_utc(body), if_match=if_match)

    async def _removed(self, graph_id: str) -> None:
        try:
            await self.graph.write(self.connection, "DELETE", self._path_of(graph_id))
        except GraphDeclined as declined:
            if declined.status not in _GONE and declined.code not in NO_ID:
                raise declined.error from None


_SHOWN = {"$select": SELECTED, "$expand": EXPANDED}


def _rows(page: JsonObject) -> list[Any]:
    rows = page.get("value")
    if not isinstance(rows, list) or not all(isinstance(row, dict) and isinstance(row.get("id"), str) for row in rows):
        # Taken for an empty list, it would call the whole time free.
        raise failure(ErrorType.TRANSIENT, "a list of events without events")
    return rows


def _by_time(entry: CalendarEntry) -> tuple[float, float]:
    return entry.start.timestamp(), entry.end.timestamp()


def _rfc3339(moment: datetime) -> str:
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat() + "Z"
