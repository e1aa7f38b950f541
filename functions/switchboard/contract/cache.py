"""Values that are read once for many: one read at a time for each, kept for a while, and old ones where a source fails.

`cachetools` bounds how many are kept; age, the one read that many wait for and what is served in an outage are decided
here, because a value that has expired must still be there when its refresh fails.
"""

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from itertools import count
from math import inf
from typing import Any, Generic, Protocol, TypeVar

from cachetools import LRUCache

from switchboard.contract.error import ToolError
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import StoreError

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

RETRY_AFTER_S = 1.0
"""After a failed refresh an old value is served, and a failure told, for so long before the source is asked again: one
that hangs then delays one caller and not all of them."""


class Monotonic(Protocol):
    """What ages values."""

    def monotonic(self) -> float:
        """Return seconds that never run backwards."""


@dataclass(slots=True)
class CachedValue(Generic[V]):
    """A value as it was read.

    Whoever holds on to one may serve it for as long as `expires_at` is ahead.

    Attributes:
        value: What was read.
        number: Of the read that brought it; a later read has a higher number.
        read_at: When that read began: what changed since may be missing.
        expires_at: Until when the value counts as fresh.
        is_stale: Whether its last refresh failed.
    """

    value: V
    number: int
    read_at: float
    expires_at: float
    is_stale: bool = False


@dataclass(frozen=True, slots=True)
class Aged(Generic[V]):
    """What a read may return instead of a value: one that was true so many seconds before the read began."""

    value: V
    age_s: float


@dataclass(frozen=True, slots=True)
class _Flight(Generic[V]):
    number: int
    started_at: float
    loop: asyncio.AbstractEventLoop
    task: "asyncio.Task[CachedValue[V]]"


