"""A worker elsewhere whose deployment does not answer as it should: honest envelopes, and nothing tried twice."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import aiohttp
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from switchboard.channels.livekit import tools as remote_tools
from switchboard.channels.livekit.tools import HttpRemoteTools
from switchboard.contract.channel import Channel
from switchboard.contract.definitions.definition import Definition, Kind
from switchboard.contract.error import ErrorType, ToolError
from tests.channels.conftest import LONG_S

ACT, READ = (
    Definition("t", "general", kind, "_", {"type": "object"}, writes=w)
    for kind, w in ((Kind.ACTION, True), (Kind.RETRIEVAL, False))
)
VERIFIED: dict[str, Any] = {"callerVerified": True, "callerId": "clr_ana"}
ENVELOPE = b'{"ok": true, "data": {"n": 1}, "intents": [], "meta": {}}'


class Deployment:
    """Answers as it is told, and remembers what it was asked."""

    def __init__(self) -> None:
        self.answer: Response | str = Response(ENVELOPE)
        self.asked: list[tuple[str, Any]] = []
        self.app = Starlette(routes=[Route("/{path:path}", self._answered, methods=["GET", "POST"])])

    async def _answered(self, request: Request) -> Response:
        body = await request.json() if request.method == "POST" else dict(request.query_params)
        self.asked.append((request.url.path, body))
        if self.answer == "drop":
            request.scope["extensions"]["stand_in.drop"]()
        if self.answer == "silence":
            await asyncio.Event().wait()
        return self.answer if isinstance(self.answer, Response) else Response(b"")


@pytest.fixture
def deployment(serve: Callable[[Any], str]) -> tuple[Deployment, str]:
    """A deployment on this machine, and where it is."""
    found = Deployment()
    return found, serve(found.app)


@pytest.fixture
async def client() -> AsyncIterator[aiohttp.ClientSession]:
    """The worker's session."""
    async with aiohttp.ClientSession() as found:
        yield found


def tools(client: aiohttp.ClientSession, url: str) -> HttpRemoteTools:
    context = {"channel": Channel.PHONE.value, "sessionId": "s1", "agentId": "ada"} | VERIFIED
    return HttpRemoteTools(lambda: client, url + "/", "sb_key", "demo-salon", context)


async def test_what_is_sent_is_what_the_tools_api_takes(deployment: tuple[Deployment, str], client: Any):
    """The conversation's facts, the call's id and the human's turn."""
    there, url = deployment
    response = await tools(client, url).execute(ACT, {"a": 1}, "call_1", 3)
    assert response.data == {"n": 1}
    context = {"channel": "phone", "sessionId": "s1", "agentId": "ada"} | VERIFIED
    body = {
        "businessId": "demo-salon",
        "name": "t",
        "args": {"a": 1},
        "context": context | {"callId": "call_1", "turn": 3},
    }
    assert there.asked == [("/tools/execute", body)]
    there.answer = Response(
        b'{"tools": [{"name": "ok", "description": "_", "category": "x", "parameters": {"type": "object"}}, '
        b'{"name": "No!"}, {}]}'
    )
    assert [tool.name for tool in await tools(client, url).offered()] == ["ok"]
    query = {
        "businessId": "demo-salon",
        "channel": "phone",
        "sessionId": "s1",
        "agentId": "ada",
        "callerVerified": "true",
    }
    assert there.asked[-1] == ("/tools/definitions", query)


BROKEN: list[Response | str] = [
    "drop",
    "silence",
    PlainTextResponse("bad gateway", 502),
    Response(b"not json"),
    Response(b"[]"),
    Response(b'{"ok": true}'),
    RedirectResponse("http://127.0.0.1:1/elsewhere"),
    Response(b'{"error": {"message": "Send your key."}}', 401),
]


@pytest.mark.parametrize("answer", BROKEN, ids=range(len(BROKEN)))
async def test_no_proper_answer_is_an_honest_failure_and_is_not_tried_again(
    deployment: tuple[Deployment, str], client: Any, answer: Response | str, monkeypatch: pytest.MonkeyPatch
):
    """Of an action nobody knows whether it was done; what only reads may be asked again."""
    there, url = deployment
    there.answer = answer
    # A busy machine may need more than the shortest of these to send what is not answered.
    for seconds in (0.2, 2.0, 20.0) if answer == "silence" else (LONG_S,):
        monkeypatch.setattr(remote_tools, "EXECUTES_WITHIN_S", seconds)
        there.asked.clear()
        acted = (await tools(client, url).execute(ACT, {}, "c", 1)).failure
        read = (await tools(client, url).execute(READ, {}, "c", 1)).failure
        if len(there.asked) == 2:
            break
    assert acted is not None and read is not None and len(there.asked) == 2
    assert read.partial_side_effects is False
    was_refused = isinstance(answer, Response) and answer.status_code in (307, 401)
    assert acted.partial_side_effects is not was_refused
    assert not (acted.partial_side_effects and acted.retryable)


async def test_a_deployment_that_is_not_there_has_done_nothing(client: Any):
    """So that it may be tried again."""
    failure = (await tools(client, "http://127.0.0.1:9").execute(ACT, {}, "c", 1)).failure
    assert failure is not None
    assert (failure.type, failure.retryable, failure.partial_side_effects) == (ErrorType.TRANSIENT, True, False)


@pytest.mark.parametrize(
    ("status", "type"),
    [(401, ErrorType.AUTH), (403, ErrorType.AUTH), (503, ErrorType.TRANSIENT), (400, ErrorType.PERMANENT)],
)
async def test_a_listing_or_words_that_are_refused_are_told(
    deployment: tuple[Deployment, str], client: Any, status: int, type: ErrorType
):
    """With what the deployment says."""
    there, url = deployment
    there.answer = Response(b'{"error": {"message": "Send your key."}}', status)
    for asked in (tools(client, url).offered(), tools(client, url).heard("yes", 1, "Shall I?")):
        with pytest.raises(ToolError) as caught:
            await asked
        assert (caught.value.type, caught.value.message) == (type, "Send your key.")
