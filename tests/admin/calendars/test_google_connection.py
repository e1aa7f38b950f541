"""Connecting Google Calendar over HTTP: the owner's browser, our routes, and the stand-in's consent page."""

import asyncio
import contextlib
import hashlib
import re
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx2 as httpx
import pytest
from fastapi import FastAPI
from starlette.requests import Request
from starlette.routing import Mount

from stand_ins.google_calendar import GoogleCalendarStandIn
from stand_ins.loopback import serving
from switchboard.admin.access.access import OwnerIdentity, Permit
from switchboard.admin.access.roles import Operation, Role
from switchboard.admin.api.serving import owners_app, routes
from switchboard.admin.audit.entry import AuditEntry, read_entry
from switchboard.admin.audit.trail import AuditTrail
from switchboard.admin.calendars.connection import CalendarConnection, ConnectedVendor
from switchboard.admin.calendars.connection_routes import ConnectionEndpoints
from switchboard.admin.calendars.connection_trail import ConnectionTrail
from switchboard.app.admin_app import INTEGRATIONS
from switchboard.app.calendar_consents import connected_vendors
from switchboard.catalog.tenant_tools.toolkits import Toolkits
from switchboard.channels.http.answer import HANDLERS
from switchboard.channels.http.credentials import Rejected
from switchboard.contract.business.business import read_business
from switchboard.contract.ports import Store
from switchboard.contract.store import Delete, Query, Set, Stale, Unavailable
from switchboard.integrations.google_calendar.consent import GoogleConsent
from switchboard.integrations.google_calendar.endpoints import TOOLKIT
from switchboard.integrations.oauth.server import REFRESH_TOKEN
from tests.each import each
from tests.integrations.google_calendar.premises import ASKED_SCOPES, CALLBACK, EVENTS_SCOPE, PATHS, Premises, Switch

SALON, OTHER = "demo-salon", "demo-plumber"
HOST = "http://127.0.0.1:8080"
PREFIX = "/admin"


VENDORS = {vendor.name: vendor for vendor in connected_vendors(Toolkits.load(INTEGRATIONS))}


class Owners:
    """Those whose key is the name of their business."""

    async def permit(self, request: Request, business_id: str | None, operation: Operation) -> Permit:
        assert operation is Operation.CONNECT
        return await owners(request, business_id)

    async def authorise(self, request: Request, business_id: str, operation: Operation) -> Permit:
        raise AssertionError("no address of a connection holds a business")


def connecting(*connections: CalendarConnection | ConnectedVendor, prefix: str = PREFIX) -> FastAPI:
    """Return the app by which owners connect; of a vendor alone nothing is set up."""
    served = []
    for it in connections:
        vendor, connection = (it, None) if isinstance(it, ConnectedVendor) else (it.vendor, it)
        served += routes(ConnectionEndpoints(vendor, connection, owners, Rejected).endpoints, Owners())
    return owners_app([Mount(prefix, routes=served)], HANDLERS)


async def owners(request: Request, business_id: str | None) -> Permit:
    """Let in whoever's key is the name of their business."""
    name = request.headers.get("authorization", "").removeprefix("Bearer ")
    if not name:
        raise Rejected(401, "Send your business's API key.")
    if business_id not in (None, name):
        raise Rejected(403, "This API key does not belong to the business named in the request.")
    return Permit(OwnerIdentity(f"key:{name}", f"{name}@example.com", {name: Role.OWNER}), name, Role.OWNER)


