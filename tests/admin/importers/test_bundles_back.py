"""A bundle that was exported here is taken back, here and elsewhere, whatever kinds of tools it holds."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from switchboard.contract.definitions.tenant_tool import Template
from switchboard.contract.store import Set
from tests.admin.connected import URL
from tests.admin.owners_office import OWN
from tests.admin.whole_house import PATHS, Owner, opened
from tests.desk.front_desk import SALON
from tests.each import each

pytestmark = pytest.mark.requirement("004-1902")

ELSEWHERE = "elsewhere"
NAMED = {"mode": "ai", "prompt": "Who", "schema": {"type": "string"}}
CONFIGS: list[dict[str, Any]] = [
    {"type": "sms", "label": "Directions", "text": "48 Maple Street.", "recipients": ["{{caller_phone_number}}"]},
    {
        "type": "api_request",
        "label": "Customer",
        "request": {"url": "https://crm.example.com/c/{{id}}", "headers": {"X-Key": "{{secret.crm}}"}},
        "params": {"id": NAMED},
    },
    {"type": "transfer_call", "label": "Front desk", "destination": {"type": "number", "number": "+15185550142"}},
    {"type": "transfer_call", "label": "Hand over", "destination": {"type": "agent", "agentId": "bob"}},
    {"type": "query", "label": "Look up", "knowledge": {"type": "knowledge_base"}, "params": {"question": NAMED}},
    {
        "type": "pipedream_action",
        "label": "Mail it",
        "pipedreamMetadata": {"app": "gmail", "accountId": "apn_1", "actionKey": "gmail-send-email"},
        "params": {"to": NAMED},
    },
]
HEADERS: list[Any] = [
    None,
    {"X-Key": {"secret": "crm", "prefix": "Key "}},
    {"X-Key": "Key {{secret.crm}}"},
    {"X-T": "a"},
]


@pytest.fixture
async def owner() -> AsyncIterator[Owner]:
    """Whoever runs two businesses, of which each has a secret."""
    async with opened() as found:
        await found.house.store.commit([Set(PATHS.within(ELSEWHERE).business, {**SALON, "integrations": {}})])
        for business in (OWN, ELSEWHERE):
            answer = await found.send("PUT", f"/api/{business}/secrets/crm", {"value": "s3cr3t"})
            assert answer.status_code in (200, 201, 204), answer.text
            for name in ("Ada", "Bob"):
                agent = {"name": name, "channels": ["phone"], "language": "en"}
                await found.done("POST", f"/admin/businesses/{business}/agents", agent)
        yield found


async def tools(owner: Owner, business: str = OWN) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await owner.send("GET", f"/api/{business}/tools")).json()["tools"]
    return found


async def bundle(owner: Owner, business: str = OWN) -> dict[str, Any]:
    found: dict[str, Any] = await owner.done("GET", f"/admin/businesses/{business}/tools/export?as=bundle")
    return found


async def taken(owner: Owner, what: Any, business: str = OWN) -> Any:
    return await owner.send("POST", f"/admin/businesses/{business}/tools/bundle", {"bundle": what, "dryRun": False})


async def connect(owner: Owner, headers: Any, business: str = OWN) -> Any:
    server = {"url": URL} | ({"headers": headers} if headers else {})
    return await owner.send("POST", f"/admin/businesses/{business}/mcp/connect", {"server": server, "tools": ["find"]})


async def cleared(owner: Owner) -> None:
    for tool in await tools(owner):
        assert (await owner.send("DELETE", f"/api/{OWN}/tools/{tool['id']}")).status_code in (200, 204)


@pytest.mark.parametrize("headers", HEADERS)
async def test_every_kind_of_tool_comes_back_as_it_went(owner: Owner, headers: Any):
    """Exported, deleted, taken in and exported again it is the same, here and in another business; and a connected
    server's is connected as it was: once, and reviewed as unchanged."""
    for config in CONFIGS:
        await owner.done("POST", f"/api/{OWN}/tools", config)
    assert (await connect(owner, headers)).status_code in (200, 201)
    assert {tool["type"] for tool in await tools(owner)} == set(Template)
    ids = {tool["name"]: tool["id"] for tool in await tools(owner) if tool["type"] == "mcp_tool"}
    before = await bundle(owner)
    assert before["hidden"] == before["leftOut"] == []
    await cleared(owner)
    answer = await taken(owner, before)
    assert answer.status_code == 200, answer.text
    assert await bundle(owner) == before
    assert {tool["name"]: tool["id"] for tool in await tools(owner) if tool["type"] == "mcp_tool"} == ids
    review = await owner.send("POST", f"/admin/businesses/{OWN}/mcp/review", {"url": URL})
    assert [row["state"] for row in review.json()["tools"]] == ["unchanged"]
    assert (await connect(owner, headers)).status_code == 400
    answer = await taken(owner, json.dumps(before), ELSEWHERE)
    assert answer.status_code == 200, answer.text
    there = await bundle(owner, ELSEWHERE)
    assert (there["tools"], there["needs"]) == (before["tools"], before["needs"])


async def test_a_server_is_connected_once_also_by_a_bundle(owner: Owner):
    """A tool of it that goes by another name here is what the bundle's clashes with."""
    await connect(owner, None)
    before = await bundle(owner)
    (tool,) = await tools(owner)
    await owner.send("PATCH", f"/api/{OWN}/tools/{tool['id']}", {"name": "another"}, str(tool["revision"]))
    assert [tool["name"] for tool in await tools(owner)] == ["another"]
    answer = await taken(owner, before)
    assert answer.status_code == 409, answer.text
    assert (await taken(owner, {**before})).status_code == 409


async def test_what_was_typed_out_is_told_with_what_can_be_written_there(owner: Owner):
    """A header of a connected server as of a request; and what is written there is then taken."""
    await connect(owner, {"X-Api-Key": "typed-out-8f7e6d5c"})
    before = await bundle(owner)
    assert "typed-out" not in json.dumps(before)
    await cleared(owner)
    refused = await taken(owner, before)
    assert refused.status_code == 400
    assert "{{secret.name}}" in refused.json()["error"]["message"] and "leaveOut" in refused.json()["error"]["message"]
    before["tools"][0]["config"]["server"]["headers"]["X-Api-Key"] = "{{secret.crm}}"
    answer = await taken(owner, {**before, "hash": None})
    assert answer.status_code == 200, answer.text


@each(
    "value",
    ["{{caller_phone_number}}", "{{secret.crm}}{{secret.crm}}", "a {{secret.}}", "{{secret.crm", "x\ny {{secret.crm}}"],
)
async def test_a_header_of_a_connected_server_holds_no_other_variable(owner: Owner, value: str):
    for path in ("connect", "discover"):
        body: dict[str, Any] = {"server": {"url": URL, "headers": {"X-Key": value}}}
        body |= {"tools": ["find"]} if path == "connect" else {}
        answer = await owner.send("POST", f"/admin/businesses/{OWN}/mcp/{path}", body)
        assert answer.status_code == 400, answer.text
