"""One business's CalDAV calendar, as the port `Calendar` wants it."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote
from xml.sax.saxutils import escape
from zoneinfo import ZoneInfo

from switchboard.contract.business.calendar import CalendarEntry, EntryChanged, IdTaken, NoSuchEntry
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.ports import Clock
from switchboard.contract.python.dataclass import dataclass
from switchboard.integrations.caldav.dav import Dav
from switchboard.integrations.caldav.failures import UID_TAKEN, condition_of, failure, refused
from switchboard.integrations.caldav.multistatus import CALDAV, DAV, DavResponse

if TYPE_CHECKING:
    from switchboard.integrations.caldav.content import InvitedEntry

_T = TypeVar("_T")
_GONE = (404, 410)
_DONE = (200, 201, 204)
_CONTENT = "switchboard.integrations.caldav.content"
_TYPE = {"Content-Type": "text/calendar; charset=utf-8"}
# What packing web servers make of a server's `"abc"`: it is refused when it is shown again in that form.
_MARKS = ("--gzip", "-gzip", ";gzip")
# A server takes a floating time, or a day, for one of its own zone.
_MARGIN = timedelta(days=1)
_SPACES = 'xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"'
_WANTED = "<D:prop><D:getetag/><C:calendar-data/></D:prop>"


def load_content() -> Any:
    """Return the module that reads events; its libraries take a third of a second to load."""
    return import_module(_CONTENT)


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """An event as the server keeps it.

    Attributes:
        url: Where.
        etag: Its version; empty where the server tells none.
        text: The iCalendar object.
    """

    url: str
    etag: str
    text: str


@dataclass(frozen=True, slots=True)
class CaldavCalendar:
    """A calendar of the account that a business's owner set up.

    Attributes:
        dav: The way to its server.
        url: The calendar's address, ending with a slash.
        zone: The business's, for floating times and for events that last all day.
        clock: Dates the changes.
        own_addresses: Return the account's mail addresses, in small letters: whose declining frees the time.
    """

    dav: Dav
    url: str
    zone: ZoneInfo
    clock: Clock
    own_addresses: Callable[[], Awaitable[frozenset[str]]]

    async def busy(self, start: datetime, end: datetime) -> Sequence[CalendarEntry]:
        """Return what keeps others out and overlaps [start, end), in order of time.

        Raises:
            ToolError: As the port says. A calendar that cannot be read is never called free.
        """
        return [entry for entry in await self.entries(start, end, limit=0) if entry.is_busy]

    async def busy_entries(self, start: datetime, end: datetime) -> Sequence[CalendarEntry]:
        """Return what keeps others out and overlaps [start, end), all of it, in order of time.

        Raises:
            ToolError: As the port says; TRANSIENT where there is more than can be read.
        """
        return await self.busy(start, end)

    async def entries(self, start: datetime, end: datetime, limit: int = 250) -> Sequence[CalendarEntry]:
        """Return the entries that overlap [start, end), in order of time, without cancelled ones.

        Each occurrence of a repeating event stands by itself.

        Args:
            start: From when.
            end: Until when.
            limit: The most that are returned; 0 for all.

        Raises:
            ToolError: As the port says; PERMANENT as well where one of them cannot be understood.
        """
        if end <= start:
            return []
        events = await self._kept(
            f'<C:calendar-query {_SPACES}>{_WANTED}<C:filter><C:comp-filter name="VCALENDAR">'
            f'<C:comp-filter name="VEVENT"><C:time-range start="{_utc(start - _MARGIN)}" end="{_utc(end + _MARGIN)}"/>'
            "</C:comp-filter></C:comp-filter></C:filter></C:calendar-query>"
        )

        def read() -> "list[InvitedEntry]":
            content = load_content()
            return [it for k in events for it in content.occurrences(k.text, k.etag, self.zone, start, end)]

        occurrences = [it for it in await _understood(read) if not it.entry.is_cancelled]
        entries = [it.entry for it in await self._without_declined(occurrences)]
        entries.sort(key=lambda entry: (entry.start.astimezone(UTC), entry.end.astimezone(UTC)))
        return entries[:limit] if limit else entries

    async def find(self, id: str) -> CalendarEntry | None:
        """Return an entry, also one that is marked as cancelled; None where there is none: a server forgets them.

        Raises:
            ToolError: As the port says.
        """
        event = await self._one(id)
        return None if event is None else await self._entry(event)

    async def insert(self, entry: CalendarEntry) -> CalendarEntry:
        """Enter an entry under its own id and return it as it is kept.

        Raises:
            IdTaken: There is one of that id.
            ToolError: As the port says.
        """
        now = self.clock.now()
        text = await _understood(lambda: load_content().to_text(entry, self.zone, now))
        answer = await self.dav.send("PUT", self._url_of(entry.id), text.encode(), {**_TYPE, "If-None-Match": "*"})
        if answer.status == 412 or condition_of(answer) == UID_TAKEN:
            raise IdTaken(entry.id)
        if answer.status not in _DONE:
            raise refused(answer, is_write=True)
        return await self._as_kept(StoredEvent(self._url_of(entry.id), _etag(answer.headers.get("ETag", "")), text))

    async def move(self, id: str, start: datetime, end: datetime, version: str) -> CalendarEntry:
        """Change an entry's times if it is still of that version, and return it as it is kept.

        Raises:
            EntryChanged: It is of another version.
            NoSuchEntry: It was removed.
            ToolError: As the port says.
        """
        now = self.clock.now()
        return await self._changed(id, version, lambda text: load_content().moved(text, start, end, now))

    async def reword(self, id: str, title: str, description: str, version: str) -> CalendarEntry:
        """Change an entry's words if it is still of that version, and return it as it is kept.

        Raises:
            EntryChanged: It is of another version.
            NoSuchEntry: It was removed.
            ToolError: As the port says.
        """
        now = self.clock.now()
        return await self._changed(id, version, lambda text: load_content().reworded(text, title, description, now))

    async def delete(self, id: str) -> None:
        """Remove an entry; one that is missing counts as removed.

        Raises:
            ToolError: As the port says.
        """
        answer = await self.dav.send("DELETE", self._url_of(id), None, {})
        if answer.status in _GONE:
            event = await self._of_uid(id)
            if event is None:
                return
            answer = await self.dav.send("DELETE", event.url, None, {})
        if answer.status // 100 != 2 and answer.status not in _GONE:
            raise refused(answer, is_write=True)

    async def _changed(self, id: str, version: str, change: Callable[[str], str]) -> CalendarEntry:
        if not version:
            # Without a condition the change would be made whatever happened meanwhile.
            raise EntryChanged(id)
        event = await self._one(id)
        if event is None or (await self._entry(event)).is_cancelled:
            raise NoSuchEntry(id)
        if event.etag != version:
            raise EntryChanged(id)
        text = await _understood(lambda: change(event.text))
        answer = await self.dav.send("PUT", event.url, text.encode(), {**_TYPE, "If-Match": f'"{version}"'})
        if answer.status == 412:
            raise EntryChanged(id)
        if answer.status in _GONE:
            raise NoSuchEntry(id)
        if answer.status not in _DONE:
            raise refused(answer, is_write=True)
        return await self._as_kept(StoredEvent(event.url, _etag(answer.headers.get("ETag", "")), text))

    async def _as_kept(self, written: StoredEvent) -> CalendarEntry:
        """Return what was just written; where the server tells no version of it, it is read once more."""
        if not written.etag:
            try:
                read = await self._at(written.url)
            except ToolError:
                # It is entered all the same. Who wants to change it without knowing its version must read it first.
                read = None
            written = read or written
        return await self._entry(written)

    async def _entry(self, event: StoredEvent) -> CalendarEntry:
        entry: InvitedEntry = await _understood(lambda: load_content().find(event.text, event.etag, self.zone))
        return entry.entry

    async def _without_declined(self, occurrences: "list[InvitedEntry]") -> "list[InvitedEntry]":
        """Let events that the account's owner has declined keep nobody out; who that is, is asked when it matters."""
        if not any(it.declined and it.entry.is_busy for it in occurrences):
            return occurrences
        own = await self.own_addresses()
        return [replace(it, entry=replace(it.entry, is_busy=False)) if it.declined & own else it for it in occurrences]

    async def _one(self, id: str) -> StoredEvent | None:
        """Return an entry by the name that we gave it, or under whatever name a person's client has kept it since."""
        return await self._at(self._url_of(id)) or await self._of_uid(id)

    async def _at(self, url: str) -> StoredEvent | None:
        path = escape(url.split("://", 1)[-1].partition("/")[2])
        events = await self._kept(
            f"<C:calendar-multiget {_SPACES}>{_WANTED}<D:href>/{path}</D:href></C:calendar-multiget>"
        )
        return events[0] if events else None

    async def _of_uid(self, id: str) -> StoredEvent | None:
        events = await self._kept(
            f'<C:calendar-query {_SPACES}>{_WANTED}<C:filter><C:comp-filter name="VCALENDAR">'
            '<C:comp-filter name="VEVENT"><C:prop-filter name="UID">'
            f'<C:text-match collation="i;octet">{escape(id)}</C:text-match>'
            "</C:prop-filter></C:comp-filter></C:comp-filter></C:filter></C:calendar-query>"
        )
        for it in events:
            # A text matches also where it is only a part.
            if (await self._entry(it)).id == id:
                return it
        return None

    async def _kept(self, report: str) -> list[StoredEvent]:
        body = f'<?xml version="1.0" encoding="utf-8"?>{report}'
        rows = await self.dav.rows("REPORT", self.url, body, depth=1)
        return [self._kept_in(row) for row in rows if row.status not in _GONE]

    def _kept_in(self, row: DavResponse) -> StoredEvent:
        text = row.text(f"{CALDAV}calendar-data")
        if row.status // 100 != 2 or not text:
            # Part of the list, or of what it lists, was left out: taken for all, it would call the rest free.
            raise failure(ErrorType.TRANSIENT, f"an event without its content ({row.status})")
        return StoredEvent(self.dav.within(self.url, row.href), _etag(row.text(f"{DAV}getetag")), text)

    def _url_of(self, id: str) -> str:
        return f"{self.url}{quote(id, safe='')}.ics"


async def _understood(work: Callable[[], _T]) -> _T:
    """Return what reading events comes to, which takes milliseconds for each, beside what the loop has to do.

    Raises:
        ToolError: PERMANENT; one of them cannot be understood.
    """
    content = await asyncio.to_thread(load_content)
    try:
        return await asyncio.to_thread(work)
    except content.UnreadableEvent as error:
        raise failure(ErrorType.PERMANENT, f"an event that cannot be read: {error}") from None


def _etag(header: str) -> str:
    """Return a version as the server itself knows it, without its quotes."""
    tag = header.strip().removeprefix("W/").removeprefix('"').removesuffix('"')
    return next((tag.removesuffix(mark) for mark in _MARKS if tag.endswith(mark)), tag)


def _utc(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