@dataclass
class Office:
    """An owner's browser in front of our routes, with Google next door."""

    premises: Premises
    store: Store
    browser: httpx.AsyncClient
    app: FastAPI
    forgotten: list[str]

    async def connect(self, **query: str) -> dict[str, Any]:
        """Begin, and return `{url, page, expiresAt}`."""
        answer = await self.browser.get(f"{PREFIX}/integrations/google/connect", params=query, headers=key(SALON))
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    async def consent(self, url: str, scopes: list[str] = ASKED_SCOPES, decision: str = "allow") -> str:
        """Answer Google's page, and return where Google sends the browser."""
        async with httpx.AsyncClient() as google:
            assert (await google.get(url)).status_code == 200
            body = urlencode([("decision", decision), *(("scope", scope) for scope in scopes)])
            form = {"content-type": "application/x-www-form-urlencoded"}
            answer = await google.post(url, content=body, headers=form)
        assert answer.status_code == 302
        return str(answer.headers["location"])

    async def visit(self, url: str, **more: Any) -> httpx.Response:
        """Open an address of ours in the owner's browser."""
        return await self.browser.get(url, **more)

    async def google(self) -> dict[str, Any]:
        """Return the salon's connection as it is stored."""
        document = await self.store.get(PATHS.within(SALON).business)
        assert document is not None
        found: dict[str, Any] = document.data["integrations"].get("googleCalendar", {})
        return found

    async def audit(self) -> list[AuditEntry]:
        """Return the salon's audit, the oldest entry first."""
        found = await self.store.query(Query(PATHS.within(SALON).collection("audit")))
        return sorted((read_entry(document) for document in found), key=lambda entry: entry.at)

    async def permission(self) -> str | None:
        return await self.premises.secrets.reveal(SALON, TOOLKIT, REFRESH_TOKEN)

    def elsewhere(self) -> httpx.AsyncClient:
        """Return another browser."""
        return httpx.AsyncClient(transport=httpx.ASGITransport(app=self.app), base_url=HOST)


def key(owner: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {owner}"}


@pytest.fixture(scope="module")
def google_server() -> Iterator[tuple[str, Switch]]:
    """A server on this machine, and the switch behind it."""
    switch = Switch()
    with serving(switch) as url:
        yield url, switch


@pytest.fixture
async def office(google_server: tuple[str, Switch]) -> AsyncIterator[Office]:
    """A salon that is not connected, with settings of its own, and another business."""
    url, switch = google_server
    switch.stand_in = GoogleCalendarStandIn()
    premises = Premises(url, switch.stand_in)
    settings = {
        "googleCalendar": {"isConnected": False, "minNoticeMinutes": 90},
        "builtinCalendar": {"isConnected": True},
    }
    await premises.store.commit(
        [
            Set(
                PATHS.within(SALON).business,
                {"name": "Maple <b>Street</b>", "timezone": "UTC", "integrations": settings},
            ),
            Set(PATHS.within(OTHER).business, {"name": "Plumber", "integrations": {}}),
        ]
    )
    consent = GoogleConsent(premises.oauth, premises.secrets)
    forgotten: list[str] = []
    toolkit = Toolkits.load(INTEGRATIONS).named(TOOLKIT)
    assert toolkit is not None
    audit = AuditTrail(premises.store, PATHS, premises.clock)
    trail = ConnectionTrail(premises.store, PATHS, audit, toolkit, premises.secrets.kept_since)
    app = connecting(CalendarConnection(VENDORS["google"], trail, consent, premises.clock, forgotten.append))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url=HOST) as browser:
        yield Office(premises, premises.store, browser, app, forgotten)
    await premises.http.close()


@pytest.mark.requirement("001-31", "001-32")
async def test_an_owner_connects_and_the_calendar_can_be_used(office: Office):
    """What was set before stays; the permission is kept encrypted; the page says which business it was."""
    begun = await office.connect()
    answer = await office.visit(await office.consent(begun["url"]))
    assert (answer.status_code, "Connected" in answer.text) == (200, True)
    assert "Maple &lt;b&gt;Street" in answer.text
    google = await office.google()
    assert google.pop("connectedAt") is not None
    assert google == {
        "isConnected": True,
        "needsReauth": False,
        "calendarId": "primary",
        "scopes": sorted(ASKED_SCOPES),
        "minNoticeMinutes": 90,
    }
    document = await office.store.get(PATHS.within(SALON).business)
    assert document is not None and document.data["integrations"]["builtinCalendar"] == {"isConnected": True}
    calendar = await office.premises.calendars.of(read_business(SALON, document.data))
    assert calendar is not None and calendar.knows_free_busy
    assert office.forgotten == [SALON]
    assert await calendar.find("never") is None


@pytest.mark.requirement("001-33")
async def test_google_is_asked_for_lasting_permission_with_proof_of_who_asks(office: Office):
    """Offline, with consent anew, PKCE, and our own callback."""
    query = {name: values[0] for name, values in parse_qs(urlsplit((await office.connect())["url"]).query).items()}
    assert (query["access_type"], query["prompt"]) == ("offline", "consent")
    assert (query["code_challenge_method"], query["response_type"]) == ("S256", "code")
    assert query["redirect_uri"] == CALLBACK
    assert query["scope"].split() == ASKED_SCOPES
    assert len(query["code_challenge"]) == 43 and len(query["state"]) > 43


