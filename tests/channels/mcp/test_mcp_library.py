"""What clients are answered by the protocol's library, beside what the library answers over its own transport."""

import logging
from typing import Any

import httpx2
import pytest
from starlette.types import Receive, Scope, Send

from switchboard.channels.mcp import library
from switchboard.channels.mcp.request_session import RequestSession
from switchboard.channels.mcp.stream import PLACE, Place
from switchboard.contract.channel import Channel
from switchboard.contract.store import Unavailable
from tests.channels.http.test_tools_api import store  # noqa: F401 - a fixture
from tests.channels.mcp.served import app_over, house_over, toolbox_of
from tests.channels.mcp.test_mcp_server import headers, initialize, meta, ping
from tests.desk.front_desk import StoppedClock
from tests.each import each

VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
CALL = {"name": "search_knowledge", "arguments": {"query": "parking"}, "_meta": {"switchboard/turn": 1}}


def asking(method: str, params: Any = None, id: Any = 1) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": method} | ({} if params is None else {"params": params})


def of_a_version(version: str | None, **more: str) -> dict[str, str]:
    named = {} if version is None else {"MCP-Protocol-Version": version}
    return headers(None) | named | {"Mcp-Session-Id": "s1"} | more


MESSAGES = {
    "a handshake": initialize(),
    "a handshake in a version of the future": asking(
        "initialize", initialize()["params"] | {"protocolVersion": "2031-01-01"}
    ),
    "a handshake without who shakes": asking("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}}),
    "a ping": asking("ping"),
    "a ping by an id of letters": asking("ping", id="p-1"),
    "a list": asking("tools/list", {}),
    "a list without params": asking("tools/list"),
    "a list from a cursor that is none": asking("tools/list", {"cursor": 1}),
    "a call": asking("tools/call", CALL),
    "a call that fails": asking("tools/call", CALL | {"arguments": {"question": 1}}),
    "a call of no tool": asking("tools/call", CALL | {"name": "make_coffee"}),
    "a call with a field of a newer version": asking("tools/call", CALL | {"requestState": "x"}),
    "what is not served": asking("resources/list", {}),
    "what nobody has heard of": asking("coffee/make", {}),
    "an own level of logs": asking("logging/setLevel", {"level": "debug"}),
}


@pytest.fixture
async def http(store):  # noqa: F811
    """A client of the app on this machine."""
    transport = httpx2.ASGITransport(app=app_over(store, clock=StoppedClock()))
    async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8080") as client:
        yield client


@pytest.fixture
async def transported(store):  # noqa: F811
    """A client of the library's own transport, over the same tools."""
    server = library.server_of(toolbox_of(house_over(store, StoppedClock())))
    visit = RequestSession("demo-salon", "k", Channel.PORTAL, "s1", is_named=True)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        scope[PLACE] = Place(visit)
        await library.transported(server, scope, receive, send)

    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url="http://127.0.0.1:8080") as client:
        yield client


def plain(answer: Any) -> Any:
    """Return an answer without what is another with each call: its id, its time and its delivery."""
    if isinstance(answer, dict):
        return {key: plain(value) for key, value in answer.items() if key not in ("elapsedMs", "trace", "replayed")}
    return [plain(one) for one in answer] if isinstance(answer, list) else answer


@pytest.mark.parametrize("message", MESSAGES.values(), ids=MESSAGES)
async def test_an_older_client_is_answered_as_by_the_librarys_own_transport(http, transported, message):
    """Word for word and in each version; so where none is named."""
    for version in (*VERSIONS, None):
        ours = await http.post("/mcp/demo-salon", json=message, headers=of_a_version(version))
        theirs = await transported.post("/mcp/demo-salon", json=message, headers=of_a_version(version))
        assert (ours.status_code, ours.headers["content-type"]) == (
            theirs.status_code,
            theirs.headers["content-type"],
        )
        assert plain(ours.json()) == plain(theirs.json()), version


async def test_a_notification_is_taken_and_answered_with_nothing(http):
    """As the library does: 202, also where nothing waits for it."""
    for method in ("notifications/initialized", "notifications/cancelled", "notifications/coffee"):
        message = {"jsonrpc": "2.0", "method": method}
        answer = await http.post("/mcp/demo-salon", json=message, headers=of_a_version("2025-06-18"))
        assert (answer.status_code, answer.content) == (202, b"")


