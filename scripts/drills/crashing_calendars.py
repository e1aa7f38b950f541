"""Outside calendars that kill their process at one step of a booking: just before they are asked, or just after."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from switchboard.contract.business.business import Business
from switchboard.contract.business.calendar import CalendarEntry
from switchboard.contract.ports import Calendar, Calendars

ENTRY, OTHERS = "entry", "others' entries"


class CrashingCalendars:
    """Passes everything on; calls `die` at the given step, `before` it or after."""

    def __init__(self, inner: Calendars, step: str, before: bool, die: Callable[[], None]) -> None:
        self._inner, self._step, self._before, self._die = inner, step, before, die
        self._has_entered = False

    async def of(self, business: Business) -> Calendar | None:
        calendar = await self._inner.of(business)
        return None if calendar is None else _CrashingCalendar(calendar, self._reached)

    def _reached(self, step: str, before: bool) -> None:
        # Until something was entered, others' entries are looked at for what is free.
        if step == OTHERS and not self._has_entered:
            return
        self._has_entered |= step == ENTRY
        if (step, before) == (self._step, self._before):
            self._die()


class _CrashingCalendar:
    def __init__(self, inner: Calendar, reached: Callable[[str, bool], None]) -> None:
        self._inner, self._reached = inner, reached

    async def busy(self, start: datetime, end: datetime) -> Sequence[CalendarEntry]:
        return await self._inner.busy(start, end)

    async def busy_entries(self, start: datetime, end: datetime) -> Sequence[CalendarEntry]:
        return await self._at(OTHERS, self._inner.busy_entries(start, end))

    async def entries(self, start: datetime, end: datetime, limit: int = 250) -> Sequence[CalendarEntry]:
        return await self._at(OTHERS, self._inner.entries(start, end, limit))

    async def find(self, id: str) -> CalendarEntry | None:
        return await self._inner.find(id)

    async def insert(self, entry: CalendarEntry) -> CalendarEntry:
        return await self._at(ENTRY, self._inner.insert(entry))

    async def move(self, id: str, start: datetime, end: datetime, version: str) -> CalendarEntry:
        return await self._inner.move(id, start, end, version)

    async def reword(self, id: str, title: str, description: str, version: str) -> CalendarEntry:
        return await self._inner.reword(id, title, description, version)

    async def delete(self, id: str) -> None:
        await self._inner.delete(id)

    async def _at(self, step: str, work: Any) -> Any:
        self._reached(step, True)
        try:
            return await work
        finally:
            self._reached(step, False)
