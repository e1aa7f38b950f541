"""Cold start of the `tools` function, against bare functions that import Firestore: fresh processes up to their answer.

Their end is no part of it: what Python does then takes up to a third of what went before.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import statistics
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import setting_up
from benchmarks.figure import Effort, Figure, Line
from benchmarks.first_request import FORBIDDEN, furnish
from benchmarks.timing import Spread
from running import emulator

TARGET = 1.3
LEAST_RUNS = 7
HERE = Path(__file__).parent
PROGRAM = HERE / "first_request.py"
BARE = str(HERE / "bare_function.py")
OURS = str(setting_up.ROOT / "functions" / "main.py")
_SHOWN = 10


@dataclass(frozen=True)
class Run:
    """One process: its time up to its answer, and what it printed of it."""

    wall_s: float
    cpu_s: float
    found: dict[str, Any]


@dataclass
class Case:
    """A fresh process of ours, and the bare one beside it."""

    what: str
    ours: tuple[str, ...]
    bare: tuple[str, ...]
    environment: dict[str, str] = field(default_factory=dict)
    target: float | None = TARGET
    pairs: list[tuple[Run, Run]] = field(default_factory=list)

    def add_pair(self) -> None:
        """Run both, in an order that chance decides."""
        first, second = random.sample((self.ours, self.bare), 2)
        runs = {first: _run(first, self.environment), second: _run(second, self.environment)}
        self.pairs.append((runs[self.ours], runs[self.bare]))

    def lines(self) -> Iterator[Line]:
        """Yield the rows for wall and CPU time."""
        for clock, name in (("wall", "wall_s"), ("CPU", "cpu_s")):
            ours, bare = ([getattr(run, name) for run in runs] for runs in zip(*self.pairs, strict=True))
            ratio = Spread.of([one / stick for one, stick in zip(ours, bare, strict=True)])
            chosen = [f"{statistics.median(values) * 1e3:.0f} ms" for values in (ours, bare)]
            promised = () if self.target is None else (f"≤ {self.target:g}", ratio.median <= self.target)
            yield Line(f"{self.what}, {clock}", *chosen, str(ratio), *promised)


def measure(effort: Effort) -> Figure:
    """Return the figure."""
    ours, bare = ("tools", OURS), ("hello", BARE)
    # The store in memory does without Google's library; a deployed function does not, so it is loaded here as well.
    in_memory = [
        Case("memory", ours, bare),
        Case("memory, SDK loaded", (*ours, "switchboard.state.firestore.client"), bare),
    ]
    with _over_emulator() as cases:
        cases = [*in_memory, *cases]
        if not effort.quick:
            # the first run of each fills the page cache and writes bytecode
            for case in cases:
                case.add_pair()
                case.pairs.clear()
        for _ in range(1 if effort.quick else max(LEAST_RUNS, effort.rounds)):
            for case in random.sample(cases, len(cases)):
                case.add_pair()
        detail = "\n\n".join([_stages(cases), _imports(cases[1])]) if effort.detail else ""
    chosen = [run.found for case in cases for run, _ in case.pairs]
    forbidden = sorted({name for one in chosen for name in one["forbidden"]})
    furnishing_ms = max(one["stages"]["furnishing"] for one in chosen)
    return Figure(
        f"cold: a fresh process up to its first answer under functions-framework, {len(cases[0].pairs)} runs each",
        "bare function",
        (
            *(line for case in cases for line in case.lines()),
            Line("SDKs loaded without need", ", ".join(forbidden) or "none", "", "", "none", not forbidden),
        ),
        (
            f"Part of ours: writing a business and its key into the memory store, at most {furnishing_ms:.1f} ms.",
            "On the emulator the bare function reads one document, ours what a listing needs.",
            f"SDKs looked for: {', '.join(FORBIDDEN)}.",
        ),
        detail,
    )


@contextmanager
def _over_emulator() -> Iterator[list[Case]]:
    """Give the case of a real first answer over the emulator, where there is one."""
    if not emulator.named_host() and not emulator.find():
        yield []
        return
    with emulator.running() as host:
        project = f"demo-bench-{uuid.uuid4().hex[:8]}"
        # Not at the top: it is the one thing here that needs more than the standard library.
        from benchmarks.patience import patience

        with patience():
            asyncio.run(_furnish(project, host))
        environment = {"FIRESTORE_EMULATOR_HOST": host, "GOOGLE_CLOUD_PROJECT": project}
        yield [Case("emulator", ("tools", OURS), ("hello_from_store", BARE), environment, target=None)]
        emulator.clear(host, project)


async def _furnish(project: str, host: str) -> None:
    from switchboard.state.firestore.store import FirestoreStore

    store = FirestoreStore(project, emulator_host=host)
    await store.warm()
    await furnish(store)
    await store.close()


def _command(case: Sequence[str], *options: str) -> list[str]:
    return [sys.executable, "-I", *options, str(PROGRAM), *case]


def _run(case: Sequence[str], environment: dict[str, str]) -> Run:
    began = time.perf_counter()
    process = subprocess.Popen(_command(case), env={"PATH": os.environ["PATH"], **environment}, stdout=subprocess.PIPE)
    assert process.stdout
    with process.stdout as out:
        answer = out.readline()
        wall_s = time.perf_counter() - began
    assert process.wait() == 0, f"{case[0]} ended with {process.returncode}"
    parsed = json.loads(answer)
    assert parsed["status"] == 200 and (parsed["tools"] or case[0] != "tools"), parsed
    return Run(wall_s, sum(parsed["stages"].values()) / 1e3, parsed)


def _stages(cases: Sequence[Case]) -> str:
    """Return where the CPU time of each case goes."""
    rows = ["  CPU ms by stage, ours / bare"]
    for case in cases:
        ours, bare = ([run.found["stages"] for run in runs] for runs in zip(*case.pairs, strict=True))
        median = [{name: statistics.median(s[name] for s in stages) for name in stages[0]} for stages in (ours, bare)]
        text = (f"{name} {took:.0f} / {median[1].get(name, 0):.0f}" for name, took in median[0].items())
        rows.append(f"    {case.what}: {', '.join(text)}")
    return "\n".join(rows)


def _imports(case: Case) -> str:
    """Return what our function imports and the bare one does not, the dearest first (with all that each imports)."""
    bare, ours = _import_times(case.bare), _import_times(case.ours)
    only = sorted((name for name in ours if name not in bare), key=lambda name: -ours[name][1])
    own = sum(ours[name][0] for name in only)
    rows = [f"    {ours[name][1] / 1e3:8.1f} ms  {ours[name][0] / 1e3:8.1f} ms  {name}" for name in only[:_SHOWN]]
    head = f"  imports of ours that the bare function lacks: {len(only)} modules, {own / 1e3:.0f} ms (-X importtime)"
    return "\n".join([head, "     with its own       itself", *rows])


def _import_times(case: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Return by module the microseconds that itself and all it imports took."""
    done = subprocess.run(
        _command(case, "-X", "importtime"), env={"PATH": os.environ["PATH"]}, capture_output=True, text=True, check=True
    )
    rows = [line.removeprefix("import time:").split("|") for line in done.stderr.splitlines() if "|" in line]
    return {name.strip(): (int(itself), int(whole)) for itself, whole, name in rows if itself.strip().isdigit()}
