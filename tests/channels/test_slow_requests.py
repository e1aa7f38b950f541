"""Who sends requests slowly, or too large ones, loses the connection, also where no front end stands before us."""

import asyncio
import time

import pytest

from running import listening
from running.serving import Serving
from switchboard.app import websocket_protocol

pytestmark = [pytest.mark.process, pytest.mark.requirement("004-144")]
HALVES = (
    b"",
    b"GET /healthz HT",
    b"GET /healthz HTTP/1.1\r\nhost: here\r\nx-slow: ",
    b"GET /phone/relay HTTP/1.1\r\nhost: here\r\nconnection: Upgrade\r\nupgrade: websocket\r\n",
    b"POST /healthz HTTP/1.1\r\nhost: here\r\ncontent-length: 100\r\n\r\nhalf",
)
FAT = b"GET /healthz HTTP/1.1\r\nhost: here\r\nx-fat: " + b"a" * 200_000 + b"\r\n\r\n"
ENDED_WITHIN_S = 100.0


async def _app(scope, receive, send):
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


@pytest.fixture
async def port():
    """A server as scripts/run and the relay have it."""
    with listening.listen(0, "no option") as listener:
        server = Serving(_app, listener)
        await server.begin()
        yield listener.getsockname()[1]
        server.stop()
        await server.ended()


async def answered(port: int, request: bytes) -> bytes:
    """Send something and return all that comes until the server ends the connection."""
    reader, writer = await asyncio.open_connection(listening.HOST, port)
    try:
        async with asyncio.timeout(ENDED_WITHIN_S):
            writer.write(request)
            return await reader.read()
    except ConnectionError:
        return b""
    finally:
        writer.close()


async def test_half_sent_requests_are_ended(port, monkeypatch):
    """Each kind of half, a hundred at once; who asks properly meanwhile is answered."""
    assert websocket_protocol.SENT_WITHIN_S <= 15
    monkeypatch.setattr(websocket_protocol, "SENT_WITHIN_S", 1.0)
    halves = [asyncio.create_task(answered(port, half)) for half in HALVES for _ in range(100)]
    whole = await answered(port, b"GET / HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n")
    assert whole.startswith(b"HTTP/1.1 200")
    ended = await asyncio.gather(*halves)
    # Where an answer was being made of what had come, there is none.
    assert {answer[:12] for answer in ended} <= {b"HTTP/1.1 408", b""}
    assert sum(answer.startswith(b"HTTP/1.1 408") for answer in ended) >= 400


@pytest.mark.parametrize("begun", [HALVES[2], HALVES[-1]], ids=["its head", "its body"])
async def test_a_request_that_drips_is_ended_as_well(port, monkeypatch, begun):
    """A byte now and then is no progress that anybody waits for: neither the server for the head, nor the app."""
    monkeypatch.setattr(websocket_protocol, "SENT_WITHIN_S", 1.0)
    reader, writer = await asyncio.open_connection(listening.HOST, port)
    writer.write(begun)
    reading = asyncio.create_task(reader.read())
    deadline = time.monotonic() + ENDED_WITHIN_S
    while not reading.done() and time.monotonic() < deadline:
        writer.write(b"a")
        await asyncio.sleep(0.1)
    writer.close()
    assert reading.done()
    await asyncio.gather(reading, return_exceptions=True)


async def test_line_ends_behind_an_answer_keep_no_connection(port, monkeypatch):
    """They begin no request, and end the wait for the next one."""
    monkeypatch.setattr(websocket_protocol, "SENT_WITHIN_S", 1.0)
    reader, writer = await asyncio.open_connection(listening.HOST, port)
    writer.write(b"GET / HTTP/1.1\r\nhost: here\r\n\r\n")
    assert (await reader.readuntil(b"ok")).startswith(b"HTTP/1.1 200")
    writer.write(b"\r\n")
    async with asyncio.timeout(ENDED_WITHIN_S):
        assert (await reader.read())[:12] in (b"HTTP/1.1 408", b"")
    writer.close()


async def test_a_head_that_is_too_large_is_refused_at_once(port):
    """In one piece or without an end; the limit is far above what browsers and vendors send."""
    for request in (FAT, FAT[:-4]):
        assert (await answered(port, request))[:12] in (b"HTTP/1.1 431", b"")


async def test_requests_of_one_connection_are_answered_one_after_the_other(port, monkeypatch):
    """The time of a request begins with it, and not with the connection."""
    monkeypatch.setattr(websocket_protocol, "SENT_WITHIN_S", 30.0)
    reader, writer = await asyncio.open_connection(listening.HOST, port)
    for body in (b"", b"x" * 200_000):
        writer.write(b"POST / HTTP/1.1\r\nhost: here\r\ncontent-length: %d\r\n\r\n" % len(body) + body)
        assert (await reader.readuntil(b"ok")).startswith(b"HTTP/1.1 200")
    writer.close()


async def test_a_large_head_behind_another_request_is_refused_as_well(port):
    """Also where both come in one piece, and the first is answered."""
    answers = await answered(port, b"GET / HTTP/1.1\r\nhost: here\r\n\r\n" + FAT)
    assert answers.count(b"HTTP/1.1 200") <= 1


async def test_an_answer_goes_out_in_one_piece(port, monkeypatch):
    """Its head is not sent before its body, where that is known."""
    pieces = []
    transport = asyncio.selector_events._SelectorSocketTransport
    write = transport.write
    monkeypatch.setattr(transport, "write", lambda self, data: (pieces.append(bytes(data)), write(self, data)))
    whole = await answered(port, b"GET / HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n")
    assert whole.endswith(b"\r\n\r\nok")
    assert pieces[1:] == [whole]


async def test_the_head_of_an_answer_waits_for_no_body_that_comes_later():
    """Of what is streamed, a reader knows the head at once."""
    may_go_on = asyncio.Event()

    async def streaming(scope, receive, send):
        is_asked = scope["path"] != "/healthz"
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        if is_asked:
            await may_go_on.wait()
        await send({"type": "http.response.body", "body": b"ok"})

    with listening.listen(0, "no option") as listener:
        server = Serving(streaming, listener)
        await server.begin()
        reader, writer = await asyncio.open_connection(listening.HOST, listener.getsockname()[1])
        writer.write(b"GET / HTTP/1.1\r\nhost: here\r\n\r\n")
        async with asyncio.timeout(ENDED_WITHIN_S):
            assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200")
            may_go_on.set()
            assert await reader.readexactly(2) == b"ok"
        writer.close()
        server.stop()
        await server.ended()
