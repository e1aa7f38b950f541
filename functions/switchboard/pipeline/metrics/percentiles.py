"""Percentiles of what was measured last: the last 1,000 values of each kind (seed 003).

The p-th percentile of n ordered values stands at position (n - 1) * p / 100, counted from 0; between two values it is
the point that far along the way from one to the other. `statistics.quantiles(..., method="inclusive")` says the same.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf

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


class Recent(deque[float]):
    """The last 1,000 values of one measure, in the order in which they were appended.

    Attributes:
        kept: The percentiles that were computed last, None before.
        kept_until: When, on the clock's monotonic scale, they may be computed again on a call's way.
    """

    __slots__ = ("_kept_at", "kept", "kept_until")

    def __init__(self) -> None:
        """Start with none."""
        super().__init__(maxlen=WINDOW)
        self.kept: Percentiles | None = None
        self.kept_until = -inf
        self._kept_at = 0

    def points(self, records: int, kept_for: int = 1, now: float = inf) -> Percentiles | None:
        """Return the percentiles, None where there are no values.

        Args:
            records: How many values there have ever been, those that have left the window included.
            kept_for: After how many more values they are computed anew; 1 is as soon as there is one.
            now: On the clock's monotonic scale, where that is not to happen twice in a second.
        """
        if self.kept is None or (records - self._kept_at >= kept_for and now >= self.kept_until):
            self.kept, self._kept_at = percentiles(self), records
            self.kept_until = now + KEPT_S if now < inf else -inf
        return self.kept
