"""A fast part of the tests under every other Python of this machine, each with the lock in its own environment."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import setting_up
from testing import checking

SUPPORTED = ("3.11", "3.12", "3.13", "3.14")
LOCK = setting_up.ROOT / checking.REQUIREMENTS
# Below the environment of all other scripts, so that it is ignored and removed like that one.
ENVIRONMENTS = setting_up.VENV / "pythons"
# What the language itself decides: no store, no browser and no server of others takes part.
TESTS = ("tests/contract", "tests/catalog", "tests/pipeline", "-m", "not emulator and not browser")
_VERSION = "import sys; print('.'.join(map(str, sys.version_info[:3])))"


@dataclass(frozen=True)
class Outcome:
    """What came of one Python.

    Attributes:
        version: `3.12.1`, or `3.12` where none was found.
        found: Where it is; None if it is not on this machine.
        passed: Whether the lock could be installed and all tests passed.
        told: What the table says of that.
    """

    version: str
    found: Path | None
    passed: bool
    told: str


def run(versions: Sequence[str] = SUPPORTED) -> int:
    """Test under each Python but the one that runs this; prints a table. 1 when one failed or there was none."""
    outcomes = [_tested(version) for version in versions if version != setting_up.PYTHON_VERSION]
    print_table(outcomes)
    return 0 if any(o.found for o in outcomes) and all(o.passed for o in outcomes if o.found) else 1


def print_table(outcomes: Sequence[Outcome]) -> None:
    """Print which Python was found where, and what passed."""
    rows = [("version", "found", "passed"), *((o.version, str(o.found or "no"), o.told) for o in outcomes)]
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    print()
    for version, interpreter, outcome in rows:
        print(f"{version:<{widths[0]}}  {interpreter:<{widths[1]}}  {outcome}")
    print(flush=True)


def find(version: str) -> tuple[Path, str] | None:
    """Return an interpreter of a version such as `3.12`, and its whole version; None if there is none."""
    for candidate in _candidates(version):
        # pyenv puts programs on PATH that only say that the version was not chosen.
        done = subprocess.run([candidate, "-c", _VERSION], capture_output=True, text=True)
        if done.returncode == 0 and done.stdout.startswith(f"{version}."):
            return candidate, done.stdout.strip()
    return None


def _candidates(version: str) -> Iterator[Path]:
    name = f"python{version}"
    if on_path := shutil.which(name):
        yield Path(on_path)
    root = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    yield from sorted(root.glob(f"versions/{version}.*/bin/{name}"), reverse=True)


def _tested(version: str) -> Outcome:
    interpreter = find(version)
    if interpreter is None:
        return Outcome(version, None, False, "-")
    interpreter_path, whole = interpreter
    print(f"== Python {whole}", flush=True)
    environment = ENVIRONMENTS / whole
    if not _set_up(interpreter_path, environment):
        return Outcome(
            whole, interpreter_path, False, f"FAILED: {LOCK.relative_to(setting_up.ROOT)} cannot be installed"
        )
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = (environment / "bin" / "python", "-m", "pytest", "-q", "-p", "no:cacheprovider")
        code = subprocess.run([*command, f"--junitxml={report}", *TESTS], cwd=setting_up.ROOT).returncode
        counted = _counted(report)
    text = f"{counted} in {time.monotonic() - started:.0f} s"
    return Outcome(whole, interpreter_path, code == 0, text if code == 0 else f"FAILED: {text}")


def _set_up(interpreter_path: Path, environment: Path) -> bool:
    """Install the lock, unless it is installed; tell whether it is."""
    stamp, digest = environment / "installed", hashlib.sha256(LOCK.read_bytes()).hexdigest()
    if stamp.exists() and stamp.read_text() == digest:
        return True
    uv = setting_up.ensure_uv()
    shutil.rmtree(environment, ignore_errors=True)
    steps = (
        (uv, "venv", "--quiet", "--python", interpreter_path, environment),
        (uv, "pip", "install", "--quiet", "--python", environment / "bin" / "python", "--require-hashes", "-r", LOCK),
    )
    if any(subprocess.run(step).returncode for step in steps):
        return False
    stamp.write_text(digest)
    return True


def _counted(report: Path) -> str:
    try:
        suite = ElementTree.parse(report).getroot().find("testsuite")
    except (OSError, ElementTree.ParseError):
        suite = None
    if suite is None:
        return "no tests were run"
    total, failed, skipped = (
        sum(int(suite.get(name, 0)) for name in names) for names in (["tests"], ["failures", "errors"], ["skipped"])
    )
    return f"{total - failed - skipped} of {total} tests" + (f" ({skipped} skipped)" if skipped else "")
