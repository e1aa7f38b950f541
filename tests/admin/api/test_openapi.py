"""The OpenAPI document: valid, complete, and true of what is answered."""

import asyncio
import threading
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import httpx
import jsonschema_rs
import orjson
import pytest
from google.api_core.datetime_helpers import DatetimeWithNanoseconds
from openapi_spec_validator import OpenAPIV31SpecValidator
from starlette.applications import Starlette
from starlette.routing import Route, WebSocketRoute

from switchboard.admin.access.roles import Operation
from switchboard.admin.api import openapi
from switchboard.admin.api.answer import json_answer
from switchboard.admin.api.openapi import RouteDescription
from switchboard.contract.definitions.tenant_tool import SPELLINGS
from switchboard.contract.store import Delete, Set
from tests.admin.owners_office import OWN, Premises, endpoints_of, fill, token
from tests.admin.tool_house import AT_START, LOOKUP, NOTE
from tests.admin.whole_house import opened
from tests.pipeline.conftest import PATHS

POLICY = {"topic": "cancellation", "content": "Free."}
FAQ = {"topic": "parking", "question": "Where?", "answer": "Behind the house.", "tags": ["parking"]}
RESTRICTION = {"phone": "+12015550123", "reason": "Rude."}
PROMPT_CHANGED = {
    "at": datetime(2026, 11, 20, tzinfo=UTC),
    "by": "scripts/seed",
    "deed": "prompt changed",
    "names": [],
    "reach": {"isForAll": True, "tried": [], "trying": []},
    "templates": {"system": ["is new"]},
    "tools": {},
    "words": {"asked": 0, "fields": ["system"]},
}
VISIT = {
    "linkId": "l0",
    "callerPhone": "+12015550123",
    "sessionId": "s0",
    "issuedAt": datetime(2027, 3, 10, tzinfo=UTC),
    "expiresAt": datetime(2099, 1, 1, tzinfo=UTC),
}
DOCUMENT = {"title": "Beards", "content": "A trim takes 15 minutes.", "tags": ["beard"]}


@pytest.fixture
async def premises(local: Premises) -> Premises:
    """An office with conversations and an edited business."""
    await fill(local.store)
    await local.patch({"name": "New"})
    return local


async def test_the_document_is_valid_and_served_to_everybody(premises: Premises):
    """By the OpenAPI 3.1 schema and the validator's own rules."""
    answer = await premises.browser.get("/admin/openapi.json")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
    served = answer.json()
    assert list(served["paths"].pop("/admin/openapi.json")) == ["get"]
    assert served == premises.document
    assert list(OpenAPIV31SpecValidator(answer.json()).iter_errors()) == []


async def test_every_endpoint_is_described_with_who_may_use_it(premises: Premises):
    """From the records that its route is built from."""
    described = {
        (method.upper(), path): operation["x-operation"]
        for path, methods in premises.document["paths"].items()
        for method, operation in methods.items()
    }
    assert described == {(e.method, prefix + e.path): e.operation.value for prefix, e in endpoints_of(premises.office)}
    assert {Operation(word) for word in described.values()} >= {Operation.EDIT_BUSINESS, Operation.UNDO}
    ids = [
        operation["operationId"] for methods in premises.document["paths"].values() for operation in methods.values()
    ]
    assert len(set(ids)) == len(ids)


def schema_of(document: dict[str, Any], method: str, path: str, status: int) -> dict[str, Any]:
    answers = document["paths"][path][method.lower()]["responses"]
    assert str(status) in answers, (method, path, status)
    schema = answers[str(status)]["content"]["application/json"]["schema"]
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "components": document["components"]} | schema


