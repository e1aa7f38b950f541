"""How much of an answer is read, how long for, and what is sent how often."""

import asyncio
import gzip
import time
import tracemalloc
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import pytest

from switchboard.contract.deadline import ending_in
from switchboard.contract.error import ErrorType, ToolError
from switchboard.integrations.egress import egress as egress_module
from tests.each import each
from tests.integrations.conftest import LONG_S, SHORT_S
from tests.integrations.egress.internet import ADDRESS, NAME, Script, answer, hang_up, internet, raw

# As it is for callers, read before a test turns it up.
TOTAL_S = egress_module.TOTAL_S
URL = f"https://{NAME}/"
MEGABYTE = 1024 * 1024


async def ask(
    *scripts: Script, method: str = "GET", headers: Mapping[str, str] | None = None, body: bytes | None = None
) -> tuple[int, Mapping[str, str], bytes] | ToolError:
    """Return the answer to one request, or the error that it ended in."""
    async with internet(*scripts) as net:
        egress = net.egress()
        try:
            return await egress.request(method, URL, headers or {}, body)
        except ToolError as error:
            return error
        finally:
            await egress.close()


async def failure(*scripts: Script, method: str = "GET") -> ToolError:
    found = await ask(*scripts, method=method)
    assert isinstance(found, ToolError)
    return found


def bomb(megabytes: int) -> bytes:
    """Return gzip of that many megabytes of nothing."""
    packing = zlib.compressobj(9, zlib.DEFLATED, zlib.MAX_WBITS | 16)
    return b"".join([*(packing.compress(bytes(MEGABYTE)) for _ in range(megabytes)), packing.flush()])


