"""Google's client against what every calendar does."""

from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from switchboard.contract.ports import Calendar
from switchboard.integrations.oauth import requests
from tests.integrations.calendar_contract import ZONE, CalendarContract, House, PeoplesEvents, PersonsEvent, Trouble
from tests.integrations.google_calendar.premises import Premises

OWNER = "owner@example.com"
MODES = {"limit": "429", "failing": "500", "breaking": "500", "silent": "accept-then-drop"}
WRITES = ("events.insert", "events.patch", "events.delete")


class GoogleHouse(House):
    """A salon whose calendar is the stand-in."""

    def __init__(self, premises: Premises) -> None:
        self.premises = premises
        self.book = premises.google.book("primary")

    async def calendar(self) -> Calendar:
        return await self.premises.calendar()

    async def enter(self, event: PersonsEvent) -> None:
        body: dict[str, Any] = {"summary": event.title, "start": written(event.start), "end": written(event.end)}
        if event.is_free:
            body["transparency"] = "transparent"
        if event.is_declined:
            body["attendees"] = [{"email": OWNER, "responseStatus": "declined"}]
        if event.weeks > 1:
            body["recurrence"] = [f"RRULE:FREQ=WEEKLY;COUNT={event.weeks}"]
        made = self.book.insert(body)
        if event.is_cancelled:
            self.book.delete(made["id"], None)
        for start in event.removed:
            self.book.delete(occurrence(made["id"], start), None)
        for start, to in event.moved.items():
            times = {"start": written(to), "end": written(to + timedelta(hours=1))}
            self.book.change(occurrence(made["id"], start), times, None, whole=False)

    async def put_elsewhere(self, id: str, start: datetime) -> None:
        body = {"start": written(start), "end": written(start + timedelta(hours=1))}
        self.book.change(id, body, None, whole=False)

    async def remove(self, id: str) -> None:
        self.book.delete(id, None)

    async def fail(self, trouble: Trouble) -> None:
        if trouble == "withdrawn":
            self.premises.google.consents.revoke_all()
            return
        for method in WRITES if trouble in ("breaking", "silent") else ("*",):
            self.premises.fail(method, MODES[trouble], 1 if trouble == "silent" else None)


def written(moment: datetime | date | None) -> dict[str, str]:
    """Return a time in Google's notation."""
    if isinstance(moment, datetime):
        local = moment if isinstance(moment.tzinfo, ZoneInfo) else moment.astimezone(ZONE)
        return {"dateTime": local.isoformat(), "timeZone": str(local.tzinfo)}
    return {"date": str(moment)}


def occurrence(id: str, start: datetime) -> str:
    """Return the id of one occurrence of a repeating event."""
    return f"{id}_{start.astimezone(UTC):%Y%m%dT%H%M%SZ}"


@pytest.fixture
def house(premises: Premises, monkeypatch: pytest.MonkeyPatch) -> GoogleHouse:
    """A salon with an empty Google calendar; what is asked again is asked at once."""
    monkeypatch.setattr(requests, "PAUSE_S", (0.0, 0.0))
    return GoogleHouse(premises)


@pytest.mark.requirement("001-91")
class TestGoogle(CalendarContract, PeoplesEvents):
    """All of it; Google knows no floating times, and no event without an end."""
