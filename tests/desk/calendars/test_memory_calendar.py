"""Whether the calendar in memory, which many tests stand on, does what every outside calendar does."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from switchboard.contract.ports import Calendar
from tests.desk.memory_calendar import AUTH, BUSY, READ_FAILS, SILENT, MemoryCalendar
from tests.integrations.calendar_contract import CalendarContract, House, PersonsEvent, Trouble

READS, WRITES = ("busy", "entries", "find"), ("insert", "move", "reword", "delete")


class MemoryHouse(House):
    """A business whose calendar is in memory."""

    def __init__(self) -> None:
        self.kept = MemoryCalendar()

    async def calendar(self) -> Calendar:
        return self.kept

    async def enter(self, event: PersonsEvent) -> None:
        raise NotImplementedError("what people enter is no more than entries here")

    async def put_elsewhere(self, id: str, start: datetime) -> None:
        self.kept.put(replace(self.kept.kept[id], start=start, end=start + timedelta(hours=1)))

    async def remove(self, id: str) -> None:
        self.kept.put(replace(self.kept.kept[id], is_cancelled=True, is_busy=False))

    async def fail(self, trouble: Trouble) -> None:
        if trouble == "silent":
            self.kept.fail_after = dict.fromkeys(WRITES, SILENT)
        elif trouble == "breaking":
            self.kept.fail_before = dict.fromkeys(WRITES, SILENT)
        elif trouble == "failing":
            self.kept.fail_before = dict.fromkeys((*READS, *WRITES), READ_FAILS)
        else:
            self.kept.fail_before = dict.fromkeys((*READS, *WRITES), BUSY if trouble == "limit" else AUTH)


@pytest.fixture
def house() -> MemoryHouse:
    """A business with an empty calendar."""
    return MemoryHouse()


class TestMemory(CalendarContract):
    """What is asked of every calendar."""
