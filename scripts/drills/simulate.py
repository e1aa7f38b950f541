"""Histories of failures, deaths and duplicates, in simulated time and over the store in memory, each from one seed."""

from __future__ import annotations

from drills.result import FULL, QUICK, SMOKE, Check, Effort, Result
from simulator.many import Histories, count_for, happen_many, shortest_of

_CALLS = {SMOKE: 400, QUICK: 10_000, FULL: 100_000}
_NAMED = 10


def drill(effort: Effort) -> Result:
    """Let histories happen, and show the shortest one that breaks what the first failing one broke."""
    histories = happen_many(effort.seed, count_for(effort.calls or _CALLS[effort.size]))
    broken = histories.broken
    notes = [f"history {number}: {promise}" for number, promise in list(broken.items())[:_NAMED]]
    if broken:
        notes += ["", "The shortest that breaks the same promise as the first:", ""]
        notes += shortest_of(effort.seed, next(iter(broken)))
    title = f"simulate: {histories.count} histories of several instances over one store, in simulated time"
    seen = f"{len(broken)} of {histories.count}" if broken else "none"
    return Result(title, "no promise broken", f"{seen} broken", _checks(histories, seen), tuple(notes))


def _checks(histories: Histories, seen: str) -> tuple[Check, ...]:
    pace = histories.calls / max(histories.took_s, 0.001)
    return (
        Check("histories that break a promise", "none", seen, not histories.broken),
        Check("calls delivered", "", str(histories.calls)),
        Check("instances that died", "", str(histories.deaths)),
        Check("calls a second", "", f"{pace:.0f}"),
        Check("calls a second of one processor", "", f"{histories.calls / max(histories.worked_s, 0.001):.0f}"),
        Check("digest of all histories", "", histories.digest),
    )
