"""Ten thousand businesses with fifty calls an hour each, call by call: which documents get hot, what regions hold.

Calls come at random (Poisson), busy businesses among them, with a fixed seed; what each call writes, and when, was
measured (`scale_recipe`), as were reads and CPU time. The rest is counting.
"""

from __future__ import annotations

import bisect
import itertools
import math
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchmarks import index_growth
from benchmarks.figure import Effort, Figure, Line
from benchmarks.scale_recipe import LASTS_S, Recipe, recipes

BUSINESSES, CALLS_AN_HOUR = 10_000, 50
SEED = 1
_PEAK = 3.0
_SECONDS, _QUICK_SECONDS = 600, 60
# How unequal businesses are: the busiest of 10,000 has some twenty-five times as many calls as one of them on average.
_SPREAD = 1.0
# cloud.google.com/firestore/docs/best-practices: a document sustains about one write a second; 500 operations a second
# to a new database, half as many again every five minutes.
DOCUMENT_WRITES_S, RAMP_START_S, RAMP_FACTOR, RAMP_MINUTES = 1.0, 500.0, 1.5, 5
_SUSTAINED_S = 60
# cloud.google.com/run/quotas and /docs/about-concurrency, at the size that docs/operations.md, Deploy, names.
_CONCURRENCY, _BUSY = 250, 0.6
_REGIONS, _SHARDS, _HOT_S = (1, 2, 4, 10), (1, 4, 16), 2.0


@dataclass(frozen=True)
class Simulated:
    """What came of it.

    Attributes:
        calls: How many began.
        begun_s: The most that began in a second.
        at_once: The most that were under way.
        writes_s: Documents written in the busiest second, and on average.
        hottest: Of each kind of shared document, the most that one of them was written within a minute, in a second.
        hot: How many documents were written more often than one sustains.
        busiest_part: Which part of all calls the busiest business had.
    """

    calls: int
    begun_s: int
    at_once: int
    writes_s: tuple[int, float]
    hottest: dict[str, float]
    hot: int
    busiest_part: float


def measure(effort: Effort) -> Figure:
    """Return the figure."""
    kinds = recipes()
    seconds = _QUICK_SECONDS if effort.quick else _SECONDS
    calls_s = BUSINESSES * CALLS_AN_HOUR * _PEAK / 3_600
    seen = simulated(kinds, calls_s, seconds)
    often, own = max((kind.own[1], kind.own[0]) for kind in kinds)
    reads, writes, cpu_s = (
        sum(kind.part * value for kind, value in zip(kinds, values, strict=True))
        for values in ([k.reads for k in kinds], [k.writes for k in kinds], [k.cpu_s for k in kinds])
    )
    shared = [part for kind in kinds for part in [kind.part] * len(kind.shared)]
    lines = [
        Line("a call, of all kinds", f"{reads:.1f} reads, {writes:.1f} writes, {cpu_s * 1e3:.0f} ms CPU"),
        Line(
            f"{BUSINESSES:,} businesses x {CALLS_AN_HOUR} calls an hour, busiest hour x {_PEAK:g}",
            f"{calls_s:,.0f} calls/s begin, at most {seen.begun_s:,} in one; at most {seen.at_once:,} at once",
        ),
        Line("documents written", f"{seen.writes_s[1]:,.0f}/s, {seen.writes_s[0]:,}/s in the busiest second"),
        Line(
            f"a call's own hottest document ({own})",
            f"{often / LASTS_S:.2f}/s",
            target=f"≤ {DOCUMENT_WRITES_S:g}/s",
            met=often / LASTS_S <= DOCUMENT_WRITES_S,
        ),
        *(
            Line(f"the hottest of those that calls share ({kind})", f"{rate:.2f}/s over a minute")
            for kind, rate in seen.hottest.items()
        ),
        Line(
            "documents that are written more often than one sustains",
            f"{seen.hot:,}",
            target="0",
            met=not seen.hot,
        ),
        Line(
            "a business's counter of texts is hot from",
            f"{DOCUMENT_WRITES_S * 3_600 / max(shared, default=1.0):,.0f} calls an hour of one business",
        ),
    ]
    lines += _by_indexes(kinds, calls_s, seen.busiest_part)
    lines += [*_by_regions(calls_s, reads, writes, cpu_s), *_by_shards(10 * seconds)]
    return Figure(
        "scale: what businesses ask of Firestore and of instances, from what calls were measured to take",
        "",
        tuple(lines),
        (
            f"Seed {SEED}; {seen.calls:,} calls over {seconds} s, each {LASTS_S:.0f} s long; {_CONCURRENCY} to an "
            f"instance, busy to {_BUSY:.0%}. Sessions, ledger rows, bookings and interactions belong to one call each.",
        ),
    )


