"""Metrics as OpenTelemetry's exporter sends them, under the names that `GET /metrics` shows.

Quantiles are not sent: those of two processes cannot be added up, and the histograms tell the same.
"""

from collections.abc import Iterable

from opentelemetry.sdk.metrics.export import (
    AggregationTemporality,
    Gauge,
    Histogram,
    HistogramDataPoint,
    Metric,
    MetricsData,
    NumberDataPoint,
    ResourceMetrics,
    ScopeMetrics,
    Sum,
)
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.util.instrumentation import InstrumentationScope

from switchboard.contract.observability.metric import Distribution, Family, Sample
from switchboard.integrations.opentelemetry.spans import SCOPE

CUMULATIVE = AggregationTemporality.CUMULATIVE


def metrics_data(families: Iterable[Family], resource: Resource, started_ns: int, now_ns: int) -> MetricsData:
    """Return what was measured since the process started; a metric without values is left out.

    Args:
        families: What was measured.
        resource: Which process it was.
        started_ns: When that started, in nanoseconds since 1970; so is `now_ns`.
        now_ns: When the values were read.
    """
    found = [metric for family in families if (metric := _metric(family, started_ns, now_ns)) is not None]
    scope = ScopeMetrics(InstrumentationScope(SCOPE), found, "")
    return MetricsData([ResourceMetrics(resource, [scope], "")])


def _metric(family: Family, started_ns: int, now_ns: int) -> Metric | None:
    data: Sum | Gauge | Histogram
    if family.type == "histogram":
        data = Histogram(
            [_spread(v, started_ns, now_ns) for v in family.values if isinstance(v, Distribution)], CUMULATIVE
        )
    elif family.type in ("counter", "gauge"):
        points = [
            NumberDataPoint(dict(v.labels), started_ns, now_ns, v.value) for v in family.values if isinstance(v, Sample)
        ]
        data = Sum(points, CUMULATIVE, is_monotonic=True) if family.type == "counter" else Gauge(points)
    else:
        return None
    unit = "s" if family.name.endswith("_seconds") else ""
    return Metric(family.name, family.help, unit, data) if data.data_points else None


def _spread(value: Distribution, started_ns: int, now_ns: int) -> HistogramDataPoint:
    # The exporter leaves out what the least and the greatest value were when it is given no number.
    return HistogramDataPoint(
        dict(value.labels),
        started_ns,
        now_ns,
        sum(value.counts),
        value.sum,
        list(value.counts),
        list(value.bounds),
        min=None,  # type: ignore[arg-type]
        max=None,  # type: ignore[arg-type]
    )
