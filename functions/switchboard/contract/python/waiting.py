"""Time that work spends waiting for somebody else who is at the same thing, which is no fault of the work.

Whoever limits how long work may take lets it take so much longer. The work itself says when it waits.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class Wait:
    """How long the work that was begun within it has waited for others by now."""

    def __init__(self, outer: "Wait | None" = None) -> None:
        """Begin with nothing; what is waited within it, is waited within `outer` as well."""
        self.outer = outer
        self._waited_s, self._since, self._waiting = 0.0, 0.0, 0
        self._joined: list[tuple[Wait, float]] = []

    @property
    def waited_s(self) -> float:
        """Seconds, up to now."""
        going_on = time.monotonic() - self._since if self._waiting else 0.0
        return self._waited_s + going_on + sum(other.waited_s - before for other, before in self._joined)

    def join(self, other: "Wait") -> None:
        """Wait with others' work from now on, and so for whatever it waits for."""
        if other is not self:
            self._joined.append((other, other.waited_s))

    def begin(self) -> None:
        """Note that it waits from now on, once more where it does already."""
        if not self._waiting:
            self._since = time.monotonic()
        self._waiting += 1

    def end(self) -> None:
        """Note that it waits once less."""
        self._waiting -= 1
        if not self._waiting:
            self._waited_s += time.monotonic() - self._since


_CURRENT: ContextVar[Wait | None] = ContextVar("wait", default=None)


@contextmanager
def limited() -> Iterator[Wait]:
    """Return what tells how long the work has waited that is begun within this."""
    wait = Wait(_CURRENT.get())
    token = _CURRENT.set(wait)
    try:
        yield wait
    finally:
        _CURRENT.reset(token)


def current_wait() -> Wait:
    """Return what tells it of the work that is under way here; one that nobody asks where nobody limits it."""
    return _CURRENT.get() or Wait()


@contextmanager
def waiting_for_others() -> Iterator[None]:
    """Say that the work waits for somebody else, for as long as this is entered."""
    waits, wait = list[Wait](), _CURRENT.get()
    while wait is not None:
        waits.append(wait)
        wait = wait.outer
    for each in waits:
        each.begin()
    try:
        yield
    finally:
        for each in waits:
            each.end()
