"""A loop whose time jumps to whatever is due next, and everything else that would differ from run to run.

Nothing waits: what would sleep for an hour goes on at once, an hour later. A history of minutes takes milliseconds, and
is the same whenever it is made again.
"""

from __future__ import annotations

import asyncio
import os
import random
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

BEGINS = datetime(2026, 12, 1, 15, tzinfo=UTC)
"""When every history begins: a Tuesday morning in New York."""
_FIRST = 1_000.0


class NothingIsDue(RuntimeError):
    """Everybody waits, and for nothing that will ever happen."""


class SimulatedLoop(asyncio.BaseEventLoop):
    """An event loop without sockets, whose clock stands still while something runs and jumps while nothing does."""

    def __init__(self) -> None:
        """Begin at a time that is the same in every run."""
        super().__init__()  # type: ignore[no-untyped-call]
        self._now = _FIRST
        # In place of the operating system, which is asked how long to wait.
        self._selector = self
        self.set_exception_handler(lambda loop, context: None)

    def time(self) -> float:
        """Return the seconds of this world."""
        return self._now

    def select(self, timeout: float | None) -> list[Any]:
        """Let the time go by until something is due.

        Raises:
            NothingIsDue: Nothing ever is.
        """
        if timeout is None:
            raise NothingIsDue("everybody waits for something that will never happen")
        self._now += timeout
        return []

    def run_in_executor(self, executor: Any, func: Callable[..., Any], *args: Any) -> asyncio.Future[Any]:  # type: ignore[override]
        """Do it here and now: a thread would take as long as the machine lets it."""
        future = self.create_future()
        try:
            future.set_result(func(*args))
        except Exception as error:
            # As an executor does.
            future.set_exception(error)
        return future

    def _process_events(self, event_list: list[Any]) -> None:
        """There are none."""

    def _write_to_self(self) -> None:
        """Nobody sleeps who would have to be woken."""


class SimulatedClock:
    """What one instance takes for the time: the world's, put forward or back.

    Attributes:
        ahead: How far it is wrong.
    """

    def __init__(self, loop: SimulatedLoop) -> None:
        """Be right."""
        self._loop, self.ahead = loop, timedelta()

    def now(self) -> datetime:
        """Return the time, aware, in UTC."""
        return BEGINS + timedelta(seconds=round(self._loop.time() - _FIRST, 6)) + self.ahead

    def monotonic(self) -> float:
        """Return seconds that no jump of the clock moves."""
        return self._loop.time()


@contextmanager
def simulated(loop: SimulatedLoop, seed: str) -> Iterator[None]:
    """Let monotonic time be the loop's, and every random byte, identifier and pause a function of the seed."""
    chance = random.Random(f"{seed}/bytes")
    replaced: list[tuple[Any, str, Any]] = [
        (time, "monotonic", loop.time),
        (os, "urandom", chance.randbytes),
        (random, "_urandom", chance.randbytes),
        # What a dead instance leaves half-done is told nobody.
        (sys, "unraisablehook", lambda problem: None),
    ]
    before = [(owner, name, getattr(owner, name)) for owner, name, _ in replaced]
    state = random.getstate()
    try:
        for owner, name, value in replaced:
            setattr(owner, name, value)
        random.seed(seed)
        yield
    finally:
        for owner, name, value in before:
            setattr(owner, name, value)
        random.setstate(state)
