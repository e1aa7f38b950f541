"""What stands between us and a server of others passes everything on as it is, and loses what it is told to lose."""

import time
from collections.abc import Iterator

import aiohttp
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from drills.emulate.passage import ANSWER_LATE, ANSWER_LOST, REQUEST_LOST, Passage
from stand_ins.faults import Fault
from stand_ins.loopback import serving

TO = "+15185550171"


@pytest.fixture
def asked() -> list[str]:
    """What has reached the server behind the passage."""
    return []


@pytest.fixture
def passage(asked: list[str]) -> Iterator[Passage]:
    async def answer(request: Request) -> Response:
        asked.append(request.url.path)
        told = {
            "method": request.method,
            "path": request.scope["raw_path"].decode(),
            "query": request.scope["query_string"].decode(),
            "token": request.headers.get("authorization"),
            "body": (await request.body()).decode(),
        }
        return JSONResponse(told, 201, {"X-Server": "of others"})

    methods = ["GET", "POST", "DELETE", "PATCH"]
    with serving(Starlette(routes=[Route("/{path:path}", answer, methods=methods)])) as target:
        yield Passage(target, {"/token": "/oauth2/token"})


async def test_requests_and_answers_pass_as_they_are(passage: Passage):
    """Escaped characters too; a path that is called otherwise there is called so."""
    with passage.open() as url:
        async with aiohttp.ClientSession(headers={"Authorization": "Bearer x"}) as http:
            async with http.patch(f"{url}/a%20b?to=%2B1&to=2", data=b"words") as answer:
                assert (answer.status, answer.headers["X-Server"]) == (201, "of others")
                assert await answer.json() == {
                    "method": "PATCH",
                    "path": "/a%20b",
                    "query": "to=%2B1&to=2",
                    "token": "Bearer x",
                    "body": "words",
                }
            async with http.post(f"{url}/token", data={"a": "b"}) as answer:
                assert (await answer.json())["path"] == "/oauth2/token"
    assert passage.asked == ["PATCH /a b", "POST /token"]
    assert [line["status"] for line in passage.losses.journal] == [201, 201]


@pytest.mark.parametrize(("mode", "has_arrived"), [(REQUEST_LOST, False), (ANSWER_LOST, True)])
async def test_what_is_lost_breaks_the_connection(passage: Passage, asked: list[str], mode: str, has_arrived: bool):
    """Before the server has heard of it, or after it was done; only of the number that was named, and once."""
    passage.losses.waiting.append(Fault("POST /texts", mode, to=TO))
    with passage.open() as url:
        async with aiohttp.ClientSession() as http:
            async with http.post(f"{url}/texts", data={"To": "+15185550172"}) as answer:
                assert answer.status == 201
            asked.clear()
            with pytest.raises(aiohttp.ClientError):
                await http.post(f"{url}/texts", data={"To": TO})
            assert (asked == ["/texts"]) is has_arrived
            async with http.post(f"{url}/texts", data={"To": TO}) as answer:
                assert answer.status == 201


async def test_a_late_answer_comes_in_the_end(passage: Passage, asked: list[str]):
    """What was asked for is done at once."""
    passage.losses.waiting.append(Fault("GET /late", ANSWER_LATE, seconds=0.3))
    began = time.monotonic()
    with passage.open() as url:
        async with aiohttp.ClientSession() as http, http.get(f"{url}/late") as answer:
            assert answer.status == 201
    assert time.monotonic() - began >= 0.3
    assert asked == ["/late"]
