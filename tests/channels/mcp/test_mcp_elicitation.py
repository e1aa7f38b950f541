"""Clients of the handshake era that declare elicitation are asked by it in the call, and answer by another request."""

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx2
import orjson
import pytest

from switchboard.channels.mcp.elicitation import Elicitations, asks_its_human
from switchboard.channels.mcp.tools import Toolbox
from switchboard.contract.policy import MCP_QUESTIONS, MCP_QUESTIONS_OF_ONE
from switchboard.contract.store import Query, Write, WriteResult
from tests.channels.http.test_tools_api import PATHS, store  # noqa: F401 - a fixture
from tests.channels.listening import listening
from tests.channels.mcp.served import KEY, RIVAL, Human, app_over, client
from tests.channels.mcp.test_mcp_server import HAIRCUT, base, bookings  # noqa: F401 - a fixture
from tests.each import each

QUESTION = "Shall I book Haircut on Wednesday, December 2 at 10:00 AM for Ana Lopez?"
VERSIONS = ("2025-06-18", "2025-11-25")
pytestmark = pytest.mark.requirement("004-150")


@dataclass
class Wire:
    """A client of the handshake era by hand: what the official one would never send can be sent by it."""

    http: httpx2.AsyncClient
    url: str
    version: str = "2025-11-25"
    session: str = ""
    asked: list[dict[str, Any]] = field(default_factory=list)

    def headers(self, key: str = KEY, **more: str) -> dict[str, str]:
        told = {"authorization": f"Bearer {key}", "accept": "application/json, text/event-stream"}
        if self.session:
            told |= {"mcp-session-id": self.session, "mcp-protocol-version": self.version}
        return told | more

    async def open(self, capabilities: dict[str, Any]) -> str:
        params = {
            "protocolVersion": self.version,
            "capabilities": capabilities,
            "clientInfo": {"name": "by hand", "version": "1"},
        }
        body = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}
        opened = await self.http.post(self.url, json=body, headers=self.headers())
        assert opened.status_code == 200
        self.session = opened.headers["mcp-session-id"]
        return self.session

    @asynccontextmanager
    async def calling(self, arguments: dict[str, Any] = HAIRCUT, id: int = 7, **headers: str) -> AsyncIterator[Any]:
        """Give the messages of the answer's stream, one by one."""
        body = {
            "jsonrpc": "2.0",
            "id": id,
            "method": "tools/call",
            "params": {"name": "book_appointment", "arguments": arguments},
        }
        async with self.http.stream("POST", self.url, json=body, headers=self.headers(**headers)) as answer:
            yield events(answer)

    async def cancel(self, id: Any, *, url: str = "") -> int:
        body = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}
        found = await self.http.post(url or self.url, json=body, headers=self.headers())
        return int(found.status_code)

    async def answer(self, id: Any, action: Any = "accept", *, url: str = "", key: str = KEY, **headers: str) -> int:
        body = {"jsonrpc": "2.0", "id": id, "result": {"action": action, "content": {}}}
        found = await self.http.post(url or self.url, json=body, headers=self.headers(key, **headers))
        return int(found.status_code)


async def events(answer: httpx2.Response) -> AsyncIterator[dict[str, Any]]:
    """Yield the messages of a stream."""
    assert answer.headers["content-type"].startswith("text/event-stream")
    async for line in answer.aiter_lines():
        if line.startswith("data: "):
            yield orjson.loads(line.removeprefix("data: "))


@asynccontextmanager
async def wire(address: str, version: str = "2025-11-25", **capabilities: Any) -> AsyncIterator[Wire]:
    """Give a client by hand that declared these abilities."""
    async with httpx2.AsyncClient(timeout=300, verify=False) as http:
        found = Wire(http, f"{address}/mcp/demo-salon", version)
        await found.open(capabilities or {"elicitation": {}})
        yield found


async def test_the_humans_yes_is_asked_for_within_the_call(base, store):  # noqa: F811
    """The call waits for it on its own answer, and is then made once."""
    human = Human("accept")
    async with client(base, mode="legacy", human=human) as mcp:
        booked = await mcp.call_tool("book_appointment", HAIRCUT)
    assert human.asked == [QUESTION]
    assert booked.structured_content["booked"] is True
    assert await bookings(store) == 1


@each("action", ["decline", "cancel"])
async def test_a_question_that_is_declined_or_closed_is_put_once_and_books_nothing(base, store, action):  # noqa: F811
    """Nobody is asked twice for what they said no to."""
    human = Human(action)
    async with client(base, mode="legacy", human=human) as mcp:
        result = await mcp.call_tool("book_appointment", HAIRCUT)
    assert result.is_error and "said no" in result.content[0].text
    assert human.asked == [QUESTION]
    assert await bookings(store) == 0