async def test_every_answer_is_as_described(premises: Premises):
    """Each endpoint's good answer, and each of its refusals that a stranger, a viewer and a late owner meet."""
    policies, faqs = f"/tts_admin/policies/{OWN}", f"/tts_admin/faqs/{OWN}"
    entry = (await premises.audit())[0]["id"]
    made = await premises.ask("POST", policies, json=POLICY)
    asked = await premises.ask("POST", faqs, json=FAQ)
    names = {"business_id": OWN, "entry_id": entry, "interaction_id": "i0", "session_id": "s0", "place": "callers"}
    turned_away = await premises.ask("POST", f"/admin/businesses/{OWN}/restrictions", json=RESTRICTION)
    await premises.store.commit([Set(PATHS.within(OWN).document("tickets", "portalVisit:v0"), VISIT)])
    names["visit_id"] = "v0"
    await premises.store.commit([Set(PATHS.publication("prompt-1"), PROMPT_CHANGED)])
    names["change_id"] = "prompt-1"
    stopped = await premises.ask("POST", f"/admin/businesses/{OWN}/text-stops", json={"phone": "(201) 555-0123"})
    names["number"] = stopped.json()["number"]
    written = await premises.ask("POST", f"/admin/businesses/{OWN}/documents", json=DOCUMENT)
    entries = {
        "faqs": (asked.json()["faq"]["id"], FAQ),
        "documents": (written.json()["id"], DOCUMENT),
        "policies": (made.json()["policy"]["id"], POLICY),
        "text-stops": ("", {"phone": "(201) 555-0199"}),
        "restrictions": (turned_away.json()["restrictions"][0]["id"], RESTRICTION),
    }
    # Removing comes last.
    for prefix, endpoint in sorted(endpoints_of(premises.office), key=lambda pair: pair[1].method == "DELETE"):
        id, entry = next((one for name, one in entries.items() if f"/{name}" in endpoint.path), ("", {}))
        path = prefix + endpoint.path.format(**names, id=id)
        body = None if endpoint.method in ("GET", "DELETE") else entry or {"industry": "nails"}
        body = {} if endpoint.operation is Operation.UNDO else body
        if body and entry in (FAQ, POLICY):
            # There is one on this already, beside which it is kept.
            body = {**body, "alongside": [id]}
        more: dict[str, Any] = {} if body is None else {"json": body}
        for person in ("stranger", "nobody", "owner"):
            late = await premises.ask(endpoint.method, path, person, revision="0" * 16, **more)
            hold(premises, prefix, endpoint, late)
        if endpoint.is_revisioned:
            assert late.status_code == 412
            hold(premises, prefix, endpoint, await premises.ask(endpoint.method, path, **more))
            current = late.json()["error"]["conflict"]["revision"]
            done = await premises.ask(endpoint.method, path, revision=current, **more)
            assert done.status_code == endpoint.status, (path, done.text)
            hold(premises, prefix, endpoint, done)
        else:
            assert late.status_code == endpoint.status, (path, late.text)


def hold(premises: Premises, prefix: str, endpoint: Any, answer: Any) -> None:
    """Hold an answer against its description."""
    schema = schema_of(premises.document, endpoint.method, prefix + endpoint.path, answer.status_code)
    validator = jsonschema_rs.validator_for(schema)
    errors = [f"{error.instance_path}: {error.message}" for error in validator.iter_errors(answer.json())]
    assert errors == [], (endpoint.path, answer.text)


async def test_what_is_described_as_a_body_is_what_is_taken(premises: Premises):
    """The schema and the form agree on these, good and bad."""
    path = f"/tts_admin/faqs/{OWN}"
    described = premises.document["paths"]["/tts_admin/faqs/{business_id}"]["post"]["requestBody"]["content"]
    components = {"components": premises.document["components"]}
    validator = jsonschema_rs.validator_for(components | described["application/json"]["schema"])
    for body in (
        FAQ,
        {k: v for k, v in FAQ.items() if k != "tags"},
        {},
        FAQ | {"more": 1},
        FAQ | {"topic": ""},
        FAQ | {"topic": "t" * 101},
        FAQ | {"question": 5},
        FAQ | {"tags": "x"},
        FAQ | {"tags": ["t"] * 21},
        FAQ | {"business_id": OWN},
    ):
        answer = await premises.ask("POST", path, json=body)
        assert (answer.status_code == 200) is validator.is_valid(body), body
        if answer.status_code == 200:
            # A second one on the same would be a question.
            await premises.store.commit([Delete(PATHS.within(OWN).document("faqs", answer.json()["faq"]["id"]))])


async def nothing(request: Any) -> Any:
    """Answer nothing."""