# Packed only where they are sent: it takes more than a second.
BOMBS: dict[str, tuple[Callable[[], bytes], str]] = {
    "gzip": (lambda: bomb(200), "gzip"),
    "gzip, many members": (lambda: gzip.compress(bytes(MEGABYTE // 2)) * 100, "gzip"),
    "nested": (lambda: gzip.compress(bomb(200)), "gzip, gzip"),
    "deflate": (lambda: zlib.compress(bytes(50 * MEGABYTE), 9), "deflate"),
    "brotli": (lambda: b"\xce\xff\xff\x0f" * 1_000, "br"),
    "zstd": (lambda: b"\x28\xb5\x2f\xfd" * 1_000, "zstd"),
    "damaged": (lambda: gzip.compress(b"{}" * 1_000)[:-20], "gzip"),
    "no gzip at all": (lambda: b"{}", "gzip"),
    "unknown": (lambda: b"{}", "x-own"),
}


@each("name", BOMBS)
async def test_a_bomb_is_not_unfolded(name: str):
    """It is refused before the time of an answer is over, and the process grows by less than 30 MB."""
    pack, encoding = BOMBS[name]
    script = answer(pack(), Content_Encoding=encoding)
    with growing_less_than(30):
        error = await failure(script)
    assert (error.type, error.partial_side_effects) == (ErrorType.PERMANENT, False)
    # What was asked for may have been done, however it was answered.
    assert (await failure(script, method="POST")).partial_side_effects


@contextmanager
def growing_less_than(megabytes: int) -> Iterator[None]:
    """Fail where what happens inside held more memory than that at any one time."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < megabytes * MEGABYTE
    finally:
        tracemalloc.stop()


async def test_an_endless_answer_is_cut_off():
    """Whether it says its length or not, and before the time of an answer is over."""
    endless = raw(
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"8000\r\n" + b"x" * 32_768 + b"\r\n", again=10_000
    )
    announced = raw(b"HTTP/1.1 200 OK\r\nContent-Length: 10737418240\r\n\r\n")
    with growing_less_than(30):
        assert (await failure(endless)).type is ErrorType.PERMANENT
        assert (await failure(announced)).type is ErrorType.PERMANENT


# None of these ever ends, or breaks a limit of length soon enough to end by that.
FOR_EVER = 10**9
SLOW = {
    "body": raw(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", b"x", pause=0.02, again=FOR_EVER),
    "headers": raw(b"HTTP/1.1 200 OK\r\n", b"X-A: b\r\n", pause=0.05, again=FOR_EVER),
    "one header": raw(b"HTTP/1.1 200 OK\r\nX-A: ", b"b", pause=0.02, again=FOR_EVER),
    "interim answers": raw(b"", b"HTTP/1.1 103 Early Hints\r\n\r\n", pause=0.05, again=FOR_EVER),
    "silence": raw(b"", b"", pause=0.05, again=FOR_EVER),
}


@pytest.mark.requirement("004-946")
@pytest.mark.parametrize("name", SLOW)
async def test_a_slow_answer_costs_no_more_than_its_time(name: str, monkeypatch: pytest.MonkeyPatch):
    """The whole of it has to come within 3 s, however steadily it drips; a call's own deadline may be sooner."""
    assert TOTAL_S == 3.0
    monkeypatch.setattr(egress_module, "TOTAL_S", 0.3)
    started = time.monotonic()
    error = await failure(SLOW[name])
    assert time.monotonic() - started > 0.25
    assert (error.type, error.retryable, error.partial_side_effects) == (ErrorType.TRANSIENT, True, False)
    assert "does not answer in time" in error.message
    monkeypatch.setattr(egress_module, "TOTAL_S", LONG_S)
    for seconds in SHORT_S:
        async with internet(SLOW[name]) as net:
            egress = net.egress()
            with ending_in(seconds), pytest.raises(ToolError) as caught:
                await egress.request("POST", URL, {}, None)
            await egress.close()
        if net.server.requests:
            break
    error = caught.value
    assert (error.type, error.retryable, error.partial_side_effects) == (ErrorType.TRANSIENT, False, True)


@pytest.mark.requirement("002-138")
async def test_what_changes_something_is_not_stopped_after_the_time_of_a_look_up(monkeypatch: pytest.MonkeyPatch):
    """Nothing would be undone by that; how long somebody waits for it is the channel's to say."""
    monkeypatch.setattr(egress_module, "TOTAL_S", 0.2)
    late = raw(b"", b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", pause=0.5)
    async with internet(late) as net:
        egress = net.egress()
        status, _, content = await egress.request("POST", URL, {}, b"{}")
        await egress.close()
    assert (status, content) == (200, b"{}")


async def test_a_name_server_that_never_answers_has_done_nothing():
    """Whoever waits for a name has not sent anything yet."""

    async def never(name: str, port: int) -> list[str]:
        await asyncio.Event().wait()
        return []

    async with internet() as net:
        egress = net.egress(lookup=never)
        with ending_in(0.1), pytest.raises(ToolError) as caught:
            await egress.request("POST", URL, {}, b"{}")
        assert (caught.value.type, caught.value.partial_side_effects) == (ErrorType.TRANSIENT, False)
        await egress.close()


@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/1.1 200 OK\r\n" + b"X-A: b\r\n" * 500 + b"Content-Length: 0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX-A: " + b"b" * 20_000 + b"\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 200 " + b"O" * 20_000 + b"\r\nContent-Length: 0\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.6\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
    ],
)
async def test_headers_without_end_and_what_is_no_http_are_no_answer(head: bytes):
    """A hundred headers of eight thousand characters are enough."""
    error = await failure(raw(head))
    assert (error.type, error.partial_side_effects) == (ErrorType.TRANSIENT, False)


async def test_a_packed_answer_is_unpacked():
    """As it came in pieces, in several members, or with nothing in it."""
    for packed in (gzip.compress(b"{}" * 400_000), gzip.compress(b"{}" * 200_000) * 2):
        found = await ask(answer(packed, Content_Encoding="gzip"))
        assert not isinstance(found, ToolError)
        assert found[2] == b"{}" * 400_000
    found = await ask(answer(b"", "204 No Content", Content_Encoding="gzip"))
    assert not isinstance(found, ToolError)
    assert found[::2] == (204, b"")


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE"])
async def test_nothing_is_sent_twice_by_itself(method: str):
    """A connection that breaks without an answer may have done what was asked: the library would send it again."""
    async with internet(hang_up, answer()) as net:
        egress = net.egress()
        with pytest.raises(ToolError) as caught:
            await egress.request(method, URL, {}, None)
        assert caught.value.type is ErrorType.TRANSIENT
        assert (caught.value.partial_side_effects, len(net.server.requests)) == (method != "GET", 1)
        await egress.close()


async def test_only_a_get_shares_its_connection():
    """What is not safe to repeat must not meet one that the server is just closing."""
    async with internet() as net:
        egress = net.egress()
        for _ in range(3):
            await egress.request("GET", URL, {}, None)
        assert net.server.connections == 1
        for _ in range(3):
            await egress.request("POST", URL, {}, b"{}")
        assert net.server.connections == 4
        assert net.opened == [ADDRESS] * 4
        await egress.close()


async def test_a_refused_connection_has_done_nothing(unused_tcp_port: int):
    """So that whatever it was may be tried again."""
    async with internet() as net:
        net.server.port = unused_tcp_port
        egress = net.egress()
        with pytest.raises(ToolError) as caught:
            await egress.request("POST", URL, {}, None)
        error = caught.value
        assert (error.type, error.retryable, error.partial_side_effects) == (ErrorType.TRANSIENT, True, False)
        await egress.close()


async def test_cookies_proxies_and_credentials_of_the_environment_are_not_used(
    monkeypatch: pytest.MonkeyPatch, unused_tcp_port: int
):
    """One tenant's cookie must not travel with another's request."""
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "HTTP_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{unused_tcp_port}")
    async with internet(answer(Set_Cookie="canary=1; Domain=example.com; Path=/")) as net:
        egress = net.egress()
        for method in ("GET", "GET", "POST"):
            assert (await egress.request(method, URL, {}, None))[0] == 200
        assert b"canary" not in b"".join(net.server.requests)
        await egress.close()


@each(
    "headers",
    [
        {"Host": "169.254.169.254"},
        {"host": "x"},
        {"Content-Length": "5"},
        {"Transfer-Encoding": "chunked"},
        {"Connection": "upgrade"},
        {"Expect": "100-continue"},
        {"Proxy-Authorization": "canary"},
        {"Accept-Encoding": "br"},
        {"X-A": "b\r\nX-C: canary"},
        {"X-A": "b\0canary"},
        {"X A": "b"},
        {"X-A:": "b"},
        {"": "b"},
        {f"X-{n}": "b" for n in range(51)},
        {"X-A": "canary" * 4_000},
    ],
)
async def test_headers_that_decide_how_a_request_travels_are_refused(headers: dict[str, str]):
    """Or that are none; nothing is sent, and no value is quoted."""
    async with internet() as net:
        egress = net.egress()
        with pytest.raises(ToolError) as caught:
            await egress.request("POST", URL, headers, None)
        assert (caught.value.type, net.asked) == (ErrorType.PERMANENT, [])
        assert "canary" not in f"{caught.value} {vars(caught.value)}"
        await egress.close()


async def test_the_owners_headers_are_sent_and_count_more_than_the_usual_ones():
    """In whatever spelling."""
    async with internet() as net:
        egress = net.egress()
        await egress.request("POST", URL, {"ACCEPT": "text/csv", "X-Own": " a "}, b"body")
        sent = net.server.requests[0].lower()
        assert sent.count(b"accept:") == 1
        assert b"\r\naccept: text/csv\r\n" in sent and b"\r\nx-own: a\r\n" in sent and sent.endswith(b"\r\n\r\nbody")
        assert b"\r\nhost: api.example.com\r\n" in sent and b"\r\naccept-encoding: gzip\r\n" in sent
        await egress.close()


async def test_a_body_that_is_too_long_and_a_method_that_is_none_are_refused():
    """Before anything is sent."""
    async with internet() as net:
        egress = net.egress()
        for method, body, type in (
            ("POST", b"x" * (256 * 1024 + 1), ErrorType.VALIDATION),
            ("TRACE", None, ErrorType.PERMANENT),
            ("CONNECT", None, ErrorType.PERMANENT),
            ("GET / HTTP/1.1\r\nX:", None, ErrorType.PERMANENT),
        ):
            with pytest.raises(ToolError) as caught:
                await egress.request(method, URL, {}, body)
            assert (caught.value.type, caught.value.partial_side_effects) == (type, False)
        assert net.asked == []
        await egress.close()


async def test_failures_name_neither_address_nor_headers(caplog: pytest.LogCaptureFixture):
    """Owners put keys into both."""
    for script in (hang_up, answer(b"x", Content_Encoding="br"), raw(b"nonsense\r\n\r\n")):
        async with internet(script) as net:
            egress = net.egress()
            with pytest.raises(ToolError) as caught:
                await egress.request("POST", f"{URL}canary?key=canary", {"X-Key": "canary"}, b"canary")
            assert "canary" not in f"{caught.value!r} {vars(caught.value)} {egress!r} {caplog.text}"
            assert caught.value.__cause__ is None
            await egress.close()


@pytest.mark.requirement("004-2478")
async def test_a_look_up_at_a_service_that_was_reached_is_not_told_as_out_of_reach():
    """It hung up, or answered with what is no answer; where nobody listens, it cannot be reached."""
    for script in (hang_up, raw(b"nonsense\r\n\r\n"), raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz")):
        async with internet(script) as net:
            egress = net.egress()
            with pytest.raises(ToolError, match="was reached") as caught:
                await egress.request("GET", URL, {}, None)
            assert (caught.value.type, caught.value.partial_side_effects) == (ErrorType.TRANSIENT, False)
            await egress.close()
