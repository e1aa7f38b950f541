"""Two businesses on one server, one of them noisy: the quiet one's callers are to notice hardly anything."""

from __future__ import annotations

import asyncio
import itertools
import json
import time
from collections import Counter
from dataclasses import dataclass, field, replace

import aiohttp

from benchmarks import loading
from benchmarks.load_servers.ours import KEY, business_name
from drills.result import FULL, QUICK, SMOKE, Check, Effort, Result, exactly, within
from running import listening

_LIMIT_S = 300.0
_SECONDS = {SMOKE: 0.5, QUICK: 4.0, FULL: 30.0}
_EVERY_S = 0.05
# What reliability row 41 allows, and what a machine that is busy with others makes of one answer.
_TIMES, _SLACK_S = 2.0, 0.05
_BOUND = f"{_TIMES:g} x alone + {_SLACK_S * 1e3:.0f} ms"
_JUDGED_P, _MANY = 99, 500
# What the server works before the flood is sure to have begun.
_HEARD_OF_S = 0.2
_NOISES = {"32 at once": 32, "256 at once": 256}


@dataclass
class _Heard:
    """What the callers of one business were answered."""

    took_s: list[float] = field(default_factory=list)
    kinds: Counter[str] = field(default_factory=Counter)

    def within_s(self, percent: int) -> float:
        """Return the time that so many of 100 answers were faster than."""
        ordered = sorted(self.took_s)
        return ordered[len(ordered) * percent // 100] if ordered else 0.0


class _Callers:
    """Calls of one business, each of a session of its own."""

    def __init__(self, http: aiohttp.ClientSession, url: str, business: int) -> None:
        self._http, self._url, self._business = http, f"{url}/tools/execute", business
        self._numbers = itertools.count()
        self._headers = {"Authorization": f"Bearer {KEY}_{business:06}", "Content-Type": "application/json"}

    async def call(self, heard: _Heard) -> None:
        """Make one call."""
        name = f"n-{self._business}-{next(self._numbers)}"
        context = {"channel": "portal", "sessionId": name, "callId": name, "turn": 1}
        args = {"customer_phone": "+4915112345678", "date": name}
        body = {"businessId": business_name(self._business), "name": "tool_0003", "args": args, "context": context}
        began = time.perf_counter()
        async with self._http.post(self._url, data=json.dumps(body), headers=self._headers) as answer:
            envelope = await answer.json()
        heard.took_s.append(time.perf_counter() - began)
        error = envelope.get("error") or {}
        heard.kinds["ok" if envelope.get("ok") else str(error.get("type", answer.status))] += 1

    async def evenly(self, seconds: float) -> _Heard:
        """Call at an even pace, whatever becomes of the calls before."""
        heard, tasks, began = _Heard(), [], time.monotonic()
        for number in itertools.count():
            due = began + number * _EVERY_S
            if due > began + seconds:
                break
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            tasks.append(asyncio.create_task(self.call(heard)))
        await asyncio.gather(*tasks)
        return heard


def drill(effort: Effort) -> Result:
    """Return the table."""
    with loading.server(loading.ours(businesses=2)) as server:
        return asyncio.run(within(_LIMIT_S, _drill(_SECONDS[effort.size], server)))


async def _drill(seconds: float, server: loading.Server) -> Result:
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as http:
        quiet = _Callers(http, f"http://{listening.HOST}:{server.port}", 1)
        await quiet.evenly(min(1.0, seconds))
        solo = await quiet.evenly(seconds)
        rows = []
        for what, at_once in _NOISES.items():
            rows.append((what, *await _beside(server, quiet, at_once, seconds)))
        after = await quiet.evenly(seconds)
    alone = _Heard([*solo.took_s, *after.took_s], solo.kinds + after.kinds)
    checks = []
    for what, noise, heard in rows:
        refused = heard.kinds.total() - heard.kinds["ok"]
        checks += [
            *(_slowed_down(percent, what, heard, alone) for percent in (95, 99)),
            exactly(f"row 41: calls of it refused beside {what}", 0, refused),
            Check(f"the noisy one beside that, {what}", "", noise.told()),
        ]
    held = _JUDGED_P if len(solo.took_s) >= _MANY else 95
    worst_s = max(heard.within_s(held) for _, _, heard in rows)
    return Result(
        f"noisy: one call every {_EVERY_S * 1e3:.0f} ms of a quiet business, beside one that floods",
        f"p{held} ≤ {_BOUND} ({_allowed_s(held, alone) * 1e3:.0f} ms)",
        f"p{held} {worst_s * 1e3:.0f} ms",
        tuple(checks),
        (
            f"Alone: p95 {alone.within_s(95) * 1e3:.0f} ms, p99 {alone.within_s(99) * 1e3:.0f} ms, before and after. "
            f"Row 41 asks for p99 < {_TIMES:g} x alone; the {_SLACK_S * 1e3:.0f} ms beside that are what other work of "
            f"a shared machine makes of one answer. p99 is judged from {_MANY} calls on. One process, the store in "
            "memory.",
        ),
    )


def _allowed_s(percent: int, alone: _Heard) -> float:
    return _TIMES * alone.within_s(percent) + _SLACK_S


def _slowed_down(percent: int, what: str, heard: _Heard, alone: _Heard) -> Check:
    """Return the row of how slow the slowest answers became; the slowest of few is no more than an accident."""
    allowed_s, seen_s = _allowed_s(percent, alone), heard.within_s(percent)
    is_judged = percent < _JUDGED_P or len(heard.took_s) >= _MANY
    return Check(
        f"row 41: quiet business's p{percent} beside {what}",
        f"≤ {allowed_s * 1e3:.0f} ms" if is_judged else f"(≤ {allowed_s * 1e3:.0f} ms, of {_MANY} calls)",
        f"{seen_s * 1e3:.0f} ms, {seen_s / alone.within_s(percent):.1f} x alone",
        seen_s <= allowed_s if is_judged else None,
    )


async def _beside(
    server: loading.Server, quiet: _Callers, at_once: int, seconds: float
) -> tuple[loading.Loaded, _Heard]:
    """Flood from a program of its own, whose answers keep nobody waiting here, and call beside that."""
    order = replace(loading.order(server.port, at_once, seconds * 1.5 + 2, warm_s=0), calls_a_session=1)
    used_s = server.cpu_s()
    flood = asyncio.create_task(asyncio.to_thread(server.load, order))
    while server.cpu_s() < used_s + _HEARD_OF_S and not flood.done():
        await asyncio.sleep(0.05)
    heard = await quiet.evenly(seconds)
    return await flood, heard