async def test_a_question_that_nobody_answers_in_time_books_nothing(base, store):  # noqa: F811
    """The result says so, and a yes that comes later finds no question."""
    async with listening(app_over(store, patience_s=0.2)) as hasty, wire(hasty) as mcp:
        async with mcp.calling() as stream:
            messages = [message async for message in stream]
        assert [message.get("method") for message in messages] == ["elicitation/create", None]
        told = messages[1]["result"]
        assert messages[1]["id"] == 7 and told["isError"] and "did not answer in time" in told["content"][0]["text"]
        assert await mcp.answer(messages[0]["id"]) == 202
    assert await bookings(store) == 0


async def test_a_failure_behind_a_question_is_the_last_event_of_the_stream(base, monkeypatch):  # noqa: F811
    """A client that was asked waits for the answer there; a stream that breaks off tells it nothing."""

    call = Toolbox.call

    async def failing(toolbox: Toolbox, visit: Any, request_id: Any, params: Any, **more: Any) -> Any:
        if "inputResponses" in params:
            raise KeyError("of the inside")
        return await call(toolbox, visit, request_id, params, **more)

    monkeypatch.setattr(Toolbox, "call", failing)
    async with wire(base) as mcp, mcp.calling() as stream:
        messages = [await anext(stream)]
        assert await mcp.answer(messages[0]["id"]) == 202
        messages += [message async for message in stream]
    assert messages[0]["method"] == "elicitation/create"
    assert (messages[-1]["id"], messages[-1]["error"]["code"]) == (7, -32603)
    assert "is not known" in messages[-1]["error"]["message"]


@pytest.mark.requirement("004-944")
@pytest.mark.parametrize("is_elsewhere", [False, True], ids=["here", "in another process"])
async def test_a_call_that_its_client_cancels_is_over_and_a_later_yes_does_nothing(base, store, is_elsewhere):  # noqa: F811
    """Its question is withdrawn and its stream ends without an answer, whichever process hears of it."""
    async with listening(app_over(store)) as elsewhere, wire(base) as mcp, mcp.calling() as stream:
        asked = await anext(stream)
        url = f"{elsewhere}/mcp/demo-salon" if is_elsewhere else ""
        assert await mcp.cancel(7, url=url) == 202
        rest = [message async for message in stream]
        assert [(one["method"], one["params"]["requestId"]) for one in rest] == [
            ("notifications/cancelled", asked["id"])
        ]
        assert await mcp.answer(asked["id"]) == 202
    assert await bookings(store) == 0


@pytest.mark.requirement("004-974")
@pytest.mark.parametrize("is_elsewhere", [False, True], ids=["here", "in another process"])
async def test_a_call_that_is_cancelled_before_it_asks_never_asks(base, store, monkeypatch, is_elsewhere):  # noqa: F811
    """It was passed over, since there was no question yet; the question came then, and a yes did the thing."""
    is_reached, may_go_on, commit = asyncio.Event(), asyncio.Event(), store.commit

    async def commit_slowly(writes: Sequence[Write]) -> list[WriteResult]:
        if any("/calls/" in write.path for write in writes):
            is_reached.set()
            await may_go_on.wait()
        done: list[WriteResult] = await commit(writes)
        return done

    monkeypatch.setattr(store, "commit", commit_slowly)
    async with listening(app_over(store)) as elsewhere, wire(base) as mcp:

        async def called() -> list[dict[str, Any]]:
            async with mcp.calling() as stream:
                return [message async for message in stream]

        call = asyncio.create_task(called())
        await is_reached.wait()
        assert await mcp.cancel(7, url=f"{elsewhere}/mcp/demo-salon" if is_elsewhere else "") == 202
        may_go_on.set()
        assert await call == []
        # Another call is not cancelled by it.
        async with mcp.calling(id=8) as stream:
            assert await mcp.answer((await anext(stream))["id"]) == 202
            assert (await anext(stream))["result"]["structuredContent"]["booked"] is True
    assert await bookings(store) == 1


