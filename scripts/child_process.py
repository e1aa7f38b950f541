"""Start programs that never outlive this one, however it ends.

Standard library only. Each program runs in a process group of its own behind a small guard process, which holds the
reading end of a pipe from us: when we end, even by SIGKILL, the pipe closes and the guard takes the whole group down.
A Ctrl-C in the terminal reaches neither of them, so that we decide in which order things stop.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

STOPPED_WITHIN_S = 3.0
LOG_TAIL = 1500


@dataclass
class ChildProcess:
    """A started program; what it prints is kept, and shown by nobody unless asked for."""

    guard: subprocess.Popen[bytes]
    log: IO[bytes]

    def on_end(self, tell: Callable[[], object]) -> None:
        """Call `tell`, from a thread of its own, once the program has ended."""
        threading.Thread(target=lambda: (self.guard.wait(), tell()), daemon=True).start()

    def tail(self) -> str:
        """Return the end of what it printed, until `stop`."""
        end = self.log.seek(0, os.SEEK_END)
        self.log.seek(max(0, end - LOG_TAIL))
        return self.log.read().decode(errors="replace").strip()

    def ask_to_stop(self) -> None:
        """Tell its process group to end, and return at once."""
        self._signal(signal.SIGTERM)

    def stop(self) -> None:
        """End its process group, politely first; returns when the processes are gone. May be called twice."""
        self.ask_to_stop()
        try:
            self.guard.wait(timeout=STOPPED_WITHIN_S)
        except subprocess.TimeoutExpired:
            self._signal(signal.SIGKILL)
            self.guard.wait()
        if self.guard.stdin:
            self.guard.stdin.close()
        self.log.close()

    def kill(self) -> None:
        """End its process group as `kill -9` does, in the middle of whatever it does; `stop` is still to be called."""
        self._signal(signal.SIGKILL)
        self.guard.wait()

    def _signal(self, number: signal.Signals) -> None:
        # poll() first: once it is reaped, the number may belong to somebody else
        if self.guard.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(self.guard.pid, number)


def start(
    command: Sequence[str | Path], environment: Mapping[str, str], folder: Path, inherited: Sequence[int] = ()
) -> ChildProcess:
    """Start a program in `folder` with exactly this environment, without waiting for anything.

    Args:
        command: The program and what it is told.
        environment: All of it.
        folder: Where it works.
        inherited: File descriptors of ours that it has under the same numbers, such as sockets that listen.
    """
    log = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the child does
    guard = subprocess.Popen(
        [sys.executable, "-I", __file__, *map(str, command)],
        cwd=folder,
        env=dict(environment),
        stdin=subprocess.PIPE,
        stdout=log,
        stderr=log,
        start_new_session=True,
        pass_fds=inherited,
    )
    return ChildProcess(guard, log)


def _guard(command: list[str]) -> int:
    """Run `command` and end with it; take the whole process group down when stdin closes."""

    def outlive_nobody() -> None:
        # os.read and not sys.stdin: a buffer that a thread is reading cannot be closed when this process ends
        while os.read(0, 1024):
            pass
        os.killpg(0, signal.SIGKILL)

    # What is not meant for the program was closed before the guard began.
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, close_fds=False)
    # Not ignored but handled: an ignored signal would be inherited. Not before the program runs: until then a signal
    # that reaches the group must end the guard, or nobody would hear it.
    signal.signal(signal.SIGTERM, lambda *_: None)
    threading.Thread(target=outlive_nobody, daemon=True).start()
    code = process.wait()
    # What the program itself started and left behind goes too.
    os.killpg(0, signal.SIGTERM)
    return code


if __name__ == "__main__":
    sys.exit(_guard(sys.argv[1:]))
