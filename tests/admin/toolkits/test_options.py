"""What owners choose from when they make a tool, over HTTP: numbers, connected accounts, collections."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import httpx2 as httpx
import jsonschema_rs
import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator
from starlette.routing import Mount

from stand_ins.pipedream.app import PipedreamStandIn
from switchboard.admin.access.access import Access
from switchboard.admin.api import openapi
from switchboard.admin.api.serving import owners_app, routes
from switchboard.admin.toolkits.options import ToolkitOptions
from switchboard.admin.toolkits.routes import ChoiceEndpoints
from switchboard.channels.http.answer import HANDLERS
from switchboard.channels.http.credentials import Credentials, Rejected
from switchboard.contract.ports import Store
from switchboard.contract.store import Create, Set, Unavailable, Write
from switchboard.desk.contact.recipients import own_numbers
from switchboard.integrations.pipedream.accounts import PipedreamAccounts
from tests.admin.owners_office import OTHER, OWN, SignIns, token
from tests.desk.front_desk import StoppedClock, salon
from tests.integrations.pipedream.connected import Apps
from tests.pipeline.conftest import PATHS
from tests.switch import Switch

BASE = "/admin/businesses"
MAIN, SECOND, THIRD = "+15185550100", "+15185550101", "+15185550102"
ROUTES = ("phone-numbers", "pipedream/accounts", "collections")


@dataclass
class Desk:
    """Somebody who asks, and what there is."""

    store: Store
    browser: httpx.AsyncClient
    document: dict[str, Any]

    async def ask(self, path: str, by: str = "viewer", of: str = OWN) -> httpx.Response:
        return await self.browser.get(f"{BASE}/{of}/{path}", headers=token(by))

    async def got(self, path: str, of: str = OWN, by: str = "viewer") -> dict[str, Any]:
        """Return an answer, which is as the document describes it."""
        answer = await self.ask(path, by, of)
        assert (answer.status_code, answer.headers["cache-control"]) == (200, "no-store"), answer.text
        operation = self.document["paths"][f"{BASE}/{{business_id}}/{path.partition('?')[0]}"]["get"]
        schema = operation["responses"]["200"]["content"]["application/json"]["schema"]
        whole = {"components": self.document["components"], **schema}
        assert jsonschema_rs.is_valid(whole, answer.json()), answer.text
        found: dict[str, Any] = answer.json()
        return found

    async def refused(self, path: str, status: int) -> dict[str, Any]:
        answer = await self.ask(path)
        assert answer.status_code == status, answer.text
        found: dict[str, Any] = answer.json()["error"]
        return found


@pytest.fixture
async def apps(stand_in_server: tuple[str, Switch]) -> AsyncIterator[Apps]:
    """A salon that has connected two apps."""
    url, switch = stand_in_server
    switch.stand_in = PipedreamStandIn()
    found = Apps(url, switch.stand_in)
    yield found
    await found.http.close()


async def opened(store: Store, accounts: PipedreamAccounts | None) -> Desk:
    endpoints = ChoiceEndpoints(ToolkitOptions(store, PATHS, accounts)).endpoints
    access = Access(Credentials(store, PATHS, StoppedClock()).recognise, Rejected, SignIns())
    app = owners_app([Mount("/admin", routes=routes(endpoints, access))], HANDLERS)
    for id in (OWN, OTHER):
        await store.commit([Set(PATHS.within(id).business, {"name": id, "integrations": {}})])
    browser = httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://test")
    return Desk(store, browser, openapi.document([openapi.of_endpoints("/admin", endpoints)]))


@pytest.fixture
async def desk(store: Store, apps: Apps) -> AsyncIterator[Desk]:
    """Over each store in turn."""
    found = await opened(store, PipedreamAccounts(apps.http, apps.project, apps.clock))
    yield found
    await found.browser.aclose()


async def filled(store: Store, business_id: str, **items: int) -> None:
    """Enter collections with so many items each."""
    within = PATHS.within(business_id)
    writes: list[Write] = [
        Create(f"{within.items(name)}/i{n:03}", {"n": n}) for name, count in items.items() for n in range(count)
    ]
    await store.commit(writes)


async def test_a_business_sees_its_numbers_the_main_one_first_by_the_ids_that_tools_say(desk: Desk):
    """Each once; what stands among them and is no number is not there, nor what else is set for them."""
    rows = [
        {"id": "evenings", "number": SECOND, "agentId": "ada"},
        {"number": THIRD, "webhookToken": "canary"},
        {"id": "nobody", "number": "5"},
        "x",
    ]
    fields = {"twilioNumber": MAIN, "integrations": {"twilio": {"isConnected": True, "phoneNumbers": rows}}}
    await desk.store.commit([Set(PATHS.within(OWN).business, fields)])
    found = (await desk.got("phone-numbers"))["phoneNumbers"]
    assert found == [
        {"id": MAIN, "number": MAIN, "isMain": True},
        {"id": "evenings", "number": SECOND, "isMain": False},
        {"id": THIRD, "number": THIRD, "isMain": False},
    ]
    known = own_numbers(salon(**fields))
    assert [known[row["id"]] for row in found] == [row["number"] for row in found], "as a text's sender is looked up"
    assert (await desk.got("phone-numbers", OTHER, "neighbour")) == {"phoneNumbers": []}


async def test_a_main_number_that_its_owner_gave_an_id_has_that_one(desk: Desk):
    """It is not there twice."""
    rows = [{"id": "front", "number": MAIN}]
    fields = {"twilioNumber": MAIN, "integrations": {"twilio": {"phoneNumbers": rows}}}
    await desk.store.commit([Set(PATHS.within(OWN).business, fields)])
    row = {"id": "front", "number": MAIN, "isMain": True}
    assert (await desk.got("phone-numbers"))["phoneNumbers"] == [row]


async def test_a_business_sees_the_accounts_that_it_has_connected(desk: Desk, apps: Apps):
    """Of one app or of all, page by page; nobody else's, and nothing that opens one."""
    apps.account("gmail", user=OTHER)
    rows = (await desk.got("pipedream/accounts"))["accounts"]
    assert [(row["id"], row["app"], row["isUsable"]) for row in rows] == [
        (apps.gmail, "gmail", True),
        (apps.sheets, "google_sheets", True),
    ]
    first = await desk.got("pipedream/accounts?limit=1")
    second = await desk.got(f"pipedream/accounts?limit=1&cursor={first['nextCursor']}")
    assert first["accounts"] + second["accounts"] == rows
    assert (await desk.got("pipedream/accounts?app=google_sheets"))["accounts"] == rows[1:]
    assert (await desk.got("pipedream/accounts?app=slack")) == {"accounts": [], "nextCursor": None}
    shown = (await desk.ask("pipedream/accounts")).text
    secrets = [row["credentials"]["oauth_access_token"] for row in apps.stand_in.project.accounts.values()]
    assert not any(secret in shown for secret in [*secrets, apps.project.client_secret])


