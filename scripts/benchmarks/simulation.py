"""Ten thousand businesses with fifty calls an hour each: what one region holds, and what has to change beyond it.

Per phone call, reads, writes and CPU time are measured here, on a house over the store in memory; what
Firestore and Cloud Run promise stands below with where it is written. The rest is arithmetic, and a queue for the hot
documents.
"""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections import Counter
from dataclasses import dataclass

import demo
import main as electrician
from benchmarks.asgi import request
from benchmarks.counting_store import CountingStore
from benchmarks.figure import Effort, Figure, Line
from benchmarks.round_trips import CALLS
from switchboard.contract.store import Document, Write, WriteResult
from switchboard.state.memory import MemoryStore
from switchboard.state.paths import FirestorePaths

BUSINESSES, CALLS_AN_HOUR = 10_000, 50
KEY = "sb_bench"
_TURNS_A_CALL, _CALLS_MEASURED, _QUICK_MEASURED = 6, 60, 10
_CALL_LASTS_S = 180.0
_PEAK = 3.0
_CLIENT_MS = 2.0
# cloud.google.com/firestore/quotas: writes to one document should stay below about one a second;
# cloud.google.com/firestore/docs/best-practices: 500 operations a second to a new collection, +50 % every 5 minutes.
_DOCUMENT_WRITES_S, _COLLECTION_START_S = 1.0, 500.0
# cloud.google.com/run/quotas and /docs/about-concurrency, at the size that README's deploy chapter names.
_CONCURRENCY, _MOST_CONCURRENCY, _INSTANCES, _BUSY = 250, 1_000, 100, 0.6
# Per 100,000 operations in us-central1: cloud.google.com/firestore/pricing.
_READ_USD, _WRITE_USD = 0.03, 0.09


class _Watched(CountingStore):
    """Counts documents, and which kinds of them are written."""

    def __init__(self, inner: MemoryStore) -> None:
        super().__init__(inner)
        self.documents_read, self.documents_written = 0, 0
        self.by_path: Counter[str] = Counter()

    async def get(self, path: str) -> Document | None:
        self.documents_read += 1
        return await super().get(path)

    async def get_many(self, paths: list[str]) -> list[Document | None]:  # type: ignore[override]
        self.documents_read += len(paths)
        return await super().get_many(paths)

    async def query(self, query: object) -> list[Document]:  # type: ignore[override]
        found = await super().query(query)  # type: ignore[arg-type]
        self.documents_read += max(1, len(found))
        return found

    async def commit(self, writes: list[Write]) -> list[WriteResult]:  # type: ignore[override]
        self.documents_written += len(writes)
        self.by_path.update(write.path for write in writes)
        return await super().commit(writes)


@dataclass(frozen=True)
class PerCall:
    """What one phone call of some turns costs.

    Attributes:
        reads: Documents read; of them a minute's first ones are shared by every call of a business.
        writes: Documents written.
        commits: Requests that write.
        cpu_s: Of ours and the Firestore client's.
        hottest: The kind of document that is written most often, and how often.
    """

    reads: float
    writes: float
    commits: float
    cpu_s: float
    hottest: tuple[str, float]


@dataclass(frozen=True)
class Region:
    """What a number of businesses asks of one region at its busiest."""

    calls_s: float
    at_once: float
    reads_s: float
    writes_s: float
    cores: float
    instances: int
    usd_a_month: float


def measure(effort: Effort) -> Figure:
    """Return the figure."""
    each = asyncio.run(_measured(_QUICK_MEASURED if effort.quick else _CALLS_MEASURED))
    region = of(each, BUSINESSES)
    holds, most = held(each, _CONCURRENCY), held(each, _MOST_CONCURRENCY)
    hot = each.hottest[1] / _CALL_LASTS_S
    turn_s = _CALL_LASTS_S / _TURNS_A_CALL
    lines = [
        Line(
            f"a call of {_TURNS_A_CALL} look-ups",
            f"{each.reads:.1f} reads, {each.writes:.1f} writes in {each.commits:.1f} commits",
        ),
        Line("  CPU, the Firestore client's included", f"{each.cpu_s * 1e3:.0f} ms"),
        Line(
            "  most written document",
            f"{each.hottest[0]}: {each.hottest[1]:.1f} times, {hot:.2f}/s",
            target=f"≤ {_DOCUMENT_WRITES_S:g}/s",
            met=hot <= _DOCUMENT_WRITES_S,
        ),
        Line(
            f"{BUSINESSES:,} businesses x {CALLS_AN_HOUR} calls an hour, busiest hour x {_PEAK:g}",
            f"{region.calls_s:,.0f} calls/s begin, {region.at_once:,.0f} at once",
        ),
        Line("  Firestore", f"{region.reads_s:,.0f} reads/s, {region.writes_s:,.0f} writes/s"),
        Line(
            "  Cloud Run",
            f"{region.cores:,.0f} cores busy, {region.instances:,} instances ({_CONCURRENCY} sockets each)",
        ),
        Line("  Firestore's price", f"{region.usd_a_month:,.0f} USD a month"),
        Line(f"one region of {_INSTANCES} instances, {_CONCURRENCY} calls to each, holds", f"{holds:,} businesses"),
        Line(f"  at {_MOST_CONCURRENCY:,} calls to each, the most there is", f"{most:,} businesses"),
        Line("regions for all", f"{max(1, -(-BUSINESSES // max(1, holds))):,}"),
        Line("minutes to warm up a store to that rate", f"{_ramp_minutes(region.writes_s):.0f}"),
    ]
    for shards in (1, 4, 16):
        wait_s = _waiting_s(region.calls_s * _TURNS_A_CALL / BUSINESSES * 50, shards, effort)
        lines.append(
            Line(
                f"a counter of a business 50 times as busy, {shards} shard{'s' * (shards > 1)}",
                f"a write waits {wait_s * 1e3:,.0f} ms",
            )
        )
    return Figure(
        "simulation: what one region holds, computed from what a call was measured to take",
        "",
        tuple(lines),
        (
            f"A turn every {turn_s:.0f} s; calls come at random, and each holds its "
            "socket, and so a place on an instance. Sessions and ledger rows are documents of their own, so "
            "that no document is shared by two calls; only rate limits' windows and owners' counters are.",
            "Beyond one region: give each business a home region and its Firestore a database there (the paths need no "
            "change: every path starts with the business); split a window's counter where one business writes it more "
            "than once a second, or take its allowance twenty at a time for each instance; begin new regions below 500 "
            "writes a second and let them grow by half every five minutes.",
        ),
    )


