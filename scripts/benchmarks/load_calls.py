"""Calls, chats and phone turns at 1, 32 and 256 at once over the emulator, and whose the CPU time is."""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import time
import uuid
from collections.abc import Iterator

import aiohttp

from benchmarks import loading
from benchmarks.figure import Effort, Figure, Line, Skipped
from benchmarks.load_client import Order
from benchmarks.planted import NOTES
from benchmarks.relay_calls import EVERY_S, Heard, RelayCaller, RelayServer, relay_server
from benchmarks.running_server import KEY, RunningServer, running_server
from command_line import Problem
from running import emulator, listening

AT_ONCE = (1, 32, 256)
MEASURED = 32
TARGETS_MS = {"retrieval": 0.8, "action": 1.3}
"""The server's CPU time for a call of each kind over the emulator."""
FIRST_WORD_MS = 500.0
"""Within which a caller hears something, of 256 who talk as people do."""
_SECONDS, _QUICK_SECONDS = 10.0, 1.5
_QUESTION = "Do you take cards? (%(number)d)"


def measure(effort: Effort) -> Figure:
    """Return the figure.

    Raises:
        Skipped: There is no emulator.
    """
    if not emulator.named_host() and not emulator.find():
        raise Skipped(emulator.why_missing())
    seconds = _QUICK_SECONDS if effort.quick else _SECONDS
    project = f"demo-bench-{uuid.uuid4().hex[:8]}"
    with emulator.running() as host:
        try:
            lines = [*_calls(seconds, host, project), *_chats(seconds)]
            with relay_server(host, f"{project}-relay") as server:
                lines += [_turns(server, at_once, seconds) for at_once in AT_ONCE]
                lines.append(_turns(server, AT_ONCE[-1], max(seconds, 2 * EVERY_S), is_paced=True))
        finally:
            for used in (project, f"{project}-relay"):
                emulator.clear(host, used)
    return Figure(
        f"load_calls: at {', '.join(map(str, AT_ONCE))} at once over the emulator, {seconds:g} s each",
        "",
        tuple(lines),
        (
            "Callers without a pace of their own speak as soon as they have heard an answer: that says for how many "
            "turns a second there is room.",
            "Server, emulator and generator share this machine's cores: rates say little about Firestore's. The "
            "Firestore client's CPU time is what a call takes over the emulator beyond what it takes with the store in "
            "memory, whose own work counts as ours.",
        ),
    )


def _calls(seconds: float, host: str, project: str) -> Iterator[Line]:
    loads = {}
    for place, options in (("emulator", (host, project)), ("memory", ())):
        # What the action writes down is not looked at.
        with loading.server(loading.ours(emulator=options), environment={NOTES: os.devnull}) as server:
            for kind in TARGETS_MS:
                is_action = kind == "action"
                for at_once in AT_ONCE if options and not is_action else (MEASURED,):
                    what = f"/tools/execute, {kind}, {at_once} at once" + ", store in memory" * (not options)
                    order = loading.order(server.port, at_once, seconds, warm_s=1.0, action=is_action)
                    try:
                        load = server.load(order)
                    except Problem as problem:
                        yield Line(what, f"not all answered: {str(problem)[:150]}")
                    else:
                        loads[place, kind, at_once] = load
                        yield Line(what, load.told())
    for kind, target_ms in TARGETS_MS.items():
        over, within = (loads.get((place, kind, MEASURED)) for place in ("emulator", "memory"))
        if over and within:
            parts = f"{within.cpu_ms:.2f} ours, {over.cpu_ms - within.cpu_ms:.2f} the Firestore client's"
            yield Line(
                f"CPU of a call, {kind}, {MEASURED} at once",
                f"{over.cpu_ms:.2f} ms: {parts}",
                target=f"at most {target_ms} ms",
                met=over.cpu_ms <= target_ms,
            )


def _chats(seconds: float) -> Iterator[Line]:
    with running_server() as server:
        for at_once in AT_ONCE:
            what = f"/portal/chat, {at_once} at once"
            try:
                yield Line(what, _chat(server, at_once, seconds))
            except Problem as problem:
                yield Line(what, f"not all answered: {str(problem)[:150]}")


def _chat(server: RunningServer, at_once: int, seconds: float) -> str:
    body = {"businessId": "demo-salon", "sessionId": "%(session)s", "text": _QUESTION}
    port = int(server.url.rpartition(":")[2])
    order = Order(
        *(listening.HOST, port, "/portal/chat", json.dumps(body), at_once, seconds),
        '"outcome":"answered"',
        headers={"Authorization": f"Bearer {KEY}"},
        warm_s=1.0,
        name=f"chat{time.monotonic_ns()}",
        calls_a_session=4,
    )
    return loading.Server(port, server.process).load(order).told()


def _turns(server: RelayServer, at_once: int, seconds: float, *, is_paced: bool = False) -> Line:
    heard, took_s, cpu_s = asyncio.run(_talk(server, at_once, seconds, is_paced))
    turns = len(heard.first_word_s)
    what = f"relay turns, {at_once} calls" + f", one every {EVERY_S:g} s each" * is_paced
    target = f"none silent, p99 at most {FIRST_WORD_MS:g} ms" if is_paced else ""
    if not turns:
        return Line(what, f"none answered, {heard.silent} silent", target=target, met=False if target else None)
    ordered = sorted(heard.first_word_s)
    p50, p99 = statistics.median(ordered) * 1e3, ordered[int(len(ordered) * 0.99)] * 1e3
    silent = f", {heard.silent} silent" if heard.silent or is_paced else ""
    return Line(
        what,
        f"{turns / took_s:,.0f}/s, first word p50 {p50:.1f} ms, p99 {p99:.1f} ms, "
        f"{cpu_s / turns * 1e3:.2f} ms CPU each{silent}",
        target=target,
        met=(p99 <= FIRST_WORD_MS and not heard.silent) if target else None,
    )


async def _talk(server: RelayServer, at_once: int, seconds: float, is_paced: bool) -> tuple[Heard, float, float]:
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        every = [RelayCaller(session, server, number) for number in range(at_once)]
        begun = await asyncio.gather(*(caller.begin() for caller in every), return_exceptions=True)
        # A call that comes while the store is too slow is told so, and gets no socket.
        callers = [caller for caller, failure in zip(every, begun, strict=True) if failure is None]
        heard, began, before_s = Heard(silent=at_once - len(callers)), time.monotonic(), server.cpu_s()

        async def talk(caller: RelayCaller) -> None:
            try:
                if is_paced:
                    await caller.talk(heard, seconds)
                while time.monotonic() - began < seconds:
                    await caller.turn(heard)
            except aiohttp.ClientError:
                # The line is gone: the server was too late in answering, or in opening it.
                heard.silent += 1

        await asyncio.gather(*map(talk, callers))
        took_s, cpu_s = time.monotonic() - began, server.cpu_s() - before_s
        await asyncio.gather(*(caller.end() for caller in callers), return_exceptions=True)
    return heard, took_s, cpu_s
