"""A hundred callers want one time, over HTTP against a running server: one gets it, 99 are offered others."""

from __future__ import annotations

import asyncio
import os
import statistics
import sys
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import aiohttp

import child_process
import emulator
import listening
import setting_up
from benchmarks.figure import Effort, Figure, Line, Skipped
from command_line import Problem

TARGET_S = 1.5
CALLERS = 100
BUSINESS, SERVICE = "demo-salon", "Haircut"
KEY = "sb_bench"
RUN = setting_up.ROOT / "scripts" / "run"
_READY_WITHIN_S = 90.0
_DAYS_TRIED = 50


@dataclass(frozen=True)
class Burst:
    """How many callers got which answer, and the seconds that the slowest waited."""

    answers: Counter[str]
    slowest_s: float


def measure(effort: Effort) -> Figure:
    """Return the figure.

    Raises:
        Skipped: There is no emulator.
    """
    if not emulator.named_host() and not emulator.find():
        raise Skipped(emulator.why_missing())
    with _server() as url:
        bursts = asyncio.run(_bursts(url, 1 if effort.quick else 2 * effort.rounds))
    answers = sum((burst.answers for burst in bursts), Counter())
    clean = all(burst.answers == {"ok": 1, "CONFLICT": CALLERS - 1} for burst in bursts)
    slowest = [burst.slowest_s for burst in bursts]
    rows = {"median": statistics.median(slowest), "max": max(slowest)}
    return Figure(
        f"one_slot: {CALLERS} callers book one time at once, over HTTP, {len(bursts)} rounds on different days",
        "",
        (
            Line(
                "answers",
                ", ".join(f"{count} {name}" for name, count in answers.most_common()),
                target=f"1 ok and {CALLERS - 1} CONFLICT with alternatives in each round",
                met=clean,
            ),
            *(
                Line(f"slowest answer, {name}", f"{value:.2f} s", target=f"≤ {TARGET_S:g} s", met=value <= TARGET_S)
                for name, value in rows.items()
            ),
        ),
        (f"The slowest of each round: {', '.join(f'{value:.2f}' for value in slowest)} s.",),
    )


@contextmanager
def _server() -> Iterator[str]:
    """Give the address of a server of its own, over the emulator."""
    port = listening.require_free(0, "--port")
    url, project = f"http://{listening.HOST}:{port}", f"demo-bench-{uuid.uuid4().hex[:8]}"
    command = (sys.executable, RUN, "--store", "emulator", "--no-admin", "--port", str(port))
    environment = {**os.environ, "SWITCHBOARD_DEMO_KEY": KEY, "GOOGLE_CLOUD_PROJECT": project}
    server = child_process.start(command, environment, setting_up.ROOT)
    try:
        asyncio.run(_until_ready(server, url))
        yield url
    finally:
        server.stop()
        if named := emulator.named_host():
            emulator.clear(named, project)


async def _until_ready(server: child_process.ChildProcess, url: str) -> None:
    deadline = time.monotonic() + _READY_WITHIN_S
    async with aiohttp.ClientSession() as http:
        while time.monotonic() < deadline and server.guard.poll() is None:
            try:
                async with http.get(f"{url}/healthz") as answer:
                    if answer.status == 200:
                        return
            except aiohttp.ClientConnectionError:
                await asyncio.sleep(0.1)
    raise Problem(f"scripts/run did not become ready; the end of what it said:\n{server.tail()}")


async def _bursts(url: str, rounds: int) -> list[Burst]:
    connector = aiohttp.TCPConnector(limit=0)
    headers = {"Authorization": f"Bearer {KEY}"}
    async with aiohttp.ClientSession(url, connector=connector, headers=headers) as http:
        times = await _free_times(http, rounds)
        return [await _burst(http, number, start) for number, start in enumerate(times)]


async def _free_times(http: aiohttp.ClientSession, wanted: int) -> list[str]:
    """Return free start times, each on another day and at another time of day."""
    today, found = datetime.now(UTC).date(), []
    for ahead in range(2, _DAYS_TRIED):
        args = {"date": (today + timedelta(days=ahead)).isoformat(), "service": SERVICE}
        context = {"channel": "portal", "sessionId": f"look-{ahead}", "callId": f"look-{ahead}"}
        envelope = await _execute(http, "check_availability", args, context)
        # On a closed day the times are those of other days.
        starts = [s for s in envelope["data"]["openTimes"] if s.startswith(args["date"])] if envelope["ok"] else []
        if starts:
            found.append(starts[len(found) % len(starts)])
        if len(found) == wanted:
            return found
    raise Problem(f"only {len(found)} of {wanted} free times were found in {_DAYS_TRIED} days")


async def _burst(http: aiohttp.ClientSession, number: int, start: str) -> Burst:
    slowest = 0.0

    async def caller(n: int) -> str:
        nonlocal slowest
        args = {"service": SERVICE, "start_time": start, "customer_name": f"Caller {n}"}
        context = {
            "channel": "phone",
            "sessionId": f"burst-{number}-{n}",
            "callId": f"burst-{number}-{n}",
            "callerPhone": f"+1518555{n:04}",
        }
        began = time.perf_counter()
        envelope = await _execute(http, "book_appointment", args, context)
        slowest = max(slowest, time.perf_counter() - began)
        if envelope["ok"]:
            return "ok"
        kind = str(envelope["error"]["type"])
        return kind if kind != "CONFLICT" or envelope["meta"].get("alternatives") else "CONFLICT without alternatives"

    answers = Counter(await asyncio.gather(*(caller(n) for n in range(CALLERS))))
    return Burst(answers, slowest)


async def _execute(http: aiohttp.ClientSession, name: str, args: Any, context: Any) -> Any:
    body = {"businessId": BUSINESS, "name": name, "args": args, "context": context}
    async with http.post("/tools/execute", json=body) as answer:
        return await answer.json()