@pytest.mark.parametrize(
    ("mode", "status", "words"),
    [
        ("400", 400, "no app of that name"),
        ("429", 503, "try again"),
        ("500", 503, "try again"),
        ("402", 422, "those who operate it"),
    ],
)
async def test_a_pipedream_in_trouble_is_told_in_words_for_owners(
    desk: Desk, apps: Apps, mode: str, status: int, words: str
):
    """Not in those for a model in the middle of a call."""
    apps.fault(mode, "accounts.list")
    error = await desk.refused("pipedream/accounts", status)
    assert words in error["message"] and "message." not in error["message"]


async def test_where_no_apps_can_be_connected_it_is_said_what_is_missing(memory: Store):
    """The rest is there all the same."""
    desk = await opened(memory, None)
    assert "SWITCHBOARD_PIPEDREAM_PROJECT_ID" in (await desk.refused("pipedream/accounts", 404))["message"]
    assert await desk.got("phone-numbers") == {"phoneNumbers": []}
    await desk.browser.aclose()


async def test_a_business_sees_its_collections_with_how_much_lies_in_them(desk: Desk):
    """By name, its own alone; those that no tool could be made of are not there: without items, or by such a name."""
    await filled(desk.store, OWN, homes=3, Wines=1, homes2=2, **{"home-decor": 1, "zürich": 1, "new york": 1, "~": 1})
    await filled(desk.store, OTHER, aprons=1, zebras=1)
    await desk.store.commit([Create(PATHS.within(OWN).document("collections", "empty"), {"label": "Empty"})])
    await desk.store.commit([Create(f"{PATHS.within(OWN).collection('collections')}/h~by-hand/items/i", {})])
    await desk.store.commit([Create(f"businesses/{OWN}-2/collections/more/items/i", {})])
    assert await desk.got("collections") == {
        "collections": [
            {"name": "Wines", "items": 1},
            {"name": "home-decor", "items": 1},
            {"name": "homes", "items": 3},
            {"name": "homes2", "items": 2},
            {"name": "~", "items": 1},
        ],
        "nextCursor": None,
    }
    theirs = await desk.got("collections", OTHER, "neighbour")
    assert [row["name"] for row in theirs["collections"]] == ["aprons", "zebras"]


