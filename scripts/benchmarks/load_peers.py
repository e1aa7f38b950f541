"""The same look-up by POST against peers and a bare function: one process each, one after the other, in rounds."""

from __future__ import annotations

import json
import random
import statistics
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks import loading
from benchmarks.figure import Effort, Figure, Line
from benchmarks.load_client import Order
from benchmarks.loading import SERVERS, Loaded, Server
from benchmarks.peers import environment
from benchmarks.timing import Spread
from command_line import Problem
from running import listening

CONNECTIONS = 32
FASTMCP = ("fastmcp==4.1.2", "uvloop==0.23.0", "httptools==0.9.0")
TARGETS = {"mcp": 6.0, "fastmcp": 10.0, "hello": 0.6}
_NAMES = {
    "ours": "ours, POST /tools/execute",
    "mcp": "MCP SDK, streamable HTTP tools/call",
    "fastmcp": "FastMCP, streamable HTTP tools/call",
    "hello": "functions-framework --asgi, hello",
}
_SECONDS, _QUICK_SECONDS, _WARM_S = 5.0, 1.0, 2.0
_ROUNDS = 3
_CALL = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "tools/call",
    "params": {
        "name": "look_up",
        "arguments": {"customer_phone": "+4915112345678", "date": "%(session)s/%(turn)d", "limit": 3},
    },
}
_MCP_HEADERS = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}


@dataclass
class _Side:
    """One of those that are loaded, and what it came to in each round."""

    name: str
    server: Server
    order: Callable[[float], Order]
    loaded: list[Loaded] = field(default_factory=list)


def measure(effort: Effort) -> Figure:
    """Return the figure; a peer that cannot be had is left out, and said so."""
    seconds = _QUICK_SECONDS if effort.quick else _SECONDS
    missing = []
    with ExitStack() as running:
        sides = [_ours(running), _hello(running), _mcp(running, "mcp", Path(sys.executable))]
        try:
            sides.append(_mcp(running, "fastmcp", environment(*FASTMCP)))
        except Problem as problem:
            missing.append(f"FastMCP is left out: {problem}")
        for _ in range(1 if effort.quick else min(_ROUNDS, effort.rounds)):
            random.shuffle(sides)
            for side in sides:
                side.loaded.append(side.server.load(side.order(seconds)))
    by_name = {side.name: side.loaded for side in sides}
    lines = [Line(_NAMES["ours"], _told(by_name["ours"]))]
    lines += [_line(name, by_name["ours"], by_name[name]) for name in TARGETS if name in by_name]
    busy = sorted({_NAMES[name] for name, loads in by_name.items() if any(load.is_of_generator for load in loads)})
    notes = [
        "One process each, uvicorn with uvloop and httptools; the peers without sessions and with plain JSON, which is "
        "the fastest that either has; ours with everything on, a new session every sixteen calls. The ratio is of "
        "answers per second of the server's own CPU time, which other load on the machine hardly changes; that of "
        "answers per second as they came stands in brackets.",
        *missing,
    ]
    if busy:
        notes.append(f"The generator itself was busy all the time with {', '.join(busy)}: per-second figures are its.")
    return Figure(f"load_peers: {CONNECTIONS} connections, {seconds:g} s each", "peer", tuple(lines), tuple(notes))


def _line(name: str, ours: Sequence[Loaded], theirs: Sequence[Loaded]) -> Line:
    ratio = Spread.of([mine.per_cpu_s / other.per_cpu_s for mine, other in zip(ours, theirs, strict=True)])
    asked = statistics.median(mine.per_s / other.per_s for mine, other in zip(ours, theirs, strict=True))
    text = f"{ratio} [{asked:.2f}]"
    return Line(_NAMES[name], "", _told(theirs), text, f"≥ {TARGETS[name]:g}", ratio.median >= TARGETS[name])


def _told(loads: Sequence[Loaded]) -> str:
    rates, cpu = (statistics.median(getattr(load, name) for load in loads) for name in ("per_s", "cpu_ms"))
    return f"{rates:,.0f}/s, {cpu:.3f} ms CPU"


def _ours(running: ExitStack) -> _Side:
    server = running.enter_context(loading.server(loading.ours()))
    return _Side("ours", server, lambda seconds: loading.order(server.port, CONNECTIONS, seconds, warm_s=_WARM_S))


def _hello(running: ExitStack) -> _Side:
    port = listening.require_free(0, "--port")
    command = (Path(sys.executable).with_name("functions-framework"), "--asgi", "--target", "hello", "--source")
    where = (SERVERS / "hello.py", "--host", listening.HOST, "--port", str(port))
    server = running.enter_context(loading.server((*command, *where), port))
    body = loading.order(port, 1, 1).body
    return _Side(
        "hello",
        server,
        lambda seconds: Order(listening.HOST, port, "/", body, CONNECTIONS, seconds, '"ok"'),
    )


def _mcp(running: ExitStack, name: str, python: Path) -> _Side:
    server = running.enter_context(loading.server((python, SERVERS / "peer.py", name)))
    body = json.dumps(_CALL).replace('"id": 0', '"id": %(number)d')
    return _Side(
        name,
        server,
        lambda seconds: Order(
            listening.HOST,
            server.port,
            "/mcp",
            body,
            CONNECTIONS,
            seconds,
            "apt_1",
            headers=_MCP_HEADERS,
            warm_s=_WARM_S,
        ),
    )
