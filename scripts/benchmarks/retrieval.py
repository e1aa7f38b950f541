"""How long the retrieval tools take while twenty callers ask at once, over HTTP against a running server."""

from __future__ import annotations

import asyncio
import itertools
import json
import random
import statistics
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import aiohttp

from benchmarks.figure import Effort, Figure, Line
from benchmarks.running_server import KEY, RunningServer, running_server
from running import demo
from switchboard.contract import policy
from switchboard.state.firestore.store import FirestoreStore
from switchboard.state.paths import FirestorePaths

CONCURRENT = 20
TARGETS_MS = {"search_knowledge": 100.0}
_USUAL_MS = 150.0
BARE = "a bare get of one document"
# Somebody with bookings, whom the telephone network vouches for.
_CALLER = {"callerPhone": "+15185550162", "callerId": "clr_miguel_santos", "callerVerified": True}
_DAYS = [(datetime.now(UTC) + timedelta(days=ahead)).date().isoformat() for ahead in range(2, 30)]
_QUESTIONS = ("Can I park near you?", "do you take cards", "what if i am late", "Do you cut kids hair", "gift cards")
_TOPICS = ("cancellation", "parking", "hours", "pricing", "deposits", "refunds", "location", "late arrival")
ARGUMENTS: dict[str, Callable[[int], dict[str, Any]]] = {
    "search_knowledge": lambda n: {"query": f"{_QUESTIONS[n % len(_QUESTIONS)]} {n}"},
    "kb_get": lambda n: {"entity_id": _knowledge_ids()[n % len(_knowledge_ids())], "kind": "knowledge"},
    "get_policies": lambda n: {"topic": _TOPICS[n % len(_TOPICS)]},
    "get_faqs": lambda n: {"topic": _TOPICS[n % len(_TOPICS)]},
    "get_working_hours": lambda n: {"date": _DAYS[n % len(_DAYS)]},
    "get_business_services": lambda n: {},
    "check_availability": lambda n: {"date": _DAYS[n % len(_DAYS)], "service": "Haircut"},
    "lookup_appointment": lambda n: {},
    "get_latest_booking": lambda n: {},
    "list_events": lambda n: {"time_min": _DAYS[n % len(_DAYS)]},
}
_CALLS_A_ROUND = 5
_QUICK_CALLS = 1
_SALON = FirestorePaths().within(demo.SALON).business


def _knowledge_ids() -> list[str]:
    path = demo.SEEDS / "businesses" / demo.SALON / "knowledge.json"
    return sorted(json.loads(path.read_text(encoding="utf-8")))


@dataclass
class Taken:
    """What the calls of one kind took: seconds each, the server's CPU seconds in all, and what was not answered."""

    seconds: list[float] = field(default_factory=list)
    slow_s: list[float] = field(default_factory=list)
    cpu_s: float = 0.0
    problems: Counter[str] = field(default_factory=Counter)

    def add_round(self, seconds: Sequence[float]) -> None:
        """Keep one round's calls."""
        self.seconds += seconds
        self.slow_s.append(statistics.quantiles(seconds, n=20)[-1])

    @property
    def p95_ms(self) -> float:
        """The 95th percentile of a round, the median over the rounds."""
        return statistics.median(self.slow_s) * 1e3

    def __str__(self) -> str:
        text = f"p50 {statistics.median(self.seconds) * 1e3:4.0f} ms, p95 {self.p95_ms:4.0f} ms"
        if self.cpu_s:
            text += f", CPU {self.cpu_s / len(self.seconds) * 1e3:4.1f} ms"
        return ", ".join([text, *(f"{count} {problem}" for problem, count in self.problems.items())])


def measure(effort: Effort) -> Figure:
    """Return the figure.

    Raises:
        Skipped: There is no emulator.
    """
    with running_server() as server:
        taken = asyncio.run(_measure(effort, server))
    lines = [Line(BARE, str(taken.pop(BARE)))]
    for name, calls in taken.items():
        target = TARGETS_MS.get(name, _USUAL_MS)
        is_met = calls.p95_ms <= target and not calls.problems
        lines.append(Line(name, str(calls), target=f"p95 ≤ {target:.0f} ms", met=is_met))
    return Figure(
        f"retrieval: {CONCURRENT} calls at once over HTTP, {effort.rounds} rounds in shuffled order",
        "",
        tuple(lines),
        (
            "Each call in an open session of its own, with answers that nobody was given before.",
            "CPU is the server's for one call. Emulator, server and callers share the cores.",
        ),
    )


async def _measure(effort: Effort, server: RunningServer) -> dict[str, Taken]:
    policy.STORE_READ_S = policy.STORE_FIRST_CALL_S = 20.0
    store, calls = (
        FirestoreStore(server.project, emulator_host=server.emulator),
        _QUICK_CALLS if effort.quick else _CALLS_A_ROUND,
    )
    await store.warm()
    taken: dict[str, Taken] = {name: Taken() for name in (BARE, *ARGUMENTS)}
    connector, headers = aiohttp.TCPConnector(limit=0), {"Authorization": f"Bearer {KEY}"}
    async with aiohttp.ClientSession(server.url, connector=connector, headers=headers) as http:
        # One round that nobody counts, for everything that is only slow once.
        for number in range(1 if effort.quick else 0, effort.rounds + 1):
            names = list(taken)
            random.shuffle(names)
            for name in names:
                found = Taken() if number == 0 else taken[name]
                if name == BARE:
                    found.add_round(await _at_once(calls, lambda _caller, _call: store.get(_SALON)))
                else:
                    await _round(http, server, name, number, calls, found)
    await store.close()
    return taken


async def _round(
    http: aiohttp.ClientSession, server: RunningServer, name: str, round: int, calls: int, taken: Taken
) -> None:
    numbers = itertools.count(round * CONCURRENT * calls)

    async def ask(tool: str, turn: int, args: Any, session: str) -> None:
        context = {"channel": "phone", "sessionId": session, "turn": turn, "callId": f"{session}-{turn}", **_CALLER}
        body = {"businessId": demo.SALON, "name": tool, "args": args, "context": context}
        async with http.post("/tools/execute", json=body) as answer:
            envelope = await answer.json()
        if not envelope.get("ok"):
            taken.problems[str(envelope.get("error", {}).get("type", answer.status))] += 1

    def session(caller: int, call: int) -> str:
        return f"{name}-{round}-{caller}-{call}"

    await _at_once(calls, lambda caller, call: ask("get_working_hours", 1, {}, session(caller, call)))
    taken.problems.clear()
    before_s = server.cpu_s()
    taken.add_round(
        await _at_once(calls, lambda caller, call: ask(name, 2, ARGUMENTS[name](next(numbers)), session(caller, call)))
    )
    taken.cpu_s += server.cpu_s() - before_s


async def _at_once(calls: int, ask: Callable[[int, int], Awaitable[Any]]) -> list[float]:
    """Let twenty callers ask, each again as soon as it is answered; return what each time took, in seconds."""
    seconds = []

    async def caller(number: int) -> None:
        for call in range(calls):
            began = time.perf_counter()
            await ask(number, call)
            seconds.append(time.perf_counter() - began)

    await asyncio.gather(*(caller(number) for number in range(CONCURRENT)))
    return seconds
