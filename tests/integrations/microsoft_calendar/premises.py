"""A salon whose calendar in Microsoft 365 is the local stand-in: everything between the port and the wire is real."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from stand_ins.microsoft_graph import CLIENT_ID, CLIENT_SECRET, MicrosoftGraphStandIn
from switchboard.contract.business.business import Business, read_business
from switchboard.contract.business.calendar import CalendarEntry
from switchboard.integrations.http_session import HttpSession
from switchboard.integrations.microsoft_calendar.calendar import MicrosoftCalendar
from switchboard.integrations.microsoft_calendar.calendars import MicrosoftCalendars
from switchboard.integrations.microsoft_calendar.endpoints import TOOLKIT, MicrosoftEndpoints, toolkit
from switchboard.integrations.microsoft_calendar.oauth import MicrosoftOAuth
from switchboard.integrations.oauth.server import REFRESH_TOKEN, OAuthClient
from switchboard.integrations.secrets.kms import LocalKeyKeeper
from switchboard.integrations.secrets.sealed_secrets import SealedSecrets
from switchboard.state.memory.store import MemoryStore
from switchboard.state.paths import FirestorePaths

SALON = "demo-salon"
PATHS = FirestorePaths()
NEW_YORK = ZoneInfo("America/New_York")
ASKED_SCOPES: list[str] = toolkit()["auth"]["scopes"]
CALLBACK = "http://127.0.0.1:8080/admin/integrations/microsoft/callback"
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
    """The salon, its secrets, and Microsoft next door."""

    url: str
    microsoft: MicrosoftGraphStandIn
    store: MemoryStore = field(default_factory=MemoryStore)
    http: HttpSession = field(default_factory=HttpSession)
    clock: MovingClock = field(default_factory=MovingClock)
    keeper: LocalKeyKeeper = field(default_factory=lambda: LocalKeyKeeper(b"k" * 32))

    def __post_init__(self) -> None:
        self.secrets = SealedSecrets(self.store, PATHS, self.keeper)
        endpoints = MicrosoftEndpoints.at(self.url)
        self.oauth = MicrosoftOAuth(self.http, endpoints, OAuthClient(CLIENT_ID, CLIENT_SECRET, CALLBACK))
        self.calendars = self.instance()

    def instance(self) -> MicrosoftCalendars:
        """Return what another instance of the house asks with, which has no token yet."""
        endpoints = MicrosoftEndpoints.at(self.url)
        return MicrosoftCalendars(self.http, endpoints, self.oauth, self.secrets, self.clock)

    def business(self, id: str = SALON, **settings: Any) -> Business:
        microsoft = {"isConnected": True, "connectedAt": "then", **settings}
        return read_business(id, {"timezone": NEW_YORK.key, "integrations": {"microsoftCalendar": microsoft}})

    async def calendar(self, **settings: Any) -> MicrosoftCalendar:
        """Return the calendar of a salon whose owner has consented."""
        await self.secrets.keep(SALON, TOOLKIT, REFRESH_TOKEN, self.consent())
        found = await self.calendars.of(self.business(**settings))
        assert found is not None
        return found

    def consent(self, scopes: list[str] = ASKED_SCOPES) -> str:
        """Return a refresh token that the account's owner gave."""
        return self.microsoft.accounts.grant(frozenset(scopes), CLIENT_ID)

    def fail(self, method: str, mode: str, times: int | None = 1, **more: Any) -> None:
        self.microsoft.faults.set({"method": method, "mode": mode, "times": times, **more})

    def asked(self, *methods: str) -> list[dict[str, Any]]:
        """Return what Microsoft was asked, of these methods or of all."""
        return [line for line in self.microsoft.faults.journal if not methods or line["method"] in methods]

    def enter(self, **event: Any) -> dict[str, Any]:
        """Let a person enter an event in Outlook, on the day from 10 to 11 unless told otherwise."""
        told = {"subject": "a person's", "start": at(10), "end": at(11), **event}
        return self.microsoft.folder().create(told, by_person=True)

    def kept(self) -> list[dict[str, Any]]:
        """Return the events of the account's own calendar."""
        return list(self.microsoft.folder().events.values())


def at(hour: int, minute: int = 0, day: datetime = DAY, zone: str = "Eastern Standard Time") -> dict[str, str]:
    """Return a time of the day in Microsoft's notation."""
    return {"dateTime": f"{day:%Y-%m-%d}T{hour:02}:{minute:02}:00", "timeZone": zone}


def visit(id: str = "bk00001", hour: int = 10, **more: Any) -> CalendarEntry:
    """Return an hour's visit on the day."""
    start = DAY.replace(hour=hour)
    known: dict[str, Any] = {"title": "Haircut: Ana Lopez", "booking_id": "bk_1"}
    return CalendarEntry(id=id, start=start, end=start + timedelta(hours=1), **{**known, **more})
