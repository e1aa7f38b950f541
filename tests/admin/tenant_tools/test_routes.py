"""Who may do what with which tool, over HTTP: nobody reads, runs or binds what is another business's."""

from types import SimpleNamespace
from typing import Any

import jsonschema_rs
import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from switchboard.admin.api import openapi
from switchboard.contract.store import Query, Set, Unavailable, Update
from switchboard.desk.tenant_tools.api_requests import ApiRequests
from tests.admin.owners_office import OTHER, OWN
from tests.admin.tool_house import AT_START, LOOKUP, WITHIN, ToolHouse
from tests.desk.tenant_tools.test_api_requests import MemoryEgress, NoSecrets, all_places
from tests.pipeline.conftest import PATHS

RIVALS = PATHS.within(OTHER)
# Method, path with places for a business, a tool, an agent and a secret, and a body.
ROUTES: list[tuple[str, str, Any]] = [
    ("GET", "/{b}/tools", None),
    ("POST", "/{b}/tools", LOOKUP),
    ("GET", "/{b}/tools/{t}", None),
    ("PATCH", "/{b}/tools/{t}", {"description": "Stolen."}),
    ("PUT", "/{b}/tools/{t}", LOOKUP),
    ("DELETE", "/{b}/tools/{t}", None),
    ("POST", "/{b}/tools/{t}/test", {"args": {"order": "1"}}),
    ("GET", "/{b}/agents/{a}/tools", None),
    ("POST", "/{b}/agents/{a}/tools", {"toolId": "{t}"}),
    ("POST", "/{b}/agents/{a}/tools/attach", {"toolId": "{t}"}),
    ("POST", "/{b}/agents/{a}/tools/detach", {"toolId": "{t}"}),
    ("DELETE", "/{b}/agents/{a}/tools/{t}", None),
    ("POST", "/{b}/agents/{a}/collections", {"collection": "homes"}),
    ("GET", "/{b}/secrets", None),
    ("PUT", "/{b}/secrets/{s}", {"value": "stolen"}),
    ("DELETE", "/{b}/secrets/{s}", None),
    ("GET", "/{b}/vapi", None),
    ("POST", "/{b}/vapi/repair", None),
]
BY_TOOL = [row for row in ROUTES if "{t}" in row[1] + str(row[2])]
BY_AGENT = [row for row in ROUTES if "{a}" in row[1]]


async def rivals_tool(house: ToolHouse) -> dict[str, Any]:
    """Give the plumber a tool, attached to an agent of its own, and a secret."""
    await house.store.commit([Set(RIVALS.document("agents", "zed"), {"name": "Zed", "isDefault": True})])
    made = await house.done("POST", f"/{OTHER}/tools", {**LOOKUP, "label": "Rivals"}, by="neighbour")
    tool: dict[str, Any] = made["tool"]
    await house.done("POST", f"/{OTHER}/agents/zed/tools", {"toolId": tool["id"]}, by="neighbour")
    await house.done("PUT", f"/{OTHER}/secrets/crm", {"value": "rivals-secret"}, by="neighbour")
    return tool


async def everything(house: ToolHouse) -> str:
    """Return all that there is of the plumber, and all that Vapi has."""
    rows = [await house.stored(name, OTHER) for name in ("tools", "agents", "agentTools", "secrets", "audit")]
    business = await house.store.get(RIVALS.business)
    return repr((rows, business, house.theirs, house.stand_in.account.assistants))


def filled(value: Any, **ids: str) -> Any:
    """Return a path or body with ids in its places."""
    if isinstance(value, dict):
        return {k: filled(v, **ids) for k, v in value.items()} if value.keys() == {"toolId"} else value
    return value.format(**ids) if isinstance(value, str) else value


def test_the_matrix_holds_every_route(house: ToolHouse):
    """So that none is forgotten."""
    places = {"b": "{business_id}", "t": "{tool_id}", "a": "{agent_id}", "s": "{name}"}
    assert {(method, path.format(**places)) for method, path, _ in ROUTES} == {
        (e.method, e.path) for e in house.endpoints
    }


