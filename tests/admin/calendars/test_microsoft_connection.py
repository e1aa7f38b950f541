"""Connecting Microsoft 365: the same flow as for Google, of which only what may differ is told again here."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2 as httpx
import pytest

from stand_ins.microsoft_graph import MicrosoftGraphStandIn
from switchboard.admin.audit.trail import AuditTrail
from switchboard.admin.calendars.connection import CalendarConnection
from switchboard.admin.calendars.connection_trail import ConnectionTrail
from switchboard.app.admin_app import INTEGRATIONS
from switchboard.catalog.tenant_tools.toolkits import Toolkits
from switchboard.contract.business.business import read_business
from switchboard.contract.store import Query, Set
from switchboard.integrations.microsoft_calendar.consent import MicrosoftConsent
from switchboard.integrations.microsoft_calendar.endpoints import TOOLKIT
from switchboard.integrations.oauth.server import REFRESH_TOKEN, TokenGrant
from tests.admin.calendars.test_google_connection import HOST, PREFIX, SALON, VENDORS, connecting, key
from tests.each import each
from tests.integrations.microsoft_calendar.premises import PATHS, Premises
from tests.switch import Switch

BASE = f"{PREFIX}/integrations/microsoft"


@dataclass
class Office:
    """An owner's browser in front of our routes, with Microsoft next door."""

    premises: Premises
    browser: httpx.AsyncClient
    forgotten: list[str]

    async def connect(self, **query: str) -> dict[str, Any]:
        answer = await self.browser.get(f"{BASE}/connect", params=query, headers=key(SALON))
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    async def consent(self, url: str, decision: str = "allow") -> str:
        """Answer Microsoft's page, and return where it sends the browser."""
        async with httpx.AsyncClient() as microsoft:
            assert (await microsoft.get(url)).status_code == 200
            answer = await microsoft.post(url, data={"decision": decision})
        return str(answer.headers["location"])

    async def integration(self) -> dict[str, Any]:
        document = await self.premises.store.get(PATHS.within(SALON).business)
        assert document is not None
        found: dict[str, Any] = document.data["integrations"].get("microsoftCalendar", {})
        return found

    async def permission(self) -> str | None:
        return await self.premises.secrets.reveal(SALON, TOOLKIT, REFRESH_TOKEN)


@pytest.fixture
async def office(stand_in_server: tuple[str, Switch]) -> AsyncIterator[Office]:
    """A salon whose calendar is the built-in one, until another is connected."""
    url, switch = stand_in_server
    switch.stand_in = MicrosoftGraphStandIn()
    premises = Premises(url, switch.stand_in)
    settings = {"builtinCalendar": {"isConnected": True}, "microsoftCalendar": {"minNoticeMinutes": 90}}
    await premises.store.commit(
        [
            Set(
                PATHS.within(SALON).business,
                {"name": "Maple <b>Street</b>", "timezone": "UTC", "integrations": settings},
            )
        ]
    )
    toolkit = Toolkits.load(INTEGRATIONS).named(TOOLKIT)
    assert toolkit is not None
    audit = AuditTrail(premises.store, PATHS, premises.clock)
    trail = ConnectionTrail(premises.store, PATHS, audit, toolkit, premises.secrets.kept_since)
    forgotten: list[str] = []
    consent = MicrosoftConsent(premises.oauth, premises.secrets)
    both = [
        CalendarConnection(VENDORS[name], trail, consent, premises.clock, forgotten.append)
        for name in ("microsoft", "google")
    ]
    app = connecting(*both)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url=HOST) as browser:
        yield Office(premises, browser, forgotten)
    await premises.http.close()


@pytest.mark.requirement("004-564")
async def test_an_owner_connects_and_the_calendar_can_be_used(office: Office):
    """What was set before stays; the permission is kept encrypted; the page says which business it was."""
    begun = await office.connect()
    answer = await office.browser.get(await office.consent(begun["url"]))
    assert (answer.status_code, "now go to Microsoft 365" in answer.text) == (200, True)
    assert "Maple &lt;b&gt;Street" in answer.text
    found = await office.integration()
    assert found.pop("connectedAt") is not None
    assert found == {
        "isConnected": True,
        "needsReauth": False,
        "calendarId": "primary",
        "scopes": ["https://graph.microsoft.com/Calendars.ReadWrite"],
        "minNoticeMinutes": 90,
    }
    document = await office.premises.store.get(PATHS.within(SALON).business)
    assert document is not None
    calendar = await office.premises.calendars.of(read_business(SALON, document.data))
    assert calendar is not None and await calendar.find("never") is None
    assert office.forgotten == [SALON]


