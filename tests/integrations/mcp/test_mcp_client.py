"""Connected MCP servers: the official ones answer, and hostile ones get nowhere."""

import asyncio
import itertools
import json
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse

from switchboard.contract.deadline import ending_in
from switchboard.contract.definitions.remote_tools import RemoteAnswer
from switchboard.contract.error import ErrorType, ToolError
from switchboard.desk.tenant_tools.said_no import surely_not_done
from switchboard.integrations.mcp import egress as mcp_egress
from switchboard.integrations.mcp import failures
from switchboard.integrations.mcp.client import MOST_TOOLS, McpClient
from switchboard.integrations.mcp.egress import Events, MessageEgress
from tests.each import each
from tests.integrations.conftest import SHORT_S
from tests.integrations.egress.internet import NAME, answer, internet, raw
from tests.integrations.mcp.servers import client_for, modern, official, scripted, server, serving, tool

LOADED_ONCE = """
import sys
sys.path.insert(0, "functions")
from threading import enumerate as threads
from switchboard.integrations.mcp.client import McpClient
from switchboard.integrations.mcp.egress import MessageEgress
client = McpClient(MessageEgress())
assert "mcp" not in sys.modules
client.prepare()
client.prepare()
loading = [thread for thread in threads() if thread.daemon]
assert len(loading) == 1
loading[0].join()
assert "mcp.client.session" in sys.modules
"""


@pytest.mark.requirement("004-153")
@pytest.mark.process
def test_the_protocols_library_is_loaded_beside_the_calls_and_only_where_one_is_to_be_expected():
    """It takes a second or two, which nobody should wait for on the phone."""
    subprocess.run([sys.executable, "-c", LOADED_ONCE], check=True, timeout=60)


SETTINGS = [(True, True), (True, False), (False, True), (False, False)]


@pytest.mark.requirement("004-153")
@pytest.mark.parametrize(("is_stateless", "as_json"), SETTINGS)
async def test_the_official_server_is_listed_and_called(is_stateless: bool, as_json: bool):
    """With and without sessions, answering with JSON and with streams."""
    crm = official()
    async with serving(crm, is_stateless=is_stateless, as_json=as_json) as url:
        client = client_for(url)
        offered = {found.name: found for found in await client.offered(server(url))}
        found = await client.call(server(url), "find_customer", {"name": "Ana"}, wish="w", is_reading=True)
        noted = await client.call(server(url), "add_note", {"text": "hi"}, wish="w", is_reading=False)
        await client.close()
    assert offered["find_customer"].annotations["readOnlyHint"] is True
    assert offered["find_customer"].input_schema["required"] == ["name"]
    assert found == RemoteAnswer({"name": "Ana", "limit": 5})
    assert (noted.failure, crm.notes) == (None, ["hi"])  # type: ignore[attr-defined]


async def test_what_the_tool_says_no_to_is_its_own_no():
    """In its words, to be corrected."""
    async with serving(official()) as url:
        client = client_for(url)
        refused = await client.call(server(url), "add_note", {"text": "boom"}, wish="w", is_reading=False)
        unknown = await client.call(server(url), "no_such", {}, wish="w", is_reading=False)
        await client.close()
    assert (refused.failure, refused.is_unknown) == (ErrorType.VALIDATION, False)
    assert "the note is too loud" in refused.content
    assert unknown.failure is ErrorType.VALIDATION


@pytest.mark.requirement("004-2471")
async def test_an_exception_behind_a_deed_is_the_tools_own_no_which_says_nothing_of_the_deed():
    """As the official library answers it; of arguments that it does not take it says as much."""
    shop, done = official(), []

    @shop.tool()
    def place_order(item: str) -> str:
        """Place an order."""
        done.append(item)
        raise TimeoutError("mail server did not answer")

    async with serving(shop) as url:
        client = client_for(url)
        failed = await client.call(server(url), "place_order", {"item": "soap"}, wish="w", is_reading=False)
        refused = await client.call(server(url), "place_order", {}, wish="w", is_reading=False)
        await client.close()
    assert (failed.is_tools_own, surely_not_done(failed.content), done) == (True, False, ["soap"])
    assert (refused.is_tools_own, surely_not_done(refused.content)) == (True, True)