@pytest.mark.requirement("002-128", "002-129")
@pytest.mark.parametrize(("method", "path", "body"), ROUTES)
async def test_whoever_is_not_of_the_business_learns_nothing(house: ToolHouse, method: str, path: str, body: Any):
    """Not even whether it, its tool or its agent exists; and nobody gets in without a credential."""
    tool = await rivals_tool(house)
    before = await everything(house)
    answers = set()
    for business, id, agent, secret in ((OTHER, tool["id"], "zed", "crm"), ("nowhere", "none", "none", "none")):
        ids = {"b": business, "t": id, "a": agent, "s": secret}
        answer = await house.ask(method, filled(path, **ids), filled(body, **ids))
        assert answer.status_code == 403
        answers.add(answer.text)
        nobody = await house.browser.request(method, f"/api{filled(path, **ids)}", json=body)
        assert nobody.status_code == 401
    assert len(answers) == 1
    assert await everything(house) == before and house.sent == []


@pytest.mark.requirement("002-129", "002-132")
@pytest.mark.parametrize(("method", "path", "body"), BY_TOOL)
async def test_anothers_tool_is_no_tool_of_ones_own(house: ToolHouse, method: str, path: str, body: Any):
    """It cannot be read, changed, run, or bound to an agent by its id, nor by Vapi's."""
    tool = await rivals_tool(house)
    await house.attach(await house.make())
    before = await everything(house)
    for id in (tool["id"], tool["externalToolId"], "rivals", "..", "x" * 400):
        ids = {"b": OWN, "t": id, "a": "ada", "s": "crm"}
        if id == ".." and "{t}" in path:
            continue
        answer = await house.ask(method, filled(path, **ids), filled(body, **ids))
        assert (answer.status_code, "There is no such tool" in answer.text) == (404, True), answer.text
    assert await everything(house) == before and house.sent == []


@pytest.mark.parametrize(("method", "path", "body"), BY_AGENT)
async def test_anothers_agent_is_no_agent_of_ones_own(house: ToolHouse, method: str, path: str, body: Any):
    """Nothing is attached to it, and it runs nothing."""
    await rivals_tool(house)
    tool = await house.make()
    before = await everything(house)
    ids = {"b": OWN, "t": tool["id"], "a": "zed", "s": "crm"}
    answer = await house.ask(method, filled(path, **ids), filled(body, **ids))
    assert (answer.status_code, "There is no such agent" in answer.text) == (404, True)
    trial = await house.ask("POST", f"tools/{tool['id']}/test", {"args": {"order": "1"}, "agentId": "zed"})
    assert trial.status_code == 404 and house.sent == []
    assert await everything(house) == before


@pytest.mark.requirement("002-131")
async def test_anothers_assistant_and_tool_at_vapi_are_not_touched_by_their_ids(house: ToolHouse):
    """Knowing an id there opens nothing: only what calls us under an id of one's own is one's own."""
    tool = await rivals_tool(house)
    before = dict(house.theirs[tool["externalToolId"]])
    for known in ({"externalToolId": tool["externalToolId"]}, {"id": tool["id"]}):
        await house.refused("POST", "tools", {**LOOKUP, **known}, 400)
    made = await house.make(LOOKUP)
    assert made["externalToolId"] != tool["externalToolId"] and made["id"] != tool["id"]
    await house.done("DELETE", f"tools/{made['id']}")
    await house.done("POST", "vapi/repair")
    assert house.theirs == {tool["externalToolId"]: before}


async def test_a_secret_of_anothers_is_not_found_by_its_name(house: ToolHouse):
    """Each business has its own."""
    await rivals_tool(house)
    assert (await house.done("GET", "secrets"))["secrets"] == []
    await house.refused("DELETE", "secrets/crm", None, 404)
    await house.done("PUT", "secrets/crm", {"value": "mine"})
    await house.done("DELETE", "secrets/crm")
    assert await house.secrets.reveal(OTHER, "tools", "crm") == "rivals-secret"


