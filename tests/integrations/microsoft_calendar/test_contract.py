"""The client of Microsoft 365 against what every calendar does."""

from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from switchboard.contract.ports import Calendar
from switchboard.integrations.oauth import requests
from tests.integrations.calendar_contract import ZONE, CalendarContract, House, PeoplesEvents, PersonsEvent, Trouble
from tests.integrations.microsoft_calendar.premises import Premises

MODES = {"limit": "429", "failing": "500", "breaking": "500", "silent": "accept-then-drop"}
WRITES = ("events.create", "events.update", "events.delete")
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


class MicrosoftHouse(House):
    """A salon whose calendar is the stand-in."""

    def __init__(self, premises: Premises) -> None:
        self.premises, self.folder = premises, premises.microsoft.folder()

    async def calendar(self) -> Calendar:
        return await self.premises.calendar()

    async def enter(self, event: PersonsEvent) -> None:
        body: dict[str, Any] = {
            "subject": event.title,
            "start": written(event.start),
            "end": written(event.end),
            "isAllDay": not isinstance(event.start, datetime),
            "showAs": "free" if event.is_free else "busy",
            "isCancelled": event.is_cancelled,
        }
        if event.is_declined:
            body["responseStatus"] = {"response": "declined"}
        if event.weeks > 1:
            day = DAYS[event.start.weekday()]
            span = {"type": "numbered", "startDate": f"{event.start:%Y-%m-%d}", "numberOfOccurrences": event.weeks}
            body["recurrence"] = {"pattern": {"type": "weekly", "interval": 1, "daysOfWeek": [day]}, "range": span}
        made = self.folder.create(body, by_person=True)
        for start in event.removed:
            self.folder.delete(f"{made['id']}.{start:%Y%m%d}")
        for start, to in event.moved.items():
            times = {"start": written(to), "end": written(to + timedelta(hours=1))}
            self.folder.change(f"{made['id']}.{start:%Y%m%d}", times, None)

    async def put_elsewhere(self, id: str, start: datetime) -> None:
        event = self.ours(id)
        lasts = event["end"] - event["start"]
        self.folder.change(event["id"], {"start": written(start), "end": written(start + lasts)}, None)

    async def remove(self, id: str) -> None:
        self.folder.delete(self.ours(id)["id"])

    async def fail(self, trouble: Trouble) -> None:
        if trouble == "withdrawn":
            self.premises.microsoft.accounts.revoke_all()
            return
        for method in WRITES if trouble in ("breaking", "silent") else ("*",):
            self.premises.fail(method, MODES[trouble], 1 if trouble == "silent" else None, seconds=30)

    def ours(self, id: str) -> dict[str, Any]:
        """Return the event that stands for an entry of ours."""
        rows = self.folder.events.values()
        return next(e for e in rows if any(p["value"] == id for p in e.get("singleValueExtendedProperties", ())))


def written(moment: datetime | date | None) -> dict[str, str]:
    """Return a time in Microsoft's notation."""
    if not isinstance(moment, datetime):
        assert moment is not None
        moment = datetime.combine(moment, time.min, ZONE)
    local = moment if isinstance(moment.tzinfo, ZoneInfo) else moment.astimezone(ZONE)
    return {"dateTime": local.replace(tzinfo=None).isoformat(), "timeZone": str(local.tzinfo)}


@pytest.fixture
def house(premises: Premises, monkeypatch: pytest.MonkeyPatch) -> MicrosoftHouse:
    """A salon with an empty calendar; what is asked again is asked at once."""
    monkeypatch.setattr(requests, "PAUSE_S", (0.0, 0.0))
    return MicrosoftHouse(premises)


class TestMicrosoft(CalendarContract, PeoplesEvents):
    """All of it; Graph knows no floating times, and no event without an end."""