def of(each: PerCall, businesses: int, concurrency: int = _CONCURRENCY) -> Region:
    """Return what so many businesses ask of one region in their busiest hour, so many calls to an instance."""
    calls_s = businesses * CALLS_AN_HOUR * _PEAK / 3_600
    at_once, cores = calls_s * _CALL_LASTS_S, calls_s * each.cpu_s
    instances = max(1, round(cores / _BUSY + 0.5), round(at_once / concurrency + 0.5))
    monthly = businesses * CALLS_AN_HOUR * 24 * 30
    usd = monthly * (each.reads * _READ_USD + each.writes * _WRITE_USD) / 1e5
    return Region(calls_s, at_once, calls_s * each.reads, calls_s * each.writes, cores, instances, usd)


def held(each: PerCall, concurrency: int) -> int:
    """Return how many businesses one region holds, in hundreds, with so many calls to an instance."""
    counts = range(100, 1_000_000, 100)
    return next((n - 100 for n in counts if of(each, n, concurrency).instances > _INSTANCES), counts[-1])


async def _measured(calls: int) -> PerCall:
    from datetime import UTC, datetime

    store = _Watched(MemoryStore())
    await demo.furnish(store, FirestorePaths(), datetime.now(UTC))
    await demo.make_keys(store, FirestorePaths(), KEY)
    house = electrician.build(electrician.read_configuration({"SWITCHBOARD_EMBEDDINGS": "none"}), store)
    names = list(CALLS)

    async def call(number: int) -> None:
        for turn in range(1, _TURNS_A_CALL + 1):
            name = names[turn % len(names)]
            context = {"channel": "phone", "sessionId": f"sim-{number}", "callId": f"{number}-{turn}", "turn": turn}
            args = CALLS[name](number * _TURNS_A_CALL + turn)
            body = {"businessId": demo.SALON, "name": name, "args": args, "context": context}
            status, answer = await request(house.app, "POST", "/tools/execute", key=KEY, body=json.dumps(body).encode())
            assert status == 200 and json.loads(answer)["ok"], answer

    await call(-1)
    store.documents_read = store.documents_written = 0
    store.asked.clear()
    store.by_path.clear()
    before_s = time.process_time()
    for number in range(calls):
        await call(number)
    cpu_s = (time.process_time() - before_s) / calls
    commits = store.asked["house", "commit"] / calls
    await house.close()
    round_trips = sum(store.asked.values()) / calls
    hottest, times = store.by_path.most_common(1)[0]
    kind = hottest.rstrip("/").split("/")[-2]
    return PerCall(
        store.documents_read / calls,
        store.documents_written / calls,
        commits,
        cpu_s + round_trips * _CLIENT_MS / 1e3 / 2,
        (kind, float(times)),
    )


def _ramp_minutes(writes_s: float) -> float:
    minutes, allowed = 0, _COLLECTION_START_S
    while allowed < writes_s:
        minutes, allowed = minutes + 5, allowed * 1.5
    return minutes


def _waiting_s(per_s: float, shards: int, effort: Effort) -> float:
    """Return how long a write of a counter waits on average, one a second for each shard, over ten minutes."""
    chance, lasts_s = random.Random(1), 60.0 if effort.quick else 600.0
    free, now, waited = [0.0] * shards, 0.0, []
    while now < lasts_s:
        now += chance.expovariate(per_s)
        shard = chance.randrange(shards)
        begins = max(now, free[shard])
        free[shard] = begins + 1 / _DOCUMENT_WRITES_S
        waited.append(begins - now)
    return sum(waited) / len(waited)
