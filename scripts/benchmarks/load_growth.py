"""What a call costs as businesses and definitions grow, and memory over time: both are to stay where they are."""

from __future__ import annotations

import statistics

from benchmarks import loading
from benchmarks.figure import Effort, Figure, Line

GROWN = ((1, 13), (1_000, 13), (1, 2_000))
_FLAT = 1.25
_STEADY = 0.10
_AT_ONCE = 32
_SECONDS, _QUICK_SECONDS = 5.0, 1.0
_SLICES = 6


def measure(effort: Effort) -> Figure:
    """Return the figure; memory is looked at for `effort.minutes`, or for some seconds where that is 0."""
    seconds = _QUICK_SECONDS if effort.quick else _SECONDS
    cpu_ms, lines = {}, []
    for businesses, definitions in GROWN:
        with loading.server(loading.ours(businesses, definitions)) as server:
            # The last business, which a search through all of them would find last.
            order = loading.order(
                server.port, _AT_ONCE, seconds, business=businesses - 1, definitions=definitions, warm_s=3.0
            )
            rounds = [server.load(order) for _ in range(1 if effort.quick else min(3, effort.rounds))]
            cpu_ms[businesses, definitions] = statistics.median(item.cpu_ms for item in rounds)
            what = f"{businesses:,} business{'es' * (businesses > 1)}, {definitions:,} definitions"
            lines.append(Line(what, f"{cpu_ms[businesses, definitions]:.2f} ms CPU, {rounds[-1].per_s:,.0f}/s"))
    base = cpu_ms[GROWN[0]]
    for grown in GROWN[1:]:
        ratio = cpu_ms[grown] / base
        what = f"growth to {grown[0]:,} businesses, {grown[1]:,} definitions"
        lines.append(Line(what, f"{ratio:.2f}", target=f"≤ {_FLAT:g}", met=ratio <= _FLAT))
    lines += _memory(seconds if not effort.minutes else effort.minutes * 60 / _SLICES, effort)
    return Figure(
        f"load_growth: /tools/execute with the store in memory, {_AT_ONCE} at once",
        "",
        tuple(lines),
        ("The store in memory keeps every call's ledger row: its growth per call is the store's, see the last row.",),
    )


def _memory(slice_s: float, effort: Effort) -> list[Line]:
    """Return the rows about memory: over slices of equal length, the first of which warms up."""
    calls, memory = [], []
    with loading.server(loading.ours()) as server:
        for _ in range(_SLICES):
            loaded = server.load(loading.order(server.port, _AT_ONCE, slice_s))
            calls.append(loaded.answered)
            memory.append(server.memory_mb())
    grown_mb, answered = memory[-1] - memory[0], sum(calls[1:])
    each_kb = grown_mb * 1e3 / answered if answered else 0.0
    first = [kb(memory, calls, 1), kb(memory, calls, len(calls) - 1)]
    text = ", ".join(f"{mb:.0f}" for mb in memory)
    return [
        Line(f"memory over {_SLICES} x {slice_s:.0f} s", f"{text} MB"),
        Line(
            "memory for a call that is kept, in the first and last slice",
            f"{first[0]:.2f} and {first[1]:.2f} kB ({each_kb:.2f} in all)",
        ),
    ]


def kb(memory: list[float], calls: list[int], slice: int) -> float:
    """Return how many kB a call of a slice has left."""
    return (memory[slice] - memory[slice - 1]) * 1e3 / calls[slice] if calls[slice] else 0.0
