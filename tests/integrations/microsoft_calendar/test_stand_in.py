"""The stand-in refuses what Graph refuses, so that tests against it mean something."""

from typing import Any

import httpx2 as httpx
import pytest

from stand_ins.microsoft_graph import CLIENT_ID, CLIENT_SECRET, HOLIDAYS, MicrosoftGraphStandIn
from switchboard.integrations.microsoft_calendar.endpoints import (
    TOOLKIT,
    WRITE_SCOPE,
    MicrosoftEndpoints,
    toolkit,
)
from switchboard.integrations.oauth.server import REFRESH_TOKEN
from tests.integrations.microsoft_calendar.premises import CALLBACK, DAY, Premises, at

EVENTS = "/v1.0/me/calendar/events"


def event(**more: Any) -> dict[str, Any]:
    return {"subject": "x", "start": at(10), "end": at(11), **more}


async def client_of(premises: Premises, scopes: list[str] | None = None) -> httpx.AsyncClient:
    """Return a client with a token."""
    token = premises.consent(*([scopes] if scopes else []))
    form = {"grant_type": "refresh_token", "refresh_token": token, "client_id": CLIENT_ID}
    async with httpx.AsyncClient(base_url=premises.url, verify=False) as anybody:
        answer = await anybody.post("/common/oauth2/v2.0/token", data={**form, "client_secret": CLIENT_SECRET})
    bearer = {"Authorization": f"Bearer {answer.json()['access_token']}"}
    return httpx.AsyncClient(base_url=premises.url, headers=bearer, verify=False)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (event(id="bk00001"), "RequestBodyRead"),
        (event(summary="x"), "RequestBodyRead"),
        (event(start={"dateTime": "2027-03-10T10:00:00-05:00", "timeZone": "UTC"}), "RequestBodyRead"),
        (event(start={"dateTime": "2027-03-10T10:00:00Z", "timeZone": "UTC"}), "RequestBodyRead"),
        (event(start={"date": "2027-03-10"}), "RequestBodyRead"),
        (event(start=at(10, zone="Atlantis Standard Time")), "TimeZoneNotSupportedException"),
        (event(end=at(9)), "ErrorPropertyValidationFailure"),
        (event(isAllDay=True), "ErrorPropertyValidationFailure"),
        (event(showAs="opaque"), "RequestBodyRead"),
        ({"subject": "x", "start": at(10)}, "ErrorPropertyValidationFailure"),
        (event(singleValueExtendedProperties=[{"id": "mark", "value": "x"}]), "ErrorInvalidProperty"),
    ],
)
async def test_an_event_that_cannot_be_is_refused(premises: Premises, body: dict[str, Any], code: str):
    """In Graph's words, and nothing is entered."""
    async with await client_of(premises) as client:
        answer = await client.post(EVENTS, json=body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)
    assert premises.kept() == []


@pytest.mark.parametrize(
    "query",
    [
        {"$filter": "subject eq 'x'"},
        {"$expand": "attachments"},
        {"$select": "summary"},
        {"$top": "1001"},
        {"$orderby": "subject"},
        {"timeMin": "2027-03-10T00:00:00Z"},
    ],
)
async def test_a_query_that_it_does_not_follow_is_refused(premises: Premises, query: dict[str, str]):
    """Rather than answered wrongly."""
    async with await client_of(premises) as client:
        assert (await client.get(EVENTS, params=query)).status_code == 400
        assert (await client.get("/v1.0/me/calendar/calendarView")).status_code == 400


async def test_a_page_has_ten_events_unless_told_otherwise(premises: Premises):
    """And says where the next is, as an absolute address."""
    for minute in range(12):
        premises.enter(start=at(9, minute), end=at(9, minute + 1))
    view = {"startDateTime": "2027-03-10T00:00:00Z", "endDateTime": "2027-03-11T00:00:00Z"}
    async with await client_of(premises) as client:
        page = (await client.get("/v1.0/me/calendar/calendarView", params=view)).json()
        assert len(page["value"]) == 10
        rest = (await client.get(page["@odata.nextLink"])).json()
    assert len(rest["value"]) == 2 and "@odata.nextLink" not in rest


async def test_times_are_told_in_the_zone_that_is_preferred_and_days_at_midnight(premises: Premises):
    """Days begin at midnight in any zone, as Graph's do."""
    premises.enter()
    premises.enter(isAllDay=True, start=at(0), end=at(0, day=DAY.replace(day=11)))
    prefer = {"Prefer": 'outlook.timezone="W. Europe Standard Time"'}
    async with await client_of(premises) as client:
        timed, days = (await client.get(EVENTS, headers=prefer)).json()["value"]
    assert timed["start"] == {"dateTime": "2027-03-10T16:00:00.0000000", "timeZone": "W. Europe Standard Time"}
    assert days["start"]["dateTime"] == "2027-03-10T00:00:00.0000000"


