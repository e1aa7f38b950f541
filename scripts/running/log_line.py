"""Log records for a person at a terminal: one line each, whatever they carry."""

from __future__ import annotations

import logging
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from logging.handlers import MemoryHandler

_OWN = frozenset(logging.LogRecord("", 0, "", 0, "", (), None).__dict__) | {"message", "asctime", "taskName"}
_FRAMES = 4
_HELD = 1000
# The lines that say of every tool call, and of every conversation, whose it was, how long it took and how it ended.
_CALLS = ("switchboard.pipeline.metrics.call_metrics", "switchboard.conversation.record.record")


class LogLine(logging.Formatter):
    """Time, level, room, message, `key=value` for every extra field, and for an exception where it came from.

    Args:
        personal: Whether fields with a `pii` segment, and exceptions' texts, are shown: not where callers are real.
    """

    def __init__(self, personal: bool) -> None:
        super().__init__()
        self._personal = personal

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        fields = [f"{k}={v}" for k, v in record.__dict__.items() if k not in _OWN and self._may_show(k)]
        place = record.name.removeprefix("switchboard.")
        parts = [f"{self.formatTime(record, '%H:%M:%S')} {record.levelname:<7} {place}: {record.getMessage()}", *fields]
        if record.exc_info and record.exc_info[1]:
            parts.append(self._cause(record.exc_info[1]))
        return " ".join(" ".join(part.split()) if n else part.replace("\n", " ") for n, part in enumerate(parts))

    def _may_show(self, key: str) -> bool:
        return self._personal or "pii" not in key.split(".")

    def _cause(self, error: BaseException) -> str:
        frames = traceback.extract_tb(error.__traceback__)[-_FRAMES:]
        way = " > ".join(f"{frame.filename.rsplit('/', 1)[-1]}:{frame.lineno} {frame.name}" for frame in frames)
        text = f": {error}" if self._personal and str(error) else ""
        return f"[{type(error).__name__}{text}; {way}]"


def show(personal: bool) -> None:
    """Print warnings, and whatever is worse, to stderr from now on."""
    _install(_terminal(personal))


@contextmanager
def held_back(personal: bool) -> Iterator[Callable[[], None]]:
    """Keep a line of every call, and warnings and whatever is worse, until the given function is called; then print.

    They are printed at the end of the block at the latest.
    """
    for name in _CALLS:
        logging.getLogger(name).setLevel(logging.INFO)
    terminal = _terminal(personal)
    holder = MemoryHandler(_HELD, flushLevel=logging.CRITICAL + 1, target=terminal)
    _install(holder)

    def release() -> None:
        _install(terminal)
        holder.flush()

    try:
        yield release
    finally:
        release()


def _terminal(personal: bool) -> logging.Handler:
    terminal = logging.StreamHandler(sys.stderr)
    terminal.setFormatter(LogLine(personal))
    return terminal


def _install(handler: logging.Handler) -> None:
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
