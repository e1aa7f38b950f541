"""Reads that many callers share: one in flight per key, kept for a moment, bounded in number.

A hundred callers who lose the same slot all ask what else is free; together they cost one query.
"""

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from dataclasses import dataclass
from itertools import count
from typing import Any, Generic, TypeVar

from cachetools import LRUCache

from switchboard.contract.error import ToolError
from switchboard.contract.ports import Clock
from switchboard.contract.store import StoreError

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

# After a failed refresh the old value is served this long before the store is asked again: a store that hangs then
# delays one caller in five seconds and not every one.
_RETRY_AFTER_S = 5.0


@dataclass(frozen=True, slots=True)
class NumberedValue(Generic[V]):
    """A value and the number of the read that brought it; a later read has a higher number."""

    number: int
    value: V


@dataclass(slots=True)
class _Flight(Generic[V]):
    number: int
    started_at: float
    fresh_until: float
    task: asyncio.Task[V]
    previous: "_Flight[V] | None" = None

    @property
    def has_failed(self) -> bool:
        return self.task.done() and (self.task.cancelled() or self.task.exception() is not None)


class SharedReads(Generic[K, V]):
    """A small cache of reads.

    Args:
        clock: Ages the values.
        ttl_s: Seconds, from the start of the read, for which a value is given to others.
        size: How many values are kept; the least recently used goes first.
        stale_s: Seconds past its time for which an old value is served while its refresh fails.
    """

    def __init__(self, clock: Clock, ttl_s: float, size: int, stale_s: float = 0.0) -> None:
        """Start empty."""
        self._clock = clock
        self._ttl_s = ttl_s
        self._stale_s = stale_s
        self._flights: LRUCache[K, _Flight[V]] = LRUCache(size)
        self._numbers = count(1)

    async def get(self, key: K, read: Callable[[], Coroutine[Any, Any, V]], newer_than: int = 0) -> NumberedValue[V]:
        """Return a value that is fresh, joining a read in flight or starting one.

        Args:
            key: What is read; it must name the business.
            read: Reads it; called only if nobody else's read will do.
            newer_than: The number of a reading that is known to be outdated; only a later one will do.

        Raises:
            StoreError, ToolError: Whatever `read` raised, unless an old value may still be served.
        """
        flight = self._usable(key, newer_than)
        if flight is not None:
            try:
                return await _landing(flight)
            except (StoreError, ToolError):
                # That read ran under the time limit of whoever started it; ours may reach further.
                flight = self._usable(key, newer_than)
        if flight is None:
            flight = self._start(key, read)
        try:
            return await _landing(flight)
        except (StoreError, ToolError):
            old = self._still_good(flight.previous)
            if old is None:
                raise
            if self._flights.get(key) is flight:
                # Not if it was forgotten meanwhile.
                self._flights[key] = old
            return NumberedValue(old.number, old.task.result())

    def forget(self, is_outdated: Callable[[K], bool]) -> None:
        """Drop values by key, also those still being read; whoever waits for one still gets it."""
        for key in [key for key in self._flights if is_outdated(key)]:
            del self._flights[key]

    def _usable(self, key: K, newer_than: int) -> _Flight[V] | None:
        flight = self._flights.get(key)
        if flight is None or flight.has_failed or flight.number <= newer_than:
            return None
        return flight if self._clock.monotonic() < flight.fresh_until else None

    def _start(self, key: K, read: Callable[[], Coroutine[Any, Any, V]]) -> _Flight[V]:
        task = asyncio.create_task(read())
        # Everyone who asked may have hung up by the time it fails; then nobody else would fetch the exception.
        task.add_done_callback(lambda done: done.cancelled() or done.exception())
        now, before = self._clock.monotonic(), self._flights.get(key)
        flight = _Flight(next(self._numbers), now, now + self._ttl_s, task)
        if before is not None and self._stale_s:
            flight.previous = before.previous if before.has_failed or not before.task.done() else before
        self._flights[key] = flight
        return flight

    def _still_good(self, old: _Flight[V] | None) -> _Flight[V] | None:
        now = self._clock.monotonic()
        if old is None or now >= old.started_at + self._ttl_s + self._stale_s:
            return None
        old.fresh_until = max(old.fresh_until, now + _RETRY_AFTER_S)
        return old


async def _landing(flight: _Flight[V]) -> NumberedValue[V]:
    # Shielded: a caller who hangs up must not take the answer from those who wait with him.
    value = await asyncio.shield(flight.task)
    flight.previous = None
    return NumberedValue(flight.number, value)
