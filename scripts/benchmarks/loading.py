"""Servers under load, each a program of its own, and the generator that loads them, another."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import child_process
import setting_up
from benchmarks.load_client import Order
from benchmarks.running_server import cpu_s_of, memory_mb_of
from command_line import Problem
from running import listening

SERVERS = Path(__file__).with_name("load_servers")
_CLIENT = Path(__file__).with_name("load_client.py")
_READY_WITHIN_S = 120.0
_BUSY = 0.95
KEY = "sb_load_000000"
_BODY = {
    "businessId": "business-000000",
    "name": "tool_0003",
    "args": {"customer_phone": "+4915112345678", "date": "%(session)s/%(turn)d", "limit": 3},
    "context": {
        "channel": "portal",
        "sessionId": "%(session)s",
        "callId": "%(session)s-%(number)d",
        "turn": "%(turn)d",
    },
}


@dataclass(frozen=True)
class Loaded:
    """What a load came to.

    Attributes:
        answered: How many requests were answered in the time.
        seconds: The time.
        server_cpu_s: What the server took of the processors in it, its children included.
        client_cpu_s: What the generator took.
        p50_ms: The median of the answers' times, and the time that 99 of 100 were faster than.
        refused: How many of the answers were not what was expected, and what one of them said.
    """

    answered: int
    seconds: float
    server_cpu_s: float
    client_cpu_s: float
    p50_ms: float
    p99_ms: float
    refused: int = 0
    example: str = ""

    @property
    def per_s(self) -> float:
        """Answers per second."""
        return self.answered / self.seconds

    @property
    def per_cpu_s(self) -> float:
        """Answers per second of the server's own CPU time: what it would give on a core that is its own."""
        return self.answered / self.server_cpu_s if self.server_cpu_s else 0.0

    @property
    def cpu_ms(self) -> float:
        """The server's CPU time for one answer, in milliseconds."""
        return self.server_cpu_s / self.answered * 1e3 if self.answered else 0.0

    @property
    def is_of_generator(self) -> bool:
        """Whether the generator was so busy that the figure is its own."""
        return self.client_cpu_s >= _BUSY * self.seconds

    def told(self) -> str:
        """Return it for a table."""
        load = f", generator {self.client_cpu_s / self.seconds:.0%} of a core"
        load += f", {self.refused:,} refused" if self.refused else ""
        return (
            f"{self.per_s:,.0f}/s, p50 {self.p50_ms:.1f} ms, p99 {self.p99_ms:.1f} ms, "
            f"{self.cpu_ms:.2f} ms CPU each{load}"
        )


@dataclass(frozen=True)
class Server:
    """A server that can be loaded."""

    port: int
    _process: child_process.ChildProcess

    def cpu_s(self) -> float:
        """Return the CPU time that it has taken so far."""
        return cpu_s_of(self._process)

    def memory_mb(self) -> float:
        """Return the resident memory that it holds."""
        return memory_mb_of(self._process)

    def kill(self) -> None:
        """End it as `kill -9` does."""
        self._process.kill()

    def load(self, order: Order) -> Loaded:
        """Load it as ordered.

        Raises:
            Problem: Answers are missing, or not what was expected.
        """
        if order.warm_s:
            _generated(replace(order, seconds=order.warm_s, warm_s=0, name=f"{order.name}-warm"))
        before_s = self.cpu_s()
        load = _generated(replace(order, warm_s=0))
        used_s = self.cpu_s() - before_s
        if load["lost"] or load["failed"] == load["answered"]:
            raise Problem(
                f"{load['failed']} of {load['answered']} answers are wrong and {load['lost']} connections were "
                f"lost; one of them: {load['example']}"
            )
        times = (load["p50_ms"], load["p99_ms"])
        wrong = (load["failed"], load["example"])
        return Loaded(load["answered"], load["seconds"], used_s, load["cpu_s"], *times, *wrong)


@contextmanager
def server(
    command: Sequence[str | Path], port: int = 0, environment: Mapping[str, str] | None = None
) -> Iterator[Server]:
    """Give a server that prints its port once it serves, or, with a port, that takes connections there.

    Raises:
        Problem: It does not come up.
    """
    process = child_process.start(command, {**os.environ, **(environment or {})}, setting_up.ROOT)
    try:
        yield Server(port or _printed(process), process) if not port else Server(_taking(process, port), process)
    finally:
        process.stop()


def ours(businesses: int = 1, definitions: int = 13, emulator: Sequence[str] = ()) -> Sequence[str | Path]:
    """Return the command of our server; `emulator` is host:port and project, memory without."""
    return (sys.executable, SERVERS / "ours.py", str(businesses), str(definitions), *emulator)


def order(
    port: int,
    connections: int,
    seconds: float,
    *,
    business: int = 0,
    definitions: int = 13,
    warm_s: float = 0.5,
    action: bool = False,
) -> Order:
    """Return the order for a look-up of our server, or for its action."""
    body = {**_BODY, "businessId": f"business-{business:06}", "name": f"tool_{min(3, definitions - 1):04}"}
    if action:
        body |= {"name": "note", "args": {"entry": "%(session)s/%(turn)d"}}
    text = json.dumps(body).replace('"%(turn)d"', "%(turn)d")
    headers = {"Authorization": f"Bearer sb_load_{business:06}"}
    name = f"l{time.monotonic_ns()}"
    return Order(
        *(listening.HOST, port, "/tools/execute", text, connections, seconds),
        '"ok":true',
        headers=headers,
        warm_s=warm_s,
        name=name,
    )


def _generated(order: Order) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, _CLIENT], input=json.dumps(asdict(order)) + "\n", capture_output=True, text=True
    )
    if done.returncode or not done.stdout.strip():
        raise Problem(f"the load generator failed: {done.stderr.strip()[-400:]}")
    parsed: dict[str, Any] = json.loads(done.stdout)
    return parsed


def _printed(process: child_process.ChildProcess) -> int:
    deadline = time.monotonic() + _READY_WITHIN_S
    while time.monotonic() < deadline and process.guard.poll() is None:
        last = process.tail().splitlines()[-1:]
        if last and last[0].isdigit():
            return int(last[0])
        time.sleep(0.05)
    raise Problem(f"a server did not come up; the end of what it said:\n{process.tail()}")


def _taking(process: child_process.ChildProcess, port: int) -> int:
    import socket

    deadline = time.monotonic() + _READY_WITHIN_S
    while time.monotonic() < deadline and process.guard.poll() is None:
        try:
            socket.create_connection((listening.HOST, port), 1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return port
    raise Problem(f"a server did not come up; the end of what it said:\n{process.tail()}")
