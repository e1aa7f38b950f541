"""A watch on the event loop: what holds every conversation of this process up is told, with the task that did it.

The loop notes that it turns; a thread looks at the notes, and at the task that runs while they do not come.
"""

import asyncio
import logging
import sys
import threading
import time

from prometheus_client import CollectorRegistry, Counter

log = logging.getLogger("switchboard.loop_watch")

LONGEST_STEP_S = 0.2
_TURNS_EVERY_S = 0.02
_LOOKS_EVERY_S = 0.05
# An instance without a request may get no processor for minutes; nobody is held up by that.
_BUSY_PART = 0.05
_BUSY_LOOKS = 3


class LoopWatch:
    """Counts and logs steps of the running loop that take longer than 200 ms."""

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        """Watch nothing yet; count in a registry, which shows it."""
        help = "Steps of the event loop of more than 200 ms."
        self._stalls = Counter("event_loop_stalls", help, ("task",), registry=registry)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._turned = self._due = 0.0
        self._used = 0.0
        self._looks = 0
        self._seen: tuple[str, str] = ("", "")

    def begin(self) -> None:
        """Watch the running loop, unless that is being done."""
        loop = asyncio.get_running_loop()
        if self._loop is loop:
            return
        self._loop = loop
        self._turn_on(loop)
        watcher = threading.Thread(target=self._look, args=(loop, threading.get_ident()), daemon=True)
        watcher.name = "loop watch"
        watcher.start()

    def end(self) -> None:
        """Watch no more."""
        self._loop = None
        if self._timer is not None:
            self._timer.cancel()

    def _turn_on(self, loop: asyncio.AbstractEventLoop) -> None:
        self._turned, self._used, self._looks = time.monotonic(), time.process_time(), 0
        self._due = self._turned + _TURNS_EVERY_S
        self._timer = loop.call_later(_TURNS_EVERY_S, self._turn, loop)

    def _turn(self, loop: asyncio.AbstractEventLoop) -> None:
        late_s = time.monotonic() - self._due
        # A step of native code lets nobody look before it ends, but uses the processor; one that waits is looked at.
        is_busy = self._looks >= _BUSY_LOOKS or time.process_time() - self._used >= _BUSY_PART * late_s
        # The step began before it was due: what is told is its least length.
        if late_s >= LONGEST_STEP_S and is_busy:
            task, place = self._seen if self._looks else ("unknown", "unknown")
            self._stalls.labels(task).inc()
            log.warning(
                "a step held the event loop up", extra={"elapsed_ms": round(late_s * 1e3), "task": task, "place": place}
            )
        if self._loop is loop:
            self._turn_on(loop)

    def _look(self, loop: asyncio.AbstractEventLoop, thread: int) -> None:
        while self._loop is loop and not loop.is_closed():
            time.sleep(_LOOKS_EVERY_S)
            if time.monotonic() - self._turned > LONGEST_STEP_S / 2:
                seen = _running(loop, thread)
                # Of a step that ends just now the first look tells more than the last one.
                if not self._looks or seen[0] != "no task":
                    self._seen = seen
                self._looks += 1


def _running(loop: asyncio.AbstractEventLoop, thread: int) -> tuple[str, str]:
    """Return which task runs, by its coroutine, and where it is, as far as that is code of ours."""
    task = asyncio.current_task(loop)
    coroutine = task.get_coro() if task is not None else None
    name = str(getattr(coroutine, "__qualname__", "") or "no task")
    frame = sys._current_frames().get(thread)
    innermost = ""
    while frame is not None:
        module = str(frame.f_globals.get("__name__", ""))
        place = f"{module}:{frame.f_lineno} {frame.f_code.co_name}"
        innermost = innermost or place
        if module.startswith("switchboard."):
            return name, place
        frame = frame.f_back
    return name, innermost
