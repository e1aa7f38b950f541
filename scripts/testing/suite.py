"""All tests, in the groups in which they run, and the table of what came of them.

Standard library only. Most tests run side by side, a file at a time in as many processes as there are processors.
After them come those that are busy with many processes of their own, one at a time: those that drive a browser, and
beside them those that stop, freeze, crowd and measure servers.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import setting_up
from testing import checking

REPORTS = setting_up.VENV / "reports"
"""Where JUnit XML of each group lies after a run."""
MOST_WORKERS = 4
PYTEST = (sys.executable, "-m", "pytest")
WIDEST_NAME = 90


@dataclass(frozen=True)
class Group:
    """Tests that one pytest runs.

    Attributes:
        name: What its step and its report are called.
        marks: Which tests it holds, as `pytest -m` takes it.
        is_parallel: Whether they run in several processes at once.
        options: What else pytest is told.
    """

    name: str
    marks: str
    is_parallel: bool
    options: tuple[str, ...] = ()

    @property
    def report(self) -> Path:
        """Where its JUnit XML is written."""
        return REPORTS / f"{self.name.replace(' ', '_')}.xml"


EVERYTHING = (
    (Group("tests", "not browser and not heavy", is_parallel=True),),
    (Group("heavy tests", "heavy", is_parallel=False), Group("browser tests", "browser", is_parallel=False)),
)
"""Groups that stand together run side by side, and after those before them."""
FAST = (
    (
        Group(
            "fast tests",
            "not emulator and not browser and not process and not heavy",
            is_parallel=True,
            # a quarter of the examples that the whole suite draws
            options=("--hypothesis-profile=few",),
        ),
    ),
)
Stages = Sequence[Sequence[Group]]


@dataclass(frozen=True)
class Ran:
    """One test that was run: where it lies, how long it took with its set-up, and whether it `passed`."""

    file: str
    name: str
    took_s: float
    verdict: str

    @property
    def folder(self) -> str:
        """The folder below tests/, or tests itself."""
        parts = self.file.split("/")
        return parts[1] if len(parts) > 2 else parts[0]

    @property
    def id(self) -> str:
        """What pytest calls it."""
        return f"{self.file}::{self.name}"


def may_keep_bytecode() -> None:
    """Have this and all processes from here on keep what they compiled, beside the environment where it is unwanted.

    Where PYTHONDONTWRITEBYTECODE is set, each of a hundred processes would compile thousands of modules anew: the
    suite would take twice as long.
    """
    if os.environ.pop("PYTHONDONTWRITEBYTECODE", None):
        os.environ.setdefault("PYTHONPYCACHEPREFIX", str(setting_up.VENV / "bytecode"))


def run(stages: Stages) -> list[checking.Outcome]:
    """Run all groups, and print how long each folder took; returns an outcome for each."""
    shutil.rmtree(REPORTS, ignore_errors=True)
    outcomes = [outcome for groups in stages for outcome in _run_side_by_side(groups)]
    print_table(test for groups in stages for group in groups for test in read_report(group.report))
    return outcomes


def workers() -> int:
    """Return how many processes run tests side by side on this machine."""
    return min(MOST_WORKERS, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


def read_report(path: Path) -> list[Ran]:
    """Return the tests of a JUnit XML that pytest wrote; none where it wrote none."""
    try:
        root = ElementTree.parse(path).getroot()
    except (OSError, ElementTree.ParseError):
        return []
    return [_ran(case) for case in root.iter("testcase")]


def print_table(ran: Iterable[Ran]) -> None:
    """Print tests, seconds and the slowest test of each folder, and below it every test that failed."""
    folders: dict[str, list[Ran]] = defaultdict(list)
    for test in ran:
        folders[test.folder].append(test)
    width = max(map(len, folders), default=0)
    print(f"\n{'folder':<{width}}  {'tests':>6}  {'seconds':>7}  slowest test")
    for folder, tests in sorted(folders.items()):
        slowest = max(tests, key=lambda test: test.took_s)
        took_s = sum(test.took_s for test in tests)
        name = f"{slowest.file.removeprefix('tests/').removeprefix(f'{folder}/')}::{slowest.name}"
        print(f"{folder:<{width}}  {len(tests):>6,}  {took_s:>7.1f}  {slowest.took_s:.1f} s {_shortened(name)}")
    for name in sorted(test.id for tests in folders.values() for test in tests if test.verdict == "failed"):
        print(f"FAILED {name}")
    print(flush=True)


def closing_line(stages: Stages) -> str:
    """Return how many tests of all groups together passed, failed and were skipped."""
    verdicts = [test.verdict for groups in stages for group in groups for test in read_report(group.report)]
    return ", ".join(f"{verdicts.count(verdict)} {verdict}" for verdict in ("passed", "failed", "skipped"))


def _run_side_by_side(groups: Sequence[Group]) -> list[checking.Outcome]:
    """Run groups at the same time; what the first says is seen at once, what the others say when they have ended."""
    with ThreadPoolExecutor(len(groups)) as pool:
        running = [pool.submit(_run, group, is_shown=group is groups[0]) for group in groups]
        return [future.result() for future in running]


def _run(group: Group, is_shown: bool) -> checking.Outcome:
    started = time.monotonic()
    # In the order of their names: by their numbers of tests, the files with a single long one would all come last.
    spread = ("-n", str(workers()), "--dist", "loadfile", "--no-loadscope-reorder") if group.is_parallel else ()
    command = (*PYTEST, "-q", "-m", group.marks, *spread, *group.options, f"--junitxml={group.report}")
    if is_shown:
        print(f"== {group.name}", flush=True)
        code = subprocess.run(command, cwd=setting_up.ROOT).returncode
    else:
        done = subprocess.run(command, cwd=setting_up.ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        code = done.returncode
        print(f"== {group.name}\n{done.stdout.decode(errors='replace')}", flush=True)
    return checking.Outcome(group.name, code == 0, time.monotonic() - started)


def _ran(case: ElementTree.Element) -> Ran:
    # A file that could not be collected has its name and no class.
    parts = (case.get("classname") or case.get("name", "")).split(".")
    *folders, module = _up_to_module(parts)
    classes = parts[len(folders) + 1 :]
    kinds = {child.tag for child in case}
    verdict = "failed" if kinds & {"failure", "error"} else "skipped" if "skipped" in kinds else "passed"
    name = "::".join([*classes, case.get("name", "")])
    return Ran("/".join([*folders, f"{module}.py"]), name, float(case.get("time", 0)), verdict)


def _up_to_module(parts: list[str]) -> list[str]:
    """Return a dotted name up to its module: the classes behind that begin with a capital letter."""
    end = next((position for position, part in enumerate(parts) if part[:1].isupper()), len(parts))
    return parts[:end]


def _shortened(name: str) -> str:
    return name if len(name) <= WIDEST_NAME else f"{name[: WIDEST_NAME - 1]}…"
