"""The Google account that emulate keeps for the drills, and Switchboard's own side of the wire to it."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import aiohttp

from command_line import Problem
from drills import premises
from stand_ins.google_calendar import CLIENT_ID, CLIENT_SECRET
from switchboard.app.clients import SystemClock
from switchboard.contract.business.business import read_business
from switchboard.integrations.google_calendar.calendar import GoogleCalendar
from switchboard.integrations.google_calendar.calendars import GoogleCalendars
from switchboard.integrations.google_calendar.endpoints import (
    INTEGRATION,
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

OWNER, CALLBACK = "owner@example.com", "https://drilled.example/google/callback"
CALENDAR = "/calendar/v3/calendars/primary/events"
INSERTING, LISTING, FREE_BUSY = f"POST {CALENDAR}", f"GET {CALENDAR}", "POST /calendar/v3/freeBusy"
THERE = {"/token": "/oauth2/token", "/revoke": "/oauth2/revoke"}
"""What emulate calls otherwise than the paths at which our stand-in answers."""
SCOPES: list[str] = toolkit()["auth"]["scopes"]
EVENTS_ALONE = ["https://www.googleapis.com/auth/calendar.events"]


def seed() -> dict[str, Any]:
    """Return what emulate is to hold: one owner with a calendar, and our OAuth client."""
    client = {"client_id": CLIENT_ID, "client_secret": CLIENT_SECRET, "name": "Drilled", "redirect_uris": [CALLBACK]}
    calendar = {"id": "primary", "user_email": OWNER, "summary": OWNER, "primary": True}
    return {
        "users": [{"email": OWNER, "name": "Owner"}],
        "oauth_clients": [client],
        "calendars": [calendar | {"time_zone": premises.ZONE.key}],
    }


class GoogleSide:
    """What Switchboard asks Google with, between the port and the wire; `people` is a session for everybody else."""

    def __init__(self, url: str, people: aiohttp.ClientSession) -> None:
        self.url, self._people = url, people
        self._http = HttpSession()
        self._secrets = SealedSecrets(MemoryStore(), premises.PATHS, LocalKeyKeeper.from_text(premises.SECRETS_KEY))
        endpoints, client = GoogleEndpoints.at(url), OAuthClient(CLIENT_ID, CLIENT_SECRET, CALLBACK)
        self.oauth = GoogleOAuth(self._http, endpoints, client)
        self._calendars = GoogleCalendars(self._http, endpoints, self.oauth, self._secrets, SystemClock())

    async def close(self) -> None:
        """Let go of the connections."""
        await self._http.close()

    async def consent(self, state: str) -> str:
        """Do what an owner does on Google's pages, and return the code that the browser brings back."""
        address = self.oauth.consent_url(state)
        async with self._people.get(address) as page:
            if OWNER not in await page.text():
                raise Problem(f"emulate's consent page does not offer its account: {page.status}")
        form = dict(parse_qsl(urlsplit(address).query)) | {"email": OWNER}
        callback = f"{self.url}/o/oauth2/v2/auth/callback"
        async with self._people.post(callback, data=form, allow_redirects=False) as answer:
            back = dict(parse_qsl(urlsplit(answer.headers.get("Location", "")).query))
        if back.get("state") != state or "code" not in back:
            raise Problem(f"emulate's consent ends with {answer.status} and {sorted(back)}")
        return back["code"]

    async def permission(self, state: str) -> str:
        """Return a refresh token that the owner consented to."""
        grant = await self.oauth.exchange(await self.consent(state), state)
        if not grant.refresh_token:
            raise Problem("emulate gives no refresh token")
        return grant.refresh_token

    async def calendar(self, token: str, scopes: list[str] = SCOPES, calendar_id: str = "primary") -> GoogleCalendar:
        """Return the calendar as a business sees it that was permitted `scopes`."""
        await self._secrets.keep(premises.BUSINESS, TOOLKIT, REFRESH_TOKEN, token)
        google = {"isConnected": True, "scopes": scopes, "connectedAt": "then", "calendarId": calendar_id}
        document = {"timezone": premises.ZONE.key, "integrations": {INTEGRATION: google}}
        calendar = await self._calendars.of(read_business(premises.BUSINESS, document))
        assert calendar is not None
        return calendar

    async def enter(self, title: str, start: datetime, end: datetime) -> str:
        """Have a person enter an event, and return its id."""
        times = {"start": {"dateTime": start.isoformat()}, "end": {"dateTime": end.isoformat()}}
        async with self._people.post(self.url + CALENDAR, json={"summary": title, **times}) as answer:
            return str((await answer.json())["id"])

    async def titles(self, start: datetime, end: datetime) -> list[str]:
        """Return what a person sees there in that time, in order."""
        query = {"timeMin": start.isoformat(), "timeMax": end.isoformat(), "maxResults": "250"}
        async with self._people.get(self.url + CALENDAR, params=query) as answer:
            return [event["summary"] for event in (await answer.json())["items"]]
