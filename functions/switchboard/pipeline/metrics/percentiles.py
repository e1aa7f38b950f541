"""Percentiles of what was measured last: the last 1,000 values of each kind (seed 003).

Prometheus' client has none: its summaries know a count and a sum.

The p-th percentile of n ordered values stands at position (n - 1) * p / 100, counted from 0; between two values it is
the point that far along the way from one to the other. `statistics.quantiles(..., method="inclusive")` says the same.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from math import inf

from switchboard.contract.python.dataclass import dataclass

WINDOW = 1_000
KEPT_S = 1.0


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


class SlidingWindow:
    """The last 1,000 values of one measure, in the order in which they came.

    Attributes:
        values: Those that are in the window.
        count: How many there have ever been.
        sum: Of all there have ever been.
    """

    __slots__ = ("_cached", "_cached_at", "_fresh_until", "count", "sum", "values")

    def __init__(self) -> None:
        self.values: deque[float] = deque(maxlen=WINDOW)
        self.count, self.sum = 0, 0.0
        self._cached: Percentiles | None = None
        self._cached_at, self._fresh_until = 0, -inf

    def add(self, value: float) -> None:
        """Take another value in; beyond 1,000 the oldest one leaves."""
        self.values.append(value)
        self.count += 1
        self.sum += value

    def percentiles(self, every: int = 1, now: float = inf) -> Percentiles | None:
        """Return the percentiles, None where there are no values.

        Args:
            every: After how many more values they are computed anew; 1 is as soon as there is one.
            now: On the clock's monotonic scale, where that is not to happen twice in a second.
        """
        if self._cached is None or (self.count - self._cached_at >= every and now >= self._fresh_until):
            self._cached, self._cached_at = percentiles(self.values), self.count
            self._fresh_until = now + KEPT_S if now < inf else -inf
        return self._cached
