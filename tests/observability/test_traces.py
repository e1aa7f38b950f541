"""One trace from the request that comes in to the request that goes out, told without anybody's words."""

import asyncio

import httpx2 as httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient

from stand_ins.loopback import serving
from switchboard.channels.http.tracing import Traced
from switchboard.contract.observability.trace import CURRENT, Elsewhere, Untraced, caller_step, recorded, traceparent
from switchboard.integrations.egress.egress import SafeEgress
from switchboard.integrations.http_session import HttpSession
from switchboard.integrations.opentelemetry.export import Export
from tests.open_days import next_tuesday

TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
PARENT = f"00-{TRACE}-{SPAN}-01"
DAY = {"service": "Haircut", "date": next_tuesday().isoformat()}


async def test_one_trace_leads_from_the_request_through_the_tool_to_the_vendor(observed):
    """Server, tool, vendor: each is a part of the one before, and the caller's own step is above all of them."""
    envelope = await observed.execute(
        "check_availability", DAY, {"traceparent": PARENT}, callId="call_1", channel="portal"
    )
    assert envelope["ok"], envelope
    spans = await observed.collected()
    assert {span.trace for span in spans.spans} == {TRACE}
    tool = spans.named("execute_tool check_availability")
    server = spans.parent_of(tool)
    assert (server.name, server.kind, server.parent) == ("POST /tools/execute", "server", SPAN)
    assert server.fields == {
        "http.request.method": "POST",
        "http.route": "/tools/execute",
        "http.response.status_code": 200,
    }
    assert tool.kind == "internal" and not tool.is_failed
    assert tool.fields == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "check_availability",
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": "call_1",
        "gen_ai.conversation.id": "s1",
        "switchboard.business.id": "demo-salon",
        "switchboard.channel": "portal",
        "switchboard.turn": 1,
    }
    outgoing = [span for span in spans.spans if span.kind == "client" and "server.address" in span.fields]
    assert outgoing
    for span in outgoing:
        assert spans.parent_of(span) == tool
        assert span.fields["server.address"] == "127.0.0.1"
        assert span.fields["http.response.status_code"] == 200
    # A token is fetched for whoever needs one, and belongs to no one's trace.
    told = {parent for path, parent in observed.google.asked if path.startswith("/calendar/")}
    assert told == {f"00-{TRACE}-{span.id}-01" for span in outgoing}
    assert spans.resource["service.name"] == "switchboard" and spans.resource["service.version"] == "v7"


async def test_the_stores_operations_are_steps_without_paths(observed):
    """Callers and bookings are named in paths."""
    await observed.execute("check_availability", DAY)
    spans = await observed.collected()
    found = [span for span in spans.spans if span.name.startswith("firestore ")]
    assert {"get_many", "commit"} & {span.fields["db.operation.name"] for span in found}
    assert all(set(span.fields) <= {"db.system.name", "db.operation.name", "error.type"} for span in found)


async def test_a_refused_call_is_a_failed_step_with_the_type_of_its_error(observed):
    """By OpenTelemetry's `error.type`, and without the message."""
    envelope = await observed.execute("check_availability", {"service": ["no", "text"]})
    spans = await observed.collected()
    tool = spans.named("execute_tool check_availability")
    assert envelope["error"]["type"] == tool.fields["error.type"] == "VALIDATION"
    assert tool.is_failed


@pytest.mark.parametrize("name", ["call Mario on +15185550171", "ada_lovelace", "x" * 190])
async def test_names_that_a_model_made_up_stand_in_no_step(observed, name):
    """In an invented name may stand anything."""
    envelope = await observed.execute(name, {})
    assert envelope["error"]["type"] == "NOT_FOUND"
    spans = await observed.collected()
    assert spans.named("execute_tool _other").fields["gen_ai.tool.name"] == "_other"
    assert not any(name.encode() in body for body in spans.bodies)


async def test_nothing_that_was_passed_said_or_answered_is_in_any_step(observed):
    """Canaries in arguments, ids, queries and results reach the vendor and the caller, and no collector."""
    canaries = ("Ada Canary", "+15185550171", "canary@example.com", "canary-note")
    await observed.execute("take_message", {"name": canaries[0], "message": canaries[3]}, callId=canaries[1])
    await observed.execute("search_knowledge", {"query": canaries[2]}, sessionId=canaries[1])
    await observed.http.get("/tools/definitions", params={"businessId": "demo-salon", "channel": canaries[3]})
    await observed.http.get(f"/nowhere/{canaries[3]}")
    spans = await observed.collected()
    assert len(spans.spans) >= 4
    assert not [text for text in canaries for body in spans.bodies if text.encode() in body]


async def test_a_vendors_refusal_is_told_by_its_status(collector):
    """4xx and 5xx are failures of the step; an answer that never came is one by its error's type."""
    export, http = Export(collector.url, "s", "", list), HttpSession()

    async def refuse(request: Request) -> Response:
        return JSONResponse({}, 503)

    with serving(Starlette(routes=[Route("/{any}", refuse)])) as url:
        outer = CURRENT.set(export.tracer.begin("test", None, {}))
        try:
            await http.request("GET", f"{url}/secret?token=1", timeout_s=2)
        finally:
            recorded().end()
            CURRENT.reset(outer)
    await http.close()
    await export.close()
    span = collector.named("GET")
    assert (span.fields["error.type"], span.is_failed) == ("503", True)
    assert not any(b"secret" in body or b"token" in body for body in collector.bodies)


