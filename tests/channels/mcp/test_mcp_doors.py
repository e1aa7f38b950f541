"""Who is let in to `POST /mcp/{businessId}`: by which key, host name and origin."""

import httpx2
import pytest

from switchboard.channels.mcp.auth import OriginCheck
from tests.channels.http.test_tools_api import store  # noqa: F401 - a fixture
from tests.channels.mcp.served import READER, RIVAL, app_over
from tests.channels.mcp.test_mcp_server import headers, meta, ping
from tests.each import each


@pytest.fixture
async def http(store):  # noqa: F811
    """A client of the app on this machine."""
    transport = httpx2.ASGITransport(app=app_over(store, "https://voice.example.com"))
    async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8080") as client:
        yield client


async def post(http, business="demo-salon", body=None, **more):
    return await http.post(f"/mcp/{business}", json=body or ping(), headers=headers(**more))


async def test_without_a_key_nobody_is_let_in(http):
    """401, and how to do it; the same for a key that is none."""
    for key in ("", "Bearer sb_unknown", "Basic c2I="):
        answer = await post(http, Authorization=key)
        assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
    assert (await post(http)).status_code == 200


@each("business", ["demo-plumber", "no-such-business", "demo-salon2"])
async def test_an_address_that_names_another_business_is_told_nothing(http, business):
    """The business is the key's; whether the other one exists cannot be told."""
    answer = await post(http, business)
    assert answer.status_code == 403
    assert business not in answer.text
    assert answer.json()["error"]["message"] == (await post(http, "no-such-business")).json()["error"]["message"]
    assert (await post(http, Authorization=f"Bearer {RIVAL}")).status_code == 403


async def test_a_key_that_only_reads_lists_and_calls_nothing(http):
    """By its scopes, as elsewhere."""
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
    call["params"] = {"name": "search_knowledge", "arguments": {"query": "parking"}, "_meta": meta()}
    assert (await post(http, Authorization=f"Bearer {READER}")).status_code == 200
    called = await http.post(
        "/mcp/demo-salon",
        json=call,
        headers=headers("tools/call", "search_knowledge", Authorization=f"Bearer {READER}"),
    )
    assert called.status_code == 403


@each(
    ("host", "origin", "status"),
    [
        ("127.0.0.1:8080", None, 200),
        ("localhost:1", "http://localhost:6274", 200),
        ("[::1]:8080", "http://127.0.0.1", 200),
        ("voice.example.com", None, 200),
        ("voice.example.com", "https://voice.example.com", 200),
        ("voice.example.com", "http://localhost:6274", 403),
        ("127.0.0.1:8080", "https://evil.example", 403),
        ("127.0.0.1:8080", "null", 403),
        ("127.0.0.1:8080", "http://localhost.evil.example", 403),
        ("127.0.0.1:8080", "http://[", 403),
        ("127.0.0.1:8080", "", 403),
        ("evil.example:8080", None, 421),
        ("evil.example", "https://voice.example.com", 421),
        ("voice.example.com.evil.example", None, 421),
        ("voice.example.com:444", None, 421),
    ],
)
async def test_a_page_of_a_stranger_does_not_get_in_by_any_name(http, host, origin, status):
    """DNS rebinding: `Host` still says the stranger's name, `Origin` the stranger's page."""
    more = {"Host": host} | ({"Origin": origin} if origin is not None else {})
    assert (await post(http, **more)).status_code == status


def test_a_deployment_without_a_public_address_leaves_its_names_to_whoever_routes_to_it():
    """But no page of elsewhere gets in."""
    doors = OriginCheck.of(None, is_local=False)
    assert doors.problem("f-x7y.a.run.app", None) is None
    assert doors.problem("f-x7y.a.run.app", "https://f-x7y.a.run.app") is not None
    assert OriginCheck.of(None, is_local=True).problem("f-x7y.a.run.app", None) is not None


@each("body", [b"", b"{", b'{"a": 1, "a": 2}', b"[" * 5_000, b"\xff", b"x" * 2_000_000])
async def test_what_cannot_be_read_is_refused_before_anything_else(http, body):
    """Strict JSON, and no more of it than anywhere else."""
    sent = headers() | {"Content-Type": "application/json"}
    answer = await http.post("/mcp/demo-salon", content=body, headers=sent)
    assert answer.status_code == (413 if len(body) > 1_048_576 else 400)


@each("content_type", ["text/plain", "application/x-www-form-urlencoded", "", "application/xml"])
async def test_a_body_of_another_type_is_told_which_header_to_send(http, content_type):
    """In JSON, as every other refusal."""
    sent = {name: value for name, value in headers().items() if name.lower() != "content-type"}
    answer = await http.post("/mcp/demo-salon", content=b"{}", headers=sent | {"Content-Type": content_type})
    assert answer.status_code == 415
    assert "Content-Type: application/json" in answer.json()["error"]["message"]


ERAS = (None, "2025-11-25")
CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
NO_ID = {key: value for key, value in CALL.items() if key != "id"}


async def call(http, message, era=None):
    """Return the answer to a message of a client of the newer protocol, or of an older one."""
    if isinstance(message, dict) and "params" not in message:
        given = {"name": "get_policies", "arguments": {}, "_meta": meta() | message.pop("_meta", {})}
        message = message | {"params": given}
    sent = headers("tools/call", "get_policies")
    if era is not None:
        sent = {key: value for key, value in sent.items() if not key.lower().startswith("mcp-")}
        sent["MCP-Protocol-Version"] = era
    return await http.post("/mcp/demo-salon", json=message, headers=sent)


@each("era", ERAS)
@each(
    ("message", "told"),
    [
        (CALL | {"id": None}, "a text or a whole number, such as 1"),
        (CALL | {"id": 1.5}, "a text or a whole number, such as 1"),
        (CALL | {"id": True}, "a text or a whole number, such as 1"),
        (CALL | {"id": {"a": 1}}, "a text or a whole number, such as 1"),
        (NO_ID, 'A request needs an "id"'),
        (CALL | {"jsonrpc": "1.0"}, '"jsonrpc": "2.0"'),
        (CALL | {"method": 5}, 'names its "method"'),
        ({"jsonrpc": "2.0", "id": 1}, 'names its "method"'),
        (CALL | {"params": []}, "must be a JSON object"),
        (CALL | {"params": 5}, "must be a JSON object"),
        ([CALL], "one JSON-RPC message"),
        ("hello", "one JSON-RPC message"),
    ],
)
async def test_a_message_that_is_none_is_told_in_one_sentence_what_it_must_be(http, era, message, told):
    """Never 202 with nothing done, and never how a library is made inside."""
    answer = await call(http, message, era)
    assert answer.status_code == 400
    error = answer.json()["error"]
    assert error["code"] == -32600 and told in error["message"] and "\n" not in error["message"]
    assert answer.json()["id"] in (1, None)


@pytest.mark.requirement("004-946")
@each("era", ERAS)
@each(
    ("params", "told"),
    [
        ({"name": "get_policies", "arguments": '{"topic": "parking"}'}, "are a text; send a JSON object"),
        ({"name": "get_policies", "arguments": [1]}, "are no object; send a JSON object"),
        ({"arguments": {}}, 'name the tool: "name"'),
        ({"name": "", "arguments": {}}, 'name the tool: "name"'),
        ({"name": 7}, 'name the tool: "name"'),
    ],
)
async def test_a_call_whose_parameters_are_none_is_told_what_would_work(http, era, params, told):
    """In one sentence, before the library says that something is invalid."""
    answer = await call(http, CALL | {"params": params | {"_meta": meta()}}, era)
    error = answer.json()["error"]
    assert (answer.json()["id"], error["code"]) == (1, -32602) and told in error["message"]


