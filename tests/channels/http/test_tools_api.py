"""`GET /tools/definitions`, `POST /tools/execute` and `GET /healthz` over HTTP, with the built tools."""

import asyncio
import copy
import json
import uuid
from pathlib import Path

import httpx2 as httpx
import pytest

from operations import seeding
from switchboard.admin.credentials import api_keys
from switchboard.app.container import build
from switchboard.app.settings import read_configuration
from switchboard.contract.store import Create, Set, Update
from switchboard.formats import FORMATS
from switchboard.state.memory.store import MemoryStore
from switchboard.state.paths import FirestorePaths
from tests import fixed_day
from tests.desk.front_desk import WatchedStore
from tests.each import each

SEEDS = Path(__file__).parents[3] / "seeds"
PATHS = FirestorePaths()
KEY, READER, RIVAL = "sb_salon", "sb_reader", "sb_plumber"

_SEEDED: list[MemoryStore] = []


@pytest.fixture
async def store(monkeypatch):
    """A seeded store in memory with three keys: for each test a copy, since seeding takes longer than most of them.

    It is the same day for every test: they name dates.
    """
    now = fixed_day.begin(monkeypatch)
    if not _SEEDED:
        seeded = MemoryStore()
        await seeding.seed(seeded, PATHS, SEEDS, out=lambda *_: None, now=now)
        _SEEDED.append(seeded)
    found = WatchedStore(copy.deepcopy(_SEEDED[0]))
    for business, text, scopes in (
        ("demo-salon", KEY, ("tools:read", "tools:execute")),
        ("demo-salon", READER, ("tools:read",)),
        ("demo-plumber", RIVAL, ("tools:read", "tools:execute")),
    ):
        await api_keys.create_key(found, PATHS, business, text, scopes=scopes, text=text)
    found.asked.clear()
    return found


@pytest.fixture
async def http(store):
    """A client of a house over that store; it knows its house."""
    house = build(read_configuration({}), store)
    transport = httpx.ASGITransport(app=house.app)
    headers = {"Authorization": f"Bearer {KEY}"}
    async with httpx.AsyncClient(transport=transport, base_url="http://test", headers=headers) as client:
        client.house = house
        yield client


def listing(**query):
    return {"businessId": "demo-salon", "channel": "phone"} | query


def call(name="search_knowledge", args=None, business="demo-salon", **context):
    known = {"channel": "phone", "sessionId": "s1", "turn": 1, "callId": uuid.uuid4().hex}
    args = {"query": "parking"} if args is None else args
    return {"businessId": business, "name": name, "args": args, "context": known | context}


async def test_a_listing_names_version_source_and_tools_with_their_schemas(http):
    """The canonical format: what an application needs to declare and to call them."""
    body = (await http.get("/tools/definitions", params=listing())).json()
    assert (body["source"], body["channel"], body["format"]) == ("firestore", "phone", "canonical")
    names = [t["name"] for t in body["tools"]]
    assert names == sorted(names)
    assert {"book_appointment", "verify_caller", "transfer_call", "send_sms", "get_latest_booking"} <= set(names)
    assert {"start_voice_session", "end_voice_session", "send_email", "kb_search"}.isdisjoint(names)
    assert all(t["parameters"]["type"] == "object" for t in body["tools"])
    assert "{{" not in str(body)


@each("format", FORMATS)
async def test_a_vendors_format_is_what_goes_under_tools_in_a_request_to_it(http, format):
    """`formats/` declares; the listing only passes on."""
    body = (await http.get("/tools/definitions", params=listing(format=format))).json()
    assert body["format"] == format
    assert "search_knowledge" in str(body["tools"])


async def test_the_plumber_without_calendar_and_records_is_offered_less_and_told_why(http):
    """Same definitions, another business."""
    headers = {"Authorization": f"Bearer {RIVAL}"}
    query = listing(businessId="demo-plumber", channel="portal", explain="1")
    body = (await http.get("/tools/definitions", params=query, headers=headers)).json()
    assert {t["name"] for t in body["tools"]} == {
        "extract_contacts",
        "format_datetime",
        "ignore_user",
        "kb_get",
        "search_knowledge",
        "send_sms",
        "start_voice_session",
        "take_message",
    }
    why = {e["name"]: e["condition"] for e in body["excluded"]}
    assert {name for name, condition in why.items() if condition == "integration:calendar"} == {
        "book_appointment",
        "cancel_appointment",
        "check_availability",
        "check_verification_code",
        "create_event",
        "list_events",
        "lookup_appointment",
        "reschedule_appointment",
        "update_appointment",
        "send_verification_code",
        "verify_caller",
    }
    assert (why["get_policies"], why["transfer_call"]) == ("feature:records", "channel:portal")
    assert (why["end_call"], why["send_portal_link"]) == ("channel:portal", "channel:portal")


