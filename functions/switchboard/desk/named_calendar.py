"""A calendar whose failures say which integration they come from: a business and its people may have several."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from switchboard.contract.calendar import CalendarEntry
from switchboard.contract.error import ToolError
from switchboard.contract.ports import Calendar


@contextmanager
def raised_by(integration: str) -> Iterator[None]:
    """Let a failure of what is done here carry the name of the integration that was asked."""
    try:
        yield
    except ToolError as error:
        error.integration = integration
        raise


@dataclass(frozen=True, slots=True)
class NamedCalendar:
    """A calendar, as the port has it; `integration` is what its failures carry."""

    calendar: Calendar
    integration: str

    async def busy(self, start: datetime, end: datetime) -> Sequence[CalendarEntry]:
        """Return what the calendar returns."""
        with raised_by(self.integration):
            return await self.calendar.busy(start, end)

    async def busy_entries(self, start: datetime, end: datetime) -> Sequence[CalendarEntry]:
        """Return what the calendar returns."""
        with raised_by(self.integration):
            return await self.calendar.busy_entries(start, end)

    async def entries(self, start: datetime, end: datetime, limit: int = 250) -> Sequence[CalendarEntry]:
        """Return what the calendar returns."""
        with raised_by(self.integration):
            return await self.calendar.entries(start, end, limit)

    async def find(self, id: str) -> CalendarEntry | None:
        """Return what the calendar returns."""
        with raised_by(self.integration):
            return await self.calendar.find(id)

    async def insert(self, entry: CalendarEntry) -> CalendarEntry:
        """Return what the calendar returns."""
        with raised_by(self.integration):
            return await self.calendar.insert(entry)

    async def move(self, id: str, start: datetime, end: datetime, version: str) -> CalendarEntry:
        """Return what the calendar returns."""
        with raised_by(self.integration):
            return await self.calendar.move(id, start, end, version)

    async def reword(self, id: str, title: str, description: str, version: str) -> CalendarEntry:
        """Return what the calendar returns."""
        with raised_by(self.integration):
            return await self.calendar.reword(id, title, description, version)

    async def delete(self, id: str) -> None:
        """Do what the calendar does."""
        with raised_by(self.integration):
            await self.calendar.delete(id)
