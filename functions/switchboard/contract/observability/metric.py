"""What can be measured, in a form that every monitoring system reads: families of counters, gauges and distributions.

Names are those of Prometheus, unit at the end. Labels name tools, channels, models, integrations and types of errors,
never a business and never a person.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Bounds for what takes a network's time."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One value of a counter or a gauge."""

    value: float
    labels: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Distribution:
    """Values by how large they are.

    Attributes:
        bounds: Ascending; a bound belongs to the bucket below it.
        counts: Values per bucket, of which the last is open.
        sum: Of all values.
    """

    bounds: Sequence[float]
    counts: Sequence[int]
    sum: float
    labels: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Quantiles:
    """Points of the last values; those of two processes cannot be added up.

    Attributes:
        points: By quantile, such as `0.95`; none where too little is known.
        sum: Of all values.
        count: How many there were.
    """

    points: Mapping[str, float]
    sum: float
    count: int
    labels: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Family:
    """A metric and all its values."""

    name: str
    type: Literal["counter", "gauge", "summary", "histogram"]
    help: str
    values: Sequence[Sample | Distribution | Quantiles] = ()


Source: TypeAlias = Callable[[], Iterable[Family]]
"""Tells what somebody has measured, when it is asked for."""


class Durations:
    """Seconds that something took, by what it was; for one event loop."""

    def __init__(self, name: str, help: str, label: str, bounds: Sequence[float] = SECONDS) -> None:
        """Start with none; each value has one label."""
        self._name, self._help, self._label, self._bounds = name, help, label, bounds
        self._counts: dict[str, list[int]] = {}
        self._sums: dict[str, float] = {}

    def add(self, what: str, seconds: float) -> None:
        """Count one; `what` must be one of few."""
        counts = self._counts.get(what)
        if counts is None:
            counts = self._counts[what] = [0] * (len(self._bounds) + 1)
            self._sums[what] = 0.0
        counts[bisect_left(self._bounds, seconds)] += 1
        self._sums[what] += seconds

    def family(self) -> Family:
        """Return all of them."""
        distributions = [
            Distribution(self._bounds, tuple(counts), self._sums[what], {self._label: what})
            for what, counts in sorted(self._counts.items())
        ]
        return Family(self._name, "histogram", self._help, distributions)


class LabelledCounts:
    """How often something happened, by several labels; for one event loop."""

    def __init__(self, name: str, help: str, *labels: str) -> None:
        """Start with none; the name ends in `_total`."""
        self._name, self._help, self._labels = name, help, labels
        self._counts: dict[tuple[str, ...], int] = {}

    def add(self, *values: str) -> None:
        """Count one; the values, one for each label, must each be one of few."""
        self._counts[values] = self._counts.get(values, 0) + 1

    def family(self) -> Family:
        """Return all of them."""
        distributions = [Sample(n, dict(zip(self._labels, v, strict=True))) for v, n in sorted(self._counts.items())]
        return Family(self._name, "counter", self._help, distributions)