async def test_a_browser_is_led_on_directly_if_it_wants(office: Office):
    """`redirect=1` answers the way to Google itself."""
    answer = await office.visit(f"{PREFIX}/integrations/google/connect?redirect=1", headers=key(SALON))
    assert answer.status_code == 302
    assert (await office.visit(await office.consent(answer.headers["location"]))).status_code == 200


async def test_the_calendar_that_was_chosen_is_used_and_kept_when_connecting_anew(office: Office):
    """Connecting again without a choice does not go back to the account's own."""
    for query in ({"calendarId": "team@group.calendar.google.com"}, {}):
        await office.visit(await office.consent((await office.connect(**query))["url"]))
        assert (await office.google())["calendarId"] == "team@group.calendar.google.com"


async def test_connecting_anew_repairs_a_connection_that_was_lost(office: Office):
    """The mark goes, and the new permission takes the old one's place."""
    await office.visit(await office.consent((await office.connect())["url"]))
    first = await office.permission()
    business = PATHS.within(SALON).business
    await office.store.commit([Set(business, {"integrations": {"googleCalendar": {"needsReauth": True}}}, merge=True)])
    await office.visit(await office.consent((await office.connect())["url"]))
    assert (await office.google())["needsReauth"] is False
    assert first != await office.permission()


async def unchanged(office: Office) -> bool:
    """Tell whether the salon is as unconnected as it was."""
    return await office.google() == {"isConnected": False, "minNoticeMinutes": 90} and await office.permission() is None


async def test_an_owner_who_says_no_changes_nothing(office: Office):
    """And that link is spent."""
    back = await office.consent((await office.connect())["url"], decision="deny")
    answer = await office.visit(back)
    assert (answer.status_code, "Not connected" in answer.text) == (400, True)
    assert (await office.visit(back)).status_code == 409
    assert await unchanged(office)


async def test_a_link_works_once(office: Office):
    """A second delivery of the same address is told so, and asks Google nothing."""
    back = await office.consent((await office.connect())["url"])
    assert (await office.visit(back)).status_code == 200
    connected = await office.google()
    office.premises.google.faults.journal.clear()
    state = parse_qs(urlsplit(back).query)["state"][0]
    for address in (back, back.replace("code=4", "code=5")):
        answer = await office.visit(address, headers={"Cookie": f"google_connect_{hash_of(state)}={state}"})
        assert (answer.status_code, "used before" in answer.text) == (409, True)
    assert office.premises.asked() == []
    assert await office.google() == connected


async def test_a_link_that_is_followed_twice_at_once_is_exchanged_once(office: Office):
    """One of them connects; the other is told that the link was used."""
    back = await office.consent((await office.connect())["url"])
    answers = await asyncio.gather(*(office.visit(back) for _ in range(5)))
    assert sorted(answer.status_code for answer in answers) == [200, 409, 409, 409, 409]
    assert len(office.premises.asked("token")) == 1


def hash_of(state: str) -> str:
    """Return what the cookie of a state is named with."""
    return hashlib.sha256(state.encode()).hexdigest()[:12]


async def test_a_link_works_for_ten_minutes(office: Office):
    """Then the owner begins again."""
    back = await office.consent((await office.connect())["url"])
    office.premises.clock.wait(600)
    answer = await office.visit(back)
    assert (answer.status_code, "too old" in answer.text) == (410, True)
    assert await unchanged(office)


async def test_a_link_works_only_where_it_was_begun(office: Office):
    """Otherwise an owner could send a stranger the link, and get the stranger's calendar."""
    back = await office.consent((await office.connect())["url"])
    async with office.elsewhere() as stranger:
        answer = await stranger.get(back)
        assert (answer.status_code, "not where you began" in answer.text) == (403, True)
    assert await unchanged(office)
    assert (await office.visit(back)).status_code == 200