@pytest.mark.parametrize(
    ("person", "allowed"),
    [
        ("owner", {"GET", "POST", "PUT", "PATCH", "DELETE"}),
        ("editor", {"GET", "POST", "PUT", "PATCH", "DELETE"}),
        ("viewer", {"GET"}),
        ("neighbour", set()),
    ],
)
async def test_each_role_may_do_what_is_its(house: ToolHouse, person: str, allowed: set[str]):
    """Viewers look, editors edit, and secrets are the owners' to enter."""
    for method, path, body in ROUTES:
        ids = {"b": OWN, "t": "none", "a": "none", "s": "crm"}
        answer = await house.ask(method, filled(path, **ids), filled(body, **ids), by=person)
        is_let_in = method in allowed and not (person == "editor" and "/secrets/" in path)
        assert (answer.status_code != 403) is is_let_in, (person, method, path, answer.text)


@pytest.mark.parametrize("name", ["tools", "phone-number"])
async def test_no_business_is_known_by_a_name_that_vendors_paths_begin_with(house: ToolHouse, name: str):
    """Even if there were one."""
    await house.store.commit([Set(PATHS.within(name).business, {"name": name, "integrations": {}})])
    for method, path, body in ROUTES:
        ids = {"b": name, "t": "t", "a": "a", "s": "crm"}
        answer = await house.ask(method, filled(path, **ids), filled(body, **ids), by="platform")
        assert answer.status_code == 404, (method, path)


async def test_secrets_go_in_and_never_come_out(house: ToolHouse):
    """Only their names, and since when; where a tool's request looks for them."""
    assert await house.done("PUT", "secrets/crm_key", {"value": "Bearer canary-7f3a91"}) == {
        "name": "crm_key",
        "isSet": True,
    }
    listed = await house.ask("GET", "secrets")
    assert [row["name"] for row in listed.json()["secrets"]] == ["crm_key"] and "canary" not in listed.text
    assert await house.secrets.reveal(OWN, "tools", "crm_key") == "Bearer canary-7f3a91"
    assert "canary" not in repr([await house.stored(name) for name in ("audit", "secrets", "tools")])
    for name, value in (("1st", "x"), ("a-b", "x"), ("ok", ""), ("ok", "two\nlines"), ("ok", 7), ("ok", "ü")):
        error = await house.refused("PUT", f"secrets/{name}", {"value": value}, 400)
        assert error["problems"]
    await house.done("DELETE", "secrets/crm_key")
    assert (await house.done("GET", "secrets"))["secrets"] == []


@pytest.mark.requirement("004-973")
@pytest.mark.parametrize(
    ("value", "is_told"),
    [("4711", True), ("hunter2", True), ("Bearer 4711", True), ("ab", True), ("Bearer canary-7f3a91", False)],
)
async def test_whoever_enters_a_short_secret_is_told_that_it_cannot_be_hidden_well(
    house: ToolHouse, value: str, is_told: bool
):
    """It is kept all the same: the service has given no other one."""
    answer = await house.done("PUT", "secrets/crm_key", {"value": value})
    assert ("cannot be hidden well" in answer.get("note", "")) is is_told
    assert await house.secrets.reveal(OWN, "tools", "crm_key") == value


