"""A large backup is brought back, a large business and a caller of whom much is kept deleted.

Each by a command that is killed half way and run again.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
import tempfile
import time
import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import child_process
import setting_up
from command_line import Problem
from drills import premises
from drills.emulators import own_emulator, process_group
from drills.much_kept import PATHS, SESSION, business_id, write_backup
from drills.result import FULL, QUICK, SMOKE, Check, Effort, Result, at_most
from switchboard.admin.maintenance.data_inventory import all_documents

CALLER = "+15185550199"
_ALLOWED_MB = 200.0
_LOOKED_EVERY_S = 0.05
_COUNT = re.compile(r"^(?:(\d+) documents are there|\d+ documents were looked at, (\d+) are done)", re.MULTILINE)


@dataclass(frozen=True)
class Plan:
    """How many documents a backup has, of how many businesses, and how many a business or caller that is deleted."""

    documents: int
    businesses: int
    deleted: int
    limit_s: float


PLANS = {
    SMOKE: Plan(2_000, 4, 7_000, 600),
    QUICK: Plan(10_000, 20, 10_000, 900),
    # What was promised: 100,000 documents, as fifty businesses have them, and 100,000 of one.
    FULL: Plan(100_000, 50, 100_000, 3_600),
}


@dataclass(frozen=True)
class _Run:
    """How a command ended: its exit code, what it printed last, seconds, and the most megabytes that it held."""

    code: int
    said: str
    took_s: float
    peak_mb: float
    killed_at: int = 0


def drill(effort: Effort) -> Result:
    """Return the table.

    Raises:
        Skipped: There is no emulator.
    """
    plan = PLANS[effort.size]
    with tempfile.TemporaryDirectory(prefix="switchboard-drill-") as folder:
        many, one = Path(folder) / "many.jsonl", Path(folder) / "one.jsonl"
        asyncio.run(write_backup(many, plan.businesses, plan.documents))
        asyncio.run(write_backup(one, 1, plan.deleted))
        deadline = time.monotonic() + plan.limit_s
        restored = _restored(many, plan, deadline)
        deleted = _deleted(one, plan, deadline, ("business", business_id(0)))
        asyncio.run(write_backup(one, 1, plan.deleted, CALLER))
        of_caller = _deleted(one, plan, deadline, ("caller", business_id(0), CALLER))
    return _result(plan, restored, deleted, of_caller)


def _restored(file: Path, plan: Plan, deadline: float) -> list[_Run]:
    """Return how an import that is killed, the next one, and the comparison with the database ended."""
    project = f"demo-drill-{uuid.uuid4().hex[:8]}"
    with own_emulator(project) as emulator:
        emulator.wait_until_ready()
        surroundings = _surroundings(emulator.host, project)
        return [
            _run(("backup", "import", str(file)), surroundings, deadline, plan.documents // 2),
            _run(("backup", "import", str(file)), surroundings, deadline),
            _run(("backup", "verify", str(file), "--stored"), surroundings, deadline),
        ]


def _deleted(file: Path, plan: Plan, deadline: float, whom: Sequence[str]) -> tuple[list[_Run], int]:
    """Return how a deletion that is killed and the next one ended, and how much is left of the business or caller."""
    project, id = f"demo-drill-{uuid.uuid4().hex[:8]}", business_id(0)
    forget = ("forget", *whom, "--yes", id)
    with own_emulator(project) as emulator:
        emulator.wait_until_ready()
        surroundings = _surroundings(emulator.host, project)
        brought = _run(("backup", "import", str(file)), surroundings, deadline)
        if brought.code:
            raise Problem(f"what is to be deleted was not brought in: {brought.said}")
        runs = [
            _run(forget, surroundings, deadline, plan.deleted // 4),
            _run(forget, surroundings, deadline),
        ]
        number = CALLER if CALLER in whom else ""
        return runs, asyncio.run(_left(project, emulator.host, id, number))


async def _left(project: str, host: str, id: str, number: str) -> int:
    """Return how many documents are left of a business, or name a caller of it or are of their conversations."""
    store = premises.patient_store(project, host)
    try:
        own = await store.get(PATHS.within(id).business)
        if not number:
            return (own is not None) + sum([1 async for _ in all_documents(store, PATHS, id)])
        if own is None:
            raise Problem("with the caller the business went as well")
        theirs = (number[1:], f"/{SESSION}")
        found = [f"{one.path} {one.data}" async for one in all_documents(store, PATHS, id)]
        return sum(any(part in text for part in theirs) for text in found)
    finally:
        await store.close()


def _surroundings(host: str, project: str) -> dict[str, str]:
    return {**os.environ, "FIRESTORE_EMULATOR_HOST": host, "GOOGLE_CLOUD_PROJECT": project}


def _run(arguments: Sequence[str], surroundings: dict[str, str], deadline: float, kill_at: int | None = None) -> _Run:
    """Run a command to its end, or until it says that so many documents are done, and is killed."""
    began, peak_mb, killed_at = time.monotonic(), 0.0, 0
    script, *rest = arguments
    child = child_process.start(
        [sys.executable, setting_up.ROOT / "scripts" / script, *rest], surroundings, setting_up.ROOT
    )
    try:
        while child.guard.poll() is None:
            if time.monotonic() > deadline:
                raise Problem(f"scripts/{' '.join(arguments[:2])} was not done in time: {child.tail()[-200:]}")
            peak_mb = max(peak_mb, _peak_mb(child.guard.pid))
            done = max((int(found) for pair in _COUNT.findall(child.tail()) for found in pair if found), default=0)
            if kill_at is not None and done >= kill_at:
                child.kill()
                killed_at = done
            time.sleep(_LOOKED_EVERY_S)
        said = child.tail().splitlines()
        code = child.guard.wait()
        return _Run(code, said[-1] if said else "", time.monotonic() - began, peak_mb, killed_at)
    finally:
        child.stop()


def _peak_mb(group: int) -> float:
    """Return the most memory that a process of a group has held so far; 0 where the system does not tell as Linux."""
    peaks = [0.0]
    for pid in process_group(group):
        with suppress(OSError):
            text = Path(f"/proc/{pid}/status").read_text()
            peaks += [int(kilobytes) / 1024 for kilobytes in re.findall(r"^VmHWM:\s+(\d+) kB", text, re.MULTILINE)]
    return max(peaks)


_Deletion: TypeAlias = "tuple[Sequence[_Run], int]"


def _result(plan: Plan, restored: Sequence[_Run], deleted: _Deletion, of_caller: _Deletion) -> Result:
    killed, resumed, verified = restored
    peak_mb = max(run.peak_mb for run in (*restored, *deleted[0], *of_caller[0]))
    left = deleted[1] + of_caller[1]
    is_same = verified.code == 0 and verified.said.endswith("the database holds just that")
    goes_on = resumed.code == 0 and re.search(r"documents were written, [1-9]\d* were there already", resumed.said)
    checks = (
        Check("an import killed half way is gone on with", "yes", "yes" if goes_on else resumed.said, bool(goes_on)),
        Check("the database holds just what the backup does", "yes", "yes" if is_same else verified.said, is_same),
        _finished("a deletion killed half way is finished by the same command", deleted),
        _finished("that of a caller as well, and the business stays", of_caller),
        at_most("memory of a command at most", _ALLOWED_MB, peak_mb, "MB", 0),
    )
    return Result(
        f"restore: {plan.documents:,} documents of {plan.businesses} businesses, and {plan.deleted:,} of one, and as "
        "many of one caller, deleted",
        "all back, none left",
        "all back, none left" if is_same and not left else "differs",
        checks,
        (
            f"Import: killed at {killed.killed_at:,} after {killed.took_s:.0f} s, then {resumed.took_s:.0f} s; "
            f"verified in {verified.took_s:.0f} s.",
            *(
                f"Deletion of {whom}: killed at {stopped.killed_at:,} after {stopped.took_s:.0f} s, then "
                f"{finished.took_s:.0f} s."
                for whom, ((stopped, finished), _) in (("a business", deleted), ("a caller", of_caller))
            ),
        ),
    )


def _finished(what: str, deletion: _Deletion) -> Check:
    (stopped, finished), left = deletion
    return Check(what, "0 left", f"{left:,} left", left == 0 and finished.code == 0 and stopped.killed_at > 0)