async def test_collections_come_in_pages(desk: Desk):
    """Each once, in order, to the end."""
    names = [f"c{n}" for n in range(5)]
    await filled(desk.store, OWN, **dict.fromkeys(names, 2))
    seen, cursor = [], ""
    while cursor is not None:
        page = await desk.got(f"collections?limit=2{f'&cursor={cursor}' if cursor else ''}")
        seen += [row["name"] for row in page["collections"]]
        cursor = page["nextCursor"]
    assert seen == names
    assert (await desk.got("collections?limit=5"))["nextCursor"] is None


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("collections?limit=0", "limit"),
        ("collections?cursor=x", "cursor"),
        ("pipedream/accounts?limit=101", "limit"),
        ("pipedream/accounts?app=../x", "app"),
        (f"pipedream/accounts?cursor={'x' * 3000}", "cursor"),
    ],
)
async def test_a_question_that_cannot_be_is_refused_by_its_part(desk: Desk, path: str, field: str):
    """Before anybody is asked."""
    assert (await desk.refused(path, 400))["field"] == field


@pytest.mark.parametrize("path", ROUTES)
async def test_whoever_has_a_role_may_look_and_nobody_else(desk: Desk, path: str):
    """A business that there is not is told to those alone who have every business."""
    for person, status in (("owner", 200), ("editor", 200), ("viewer", 200), ("stranger", 401), ("nobody", 403)):
        assert (await desk.ask(path, person)).status_code == status, person
    assert (await desk.ask(path, "owner", OTHER)).status_code == 403
    assert (await desk.ask(path, "platform", "nowhere")).status_code == 404


@pytest.mark.parametrize("path", ROUTES)
async def test_a_store_that_is_away_is_told_as_that(desk: Desk, path: str, monkeypatch: pytest.MonkeyPatch):
    """Owners are asked to try again."""

    async def away(*_: object) -> None:
        raise Unavailable("away")

    monkeypatch.setattr(desk.store, "get", away)
    assert (await desk.refused(path, 503))["type"] == "TRANSIENT"


async def test_the_lists_are_described(desk: Desk):
    """With who may read them, and how they are paged."""
    assert list(OpenAPIV31SpecValidator(desk.document).iter_errors()) == []
    for path in ROUTES:
        operation = desk.document["paths"][f"{BASE}/{{business_id}}/{path}"]["get"]
        assert operation["description"] == "For: platform, owner, editor, viewer."
        names = {parameter["name"] for parameter in operation["parameters"]} - {"business_id"}
        assert names == {"phone-numbers": set(), "collections": {"limit", "cursor"}}.get(
            path, {"app", "limit", "cursor"}
        )
