"""How many calls each tool has had on each channel, and how long they took, as Prometheus is told.

Counted in plain numbers: its client's own counters ask for a lock with each, and look through the buckets one by one.
"""

from bisect import bisect_left
from collections.abc import Iterable
from itertools import accumulate

from prometheus_client import CollectorRegistry, Metric
from prometheus_client.metrics_core import CounterMetricFamily, HistogramMetricFamily
from prometheus_client.registry import Collector

from switchboard.contract.channel import Channel

# Every time limit of the policy table is a bound, so that the share of calls beyond it can be read off.
BUCKETS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.4, 0.8, 1, 2, 3, 5, 10)
_BOUNDS = (*(str(float(bound)) for bound in BUCKETS_S), "+Inf")
_LABELS = ("tool", "channel")


class Times:
    """One tool's calls on one channel."""

    __slots__ = ("_by_bucket", "_seconds")

    def __init__(self) -> None:
        """Start with none."""
        self._by_bucket, self._seconds = [0] * len(_BOUNDS), 0.0

    def add(self, seconds: float) -> None:
        """Count a call that took so long."""
        self._by_bucket[bisect_left(BUCKETS_S, seconds)] += 1
        self._seconds += seconds

    @property
    def count(self) -> int:
        """How many there were."""
        return sum(self._by_bucket)

    @property
    def seconds(self) -> float:
        """How long they took together."""
        return self._seconds

    @property
    def buckets(self) -> list[tuple[str, float]]:
        """How many took no longer than each bound."""
        return list(zip(_BOUNDS, accumulate(self._by_bucket), strict=True))


class CallTimes(Collector):
    """The calls of all tools, in a registry."""

    def __init__(self, registry: CollectorRegistry) -> None:
        """Start with none."""
        self._times: dict[tuple[str, Channel], Times] = {}
        registry.register(self)

    def of(self, tool: str, channel: Channel) -> Times:
        """Return where a tool's calls on a channel are counted."""
        return self._times.setdefault((tool, channel), Times())

    def counts(self) -> dict[str, int]:
        """Return how many calls each tool has had, on all channels."""
        counts: dict[str, int] = {}
        for (tool, _), times in self._times.items():
            counts[tool] = counts.get(tool, 0) + times.count
        return counts

    def collect(self) -> Iterable[Metric]:
        """Yield both metrics."""
        calls = CounterMetricFamily("tool_calls", "Finished calls, refused ones included.", labels=_LABELS)
        help = "Seconds that every call took, refused ones included."
        durations = HistogramMetricFamily("tool_call_duration_seconds", help, labels=_LABELS)
        for (tool, channel), times in self._times.items():
            calls.add_metric((tool, channel.value), times.count)
            durations.add_metric((tool, channel.value), times.buckets, times.seconds)
        return calls, durations