ELSEWHERE = [
    Route("/", nothing, methods=["GET"]),
    Route("/execute", nothing, methods=["POST"]),
    Route("/page/{name:path}", nothing, methods=["GET"]),
    WebSocketRoute("/relay", nothing),
]
WORDS = {
    "GET /": RouteDescription("Show the page", "none", answer=("text/html", None)),
    "POST /execute": RouteDescription("Call a tool", body=("application/json", {"type": "object"})),
    "GET /page/{name}": RouteDescription("Read a file of the page", "none"),
}


def test_another_rooms_routes_are_described_with_words_for_each():
    """In the same document, valid, with what protects them."""
    words = {key.replace("{name}", "{name:path}"): value for key, value in WORDS.items()}
    document = openapi.document([openapi.of_routes("/tools", ELSEWHERE, words)])
    assert list(OpenAPIV31SpecValidator(document).iter_errors()) == []
    assert sorted(document["paths"]) == ["/tools", "/tools/execute", "/tools/page/{name}"]
    assert document["paths"]["/tools/execute"]["post"]["security"] == [{"apiKey": []}, {"serviceAccount": []}]


@pytest.mark.requirement("004-901")
async def test_conversations_go_on_while_the_document_is_composed():
    """It is composed once, however many ask for it at that moment."""
    loop, composed = asyncio.get_running_loop(), []

    def surfaces() -> list[openapi.Surface]:
        turned = threading.Event()
        loop.call_soon_threadsafe(turned.set)
        composed.append(turned.wait(5))
        return []

    app = Starlette(routes=[openapi.route(surfaces, "")])
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://here") as http:
        answers = await asyncio.gather(*(http.get("/openapi.json") for _ in range(3)))
    assert composed == [True]
    assert [answer.json()["openapi"] for answer in answers] == ["3.1.0"] * 3


@pytest.mark.parametrize("missing", ["POST /execute", "POST /other"])
def test_a_route_without_words_and_words_without_a_route_are_errors(missing: str):
    """So that neither can be forgotten."""
    words = {key.replace("{name}", "{name:path}"): value for key, value in WORDS.items()}
    words = {k: v for k, v in words.items() if k != missing} | (
        {missing: RouteDescription("Nothing")} if missing not in words else {}
    )
    with pytest.raises(ValueError, match=missing):
        openapi.of_routes("/tools", ELSEWHERE, words)


def test_a_path_is_described_once():
    """Two surfaces that claim it are a mistake."""
    surface = openapi.of_routes("/tools", ELSEWHERE[:1], {"GET /": WORDS["GET /"]})
    with pytest.raises(ValueError, match="/tools"):
        openapi.document([surface, surface])


async def test_a_refusal_has_the_shape_that_every_surface_shares(premises: Premises):
    """The envelope's failure, with the same fields as the channels' own."""
    from switchboard.channels.http.answer import refusal
    from switchboard.contract.error import ErrorType

    ours = await premises.ask("GET", f"/admin/businesses/{OWN}/interactions/none")
    theirs = refusal(404, ErrorType.NOT_FOUND, "x")
    import orjson

    shape = orjson.loads(theirs.body)
    assert ours.json().keys() == shape.keys()
    assert ours.json()["error"].keys() == shape["error"].keys()
    assert token("owner")["Authorization"] not in ours.text


def test_every_time_in_an_answer_is_rfc_3339():
    """Also one of the class of its own that Firestore's library returns, and one of another zone."""
    moment = datetime(2027, 3, 10, 9, 0, 0, 5, tzinfo=timezone(timedelta(hours=-5)))
    own = DatetimeWithNanoseconds.from_rfc3339("2027-03-10T14:00:00.000005Z")
    told = orjson.loads(json_answer({"plain": moment, "own": own, "inside": [{"at": own}]}).body)
    assert told["plain"] == "2027-03-10T09:00:00.000005-05:00"
    assert told["own"] == told["inside"][0]["at"] == "2027-03-10T14:00:00.000005Z"


async def test_what_a_write_can_be_refused_with_and_what_it_leaves_is_described(premises: Premises):
    """Too large a body on every write that reads one, and the audit's entry in the header."""
    for path, methods in premises.document["paths"].items():
        for method, operation in methods.items():
            answers = operation["responses"]
            assert ("413" in answers) == ("requestBody" in operation or "412" in answers), (method, path)
            good = answers[min(answers)]
            assert ("Audit-Entry" in good.get("headers", {})) == (method != "get"), (method, path)


