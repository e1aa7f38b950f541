"""A salon whose Google calendar is the local stand-in: everything between the port and the wire is real."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from stand_ins.google_calendar import CLIENT_ID, CLIENT_SECRET, GoogleCalendarStandIn
from switchboard.contract.business.business import Business, read_business
from switchboard.integrations.google_calendar.calendar import GoogleCalendar
from switchboard.integrations.google_calendar.calendars import GoogleCalendars
from switchboard.integrations.google_calendar.endpoints import (
    TOOLKIT,
    GoogleEndpoints,
    toolkit,
)
from switchboard.integrations.google_calendar.oauth import GoogleOAuth
from switchboard.integrations.oauth.server import REFRESH_TOKEN, OAuthClient
from tests.integrations.calendar_premises import DAY as DAY
from tests.integrations.calendar_premises import NEW_YORK as NEW_YORK
from tests.integrations.calendar_premises import PATHS as PATHS
from tests.integrations.calendar_premises import SALON as SALON
from tests.integrations.calendar_premises import CalendarPremises
from tests.integrations.calendar_premises import MovingClock as MovingClock
from tests.integrations.calendar_premises import visit as visit
from tests.switch import Switch as Switch

ASKED_SCOPES: list[str] = toolkit()["auth"]["scopes"]
EVENTS_SCOPE = "https://www.googleapis.com/auth/calendar.events"
CALLBACK = "http://127.0.0.1:8080/admin/integrations/google/callback"


@dataclass
class Premises(CalendarPremises):
    """The salon, its secrets, and Google next door."""

    @property
    def google(self) -> GoogleCalendarStandIn:
        """The vendor."""
        found: GoogleCalendarStandIn = self.stand_in
        return found

    def __post_init__(self) -> None:
        super().__post_init__()
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

    def enter(self, **event: Any) -> dict[str, Any]:
        """Let a person enter an event at Google, on the day from 10 to 11 unless told otherwise."""
        times = {"start": at(10), "end": at(11)}
        return self.google.book("primary").insert({"summary": "a person's", **times, **event})


def at(hour: int, minute: int = 0, day: datetime = DAY) -> dict[str, str]:
    """Return a time of the day in Google's notation."""
    return {"dateTime": day.replace(hour=hour, minute=minute).isoformat(), "timeZone": NEW_YORK.key}
