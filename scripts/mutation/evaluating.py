"""Plant faults one by one, and see whether evaluations or the simulator find each: `scripts/mutate evals`.

What is quick is asked first: the scenarios that touch what is wrong, or histories, then scenarios in the forms in which
processes die and calls are delivered again. Each may work for so long, on the processor's own clock, so that it finds
the same on a machine that is busy with others; what takes longer has found nothing.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO

import setting_up
from mutation.faults import FAULTS
from mutation.planting import Fault, FaultGone

LEAST = 37
_SEED = 1
_HISTORIES = 16
_REPEATED_HISTORIES = 4
_WORK_S = 45
_SUITES_WORK_S = 600
# Where a processor is shared by so many that even little work takes long.
_TIMES_AS_LONG = 12
_FORMS = ("thrice", "killed", "restarted")
_USUAL = ("salon/en-book-at-once", "salon/en-cancel", "salon/en-move", "salon/en-message", "abuse/books-the-whole-day")
_SUITES = ("craftsman", "garage", "office", "practice", "restaurant", "salon", "abuse")
_EVERY = 8
_AT_ONCE = 2


@dataclass(frozen=True, slots=True)
class Found:
    """What became of a fault.

    Attributes:
        by: What found it; empty where nothing did.
        how: What was seen, in one line.
    """

    name: str
    by: str
    how: str
    took_s: float


def names(*, quick: bool) -> list[str]:
    """Return the faults that are planted: all, or every eighth."""
    return list(FAULTS)[:: _EVERY if quick else 1]


def missing() -> list[str]:
    """Return why faults cannot be planted any more; none where all can."""
    problems = []
    for fault in FAULTS.values():
        try:
            fault.planted()
        except FaultGone as problem:
            problems.append(str(problem))
    return problems


def evaluate(chosen: Sequence[str], tell: Callable[[str], object]) -> list[Found]:
    """Plant each, and tell what found it; two at once."""
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        outcomes = []
        for found in pool.map(look_for, chosen):
            outcomes.append(found)
            verdict = f"found by {found.by}" if found.by else "NOT FOUND"
            tell(f"{found.name:<26} {FAULTS[found.name].place:<46} {verdict} ({found.took_s:.0f} s)")
            tell(f"{'':<26} {found.how[:150]}")
        return outcomes


def look_for(name: str) -> Found:
    """Plant a fault, and return what found it."""
    fault, began = FAULTS[name], time.monotonic()
    for by, how in _looks(name, fault):
        if how:
            return Found(name, by, how, time.monotonic() - began)
    return Found(name, "", fault.what, time.monotonic() - began)


def _looks(name: str, fault: Fault) -> Iterator[tuple[str, str]]:
    if fault.scenarios:
        yield _by_scenarios(name, fault.scenarios, ("--plain",))
    yield "simulator", _by_histories(name)
    if not fault.scenarios:
        yield _by_scenarios(name, _USUAL, ("--plain",))
    yield _by_scenarios(name, fault.scenarios or _USUAL, [part for form in _FORMS for part in ("--form", form)])


def _by_scenarios(name: str, scenarios: Sequence[str], options: Sequence[str]) -> tuple[str, str]:
    """Return which scenario found a fault, and what it says; nothing where none did."""
    paths = [str(setting_up.ROOT / "scripts" / "evals" / "suites" / f"{scenario}.yaml") for scenario in scenarios]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "verdicts.json"
        line = [*paths, *options, "--jobs", "1", "--json", str(path)]
        if not _ran([sys.executable, "-m", "mutation.evaluated", name, *line]):
            return "", ""
        verdicts = json.loads(path.read_text(encoding="utf-8"))["verdicts"] if path.is_file() else []
    if not verdicts:
        return f"scenarios {', '.join(scenarios)}", "nothing can be held at all"
    for verdict in verdicts:
        if not verdict["passed"]:
            by = f"{verdict['suite']}/{verdict['scenario']}, {verdict['form']}"
            return by, verdict["findings"][0]["what"]
    return "", ""


def _by_histories(name: str) -> str:
    part = {"seed": _SEED, "numbers": list(range(_HISTORIES)), "fault": name}
    return next((row["broken"] for row in _rows_of(part) if row["broken"]), "")


def _rows_of(part: dict[str, object], work_s: int = _WORK_S) -> list[dict[str, object]]:
    """Return what became of some histories, without how long each took."""
    with tempfile.TemporaryFile("w+") as answers:
        _ran([sys.executable, "-m", "simulator.many", json.dumps(part)], answers, work_s)
        answers.seek(0)
        rows = [json.loads(line) for line in answers if line.endswith("\n")]
    return [{name: value for name, value in row.items() if name != "worked_s"} for row in rows]


def _ran(
    command: Sequence[str], out: int | IO[str] = subprocess.DEVNULL, work_s: int = _WORK_S, hash_seed: int = 0
) -> bool:
    """Run a process of the product with a fault in it; tell whether it ended by itself.

    Args:
        command: What runs.
        out: Where it writes.
        work_s: For how many seconds of a processor it may work, each process of it.
        hash_seed: Decides in which order sets are gone through.
    """
    paths = (setting_up.ROOT / "scripts", setting_up.ROOT / "functions")
    environment = {
        **os.environ,
        "PYTHONHASHSEED": str(hash_seed),
        "OMP_NUM_THREADS": "1",
        "PYTHONPATH": os.pathsep.join(map(str, paths)),
    }
    limit = partial(resource.setrlimit, resource.RLIMIT_CPU, (work_s, work_s + 5))
    patience_s = work_s * _TIMES_AS_LONG
    try:
        done = subprocess.run(
            command,
            check=False,
            stdout=out,
            stderr=subprocess.DEVNULL,
            env=environment,
            timeout=patience_s,
            preexec_fn=limit,
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode >= 0


def repeated(times: int, tell: Callable[[str], object]) -> bool:
    """Hold every suite as written, and let histories happen, so many times; tell whether all came to the same."""
    seen: set[str] = set()
    for number in range(1, times + 1):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "verdicts.json"
            line = [sys.executable, "-m", "mutation.evaluated", "", *_SUITES, "--plain", "--json", str(path)]
            _ran(line, work_s=_SUITES_WORK_S, hash_seed=number)
            rows = _rows_of({"seed": _SEED, "numbers": list(range(_REPEATED_HISTORIES)), "fault": ""}, _SUITES_WORK_S)
            verdicts = json.loads(path.read_text(encoding="utf-8"))["verdicts"]
            failed = [v["scenario"] for v in verdicts if not v["passed"]] + [r["number"] for r in rows if r["broken"]]
            seen.add(json.dumps([[(v["suite"], v["scenario"], v["form"], v["passed"]) for v in verdicts], rows]))
        tell(f"run {number}: {len(verdicts)} scenarios, {len(rows)} histories, {len(failed)} failed")
        if len(seen) > 1 or failed:
            return False
    return True
