"""The relay's WebSocket is abused: each socket is closed soon, by what it is, and callers beside notice nothing."""

from __future__ import annotations

import asyncio
import json
import resource
import socket
import time
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import aiohttp

from drills.own_house import CALLER, SALON_NUMBER, TWILIO_TOKEN, OwnHouse, own_house
from drills.result import FULL, QUICK, SMOKE, Check, Effort, Result, at_most, exactly, within
from simulating.twilio import PARAMETER, Parties, Webhooks
from switchboard.app import websocket_protocol
from switchboard.channels.phone import relay, relay_socket
from switchboard.contract.channel import Channel
from switchboard.contract.model import Ended, Ending, ModelEvent, Prompt, TextPiece
from switchboard.contract.policy import CHANNEL_POLICY

_LIMIT_S = 600.0
_IDLE = {SMOKE: 20, QUICK: 500, FULL: 10_000}
_CLOSED_WITHIN_S, _ANSWERED_WITHIN_S, _KB_EACH, _KEPT_MB = 1.0, 1.0, 100.0, 30.0
# What stays open beside the sockets: this process, its logs, the server.
_OTHER_FILES = 200
_SHORT_S = 3.0, 1.0, 1.0
_FULL_WITHIN_S = 30.0
_POLICY, _TOO_BIG = 1008, 1009
_HEAD = "GET /phone/relay HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
_KEY = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
_WORDS = "We are open on Mondays. " * 600


_ENDLESS = 1_000_000_000


class _Endless:
    """A model that speaks until it is broken off."""

    name, dialect = "endless", "openai"

    def __init__(self) -> None:
        self.speaking = 0

    async def stream(self, prompt: Prompt) -> AsyncIterator[ModelEvent]:
        self.speaking += 1
        try:
            for _ in range(20_000):
                yield TextPiece(_WORDS)
                await asyncio.sleep(0)
            yield Ended(Ending.STOPPED)
        finally:
            self.speaking -= 1


@dataclass(frozen=True)
class _Closed:
    """How a socket ended: its code, 0 for none, and how long that took."""

    code: int
    took_s: float


class _Abuser:
    """Opens sockets as Twilio would, and then does not behave."""

    def __init__(self, http: aiohttp.ClientSession, own: OwnHouse) -> None:
        self.http, self.own = http, own

    def webhooks(self) -> Webhooks:
        """Return a new phone call."""
        parties = Parties(CALLER, SALON_NUMBER, TWILIO_TOKEN, None)
        return Webhooks(self.http, self.own.url, self.own.url, parties, lambda _: None)

    async def token(self, call: Webhooks) -> str:
        """Call up, and return the token that the TwiML holds."""
        return (await call.ask("/phone/incoming")).relay[f"{PARAMETER}token"]

    async def open(self, call: Webhooks, *, signed: bool = True) -> aiohttp.ClientWebSocketResponse:
        """Open a socket."""
        headers = call.handshake(self.own.relay_url) if signed else {}
        return await self.http.ws_connect(self.own.relay_url, headers=headers, max_msg_size=0, autoping=False)

    def setup(self, call: Webhooks, token: str | None) -> dict[str, Any]:
        """Return the first message."""
        custom = {} if token is None else {"customParameters": {"token": token}}
        return {"type": "setup", "callSid": call.call_sid, "from": CALLER, "to": SALON_NUMBER, **custom}


def drill(effort: Effort) -> Result:
    """Return the table."""
    usual = relay.SETUP_S, relay_socket.SENT_WITHIN_S, websocket_protocol.READ_WITHIN_S
    if effort.size != FULL:
        # Most of the time would be spent waiting otherwise.
        relay.SETUP_S, relay_socket.SENT_WITHIN_S, websocket_protocol.READ_WITHIN_S = _SHORT_S
    spoken = CHANNEL_POLICY[Channel.PHONE]
    # An answer that nobody takes has to be longer than what the system holds for who does not read.
    CHANNEL_POLICY[Channel.PHONE] = replace(spoken, answer_characters=_ENDLESS)
    try:
        return asyncio.run(within(_LIMIT_S, _drill(_IDLE[effort.size])))
    finally:
        CHANNEL_POLICY[Channel.PHONE] = spoken
        relay.SETUP_S, relay_socket.SENT_WITHIN_S, websocket_protocol.READ_WITHIN_S = usual


