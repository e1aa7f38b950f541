"""How long an answer is waited for: not long for its first word, longer for all of it.

One timer for both: `asyncio.timeout` set anew at the first word costs as much as a short answer does.
"""

import asyncio
from types import TracebackType


class ModelTimeout:
    """Breaks its block off with a TimeoutError: after `first_s` unless `has_begun` was set, after `whole_s` anyway."""

    __slots__ = ("_alarm", "_cancels", "_is_over", "_rest_s", "_task", "first_s", "has_begun")

    def __init__(self, first_s: float, whole_s: float) -> None:
        """Begin to wait when the block is entered."""
        self.first_s, self._rest_s, self.has_begun = first_s, max(0.0, whole_s - first_s), False
        self._is_over, self._cancels = False, 0
        self._task: asyncio.Task[object] | None = None
        self._alarm: asyncio.TimerHandle | None = None

    async def __aenter__(self) -> "ModelTimeout":
        """Begin."""
        self._task = task = asyncio.current_task()
        assert task is not None
        self._cancels = task.cancelling()
        self._alarm = asyncio.get_running_loop().call_later(self.first_s, self._first_is_over)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End; what was broken off by time and by nobody else becomes a TimeoutError.

        Raises:
            TimeoutError: The time was up.
        """
        assert self._task is not None and self._alarm is not None
        self._alarm.cancel()
        if self._is_over and self._task.uncancel() <= self._cancels and kind is asyncio.CancelledError:
            raise TimeoutError from error

    def _first_is_over(self) -> None:
        if not self.has_begun:
            self._end()
        else:
            self._alarm = asyncio.get_running_loop().call_later(self._rest_s, self._end)

    def _end(self) -> None:
        assert self._task is not None
        self._is_over = True
        self._task.cancel()