async def test_an_owner_of_another_business_cannot_finish_it(office: Office):
    """Nor can nobody's key; the owner's own can, from anywhere."""
    back = await office.consent((await office.connect())["url"])
    async with office.elsewhere() as other:
        assert (await other.get(back, headers=key(OTHER))).status_code == 403
        assert (await other.get(back, headers={"Authorization": "Bearer "})).status_code == 401
        assert await unchanged(office)
        assert (await other.get(back, headers=key(SALON))).status_code == 200


PAGE = f"{PREFIX}/integrations/google/begin"


@pytest.mark.requirement("004-110")
@pytest.mark.parametrize("site", ["same-site", "same-origin"])
async def test_an_owner_whose_browser_did_not_ask_begins_with_a_form_of_the_owners_pages(office: Office, site: str):
    """The page names the business and leads on; from there the browser is known."""
    begun = await office.connect()
    form, own = {"state": begun["state"]}, {"Sec-Fetch-Site": site}
    async with office.elsewhere() as browser:
        page = await browser.post(PAGE, data=form, headers=own)
        assert (page.status_code, "Maple &lt;b&gt;Street" in page.text) == (200, True)
        link = re.search(r'href="([^"]+)"', page.text)
        assert link is not None
        back = await office.consent(link[1].replace("&amp;", "&"))
        assert (await browser.get(back)).status_code == 200
        assert (await browser.post(PAGE, data=form, headers=own)).status_code == 409


@pytest.mark.requirement("004-110")
@each(
    ("method", "site", "key", "status"),
    [
        ("GET", "none", None, 200),
        ("GET", "same-site", None, 200),
        ("POST", "cross-site", None, 403),
        ("POST", "none", None, 403),
        ("POST", None, None, 403),
        ("POST", "same-origin", "", 403),
        ("POST", "same-origin", "sb_nobody", 403),
        ("POST", "same-origin", OTHER, 403),
        ("POST", "cross-site", SALON, 403),
    ],
)
async def test_nobody_is_made_the_one_who_began_by_a_link_or_by_another_sites_form(
    office: Office, method: str, site: str | None, key: str | None, status: int
):
    """Whoever is lured there gets no cookie, is asked to sign in, and cannot finish what somebody else began."""
    begun = await office.connect()
    headers = {} if site is None else {"Sec-Fetch-Site": site}
    typed = {} if key is None else {"key": key}
    async with office.elsewhere() as victim:
        sent = {} if method == "GET" else {"data": {"state": begun["state"], **typed}}
        page = await victim.request(method, begun["page"] if method == "GET" else PAGE, headers=headers, **sent)
        assert (page.status_code, "Who are you?" in page.text) == (status, True)
        assert "set-cookie" not in page.headers and "accounts" not in page.text
        back = await office.consent(begun["url"])
        assert (await victim.get(back)).status_code == 403
    assert await unchanged(office)


@pytest.mark.requirement("004-110")
async def test_an_owner_elsewhere_types_the_key_where_the_link_leads(office: Office):
    """From there the browser is known as well."""
    begun = await office.connect()
    form = {"state": begun["state"], "key": SALON}
    async with office.elsewhere() as browser:
        page = await browser.post(PAGE, data=form, headers={"Sec-Fetch-Site": "same-origin"})
        assert (page.status_code, "Go on to Google" in page.text) == (200, True)
        assert (await browser.get(await office.consent(begun["url"]))).status_code == 200


@pytest.mark.parametrize("body", [b"", b"state", b"&" * 50, b"state=" + b"x" * 20_000, b"\xff=%ff", b"state=a&state=b"])
async def test_a_form_that_is_none_begins_nothing(office: Office, body: bytes):
    """Whatever is sent."""
    kind = {"Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin"}
    async with office.elsewhere() as browser:
        assert (await browser.post(PAGE, content=body, headers=kind)).status_code == 400


@each("state", ["", "x", "x.y", "." * 50, "x.ZGVtby1zYWxvbg", "é.é", "a" * 5000, "x.%00", "x.Li4"])
async def test_a_state_that_was_never_given_out_is_nothing(office: Office, state: str):
    """Whatever it says."""
    for page in ("callback", "begin"):
        address = f"{PREFIX}/integrations/google/{page}?{urlencode({'code': 'c', 'state': state})}"
        answer = await office.visit(address, headers={"Cookie": f"google_connect_{hash_of(state)}=x"})
        assert (answer.status_code, "does not work" in answer.text) == (400, True)


