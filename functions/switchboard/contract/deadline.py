"""The time that is left, carried alongside the call instead of through every signature.

The dispatcher sets an absolute end before a handler runs; the store and the integrations read it, so that no client
ever waits longer than the caller does. Times are seconds on the monotonic clock.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_ENDS_AT: ContextVar[float | None] = ContextVar("switchboard_deadline", default=None)


def bounded(policy_s: float) -> float:
    """Return how many seconds a client may take: its own policy, or what remains of the call if that is less.

    Never less than 10 ms, so that a client fails by its own time-out rather than by a nonsensical one.
    """
    ends_at = _ENDS_AT.get()
    if ends_at is None:
        return policy_s
    return max(0.01, min(policy_s, ends_at - time.monotonic()))


@contextmanager
def ending_in(seconds: float) -> Iterator[None]:
    """Let everything inside end within `seconds`, or sooner if a wider deadline already says so."""
    ends_at = time.monotonic() + seconds
    outer = _ENDS_AT.get()
    token = _ENDS_AT.set(ends_at if outer is None else min(outer, ends_at))
    try:
        yield
    finally:
        _ENDS_AT.reset(token)