@pytest.mark.requirement("004-956")
@pytest.mark.parametrize("is_in_body", [False, True], ids=["in the header", "in the body"])
async def test_a_secret_is_changed_on_the_revision_that_is_sent_and_without_one_on_what_is_there(
    house: ToolHouse, is_in_body: bool
):
    """A revision was taken and looked at by nobody, so that somebody else's new value was replaced unseen."""

    def based_on(revision: str) -> tuple[dict[str, Any], dict[str, str]]:
        return ({"revision": revision}, {}) if is_in_body else ({}, {"If_Match": f'"{revision}"'})

    async def listed() -> str:
        (row,) = (await house.done("GET", "secrets"))["secrets"]
        return str(row["revision"])

    made = await house.ask("PUT", "secrets/crm", {"value": "one"})
    read = await listed()
    assert made.headers["etag"] == f'"{read}"'
    house.clock.wait(5)
    await house.done("PUT", "secrets/crm", {"value": "theirs"})
    body, headers = based_on(read)
    for method, sent in (("PUT", {"value": "mine", **body}), ("DELETE", body or None)):
        error = await house.refused(method, "secrets/crm", sent, 412, **headers)
        assert (error["conflict"]["revision"], "theirs" in repr(error)) == (await listed(), False)
    assert await house.secrets.reveal(OWN, "tools", "crm") == "theirs"
    body, headers = based_on(await listed())
    assert (await house.ask("PUT", "secrets/crm", {"value": "mine", **body}, **headers)).status_code == 200
    assert (await house.ask("DELETE", "secrets/crm")).status_code == 200


@pytest.mark.requirement("004-977")
async def test_a_place_in_an_answer_that_can_never_be_read_is_refused_on_save_and_one_that_holds_nothing_is_told(
    house: ToolHouse,
):
    """The service was asked by every call, and nobody was given its answer; or null, without a word of why."""
    lookup = {**LOOKUP, "request": {**LOOKUP["request"], "response": {"pick": {"state": "order..state"}}}}
    error = await house.refused("POST", "tools", lookup, 400)
    assert [problem["field"] for problem in error["problems"]] == ["request.response.pick.state"]
    assert "order.items[0].name" in error["problems"][0]["message"]
    lookup["request"]["response"] = {"pick": {"state": "state", "carrier": "parcel.carrier"}}
    tool = await house.make(lookup)
    await house.attach(tool, "cy")
    answer = (200, {"Content-Type": "application/json"}, b'{"state": "shipped"}')
    requests = ApiRequests(MemoryEgress(answer), NoSecrets(), all_places())
    house.office.dispatcher.runner.desk = SimpleNamespace(api_requests=requests)
    tried = await house.done("POST", f"tools/{tool['id']}/test", {"args": {"order": "A7"}})
    assert tried["response"]["ok"], tried
    [finding] = tried["findings"]
    assert (finding["rule"], finding["place"]) == ("answer-holds-nothing", "request.response.pick.carrier")
    assert "parcel.carrier" in finding["text"]


async def test_a_tool_is_tried_out_by_a_real_call_in_a_session_of_its_own(house: ToolHouse):
    """Through the dispatcher, as an agent that has it; what it does is done, and the answer says so."""
    tool = await house.make()
    error = await house.refused("POST", f"tools/{tool['id']}/test", {"args": {"order": "1"}}, 409)
    assert "Attach" in error["message"]
    await house.attach(tool, "cy")
    answer = await house.done(
        "POST",
        f"tools/{tool['id']}/test",
        {"args": {"order": "A7"}, "callerPhone": "+1 (518) 555-0171", "channel": "phone"},
    )
    assert answer["response"]["ok"] is True and "real call" in answer["note"]
    assert [bound.url for bound in house.sent] == ["https://orders.example.com/orders/A7?key=k-1"]
    calls = await house.store.query(Query(f"{WITHIN.document('sessions', answer['sessionId'])}/calls"))
    assert [call.data["tool"] for call in calls] == ["order_status"]
    failed = await house.done("POST", f"tools/{tool['id']}/test", {"args": {}})
    assert failed["response"]["error"]["type"] == "VALIDATION"