async def test_a_consent_without_what_is_needed_is_turned_down_whole(office: Office):
    """Owners can leave boxes unticked."""
    readonly = [scope for scope in ASKED_SCOPES if scope != EVENTS_SCOPE]
    answer = await office.visit(await office.consent((await office.connect())["url"], scopes=readonly))
    assert (answer.status_code, "tick every box" in answer.text) == (400, True)
    assert await unchanged(office)


async def test_without_a_lasting_permission_nothing_is_kept(office: Office):
    """As when Google gives no refresh token."""
    url = (await office.connect())["url"].replace("prompt=consent", "prompt=none").replace("offline", "online")
    answer = await office.visit(await office.consent(url))
    assert (answer.status_code, "no lasting permission" in answer.text) == (400, True)
    assert await unchanged(office)


@pytest.mark.parametrize(("mode", "status"), [("500", 503), ("accept-then-drop", 503), ("invalid_grant", 410)])
async def test_a_google_in_trouble_leaves_everything_as_it_was(office: Office, mode: str, status: int):
    """The owner begins again."""
    back = await office.consent((await office.connect())["url"])
    office.premises.fail("token", mode)
    assert (await office.visit(back)).status_code == status
    assert await unchanged(office)
    assert (await office.visit(await office.consent((await office.connect())["url"]))).status_code == 200


async def test_a_forged_code_does_not_get_past_the_proof(office: Office):
    """A code of another consent fits neither its state nor its verifier."""
    first = await office.consent((await office.connect())["url"])
    second = await office.consent((await office.connect())["url"])
    codes = [parse_qs(urlsplit(back).query)["code"][0] for back in (first, second)]
    forged = first.replace(urlencode({"": codes[0]})[1:], urlencode({"": codes[1]})[1:])
    assert forged != first
    assert (await office.visit(forged)).status_code == 410
    assert await unchanged(office)


async def test_disconnecting_forgets_everything_but_the_settings(office: Office):
    """Google takes the permission back, no secret stays, and the settings wait for another time."""
    await office.visit(await office.consent((await office.connect())["url"]))
    refresh = await office.permission()
    assert refresh is not None
    answer = await office.browser.delete(f"{PREFIX}/integrations/google?businessId={SALON}", headers=key(SALON))
    assert (answer.status_code, answer.json()) == (200, {"disconnected": True, "revoked": True})
    google = await office.google()
    assert (google["isConnected"], google["calendarId"], google["minNoticeMinutes"]) == (False, "primary", 90)
    assert await office.permission() is None
    assert await office.premises.oauth.revoke(refresh) is False
    assert office.forgotten == [SALON] * 2
    again = await office.browser.delete(f"{PREFIX}/integrations/google", headers=key(SALON))
    assert again.json() == {"disconnected": True, "revoked": False}


async def test_disconnecting_works_while_google_is_away(office: Office):
    """What is ours is forgotten all the same."""
    await office.visit(await office.consent((await office.connect())["url"]))
    office.premises.fail("revoke", "500")
    answer = await office.browser.delete(f"{PREFIX}/integrations/google", headers=key(SALON))
    assert answer.json() == {"disconnected": True, "revoked": False}
    assert await office.permission() is None


@each(
    ("method", "path", "owner", "status"),
    [
        ("GET", "/connect", "", 401),
        ("GET", f"/connect?businessId={OTHER}", SALON, 403),
        ("GET", "/connect", "nobody", 404),
        ("GET", "/connect?calendarId=a/b", SALON, 400),
        ("GET", f"/connect?calendarId={'x' * 300}", SALON, 400),
        ("DELETE", "", "", 401),
        ("DELETE", f"?businessId={OTHER}", SALON, 403),
        ("DELETE", "", "nobody", 404),
    ],
)
async def test_nobody_else_connects_or_disconnects(office: Office, method: str, path: str, owner: str, status: int):
    """Owners only, and only for what is theirs."""
    headers = key(owner) if owner else {}
    answer = await office.browser.request(method, f"{PREFIX}/integrations/google{path}", headers=headers)
    assert (answer.status_code, answer.json()["ok"]) == (status, False)


