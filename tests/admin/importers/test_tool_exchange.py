"""Tools in and out over HTTP: chosen operations of an OpenAPI document, exports, and bundles between businesses."""

import json
from collections.abc import AsyncIterator
from typing import Any

import mcp_types
import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator
from pydantic import TypeAdapter

from switchboard.admin.importers.api_document import read_api
from switchboard.contract import policy
from switchboard.contract.store import Set
from switchboard.state.memory.store import MemoryStore
from tests.admin.exchange_house import ExchangeHouse, open_house
from tests.admin.owners_office import OTHER, OWN
from tests.pipeline.conftest import PATHS

API: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Orders", "version": "1"},
    "servers": [{"url": "https://orders.example.com"}],
    "security": [{"key": []}],
    "components": {"securitySchemes": {"key": {"type": "http", "scheme": "bearer"}}},
    "paths": {
        "/orders/{id}": {
            "get": {"operationId": "look", "summary": "Look an order up"},
            "delete": {"operationId": "cancel", "summary": "Cancel an order"},
        },
        "/events": {"post": {"requestBody": {"required": True, "content": {"text/csv": {}}}}},
    },
}
SMS = {
    "type": "sms",
    "label": "Directions",
    "description": "Text the way to {{caller_phone_number}}.",
    "from": {"type": "specific_number", "phone_number_id": "pn1"},
    "text": "Hello",
    "recipients": ["{{caller_phone_number}}"],
}
CRM = {
    "type": "api_request",
    "label": "Customer",
    "request": {
        "url": "https://crm.example.com/c/{{id}}",
        "headers": {
            "Authorization": {"secret": "crm", "prefix": "Bearer "},
            "X-Api-Key": "{{secret.crm2}}",
        },
    },
    "params": {"id": {"mode": "ai", "prompt": "Who", "schema": {"type": "string"}}},
}


@pytest.fixture
async def house(memory: MemoryStore) -> AsyncIterator[ExchangeHouse]:
    """Two businesses without tools."""
    found = await open_house(memory)
    yield found
    await found.browser.aclose()


@pytest.fixture
async def stocked(house: ExchangeHouse) -> ExchangeHouse:
    """The salon has two tools and two agents, of whom one has both."""
    permit = await permit_of(house)
    for config in (SMS, {**CRM, "enabled": False}):
        await house.room.tools.create(permit, config)
    for name in ("Ada", "Bob"):
        await house.agents.create(permit, {"name": name, "channels": ["phone"], "language": "de"})
    for id in await house.stored():
        await house.room.attachments.attach(permit, "ada", id)
    return house


async def permit_of(house: ExchangeHouse) -> Any:
    """Return the owner's permit."""
    from switchboard.admin.access.access import OwnerIdentity, Permit
    from switchboard.admin.access.roles import Role

    return Permit(OwnerIdentity("user:owner", "owner@example.com", {OWN: Role.OWNER}), OWN, Role.OWNER)


async def test_a_document_is_listed_and_nothing_is_made(house: ExchangeHouse):
    """What each operation would ask of a model, which secrets it needs, and what keeps one from being made."""
    for text in (API, json.dumps(API)):
        found = await house.done("POST", "import", {"document": text})
        assert [o["id"] for o in found["operations"]] == ["look", "cancel", "POST /events"]
        look, _, events = found["operations"]
        assert look["asked"]["required"] == ["id"] and look["problems"] == [] and look["tool"] is None
        assert list(look["secrets"]) == [look["secrets"] and next(iter(look["secrets"]))]
        assert "text/csv" in events["problems"][0] and events["asked"] is None
    assert await house.stored() == {}