async def test_a_tool_for_the_start_of_calls_is_tried_out_as_at_such_a_start(house: ToolHouse):
    """With the caller's number that the owner gives."""
    tool = await house.make(AT_START)
    await house.attach(tool)
    answer = await house.done("POST", f"tools/{tool['id']}/test", {"callerPhone": "+1 518 555 0171"})
    assert answer["response"]["ok"] is True
    assert [bound.url for bound in house.sent] == ["https://crm.example.com/customers?phone=%2B15185550171"]


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({"args": [1]}, ["args"]),
        ({"channel": "fax", "agentId": 7, "callerPhone": "nobody"}, ["agentId", "callerPhone", "channel"]),
        ({"caller": "+12015550123"}, ["caller"]),
    ],
)
async def test_what_cannot_be_tried_is_told_field_by_field(house: ToolHouse, body: dict[str, Any], fields: list[str]):
    """And nothing is called."""
    tool = await house.make()
    await house.attach(tool)
    error = await house.refused("POST", f"tools/{tool['id']}/test", body, 400)
    assert sorted(p["field"] for p in error["problems"]) == fields
    assert house.sent == []


@pytest.mark.parametrize("body", [{}, {"toolId": 7}, {"toolId": ""}])
async def test_attaching_needs_the_id_of_a_tool(house: ToolHouse, body: dict[str, Any]):
    """In the body."""
    for path in ("agents/ada/tools", "agents/ada/tools/attach", "agents/ada/tools/detach"):
        error = await house.refused("POST", path, body, 400)
        assert error["field"] == "toolId"


async def test_the_routes_are_described_and_answer_as_described(house: ToolHouse):
    """In the OpenAPI document that every surface is in."""
    surface = openapi.of_endpoints("/api", house.endpoints)
    document = openapi.document([surface])
    assert list(OpenAPIV31SpecValidator(document).iter_errors()) == []
    tool = await house.make()
    await house.attach(tool)
    await house.done("PUT", "secrets/crm", {"value": "x"})
    house.theirs[tool["externalToolId"]]["description"] = "Changed."
    other = await house.make(label="Other")
    ids = {"b": OWN, "t": tool["id"], "a": "ada", "s": "crm"}
    order = sorted(ROUTES, key=lambda row: (row[0] == "DELETE", row[1].count("/"), row[1] != "/{b}/vapi"))
    for method, path, body in order:
        own = {**ids, "t": other["id"]} if "attach" in path or (method, path.count("/")) == ("POST", 4) else ids
        answer = await house.ask(method, filled(path, **own), filled(body, **own))
        described = path.format(b="{business_id}", t="{tool_id}", a="{agent_id}", s="{name}")
        responses = document["paths"][f"/api{described}"][method.lower()]["responses"]
        assert str(answer.status_code) in responses, (method, path, answer.text)
        schema = responses[str(answer.status_code)]["content"]["application/json"]["schema"]
        whole = {"$schema": "https://json-schema.org/draft/2020-12/schema", "components": document["components"]}
        errors = [e.message for e in jsonschema_rs.Draft202012Validator(whole | schema).iter_errors(answer.json())]
        assert errors == [], (method, path, errors)


async def test_a_store_that_is_away_is_told_as_that(house: ToolHouse, monkeypatch: pytest.MonkeyPatch):
    """On every route."""
    tool = await house.make()
    await house.attach(tool)

    async def away(*_: object) -> None:
        raise Unavailable("away")

    monkeypatch.setattr(house.store, "get", away)
    for method, path, body in ROUTES:
        ids = {"b": OWN, "t": tool["id"], "a": "ada", "s": "crm"}
        answer = await house.ask(method, filled(path, **ids), filled(body, **ids))
        assert answer.status_code == 503, (method, path, answer.text)


async def test_an_account_that_must_be_connected_again_is_said_so(house: ToolHouse):
    """By the operations that need it; the others go on."""
    tool = await house.make()
    await house.store.commit([Update(WITHIN.business, {"integrations.vapi.needsReauth": True})])
    for method, path, body in (
        ("POST", "tools", LOOKUP),
        ("DELETE", f"tools/{tool['id']}", None),
        ("GET", "vapi", None),
    ):
        assert "connected again" in (await house.refused(method, path, body, 403))["message"]
    assert (await house.done("GET", "tools"))["tools"] == [tool]
    assert (await house.make(AT_START))["name"] == "who_calls"