@pytest.mark.requirement("004-2471")
async def test_an_answer_that_the_library_finds_wrong_came_behind_the_deed():
    """The TypeScript library says so by the code for arguments that a tool does not take."""

    def refuse(message: dict[str, Any]) -> Any:
        error = {"code": -32602, "message": "MCP error -32602: Output validation error: Invalid structured content"}
        return JSONResponse({"jsonrpc": "2.0", "id": message["id"], "error": error})

    async with scripted(modern(call=refuse)) as (url, _):
        client = client_for(url)
        found = await client.call(server(url), "t", {}, wish="w", is_reading=False)
        await client.close()
    assert (found.failure, found.is_unknown) == (ErrorType.TRANSIENT, True)


def older(session: str, forgets: Response | None = None) -> Any:
    """Return what answers as a server of the handshake era that may forget its session once, and says so."""
    state = {"sessions": [session, session + "2"], "forgets": [forgets] if forgets else []}

    def speak(message: dict[str, Any]) -> Any:
        match message["method"]:
            case "server/discover":
                error = {"code": -32601, "message": "Method not found"}
                return JSONResponse({"jsonrpc": "2.0", "id": message["id"], "error": error}, 400)
            case "initialize":
                result = {"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {"name": "x"}}
                body = {"jsonrpc": "2.0", "id": message["id"], "result": result}
                return JSONResponse(body, headers={"Mcp-Session-Id": state["sessions"].pop(0)})
            case "tools/call" if state["forgets"]:
                return state["forgets"].pop()
            case "tools/call":
                return {"content": [{"type": "text", "text": "done"}]}
        return None

    return speak


async def test_an_older_server_gets_its_handshake_once_and_its_session_ever_after():
    """The revision that was agreed and the session stand in every further message."""
    async with scripted(older("s1")) as (url, seen):
        client = client_for(url)
        for _ in range(2):
            assert (await client.call(server(url), "t", {}, wish="w", is_reading=False)).content == "done"
        await client.close()
    methods = [message["method"] for message in seen]
    assert methods == ["server/discover", "initialize", "notifications/initialized", "tools/call", "tools/call"]
    for message in seen[2:]:
        assert message["headers"]["mcp-session-id"] == "s1"
        assert message["headers"]["mcp-protocol-version"] == "2025-06-18"


@pytest.mark.parametrize(
    "said",
    [
        lambda: JSONResponse({"error": "Session not found"}, 404),
        lambda: JSONResponse({"jsonrpc": "2.0", "id": None, "error": {"code": -32000, "message": "No session"}}, 400),
    ],
)
async def test_a_session_that_ended_is_begun_anew(said: Callable[[], Response]):
    """The server, restarted, has said that it did not look at the call, which is then made once."""
    speak = {"now": older("s1")}
    async with scripted(lambda message: speak["now"](message)) as (url, seen):
        client = client_for(url)
        await client.call(server(url), "t", {}, wish="w", is_reading=False)
        speak["now"] = older("s2", forgets=said())
        found = await client.call(server(url), "t", {}, wish="w", is_reading=False)
        await client.close()
    assert found.content == "done"
    used = [message["headers"]["mcp-session-id"] for message in seen if message["method"] == "tools/call"]
    assert used == ["s1", "s1", "s2"]


async def test_callers_who_come_together_agree_upon_one_session():
    """The server is asked once how it is spoken to, and not by each of them."""
    async with scripted(older("s")) as (url, seen):
        client = client_for(url)
        await asyncio.gather(*(client.call(server(url), "t", {"n": n}, wish="w", is_reading=True) for n in range(10)))
        await client.close()
    assert [message["method"] for message in seen].count("initialize") == 1


async def test_two_businesses_share_no_session_even_at_one_address():
    """Not even with the same key."""
    async with scripted(older("s")) as (url, seen):
        client = client_for(url)
        for business in ("salon", "plumber"):
            await client.call(server(url, business, authorization="Bearer k"), "t", {}, wish="w", is_reading=True)
        await client.close()
    used = [message["headers"]["mcp-session-id"] for message in seen if message["method"] == "tools/call"]
    assert used == ["s", "s2"]


async def test_what_goes_with_a_call_is_what_the_protocol_asks_for_and_nothing_of_the_caller():
    """Headers that agree with the message; the owner's own headers cannot take their place."""
    async with scripted(modern()) as (url, seen):
        client = client_for(url)
        where = server(url, **{"Accept": "text/html", "MCP-Protocol-Version": "1", "x-key": "k"})
        await client.call(where, "größe", {"a": 1}, wish="wish-1", is_reading=False)
        await client.close()
    sent = seen[-1]
    assert sent["headers"]["mcp-method"] == "tools/call"
    assert sent["headers"]["mcp-name"].startswith("=?base64?")
    assert sent["headers"]["mcp-protocol-version"] == "2026-07-28"
    assert (sent["headers"]["accept"], sent["headers"]["x-key"]) == ("application/json, text/event-stream", "k")
    assert sent["params"]["_meta"].pop("switchboard/idempotencyKey") == "wish-1"
    assert set(sent["params"]["_meta"]) == {
        f"io.modelcontextprotocol/{name}" for name in ("protocolVersion", "clientCapabilities", "clientInfo")
    }
    assert {key: sent["params"][key] for key in ("name", "arguments")} == {"name": "größe", "arguments": {"a": 1}}


STATUSES = {
    400: (ErrorType.PERMANENT, False),
    401: (ErrorType.AUTH, False),
    403: (ErrorType.AUTH, False),
    404: (ErrorType.PERMANENT, False),
    429: (ErrorType.RATE_LIMIT, False),
    500: (ErrorType.TRANSIENT, True),
    503: (ErrorType.TRANSIENT, True),
    301: (ErrorType.PERMANENT, False),
    302: (ErrorType.PERMANENT, True),
    303: (ErrorType.PERMANENT, True),
    307: (ErrorType.PERMANENT, False),
    308: (ErrorType.PERMANENT, False),
}


@pytest.mark.requirement("004-940")
@each("status", STATUSES)
async def test_every_status_means_something_here(status: int):
    """What failed on the way may have been done; what was refused was not. A look-up loses nothing."""
    async with scripted(modern(call=lambda message: Response(status_code=status))) as (url, _):
        client = client_for(url)
        for is_reading in (False, True):
            with pytest.raises(ToolError) as caught:
                await client.call(server(url), "t", {}, wish="w", is_reading=is_reading)
            type, is_unknown = STATUSES[status]
            assert caught.value.type is type
            assert caught.value.partial_side_effects is (is_unknown and not is_reading)
        await client.close()


@pytest.mark.parametrize(("code", "type", "is_unknown"), [(-32602, "VALIDATION", False), (-32603, "TRANSIENT", True)])
async def test_an_error_of_the_protocol_is_a_no_in_the_servers_words(code: int, type: str, is_unknown: bool):
    """An unknown code is taken for a failure on the way."""

    def refuse(message: dict[str, Any]) -> Any:
        error = {"code": code, "message": "the day is in the past"}
        return JSONResponse({"jsonrpc": "2.0", "id": message["id"], "error": error})

    async with scripted(modern(call=refuse)) as (url, _):
        client = client_for(url)
        found = await client.call(server(url), "t", {}, wish="w", is_reading=False)
        await client.close()
    assert found == RemoteAnswer("the day is in the past", ErrorType(type), is_unknown)


@pytest.mark.parametrize(
    ("error", "type"),
    [
        ({"code": -32002, "message": "Resource gone"}, "NOT_FOUND"),
        ({"code": -32602, "message": "order 7 not found"}, "NOT_FOUND"),
        ({"code": -32602, "message": "Unknown tool: find"}, "VALIDATION"),
    ],
)
async def test_an_error_that_says_that_there_is_no_such_thing_is_a_no_of_that_kind(error: dict[str, Any], type: str):
    """By its code, or in the server's words; that the tool itself is gone is another."""

    def refuse(message: dict[str, Any]) -> Any:
        return JSONResponse({"jsonrpc": "2.0", "id": message["id"], "error": error})

    async with scripted(modern(call=refuse)) as (url, _):
        client = client_for(url)
        found = await client.call(server(url), "t", {}, wish="w", is_reading=True)
        await client.close()
    assert found == RemoteAnswer(error["message"], ErrorType(type))


@each(
    ("words", "type"),
    [
        ("Order 4711 not found.", "NOT_FOUND"),
        ("HTTP error 404: Not Found", "NOT_FOUND"),
        ("There is no such customer", "NOT_FOUND"),
        ("Record does not exist", "NOT_FOUND"),
        ("The day is in the past", "VALIDATION"),
        ("Please do not call found items", "VALIDATION"),
        ("", "VALIDATION"),
    ],
)
def test_a_tools_own_no_is_read_for_what_is_not_there(words: str, type: str):
    """So that a caller hears that there is nothing of the kind, and no argument is corrected in vain."""
    assert failures.of_words(words) is ErrorType(type)


ANSWERS = {
    "no JSON": b"<html>",
    "a list": b"[]",
    "a call": b'{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{}}',
    "nothing": b"",
    "a result that is none": b'{"jsonrpc":"2.0","id":1,"result":[]}',
    "deep": b"[" * 100_000,
}


@pytest.mark.parametrize("name", ANSWERS)
async def test_what_is_no_answer_is_not_taken_for_one(name: str):
    """And whoever acted cannot know whether it was done."""
    body = Response(ANSWERS[name], media_type="application/json")
    async with scripted(modern(call=lambda message: body)) as (url, _):
        client = client_for(url)
        with pytest.raises(ToolError) as caught:
            await client.call(server(url), "t", {}, wish="w", is_reading=False)
        await client.close()
    assert (caught.value.type, caught.value.partial_side_effects) == (ErrorType.PERMANENT, True)


LOOSE_RESULTS: dict[str, tuple[dict[str, Any], Any]] = {
    "no parts": ({"structuredContent": {"id": 7}}, {"id": 7}),
    "a list as structured content": ({"content": [], "structuredContent": [1]}, [1]),
    "a part of a kind that nobody knows": (
        {"content": [{"type": "hologram"}, {"type": "text", "text": "done"}, {"type": "text"}]},
        "done",
    ),
    "a part that is none": ({"content": ["done", {"type": "text", "text": "done"}]}, "done"),
    "nothing of it": ({}, None),
}


@pytest.mark.requirement("004-153")
@pytest.mark.parametrize("name", LOOSE_RESULTS)
async def test_a_server_that_is_loose_about_the_protocols_letter_has_done_what_it_did(name: str):
    """With either way of speaking: what was asked for is not unknown because its answer is oddly written."""
    result, content = LOOSE_RESULTS[name]
    answers = older("s")

    def speak(message: dict[str, Any]) -> Any:
        return result if message["method"] == "tools/call" else answers(message)

    for speaking in (speak, modern(call=lambda message: result)):
        async with scripted(speaking) as (url, _):
            client = client_for(url)
            answered = await client.call(server(url), "t", {}, wish="w", is_reading=False)
            await client.close()
        assert answered == RemoteAnswer(content)


@pytest.mark.requirement("004-153")
async def test_one_oddly_written_tool_hides_no_other():
    """What is wrong with it is for its owner to read; the others are offered as they are."""
    odd = [{"name": "odd", "inputSchema": None}, {"name": 7, "description": ["x"]}, tool("typed", inputSchema={})]
    async with scripted(modern(*odd, tool("fine"))) as (url, _):
        client = client_for(url)
        names = [offered.name for offered in await client.offered(server(url))]
        await client.close()
    assert names == ["odd", "", "typed", "fine"]


async def test_arguments_arrive_as_they_are_or_nothing_is_sent():
    """What stands for nothing is an argument too; what JSON has no words for is none."""
    arguments = {"none": None, "deep": {"none": None, "list": [None, 1.5]}, "word": "größe"}
    async with scripted(modern()) as (url, seen):
        client = client_for(url)
        await client.call(server(url), "t", arguments, wish="w", is_reading=False)
        assert seen[-1]["params"]["arguments"] == arguments
        sent = len(seen)
        for unsendable in ({"x": object()}, {"x": 2**70}, {"x": "\ud800"}):
            with pytest.raises(ToolError) as caught:
                await client.call(server(url), "t", unsendable, wish="w", is_reading=False)
            assert (caught.value.type, caught.value.partial_side_effects) == (ErrorType.VALIDATION, False)
        await client.close()
    assert len(seen) == sent


async def test_a_server_that_asks_back_gets_no_answer():
    """No human of ours is asked by a stranger."""
    asks = {"resultType": "input_required", "inputRequests": {"x": {"method": "elicitation/create", "params": {}}}}
    async with scripted(modern(call=lambda message: asks)) as (url, seen):
        client = client_for(url)
        with pytest.raises(ToolError) as caught:
            await client.call(server(url), "t", {}, wish="w", is_reading=True)
        await client.close()
    assert (caught.value.type, len(seen)) == (ErrorType.PERMANENT, 2)


async def test_of_a_stream_no_more_is_read_than_the_response():
    """Notices before it are passed over; what never ends is left."""

    def endless(message: dict[str, Any]) -> Response:
        async def events() -> Any:
            note = {"jsonrpc": "2.0", "method": "notifications/progress", "params": {}}
            done = {"jsonrpc": "2.0", "id": message["id"], "result": {"content": [{"type": "text", "text": "done"}]}}
            for part in (note, done):
                yield f"event: message\ndata: {json.dumps(part)}\n\n"
            while True:
                yield ": ping\n\n"
                await asyncio.sleep(0.05)

        return StreamingResponse(events(), media_type="text/event-stream")

    async with scripted(modern(call=endless)) as (url, _):
        client = client_for(url)
        found = await client.call(server(url), "t", {}, wish="w", is_reading=False)
        await client.close()
    assert found.content == "done"


async def test_a_stream_that_never_answers_ends_with_the_time_there_is():
    """Nobody waits longer than the caller does; what was asked for may have been done."""

    def silent(message: dict[str, Any]) -> Response:
        async def events() -> Any:
            while True:
                yield ": ping\n\n"
                await asyncio.sleep(0.05)

        return StreamingResponse(events(), media_type="text/event-stream")

    for seconds in SHORT_S:
        async with scripted(modern(call=silent)) as (url, seen):
            client = client_for(url)
            with ending_in(seconds), pytest.raises(ToolError) as caught:
                await client.call(server(url), "t", {}, wish="w", is_reading=False)
            await client.close()
        if any(message["method"] == "tools/call" for message in seen):
            break
    assert (caught.value.type, caught.value.partial_side_effects) == (ErrorType.TRANSIENT, True)


async def test_a_stream_that_never_ends_and_grows_is_left():
    """At 256 KB over the wire."""

    def flood(message: dict[str, Any]) -> Response:
        async def events() -> Any:
            for _ in range(500):
                yield b"data: " + b"x" * 65_536 + b"\n\n"
                await asyncio.sleep(0)

        return StreamingResponse(events(), media_type="text/event-stream")

    async with scripted(modern(call=flood)) as (url, _):
        client = client_for(url)
        with pytest.raises(ToolError) as caught:
            await client.call(server(url), "t", {}, wish="w", is_reading=True)
        await client.close()
    assert caught.value.type is ErrorType.PERMANENT


async def test_no_more_tools_are_read_than_a_receptionist_could_have():
    """However long the list, and however many pages it has."""
    pages = itertools.count()

    def lists(message: dict[str, Any]) -> Any:
        if message["method"] == "tools/list":
            page = next(pages)
            return {"tools": [tool(f"t{page}_{n}") for n in range(60)], "nextCursor": f"more {page}"}
        return modern()(message)

    async with scripted(lists) as (url, seen):
        client = client_for(url)
        assert len(await client.offered(server(url))) == MOST_TOOLS
        await client.close()
    assert len(seen) == 5


async def test_a_list_without_tools_that_always_goes_on_ends():
    """After ten pages."""
    pages = itertools.count()

    def lists(message: dict[str, Any]) -> Any:
        if message["method"] == "tools/list":
            return {"tools": [], "nextCursor": f"more {next(pages)}"}
        return modern()(message)

    async with scripted(lists) as (url, seen):
        client = client_for(url)
        assert await client.offered(server(url)) == []
        await client.close()
    assert len(seen) == 11


async def test_a_redirect_leads_nowhere():
    """Neither to this machine nor to anywhere else."""
    hits = []

    def elsewhere(message: dict[str, Any]) -> Any:
        hits.append(message)
        return RedirectResponse("http://169.254.169.254/latest/meta-data", 307)

    async with scripted(elsewhere) as (url, _):
        client = client_for(url)
        with pytest.raises(ToolError) as caught:
            await client.offered(server(url))
        await client.close()
    assert caught.value.type is ErrorType.PERMANENT
    assert len(hits) == 2


@each(
    "url",
    [
        "http://127.0.0.1:9/mcp",
        "https://169.254.169.254/mcp",
        "https://10.0.0.1/mcp",
        "https://[::1]/mcp",
        "http://mcp.example.com/mcp",
        "https://mcp.example.com:22/mcp",
        "https://user:word@mcp.example.com/mcp",
        "https://own.example.com/mcp/demo-salon",
        "file:///etc/passwd",
    ],
)
async def test_no_address_is_called_that_egress_would_not_call(url: str):
    """Private addresses, plain http, odd ports, and this deployment itself."""
    client = McpClient(MessageEgress(own_urls=["https://own.example.com"]))
    with pytest.raises(ToolError) as caught:
        await client.offered(server(url))
    await client.close()
    assert caught.value.meta["reason"] == "address_not_allowed"


async def test_a_name_that_turns_private_between_two_looks_is_not_called():
    """What a socket is opened to is what was checked (DNS rebinding)."""
    async with internet(answer(b"{}")) as net:
        net.names[NAME] = [["10.0.0.7"]]
        client = McpClient(MessageEgress(lookup=net.lookup, open_socket=net.open_socket))
        with pytest.raises(ToolError) as caught:
            await client.offered(server(f"https://{NAME}/mcp"))
        await client.close()
    assert (caught.value.type, net.opened) == (ErrorType.PERMANENT, [])


async def test_a_server_that_drips_costs_its_own_time_only(monkeypatch: pytest.MonkeyPatch):
    """The whole exchange has one end, and not each byte."""
    monkeypatch.setattr(mcp_egress, "TOTAL_S", 0.5)
    from tests.integrations.egress.internet import contexts

    drip = raw(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n", b":", pause=0.02, again=10**9)
    async with internet(drip) as net:
        egress = MessageEgress(lookup=net.lookup, open_socket=net.open_socket, trust=contexts()[1])
        client = McpClient(egress)
        with pytest.raises(ToolError) as caught:
            await client.offered(server(f"https://{NAME}/mcp"))
        await client.close()
    assert caught.value.type is ErrorType.TRANSIENT


@given(st.lists(st.text(alphabet="ab é", max_size=5), max_size=6), st.sampled_from(["\n", "\r\n"]), st.data())
def test_events_are_the_same_however_they_are_cut_into_pieces(lines: list[str], end: str, data: st.DataObject):
    """A stream has no other seams than its blank lines."""
    wire = "".join(f"data: {line}{end}{end}" for line in lines).encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(wire)), max_size=6)))
    events = Events()
    edges = [0, *cuts, len(wire)]
    found = [event for a, b in pairwise(edges) for event in events.feed(wire[a:b])]
    assert found == [line.encode() for line in lines]


@pytest.mark.requirement("004-2479")
async def test_an_answer_to_another_request_answers_nothing():
    """Nobody knows then what became of this one."""
    for id in (99, "99", None):
        other = JSONResponse({"jsonrpc": "2.0", "id": id, "result": {"content": [{"type": "text", "text": "done"}]}})
        async with scripted(modern(call=lambda message, other=other: other)) as (url, _):
            client = client_for(url)
            with pytest.raises(ToolError) as caught:
                await client.call(server(url), "t", {}, wish="w", is_reading=False)
            await client.close()
        assert caught.value.partial_side_effects


@pytest.mark.requirement("004-2479")
async def test_a_list_that_goes_round_is_read_once():
    """A cursor that never ends, with the same tools on each page; another one of the same name stays."""
    pages = []

    def speak(message: dict[str, Any]) -> Any:
        if message["method"] != "tools/list":
            return modern()(message)
        pages.append(message)
        return {"resultType": "complete", "tools": [tool("a"), tool("b")], "nextCursor": "again"}

    async with scripted(speak) as (url, _):
        client = client_for(url)
        assert [offered.name for offered in await client.offered(server(url))] == ["a", "b"]
        await client.close()
    assert len(pages) == 2