@pytest.mark.requirement("004-944")
async def test_what_is_cancelled_by_anybody_else_or_by_another_id_goes_on(base, store):  # noqa: F811
    """Another session or credential, a text that looks like the number, and what is no id at all."""
    async with wire(base) as mcp, wire(base) as other, mcp.calling() as stream:
        asked = await anext(stream)
        await other.cancel(7)
        for id in ("7", 8, None, True, 7.5, [7], "question"):
            await mcp.cancel(id)
        assert await mcp.answer(asked["id"]) == 202
        done = await anext(stream)
        assert await mcp.cancel(7) == 202
    assert done["result"]["structuredContent"]["booked"] is True
    assert await bookings(store) == 1


@pytest.mark.parametrize("version", VERSIONS)
async def test_an_answer_that_another_process_receives_is_heard(base, store, version):  # noqa: F811
    """Servers remember no client; the answer is a document that the waiting one finds."""
    async with listening(app_over(store)) as elsewhere, wire(base, version) as mcp, mcp.calling() as stream:
        asked = await anext(stream)
        assert asked["params"]["message"] == QUESTION
        assert await mcp.answer(asked["id"], url=f"{elsewhere}/mcp/demo-salon") == 202
        done = await anext(stream)
    assert done["result"]["structuredContent"]["booked"] is True
    assert await bookings(store) == 1


async def test_an_answer_of_anybody_else_or_to_anything_else_does_nothing(base, store):  # noqa: F811
    """Another session, business or credential, another question, no session at all: the question still stands."""
    async with wire(base) as mcp, wire(base) as other, mcp.calling() as stream, other.calling() as theirs:
        asked, unrelated = await anext(stream), await anext(theirs)
        id = asked["id"]
        nonce = id.split("_")[1]
        forged = ["", 7, None, id[:-1], f"{id}0", id[:-1] + ("0" if id[-1] != "0" else "1"), f"question_{nonce}_"]
        for wrong in forged:
            assert await mcp.answer(wrong) == 202
        assert await other.answer(id) == 202
        assert await mcp.answer(id, **{"mcp-session-id": "someone"}) == 202
        assert await mcp.answer(id, url=f"{base}/mcp/demo-plumber", key=RIVAL) == 202
        assert await mcp.answer(id, key="sb_reader") == 403
        assert await mcp.answer(id, key="sb_nobody") == 401
        assert await noted(store) == 0
        # Both still wait; the first word counts, and no second one.
        assert await mcp.answer(id, "decline") == 202
        assert await mcp.answer(id, "accept") == 202
        assert await other.answer(unrelated["id"], "cancel") == 202
        assert "said no" in (await anext(stream))["result"]["content"][0]["text"]
        assert "said no" in (await anext(theirs))["result"]["content"][0]["text"]
    assert await bookings(store) == 0


@each("result", [{"action": "yes"}, {"action": ["accept"]}, {"action": None}, {}, [], "accept", None, {"accept": True}])
async def test_whatever_is_no_acceptance_is_a_no(base, store, result):  # noqa: F811
    """Only one word accepts, in one place."""
    async with wire(base) as mcp, mcp.calling() as stream:
        asked = await anext(stream)
        body = {"jsonrpc": "2.0", "id": asked["id"], "result": result}
        assert (await mcp.http.post(mcp.url, json=body, headers=mcp.headers())).status_code == 202
        told = (await anext(stream))["result"]
    assert told["isError"] and told["content"][0]["text"].count("Nothing was done")
    assert await bookings(store) == 0


async def test_a_client_that_cannot_put_the_question_is_not_asked_again(base, store):  # noqa: F811
    """It answers with an error; the model reads that nobody was asked."""
    async with wire(base) as mcp, mcp.calling() as stream:
        asked = await anext(stream)
        body = {"jsonrpc": "2.0", "id": asked["id"], "error": {"code": -32603, "message": "no window"}}
        await mcp.http.post(mcp.url, json=body, headers=mcp.headers())
        told = (await anext(stream))["result"]
    assert "could not put the question" in told["content"][0]["text"]
    assert await bookings(store) == 0


async def test_a_stream_that_is_dropped_books_nothing(base, store):  # noqa: F811
    """Who hangs up agrees to nothing: a yes that was already on its way finds the question closed."""
    async with wire(base) as mcp:
        async with mcp.calling() as stream:
            asked = await anext(stream)
        while await noted(store) == 0:
            await asyncio.sleep(0.05)
        assert await mcp.answer(asked["id"]) == 202
        await asyncio.sleep(0.2)
    assert await bookings(store) == 0


@each(
    "declared",
    [{}, {"elicitation": {"url": {}}}, {"elicitation": None}, {"elicitation": True}],
)
def test_who_declares_no_forms_is_not_asked(declared):
    """A client that opens only addresses, or says nothing, reads how a yes is reported."""
    assert not asks_its_human({"params": {"protocolVersion": "2025-11-25", "capabilities": declared}})