async def test_microsoft_is_asked_for_lasting_permission_with_proof_of_who_asks(office: Office):
    """Offline, by an account that the owner chooses, PKCE, and our own callback."""
    query = {name: values[0] for name, values in parse_qs(urlsplit((await office.connect())["url"]).query).items()}
    assert query["scope"].split() == ["https://graph.microsoft.com/Calendars.ReadWrite", "offline_access"]
    assert (query["prompt"], query["code_challenge_method"]) == ("select_account", "S256")
    assert query["redirect_uri"].endswith("/admin/integrations/microsoft/callback")


async def test_where_another_calendar_keeps_the_appointments_the_page_says_so(office: Office):
    """Connected is not chosen: two calendars can be, and one of them counts."""
    chosen = {"integrations": {"calendar": "builtinCalendar"}}
    await office.premises.store.commit([Set(PATHS.within(SALON).business, chosen, merge=True)])
    answer = await office.browser.get(await office.consent((await office.connect())["url"]))
    assert "go on being kept in the built-in calendar" in answer.text
    assert "now go to" not in answer.text
    google = {"integrations": {"calendar": None, "googleCalendar": {"isConnected": True}}}
    await office.premises.store.commit([Set(PATHS.within(SALON).business, google, merge=True)])
    answer = await office.browser.get(await office.consent((await office.connect())["url"]))
    assert "go on being kept in Google Calendar" in answer.text


async def test_an_owner_who_says_no_stays_as_he_was(office: Office):
    """And the consent cannot be finished afterwards."""
    begun = await office.connect()
    answer = await office.browser.get(await office.consent(begun["url"], "deny"))
    assert (answer.status_code, "Microsoft was told not to allow it" in answer.text) == (400, True)
    assert await office.integration() == {"minNoticeMinutes": 90}
    again = await office.browser.get(f"{BASE}/callback", params={"state": begun["state"], "code": "x"})
    assert again.status_code == 409


async def test_a_consent_that_was_begun_for_one_vendor_is_none_for_another(office: Office):
    """Each has tickets of its own, and cookies."""
    begun = await office.connect()
    back = await office.consent(begun["url"])
    answer = await office.browser.get(back.replace("/microsoft/", "/google/"))
    assert (answer.status_code, await office.permission()) == (400, None)
    assert (await office.browser.get(back)).status_code == 200


@each(
    ("grant", "words"),
    [
        (TokenGrant("t", 1.0, ("https://graph.microsoft.com/Calendars.Read",), "r"), "see and change events"),
        (TokenGrant("t", 1.0, (), "r"), "see and change events"),
        (TokenGrant("t", 1.0, ("calendars.readwrite",)), "no lasting permission"),
    ],
)
def test_a_consent_that_does_not_suffice_is_told_in_words(grant: TokenGrant, words: str):
    """Rather than found out by callers."""
    consent = MicrosoftConsent(None, None)  # type: ignore[arg-type]
    with pytest.raises(Exception, match=words):
        consent.lasting(grant)
    assert consent.lasting(TokenGrant("t", 1.0, ("Calendars.ReadWrite",), "r")) == "r"


async def test_disconnecting_forgets_the_permission(office: Office):
    """Microsoft takes none back by a request, and is not said to have."""
    await office.browser.get(await office.consent((await office.connect())["url"]))
    assert await office.permission() is not None
    answer = await office.browser.delete(BASE, headers=key(SALON))
    assert answer.json() == {"disconnected": True, "revoked": False}
    assert await office.permission() is None
    assert (await office.integration())["isConnected"] is False
    found = await office.premises.store.query(Query(PATHS.within(SALON).collection("audit")))
    assert {document.data["document"] for document in found} == {TOOLKIT}


@each("id", ["a b", "x" * 513, "../me"])
async def test_a_calendar_that_cannot_be_is_refused(office: Office, id: str):
    """In words that say where ids are found."""
    answer = await office.browser.get(f"{BASE}/connect", params={"calendarId": id}, headers=key(SALON))
    assert (answer.status_code, "at Microsoft" in answer.text) == (400, True)


async def test_where_microsoft_is_not_set_up_owners_are_told_what_is_missing():
    """By the variable's name, to whoever may know."""
    app = connecting(VENDORS["microsoft"], prefix="")
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url=HOST) as browser:
        answer = await browser.get("/integrations/microsoft/connect", headers=key(SALON))
        assert (answer.status_code, "SWITCHBOARD_MICROSOFT_CLIENT_ID" in answer.text) == (501, True)
