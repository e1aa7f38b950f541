"""Prometheus' metrics as OpenTelemetry's exporter sends them, under the names that `GET /metrics` shows.

Quantiles are not sent: those of two processes cannot be added up, and the histograms tell the same.
"""

from collections.abc import Iterable
from itertools import pairwise

from opentelemetry.sdk.metrics import export
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from prometheus_client import Metric

from switchboard.integrations.opentelemetry.spans import SCOPE

CUMULATIVE = export.AggregationTemporality.CUMULATIVE


def metrics_data(metrics: Iterable[Metric], resource: Resource, started_ns: int, now_ns: int) -> export.MetricsData:
    """Return what was measured since the process started; a metric without values is left out.

    Args:
        metrics: What was measured.
        resource: Which process it was.
        started_ns: When that started, in nanoseconds since 1970; so is `now_ns`.
        now_ns: When the values were read.
    """
    converted = [_converted(metric, started_ns, now_ns) for metric in metrics if metric.samples]
    scope = InstrumentationScope(SCOPE)
    scoped = export.ScopeMetrics(scope, [metric for metric in converted if metric is not None], "")
    return export.MetricsData([export.ResourceMetrics(resource, [scoped], "")])


def _converted(metric: Metric, started_ns: int, now_ns: int) -> export.Metric | None:
    name = metric.name
    data: export.Histogram | export.Sum | export.Gauge
    if metric.type == "histogram":
        data = export.Histogram(_histogram_points(metric, started_ns, now_ns), CUMULATIVE)
    elif metric.type in ("counter", "gauge"):
        points = [export.NumberDataPoint(s.labels, started_ns, now_ns, _number(s.value)) for s in metric.samples]
        # A counter's samples have the name that everybody asks for: it ends in `_total`.
        name = metric.samples[0].name
        data = export.Sum(points, CUMULATIVE, is_monotonic=True) if metric.type == "counter" else export.Gauge(points)
    else:
        return None
    unit = "s" if name.endswith("_seconds") else ""
    return export.Metric(name, metric.documentation, unit, data)


def _histogram_points(metric: Metric, started_ns: int, now_ns: int) -> list[export.HistogramDataPoint]:
    """Return a point for each set of labels: Prometheus counts up to each bound, OpenTelemetry between two."""
    below: dict[tuple[tuple[str, str], ...], list[int]] = {}
    bounds: dict[str, float] = {}
    sums: dict[tuple[tuple[str, str], ...], float] = {}
    for sample in metric.samples:
        labels = tuple((label, value) for label, value in sample.labels.items() if label != "le")
        if sample.name.endswith("_bucket"):
            bounds[sample.labels["le"]] = float(sample.labels["le"])
            below.setdefault(labels, [0]).append(int(sample.value))
        elif sample.name.endswith("_sum"):
            sums[labels] = sample.value
    # The exporter leaves out what the least and the greatest value were when it is given no number.
    return [
        export.HistogramDataPoint(
            dict(labels),
            started_ns,
            now_ns,
            counts[-1],
            sums[labels],
            [upper - lower for lower, upper in pairwise(counts)],
            list(bounds.values())[:-1],
            min=None,  # type: ignore[arg-type]
            max=None,  # type: ignore[arg-type]
        )
        for labels, counts in below.items()
    ]


def _number(value: float) -> int | float:
    """Return a count as a whole number, which Prometheus' client counts in floats."""
    return int(value) if float(value).is_integer() else value