async def test_neither_state_nor_permission_can_be_read_from_the_store(office: Office):
    """Who reads it cannot finish a consent, nor use one."""
    begun = await office.connect()
    state = parse_qs(urlsplit(begun["url"]).query)["state"][0]
    await office.visit(await office.consent(begun["url"]))
    refresh = await office.permission()
    tickets = await office.store.query(Query(PATHS.within(SALON).collection("tickets")))
    secrets = await office.store.query(Query(PATHS.within(SALON).collection("secrets")))
    assert len(tickets) == 1 and len(secrets) == 2
    everything = repr([(d.path, d.data) for d in [*tickets, *secrets]])
    assert state not in everything and state.partition(".")[0] not in everything
    assert str(refresh) not in everything


async def test_pages_give_nothing_away(office: Office):
    """They are not kept, not framed, and do not tell the next site where the browser came from."""
    back = await office.consent((await office.connect())["url"])
    answer = await office.visit(back)
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    cookies = (await office.visit(f"{PREFIX}/integrations/google/connect", headers=key(SALON))).headers["set-cookie"]
    assert "HttpOnly" in cookies and "SameSite=lax" in cookies and "Path=/admin/integrations/google;" in cookies


async def test_a_store_that_is_away_is_told_as_that(office: Office, monkeypatch: pytest.MonkeyPatch):
    """Owners are asked to try again, in JSON or on a page."""
    back = await office.consent((await office.connect())["url"])

    async def away(*_: object) -> None:
        raise Unavailable("away")

    monkeypatch.setattr(office.store, "get", away)
    assert (await office.visit(back)).status_code == 503
    path = f"{PREFIX}/integrations/google"
    assert (await office.visit(f"{path}/connect", headers=key(SALON))).status_code == 503
    assert (await office.browser.delete(path, headers=key(SALON))).status_code == 503


async def test_where_google_is_not_set_up_owners_are_told_what_is_missing():
    """By the variable's name, to whoever may know."""
    app = connecting(VENDORS["google"], prefix="")
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url=HOST) as browser:
        for path in ("/connect", "/begin?state=x", "/callback?state=x&code=y"):
            answer = await browser.get(f"/integrations/google{path}", headers=key(SALON))
            assert (answer.status_code, "SWITCHBOARD_GOOGLE_CLIENT_ID" in answer.text) == (501, True)
        assert (await browser.delete("/integrations/google", headers=key(SALON))).status_code == 501


async def test_connecting_and_disconnecting_are_told_once_each_with_who_did_it(office: Office):
    """Google's browser brings no credential back, so the one who began is named; the permission itself is nowhere."""
    url = f"{PREFIX}/integrations/google?businessId={SALON}"
    await office.visit(await office.consent((await office.connect())["url"]))
    refresh = await office.permission()
    for _ in range(2):
        assert (await office.browser.delete(url, headers=key(SALON))).status_code == 200
    connected, ended = await office.audit()
    who = {"id": f"key:{SALON}", "name": f"{SALON}@example.com", "role": "owner"}
    for entry in (connected, ended):
        assert (entry.who, entry.kind, entry.document, entry.deed) == (who, "toolkit", TOOLKIT, "changed")
        assert refresh is not None and refresh not in repr(entry)
    assert (connected.before["isConnected"], connected.after["isConnected"]) == (False, True)
    assert connected.after["sensitiveConfig"].keys() == {REFRESH_TOKEN}
    assert connected.after["config"] == {"calendarId": "primary", "minNoticeMinutes": 90}
    assert (ended.before["isConnected"], ended.after["isConnected"]) == (True, False)
    assert not ended.is_undoable, "a permission that was given back is given anew at Google alone"


async def test_a_permission_that_takes_anothers_place_is_told_and_cannot_be_put_back(office: Office):
    """Also where nothing else has changed."""
    for _ in range(2):
        await office.visit(await office.consent((await office.connect())["url"]))
    first, second = await office.audit()
    assert (first.is_undoable, second.is_undoable) == (True, False)
    assert second.after.keys() == {"sensitiveConfig"}


async def test_a_consent_that_came_to_nothing_is_not_in_the_audit(office: Office):
    """Neither one that was denied nor one that Google did not exchange."""
    await office.visit(await office.consent((await office.connect())["url"], decision="deny"))
    back = await office.consent((await office.connect())["url"])
    office.premises.fail("token", "500")
    assert (await office.visit(back)).status_code == 503
    assert await office.audit() == []


