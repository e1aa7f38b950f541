"""The time that is left, carried alongside the call instead of through every signature.

The dispatcher sets an absolute end before a handler runs; the store and the integrations read it, so that no client
ever waits longer than the caller does. Times are seconds on the monotonic clock.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from switchboard.contract import policy

ENDS_AT: ContextVar[float | None] = ContextVar("switchboard_deadline", default=None)
"""When what this task does has to end; None where nobody waits for it."""

_READS_WITHIN_S: ContextVar[float] = ContextVar("switchboard_reads", default=0.0)
_WRITES_WITHIN_S: ContextVar[float] = ContextVar("switchboard_writes", default=0.0)


def bounded(policy_s: float) -> float:
    """Return how many seconds a client may take: its own policy, or what remains of the call if that is less.

    Never less than 10 ms, so that a client fails by its own time-out rather than by a nonsensical one.
    """
    ends_at = ENDS_AT.get()
    if ends_at is None:
        return policy_s
    return max(0.01, min(policy_s, ends_at - time.monotonic()))


@contextmanager
def ending_in(seconds: float) -> Iterator[None]:
    """Let everything inside end within `seconds`, or sooner if a wider deadline already says so."""
    token = ENDS_AT.set(earliest(time.monotonic() + seconds))
    try:
        yield
    finally:
        ENDS_AT.reset(token)


@contextmanager
def reads_within(seconds: float) -> Iterator[None]:
    """Let the store take so long for each read inside: for pages, which add up what no caller waits for."""
    token = _READS_WITHIN_S.set(seconds)
    try:
        yield
    finally:
        _READS_WITHIN_S.reset(token)


def read_s() -> float:
    """Return how many seconds the store may take for one read: those of a call, or of `reads_within` around it."""
    return max(policy.STORE_READ_S, _READS_WITHIN_S.get())


@contextmanager
def patiently(seconds: float) -> Iterator[None]:
    """Let the store take so long for each read and each commit inside: for work that goes on behind everything else."""
    token = _WRITES_WITHIN_S.set(seconds)
    try:
        with reads_within(seconds):
            yield
    finally:
        _WRITES_WITHIN_S.reset(token)


def write_s() -> float:
    """Return how many seconds the store may take for one commit: those of a call, or of `patiently` around it."""
    return max(policy.STORE_WRITE_S, _WRITES_WITHIN_S.get())


@contextmanager
def without_end() -> Iterator[None]:
    """Let what is begun inside take its time, as an action does that nobody may stop."""
    token = ENDS_AT.set(None)
    try:
        yield
    finally:
        ENDS_AT.reset(token)


def earliest(ends_at: float) -> float:
    """Return when something ends that would end at a time: then, or sooner if a wider deadline already says so."""
    outer = ENDS_AT.get()
    return ends_at if outer is None or ends_at < outer else outer