async def test_only_what_was_chosen_is_made_and_only_once(house: ExchangeHouse):
    """Under a name that no built-in tool has; a repeat makes nothing, a changed document changes nothing."""
    order = {"document": API, "chosen": ["look", "DELETE /orders/{id}"]}
    made = await house.done("POST", "import", order)
    assert [(row["operation"], row["state"], row["tool"]["name"]) for row in made["tools"]] == [
        ("look", "created", "look_2"),
        ("cancel", "created", "cancel"),
    ]
    stored = await house.stored()
    assert {data["configMetadata"]["request"]["method"] for data in stored.values()} == {"GET", "DELETE"}
    again = await house.done("POST", "import", order)
    assert [row["state"] for row in again["tools"]] == ["there", "there"]
    changed = json.loads(json.dumps(API).replace("Look an order up", "Look up"))
    later = await house.done("POST", "import", {"document": changed, "chosen": ["look"]})
    assert [row["state"] for row in later["tools"]] == ["differs"]
    assert await house.stored() == stored
    listed = await house.done("POST", "import", {"document": changed})
    assert [o["tool"] and o["tool"]["isSame"] for o in listed["operations"]] == [False, True, None]


async def test_one_operation_that_cannot_be_made_keeps_all_from_it(house: ExchangeHouse):
    """Every problem at once, by operation."""
    chosen = ["look", "POST /events", "nothing"]
    error = await house.refused("POST", "import", {"document": API, "chosen": chosen}, 400)
    assert {p["field"] for p in error["problems"]} == {"chosen.POST /events", "chosen.nothing"}
    assert await house.stored() == {}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "document"),
        ({"document": "a: &a [*a]"}, "document"),
        ({"document": API, "chosen": []}, "chosen"),
        ({"document": API, "chosen": "look"}, "chosen"),
        ({"document": API, "chosen": ["look"] * 51}, "chosen"),
        ({"document": API, "choosen": ["look"]}, "choosen"),
        ({"document": API, "server": "http://x.example.com"}, "server"),
        ({"document": API, "server": 7}, "server"),
    ],
)
async def test_what_cannot_be_understood_is_named(house: ExchangeHouse, body: Any, field: str):
    """A misspelled field does not turn into a listing."""
    assert (await house.refused("POST", "import", body, 400))["field"] == field


async def test_a_business_has_no_more_tools_than_it_may(house: ExchangeHouse, monkeypatch: pytest.MonkeyPatch):
    """Nothing is half imported."""
    monkeypatch.setattr(policy, "TENANT_TOOLS", 1)
    await house.refused("POST", "import", {"document": API, "chosen": ["look", "cancel"]}, 409)
    assert await house.stored() == {}


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [("POST", "import", {"document": API}), ("POST", "bundle", {"bundle": {}}), ("GET", "export", None)],
)
async def test_who_may_not_edit_takes_nothing_in_and_strangers_see_nothing(
    house: ExchangeHouse, method: str, path: str, body: Any
):
    """A viewer may export."""
    assert (await house.ask(method, path, body, by="neighbour")).status_code == 403
    assert (await house.ask(method, path, body, by="viewer")).status_code == (200 if method == "GET" else 403)


async def test_an_export_as_openapi_is_a_sound_document_that_can_be_imported(stocked: ExchangeHouse):
    """One operation for each enabled tool; what is not there is said, and no secret is named in it."""
    found = await stocked.done("GET", "export?as=openapi")
    OpenAPIV31SpecValidator(found).validate()
    operation = found["paths"]["/tools/execute/directions"]["post"]
    assert operation["operationId"] == "directions" and "{{" not in json.dumps(found)
    assert found["x-left-out"] == [{"name": "customer", "why": "it is disabled"}]
    assert "crm" not in json.dumps(found)
    (back,) = read_api(found).operations
    assert (back.id, back.problems) == ("directions", ())


async def test_an_export_as_mcp_is_a_list_of_tools(stocked: ExchangeHouse):
    """As the protocol's own types read it."""
    found = await stocked.done("GET", "export?as=mcp")
    tools = TypeAdapter(list[mcp_types.Tool]).validate_python(found["tools"])
    assert [tool.name for tool in tools] == ["directions"]
    await stocked.refused("GET", "export?as=xml", None, 400)


