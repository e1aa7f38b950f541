"""Plant faults one by one, and see whether evaluations or the simulator find each: `scripts/mutate evals`.

What is quick is asked first: suites as they are written, then histories, then suites in the forms in which processes die
and calls are delivered again. Whatever does not come to its end has found the fault too.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import setting_up
from mutation.faults import FAULTS
from mutation.planting import Fault, FaultGone

LEAST = 37
_SEED = 1
_HISTORIES = 24
_REPEATED_HISTORIES = 8
_PATIENCE_S = 300.0
_FORMS = ("thrice", "killed", "restarted")
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
            tell(f"{found.name:<26} {FAULTS[found.name].place:<46} {verdict}")
            tell(f"{'':<26} {found.how[:150]}")
        return outcomes


def look_for(name: str) -> Found:
    """Plant a fault, and return what found it."""
    fault, began = FAULTS[name], time.monotonic()
    for by, how in _looks(name, fault):
        if how:
            return Found(name, by, how, time.monotonic() - began)
    return Found(name, "", fault.what, time.monotonic() - began)


def _looks(name: str, fault: Fault):  # type: ignore[no-untyped-def]
    yield _by_suites(name, fault.suites, ("--plain",))
    yield "simulator", _by_histories(name)
    for form in _FORMS:
        yield _by_suites(name, fault.suites[:1], ("--form", form))


def _by_suites(name: str, suites: Sequence[str], options: Sequence[str]) -> tuple[str, str]:
    """Return which scenario found a fault, and what it says; nothing where none did."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "verdicts.json"
        line = [*suites, *options, "--jobs", "1", "--json", str(path)]
        if not _ran([sys.executable, "-m", "mutation.evaluated", name, *line]):
            return f"suites {', '.join(suites)}", "it does not come to its end"
        verdicts = json.loads(path.read_text(encoding="utf-8"))["verdicts"] if path.is_file() else []
    if not verdicts:
        return f"suites {', '.join(suites)}", "nothing can be held at all"
    for verdict in verdicts:
        if not verdict["passed"]:
            by = f"{verdict['suite']}/{verdict['scenario']}, {verdict['form']}"
            return by, verdict["findings"][0]["what"]
    return "", ""


def _by_histories(name: str) -> str:
    part = {"seed": _SEED, "numbers": list(range(_HISTORIES)), "fault": name}
    with tempfile.TemporaryFile("w+") as answers:
        if not _ran([sys.executable, "-m", "simulator.many", json.dumps(part)], answers):
            return "it does not come to its end"
        answers.seek(0)
        rows = [json.loads(line) for line in answers]
    return next((row["broken"] for row in rows if row["broken"]), "" if rows else "no history happens at all")


def _ran(command: Sequence[str], out: object = subprocess.DEVNULL) -> bool:
    """Run a process of the product with a fault in it; tell whether it ended by itself."""
    paths = (setting_up.ROOT / "scripts", setting_up.ROOT / "functions")
    environment = {
        **os.environ,
        "PYTHONHASHSEED": "0",
        "OMP_NUM_THREADS": "1",
        "PYTHONPATH": os.pathsep.join(map(str, paths)),
    }
    try:
        subprocess.run(
            command, stdout=out, stderr=subprocess.DEVNULL, env=environment, timeout=_PATIENCE_S, check=False
        )
    except subprocess.TimeoutExpired:
        return False
    return True


def repeated(times: int, tell: Callable[[str], object]) -> bool:
    """Hold every suite as written, and let histories happen, so many times; tell whether all came to the same."""
    seen: set[str] = set()
    for number in range(1, times + 1):
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile("w+") as answers:
            path, part = Path(folder) / "verdicts.json", {"seed": _SEED, "numbers": list(range(_REPEATED_HISTORIES))}
            _ran([sys.executable, "-m", "mutation.evaluated", "", *_SUITES, "--plain", "--json", str(path)])
            _ran([sys.executable, "-m", "simulator.many", json.dumps(part | {"fault": ""})], answers)
            answers.seek(0)
            verdicts = json.loads(path.read_text(encoding="utf-8"))["verdicts"]
            rows = [json.loads(line) for line in answers]
            failed = [v["scenario"] for v in verdicts if not v["passed"]] + [r["number"] for r in rows if r["broken"]]
            seen.add(json.dumps([[(v["suite"], v["scenario"], v["form"], v["passed"]) for v in verdicts], rows]))
        tell(f"run {number}: {len(verdicts)} scenarios, {len(rows)} histories, {len(failed)} failed")
        if len(seen) > 1 or failed:
            return False
    return True
