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
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import Context, copy_context
from datetime import UTC, datetime, timedelta
from heapq import heappop, heappush
from itertools import count
from typing import Any

BEGINS = datetime(2026, 12, 1, 15, tzinfo=UTC)
"""When every history begins: a Tuesday morning in New York."""
_FIRST = 1_000.0


class NothingIsDue(RuntimeError):
    """Everybody waits, and for nothing that will ever happen."""


class _Due:
    """Something that is to be called, as `asyncio.TimerHandle` without what nobody here asks of it."""

    __slots__ = ("args", "at", "callback", "context", "is_cancelled")

    def __init__(self, callback: Callable[..., Any], args: tuple[Any, ...], context: Context | None, at: float = 0.0):
        self.callback, self.args, self.at, self.is_cancelled = callback, args, at, False
        self.context = copy_context() if context is None else context

    def cancel(self) -> None:
        """Let it not be called any more, and hold nothing of what it would have been called with."""
        self.is_cancelled, self.callback, self.args = True, _nothing, ()

    def cancelled(self) -> bool:
        """Tell whether it will not be called."""
        return self.is_cancelled

    def when(self) -> float:
        """Return when it is due."""
        return self.at

    def run(self, loop: asyncio.AbstractEventLoop) -> None:
        """Call it, unless somebody thought better of it."""
        if self.is_cancelled:
            return
        try:
            self.context.run(self.callback, *self.args)
        except (SystemExit, KeyboardInterrupt, NothingIsDue):
            raise
        except BaseException as error:
            loop.call_exception_handler({"message": "what was due has failed", "exception": error})


def _nothing() -> None:
    """Do nothing."""


class SimulatedLoop(asyncio.BaseEventLoop):
    """An event loop without sockets, whose clock stands still while something runs and jumps while nothing does."""

    def __init__(self) -> None:
        """Begin at a time that is the same in every run."""
        super().__init__()  # type: ignore[no-untyped-call]
        self._now = _FIRST
        self._timers: list[tuple[float, int, _Due]] = []
        self._numbers = count()
        self.set_exception_handler(lambda loop, context: None)

    def time(self) -> float:
        """Return the seconds of this world."""
        return self._now

    def call_soon(self, callback: Callable[..., Any], *args: Any, context: Context | None = None) -> _Due:  # type: ignore[override]
        """Call something after what is to be called already."""
        due = _Due(callback, args, context)
        self._ready.append(due)
        return due

    def call_later(
        self, delay: float, callback: Callable[..., Any], *args: Any, context: Context | None = None
    ) -> _Due:  # type: ignore[override]
        """Call something so many seconds from now."""
        return self.call_at(self._now + delay, callback, *args, context=context)

    def call_at(self, when: float, callback: Callable[..., Any], *args: Any, context: Context | None = None) -> _Due:  # type: ignore[override]
        """Call something at a time of this loop; of several at one time whoever asked first comes first."""
        due = _Due(callback, args, context, when)
        heappush(self._timers, (when, next(self._numbers), due))
        return due

    def _run_once(self) -> None:
        """Call everything that is due, and before that let the time go by until something is.

        Raises:
            NothingIsDue: Nothing ever is.
        """
        ready, timers = self._ready, self._timers
        while timers and timers[0][2].is_cancelled:
            heappop(timers)
        if not ready:
            if not timers:
                raise NothingIsDue("everybody waits for something that will never happen")
            self._now = max(self._now, timers[0][0])
        while timers and timers[0][0] <= self._now:
            ready.append(heappop(timers)[2])
        for _ in range(len(ready)):
            ready.popleft().run(self)

    def run_in_executor(self, executor: Any, func: Callable[..., Any], *args: Any) -> asyncio.Future[Any]:  # type: ignore[override]
        """Do it here and now: a thread would take as long as the machine lets it."""
        future = self.create_future()
        try:
            future.set_result(func(*args))
        except Exception as error:
            # As an executor does.
            future.set_exception(error)
        return future

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
    state, loaded = random.getstate(), set(sys.modules)
    try:
        for owner, name, value in replaced:
            setattr(owner, name, value)
        random.seed(seed)
        yield
    finally:
        for owner, name, value in before:
            setattr(owner, name, value)
        random.setstate(state)
        real = {id(value): earlier for (_, _, value), (_, _, earlier) in zip(replaced, before, strict=True)}
        _let_go(real, set(sys.modules) - loaded)


def _let_go(real: Mapping[int, Any], names: Iterable[str]) -> None:
    """Give modules that were loaded meanwhile what they would have had: a time that stands still is waited for ever."""
    for module in [sys.modules[name] for name in names]:
        held = [(name, value) for name, value in vars(module).items() if id(value) in real]
        for name, value in held:
            setattr(module, name, real[id(value)])