@pytest.mark.requirement("004-31", "004-32")
@each(("channel", "offered"), [("phone", True), ("portal", False), ("browser_voice", False)])
async def test_end_call_is_offered_on_the_phone_only_and_search_everywhere(http, channel, offered):
    """Seed 004, "Conditional Inclusion", over HTTP."""
    body = (await http.get("/tools/definitions", params=listing(channel=channel))).json()
    names = [t["name"] for t in body["tools"]]
    assert ("end_call" in names) is offered
    assert "search_knowledge" in names


@pytest.mark.requirement("003-09", "003-141")
async def test_kb_search_comes_with_its_switch_in_place_of_the_same_search(http, store):
    """Never both; without the switch the search has the name of document 004."""
    await store.commit([Update(PATHS.within("demo-salon").business, {"features.kb_search": True})])
    body = (await http.get("/tools/definitions", params=listing(explain="1"))).json()
    names, why = {t["name"] for t in body["tools"]}, {e["name"]: e["condition"] for e in body["excluded"]}
    assert "kb_search" in names and "search_knowledge" not in names
    assert why["search_knowledge"] == "instead:kb_search"
    found = (await http.post("/tools/execute", json=call("kb_search"))).json()
    assert found["ok"] and found["data"]["results"]


async def test_an_executed_tool_answers_with_the_envelope(http):
    """HTTP 200, `ok`, data, intents, meta."""
    response = await http.post("/tools/execute", json=call())
    assert response.status_code == 200
    body = response.json()
    assert set(body) == {"ok", "data", "intents", "meta"}
    assert body["ok"] is True
    assert body["data"]["results"]


@pytest.mark.requirement("000-68", "000-69")
async def test_the_first_seeds_protocol_is_spoken_at_the_door(http):
    """Its own example, as it stands: a `tool_call` in, a `tool_result` out, under the call's id where it has one."""
    asked = {"type": "tool_call", "tool_name": "get_policies", "arguments": {"topic": "cancellation"}}
    answer = (await http.post("/tools/execute", json=asked)).json()
    assert answer.keys() == {"type", "tool_name", "result"}
    assert (answer["type"], answer["tool_name"]) == ("tool_result", "get_policies")
    assert "cancel" in str(answer["result"]).lower()
    named = asked | {"arguments": {"business_id": "demo-salon", "topic": "cancellation"}, "call_id": "c9"}
    assert (await http.post("/tools/execute", json=named)).json() == answer | {"call_id": "c9"}
    again = {"context": {"channel": "portal", "sessionId": "s1", "turn": 1}, "businessId": "demo-salon"}
    assert (await http.post("/tools/execute", json=named | again)).json()["result"] == answer["result"]


MESSAGE = {"message": "Please call back", "caller_name": "Ana"}


def told(answer):
    body = answer.json()
    return body["result"] if body.get("type") == "tool_result" else body["data"]


async def test_calls_without_any_id_are_each_done(http):
    """Nothing tells that one is the other, come again."""
    body = {"type": "tool_call", "tool_name": "take_message", "arguments": MESSAGE}
    first, second = [told(await http.post("/tools/execute", json=body)) for _ in range(2)]
    assert first["messageId"] != second["messageId"]


@pytest.mark.parametrize(
    ("name", "field", "args"),
    [
        ("book_appointment", "start_time", {"service": "Haircut", "customer_name": "Ana"}),
        ("reschedule_appointment", "new_start_time", {"booking_id": "bk_1"}),
        ("cancel_appointment", "start_time", {"booking_id": "bk_1"}),
        ("create_event", "start_time", {"title": "Inventory"}),
    ],
)
async def test_what_is_to_happen_on_a_day_needs_a_time_of_day(http, name, field, args):
    """A business that is open all day is not visited at midnight for that; the model is told to ask."""
    for form in (args | {field: "2026-12-17"}, json.dumps(args | {field: " 2026-12-17 "})):
        body = call(name, form, callerVerified=True, callerId="clr_anna_whitfield")
        error = (await http.post("/tools/execute", json=body)).json()["error"]
        assert error["type"] == "VALIDATION"
        assert f"{field}: needs a time of day as well, such as 2026-12-17T14:00" in error["message"]


