"""The CalDAV client, on a real server, against what every calendar does."""

from datetime import UTC, datetime, timedelta

import pytest
from starlette.responses import Response

from switchboard.contract.ports import Calendar
from tests.integrations.caldav.front import METHODS, Wrong
from tests.integrations.caldav.premises import Premises, line, times
from tests.integrations.caldav.radicale_server import USER
from tests.integrations.calendar_contract import (
    CalendarContract,
    FloatingTimes,
    House,
    PeoplesEvents,
    PersonsEvent,
    Trouble,
)

HOUR = timedelta(hours=1)


class CaldavHouse(House):
    """A salon whose calendar is on Radicale."""

    def __init__(self, premises: Premises) -> None:
        self.premises = premises

    async def calendar(self) -> Calendar:
        return await self.premises.calendar()

    async def enter(self, event: PersonsEvent) -> None:
        lines = [times(event.start, event.end) if event.end else line("DTSTART", event.start)]
        lines += ["TRANSP:TRANSPARENT"] if event.is_free else []
        lines += ["STATUS:CANCELLED"] if event.is_cancelled else []
        if event.is_declined:
            lines += ["ORGANIZER:mailto:guest@example.com", f"ATTENDEE;PARTSTAT=DECLINED:mailto:{USER}"]
        lines += [f"RRULE:FREQ=WEEKLY;COUNT={event.weeks}"] if event.weeks > 1 else []
        lines += [line("EXDATE", start) for start in event.removed]
        moved = [f"{line('RECURRENCE-ID', start)}\n{times(to, to + HOUR)}" for start, to in event.moved.items()]
        self.premises.put("\n".join(lines), *moved)

    async def put_elsewhere(self, id: str, start: datetime) -> None:
        text = self.premises.text_of(id).splitlines()
        kept = [row for row in text if not row.startswith(("DTSTART", "DTEND"))]
        at = kept.index("BEGIN:VEVENT") + 1
        kept[at:at] = times(start.astimezone(UTC), start.astimezone(UTC) + HOUR).splitlines()
        path = f"{self.premises.path}{id}.ics"
        answer = self.premises.person.put(path, content="\r\n".join([*kept, ""]).encode())
        assert answer.status_code in (201, 204)

    async def remove(self, id: str) -> None:
        assert self.premises.person.delete(f"{self.premises.path}{id}.ics").is_success

    async def fail(self, trouble: Trouble) -> None:
        front = self.premises.front
        if trouble == "silent":
            front.wrong.append(Wrong(("PUT", "DELETE"), None, 1))
        elif trouble == "withdrawn":
            await self.premises.keep_password("another")
            # What is at hand holds the password that was good.
            front.wrong.append(Wrong(tuple(METHODS), Response(status_code=401)))
        elif trouble == "limit":
            front.wrong.append(Wrong(tuple(METHODS), Response(status_code=429, headers={"Retry-After": "60"})))
        else:
            methods = ("PUT", "DELETE") if trouble == "breaking" else tuple(METHODS)
            front.wrong.append(Wrong(methods, Response("broken", 500)))


@pytest.fixture
def house(premises: Premises) -> CaldavHouse:
    """A salon with an empty calendar on Radicale."""
    return CaldavHouse(premises)


@pytest.mark.requirement("001-91")
class TestCaldav(CalendarContract, PeoplesEvents, FloatingTimes):
    """All of it."""
