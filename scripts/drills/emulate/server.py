"""Bring `emulate` from npm, whole and as its lock pins it, and run one of its services on 127.0.0.1."""

from __future__ import annotations

import atexit
import http.client
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import child_process
from command_line import Problem
from drills.result import Skipped
from testing.outside_parts import NO_NODE

FOLDER = Path(__file__).parent
_LISTS = ("package.json", "package-lock.json")
_NPM_CI = ("npm", "ci", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund", "--fetch-retries=1")
_PROGRAM = Path("node_modules/emulate/dist/index.js")
_BROUGHT_WITHIN_S, _READY_WITHIN_S = 120.0, 30.0


def version() -> str:
    """Return which emulate it is."""
    return str(json.loads((FOLDER / _LISTS[0]).read_text(encoding="utf-8"))["dependencies"]["emulate"])


@contextmanager
def emulating(service: str, seed: Mapping[str, Any]) -> Iterator[str]:
    """Give the base URL of a fresh service of emulate's; it ends with the block.

    Args:
        service: `twilio` or `google`.
        seed: What it holds at first, as emulate's own documentation writes it.

    Raises:
        Skipped: There is no Node, or npm cannot bring the package.
        Problem: It does not start.
    """
    installed = _brought()
    with tempfile.TemporaryDirectory(prefix="switchboard-drill-") as folder:
        seeds, port = Path(folder) / "seed.json", _free_port()
        seeds.write_text(json.dumps({service: seed}), encoding="utf-8")
        preload = ("--require", FOLDER / "loopback.cjs")
        options = ("start", "--port", str(port), "--service", service, "--seed", seeds)
        # Nothing but PATH: it reads its port and its address from the environment as well.
        environment = {"PATH": os.environ.get("PATH", "")}
        child = child_process.start(("node", *preload, installed / _PROGRAM, *options), environment, Path(folder))
        try:
            _wait_until_ready(child, port)
            yield f"http://127.0.0.1:{port}"
        finally:
            child.stop()


def _brought() -> Path:
    if not shutil.which("node") or not shutil.which("npm"):
        raise Skipped(NO_NODE)
    folder, problem = _installed()
    if problem:
        raise Skipped(f"npm cannot bring emulate {version()}, from its registry or its cache: {problem}")
    return folder


@cache
def _installed() -> tuple[Path, str]:
    """Install it once for all drills of this process; return where, and what kept npm from it, if anything."""
    folder = Path(tempfile.mkdtemp(prefix="switchboard-drill-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for name in _LISTS:
        shutil.copy(FOLDER / name, folder)
    try:
        done = subprocess.run(
            _NPM_CI, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=_BROUGHT_WITHIN_S
        )
    except subprocess.TimeoutExpired:
        return folder, f"not done after {_BROUGHT_WITHIN_S:g} s"
    output = done.stderr.decode(errors="replace").strip().splitlines() or [f"exit code {done.returncode}"]
    return folder, "" if done.returncode == 0 else _reason(output)


def _reason(lines_said: list[str]) -> str:
    """Return the first line of npm's that is a sentence, and not one of the codes before it."""
    lines = [line.removeprefix("npm error").strip() for line in lines_said]
    return next((line for line in lines if len(line.split()) > 3), lines[0])


def _wait_until_ready(child: child_process.ChildProcess, port: int) -> None:
    deadline = time.monotonic() + _READY_WITHIN_S
    while not _answers(port):
        if child.guard.poll() is not None or time.monotonic() > deadline:
            raise Problem(f"emulate {version()} does not start; the end of what it said:\n{child.tail()}")
        time.sleep(0.05)


def _answers(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
    try:
        connection.request("GET", "/")
        return connection.getresponse().status < http.HTTPStatus.INTERNAL_SERVER_ERROR
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
