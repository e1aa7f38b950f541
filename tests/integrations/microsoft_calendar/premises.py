"""A salon whose calendar in Microsoft 365 is the local stand-in: everything between the port and the wire is real."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from stand_ins.microsoft_graph import CLIENT_ID, CLIENT_SECRET, MicrosoftGraphStandIn
from switchboard.contract.business.business import Business, read_business
from switchboard.integrations.microsoft_calendar.calendar import MicrosoftCalendar
from switchboard.integrations.microsoft_calendar.calendars import MicrosoftCalendars
from switchboard.integrations.microsoft_calendar.endpoints import TOOLKIT, MicrosoftEndpoints, toolkit
from switchboard.integrations.microsoft_calendar.oauth import MicrosoftOAuth
from switchboard.integrations.oauth.server import REFRESH_TOKEN, OAuthClient
from tests.integrations.calendar_premises import DAY as DAY
from tests.integrations.calendar_premises import NEW_YORK as NEW_YORK
from tests.integrations.calendar_premises import PATHS as PATHS
from tests.integrations.calendar_premises import SALON as SALON
from tests.integrations.calendar_premises import CalendarPremises
from tests.integrations.calendar_premises import MovingClock as MovingClock
from tests.integrations.calendar_premises import visit as visit

ASKED_SCOPES: list[str] = toolkit()["auth"]["scopes"]
CALLBACK = "http://127.0.0.1:8080/admin/integrations/microsoft/callback"


@dataclass
class Premises(CalendarPremises):
    """The salon, its secrets, and Microsoft next door."""

    @property
    def microsoft(self) -> MicrosoftGraphStandIn:
        """The vendor."""
        found: MicrosoftGraphStandIn = self.stand_in
        return found

    def __post_init__(self) -> None:
        super().__post_init__()
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
