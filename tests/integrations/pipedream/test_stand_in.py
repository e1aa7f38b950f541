"""The stand-in, held against Pipedream's own SDK, and what it refuses by itself."""

import aiohttp
import httpx
import pytest
from pipedream import AsyncPipedream

from stand_ins.pipedream.project import CLIENT_ID, CLIENT_SECRET, PROJECT_ID
from tests.integrations.pipedream.connected import SALON_ID


@pytest.fixture
async def sdk(apps):
    """Pipedream's own client, pointed at the stand-in."""
    own = {"client_id": CLIENT_ID, "client_secret": CLIENT_SECRET, "project_id": PROJECT_ID}
    # One that we can close: its own stays open.
    async with httpx.AsyncClient(timeout=300, verify=False) as client:
        yield AsyncPipedream(**own, base_url=apps.url, httpx_client=client)


async def test_pipedreams_own_sdk_finds_everything_where_it_looks(apps, sdk):
    """Token, component, account, dynamic fields and run, as its types read them."""
    component = await sdk.actions.retrieve("google_sheets-add-single-row")
    assert [prop.name for prop in component.configurable_props] == ["googleSheets", "sheetId", "hasHeaders"]
    account = await sdk.accounts.retrieve(apps.sheets)
    assert (account.healthy, account.dead, account.external_id) == (True, False, SALON_ID)
    chosen = {"googleSheets": {"authProvisionId": apps.sheets}, "sheetId": "s1", "hasHeaders": True}
    shared = {"id": component.key, "external_user_id": SALON_ID}
    reloaded = await sdk.actions.reload_props(**shared, configured_props=chosen)
    columns = {"col_0000": "Grace Okafor", "col_0001": "+15185550163"}
    done = await sdk.actions.run(
        **shared, configured_props=chosen | columns, dynamic_props_id=reloaded.dynamic_props.id, stash_id="NEW"
    )
    assert (done.exports, done.ret, done.os) == ({"$summary": "Added 1 row"}, {"updatedRange": "Sheet1!A3"}, [])
    assert {line["environment"] for line in apps.asked("actions.run")} == {"production"}


async def test_pipedreams_own_sdk_lists_a_users_accounts_page_by_page(apps, sdk):
    """Of one app or of all, and nobody else's."""
    apps.account("gmail", user="demo-plumber")
    second = apps.account("gmail", name="front@example.com")
    chosen = {"external_user_id": SALON_ID, "limit": 1}
    found = [account async for account in await sdk.accounts.list(**chosen)]
    assert [account.id for account in found] == [apps.gmail, apps.sheets, second]
    assert {account.external_id for account in found} == {SALON_ID}
    assert (found[2].name, found[2].app.name_slug, found[2].credentials) == ("front@example.com", "gmail", None)
    of_app = await sdk.accounts.list(**chosen, app="google_sheets")
    assert [account.id async for account in of_app] == [apps.sheets]


async def test_the_sdk_would_run_an_action_again_that_may_have_run(apps, sdk):
    """Why it is not what we run actions with."""
    apps.fault("accept-then-500")
    props = {**apps.mail().props, "gmail": {"authProvisionId": apps.gmail}}
    await sdk.actions.run(id="gmail-send-email", external_user_id=SALON_ID, configured_props=props)
    assert len(apps.runs) == 2


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"configured_props": {"to": ["a@example.com"], "subject": "x", "body": "y"}}, 400),
        ({"external_user_id": ""}, 400),
        ({"external_user_id": "somebody-else"}, 403),
        ({"id": "gmail.action.send-email"}, 404),
        ({"stash_id": 5}, 400),
        ({"retries": 2}, 400),
    ],
)
async def test_a_request_that_pipedream_would_refuse_is_refused(apps, changes, status):
    """And nothing runs."""
    props = {**apps.mail().props, "gmail": {"authProvisionId": apps.gmail}}
    body = {"id": "gmail-send-email", "external_user_id": SALON_ID, "configured_props": props} | changes
    token = apps.stand_in.project.token(
        {"grant_type": "client_credentials", "client_id": CLIENT_ID, "client_secret": CLIENT_SECRET}
    )["access_token"]
    headers = {"Authorization": f"Bearer {token}", "x-pd-environment": "production"}
    url = f"{apps.url}/v1/connect/{PROJECT_ID}/actions/run"
    async with aiohttp.ClientSession() as http, http.post(url, json=body, headers=headers) as answer:
        assert answer.status == status
        assert "error" in await answer.json()
    assert apps.runs == []


async def test_its_own_doors_show_what_it_was_asked_without_secrets(apps):
    """Accounts can be connected and taken back, faults set and ended, and the journal read, over HTTP."""
    async with aiohttp.ClientSession(apps.url) as http:
        async with http.post("/_stand_in/accounts", json={"external_user_id": "x", "app": "gmail"}) as answer:
            id = (await answer.json())["id"]
        async with http.delete(f"/_stand_in/accounts/{id}") as answer:
            assert answer.ok
        async with http.post("/_stand_in/faults", json={"mode": "no such mode"}) as answer:
            assert answer.status == 400
        grant = {"grant_type": "client_credentials", "client_id": CLIENT_ID, "client_secret": CLIENT_SECRET}
        async with http.post("/v1/oauth/token", json=grant) as answer:
            given = (await answer.json())["access_token"]
        async with http.get("/_stand_in/requests") as answer:
            shown = await answer.text()
    assert CLIENT_SECRET not in shown and given not in shown
    assert apps.stand_in.project.accounts[id]["error"]
