"""A salon whose Google calendar is the local stand-in: everything between the port and the wire is real."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from stand_ins.google_calendar import CLIENT_ID, CLIENT_SECRET, GoogleCalendarStandIn
from switchboard.contract.business.business import Business, read_business
from switchboard.contract.business.calendar import CalendarEntry
from switchboard.integrations.google_calendar.calendar import GoogleCalendar
from switchboard.integrations.google_calendar.calendars import GoogleCalendars
from switchboard.integrations.google_calendar.endpoints import (
    TOOLKIT,
    GoogleEndpoints,
    toolkit,
)
from switchboard.integrations.google_calendar.oauth import GoogleOAuth
from switchboard.integrations.http_session import HttpSession
from switchboard.integrations.oauth.server import REFRESH_TOKEN, OAuthClient
from switchboard.integrations.secrets.kms import LocalKeyKeeper
from switchboard.integrations.secrets.sealed_secrets import SealedSecrets
from switchboard.state.memory.store import MemoryStore
from switchboard.state.paths import FirestorePaths
from tests.switch import Switch as Switch

SALON = "demo-salon"
PATHS = FirestorePaths()
NEW_YORK = ZoneInfo("America/New_York")
ASKED_SCOPES: list[str] = toolkit()["auth"]["scopes"]
EVENTS_SCOPE = "https://www.googleapis.com/auth/calendar.events"
CALLBACK = "http://127.0.0.1:8080/admin/integrations/google/callback"
DAY = datetime(2027, 3, 10, tzinfo=NEW_YORK)


class MovingClock:
    """The time, which only moves when told to."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def wait(self, seconds: float) -> None:
        self.seconds += seconds

    def now(self) -> datetime:
        return datetime(2027, 3, 1, tzinfo=UTC) + timedelta(seconds=self.seconds)

    def monotonic(self) -> float:
        return 1_000.0 + self.seconds


@dataclass
class Premises:
    """The salon, its secrets, and Google next door."""

    url: str
    google: GoogleCalendarStandIn
    store: MemoryStore = field(default_factory=MemoryStore)
    http: HttpSession = field(default_factory=HttpSession)
    clock: MovingClock = field(default_factory=MovingClock)
    keeper: LocalKeyKeeper = field(default_factory=lambda: LocalKeyKeeper(b"k" * 32))

    def __post_init__(self) -> None:
        self.secrets = SealedSecrets(self.store, PATHS, self.keeper)
        endpoints = GoogleEndpoints.at(self.url)
        self.oauth = GoogleOAuth(self.http, endpoints, OAuthClient(CLIENT_ID, CLIENT_SECRET, CALLBACK))
        self.calendars = GoogleCalendars(self.http, endpoints, self.oauth, self.secrets, self.clock)

    def business(self, id: str = SALON, **settings: Any) -> Business:
        google = {"isConnected": True, "scopes": ASKED_SCOPES, "connectedAt": "then", **settings}
        return read_business(id, {"timezone": NEW_YORK.key, "integrations": {"googleCalendar": google}})

    async def calendar(self, *, scopes: list[str] = ASKED_SCOPES, **settings: Any) -> GoogleCalendar:
        """Return the calendar of a salon whose owner has consented to `scopes`."""
        await self.secrets.keep(SALON, TOOLKIT, REFRESH_TOKEN, self.consent(scopes))
        found = await self.calendars.of(self.business(scopes=scopes, **settings))
        assert found is not None
        return found

    def consent(self, scopes: list[str] = ASKED_SCOPES) -> str:
        """Return a refresh token that the account's owner gave."""
        return self.google.consents.grant(frozenset(scopes), CLIENT_ID)

    def fail(self, method: str, mode: str, times: int | None = 1, **more: Any) -> None:
        self.google.faults.set({"method": method, "mode": mode, "times": times, **more})

    def asked(self, *methods: str) -> list[dict[str, Any]]:
        """Return what Google was asked, of these methods or of all."""
        return [line for line in self.google.faults.journal if not methods or line["method"] in methods]

    def enter(self, **event: Any) -> dict[str, Any]:
        """Let a person enter an event at Google, on the day from 10 to 11 unless told otherwise."""
        times = {"start": at(10), "end": at(11)}
        return self.google.book("primary").insert({"summary": "a person's", **times, **event})


def at(hour: int, minute: int = 0, day: datetime = DAY) -> dict[str, str]:
    """Return a time of the day in Google's notation."""
    return {"dateTime": day.replace(hour=hour, minute=minute).isoformat(), "timeZone": NEW_YORK.key}


def visit(id: str = "bk00001", hour: int = 10, **more: Any) -> CalendarEntry:
    """Return an hour's visit on the day."""
    start = DAY.replace(hour=hour)
    known: dict[str, Any] = {"title": "Haircut: Ana Lopez", "booking_id": "bk_1"}
    return CalendarEntry(id=id, start=start, end=start + timedelta(hours=1), **{**known, **more})
