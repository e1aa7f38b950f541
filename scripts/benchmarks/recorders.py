"""Three that record a call, so that it is safe against redelivery and `kill -9`: ours, DBOS and Restate.

Each is a service, which is killed and loaded, and a store or server that it records with: the Firestore emulator, a
PostgreSQL of this machine, a Restate server. Everything listens on 127.0.0.1 only and keeps its data in a folder that
goes with it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import child_process
from benchmarks import loading
from benchmarks.figure import Skipped
from benchmarks.load_client import Order
from benchmarks.loading import SERVERS, Server
from benchmarks.peers import environment
from benchmarks.planted import NOTES
from benchmarks.running_server import cpu_s_of
from command_line import Problem
from running import emulator, listening

DBOS = ("dbos==3.4.0", "uvicorn==0.54.0", "uvloop==0.23.0", "httptools==0.9.0")
RESTATE = ("restate_sdk==1.3.0", "hypercorn==0.18.0", "uvloop==0.23.0")
RESTATE_SERVER = "@restatedev/restate-server@1.7.12"
_READY_WITHIN_S = 60.0
_POLL_S = 0.05
_DEBIAN_POSTGRES = Path("/usr/lib/postgresql")


@dataclass
class Recorder:
    """One that records calls, while it runs.

    Attributes:
        name: For a table.
        log: The file that its calls add a line to.
        command: What starts its service, which prints its port unless it is given one.
        port: Of the service, where it does not print one.
        front: Who is called, where that is not the service itself: a port.
        store: What it records with; None where somebody else runs it.
        path: Of a call.
        body: And the JSON of one, with what `load_client.Order` fills in.
        headers: Likewise.
        expected: What an answer of a call that was carried out holds.
    """

    name: str
    log: Path
    command: Sequence[str | Path]
    path: str
    body: str
    expected: str
    headers: dict[str, str] = field(default_factory=dict)
    port: int = 0
    front: int = 0
    store: child_process.ChildProcess | None = None
    service: Server | None = None
    _running: ExitStack = field(default_factory=ExitStack)

    def start(self) -> None:
        """Start the service, and return when it serves."""
        with_log = {NOTES: str(self.log)}
        self.service = self._running.enter_context(loading.server(self.command, self.port, with_log))

    def kill(self) -> None:
        """End the service as `kill -9` does."""
        assert self.service is not None
        self.service.kill()
        self._running.pop_all().close()

    def stop(self) -> None:
        """End the service."""
        self._running.close()

    def order(self, connections: int, seconds: float) -> Order:
        """Return the order for a load of new calls."""
        assert self.service is not None
        return Order(
            *(listening.HOST, self.front or self.service.port, self.path, self.body, connections, seconds),
            self.expected,
            headers=self.headers,
            calls_a_session=4,
            name=f"n{time.monotonic_ns()}",
        )

    def store_cpu_s(self) -> float | None:
        """Return the CPU time that what it records with has taken so far, if that is ours to see."""
        return cpu_s_of(self.store) if self.store else None


@contextmanager
def ours(folder: Path) -> Iterator[Recorder]:
    """Give Switchboard over the Firestore emulator.

    Raises:
        Skipped: There is no emulator.
    """
    if not emulator.named_host() and not emulator.find():
        raise Skipped(emulator.why_missing())
    body = {
        "businessId": "business-000000",
        "name": "note",
        "args": {"entry": "%(session)s-%(number)d"},
        "context": {"channel": "portal", "sessionId": "%(session)s", "callId": "%(session)s-%(number)d", "turn": 1},
    }
    text = json.dumps(body).replace('"turn": 1', '"turn": %(turn)d')
    with ExitStack() as running:
        # One of our own, so that what it takes can be told.
        program = None if emulator.named_host() else emulator.find()
        started = running.enter_context(program.start()) if program else None
        host = started.host if started else running.enter_context(emulator.running())
        project = f"demo-bench-{uuid.uuid4().hex[:8]}"
        recorder = Recorder(
            "Switchboard over the Firestore emulator",
            folder / "ours.log",
            loading.ours(emulator=(host, project)),
            "/tools/execute",
            text,
            '"ok":true',
            {"Authorization": f"Bearer {loading.KEY}"},
            store=started.child if started else None,
        )
        try:
            yield recorder
        finally:
            recorder.stop()
            emulator.clear(host, project)


@contextmanager
def dbos(folder: Path) -> Iterator[Recorder]:
    """Give DBOS over PostgreSQL.

    Raises:
        Skipped: There is no PostgreSQL.
        Problem: It, or DBOS, cannot be had.
    """
    python = environment(*DBOS)
    with _postgres(folder / "postgres") as (store, url):
        log = folder / "dbos.log"
        command = (python, SERVERS / "recorded.py", "dbos", log, url)
        text = json.dumps({"id": "%(session)s-%(number)d", "entry": "%(session)s-%(number)d"})
        recorder = Recorder("DBOS over PostgreSQL", log, command, "/call", text, '"noted": true', store=store)
        try:
            yield recorder
        finally:
            recorder.stop()


@contextmanager
def restate(folder: Path) -> Iterator[Recorder]:
    """Give Restate: its server, and a service of its SDK.

    Raises:
        Problem: One of them cannot be had.
    """
    python, program = environment(*RESTATE), _restate_program()
    fabric, front, admin, port = (listening.require_free(0, "--port") for _ in range(4))
    data = folder / "restate"
    data.mkdir()
    at = {"": fabric, "INGRESS__": front, "ADMIN__": admin}
    addresses = {f"RESTATE_{part}BIND_ADDRESS": f"{listening.HOST}:{number}" for part, number in at.items()}
    settings = {"RESTATE_BASE_DIR": str(data), "RESTATE_LISTEN_MODE": "tcp", "RESTATE_DISABLE_TELEMETRY": "true"}
    store = child_process.start((program, "--no-logo"), {**os.environ, **settings, **addresses}, data)
    log = folder / "restate.log"
    recorder = Recorder(
        "Restate",
        log,
        (python, SERVERS / "recorded.py", "restate", log, str(port)),
        "/notes/note",
        json.dumps({"entry": "%(session)s-%(number)d"}),
        '"noted": true',
        {"Idempotency-Key": "%(session)s-%(number)d"},
        port=port,
        front=front,
        store=store,
    )
    try:
        recorder.start()
        _until(lambda: _register(admin, port), store, "Restate's server")
        yield recorder
    finally:
        recorder.stop()
        store.stop()


def _register(admin: int, port: int) -> bool:
    body = json.dumps({"uri": f"http://{listening.HOST}:{port}"}).encode()
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(f"http://{listening.HOST}:{admin}/deployments", body, headers)
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return bool(answer.status < 300)
    except OSError:
        return False


def _restate_program() -> Path:
    npm = shutil.which("npm")
    if not npm:
        raise Problem("Restate's server comes by npm, which is not on PATH: apt-get install nodejs npm")
    folder = environment(*RESTATE).parents[1] / "server"
    programs = list(folder.glob("node_modules/@restatedev/restate-server-*/bin/restate-server"))
    if programs:
        return programs[0]
    folder.mkdir(exist_ok=True)
    command = [npm, "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", folder]
    done = subprocess.run([*command, RESTATE_SERVER], capture_output=True, text=True)
    programs = list(folder.glob("node_modules/@restatedev/restate-server-*/bin/restate-server"))
    if done.returncode or not programs:
        raise Problem(f"{RESTATE_SERVER} cannot be installed: {done.stderr.strip()[-300:]}")
    return programs[0]


@contextmanager
def _postgres(folder: Path) -> Iterator[tuple[child_process.ChildProcess, str]]:
    initdb = shutil.which("initdb") or max(map(str, _DEBIAN_POSTGRES.glob("*/bin/initdb")), default="")
    if not initdb:
        raise Skipped("there is no PostgreSQL here: apt-get install postgresql")
    # Where its other programs are, whatever links to this one.
    programs = Path(initdb).resolve().parent
    folder.mkdir()
    # PostgreSQL refuses to run as root.
    user: list[str | Path] = []
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres", "postgres")
        user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
    data = folder / "data"
    options = ("-D", data, "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C")
    made = subprocess.run([*user, initdb, *options], capture_output=True, text=True, cwd=folder)
    if made.returncode:
        raise Problem(f"PostgreSQL's folder cannot be made: {made.stderr.strip()[-300:]}")
    port = listening.require_free(0, "--port")
    sockets = ("-c", f"listen_addresses={listening.HOST}", "-c", "unix_socket_directories=")
    command = (*user, programs / "postgres", "-D", data, "-p", str(port), *sockets)
    store = child_process.start(command, os.environ, folder)
    try:
        ready = [programs / "pg_isready", "-q", "-h", listening.HOST, "-p", str(port)]
        _until(lambda: subprocess.run(ready).returncode == 0, store, "PostgreSQL")
        yield store, f"postgresql://postgres@{listening.HOST}:{port}/notes"
    finally:
        store.stop()


def _until(is_ready: Any, process: child_process.ChildProcess, name: str) -> None:
    deadline = time.monotonic() + _READY_WITHIN_S
    while time.monotonic() < deadline and process.guard.poll() is None:
        if is_ready():
            return
        time.sleep(_POLL_S)
    raise Problem(f"{name} did not become ready; the end of what it said:\n{process.tail()}")