async def test_a_bundle_goes_into_another_business_and_comes_out_the_same(stocked: ExchangeHouse):
    """First told, then done; the hash is the same there, and a repeat changes nothing."""
    bundle = await stocked.done("GET", "export?as=bundle")
    assert bundle["needs"] == {
        "secrets": ["crm", "crm2"], "accounts": [], "numbers": ["pn1"], "rules": [], "collections": [],
    }  # fmt: skip
    assert [(a["id"], a["attached"]) for a in bundle["agents"]] == [("ada", ["customer", "directions"]), ("bob", [])]
    whose = {"by": "neighbour", "of": OTHER}
    plan = await stocked.done("POST", "bundle", {"bundle": bundle}, **whose)
    assert [row["state"] for row in plan["tools"] + plan["agents"]] == ["create"] * 4
    assert plan["isDone"] is False and await stocked.stored("tools", OTHER) == {}
    done = await stocked.done("POST", "bundle", {"bundle": json.dumps(bundle), "dryRun": False}, **whose)
    assert done["isDone"] is True
    there = await stocked.done("GET", "export?as=bundle", **whose)
    assert there == bundle
    before = await stocked.stored("agentTools", OTHER)
    again = await stocked.done("POST", "bundle", {"bundle": bundle, "dryRun": False}, **whose)
    assert [row["state"] for row in again["tools"]] == ["same", "same"]
    assert [(row["state"], row["attach"], row["differs"]) for row in again["agents"]] == [("there", [], [])] * 2
    assert await stocked.stored("agentTools", OTHER) == before
    assert {d["enabled"] for d in (await stocked.stored("tools", OTHER)).values()} == {True, False}


@pytest.mark.requirement("002-20")
async def test_a_bundle_brings_the_agents_that_its_tools_hand_over_to(stocked: ExchangeHouse):
    """One that is neither there nor in the bundle is told before anything is made, and so is one that has the tool."""
    permit = await permit_of(stocked)
    over = {"type": "transfer_call", "label": "Hand over", "destination": {"type": "agent", "agentId": "bob"}}
    tool = await stocked.room.tools.create(permit, over)
    await stocked.room.attachments.attach(permit, "ada", tool.id)
    bundle = await stocked.done("GET", "export?as=bundle")
    whose = {"by": "neighbour", "of": OTHER}
    del bundle["hash"]
    ada, bob = bundle["agents"]
    for agents in ([ada], [ada, {**bob, "attached": ["hand_over"]}]):
        wrong = {"bundle": bundle | {"agents": agents}, "dryRun": False}
        error = await stocked.refused("POST", "bundle", wrong, 400, **whose)
        assert error["problems"][0]["field"] == "bundle.hand_over.destination.agentId"
        assert await stocked.stored("tools", OTHER) == {} and await stocked.stored("agents", OTHER) == {}
    await stocked.done("POST", "bundle", {"bundle": bundle, "dryRun": False}, **whose)
    assert len(await stocked.stored("agentTools", OTHER)) == 3


async def test_what_clashes_is_told_and_nothing_is_overwritten(stocked: ExchangeHouse):
    """Unless it is left out, nothing at all is taken in."""
    bundle = await stocked.done("GET", "export")
    config = bundle["tools"][0]["config"]
    bundle["tools"][0]["config"] = config | {"description": "Another."}
    del bundle["hash"]
    plan = await stocked.done("POST", "bundle", {"bundle": bundle})
    assert [row["state"] for row in plan["tools"]] == ["collision", "same"]
    error = await stocked.refused("POST", "bundle", {"bundle": bundle, "dryRun": False}, 409)
    assert "customer" in error["message"]
    rest = {"bundle": bundle, "dryRun": False, "leaveOut": ["customer"]}
    assert (await stocked.done("POST", "bundle", rest))["isDone"] is True
    bundle["tools"][0]["name"] = "look"
    bundle["agents"] = []
    assert (await stocked.done("POST", "bundle", {"bundle": bundle}))["tools"][0]["with"] == "a built-in tool"