async def test_what_is_asked_of_a_day_needs_none(http):
    """A date alone is the whole day, or where a range begins."""
    for name, args in (
        ("check_availability", {"service": "Haircut", "date": "2026-12-17"}),
        ("list_events", {"time_min": "2026-12-17", "time_max": "2026-12-18"}),
        ("format_datetime", {"moment": "2026-12-17", "timezone": "America/Los_Angeles"}),
    ):
        known = {"channel": "portal", "callerVerified": True, "callerId": "clr_anna_whitfield"}
        found = (await http.post("/tools/execute", json=call(name, args, **known))).json()
        assert found["ok"], found
    assert found["data"]["text"] == "Thursday, December 17, 2026"


async def test_a_call_of_that_protocol_obeys_the_rules_of_every_other(http):
    """Its key's business, what is offered there, and what the conversation has to do."""
    ends = {"type": "tool_call", "tool_name": "end_call", "arguments": {}}
    answer = (await http.post("/tools/execute", json=ends)).json()
    assert [intent["type"] for intent in answer["intents"]] == ["END_CALL"]
    refused = (await http.post("/tools/execute", json=ends | {"context": {"channel": "portal"}})).json()
    assert refused["result"]["error"]["type"] == "MODE_RESTRICTED"
    for named in (
        {"business_id": "demo-plumber"},
        '{"business_id": "demo-plumber"}',
        '{"business_id": "demo-plümber"}',
    ):
        assert (await http.post("/tools/execute", json=ends | {"arguments": named})).status_code == 403
    for written in ("{}", '{"business_id": "demo-salon"}'):
        assert (await http.post("/tools/execute", json=ends | {"arguments": written})).json() == answer
    broken = (await http.post("/tools/execute", json=ends | {"arguments": '{"business_id": "demo-plumber"'})).json()
    assert broken["result"]["error"]["type"] == "VALIDATION"
    reader = {"Authorization": f"Bearer {READER}"}
    assert (await http.post("/tools/execute", json=ends, headers=reader)).status_code == 403
    for wrong, field in (
        ({"tool_name": None}, "tool_name"),
        ({"arguments": []}, "arguments"),
        ({"context": 1}, "context"),
        ({"arguments": {"business_id": 7}}, "businessId"),
        ({"arguments": '{"business_id": 7}'}, "businessId"),
    ):
        answer = await http.post("/tools/execute", json=ends | wrong)
        assert (answer.status_code, answer.json()["error"]["field"]) == (400, field)


@pytest.mark.requirement("004-52")
async def test_end_call_answers_ended_with_the_intent(http):
    """Seed 004, "Special Tool Behaviors"."""
    body = (await http.post("/tools/execute", json=call("end_call", {}))).json()
    assert body["data"] == {"ended": True}
    assert [i["type"] for i in body["intents"]] == ["END_CALL"]


async def test_arguments_may_be_the_text_a_model_wrote(http):
    """OpenAI's dialect carries JSON text; broken text is a tool-level outcome, not a broken request."""
    good = (await http.post("/tools/execute", json=call(args='{"query": "parking"}'))).json()
    assert good["ok"] is True
    bad = await http.post("/tools/execute", json=call(args='{"query": '))
    assert (bad.status_code, bad.json()["error"]["type"]) == (200, "VALIDATION")


async def test_every_tool_level_outcome_is_http_200(http):
    """Unknown tool, restricted tool, wrong arguments."""
    for body, type in (
        (call("nonsense"), "NOT_FOUND"),
        (call("end_call", {}, channel="portal"), "MODE_RESTRICTED"),
        (call(args={}), "VALIDATION"),
    ):
        response = await http.post("/tools/execute", json=body)
        assert (response.status_code, response.json()["error"]["type"]) == (200, type)


@each("authorization", [None, "", "Bearer", "Bearer ", "Bearer wrong", "Basic abc", "Bearer ключ"])
@each("path", ["definitions", "execute"])
async def test_a_missing_or_wrong_key_is_401(http, path, authorization):
    """With what would be right, in the envelope's shape."""
    headers = {"Authorization": authorization.encode() if authorization is not None else ""}
    if path == "definitions":
        response = await http.get("/tools/definitions", params=listing(), headers=headers)
    else:
        response = await http.post("/tools/execute", json=call(), headers=headers)
    assert response.status_code == 401
    assert response.headers["www-authenticate"] == "Bearer"
    assert response.json()["error"]["type"] == "AUTH"


@pytest.mark.requirement("004-40", "004-41")
async def test_the_business_may_stand_in_the_context_alone_and_is_one(http):
    """Seed 004's contexts hold it; where it stands in both places it is the same, else the request is refused."""
    for channel in ("portal", "browser_voice"):
        body = call(channel=channel, businessId="demo-salon")
        assert (await http.post("/tools/execute", json=body)).json()["ok"]
        del body["businessId"]
        assert (await http.post("/tools/execute", json=body)).json()["ok"]
        body["context"]["businessId"] = "demo-plumber"
        assert (await http.post("/tools/execute", json=body)).status_code == 403
        assert (await http.post("/tools/execute", json=body | {"businessId": "demo-salon"})).status_code == 403


@pytest.mark.requirement("002-121")
async def test_a_listing_for_a_call_speaks_of_the_numbers_that_it_is_told(http, store):
    """Seed 002, "Usage": a service declares the tools for its call; a number is read as with every call."""
    prompt = "Look up customer with phone {{caller_phone_number}}"
    config = {"type": "query", "label": "Find", "params": {"question": {"mode": "ai", "prompt": prompt}}}
    tool = {"name": "find_customer", "label": "Find", "description": "Called {{called_phone_number}}.", "type": "query"}
    within = PATHS.within("demo-salon")
    await store.commit(
        [
            Set(
                within.document("tools", "t1"), tool | {"configMetadata": config | {"description": tool["description"]}}
            ),
            Set(within.document("agentTools", "reception~t1"), {"agentId": "reception", "toolId": "t1"}),
        ]
    )

    async def told(**numbers):
        listed = (await http.get("/tools/definitions", params=listing(**numbers))).json()["tools"]
        (found,) = [one for one in listed if one["name"] == "find_customer"]
        return found["description"], found["parameters"]["properties"]["question"]["description"]

    known = await told(callerPhone="(518) 555-0161", calledPhone="+15185550100")
    assert known == ("Called +15185550100.", "Look up customer with phone +15185550161")
    assert await told(callerPhone="anonymous") == ("Called (not known).", "Look up customer with phone (not known)")
    refused = await http.get("/tools/definitions", params=listing(callerPhone="hello"))
    assert (refused.status_code, refused.json()["error"]["field"]) == (400, "callerPhone")


async def test_another_tenants_business_is_403(http, store):
    """Neither listed nor executed, and nothing of it is read."""
    assert (await http.get("/tools/definitions", params=listing(businessId="demo-plumber"))).status_code == 403
    assert (await http.post("/tools/execute", json=call(business="demo-plumber"))).status_code == 403
    assert (await http.get("/tools/definitions", params=listing(businessId="nobody"))).status_code == 403
    assert store.asked["get"] == 0


async def test_a_key_does_only_what_its_scopes_say(http):
    """A reading key cannot execute."""
    headers = {"Authorization": f"Bearer {READER}"}
    assert (await http.get("/tools/definitions", params=listing(), headers=headers)).status_code == 200
    refused = await http.post("/tools/execute", json=call(), headers=headers)
    assert refused.status_code == 403
    assert "tools:execute" in refused.json()["error"]["message"]


@each(
    ("change", "field"),
    [
        ({"businessId": None}, "businessId"),
        ({"businessId": 7}, "businessId"),
        ({"name": None}, "name"),
        ({"name": ["x"]}, "name"),
        ({"context": None}, "context"),
        ({"context": "phone"}, "context"),
        ({"context": {}}, "context.channel"),
        ({"context": {"channel": "fax"}}, "context.channel"),
        ({"context": {"channel": ["phone"]}}, "context.channel"),
        ({"context": {"channel": "phone", "turn": "one"}}, "context.turn"),
        ({"context": {"channel": "phone", "turn": -1}}, "context.turn"),
        ({"context": {"channel": "phone", "sessionId": 5}}, "context.sessionId"),
        ({"context": {"channel": "phone", "callId": "x" * 5_000}}, "context.callId"),
        ({"context": {"channel": "phone", "callerVerified": "yes"}}, "context.callerVerified"),
    ],
)
@pytest.mark.requirement("004-42", "000-09")
async def test_a_malformed_body_is_400_with_the_field_named(http, change, field):
    """The sender's mistake, not the model's."""
    response = await http.post("/tools/execute", json=call() | change)
    assert response.status_code == 400
    assert response.json()["error"]["field"] == field


