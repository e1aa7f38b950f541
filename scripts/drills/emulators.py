"""Emulators of a drill's own: they can be frozen, and restarted with the data they held."""

from __future__ import annotations

import http.client
import json
import os
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from command_line import Problem
from drills.result import Skipped
from running import emulator

_EXPORT_WITHIN_S = 60.0


class OwnEmulator:
    """A running emulator that nobody else uses."""

    def __init__(self, installed: emulator.Emulator, project: str) -> None:
        self._installed, self._project = installed, project
        self._running = installed.start()

    def wait_until_ready(self) -> None:
        """Return once it answers; other things may be started meanwhile."""
        self._running.wait_until_ready()

    @property
    def host(self) -> str:
        """Where it listens, as host:port; the same after a restart."""
        return self._running.host

    def restart(self) -> None:
        """Stop it and start it again with the documents that it holds at this moment."""
        with tempfile.TemporaryDirectory(prefix="switchboard-drill-") as folder:
            self._export(folder)
            self._running.stop()
            metadata = next(Path(folder).rglob("*.overall_export_metadata"))
            seeded = replace(self._installed, command=(*self._installed.command, f"--seed_from_export={metadata}"))
            self._running = seeded.start(int(self.host.rpartition(":")[2]))
            self._running.wait_until_ready()

    def freeze(self) -> None:
        """Stop it in its tracks: connections stay open and nothing is answered."""
        # Not its guard, which must notice if this process ends before it thaws what it froze.
        others = process_group(self._running.guard.pid) - {self._running.guard.pid}
        for pid in others:
            os.kill(pid, signal.SIGSTOP)
        if not others:
            os.killpg(self._running.guard.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it go on; what has arrived meanwhile is answered now."""
        os.killpg(self._running.guard.pid, signal.SIGCONT)

    def stop(self) -> None:
        """End it, frozen or not."""
        if self._running.guard.poll() is None:
            self.thaw()
        self._running.stop()

    def _export(self, folder: str) -> None:
        request = {
            "database": f"projects/{self._project}/databases/(default)",
            "export_directory": folder,
            "export_name": "drill",
        }
        connection = http.client.HTTPConnection(self.host, timeout=_EXPORT_WITHIN_S)
        try:
            path = f"/emulator/v1/projects/{self._project}:export"
            connection.request("POST", path, json.dumps(request), {"Content-Type": "application/json"})
            answer = connection.getresponse()
            if answer.status != http.HTTPStatus.OK:
                raise Problem(f"the emulator answered {answer.status} to an export: {answer.read(300)!r}")
        finally:
            connection.close()


@contextmanager
def own_emulator(project: str) -> Iterator[OwnEmulator]:
    """Give an emulator that has been started; it ends with the block.

    Raises:
        Skipped: None is installed.
    """
    installed = emulator.find()
    if installed is None:
        raise Skipped(emulator.why_missing())
    own = OwnEmulator(installed, project)
    try:
        yield own
    finally:
        own.stop()


@contextmanager
def any_emulator() -> Iterator[str]:
    """Give the host:port of an emulator that others may use too.

    Raises:
        Skipped: There is none.
    """
    if not emulator.named_host() and not emulator.find():
        raise Skipped(emulator.why_missing())
    with emulator.running() as host:
        yield host


def process_group(group: int) -> set[int]:
    """Return the processes of a group; none where the system does not list them as Linux does."""
    members = set()
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            # pid (name) state parent group ...: a name may hold blanks and brackets, but not the last bracket
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            if int(fields[2]) == group:
                members.add(int(folder.name))
    return members
