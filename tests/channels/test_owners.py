"""`GET /admin/explain` and `GET /metrics` over HTTP, as main wires them."""

import httpx2 as httpx
import pytest

from switchboard.admin.credentials import api_keys
from switchboard.app.container import build
from switchboard.app.settings import read_configuration
from switchboard.contract.credential import OWNER_SCOPES
from tests.channels.http.test_tools_api import KEY, PATHS, call, store  # noqa: F401 - a fixture
from tests.each import each

OWNER = "sb_owner"


@pytest.fixture
async def http(store):  # noqa: F811
    """A client with the key of a service, of a house whose salon has an owner too."""
    await api_keys.create_key(store, PATHS, "demo-salon", "owner", scopes=OWNER_SCOPES, text=OWNER)
    house = build(read_configuration({}), store)
    headers = {"Authorization": f"Bearer {KEY}"}
    transport = httpx.ASGITransport(app=house.app)
    async with httpx.AsyncClient(transport=transport, base_url="http://test", headers=headers) as client:
        yield client


def owner(**more):
    return {"Authorization": f"Bearer {OWNER}"} | more


async def test_an_owner_reads_the_story_of_a_call(http):
    """Which checks it met, what each saw, what was decided, and sentences an owner understands."""
    await http.post("/tools/execute", json=call("end_call", {}, channel="portal", callId="c1"))
    body = (await http.get("/admin/explain", params={"session": "s1", "call": "c1"}, headers=owner())).json()
    decisions = {c["check"]: c["decided"] for c in body["checks"]}
    assert (decisions["resolve"], decisions["admit"], decisions["run"]) == ("passed", "refused", "skipped")
    assert body["outcome"]["type"] == "MODE_RESTRICTED"
    assert body["sentences"]


async def test_without_a_call_the_sessions_calls_are_listed(http):
    """In the order in which they were made."""
    for id in ("c1", "c2"):
        await http.post("/tools/execute", json=call(callId=id))
    body = (await http.get("/admin/explain", params={"session": "s1"}, headers=owner())).json()
    assert [c["id"] for c in body["calls"]] == ["c1", "c2"]


async def test_what_was_done_in_a_session_can_be_shown_later(http):
    """Receipts stand beside the conversation: what, for whom, when, with the effect's ids; a repeat adds none."""
    wish = {"service": "Haircut", "start_time": "2026-12-02T10:00:00", "customer_name": "Ana Lopez"}
    for turn in (1, 2):
        await http.post("/tools/execute", json=call("book_appointment", wish, turn=turn))
    body = (await http.get("/admin/explain", params={"session": "s1"}, headers=owner())).json()
    assert len(body["receipts"]) == 1
    first = body["receipts"][0]
    assert (first["tool"], first["what"], first["for"]) == ("book_appointment", "Haircut", "Ana Lopez")
    assert first["effectIds"][0].startswith("bk_")


@pytest.mark.requirement("000-105")
@each(
    ("headers", "query", "status"),
    [
        ({"Authorization": ""}, {"session": "s1"}, 401),
        ({}, {"session": "s1"}, 403),
        (owner(), {"session": "s1", "businessId": "demo-plumber"}, 403),
        (owner(), {}, 400),
        (owner(), {"session": "unknown"}, 404),
    ],
)
async def test_nobody_else_reads_it_and_mistakes_are_named(http, headers, query, status):
    """No key, a service's key, another business, nothing asked, nothing there."""
    response = await http.get("/admin/explain", params=query, headers=headers)
    assert response.status_code == status
    assert response.json()["ok"] is False


async def test_what_was_called_is_measured_in_both_forms(http):
    """JSON in the seed's shape, or Prometheus text when that is asked for."""
    await http.post("/tools/execute", json=call())
    body = (await http.get("/metrics")).json()
    assert body["calls"]["search_knowledge"]["count"] == 1
    assert {"responseSizes", "responseTokens", "context", "loopDetection"} <= set(body)
    text = (await http.get("/metrics", headers={"Accept": "text/plain"})).text
    (line,) = [line for line in text.splitlines() if line.startswith("tool_calls_total") and "search_knowledge" in line]
    assert 'tool="search_knowledge"' in line
