"""What a request leaves in the audit, so that its answer can name it, however deep down it was written."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from switchboard.contract.store import Create

_LEFT: ContextVar[list[str] | None] = ContextVar("left_entries", default=None)


@contextmanager
def entries_left() -> Iterator[list[str]]:
    """Provide the list of the entries' ids that are written within."""
    found: list[str] = []
    token = _LEFT.set(found)
    try:
        yield found
    finally:
        _LEFT.reset(token)


def left(entry: Create) -> None:
    """Note that an entry was written."""
    found = _LEFT.get()
    if found is not None:
        found.append(entry.path.rpartition("/")[2])
