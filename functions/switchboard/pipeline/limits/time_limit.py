"""Time limits of many calls on one timer, with the manners of `asyncio.timeout` at a fraction of its price.

A timer for each call costs as much as all of its checks together, and nearly all of them are never needed.
"""

import asyncio
import time
from math import inf
from typing import Any, Generic, Protocol, TypeVar


class Limited(Protocol):
    """What has a time limit; the limits themselves set all of this.

    Attributes:
        ends_at: When its time is up, on the monotonic clock.
        task: Who works on it, None before and after.
        cancelling: How often that task was being cancelled when the work began.
        is_up: Whether it was cancelled because its time is up; False before.
    """

    ends_at: float
    task: "asyncio.Task[Any] | None"
    cancelling: int
    is_up: bool


W = TypeVar("W", bound=Limited)


class TimeLimits(Generic[W]):
    """Cancels the tasks of what takes too long; there is one timer, set for whatever ends first.

    Attributes:
        open: What is limited now.
    """

    def __init__(self) -> None:
        """Start with nothing to limit."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self.open: set[W] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._fires_at = inf

    def begin(self, work: W, ends_at: float) -> None:
        """Limit what the current task does from now on, until `end`; limits do not stand inside each other."""
        # Asking for a task of the loop that is known costs a third of asking which loop it is.
        task = (asyncio.current_task(self._loop) if self._loop is not None else None) or self._moved()
        work.ends_at, work.task, work.cancelling = ends_at, task, task.cancelling()
        self.open.add(work)
        if ends_at < self._fires_at:
            self._set(ends_at)

    def end(self, work: W) -> bool:
        """Limit it no more; tell whether its time was up and nobody else has cancelled the task as well."""
        task, work.task = work.task, None
        self.open.discard(work)
        return work.is_up and task is not None and task.uncancel() <= work.cancelling

    def _moved(self) -> "asyncio.Task[Any]":
        self.open.clear()
        self._loop, self._timer, self._fires_at = asyncio.get_running_loop(), None, inf
        task = asyncio.current_task(self._loop)
        assert task is not None
        return task

    def _set(self, at: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        assert self._loop is not None
        self._timer, self._fires_at = self._loop.call_later(max(0.0, at - time.monotonic()), self._fire), at

    def _fire(self) -> None:
        self._timer, self._fires_at = None, inf
        now = time.monotonic()
        for work in [work for work in self.open if work.ends_at <= now]:
            self.open.discard(work)
            assert work.task is not None
            work.is_up = True
            work.task.cancel()
        if self.open:
            self._set(min(work.ends_at for work in self.open))