@each("message", [{}, {"params": None}, {"params": []}, {"params": {"capabilities": []}}])
def test_what_is_no_handshake_declares_nothing(message):
    """Strangers send anything."""
    assert not asks_its_human(message)


@each("version", ["2024-11-05", "2025-03-26"])
def test_versions_without_elicitation_are_not_asked(version):
    """They have no words for it, whatever a client declares."""
    assert not asks_its_human({"params": {"protocolVersion": version, "capabilities": {"elicitation": {}}}})


async def test_a_client_that_declared_nothing_reads_how_a_yes_is_reported(base, store):  # noqa: F811
    """Its session is not marked, and its answer is no stream."""
    async with wire(base, roots={}) as mcp:
        assert "asks" not in mcp.session
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
        body |= {"params": {"name": "book_appointment", "arguments": HAIRCUT}}
        answer = await mcp.http.post(mcp.url, json=body, headers=mcp.headers())
    assert answer.headers["content-type"].startswith("application/json")
    assert "/tools/heard" in answer.text and mcp.session in answer.text
    assert await bookings(store) == 0


@each("forge", [lambda s: s.split("~")[0], lambda s: s[:-1] + ("0" if s[-1] != "0" else "1"), lambda s: "x" + s])
async def test_a_mark_that_is_not_ours_asks_nobody(base, store, forge):  # noqa: F811
    """Nor does one that belongs to another session: it is part of a name, and no more."""
    async with wire(base) as mcp:
        mcp.session = forge(mcp.session)
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
        body |= {"params": {"name": "book_appointment", "arguments": HAIRCUT}}
        answer = await mcp.http.post(mcp.url, json=body, headers=mcp.headers())
    assert answer.headers["content-type"].startswith("application/json") and answer.json()["result"]["isError"]
    assert await bookings(store) == 0


async def test_a_named_conversation_keeps_its_name_under_the_mark(base):  # noqa: F811
    """What else is reported of it, such as words that were heard, is reported under that name."""
    async with httpx2.AsyncClient(timeout=300, verify=False) as http:
        mcp = Wire(http, f"{base}/mcp/demo-salon?session=front-desk")
        assert re.fullmatch(r"front-desk~asks\.[0-9a-f]{24}", await mcp.open({"elicitation": {}}))


async def test_questions_that_wait_are_bounded_and_the_next_is_asked_in_words(base, store):  # noqa: F811
    """One credential takes no more than its places; who finds none is told how a yes is reported."""
    async with wire(base) as mcp:
        async with mcp.calling() as first:
            asked = await anext(first)
            held = [mcp.calling() for _ in range(MCP_QUESTIONS_OF_ONE - 1)]
            streams = [await one.__aenter__() for one in held]
            for stream in streams:
                await anext(stream)
            body = {"jsonrpc": "2.0", "id": 99, "method": "tools/call"}
            body |= {"params": {"name": "book_appointment", "arguments": HAIRCUT}}
            over = await mcp.http.post(mcp.url, json=body, headers=mcp.headers())
            assert over.headers["content-type"].startswith("application/json") and "/tools/heard" in over.text
            for one in held:
                await one.__aexit__(None, None, None)
            await mcp.answer(asked["id"], "cancel")
            assert "said no" in (await anext(first))["result"]["content"][0]["text"]
        # Places come back.
        async with mcp.calling() as again:
            assert (await anext(again))["method"] == "elicitation/create"
    assert await bookings(store) == 0


def test_all_together_hold_no_more_than_an_instance_can_bear(visits):
    """Many credentials do not add up to a stopped server."""
    elicitations = Elicitations(b"k" * 32, None, None, None)  # type: ignore[arg-type]
    taken = [elicitations.reserve(visit) for visit in visits(MCP_QUESTIONS + 5)]
    assert taken.count(True) == MCP_QUESTIONS and not any(taken[MCP_QUESTIONS:])


@pytest.fixture
def visits():
    """Visits of so many credentials."""
    from switchboard.channels.mcp.request_session import RequestSession
    from switchboard.contract.channel import Channel

    return lambda count: [RequestSession("demo-salon", f"key{n}", Channel.PORTAL, f"s{n}", True) for n in range(count)]


async def noted(kept: Any) -> int:
    """Return how many answers are noted."""
    found = await kept.query(Query(PATHS.within("demo-salon").collection("tickets")))
    return sum(document.id.startswith("mcp-answer:") for document in found)