async def test_secrets_that_owners_wrote_out_are_not_taken_along(stocked: ExchangeHouse):
    """Where one was is told, and what lacks it cannot be taken in as if it were whole."""
    value = "Bearer sk-live-4f9a8b7c6d5e4f3a2b1c"
    config = {**CRM, "label": "Leaky", "request": {**CRM["request"], "headers": {"Authorization": value}}}
    await stocked.room.tools.create(await permit_of(stocked), config)
    bundle = await stocked.done("GET", "export")
    assert value not in json.dumps(bundle)
    assert bundle["hidden"] == ["leaky.request.headers.Authorization"]
    error = await stocked.refused("POST", "bundle", {"bundle": bundle}, 400, by="neighbour", of=OTHER)
    assert error["field"] == "bundle.leaky.request.headers.Authorization"


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (lambda b: b.update(switchboardBundle=2), "bundle"),
        (lambda b: b.update(hash="0" * 32), "bundle.hash"),
        (lambda b: b["tools"][0].update(enabled=False, more=1), "bundle.tools[0]"),
        (lambda b: b["tools"][0].update(name="No Name"), "bundle.tools[0].name"),
        (lambda b: b["tools"].append(b["tools"][0]), "bundle.tools"),
        (lambda b: b["tools"][1]["config"].pop("text"), "bundle.hash"),
        (lambda b: (b.pop("hash"), b["tools"][1]["config"].update(type="?")), "bundle.directions.type"),
        (lambda b: b["agents"][0].update(attached=["nothing"]), "bundle.agents"),
        (lambda b: b["agents"][0].pop("name"), "bundle.agents[0]"),
        (lambda b: b.update(tools={}), "bundle.tools"),
    ],
)
async def test_what_is_no_whole_bundle_is_refused_with_what_is_wrong(stocked: ExchangeHouse, change: Any, field: str):
    """A bundle that was changed on its way is told from one that its owner changed."""
    bundle = await stocked.done("GET", "export")
    change(bundle)
    error = await stocked.refused("POST", "bundle", {"bundle": bundle, "dryRun": False}, 400, by="neighbour", of=OTHER)
    assert field in [p["field"] for p in error["problems"]]
    assert await stocked.stored("tools", OTHER) == {}


async def test_a_tool_that_cannot_be_used_is_left_out_and_said(stocked: ExchangeHouse):
    """It is nobody's to take along."""
    path = PATHS.within(OWN).document("tools", "broken")
    await stocked.store.commit([Set(path, {"name": "broken", "type": "fax", "configMetadata": {}})])
    for form in ("openapi", "mcp", "bundle"):
        found = await stocked.done("GET", f"export?as={form}")
        left = found.get("leftOut") or found.get("x-left-out") or found["_meta"]["leftOut"]
        assert "fax" in next(row["why"] for row in left if row["name"] == "broken")


@pytest.mark.requirement("004-980")
async def test_what_carries_a_secret_comes_in_by_an_owner_alone(stocked: ExchangeHouse):
    """Of a document and of a bundle nothing is made where an editor may not make all of it."""
    before = await stocked.stored()
    bundle = await stocked.done("GET", "export?as=bundle") | {"hash": None}
    again = [{**tool, "name": f"{tool['name']}_2"} for tool in bundle["tools"]]
    for tools in ([again[0]], [again[1]], again):
        sent = {"bundle": bundle | {"tools": tools, "agents": []}, "dryRun": False}
        error = await stocked.refused("POST", "bundle", sent, 403, by="editor")
        assert "Your role does not allow changing" in error["message"]
    open_api = {**API, "paths": {"/hours": {"get": {"operationId": "hours", "security": []}}, **API["paths"]}}
    await stocked.refused("POST", "import", {"document": open_api, "chosen": ["hours", "look"]}, 403, by="editor")
    assert await stocked.stored() == before
    await stocked.done("POST", "import", {"document": open_api, "chosen": ["hours"]}, by="editor")
    assert len(await stocked.stored()) == len(before) + 1


@pytest.mark.requirement("004-983")
async def test_a_key_in_an_address_leaves_with_nobody(house: ExchangeHouse):
    """As one in a header does: the bundle says where, and is refused until a secret is named there."""
    typed = {**CRM, "request": {**CRM["request"], "url": "https://crm.example.com/c/{{id}}?apikey=LITERAL5f3a9c"}}
    await house.room.tools.create(await permit_of(house), typed)
    for by in ("owner", "viewer"):
        answer = await house.ask("GET", "export?as=bundle", by=by)
        assert answer.status_code == 200 and "LITERAL5f3a9c" not in answer.text
        assert answer.json()["hidden"] == ["customer.request.url"]
    error = await house.refused(
        "POST", "bundle", {"bundle": answer.json(), "dryRun": False}, 400, of=OTHER, by="neighbour"
    )
    assert "request.url" in error["problems"][0]["field"]
