"""Servers to drill: started in a tenth of a second, and ended with the drill, however it ends."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import child_process
import setting_up
from command_line import Problem
from running import listening

PROGRAM = Path(__file__).with_name("server.py")
_READY_WITHIN_S = 60.0
_shared: Callable[[], Servers] | None = None


@dataclass
class Server:
    """A running server; it ends when it is closed."""

    pid: int
    url: str
    _reader: asyncio.StreamReader
    _writer: asyncio.StreamWriter

    async def was_killed(self, within_s: float) -> bool:
        """Wait until its process is gone; true if it killed itself as it was told to."""
        line = b""
        with suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                line = await self._reader.readline()
                await self._reader.read()
        return bool(line)

    async def close(self) -> None:
        """End it."""
        self._writer.close()
        with suppress(OSError):
            await self._writer.wait_closed()

    def waited_s(self) -> float:
        """Return how long its main thread could run but had no core to run on, in seconds; 0 where nobody tells."""
        path = Path(f"/proc/{self.pid}/schedstat")
        return int(path.read_text().split()[1]) / 1e9 if path.exists() else 0.0

    def memory_mb(self) -> tuple[float, float] | None:
        """Return how much memory it holds and the most it has held, in MB; None where Linux's /proc is missing."""
        status = Path(f"/proc/{self.pid}/status")
        if not status.exists():
            return None
        lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
        now_kb, most_kb = (int(lines[name].split()[0]) for name in ("VmRSS", "VmHWM"))
        return now_kb / 1024, most_kb / 1024


class Servers:
    """Where servers come from."""

    def __init__(self, socket: str, process: child_process.ChildProcess) -> None:
        self._socket, self._process = socket, process

    async def start(
        self,
        emulator: str,
        project: str,
        *,
        policy: Mapping[str, float] | None = None,
        reaper_s: float | None = None,
        crash: tuple[str, bool] | None = None,
        google_url: str = "",
        microsoft_url: str = "",
        caldav: str = "",
        booking_lease_s: float | None = None,
        twilio_url: str = "",
        egress: str = "",
    ) -> Server:
        """Start a server over an emulator and return once it serves; see `server.Settings`.

        Raises:
            Problem: It does not come up.
        """
        settings = {"emulator": emulator, "project": project, "policy": dict(policy or {})}
        settings |= {"reaper_s": reaper_s, "crash": crash}
        settings |= {"google_url": google_url, "microsoft_url": microsoft_url, "booking_lease_s": booking_lease_s}
        settings |= {"twilio_url": twilio_url, "egress": egress, "caldav": caldav}
        reader, writer = await self._connect()
        writer.write(json.dumps(settings).encode() + b"\n")
        line = b""
        with suppress(TimeoutError):
            async with asyncio.timeout(_READY_WITHIN_S):
                line = await reader.readline()
        if not line:
            writer.close()
            raise Problem(f"a server did not start; the end of what it said:\n{self.tail()}")
        parsed = json.loads(line)
        return Server(parsed["pid"], f"http://{listening.HOST}:{parsed['port']}", reader, writer)

    def tail(self) -> str:
        """Return the end of what the servers have logged."""
        return self._process.tail()

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        deadline = time.monotonic() + _READY_WITHIN_S
        while True:
            try:
                return await asyncio.open_unix_connection(self._socket)
            except OSError:
                if self._process.guard.poll() is not None or time.monotonic() > deadline:
                    raise Problem(f"no servers can be started:\n{self.tail()}") from None
            await asyncio.sleep(0.05)


@contextmanager
def servers() -> Iterator[Servers]:
    """Give a source of servers; all of them end with the block, or with the one of `shared_servers` around it."""
    if _shared is not None:
        yield _shared()
        return
    with ExitStack() as stack:
        yield _source(stack)


@contextmanager
def shared_servers() -> Iterator[None]:
    """Let all blocks of `servers` within this one have the same source, started by the first of them."""
    global _shared
    with ExitStack() as stack:
        _shared = cache(lambda: _source(stack))
        try:
            yield
        finally:
            _shared = None


def _source(stack: ExitStack) -> Servers:
    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="switchboard-drill-"))
    socket = os.path.join(folder, "servers")
    process = child_process.start((sys.executable, PROGRAM, socket), os.environ, setting_up.ROOT)
    stack.callback(process.stop)
    return Servers(socket, process)