@pytest.mark.requirement("004-946")
async def test_a_version_that_is_not_spoken_here_is_told_as_that_with_those_that_are(http):
    """Whatever is asked in it."""
    for message in (CALL, {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}):
        answer = await call(http, message, "1999-01-01")
        error = answer.json()["error"]
        assert (answer.status_code, answer.json()["id"], error["code"]) == (400, 1, -32022)
        assert "'1999-01-01'" in error["message"] and "2025-11-25" in error["message"]
        assert "_meta" not in error["message"] and error["data"]["requested"] == "1999-01-01"


@pytest.mark.requirement("004-946")
@each(
    "params",
    [
        {},
        {"protocolVersion": "2025-11-25"},
        {"protocolVersion": 7},
        {"protocolVersion": "2025-11-25", "capabilities": 7},
    ],
)
async def test_a_session_that_was_not_opened_has_no_id(http, params):
    """Whatever the status is under which its error comes."""
    sent = {key: value for key, value in headers().items() if not key.lower().startswith("mcp-")}
    message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    answer = await http.post("/mcp/demo-salon", json=message, headers=sent)
    assert "error" in answer.json() and "mcp-session-id" not in answer.headers


@each("era", ERAS)
@each(
    ("meta", "told"),
    [
        ([], 'The "_meta" of the "params" must be a JSON object'),
        ("x", 'The "_meta" of the "params" must be a JSON object'),
        ({"progressToken": {"a": 1}}, "a text or a whole number, such as 1, or be left out"),
        ({"progressToken": 1.5}, "a text or a whole number, such as 1, or be left out"),
    ],
)
async def test_what_stands_beside_the_parameters_is_told_what_would_work(http, era, meta, told):
    """The library says of all of these that the parameters are invalid."""
    answer = await call(http, CALL | {"params": {"name": "get_policies", "arguments": {}, "_meta": meta}}, era)
    error = answer.json()["error"]
    assert (answer.json()["id"], error["code"]) == (1, -32602) and told in error["message"]


async def test_what_needs_no_answer_needs_no_id(http):
    """A notification is taken, as the protocol has it; an id may be any text, zero and below it."""
    assert (await call(http, {"jsonrpc": "2.0", "method": "notifications/initialized"}, ERAS[1])).status_code == 202
    for id in (0, -3, "", "a b"):
        answer = await call(http, CALL | {"id": id})
        assert (answer.status_code, answer.json()["id"], "result" in answer.json()) == (200, id, True)


@each("era", ERAS)
@each("turn", ["x", -5, 1.5, True, [], 10**12])
async def test_a_turn_that_is_no_number_is_refused(http, era, turn):
    """Counted by the clock instead, a person's second yes would be held for the first one's turn."""
    error = (await call(http, CALL | {"_meta": {"switchboard/turn": turn}}, era)).json()["error"]
    assert error["code"] == -32602
    assert "a whole number that counts the person's turns, such as 1" in error["message"]


@each("turn", [0, 1, None])
async def test_a_turn_that_is_counted_or_left_out_is_taken(http, turn):
    """From 0, as the documents say."""
    assert "result" in (await call(http, CALL | {"_meta": {"switchboard/turn": turn}})).json()


@each("method", ["GET", "DELETE", "PUT"])
async def test_there_is_nothing_but_posts(http, method):
    """No stream stays open and no session is kept that could be ended."""
    assert (await http.request(method, "/mcp/demo-salon", headers=headers())).status_code == 405


@each("session", ["a b", "é", "x" * 101, "a\tb"])
async def test_a_session_has_a_plain_name(http, session):
    """As the protocol has it; one that shows nothing is none, as at every door."""
    answer = await http.post("/mcp/demo-salon", params={"session": session}, json=ping(), headers=headers())
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, "session")


@pytest.mark.requirement("004-642")
async def test_an_agent_that_the_business_does_not_have_is_refused(http):
    """Whoever is kept from something does not get it by another name."""
    answer = await http.post("/mcp/demo-salon?agentId=nobody", json=ping(), headers=headers())
    assert (answer.status_code, "has no agent 'nobody'" in answer.text) == (400, True)