@each("body", [b"", b"{", b"[]", b"null", b'"x"', b"\xff\xfe", b'{"a": NaN}', b"[" * 100_000, b'{"a":1,"a":2}'])
async def test_a_body_that_is_no_json_object_is_400(http, body):
    """Truncated, wrong encoding, NaN, a depth bomb, duplicate keys."""
    response = await http.post("/tools/execute", content=body)
    assert response.status_code == 400
    assert response.json()["error"]["type"] == "VALIDATION"


async def test_a_body_that_is_too_large_is_413(http):
    """Before it is read to its end."""
    response = await http.post("/tools/execute", content=b'{"a": "' + b"x" * 2_000_000 + b'"}')
    assert response.status_code == 413


@each(("query", "field"), [({"channel": "fax"}, "channel"), ({"format": "cobol"}, "format")])
async def test_a_malformed_query_is_400_with_the_field_named(http, query, field):
    """The message lists what may be written there."""
    response = await http.get("/tools/definitions", params=listing(**query))
    assert (response.status_code, response.json()["error"]["field"]) == (400, field)


async def test_a_missing_query_field_is_400(http):
    """Both are needed."""
    response = await http.get("/tools/definitions", params={"channel": "phone"})
    assert (response.status_code, response.json()["error"]["field"]) == (400, "businessId")
    response = await http.get("/tools/definitions", params={"businessId": "demo-salon"})
    assert (response.status_code, response.json()["error"]["field"]) == (400, "channel")


async def test_paths_and_methods_that_do_not_exist_are_answered_in_the_same_shape(http):
    """JSON, not a bare word."""
    assert (await http.get("/nonsense")).json()["error"]["type"] == "NOT_FOUND"
    response = await http.get("/tools/execute")
    assert (response.status_code, response.json()["error"]["type"]) == (405, "VALIDATION")
    assert response.json()["error"]["message"] == "GET is not served at /tools/execute. Use POST."
    assert (await http.put("/healthz")).json()["error"]["message"] == "PUT is not served at /healthz. Use GET."


async def test_a_revoked_key_stops_working_within_ten_seconds(http, store):
    """Keys are asked for again after that time; here the memory of them is emptied."""
    keys = await api_keys.list_keys(store, PATHS, "demo-salon")
    await api_keys.revoke_key(store, PATHS, "demo-salon", next(k.id for k in keys if k.name == KEY))
    house = build(read_configuration({}), store)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=house.app), base_url="http://test") as client:
        headers = {"Authorization": f"Bearer {KEY}"}
        assert (await client.get("/tools/definitions", params=listing(), headers=headers)).status_code == 401


async def test_a_store_that_is_away_is_503_for_calls_and_the_bare_artifact_for_listings(http, store):
    """No key can be checked; what is served then holds nothing of any business."""
    store.fail("query", "get", "commit")
    response = await http.post("/tools/execute", json=call())
    assert response.status_code == 503
    assert response.headers["retry-after"]
    body = (await http.get("/tools/definitions", params=listing())).json()
    assert body["source"] == "fallback"
    offered = [t["name"] for t in body["tools"]]
    assert offered == ["end_call", "extract_contacts", "format_datetime", "kb_get", "search_knowledge"]
    assert "Maple" not in str(body)


async def test_health_says_what_is_served_and_is_200_even_without_a_store(http, store):
    """A store that is away must not get the process restarted."""
    body = (await http.get("/healthz")).json()
    assert (body["status"], body["store"], body["definitions"]["count"]) == ("ok", "memory", 34)
    store.fail("query", "get")
    house = build(read_configuration({}), store)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=house.app), base_url="http://test") as client:
        response = await client.get("/healthz")
    assert (response.status_code, response.json()["status"]) == (200, "degraded")


