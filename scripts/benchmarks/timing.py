"""CPU time of calls, beside a yard-stick in the same process."""

from __future__ import annotations

import cProfile
import gc
import io
import pstats
import random
import statistics
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.figure import Effort, Line

Batch = Callable[[int], Awaitable[float]]
"""Makes so many calls and returns the CPU seconds of one."""

_BATCH_S = 0.08
_QUICK_BATCH_S = 0.004
_PROFILED_S = 1.0
_SHOWN = 25


def of_awaits(call: Callable[[], Awaitable[Any]]) -> Batch:
    """Return batches that await `call()` each time."""

    async def batch(times: int) -> float:
        began = time.process_time()
        for _ in range(times):
            await call()
        return (time.process_time() - began) / times

    return batch


def of_calls(call: Callable[[], Any]) -> Batch:
    """Return batches of plain calls."""

    async def batch(times: int) -> float:
        began = time.process_time()
        for _ in range(times):
            call()
        return (time.process_time() - began) / times

    return batch


@dataclass(frozen=True)
class Spread:
    """The median of some values, the least and the greatest."""

    median: float
    least: float
    most: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """Return the spread of at least one value."""
        return cls(statistics.median(values), min(values), max(values))

    def __str__(self) -> str:
        return f"{self.median:.2f} ({self.least:.2f} to {self.most:.2f})"


@dataclass
class Comparison:
    """One case: ours and its yard-stick, and what the rounds found."""

    what: str
    ours: Batch
    yardstick: Batch
    target: float | None = None
    ours_s: list[float] = field(default_factory=list)
    yardstick_s: list[float] = field(default_factory=list)
    _times: tuple[int, int] = (0, 0)

    async def add_round(self, batch_s: float) -> None:
        """Measure the yard-stick, ours, and the yard-stick again, so that a slow moment meets both."""
        if self._times == (0, 0):
            self._times = await _calibrated(self.ours, batch_s), await _calibrated(self.yardstick, batch_s)
        gc.collect()
        before = await self.yardstick(self._times[1])
        self.ours_s.append(await self.ours(self._times[0]))
        self.yardstick_s.append((before + await self.yardstick(self._times[1])) / 2)

    def ratio(self) -> Spread:
        """Return how many times the yard-stick ours takes."""
        return Spread.of([ours / stick for ours, stick in zip(self.ours_s, self.yardstick_s, strict=True)])

    def line(self) -> Line:
        """Return the row that the rounds make."""
        ratio = self.ratio()
        chosen = [microseconds(statistics.median(values)) for values in (self.ours_s, self.yardstick_s)]
        promised = () if self.target is None else (f"≤ {self.target:g}", ratio.median <= self.target)
        return Line(self.what, *chosen, str(ratio), *promised)


async def compare(cases: Sequence[Comparison], effort: Effort) -> tuple[Line, ...]:
    """Measure all cases in rounds of shuffled order and return their rows in the order given."""
    order = list(cases)
    for _ in range(effort.rounds):
        random.shuffle(order)
        for case in order:
            await case.add_round(_QUICK_BATCH_S if effort.quick else _BATCH_S)
    return tuple(case.line() for case in cases)


async def profile(batch: Batch) -> str:
    """Return the functions that take the most time of their own in a batch; absolute times are inflated."""
    times = await _calibrated(batch, _PROFILED_S)
    profiler = cProfile.Profile()
    profiler.enable()
    await batch(times)
    profiler.disable()
    report = io.StringIO()
    pstats.Stats(profiler, stream=report).sort_stats("tottime").print_stats(_SHOWN)
    return f"profile of {times} calls:\n{report.getvalue().strip()}"


def microseconds(seconds: float) -> str:
    """Return a time as text, to three digits."""
    return f"{seconds * 1e6:.3g} µs" if seconds < 1e-3 else f"{seconds * 1e3:.3g} ms"


async def _calibrated(batch: Batch, batch_s: float) -> int:
    times = 8
    while True:
        each = await batch(times)
        if each * times >= batch_s / 4:
            return max(8, round(batch_s / each))
        times *= 4