async def test_disconnecting_a_business_that_is_being_changed_all_the_time_is_tried_again_later(
    office: Office, monkeypatch: pytest.MonkeyPatch
):
    """503, and the connection stays as it was."""
    await office.visit(await office.consent((await office.connect())["url"]))

    async def busy(*_: Any) -> None:
        raise Stale("another one was quicker")

    monkeypatch.setattr(office.store, "commit", busy)
    answer = await office.browser.delete(f"{PREFIX}/integrations/google", headers=key(SALON))
    assert (answer.status_code, answer.json()["error"]["type"]) == (503, "TRANSIENT")
    assert (await office.google())["isConnected"] is True
    assert await office.permission() is not None


class Killed(BaseException):
    """The process ends; nothing in it can do anything about that."""


@pytest.mark.parametrize("is_done", [False, True], ids=["before the commit", "behind it"])
@pytest.mark.parametrize("deed", ["connect", "disconnect"])
async def test_a_process_that_ends_at_any_commit_leaves_a_permission_exactly_where_the_audit_says_so(
    office: Office, monkeypatch: pytest.MonkeyPatch, deed: str, is_done: bool
):
    """Permission, connection and entry are there together or not at all; and doing the same again gets there."""

    async def do() -> None:
        if deed == "connect":
            assert (await office.visit(await office.consent((await office.connect())["url"]))).status_code == 200
        else:
            url = f"{PREFIX}/integrations/google?businessId={SALON}"
            assert (await office.browser.delete(url, headers=key(SALON))).status_code == 200

    commit = office.store.commit
    at = 1
    while True:
        await office.store.commit([Set(PATHS.within(SALON).business, {"name": "S", "integrations": {}})])
        await office.premises.secrets.forget(SALON, TOOLKIT)
        if deed == "disconnect":
            await office.visit(await office.consent((await office.connect())["url"]))
        known, left = len(await office.audit()), at

        async def dying(writes: Any) -> Any:
            nonlocal left
            left -= 1
            if left == 0 and not is_done:
                raise Killed
            done = await commit(writes)
            if left == 0:
                raise Killed
            return done

        monkeypatch.setattr(office.store, "commit", dying)
        with contextlib.suppress(Killed):
            await do()
        monkeypatch.setattr(office.store, "commit", commit)
        is_told = len(await office.audit()) > known
        is_kept, is_connected = await office.permission() is not None, (await office.google()).get("isConnected", False)
        assert is_kept == is_connected == (is_told if deed == "connect" else not is_told), at
        if left > 0:
            break
        await do()
        assert (await office.permission() is not None) == (deed == "connect")
        at += 1
    assert at > (2 if deed == "connect" else 1), "there was nothing to die at"


async def test_a_permission_that_nothing_tells_of_is_forgotten_with_an_entry(office: Office):
    """As somebody may have left it who keeps permissions otherwise."""
    await office.premises.secrets.keep(SALON, TOOLKIT, REFRESH_TOKEN, "left behind")
    url = f"{PREFIX}/integrations/google?businessId={SALON}"
    assert (await office.browser.delete(url, headers=key(SALON))).status_code == 200
    (entry,) = await office.audit()
    assert (entry.before.keys(), entry.after) == ({"sensitiveConfig"}, {"sensitiveConfig": {}})
    assert await office.permission() is None


async def test_what_is_given_back_to_google_is_the_permission_that_is_forgotten(
    office: Office, monkeypatch: pytest.MonkeyPatch
):
    """Also where the owner connects anew in the same moment: that one is forgotten too, and none is left there."""
    await office.visit(await office.consent((await office.connect())["url"]))
    back = await office.consent((await office.connect())["url"])
    commit, seen = office.store.commit, []

    async def overtaken(writes: Any) -> Any:
        if not seen and any(isinstance(write, Delete) for write in writes):
            seen.append(await office.permission())
            assert (await office.visit(back)).status_code == 200
            seen.append(await office.permission())
        return await commit(writes)

    monkeypatch.setattr(office.store, "commit", overtaken)
    answer = await office.browser.delete(f"{PREFIX}/integrations/google?businessId={SALON}", headers=key(SALON))
    assert answer.json() == {"disconnected": True, "revoked": True}
    first, second = seen
    assert first != second and await office.permission() is None
    assert second is not None and await office.premises.oauth.revoke(second) is False