async def test_a_retrieval_costs_one_round_trip_besides_the_handlers_own(http, store):
    """It is admitted and settled at once; keys, definitions, business, session and the knowledge index are warm."""
    await http.post("/tools/execute", json=call())
    store.asked.clear()
    await http.post("/tools/execute", json=call(args={"query": "gift cards"}))
    assert dict(store.asked) == {"commit": 1}


async def test_warm_listings_cost_no_reads(http, store):
    """However many at once."""
    await http.get("/tools/definitions", params=listing())
    await http.house.catalog.ended()
    store.asked.clear()
    await asyncio.gather(*(http.get("/tools/definitions", params=listing()) for _ in range(50)))
    assert not store.asked


async def test_a_key_that_was_good_is_still_good_while_the_store_is_away(http, store):
    """A running conversation is not cut off by the store; one that starts on another instance is."""
    await http.get("/tools/definitions", params=listing())
    store.fail("query", "get", "commit")
    response = await http.post("/tools/execute", json=call("end_call", {}))
    assert (response.status_code, response.json()["error"]["type"]) == (200, "TRANSIENT")


async def test_many_calls_with_one_key_share_one_read(http, store):
    """Also in the moment in which its ten seconds are over."""
    await asyncio.gather(*(http.get("/tools/definitions", params=listing()) for _ in range(30)))
    await http.house.catalog.ended()
    # The key; and twice, for those who ask and for what is compiled, the definitions and what the business's owner
    # made: tools, agents, and what is attached to whom.
    assert store.asked["query"] == 1 + 2 * 4


async def test_a_guessed_key_costs_one_read_however_often_it_is_tried(http, store):
    """Guessing costs an attacker's time and not our reads."""
    for _ in range(20):
        await http.get("/tools/definitions", params=listing(), headers={"Authorization": "Bearer guess"})
    assert store.asked["query"] == 1


@pytest.fixture
async def narrow(store):
    """An agent that must not book."""
    document = {"name": "Narrow", "tools": {"book_appointment": {"enabled": False}}}
    await store.commit([Create(PATHS.within("demo-salon").document("agents", "narrow"), document)])


@pytest.mark.requirement("004-642")
@each("channel", ["phone", "portal"])
async def test_an_agent_that_the_business_does_not_have_is_refused_with_those_it_has(http, narrow, channel):
    """Misspelling an agent does not lift what its owner has switched off for it."""
    booking = {"service": "Haircut", "start_time": "2027-03-16T10:00:00", "customer_name": "Anna Whitfield"}
    right = call("book_appointment", booking, channel=channel, agentId="narrow")
    assert (await http.post("/tools/execute", json=right)).json()["error"]["type"] == "MODE_RESTRICTED"
    for wrong in ("narow", "Narrow", "billing"):
        asked = call("book_appointment", booking, channel=channel, agentId=wrong)
        for answer in (
            await http.post("/tools/execute", json=asked),
            await http.get("/tools/definitions", params=listing(channel=channel, agentId=wrong, explain="1")),
        ):
            message = answer.json()["error"]["message"]
            assert answer.status_code == 400
            assert f"has no agent {wrong!r}." in message
            assert "Its agents are " in message
            assert "'narrow', 'reception'." in message
            assert ("Did you mean 'narrow'?" in message) is (wrong != "billing")


@pytest.mark.requirement("004-645")
async def test_a_call_that_was_refused_leaves_its_callers_number_on_its_session(http, store):
    """So that owners find it, in the spelling of all numbers; in the commits that are made anyway."""
    await http.post("/tools/execute", json=call("no_such_tool", {}, sessionId="seen", callerPhone="+1 (518) 555-0188"))
    session = await store.get(PATHS.within("demo-salon").document("sessions", "seen"))
    assert session.data["callerPhone"] == "+15185550188"


@pytest.mark.requirement("004-646")
async def test_an_explanation_says_which_tools_need_a_verified_caller(http, store):
    """Before a call is refused for want of it; not where the caller is verified, or a feature opens the tool."""

    async def needing(**query):
        body = (await http.get("/tools/definitions", params=listing(explain="1", **query))).json()
        return {row["name"] for row in body["included"] if "needs" in row}

    assert {"create_event", "lookup_appointment", "cancel_appointment"} <= await needing()
    assert "book_appointment" not in await needing()
    assert await needing(callerVerified="1") == set()
