"""Log records for a person at a terminal: one line each, whatever they carry."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from logging.handlers import MemoryHandler

_HELD = 1000
# The lines that say of every tool call, and of every conversation, whose it was, how long it took and how it ended; and
# with how many tokens of prompt and tools a conversation began (seed 003, "Context Window Monitoring").
_CALLS = (
    "switchboard.pipeline.metrics.call_metrics",
    "switchboard.conversation.record.record",
    "switchboard.pipeline.metrics.meter",
)


def show(personal: bool) -> None:
    """Print warnings, and whatever is worse, to stderr from now on."""
    _install(_terminal(personal))


@contextmanager
def held_back(personal: bool, *, as_json: bool = False) -> Iterator[Callable[[], None]]:
    """Keep a line of every call, and warnings and whatever is worse, until the given function is called; then print.

    They are printed at the end of the block at the latest, as people read them, or as Cloud Logging does, on standard
    output.
    """
    for name in _CALLS:
        logging.getLogger(name).setLevel(logging.INFO)
    terminal = _cloud(personal) if as_json else _terminal(personal)
    holder = MemoryHandler(_HELD, flushLevel=logging.CRITICAL + 1, target=terminal)
    # Whose a record is, is known while it is made, and not when it is printed.
    holder.addFilter(_subjects())
    _install(holder)

    def release() -> None:
        _install(terminal)
        holder.flush()

    try:
        yield release
    finally:
        release()


def _terminal(personal: bool) -> logging.Handler:
    from switchboard.app.plain_log import LogLine

    terminal = logging.StreamHandler(sys.stderr)
    terminal.setFormatter(LogLine(personal))
    terminal.addFilter(_subjects())
    return terminal


def _cloud(personal: bool) -> logging.Handler:
    from switchboard.app.logging import CloudLine

    cloud = logging.StreamHandler(sys.stdout)
    cloud.setFormatter(CloudLine("", personal))
    cloud.addFilter(_subjects())
    return cloud


def _subjects() -> logging.Filter:
    from switchboard.contract.observability.subject import Subjects

    return Subjects()


def _install(handler: logging.Handler) -> None:
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