async def test_what_a_server_refuses_and_what_is_a_page_are_described():
    """422 of those that are connected to, and HTML where a browser is sent."""
    async with opened() as owner:
        paths = (await owner.send("GET", "/admin/openapi.json")).json()["paths"]
    for name in ("discover", "connect", "review", "resync"):
        assert "422" in paths[f"/admin/businesses/{{business_id}}/mcp/{name}"]["post"]["responses"]
    for name in ("begin", "callback"):
        for vendor in ("google", "microsoft"):
            answers = paths[f"/admin/integrations/{vendor}/{name}"]["get"]["responses"]
            assert "text/html" in answers["200"]["content"] and "text/html" in answers["default"]["content"]
    form = paths["/admin/integrations/google/begin"]["post"]["requestBody"]["content"]
    assert form.keys() == {"application/x-www-form-urlencoded"}


async def test_whose_business_may_stand_in_the_query_is_described_as_any_other_operation():
    """With roles, types of what is asked and answered, and what it is refused with."""
    async with opened() as owner:
        document = (await owner.send("GET", "/admin/openapi.json")).json()
    explained = document["paths"]["/admin/explain"]["get"]
    asked = {one["name"]: one["required"] for one in explained["parameters"]}
    assert asked == {"businessId": False, "session": True, "call": False}
    answers = explained["responses"]["200"]["content"]["application/json"]["schema"]["anyOf"]
    assert [one["$ref"].rpartition("/")[2] for one in answers] == ["CallExplained", "SessionExplained"]
    assert (explained["x-operation"], "default" in explained["responses"]) == ("see_conversations", False)
    begun = document["paths"]["/admin/integrations/google/connect"]["get"]["responses"]
    assert begun.keys() >= {"200", "302", "400", "403", "501"} and "content" not in begun["302"]


async def test_every_part_that_an_owner_may_write_of_a_tool_stands_in_the_document():
    """What one type needs is told with the type; a part is taken out by null only where parts are changed."""
    async with opened() as owner:
        document = (await owner.send("GET", "/admin/openapi.json")).json()
    schemas = document["components"]["schemas"]

    def body(path: str, method: str) -> dict[str, Any]:
        found = document["paths"][path][method]["requestBody"]["content"]["application/json"]["schema"]
        return {"components": document["components"], **found}

    made, changed = (
        body("/api/{business_id}/tools", "post"),
        body("/api/{business_id}/tools/{tool_id}", "patch"),
    )
    types = {name: schemas[ref.rpartition("/")[2]] for name, ref in made["discriminator"]["mapping"].items()}
    assert types.keys() == {*SPELLINGS}
    assert {name for type in types.values() for name in type["properties"]} == schemas["ToolParts"]["properties"].keys()
    assert "request" in types["apiRequest"]["properties"] and "request" not in types["sms"]["properties"]
    for config in (LOOKUP, AT_START, NOTE):
        assert jsonschema_rs.is_valid(made, config)
    assert not jsonschema_rs.is_valid(made, LOOKUP | {"params": {"order": {"mode": "guessed"}}})
    assert not jsonschema_rs.is_valid(made, LOOKUP | {"reqest": {}})
    assert jsonschema_rs.is_valid(changed, {"request": None}) and not jsonschema_rs.is_valid(made, {"request": None})


async def test_headers_refusals_and_bodies_that_may_be_left_out_are_described():
    """What makes one wish one tool, what would break by a change, and that a scheduler need not say anything."""
    async with opened() as owner:
        document = (await owner.send("GET", "/admin/openapi.json")).json()
    made = document["paths"]["/api/{business_id}/tools"]["post"]
    (wish,) = [one for one in made["parameters"] if one["in"] == "header"]
    assert (wish["name"], wish["required"], wish["schema"]["maxLength"]) == ("Idempotency-Key", False, 200)
    told = document["components"]["schemas"]["RefusalError"]["properties"]["consequences"]
    assert told["$ref"].rpartition("/")[2] == "ChangeConsequences"
    for path in ("/tasks/bookings", "/tasks/reap"):
        assert document["paths"][path]["post"]["requestBody"]["required"] is False