class Cache(Generic[K, V]):
    """A bounded cache of reads that many share."""

    def __init__(
        self,
        clock: Monotonic,
        ttl_s: float,
        size: int,
        read: Callable[[K], Coroutine[Any, Any, V | Aged[V]]] | None = None,
        *,
        stale_s: float = inf,
        retry_after_s: float = RETRY_AFTER_S,
        remembers_failures: bool = True,
    ) -> None:
        """Start empty.

        Args:
            clock: Ages the values.
            ttl_s: For how long, from the beginning of its read, a value counts as fresh.
            size: How many values are kept; the least recently used goes first.
            read: Reads a value; a `StoreError` or `ToolError` means that it cannot be read now. Where none is given,
                each caller brings its own.
            stale_s: For how long past its time an old value is served while its refresh fails.
            retry_after_s: For how long it is served before the source is asked again.
            remembers_failures: Whether a failure stands for everybody for `RETRY_AFTER_S`; otherwise whoever waited for
                a read that failed begins another, since the first may have failed for want of its caller's time.
        """
        self._clock, self._ttl_s, self._read = clock, ttl_s, read
        self._stale_s, self._retry_after_s, self._remembers_failures = stale_s, retry_after_s, remembers_failures
        self._values: LRUCache[K, CachedValue[V]] = LRUCache(size)
        self._failures: LRUCache[K, tuple[float, StoreError | ToolError]] = LRUCache(size)
        self._flights: dict[K, _Flight[V]] = {}
        self._numbers = count(1)

    def fresh(self, key: K) -> CachedValue[V] | None:
        """Return the value if it can be served as it is, without waiting."""
        cached = self._values.get(key)
        return cached if cached is not None and self._clock.monotonic() < cached.expires_at else None

    def age_s(self, cached: CachedValue[V]) -> float:
        """Return how long ago a value was really read."""
        return self._clock.monotonic() - cached.read_at

    async def get(
        self, key: K, read: Callable[[], Coroutine[Any, Any, V | Aged[V]]] | None = None, newer_than: int = 0
    ) -> CachedValue[V]:
        """Return a value that is fresh, joining a read that is under way or beginning one.

        Args:
            key: What is read; it must name the business where it belongs to one.
            read: Reads it, if nobody else's read will do; None for the cache's own way.
            newer_than: The number of a value that is known to be outdated; only a later one will do.

        Raises:
            StoreError, ToolError: It could not be read, and no old value may still be served.
        """
        cached = self._values.get(key)
        if cached is not None and cached.number <= newer_than:
            # Known to be outdated: nobody is given it again, not even while the source is away.
            self._values.pop(key).expires_at = -inf
        elif cached is not None and self._clock.monotonic() < cached.expires_at:
            return cached
        failure = self._failures.get(key)
        if failure is not None and self._clock.monotonic() < failure[0]:
            raise failure[1]
        flight = self._joined(key, newer_than)
        if flight is not None:
            try:
                # Shielded: a caller who hangs up must not take the answer from those who wait with him.
                return await asyncio.shield(flight.task)
            except (StoreError, ToolError):
                if self._remembers_failures:
                    raise
                flight = self._joined(key, newer_than)
        if flight is None:
            flight = self._begin(key, read)
        return await asyncio.shield(flight.task)

    async def renewed(self, key: K, after_s: float) -> CachedValue[V]:
        """Return a value, read anew if that was longer ago than this; the same as before where it cannot be.

        Unlike `drop`, this leaves the value for a source that fails, and one that is served in place of a failed
        refresh is left alone until the source is asked again by itself.

        Raises:
            StoreError, ToolError: It could not be read and was never read before.
        """
        cached = self._values.get(key)
        if cached is not None and not cached.is_stale and self.age_s(cached) >= after_s:
            cached.expires_at = -inf
        return await self.get(key)

    def drop(self, key: K) -> None:
        """Forget one value, so that the next reader asks the source.

        A read that is under way may have begun before the change: whoever waits for it gets what it brings, and nobody
        else does.
        """
        cached = self._values.pop(key, None)
        if cached is not None:
            cached.expires_at = -inf
        self._failures.pop(key, None)
        self._flights.pop(key, None)

    def drop_where(self, is_outdated: Callable[[K], bool]) -> None:
        """Forget every value whose key is one of these."""
        for key in [key for key in (*self._values, *self._failures, *self._flights) if is_outdated(key)]:
            self.drop(key)

    def _joined(self, key: K, newer_than: int) -> _Flight[V] | None:
        """Return the read that is under way, if it will do for somebody who asks now, in the running loop."""
        flight = self._flights.get(key)
        if flight is None or flight.number <= newer_than or flight.loop is not asyncio.get_running_loop():
            return None
        return flight if self._clock.monotonic() < flight.started_at + self._ttl_s else None

    def _begin(self, key: K, read: Callable[[], Coroutine[Any, Any, V | Aged[V]]] | None) -> _Flight[V]:
        if read is None:
            assert self._read is not None, "a cache without a way to read needs one with each question"
            reading = self._read(key)
        else:
            reading = read()
        loop, number, started_at = asyncio.get_running_loop(), next(self._numbers), self._clock.monotonic()
        flight = _Flight(number, started_at, loop, loop.create_task(self._refresh(key, number, started_at, reading)))
        flight.task.add_done_callback(lambda done: self._end(key, number, done))
        self._flights[key] = flight
        return flight

    async def _refresh(
        self, key: K, number: int, started_at: float, reading: Coroutine[Any, Any, V | Aged[V]]
    ) -> CachedValue[V]:
        try:
            given = await reading
        except (StoreError, ToolError) as error:
            if not self._has_landed(key, number):
                raise
            return self._instead(key, error)
        value, age_s = (given.value, given.age_s) if isinstance(given, Aged) else (given, 0.0)
        started_at -= age_s
        if not self._has_landed(key, number):
            return CachedValue(value, number, started_at, expires_at=-inf)
        cached = self._values[key] = CachedValue(value, number, started_at, started_at + self._ttl_s)
        self._failures.pop(key, None)
        return cached

    def _has_landed(self, key: K, number: int) -> bool:
        """End a read; tell whether what it brings still counts: nothing was dropped, and no later read begun, since."""
        flight = self._flights.get(key)
        if flight is None or flight.number != number:
            return False
        del self._flights[key]
        return True

    def _end(self, key: K, number: int, done: "asyncio.Task[CachedValue[V]]") -> None:
        # However it ended, nobody joins it any more.
        self._has_landed(key, number)
        # Everyone who asked may have hung up by the time it failed; then nobody else would fetch the exception.
        if not done.cancelled():
            done.exception()

    def _instead(self, key: K, error: StoreError | ToolError) -> CachedValue[V]:
        """Return the old value for a moment more.

        Raises:
            StoreError, ToolError: There is none, or it is too old.
        """
        now, old = self._clock.monotonic(), self._values.get(key)
        if old is None or now >= old.read_at + self._ttl_s + self._stale_s:
            if self._remembers_failures:
                self._failures[key] = now + RETRY_AFTER_S, error
            raise error
        # Another one, since somebody may hold on to the first for as long as that is fresh.
        until = now + self._retry_after_s
        stale = self._values[key] = CachedValue(old.value, old.number, old.read_at, until, is_stale=True)
        return stale
