"""The steps that examine the code before any test runs, shared by scripts/test and scripts/check."""

import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from setting_up import ROOT

REQUIREMENTS = Path("tests/requirements.txt")
BUILD_TOOLS = (sys.executable, "scripts/build_tools")


@dataclass(frozen=True)
class Outcome:
    """How one step ended."""

    name: str
    passed: bool
    took_s: float


def run_steps() -> list[Outcome]:
    """Run every step, in order and whatever the ones before it said."""
    python = sys.executable
    sources = (".", *python_programs())
    return [
        run_step("build tools", *BUILD_TOOLS),
        run_step("ruff check", python, "-m", "ruff", "check", "--quiet", *sources),
        run_step("ruff format", python, "-m", "ruff", "format", "--check", "--quiet", *sources),
        run_step("mypy", python, "-m", "mypy", "--no-error-summary"),
        run_step("tools up to date", *BUILD_TOOLS, "--check"),
        run_step("run-book up to date", python, "scripts/run_book", "--check"),
    ]


def run_step(name: str, *command: str) -> Outcome:
    """Run one command in the checkout, its output going where ours goes."""
    print(f"== {name}", flush=True)
    started = time.monotonic()
    code = subprocess.run(command, cwd=ROOT).returncode
    return Outcome(name, code == 0, time.monotonic() - started)


def python_programs() -> list[str]:
    """Return the executables without a suffix that are Python; ruff finds files by their suffix only."""
    return sorted(
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "scripts").iterdir()
        if path.is_file() and not path.suffix and path.read_bytes().startswith(b"#!/usr/bin/env python3")
    )


def print_table(outcomes: list[Outcome]) -> None:
    """Print what passed, what failed and how long each took."""
    width = max(len(outcome.name) for outcome in outcomes)
    print()
    for outcome in outcomes:
        verdict = "passed" if outcome.passed else "FAILED"
        print(f"{outcome.name:<{width}}  {verdict}  {outcome.took_s:6.1f} s")
    print(flush=True)