async def test_a_transaction_makes_one_event(premises: Premises):
    """The same again brings it back; something else under it is refused."""
    async with await client_of(premises) as client:
        first = await client.post(EVENTS, json=event(transactionId="t"))
        again = await client.post(EVENTS, json=event(transactionId="t"))
        other = await client.post(EVENTS, json=event(transactionId="t", subject="y"))
    assert first.json()["id"] == again.json()["id"]
    assert (other.status_code, other.json()["error"]["code"]) == (409, "ErrorDuplicateTransactionId")


async def test_who_may_not_is_refused(premises: Premises):
    """Without a token, with one that only reads, and in a calendar of others."""
    async with httpx.AsyncClient(base_url=premises.url, verify=False) as nobody:
        answer = await nobody.get(EVENTS)
        assert (answer.status_code, answer.json()["error"]["code"]) == (401, "InvalidAuthenticationToken")
    async with await client_of(premises, ["Calendars.Read", "offline_access"]) as reader:
        assert (await reader.get(EVENTS)).status_code == 200
        assert (await reader.post(EVENTS, json=event())).json()["error"]["code"] == "ErrorAccessDenied"
    async with await client_of(premises) as client:
        assert (await client.post(f"/v1.0/me/calendars/{HOLIDAYS}/events", json=event())).status_code == 403
        assert (await client.get("/v1.0/me/calendars/AAMknone/events")).status_code == 404
        assert (await client.get(f"{EVENTS}/bk00001")).json()["error"]["code"] == "ErrorInvalidIdMalformed"


async def test_an_event_changes_only_at_its_etag(premises: Premises):
    """412 for another's."""
    async with await client_of(premises) as client:
        made = (await client.post(EVENTS, json=event())).json()
        path, etag = f"{EVENTS}/{made['id']}", made["@odata.etag"]
        changed = await client.patch(path, json={"subject": "y"}, headers={"If-Match": etag})
        late = await client.patch(path, json={"subject": "z"}, headers={"If-Match": etag})
        assert (changed.json()["subject"], late.status_code) == ("y", 412)
        assert (await client.delete(path)).status_code == 204
        assert (await client.delete(path)).status_code == 404


async def test_a_code_is_good_once_for_whoever_began(premises: Premises):
    """With the verifier of its challenge, at the address that was told."""
    async with httpx.AsyncClient(base_url=premises.url, verify=False) as browser:
        url = premises.oauth.consent_url("state")
        assert "Calendars.ReadWrite" in (await browser.get(url)).text
        back = await browser.post(url, data={"decision": "allow"})
        code = httpx.URL(back.headers["location"]).params["code"]
        form = {"grant_type": "authorization_code", "code": code, "redirect_uri": CALLBACK, "client_id": CLIENT_ID}
        wrong = await browser.post("/common/oauth2/v2.0/token", data={**form, "client_secret": CLIENT_SECRET})
        assert wrong.json()["error_codes"] == [501481]
        again = await browser.post(url, data={"decision": "allow"})
        grant = await premises.oauth.exchange(httpx.URL(again.headers["location"]).params["code"], "state")
        assert grant.refresh_token and WRITE_SCOPE in grant.scopes[0]
        bad = await browser.get(url.replace("response_type=code", "response_type=token"))
        assert bad.status_code == 400


async def test_faults_and_events_can_be_set_over_http_too(premises: Premises):
    """As somebody who tries things out does."""
    async with httpx.AsyncClient(base_url=premises.url, verify=False) as client:
        fault = {"method": "events.list", "mode": "403", "times": 1}
        assert (await client.post("/_stand_in/faults", json=fault)).status_code == 200
        assert (await client.post("/_stand_in/faults", json={"mode": "sideways"})).status_code == 400
        assert (await client.delete("/_stand_in/faults")).json() == []
        assert (await client.post("/_stand_in/events", json=event())).status_code == 201
        assert [len(rows) for rows in (await client.get("/_stand_in/events")).json().values()] == [1, 0, 0]
        token = (await client.post("/_stand_in/grants", json={"scopes": ["Calendars.ReadWrite"]})).json()
        assert token["refreshToken"] == premises.microsoft.accounts.given[-1]
        await client.delete("/_stand_in/grants")
        assert (await client.get("/_stand_in/requests")).json() == []


def test_owners_authorise_it_at_microsoft():
    """By OAuth 2.0, for their events and lastingly, at the addresses of Microsoft's own documentation."""
    about = toolkit()
    assert (about["name"], about["auth"]["type"], about["auth"]["provider"]) == (TOOLKIT, "oauth2", "microsoft")
    assert about["auth"]["sensitiveConfig"] == [REFRESH_TOKEN]
    real = MicrosoftEndpoints.real()
    assert real.graph == "https://graph.microsoft.com/v1.0"
    assert real.server.token == "https://login.microsoftonline.com/common/oauth2/v2.0/token"
    assert MicrosoftGraphStandIn().accounts.lifetime_s == 3599