async def test_who_takes_no_json_is_told_what_to_take(http):
    """406; events alone are not enough, any kind is."""
    for taken, status in (("text/event-stream", 406), ("text/html", 406), ("*/*", 200), ("application/json", 200)):
        answer = await http.post(
            "/mcp/demo-salon", json=asking("ping"), headers=of_a_version("2025-06-18", Accept=taken)
        )
        assert answer.status_code == status
        assert status == 200 or "application/json" in answer.json()["error"]["message"]


@each("kind", ["Application/JSON; charset=utf-8", "application/json", "application/json;charset=utf-8"])
async def test_json_may_be_said_in_any_spelling(http, kind):
    """Upper case and a character set are no other kind."""
    answer = await http.post(
        "/mcp/demo-salon", json=asking("ping"), headers=of_a_version("2025-06-18") | {"Content-Type": kind}
    )
    assert answer.json()["result"] == {}


@each("kind", ["application/jsonx", "text/plain", "application/x-www-form-urlencoded", ""])
async def test_what_is_said_to_be_no_json_is_refused_in_json(http, kind):
    """415, before anything of it is read as a message."""
    answer = await http.post(
        "/mcp/demo-salon", json=asking("ping"), headers=of_a_version("2025-06-18") | {"Content-Type": kind}
    )
    assert (answer.status_code, answer.json()["error"]["code"]) == (415, -32600)


@pytest.mark.parametrize("version", ["2025-06-18", "2026-07-28"])
async def test_a_business_that_cannot_be_read_is_said_and_is_no_fault_of_the_server(http, monkeypatch, caplog, version):
    """An error of the protocol with what to do, and no stack in the log."""

    async def away(*_: Any) -> None:
        raise Unavailable("away")

    monkeypatch.setattr("switchboard.catalog.offer.catalog.Catalog.get_tool_definitions", away)
    if version == "2025-06-18":
        message, named = asking("tools/list", {}), of_a_version(version)
    else:
        message, named = asking("tools/list", {"_meta": meta()}), headers("tools/list")
    with caplog.at_level(logging.ERROR):
        answer = await http.post("/mcp/demo-salon", json=message, headers=named)
    assert answer.json()["error"]["code"] == -32603
    assert "again" in answer.json()["error"]["message"]
    assert not caplog.records


@pytest.mark.parametrize("version", ["2025-06-18", "2026-07-28"])
async def test_what_nobody_foresaw_is_an_error_of_the_protocol_with_the_requests_id(http, monkeypatch, version):
    """In our words, and not in the exception's."""

    async def broken(*_: Any, **__: Any) -> None:
        raise KeyError("a name of ours")

    monkeypatch.setattr("switchboard.channels.mcp.tools.Toolbox.call", broken)
    if version == "2025-06-18":
        message, named = asking("tools/call", CALL, id="x7"), of_a_version(version)
    else:
        message = asking("tools/call", CALL | {"_meta": meta()}, id="x7")
        named = headers("tools/call", "search_knowledge")
    answer = (await http.post("/mcp/demo-salon", json=message, headers=named)).json()
    assert (answer["id"], answer["error"]["code"]) == ("x7", -32603)
    assert "wrong here" in answer["error"]["message"]
    assert "a name of ours" not in str(answer)


@pytest.mark.parametrize("version", ["2025-06-18", "2026-07-28"])
async def test_a_failure_that_nobody_foresaw_is_answered_in_our_words(http, monkeypatch, caplog, version):
    """The client waits for the message with its id; what went wrong is in the log, and not told."""

    async def failing(*_: Any) -> None:
        raise KeyError("of the inside")

    monkeypatch.setattr("switchboard.catalog.offer.catalog.Catalog.get_tool_definitions", failing)
    if version == "2025-06-18":
        message, named = asking("tools/list", {}, "l-1"), of_a_version(version)
    else:
        message, named = asking("tools/list", {"_meta": meta()}, "l-1"), headers("tools/list")
    with caplog.at_level(logging.ERROR):
        answer = await http.post("/mcp/demo-salon", json=message, headers=named)
    assert (answer.json()["id"], answer.json()["error"]["code"]) == ("l-1", -32603)
    assert "of the inside" not in answer.text
    assert [record.getMessage() for record in caplog.records] == ["call failed unexpectedly"]


async def test_one_server_answers_both_eras_side_by_side(http):
    """The same process, one request after the other; a call of one is not taken for the other's."""
    for _ in range(2):
        old = await http.post("/mcp/demo-salon", json=asking("tools/call", CALL), headers=of_a_version("2025-06-18"))
        new = await http.post("/mcp/demo-salon", json=ping(), headers=headers())
        assert old.json()["result"]["structuredContent"]["results"]
        assert "supportedVersions" in new.json()["result"]