async def _drill(connections: int) -> Result:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    # Both ends of every socket are this process's.
    idle = min(connections, (hard - _OTHER_FILES) // 2)
    try:
        model = _Endless()
        async with own_house(model, relay=True) as own:
            connector = aiohttp.TCPConnector(limit=0, force_close=True)
            async with aiohttp.ClientSession(connector=connector) as http:
                abuser = _Abuser(http, own)
                checks = [*await _refusals(abuser), *await _idle(abuser, idle), *await _slow_reader(abuser, model)]
                good = await _good_call(abuser)
                checks.append(Check("row 37: a good call afterwards", "is answered", good, good == "is answered"))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    wrong = sum(check.is_met is False for check in checks)
    notes = [f"{connections:,} idle sockets were wanted; this machine allows {hard:,} files, two for each."]
    return Result(
        f"sockets: the relay's WebSocket abused, {idle:,} of them idle",
        "closed in ≤ 1 s, others unharmed",
        f"{wrong} not so",
        tuple(checks),
        tuple(notes * (idle < connections)),
    )


async def _refusals(abuser: _Abuser) -> list[Check]:
    """Return a row for each way to be unwelcome."""
    first, second = abuser.webhooks(), abuser.webhooks()
    token, others = await abuser.token(first), await abuser.token(second)
    open_line = await abuser.open(first)
    await open_line.send_json(abuser.setup(first, token))
    await open_line.send_json({"type": "interrupt", "utteranceUntilInterrupt": ""})
    tries: list[tuple[str, int, bool, list[Any]]] = [
        ("no token", _POLICY, True, [abuser.setup(first, None)]),
        ("an unknown token", _POLICY, True, [abuser.setup(first, "x.demo-salon")]),
        ("a token of another call", _POLICY, True, [abuser.setup(first, others)]),
        (
            "a token for another business",
            _POLICY,
            True,
            [abuser.setup(second, f"{others.partition('.')[0]}.demo-plumber")],
        ),
        ("a handshake that is not signed", _POLICY, False, [abuser.setup(second, others)]),
        ("a first message that is no setup", _POLICY, True, [{"type": "prompt", "voicePrompt": "Hi", "last": True}]),
        ("a first message that is no JSON", _POLICY, True, ["{"]),
        ("a frame of 1 MB", _TOO_BIG, True, ["x" * 1_000_000]),
    ]
    checks = [await _refused(abuser, first, *attempt) for attempt in tries]
    # The server takes up the first line's messages before those of a line that was opened later.
    checks.append(await _refused(abuser, first, "a token used before", _POLICY, True, [abuser.setup(first, token)]))
    checks.append(await _announced_gigabyte(abuser))
    await open_line.close()
    return checks


async def _refused(
    abuser: _Abuser, call: Webhooks, what: str, expected: int, signed: bool, messages: list[Any]
) -> Check:
    line = await abuser.open(call, signed=signed)
    began = time.monotonic()
    with suppress(aiohttp.ClientError, ConnectionError):
        for message in messages:
            await (line.send_str(message) if isinstance(message, str) else line.send_json(message))
    closed = await _closing(line, began)
    return _closing_check(what, expected, closed)


async def _closing(line: aiohttp.ClientWebSocketResponse, began: float) -> _Closed:
    with suppress(TimeoutError, aiohttp.ClientError):
        async with asyncio.timeout(15):
            async for _ in line:
                pass
    took_s = time.monotonic() - began
    code = line.close_code or 0
    await line.close()
    return _Closed(code, took_s)


def _closing_check(what: str, expected: int, closed: _Closed) -> Check:
    text = f"{closed.code} in {closed.took_s:.2f} s"
    is_met = closed.code == expected and closed.took_s <= _CLOSED_WITHIN_S
    return Check(f"row 37: {what}", f"{expected} in ≤ {_CLOSED_WITHIN_S:g} s", text, is_met)


async def _announced_gigabyte(abuser: _Abuser) -> Check:
    """Announce a frame of 1 GB and send none of it: nobody may wait for it, or make room."""
    reader, writer = await _raw(abuser, abuser.webhooks())
    began = time.monotonic()
    writer.write(bytes((0x81, 0x80 | 127)) + (1 << 30).to_bytes(8) + b"mask")
    code = 0
    with suppress(TimeoutError, asyncio.IncompleteReadError):
        async with asyncio.timeout(15):
            head = await reader.readexactly(2)
            body = await reader.readexactly(head[1] & 127)
            code = int.from_bytes(body[:2]) if head[0] & 15 == 8 else 0
    took_s = time.monotonic() - began
    writer.transport.abort()
    return _closing_check("a frame of 1 GB, announced", _TOO_BIG, _Closed(code, took_s))


async def _raw(
    abuser: _Abuser, call: Webhooks, *, receive_bytes: int = 0
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Open a socket by hand; with a small window of its own where that is wanted."""
    own = socket.socket()
    if receive_bytes:
        own.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
    own.setblocking(False)
    host, _, port = abuser.own.url.removeprefix("http://").rpartition(":")
    await asyncio.get_running_loop().sock_connect(own, (host, int(port)))
    reader, writer = await asyncio.open_connection(sock=own, limit=1_024)
    signature = call.handshake(abuser.own.relay_url)["X-Twilio-Signature"]
    writer.write(f"{_HEAD.format(host=f'{host}:{port}')}X-Twilio-Signature: {signature}\r\n{_KEY}".encode())
    await reader.readuntil(b"\r\n\r\n")
    return reader, writer


async def _idle(abuser: _Abuser, count: int) -> list[Check]:
    """Open so many sockets that say nothing, and see what they cost and when they are gone."""
    before_mb, began = _memory_mb(), time.monotonic()
    opened: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []
    for first in range(0, count, 200):
        part = [_raw(abuser, abuser.webhooks()) for _ in range(min(200, count - first))]
        opened += await asyncio.gather(*part)
    each_kb = (_memory_mb() - before_mb) * 1e3 / count
    took_s: list[float] = []
    while time.monotonic() - began < relay.SETUP_S / 2:
        asked = time.monotonic()
        async with abuser.http.get(f"{abuser.own.url}/healthz") as answer:
            assert answer.status == 200
        took_s.append(time.monotonic() - asked)
        await asyncio.sleep(0.2)

    async def until_closed(reader: asyncio.StreamReader) -> bool:
        try:
            async with asyncio.timeout(relay.SETUP_S + 10):
                # Whoever does not answer the closing frame is reset, which ends it as well.
                with suppress(ConnectionError):
                    while await reader.read(64):
                        pass
        except TimeoutError:
            return False
        return True

    closed = await asyncio.gather(*(until_closed(reader) for reader, _ in opened))
    for _, writer in opened:
        writer.transport.abort()
    slowest_s = max(took_s) if took_s else 0.0
    return [
        exactly(f"row 37: of {count:,} idle sockets still open after {relay.SETUP_S:g} s", 0, closed.count(False)),
        at_most("an answer to somebody else meanwhile", _ANSWERED_WITHIN_S, slowest_s),
        at_most("memory of one, both its ends", _KB_EACH, each_kb, "kB", 1),
    ]


async def _slow_reader(abuser: _Abuser, model: _Endless) -> list[Check]:
    """Ask something, and do not read the answer, which does not end."""
    call = abuser.webhooks()
    token = await abuser.token(call)
    reader, writer = await _raw(abuser, call, receive_bytes=4_096)
    before_mb, connections = _memory_mb(), abuser.own.connections
    theirs = _server_side(abuser, writer)
    # What the system takes for them is soon full then; else the server first writes megabytes, which is no waiting yet.
    theirs.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4_096)
    for message in (abuser.setup(call, token), {"type": "prompt", "voicePrompt": "Tell me all.", "last": True}):
        writer.write(_frame(json.dumps(message).encode()))
    # What has to be taken in time is the words, and then the farewell.
    allowed_s = 2 * max(relay_socket.SENT_WITHIN_S, websocket_protocol.READ_WITHIN_S) + 5
    await _until(lambda: not theirs.writable.is_set(), _FULL_WITHIN_S)
    began = time.monotonic()
    await _until(lambda: model.speaking == 0, allowed_s)
    silent_s = time.monotonic() - began
    await _until(lambda: abuser.own.connections < connections, allowed_s - silent_s)
    open_s, is_gone = time.monotonic() - began, abuser.own.connections < connections
    grown_mb = _memory_mb() - before_mb
    writer.transport.abort()
    del reader
    return [
        at_most("row 37: somebody who does not read: the answer is broken off", allowed_s, silent_s),
        at_most("what was kept for them", _KEPT_MB, grown_mb, "MB", 1),
        Check(
            "row 37: their connection",
            f"closed in ≤ {allowed_s:g} s",
            f"closed in {open_s:.1f} s" if is_gone else "open",
            is_gone,
        ),
    ]


def _server_side(abuser: _Abuser, writer: asyncio.StreamWriter) -> Any:
    """Return the server's end of a connection."""
    port = writer.get_extra_info("sockname")[1]
    return next(c for c in abuser.own.server.server_state.connections if c.client and c.client[1] == port)


async def _until(condition: Callable[[], bool], within_s: float) -> None:
    deadline = time.monotonic() + within_s
    while not condition() and time.monotonic() < deadline:
        await asyncio.sleep(0.05)


def _frame(data: bytes) -> bytes:
    size = bytes((0x80 | len(data),)) if len(data) < 126 else bytes((0x80 | 126,)) + len(data).to_bytes(2)
    # A mask of zeros leaves the data as it is.
    return b"\x81" + size + bytes(4) + data


async def _good_call(abuser: _Abuser) -> str:
    call = abuser.webhooks()
    token = await abuser.token(call)
    line = await abuser.open(call)
    await line.send_json(abuser.setup(call, token))
    await line.send_json({"type": "prompt", "voicePrompt": "Hello?", "last": True})
    try:
        reply = await line.receive_str(timeout=5)
    except (TimeoutError, TypeError):
        return f"is closed with {line.close_code}"
    await line.close()
    return "is answered" if json.loads(reply).get("type") == "text" else reply[:80]


def _memory_mb() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 1e6
