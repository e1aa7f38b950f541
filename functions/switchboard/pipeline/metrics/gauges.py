"""What else is shown beside calls: circuits that are open, work that waits, and when the process began."""

import time
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Final

from prometheus_client import CollectorRegistry, Gauge, Metric, ProcessCollector
from prometheus_client.metrics_core import GaugeMetricFamily
from prometheus_client.registry import Collector

from switchboard.catalog.offer.inclusion import Circuits, is_owners_service
from switchboard.contract.ports import Clock, Store
from switchboard.contract.shards import SHARD, SHARDS
from switchboard.contract.store import Filter, Query, StoreError
from switchboard.pipeline.execution.reaper import Pass
from switchboard.pipeline.metrics.meter import Meter

_LOADED: Final = time.time()
# What is due is taken up within seconds; this long means that nobody does, or too little of it at once.
_STUCK_FOR: Final = timedelta(minutes=2)
# What a vendor does not take is tried again for some time.
_LATE_FOR: Final = timedelta(minutes=15)
# Where each pass leaves what it has given up, and for how long that is told.
_LEFT: Final = {"reap": "calls", "bookings": "bookings", "outbox": "outbox"}
_GIVEN_UP_WITHIN: Final = timedelta(days=1)
# Metrics leave once a minute, and every look costs reads.
_LOOKS_EVERY_S: Final = 50.0
_COUNTED_UP_TO: Final = 1_000


class OpenCircuits(Collector):
    """How many businesses' circuits are open, by integration.

    Only a call can open a circuit, so those of businesses with conversations are all there are.
    """

    def __init__(self, meter: Meter, circuits_of: Callable[[str], Circuits]) -> None:
        self._meter, self._circuits_of = meter, circuits_of
        meter.registry.register(self)

    def collect(self) -> Iterable[Metric]:
        """Yield the gauge, as of now: a circuit closes when its time is over, and nobody is told of that."""
        help = "Businesses whose calls an integration does not get for now."
        gauge = GaugeMetricFamily("circuits_open", help, labels=("integration",))
        counts: dict[str, int] = {}
        for business_id in self._meter.businesses():
            circuits = self._circuits_of(business_id)
            # The hosts of owners' services are theirs, and as many as there are owners.
            broken = circuits.open | circuits.recovering
            for name in {"service" if is_owners_service(name) else name for name in broken}:
                counts[name] = counts.get(name, 0) + 1
        for name, count in sorted(counts.items()):
            gauge.add_metric((name,), count)
        yield gauge


class Backlog:
    """What passes over the store have found, and what waits all the same."""

    def __init__(self, store: Store, clock: Clock, registry: CollectorRegistry | None = None) -> None:
        """Start without any pass; what waits is counted in `store`."""
        self._store, self._clock = store, clock
        self._looked_at: dict[str, float] = {}
        help = "What the latest pass found waiting and attended to."
        self._attended = Gauge("background_work_found", help, ("task",), registry=registry)
        help = "What has been due for minutes and is not carried out, in the whole store."
        self._waiting = Gauge("background_work_waiting", help, ("task",), registry=registry)
        help = "What nobody could bring to its end and nobody tries any more, of the last day, in the whole store."
        self._given_up = Gauge("background_work_given_up", help, ("task",), registry=registry)

    def measured(self, passes: Mapping[str, Pass]) -> dict[str, Pass]:
        """Return the same passes; those over all businesses tell from now on how much they found, and left."""
        return {name: self._noting(name, work) for name, work in passes.items()}

    def forget(self) -> None:
        """Tell nothing any more: another instance makes the passes, and what this one saw is outdated."""
        self._looked_at.clear()
        for gauge in (self._attended, self._waiting, self._given_up):
            gauge.clear()

    def _noting(self, name: str, work: Pass) -> Pass:
        async def noting(business_id: str | None) -> Mapping[str, int]:
            counts = await work(business_id)
            if business_id is None:
                self._attended.labels(name).set(sum(counts.values()))
                await self._count_overdue(name)
            return counts

        return noting

    async def _count_overdue(self, name: str) -> None:
        """Count what a pass takes up, and nobody has: a pass itself looks at so much and no more."""
        query, now_s = _overdue(name, self._clock.now()), self._clock.monotonic()
        if query is None or now_s - self._looked_at.get(name, -_LOOKS_EVERY_S) < _LOOKS_EVERY_S:
            return
        self._looked_at[name] = now_s
        try:
            # Counted before it is labelled: a gauge that has a label and no value yet tells that nothing waits.
            waiting = await self._store.count(query)
            self._waiting.labels(name).set(waiting)
            if name in _LEFT:
                given_up = await self._store.count(_given_up(name, self._clock.now()))
                self._given_up.labels(name).set(given_up)
        except StoreError:
            # Counted by the store itself; what was known is not known any more.
            self._waiting.remove(name)
            self._given_up.remove(name)


def _overdue(task: str, now: datetime) -> Query | None:
    if task == "bookings":
        filters: tuple[Filter, ...] = (Filter("leaseUntil", "<=", now - _STUCK_FOR),)
        return Query("bookings", filters, limit=_COUNTED_UP_TO, group=True)
    if task == "outbox":
        filters = (
            Filter("kind", "in", ["message", "text"]),
            Filter("state", "==", "todo"),
            Filter("createdAt", "<=", now - _LATE_FOR),
        )
        return Query("outbox", filters, limit=_COUNTED_UP_TO, group=True)
    state = {"queued": "queued", "reap": "started"}.get(task)
    if state is None:
        return None
    is_overdue = Filter("dueAt", "<=", now - _STUCK_FOR)
    filters = (Filter(SHARD, "in", list(range(SHARDS))), Filter("state", "==", state), is_overdue)
    return Query("calls", filters, limit=_COUNTED_UP_TO, group=True)


def _given_up(task: str, now: datetime) -> Query:
    filters = (Filter("givenUpAt", ">=", now - _GIVEN_UP_WITHIN),)
    return Query(_LEFT[task], filters, limit=_COUNTED_UP_TO, group=True)


class ProcessStart(Collector):
    """When this process began, in seconds since 1970: every cold start is a new one."""

    def collect(self) -> Iterable[Metric]:
        """Yield it and nothing else of the process: anybody may read this, and its memory is nobody's business."""
        name = "process_start_time_seconds"
        own = [metric for metric in ProcessCollector(registry=None).collect() if metric.name == name]
        # Where the machine does not tell, it is the moment at which this was loaded.
        return own or [GaugeMetricFamily(name, "When the process began, in seconds since 1970.", _LOADED)]
