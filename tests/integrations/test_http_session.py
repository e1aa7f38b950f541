"""The one HTTP client: what it never does by itself, and how a missing answer is told."""

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from stand_ins.loopback import serving
from switchboard.contract.deadline import ending_in
from switchboard.integrations.http_session import HttpAnswer, HttpSession, NoAnswer
from tests.integrations.conftest import SHORT_S
from tests.state.server import SilentServer


async def echo(request: Request) -> Response:
    lines = [f"{name}: {value}" for name, value in request.headers.items()]
    return Response(
        "\n".join([request.url.query, *lines, (await request.body()).decode()]), headers={"Set-Cookie": "a=b"}
    )


async def far(request: Request) -> Response:
    return RedirectResponse("/echo")


async def long(request: Request) -> Response:
    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(1_000):
            yield b"x" * 65_536
            await asyncio.sleep(0)

    return StreamingResponse(chunks())


async def dropping(request: Request) -> Response:
    request.scope["extensions"]["stand_in.drop"]()
    await asyncio.sleep(0)
    return Response()


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """A server that echoes, redirects, goes on, or hangs up."""
    served = {"/echo": echo, "/far": far, "/long": long, "/drop": dropping}
    with serving(Starlette(routes=[Route(p, e, methods=["GET", "POST"]) for p, e in served.items()])) as url:
        yield url


async def test_a_request_is_sent_as_it_is(server: str, http: HttpSession):
    """Escapes in the address, the body, our headers; and no wish for compression."""
    answer = await http.request("POST", f"{server}/echo?q=a%2Fb%20c", timeout_s=5, headers={"X-Own": "1"}, body=b"body")
    text = answer.body.decode()
    assert (answer.status, text.splitlines()[0], text.splitlines()[-1]) == (200, "q=a%2Fb%20c", "body")
    assert "accept-encoding: identity" in text and "x-own: 1" in text
    assert answer.headers["SET-COOKIE"] == answer.headers["set-cookie"] == "a=b"


async def test_redirects_cookies_and_proxies_are_not_followed(
    server: str, http: HttpSession, monkeypatch: pytest.MonkeyPatch, unused_tcp_port: int
):
    """One tenant's cookie must not travel with another's request, nor any secret to where a redirect points."""
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{unused_tcp_port}")
    assert (await http.request("GET", f"{server}/far", timeout_s=5)).status == 307
    named = server.replace("127.0.0.1", "localhost")  # cookies of bare addresses are nowhere kept
    await http.request("GET", f"{named}/echo", timeout_s=5)
    assert b"cookie" not in (await http.request("GET", f"{named}/echo", timeout_s=5)).body


async def test_an_answer_that_is_too_long_is_cut_off(server: str, http: HttpSession):
    """It counts as none."""
    with pytest.raises(NoAnswer) as caught:
        await http.request("GET", f"{server}/long", timeout_s=5, most_bytes=100_000)
    assert caught.value.was_sent


async def test_a_broken_connection_may_have_reached_the_server(server: str, http: HttpSession):
    """A refused one cannot have."""
    with pytest.raises(NoAnswer) as caught:
        await http.request("POST", f"{server}/drop", timeout_s=5)
    assert (caught.value.was_sent, caught.value.timed_out) == (True, False)


async def test_a_refused_connection_cannot_have_done_anything(http: HttpSession, unused_tcp_port: int):
    """And its failure does not quote the address, in which vendors take secrets."""
    with pytest.raises(NoAnswer) as caught:
        await http.request("POST", f"http://127.0.0.1:{unused_tcp_port}/?key=canary", timeout_s=5)
    assert caught.value.was_sent is False
    assert "canary" not in repr(caught.value)


async def test_a_silent_server_costs_what_is_left_of_the_call(http: HttpSession):
    """The client's own limit, or the call's deadline if that is sooner."""
    silent = SilentServer()
    await silent.open()
    for seconds in SHORT_S:
        with ending_in(seconds), pytest.raises(NoAnswer) as caught:
            await http.request("GET", f"http://{silent.host}/", timeout_s=30)
        assert caught.value.timed_out
        if silent.is_asked:
            break
    assert caught.value.was_sent
    await silent.cut()


async def test_every_loop_has_its_own_connections(server: str, http: HttpSession):
    """A session that belongs to another loop would hang or fail; closing twice is fine."""
    here = http.client()
    assert http.client() is here

    def elsewhere() -> tuple[HttpAnswer, bool]:
        async def ask() -> tuple[HttpAnswer, bool]:
            answer = await http.request("GET", f"{server}/echo", timeout_s=5)
            there = http.client()
            await http.close()
            return answer, there is here

        return asyncio.run(ask())

    answers = await asyncio.gather(*(asyncio.to_thread(elsewhere) for _ in range(3)))
    assert [(answer.status, is_shared) for answer, is_shared in answers] == [(200, False)] * 3
    assert not here.closed
    await http.close()
    await http.close()
    assert here.closed
    assert (await http.request("GET", f"{server}/echo", timeout_s=5)).status == 200


def test_an_answer_does_not_show_what_is_in_it():
    """It may hold a token."""
    assert repr(HttpAnswer(200, {"Set-Cookie": "canary"}, b"canary")) == "HttpAnswer(status=200)"
