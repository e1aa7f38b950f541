"""A server of a figure's own, as scripts/run starts it, over the emulator; with a stand-in for Google where wanted."""

from __future__ import annotations

import asyncio
import base64
import os
import secrets
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp

import child_process
import setting_up
from benchmarks.figure import Skipped
from command_line import Problem
from running import emulator, listening
from running.secrets_key import VARIABLE as SECRETS_KEY
from running.standing_in import GOOGLE, GOOGLE_CLIENT, TWILIO

KEY = "sb_bench"
RUN = setting_up.ROOT / "scripts" / "run"
_READY_WITHIN_S = 90.0


@dataclass(frozen=True)
class RunningServer:
    """A server that serves.

    Attributes:
        url: Its address.
        emulator: host:port of its store.
        project: The emulator's project.
        secrets_key: What it reads its secrets with.
        google_url: The stand-in for Google that it asks; empty without one.
    """

    url: str
    emulator: str
    project: str
    secrets_key: str
    google_url: str
    process: child_process.ChildProcess

    def cpu_s(self) -> float:
        """Return the CPU time it has taken so far; 0 where the system does not tell as Linux does."""
        return cpu_s_of(self.process)


@contextmanager
def running_server(*, google: bool = False) -> Iterator[RunningServer]:
    """Give a server with the demo businesses, demo-salon's key being `KEY`; it ends with the block.

    Raises:
        Skipped: There is no emulator.
        Problem: It does not become ready.
    """
    if not emulator.named_host() and not emulator.find():
        raise Skipped(emulator.why_missing())
    project, key = f"demo-bench-{uuid.uuid4().hex[:8]}", base64.b64encode(secrets.token_bytes(32)).decode()
    with ExitStack() as running:
        host = running.enter_context(emulator.running())
        # Before the server's end its emulator, named by somebody else perhaps, is asked to forget it all.
        running.callback(emulator.clear, host, project)
        environment = {
            **os.environ,
            "FIRESTORE_EMULATOR_HOST": host,
            "GOOGLE_CLOUD_PROJECT": project,
            "SWITCHBOARD_DEMO_KEY": KEY,
            SECRETS_KEY: key,
        }
        google_url = _stand_in(running) if google else ""
        if google:
            environment |= {GOOGLE: google_url, **GOOGLE_CLIENT}
            environment.pop(TWILIO, None)
        port = listening.require_free(0, "--port")
        command = (sys.executable, RUN, "--store", "emulator", "--no-admin", "--no-stand-ins", "--port", str(port))
        server = child_process.start(command, environment, setting_up.ROOT)
        running.callback(server.stop)
        url = f"http://{listening.HOST}:{port}"
        asyncio.run(_until_ready(server, url, "scripts/run"))
        yield RunningServer(url, host, project, key, google_url, server)


def _stand_in(running: ExitStack) -> str:
    port = listening.require_free(0, "--port")
    command = (sys.executable, "-m", "stand_ins.google_calendar", "--port", str(port))
    child = child_process.start(command, os.environ, setting_up.ROOT / "scripts")
    running.callback(child.stop)
    url = f"http://{listening.HOST}:{port}"
    asyncio.run(_until_ready(child, url, "the stand-in for Google"))
    return url


async def _until_ready(process: child_process.ChildProcess, url: str, name: str) -> None:
    deadline = time.monotonic() + _READY_WITHIN_S
    async with aiohttp.ClientSession() as http:
        while time.monotonic() < deadline and process.guard.poll() is None:
            try:
                async with http.get(f"{url}/healthz") as answer:
                    if answer.status == 200:
                        return
            except aiohttp.ClientConnectionError:
                await asyncio.sleep(0.1)
    raise Problem(f"{name} did not become ready; the end of what it said:\n{process.tail()}")


def cpu_s_of(process: child_process.ChildProcess) -> float:
    """Return the CPU time that a child's processes have taken so far; 0 where the system does not tell."""
    return sum(map(_cpu_s, _started_by(process.guard.pid)))


def memory_mb_of(process: child_process.ChildProcess) -> float:
    """Return the resident memory of the largest of a child's processes; 0 where the system does not tell."""
    return max(map(_resident_mb, _started_by(process.guard.pid)), default=0.0)


def _started_by(guard: int) -> list[Path]:
    """Return the folders of the processes of a guard's group, and of those below them that left it for their own."""
    every = {folder.name: fields for folder in Path("/proc").glob("[0-9]*") if (fields := _fields(folder))}
    parents = {name: fields[1] for name, fields in every.items()}

    def is_below(name: str) -> bool:
        while name in parents:
            name = parents[name]
            if name == str(guard):
                return True
        return False

    members = [name for name, fields in every.items() if int(fields[2]) == guard or is_below(name)]
    return [Path("/proc", name) for name in members if name != str(guard)]


def _cpu_s(folder: Path) -> float:
    fields = _fields(folder)
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") if fields else 0.0


def _resident_mb(folder: Path) -> float:
    try:
        return int((folder / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    except OSError:
        return 0.0


def _fields(folder: Path) -> list[str]:
    try:
        # pid (name) state parent group ...: a name may hold blanks and brackets, but not the last bracket
        return (folder / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []
