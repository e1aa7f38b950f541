"""An outside calendar in memory, as the port describes it, and the ways in which one can misbehave."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count

from switchboard.contract.business.business import Business
from switchboard.contract.business.calendar import CalendarEntry, EntryChanged, IdTaken, NoSuchEntry
from switchboard.contract.error import ErrorType, ToolError

AUTH = ToolError(ErrorType.AUTH, "The calendar must be connected again.")
BUSY = ToolError(ErrorType.RATE_LIMIT, "The calendar is asked too often.")
REFUSES = ToolError(ErrorType.PERMANENT, "The calendar never allows this.")
SILENT = ToolError(ErrorType.TRANSIENT, "The calendar did not answer.", partial_side_effects=True)
READ_FAILS = ToolError(ErrorType.TRANSIENT, "The calendar did not answer.")


class MemoryCalendar:
    """A calendar that keeps its entries, deleted ones too.

    Attributes:
        kept: Every entry there ever was, by id.
        asked: How often each method was called.
        fail_before: Errors of methods that then do nothing.
        fail_after: Errors of methods that do it first: accepted, and then the line drops.
        most: How many entries it lists; of more than that it never lists all.
        meanwhile: What happens just before a method does its work, as another process or a person would do it.
    """

    def __init__(self, *entries: CalendarEntry) -> None:
        self.kept = {entry.id: entry for entry in entries}
        self.asked: Counter[str] = Counter()
        self.fail_before: dict[str, ToolError] = {}
        self.fail_after: dict[str, ToolError] = {}
        self.meanwhile: dict[str, Callable[[], Awaitable[None]]] = {}
        self.most = 10_000
        self._versions = count(1)

    @property
    def shown(self) -> list[CalendarEntry]:
        """What people see in it, in order of time."""
        return sorted((e for e in self.kept.values() if not e.is_cancelled), key=lambda e: e.start)

    def recover(self) -> None:
        """Work again."""
        self.fail_before.clear()
        self.fail_after.clear()
        self.meanwhile.clear()

    def put(self, entry: CalendarEntry) -> CalendarEntry:
        """Enter or change something by hand, as people do."""
        self.kept[entry.id] = replace(entry, version=str(next(self._versions)))
        return self.kept[entry.id]

    async def busy(self, start: datetime, end: datetime) -> list[CalendarEntry]:
        await self._begin("busy")
        # Free/busy tells times and nothing else.
        return [CalendarEntry(id="", start=e.start, end=e.end) for e in self._overlapping(start, end) if e.is_busy]

    async def busy_entries(self, start: datetime, end: datetime) -> list[CalendarEntry]:
        await self._begin("entries")
        whole = self._overlapping(start, end)
        if len(whole) > self.most:
            raise ToolError(ErrorType.TRANSIENT, "The calendar cannot be read whole.")
        return [e for e in whole if e.is_busy]

    async def entries(self, start: datetime, end: datetime, limit: int = 250) -> list[CalendarEntry]:
        await self._begin("entries")
        return self._overlapping(start, end)[:limit]

    async def find(self, id: str) -> CalendarEntry | None:
        await self._begin("find")
        return self.kept.get(id)

    async def insert(self, entry: CalendarEntry) -> CalendarEntry:
        await self._begin("insert")
        if entry.id in self.kept:
            raise IdTaken(entry.id)
        return self._done("insert", self.put(entry))

    async def move(self, id: str, start: datetime, end: datetime, version: str) -> CalendarEntry:
        await self._begin("move")
        found = self.kept.get(id)
        if found is None or found.is_cancelled:
            raise NoSuchEntry(id)
        if found.version != version:
            raise EntryChanged(id)
        return self._done("move", self.put(replace(found, start=start, end=end)))

    async def reword(self, id: str, title: str, description: str, version: str) -> CalendarEntry:
        await self._begin("reword")
        found = self.kept.get(id)
        if found is None or found.is_cancelled:
            raise NoSuchEntry(id)
        if found.version != version:
            raise EntryChanged(id)
        return self._done("reword", self.put(replace(found, title=title, description=description)))

    async def delete(self, id: str) -> None:
        await self._begin("delete")
        found = self.kept.get(id)
        if found is not None:
            self._done("delete", self.put(replace(found, is_cancelled=True)))

    async def _begin(self, method: str) -> None:
        self.asked[method] += 1
        # Others get their turn meanwhile, as over a network.
        await asyncio.sleep(0)
        if method in self.fail_before:
            raise self.fail_before[method]
        if method in self.meanwhile:
            await self.meanwhile.pop(method)()

    def _done(self, method: str, entry: CalendarEntry) -> CalendarEntry:
        if method in self.fail_after:
            raise self.fail_after[method]
        return entry

    def _overlapping(self, start: datetime, end: datetime) -> list[CalendarEntry]:
        assert start.tzinfo is not None
        assert end.tzinfo is not None
        return [e for e in self.shown if e.start.astimezone(UTC) < end and start < e.end.astimezone(UTC)]


class MemoryCalendars:
    """One outside calendar for every business, or for each calendar id of its settings another one."""

    def __init__(self, calendar: MemoryCalendar, **by_calendar_id: MemoryCalendar) -> None:
        self.calendar, self.by_calendar_id = calendar, by_calendar_id
        self.error: ToolError | None = None

    async def of(self, business: Business) -> MemoryCalendar:
        if self.error is not None:
            raise self.error
        calendar_id = business.integrations["googleCalendar"].settings.get("calendarId", "")
        return self.by_calendar_id.get(calendar_id, self.calendar)


def event(business: Business, day: str, begins: str, ends: str, **fields: object) -> CalendarEntry:
    """Return an entry that a person made, from local times of one day."""
    start, end = (
        datetime.fromisoformat(f"{day}T{clock}").replace(tzinfo=business.timezone) for clock in (begins, ends)
    )
    fields = {"id": f"person{day}{begins}", "title": "Dentist, private", **fields}
    return CalendarEntry(start=start, end=end, **fields)  # type: ignore[arg-type]
