"""What is counted of each tool: calls, durations, errors and the sizes of its responses.

Counts and durations are Prometheus' own; they can be added up over any number of processes, which percentiles cannot.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from functools import partial

from prometheus_client import CollectorRegistry, Counter, Metric
from prometheus_client.metrics_core import SummaryMetricFamily
from prometheus_client.registry import Collector

from switchboard.contract.channel import Channel
from switchboard.contract.error import ErrorType, is_failure
from switchboard.contract.policy import CHANNEL_POLICY
from switchboard.contract.python.dataclass import dataclass
from switchboard.pipeline.metrics.call_times import CallTimes, Times
from switchboard.pipeline.metrics.percentiles import Percentiles, SlidingWindow
from switchboard.pipeline.metrics.token_estimate import tokens_of

# Below this, a 95th percentile is no more than the largest value.
ENOUGH = 20
# And a median is no more than a guess.
ENOUGH_FOR_MEDIAN = 5
# Sorting a full window takes some 80 µs: what is asked for on a call's way is sorted again after this many more runs,
# and not twice in a second.
SORTED_EVERY = 50


class ToolMetrics(Collector):
    """The metrics of all tools, in one registry."""

    def __init__(self, registry: CollectorRegistry) -> None:
        counter = partial(Counter, registry=registry)
        self.calls = CallTimes(registry)
        self.errors = counter("tool_call_errors", "Failed and refused calls by error type.", ("tool", "type"))
        help = "Failed calls by error type; a no that is an answer, such as a time that is taken, is none."
        self.failures = counter("tool_call_failures", help, ("tool", "type"))
        help = "Failed calls that may have changed something."
        self.unknown = counter("tool_unknown_outcomes", help, ("tool",))
        self.loops = counter("tool_loops_detected", "Calls refused as a loop.", ("tool",))
        self._tools: dict[str, ToolUse] = {}
        registry.register(self)

    def __len__(self) -> int:
        return len(self._tools)

    def __contains__(self, name: str) -> bool:
        return name in self._tools

    def __iter__(self) -> "Iterator[ToolUse]":
        """Yield every tool that has been measured, by name."""
        return iter([self._tools[name] for name in sorted(self._tools)])

    def get(self, name: str) -> "ToolUse | None":
        """Return where a tool's calls are counted, None where it has none."""
        return self._tools.get(name)

    def add(self, name: str) -> "ToolUse":
        """Return where a tool's calls are counted, from now on if there were none."""
        if name not in self._tools:
            self._tools[name] = ToolUse(name, self)
            # Nothing is known to have gone wrong, which is not the same as that nothing is known.
            self.unknown.labels(name)
            self.loops.labels(name)
        return self._tools[name]

    def collect(self) -> Iterable[Metric]:
        """Yield the percentiles of the last calls, which Prometheus' client does not keep."""
        runs = SummaryMetricFamily(
            "tool_call_latency_ms", "Milliseconds of calls that ran; quantiles of the last 1000 of each tool."
        )
        sizes = SummaryMetricFamily(
            "tool_response_characters", "Characters of results as JSON; quantiles of the last 1000 of each tool."
        )
        for use in self:
            _add_quantiles(runs, use.name, use.latencies)
            _add_quantiles(sizes, use.name, use.sizes)
        return runs, sizes


def _add_quantiles(summary: Metric, tool: str, window: SlidingWindow) -> None:
    labels, points = {"tool": tool}, window.percentiles()
    if points is not None:
        for quantile, value in (("0.5", points.p50), ("0.95", points.p95), ("0.99", points.p99)):
            summary.add_sample(summary.name, {**labels, "quantile": quantile}, value)
    summary.add_sample(f"{summary.name}_count", labels, window.count)
    summary.add_sample(f"{summary.name}_sum", labels, window.sum)


def by_tool(counter: Counter) -> Mapping[str, Mapping[str, int]]:
    """Return a counter as `{tool: {value of its other label: count}}`."""
    counts: dict[str, dict[str, int]] = {}
    for metric in counter.collect():
        for sample in metric.samples:
            other = next((value for label, value in sample.labels.items() if label != "tool"), "")
            counts.setdefault(sample.labels["tool"], {})[other] = int(sample.value)
    return counts


@dataclass(slots=True)
class ChannelUse:
    """One tool's calls on one channel, beside the channel's soft limit of time."""

    soft_ms: int
    times: Times


@dataclass(slots=True)
class ToolUse:
    """One tool's calls since the process started.

    Attributes:
        name: The tool's, as it is shown and logged.
        metrics: Where it is counted.
        latencies: Durations of the calls whose handler was started, in milliseconds.
        sizes: Sizes of `data` in characters of JSON; a failed call has none.
    """

    name: str
    metrics: ToolMetrics
    latencies: SlidingWindow = field(default_factory=SlidingWindow)
    sizes: SlidingWindow = field(default_factory=SlidingWindow)
    _channels: dict[Channel, ChannelUse] = field(default_factory=dict)

    def on(self, channel: Channel) -> ChannelUse:
        """Return where the calls of one channel are counted; looked up once."""
        use = self._channels.get(channel)
        if use is None:
            times = self.metrics.calls.of(self.name, channel)
            use = self._channels[channel] = ChannelUse(CHANNEL_POLICY[channel].retrieval_soft_ms, times)
        return use

    def failed(
        self, type: ErrorType | None, is_loop: bool, was_refused: bool = False, is_unknown: bool = False
    ) -> None:
        """Count a call that did not do what was asked; one that names no type is our own mistake."""
        type = type or ErrorType.INTERNAL
        self.metrics.errors.labels(self.name, type.value).inc()
        if is_failure(type, was_refused=was_refused, is_unknown=is_unknown):
            self.metrics.failures.labels(self.name, type.value).inc()
        self.metrics.loops.labels(self.name).inc(is_loop)
        self.metrics.unknown.labels(self.name).inc(is_unknown)

    def usual(self, now: float) -> Percentiles | None:
        """Return how many milliseconds a run takes, as of a moment ago; None while fewer than 5 are known.

        Args:
            now: On the clock's monotonic scale.
        """
        known = len(self.latencies.values)
        # A few values are sorted in no time, and each of them changes what is usual.
        if known < ENOUGH_FOR_MEDIAN:
            return None
        return self.latencies.percentiles(SORTED_EVERY if known > SORTED_EVERY else 1, now)

    def usual_size(self) -> Percentiles | None:
        """Return how many characters a response has, under the same terms."""
        return self.sizes.percentiles(SORTED_EVERY) if len(self.sizes.values) >= ENOUGH else None

    def average_tokens(self) -> float:
        """Return the average of the last responses' estimated tokens, 0 where there are none."""
        sizes = self.sizes.values
        return sum(map(tokens_of, sizes)) / len(sizes) if sizes else 0.0
