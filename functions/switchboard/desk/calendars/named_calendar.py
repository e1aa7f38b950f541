"""A calendar whose failures say which integration they come from: a business and its people may have several."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from switchboard.contract.business.calendar import NOT_THIS_ONE, CalendarEntry
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.ports import Calendar

_CLOSED = "This calendar is closed to the account that the business has connected, and trying again will not help."


@contextmanager
def raised_by(integration: str, *, is_own: bool = False) -> Iterator[None]:
    """Let a failure of what is done here carry the name of the integration that was asked.

    Where somebody's own calendar (`is_own`) is closed to an account that others may be open to, that is PERMANENT: the
    connection need not be made again, and what else it is good for goes on.
    """
    try:
        yield
    except ToolError as error:
        error.integration = integration
        if not is_own or error.type is not ErrorType.AUTH or error.meta.get("reason") != NOT_THIS_ONE:
            raise
        closed = ToolError(ErrorType.PERMANENT, _CLOSED, detail=error.detail, say=error.say)
        closed.integration = integration
        raise closed from error


@dataclass(frozen=True, slots=True)
class NamedCalendar:
    """A calendar, as the port has it; see `raised_by`."""

    calendar: Calendar
    integration: str
    is_own: bool = False

    async def busy(self, start: datetime, end: datetime) -> Sequence[CalendarEntry]:
        """Return what the calendar returns."""
        with raised_by(self.integration, is_own=self.is_own):
            return await self.calendar.busy(start, end)

    async def busy_entries(self, start: datetime, end: datetime) -> Sequence[CalendarEntry]:
        """Return what the calendar returns."""
        with raised_by(self.integration, is_own=self.is_own):
            return await self.calendar.busy_entries(start, end)

    async def entries(self, start: datetime, end: datetime, limit: int = 250) -> Sequence[CalendarEntry]:
        """Return what the calendar returns."""
        with raised_by(self.integration, is_own=self.is_own):
            return await self.calendar.entries(start, end, limit)

    async def find(self, id: str) -> CalendarEntry | None:
        """Return what the calendar returns."""
        with raised_by(self.integration, is_own=self.is_own):
            return await self.calendar.find(id)

    async def insert(self, entry: CalendarEntry) -> CalendarEntry:
        """Return what the calendar returns."""
        with raised_by(self.integration, is_own=self.is_own):
            return await self.calendar.insert(entry)

    async def move(self, id: str, start: datetime, end: datetime, version: str) -> CalendarEntry:
        """Return what the calendar returns."""
        with raised_by(self.integration, is_own=self.is_own):
            return await self.calendar.move(id, start, end, version)

    async def reword(self, id: str, title: str, description: str, version: str) -> CalendarEntry:
        """Return what the calendar returns."""
        with raised_by(self.integration, is_own=self.is_own):
            return await self.calendar.reword(id, title, description, version)

    async def delete(self, id: str) -> None:
        """Do what the calendar does."""
        with raised_by(self.integration, is_own=self.is_own):
            await self.calendar.delete(id)