async def test_owners_addresses_learn_nothing_of_the_trace(collector):
    """What an owner's server is sent is what the owner's tool says, and no header of ours."""
    export, seen = Export(collector.url, "s", "", list), []

    async def see(request: Request) -> Response:
        seen.append(dict(request.headers))
        return JSONResponse({})

    with serving(Starlette(routes=[Route("/", see)])) as url:
        egress = SafeEgress(stand_ins=[url.removeprefix("http://")])
        outer = CURRENT.set(export.tracer.begin("test", None, {}))
        try:
            await egress.request("GET", f"{url}/", {}, None)
        finally:
            recorded().end()
            CURRENT.reset(outer)
            await egress.close()
    await export.close()
    assert len(seen) == 1
    assert "traceparent" not in seen[0]


async def test_unsampled_traces_are_not_recorded(observed):
    """Whoever began the trace has decided that nobody will look at it."""
    await observed.execute("search_knowledge", {"query": "parking"}, {"traceparent": PARENT[:-1] + "0"})
    assert (await observed.collected()).spans == []


@pytest.fixture
def impatient(monkeypatch):
    """Have what is not taken given up soon; asked for before the house, which begins with it."""
    monkeypatch.setattr("switchboard.integrations.opentelemetry.export._ANSWERS_WITHIN_S", 0.3)


async def test_a_collector_that_is_away_is_nobodys_problem(impatient, observed):
    """Calls are answered as ever, and soon."""
    observed.collector.status = 503
    envelope = await observed.execute("search_knowledge", {"query": "parking"})
    assert envelope["ok"]


def test_a_socket_is_told_when_it_is_accepted_and_what_follows_finds_it():
    """A phone call's socket stays open for as long as the call."""
    begun, ended, inside = [], [], []

    class Watched(Elsewhere):
        is_recorded = True

        def rename(self, name):
            begun.append(name)

        def end(self, error_type=None):
            ended.append(len(inside))

    class Watching:
        def begin(self, name, remote, fields):
            return Watched(TRACE, SPAN)

    async def serve(socket):
        await socket.accept()
        inside.append(CURRENT.get().trace_id)
        await socket.close()

    app = Traced(Starlette(routes=[WebSocketRoute("/phone/relay", serve)]), Watching())
    with TestClient(app).websocket_connect("/phone/relay"):
        pass
    assert begun[0] == "GET /phone/relay"
    assert ended[0] == 0 and inside == [TRACE]


async def test_routes_are_told_and_never_what_stands_in_their_place():
    """Ids, tokens and numbers are parts of addresses."""
    names, statuses = [], []

    class Watched(Elsewhere):
        is_recorded = True

        def rename(self, name):
            names.append(name)

        def note(self, name, value):
            statuses.append((name, value))

    class Watching:
        def begin(self, name, remote, fields):
            return Watched(TRACE, SPAN)

    async def fail(request: Request) -> Response:
        return Response(status_code=500)

    app = Traced(Starlette(routes=[Route("/callers/{number}/calls", fail)]), Watching())
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://test") as client:
        await client.get("/callers/+15185550171/calls?token=secret")
        await client.get("/healthz")
    assert set(names) == {"GET /callers/{number}/calls"}
    assert ("http.response.status_code", 500) in statuses


async def test_without_a_collector_the_log_still_knows_the_platforms_trace():
    """`X-Cloud-Trace-Context` is what Google's front ends send; its span is a decimal number."""
    seen = []

    async def see(request: Request) -> Response:
        await asyncio.create_task(look())
        return Response()

    async def look() -> None:
        seen.append(CURRENT.get())

    app = Traced(Starlette(routes=[Route("/", see)]), Untraced())
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://test") as client:
        await client.get("/", headers={"X-Cloud-Trace-Context": f"{TRACE}/67667974448284343;o=1"})
        await client.get("/")
    assert seen[0] == Elsewhere(TRACE, SPAN, is_sampled=True)
    # Where there is none, one of our own: a line of the log leads to its call by it.
    assert len(seen[1].trace_id) == len(TRACE) and seen[1].trace_id != TRACE and not seen[1].is_recorded
    assert CURRENT.get() is None


@given(st.from_regex(r"[0-9a-f]{32}", fullmatch=True), st.from_regex(r"[0-9a-f]{16}", fullmatch=True), st.booleans())
def test_what_we_tell_vendors_is_what_we_read_from_callers(trace, span, is_sampled):
    """W3C Trace Context, both ways; ids of nothing but zeros are none."""
    found = caller_step(traceparent(Elsewhere(trace, span, is_sampled)), "")
    assert found == (Elsewhere(trace, span, is_sampled) if trace.strip("0") and span.strip("0") else None)


@given(st.text(max_size=80), st.text(max_size=80))
def test_headers_that_say_nothing_are_no_trace(parent, cloud):
    """Whatever the internet sends."""
    found = caller_step(parent, cloud)
    assert found is None or len(found.trace_id) == 32


@pytest.mark.parametrize("parent", [f"ff-{TRACE}-{SPAN}-01", f"00-{TRACE}-{SPAN}-01-more", f"00-{TRACE}-{SPAN}", "00"])
def test_a_parent_of_another_form_is_refused(parent):
    """Version ff is forbidden, and version 00 has four parts."""
    assert caller_step(parent, "") is None
    assert caller_step(parent, f"{TRACE}/1") == Elsewhere(TRACE, "0000000000000001")
