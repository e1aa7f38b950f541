"""Many histories, in a process for each processor, each a function of the seed and its number; one digest of all."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import setting_up

CALLERS = 160
"""How many people call in one history; each makes three to four calls, with what is delivered again."""
_CALLS_OF_ONE = 485
PROCESSES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 2


@dataclass(slots=True)
class Histories:
    """What became of many histories.

    Attributes:
        count: How many there were.
        digest: The same for the same seed and number of calls, byte for byte.
        took_s: How long all took, on a clock at the wall.
        worked_s: How long processors worked at the histories: the same however busy the machine is with others.
        broken: What was promised and is not so, by the number of the history.
    """

    count: int = 0
    calls: int = 0
    deaths: int = 0
    took_s: float = 0.0
    worked_s: float = 0.0
    digest: str = ""
    broken: dict[int, str] = field(default_factory=dict)


def count_for(calls: int) -> int:
    """Return how many histories make about so many calls."""
    return max(1, round(calls / _CALLS_OF_ONE))


def happen_many(seed: int, count: int, fault: str = "", processes: int = PROCESSES) -> Histories:
    """Let so many histories happen, a part of them in each of some processes.

    Args:
        seed: Of all of them.
        count: How many.
        fault: The name of a fault that is planted in the product, see `mutation/faults.py`: then the first history that
            fails is the last one. Empty for none.
        processes: How many; what comes of it is the same.
    """
    began = time.monotonic()
    rows: dict[int, dict[str, Any]] = {}
    numbers = [range(first, count, processes) for first in range(min(count, processes))]
    workers = [_worker({"seed": seed, "numbers": list(part), "fault": fault}) for part in numbers]
    for worker in workers:
        rows |= {row["number"]: row for row in _rows(worker)}
    text = "".join(rows[number]["digest"] for number in sorted(rows))
    broken = {number: row["broken"] for number, row in sorted(rows.items()) if row["broken"]}
    calls, deaths, worked_s = (sum(row[name] for row in rows.values()) for name in ("calls", "deaths", "worked_s"))
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    return Histories(len(rows), calls, deaths, time.monotonic() - began, worked_s, digest, broken)


def shortest_of(seed: int, number: int, fault: str = "") -> list[str]:
    """Return the shortest history that breaks the same promise as one of many does, as lines."""
    lines: list[str] = next(_rows(_worker({"seed": seed, "shortest": number, "fault": fault})))["lines"]
    return lines


def _worker(part: dict[str, Any]) -> subprocess.Popen[str]:
    """Start a process that lets a part of the histories happen."""
    scripts = setting_up.ROOT / "scripts"
    environment = {
        **os.environ,
        # The order of sets is a part of a history, so that it may not differ from process to process.
        "PYTHONHASHSEED": "0",
        "OMP_NUM_THREADS": "1",
        "PYTHONPATH": os.pathsep.join(map(str, (scripts, setting_up.ROOT / "functions"))),
    }
    command = [sys.executable, "-m", "simulator.many", json.dumps(part)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)


def _rows(worker: subprocess.Popen[str]) -> Iterator[dict[str, Any]]:
    assert worker.stdout is not None
    try:
        with worker:
            for line in worker.stdout:
                yield json.loads(line)
    finally:
        worker.kill()
    if worker.returncode > 0:
        raise RuntimeError(f"a process of the simulator ended with {worker.returncode}")


def main(part: dict[str, Any]) -> None:
    """Let a part of the histories happen, and print what became of each; or the shortest that fails as one does."""
    if part["fault"]:
        from mutation.faults import FAULTS
        from mutation.planting import plant

        plant(FAULTS[part["fault"]])
    from simulator.history import happen, shortest
    from simulator.plan import planned

    def plan_of(number: int) -> Any:
        return planned(f"{part['seed']}/{number}", CALLERS)

    if "shortest" in part:
        print(json.dumps({"lines": shortest(happen(plan_of(part["shortest"]))).lines}))
        return
    for number in part["numbers"]:
        began = time.process_time()
        outcome = happen(plan_of(number))
        row = {"number": number, "digest": outcome.digest, "calls": outcome.calls, "deaths": outcome.deaths}
        print(json.dumps(row | {"broken": outcome.broken, "worked_s": time.process_time() - began}), flush=True)
        if outcome.broken and part["fault"]:
            return


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
