"""What a warm call asks of the store, and how long calls take when the store is the Firestore emulator."""

from __future__ import annotations

import asyncio
import itertools
import json
import statistics
import time
import uuid
from collections.abc import Awaitable, Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from benchmarks.asgi import request
from benchmarks.counting_store import CountingStore, requester
from benchmarks.figure import Effort, Figure, Line, Skipped
from benchmarks.patience import patience
from benchmarks.timing import Batch, of_awaits, profile
from running import demo, emulator
from switchboard.app.container import Container, build
from switchboard.app.settings import read_configuration
from switchboard.contract import policy
from switchboard.state.firestore.store import FirestoreStore
from switchboard.state.paths import FirestorePaths

TARGET = 1
KEY = "sb_bench"
CONCURRENCIES = (1, 32)
HANDLER = "handler"
# What it searches is in memory when warm, so that the latency is that of the pipeline.
TIMED = "search_knowledge"
_DAYS = [(datetime.now(UTC) + timedelta(days=ahead)).date().isoformat() for ahead in range(2, 30)]
# Each call asks something else: the same question again would be answered without the handler.
CALLS: dict[str, Callable[[int], dict[str, str]]] = {
    "search_knowledge": lambda n: {"query": f"parking {n}"},
    "get_working_hours": lambda n: {"date": _DAYS[n % len(_DAYS)]},
    "check_availability": lambda n: {"date": _DAYS[n % len(_DAYS)], "service": "Haircut"},
}
_CALLS_A_ROUND = 320
_QUICK_CALLS = 40
_turns = itertools.count(1)


@dataclass
class Client:
    """Executes tools over the ASGI app, each session taking its calls one after another, one a turn."""

    app: Any
    seconds: list[float] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    async def call(self, session: str, name: str) -> None:
        """Make one call and note how long it took."""
        turn = next(_turns)
        context = {"channel": "portal", "sessionId": session, "turn": turn, "callId": f"{session}-{turn}"}
        body = {"businessId": demo.SALON, "name": name, "args": CALLS[name](turn), "context": context}
        began = time.perf_counter()
        status, answer = await request(self.app, "POST", "/tools/execute", key=KEY, body=json.dumps(body).encode())
        self.seconds.append(time.perf_counter() - began)
        envelope = json.loads(answer)
        if status != 200 or not envelope["ok"]:
            self.refused.append(envelope["error"]["message"])


def measure(effort: Effort) -> Figure:
    """Return the figure.

    Raises:
        Skipped: There is no emulator.
    """
    if not emulator.named_host() and not emulator.find():
        raise Skipped(emulator.why_missing())
    project = f"demo-bench-{uuid.uuid4().hex[:8]}"
    with emulator.running() as host, patience() if effort.quick else nullcontext():
        try:
            return asyncio.run(_measure(effort, host, project))
        finally:
            emulator.clear(host, project)


async def _measure(effort: Effort, host: str, project: str) -> Figure:
    store = CountingStore(FirestoreStore(project, emulator_host=host))
    await store.warm()
    await demo.furnish(store, FirestorePaths(), datetime.now(UTC))
    await demo.make_keys(store, FirestorePaths(), KEY)
    house = build(read_configuration({}), store)
    _tell_handlers_apart(house)
    try:
        lines = [await _round_trips(house, store, name, session="warm") for name in CALLS]
        lines.append(await _round_trips(house, store, TIMED, session="new"))
        for concurrent in CONCURRENCIES:
            lines.append(await _latency(house, store, effort, concurrent))
        if not effort.quick:
            lines.append(await _expired_key(house, store))
        detail = await profile(_one_after_another(house)) if effort.detail else ""
    finally:
        await house.close()
    notes = (
        "POST /tools/execute in this process, without a socket, each call with other arguments.",
        "The emulator shares the cores: its latency says little about Firestore's.",
        f"An expired key: {CONCURRENCIES[-1]} calls at once after {policy.CREDENTIAL_TTL_S:g} s without one.",
    )
    title = "round_trips: a warm call of a retrieval over the Firestore emulator"
    return Figure(title, "", tuple(lines), notes, detail)


def _tell_handlers_apart(house: Container) -> None:
    """Let what a handler asks of the store be counted as the handler's, down to the tasks it starts."""
    registry = house.catalog.definitions.registry
    inner: Callable[[str], Callable[..., Awaitable[Any]]] = registry.handler

    def handler(name: str) -> Callable[..., Awaitable[Any]]:
        execute = inner(name)

        async def marked(*args: Any, **named: Any) -> Any:
            token = requester.set(HANDLER)
            try:
                return await execute(*args, **named)
            finally:
                requester.reset(token)

        return marked

    registry.handler = handler


async def _round_trips(house: Container, store: CountingStore, name: str, session: str) -> Line:
    client = Client(house.app)
    # Warms everything but the session, unless it is the same one.
    await client.call("warm", name)
    store.asked.clear()
    await client.call(session, name)
    assert not client.refused, client.refused
    own, shared = store.round_trips(HANDLER), store.round_trips("house")
    return Line(
        f"store round trips of {name}, {session} session",
        f"{shared}, and {own} of the handler",
        target=f"≤ {TARGET}, and the handler's",
        met=shared <= TARGET,
    )


async def _latency(house: Container, store: CountingStore, effort: Effort, concurrent: int) -> Line:
    calls = max(1, (_QUICK_CALLS if effort.quick else _CALLS_A_ROUND) // concurrent)
    client, medians, slow = Client(house.app), [], []
    store.failed.clear()

    async def session(number: int, of: int) -> None:
        for _ in range(of):
            await client.call(f"s-{concurrent}-{number}", TIMED)

    # The first calls of a session open it.
    await asyncio.gather(*(session(number, 2) for number in range(concurrent)))
    cpu_s = []
    for _ in range(effort.rounds):
        client.seconds.clear()
        began = time.process_time()
        await asyncio.gather(*(session(number, calls) for number in range(concurrent)))
        cpu_s.append((time.process_time() - began) / len(client.seconds))
        medians.append(statistics.median(client.seconds))
        slow.append(_percentile(client.seconds, 0.99))
    each = (statistics.median(values) * 1e3 for values in (medians, slow, cpu_s))
    text = "p50 {:.1f} ms, p99 {:.1f} ms, CPU of ours {:.1f} ms".format(*each)
    failures = [f"{len(client.refused)} not ok"] if client.refused else []
    failures += [f"store: {times} {kind}" for kind, times in store.failed.items()]
    return Line(f"latency of {TIMED}, {concurrent} at once", ", ".join([text, *failures]))


def _one_after_another(house: Container) -> Batch:
    client = Client(house.app)
    return of_awaits(lambda: client.call("profiled", TIMED))


async def _expired_key(house: Container, store: CountingStore) -> Line:
    """Return how often the store is asked for one key that expired, by many calls at once."""
    await asyncio.sleep(policy.CREDENTIAL_TTL_S + 0.1)
    client = Client(house.app)
    store.asked.clear()
    await asyncio.gather(*(client.call(f"k-{number}", TIMED) for number in range(CONCURRENCIES[-1])))
    queries = store.asked["house", "query"]
    return Line(f"reads of an expired key by {CONCURRENCIES[-1]} calls at once", str(queries))


def _percentile(values: Sequence[float], part: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))]