def _by_indexes(kinds: Sequence[Recipe], calls_s: float, busiest_part: float) -> Iterator[Line]:
    """Yield how fast each index grows that holds what all businesses write, where it grows at one end."""
    per_call = index_growth.averaged([(kind.part, kind.grows) for kind in kinds])
    fastest = index_growth.rates(per_call, calls_s, busiest_part)
    for stretch, rate in sorted(fastest.values(), key=lambda grown: -grown[1]):
        split = f", in each of {stretch.shards} shards" if stretch.shards > 1 else ""
        whose = ", of the busiest business" if stretch.is_own else ""
        yield Line(
            f"entries at the end of {stretch}",
            f"{rate:,.1f}/s{split}{whose}",
            target=f"≤ {index_growth.TARGET_S}/s, of {index_growth.ENTRIES_S} that it takes",
            met=rate <= index_growth.TARGET_S,
        )


def _by_regions(calls_s: float, reads: float, writes: float, cpu_s: float) -> Iterator[Line]:
    for regions in _REGIONS:
        here = calls_s / regions
        yield Line(
            f"{regions} region{'s' * (regions > 1)}: each",
            f"{here:,.0f} calls/s, {here * writes:,.0f} writes/s, {here * reads:,.0f} reads/s, "
            f"{needed(here, cpu_s):,} instances, full load after {ramp_minutes(here * (writes + reads))} min",
        )


def _by_shards(seconds: float) -> Iterator[Line]:
    for shards in _SHARDS:
        waits = f"a write waits {waited_s(_HOT_S, shards, seconds):,.1f} s on average"
        keeps_up = _HOT_S / shards < DOCUMENT_WRITES_S
        what = f"a counter written {_HOT_S:g} times a second, {shards} shard{'s' * (shards > 1)}"
        yield Line(what, waits if keeps_up else "falls behind")


def simulated(kinds: Sequence[Recipe], calls_s: float, seconds: int, businesses: int = BUSINESSES) -> Simulated:
    """Return what calls at random do, so many a second on average."""
    chance = random.Random(SEED)
    busy = list(itertools.accumulate(math.exp(chance.gauss(0, _SPREAD)) for _ in range(businesses)))
    parts = list(itertools.accumulate(kind.part for kind in kinds))
    warm_s = LASTS_S
    begun: Counter[int] = Counter()
    by_business: Counter[int] = Counter()
    changes: Counter[int] = Counter()
    written: Counter[int] = Counter()
    shared: dict[tuple[int, int, int], list[float]] = defaultdict(list)
    calls, now = 0, chance.expovariate(calls_s)
    while now < warm_s + seconds:
        business = bisect.bisect(busy, chance.random() * busy[-1])
        which = min(bisect.bisect(parts, chance.random() * parts[-1]), len(kinds) - 1)
        kind = kinds[which]
        apart_s = LASTS_S / len(kind.steps)
        changes[int(now)] += 1
        changes[int(now + LASTS_S)] -= 1
        for step, writes in enumerate(kind.steps):
            written[int(now + step * apart_s)] += writes
        for number, (_, step) in enumerate(kind.shared):
            shared[business, which, number].append(now + step * apart_s)
        if now >= warm_s:
            calls += 1
            by_business[business] += 1
            begun[int(now)] += 1
        now += chance.expovariate(calls_s)
    measured = range(int(warm_s), int(warm_s) + seconds)
    under_way = list(itertools.accumulate(changes[second] for second in range(measured.stop)))
    rates = [written[second] for second in measured]
    hottest: dict[str, float] = {}
    hot = 0
    for (_, which, number), times in shared.items():
        rate = most_within(times, _SUSTAINED_S) / _SUSTAINED_S
        name = kinds[which].shared[number][0]
        hottest[name] = max(hottest.get(name, 0.0), rate)
        hot += rate > DOCUMENT_WRITES_S
    return Simulated(
        calls,
        max(begun.values()),
        max(under_way[measured.start :]),
        (max(rates), sum(rates) / seconds),
        hottest,
        hot,
        max(by_business.values()) / calls,
    )


def most_within(times: Sequence[float], window_s: float) -> int:
    """Return how many of some times lie at most within one window."""
    ordered = sorted(times)
    return max((bisect.bisect(ordered, first + window_s) - at for at, first in enumerate(ordered)), default=0)


def needed(calls_s: float, cpu_s: float) -> int:
    """Return how many instances carry calls that begin so often: by CPU time, or by sockets."""
    return max(1, math.ceil(calls_s * cpu_s / _BUSY), math.ceil(calls_s * LASTS_S / _CONCURRENCY))


def ramp_minutes(operations_s: float) -> int:
    """Return after how many minutes a new database may be asked for so much."""
    minutes, allowed = 0, RAMP_START_S
    while allowed < operations_s:
        minutes, allowed = minutes + RAMP_MINUTES, allowed * RAMP_FACTOR
    return minutes


def waited_s(per_s: float, shards: int, seconds: float) -> float:
    """Return how long a write of a counter waits on average, if each shard takes no more than a document does."""
    chance = random.Random(SEED)
    free, now, waited, count = [0.0] * shards, 0.0, 0.0, 0
    while now < seconds:
        now += chance.expovariate(per_s)
        shard = chance.randrange(shards)
        begins = max(now, free[shard])
        free[shard] = begins + 1 / DOCUMENT_WRITES_S
        waited, count = waited + begins - now, count + 1
    return waited / count
