"""`/mcp` beside what stands in its place elsewhere: with a tool of its own, and in front of another MCP server.

The same look-up, at 1 and at 32 at once, in rounds. Then each gateway is given calls that change something, each
delivered three times as an application does that had no answer: how often the server behind carried them out.
"""

from __future__ import annotations

import random
import statistics
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks import gateways
from benchmarks.figure import Effort, Figure, Line
from benchmarks.gateways import Gateway, Start
from benchmarks.loading import Loaded
from benchmarks.timing import Spread
from command_line import Problem
from running import listening

AT_ONCE = (1, 32)
DELIVERIES = 3
OWN_TOOL: tuple[Start, ...] = (gateways.mcp_sdk, gateways.fastmcp)
IN_FRONT: tuple[Start, ...] = (gateways.fastmcp, gateways.litellm, gateways.contextforge)
_LOOK_UP = {"customer_phone": "+4915112345678", "date": "2026-01-01", "limit": 3}
# At 32 at once a gateway that opens a session upstream for each call needs seconds for its first answer.
_SECONDS, _QUICK_SECONDS, _WARM_S = 15.0, 10.0, 5.0
_ROUNDS, _CALLS, _QUICK_CALLS = 3, 50, 5


@dataclass
class _Side:
    gateway: Gateway
    tool: str
    loads: dict[int, list[Loaded]] = field(default_factory=lambda: {number: [] for number in AT_ONCE})
    carried_out: int = 0

    def load(self, at_once: int, seconds: float) -> None:
        try:
            load = self.gateway.server.load(self.gateway.order(self.tool, at_once, seconds, _WARM_S))
        except Problem as problem:
            raise Problem(f"{self.gateway.name}, {at_once} at once: {problem}") from None
        self.loads[at_once].append(load)


def measure(effort: Effort) -> Figure:
    """Return the figure; a peer that cannot be had is left out, and said so."""
    left_out: list[str] = []
    calls = _QUICK_CALLS if effort.quick else _CALLS
    with ExitStack() as running:
        folder = Path(running.enter_context(tempfile.TemporaryDirectory(prefix="gateway-")))
        own = _started(
            running, folder, "", ((gateways.ours, "tool_0003"), *((s, "look_up") for s in OWN_TOOL)), left_out
        )
        behind = running.enter_context(gateways.mcp_sdk(folder, ""))
        address = f"http://{listening.HOST}:{behind.server.port}/mcp"
        starts = tuple((start, "look_up") for start in (gateways.ours, *IN_FRONT))
        fronts = _started(running, folder, address, starts, left_out)
        for sides in (own, fronts):
            _load(sides, effort)
        for side in fronts:
            side.carried_out = _delivered(side.gateway, calls, folder / "notes")
    notes = (
        "One process each, the server behind another one. Ratio: of the gateway's own CPU time for an answer, which",
        "other load on the machine hardly changes. Ours with everything on: ledger, budgets, the offer's conditions.",
        f"Delivered {DELIVERIES} times: the same message in the same session, where a gateway has such.",
        *left_out,
    )
    lines = (*_lines(own, "its own tool"), *_lines(fronts, "in front of a server"), *_safety(fronts, calls))
    return Figure(f"gateway: a look-up over MCP at {' and '.join(map(str, AT_ONCE))} at once", "peer", lines, notes)


def _started(
    running: ExitStack, folder: Path, upstream: str, starts: Sequence[tuple[Start, str]], left_out: list[str]
) -> list[_Side]:
    sides = []
    for start, tool in starts:
        try:
            side = _Side(running.enter_context(start(folder, upstream)), tool)
            # Its first answer may take many seconds, and tells whether it works at all.
            answer = side.gateway.deliver(side.gateway.call(tool, _LOOK_UP, 0), "first")
            if "apt_1" not in answer:
                raise Problem(f"its answer is not the expected one: {answer[:300]}")
            sides.append(side)
        except Problem as problem:
            if not sides:
                raise
            left_out.append(f"{start.__name__} is left out: {problem}")
    return sides


def _load(sides: Sequence[_Side], effort: Effort) -> None:
    seconds = _QUICK_SECONDS if effort.quick else _SECONDS
    for _ in range(1 if effort.quick else min(_ROUNDS, effort.rounds)):
        for side in random.sample(sides, len(sides)):
            for at_once in AT_ONCE:
                side.load(at_once, seconds)


def _delivered(gateway: Gateway, calls: int, notes: Path) -> int:
    """Deliver each of so many calls three times, and return how often the server behind carried them out."""
    entries = {f"{gateway.name}-{number}" for number in range(calls)}
    for number, entry in enumerate(sorted(entries), 1):
        message = gateway.call("note", {"entry": entry}, number)
        for _ in range(DELIVERIES):
            answer = gateway.deliver(message, f"delivered-{number}")
            if "noted" not in answer:
                raise Problem(f"{gateway.name} did not carry out a call: {answer[:300]}")
    return sum(line in entries for line in notes.read_text().splitlines())


def _lines(sides: Sequence[_Side], kind: str) -> Iterator[Line]:
    ours, *peers = sides
    for at_once in AT_ONCE:
        mine = ours.loads[at_once]
        yield Line(f"{ours.gateway.name}, {kind}, {at_once} at once", _text(mine))
        for peer in peers:
            theirs = peer.loads[at_once]
            ratio = Spread.of([other.cpu_ms / own.cpu_ms for own, other in zip(mine, theirs, strict=True)])
            name = f"faster than {peer.gateway.name}, {at_once} at once"
            yield Line(name, "", _text(theirs), str(ratio), "≥ 1", ratio.median >= 1)


def _safety(sides: Sequence[_Side], calls: int) -> Iterator[Line]:
    ours, *peers = sides
    once = ours.carried_out == calls
    yield Line(
        f"{calls} calls delivered {DELIVERIES} times: carried out", str(ours.carried_out), "", "", f"{calls}", once
    )
    for peer in peers:
        yield Line(f"the same, {peer.gateway.name}", "", str(peer.carried_out))


def _text(loads: Sequence[Loaded]) -> str:
    cpu, p50, p99, rate = (
        statistics.median(getattr(load, name) for load in loads) for name in ("cpu_ms", "p50_ms", "p99_ms", "per_s")
    )
    return f"{rate:,.0f}/s, {cpu:.2f} ms CPU, p50 {p50:.1f}, p99 {p99:.1f} ms"
