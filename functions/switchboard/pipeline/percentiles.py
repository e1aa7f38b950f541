"""Percentiles of what was measured last: the last 1,000 values of each kind (seed 003, "Tracked Metrics").

The p-th percentile of n ordered values stands at position (n - 1) * p / 100, counted from 0; between two values it is
the point that far along the way from one to the other. `statistics.quantiles(..., method="inclusive")` says the same.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

WINDOW = 1_000
# Sorting a full window takes some 50 µs: what a call asks for is sorted again only after this many more records.
KEPT_FOR = 50


@dataclass(frozen=True, slots=True)
class Percentiles:
    """The three points that are shown, in the unit of the values."""

    p50: float
    p95: float
    p99: float


def percentile(ordered: Sequence[float], p: int) -> float:
    """Return the p-th percentile (0 to 100) of values in ascending order; there must be one."""
    below, hundredths = divmod((len(ordered) - 1) * p, 100)
    if not hundredths:
        return ordered[below]
    return ordered[below] + (ordered[below + 1] - ordered[below]) * hundredths / 100


def percentiles(values: Iterable[float]) -> Percentiles | None:
    """Return the percentiles of values in any order, None where there are none."""
    ordered = sorted(values)
    if not ordered:
        return None
    return Percentiles(percentile(ordered, 50), percentile(ordered, 95), percentile(ordered, 99))


@dataclass(slots=True)
class Recent:
    """The last 1,000 values of one measure; whoever measures appends to `values`."""

    values: deque[float] = field(default_factory=lambda: deque(maxlen=WINDOW))
    _kept: Percentiles | None = None
    _kept_at: int = 0

    def roughly(self, records: int, at_least: int) -> Percentiles | None:
        """Return percentiles that may be up to 50 records old, None below `at_least` values.

        Args:
            records: How many records there have been, in a count that only grows and comes with every value.
            at_least: The fewest values that are worth an answer (1 or more).
        """
        if len(self.values) < at_least:
            return None
        if self._kept is None or records - self._kept_at >= KEPT_FOR:
            self._kept, self._kept_at = percentiles(self.values), records
        return self._kept
