"""Values that are read at most once per lifetime, by one reader at a time, and outlive a store that fails.

`cachetools` bounds how many are kept; age, single flight and stale-while-error are decided here because an expired
value must still be served when its refresh fails.
"""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from math import inf
from typing import Generic, TypeVar

from cachetools import LRUCache

from switchboard.contract.ports import Clock
from switchboard.contract.store import StoreError

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

# After a failed refresh the old value is served for this long before the store is asked again, so that a store that
# hangs delays one caller and not all of them.
RETRY_AFTER_S = 1.0


@dataclass(slots=True)
class CachedValue(Generic[V]):
    """A value with the time it was read; `is_stale` when its last refresh failed.

    Whoever holds on to one may serve it for as long as `expires_at` is ahead.
    """

    value: V
    read_at: float
    expires_at: float
    is_stale: bool = False


class Freshness(Generic[K, V]):
    """A bounded cache with single-flight refresh and stale-while-error.

    Args:
        load: Reads one value; a `StoreError` means that it could not be read now.
        ttl_s: How long a value counts as fresh.
        size: How many values are kept; the least recently used goes first.
    """

    def __init__(self, load: Callable[[K], Awaitable[V]], clock: Clock, ttl_s: float, size: int) -> None:
        """Start empty."""
        self._load = load
        self._monotonic = clock.monotonic
        self._ttl_s = ttl_s
        self._kept: LRUCache[K, CachedValue[V]] = LRUCache(size)
        self._failed: LRUCache[K, tuple[float, StoreError]] = LRUCache(size)
        self._flights: dict[K, asyncio.Task[CachedValue[V]]] = {}

    def fresh(self, key: K) -> CachedValue[V] | None:
        """Return the value if it can be served as it is, without waiting."""
        kept = self._kept.get(key)
        return kept if kept is not None and self._monotonic() < kept.expires_at else None

    def age_s(self, kept: CachedValue[V]) -> float:
        """Return how long ago the value was really read."""
        return self._monotonic() - kept.read_at

    def drop(self, key: K) -> None:
        """Forget one value, so that the next reader asks the store.

        A read that is under way may have begun before the change: whoever waits for it gets what it brings, and nobody
        else does.
        """
        kept = self._kept.pop(key, None)
        if kept is not None:
            kept.expires_at = -inf
        self._failed.pop(key, None)
        self._flights.pop(key, None)

    async def renewed(self, key: K, after_s: float) -> CachedValue[V]:
        """Return the value, read anew if that was longer ago than this; the same as before where it cannot be.

        Unlike `drop`, this leaves the value for a store that fails, and one that is served in place of a failed refresh
        is left alone until the store is asked again by itself.

        Raises:
            StoreError: It could not be read and was never read before.
        """
        kept = self._kept.get(key)
        if kept is not None and not kept.is_stale and self.age_s(kept) >= after_s:
            kept.expires_at = -inf
        return await self.get(key)

    async def get(self, key: K) -> CachedValue[V]:
        """Return the value, reading it if it is missing or expired.

        Raises:
            StoreError: It could not be read and was never read before.
        """
        kept = self.fresh(key)
        if kept is not None:
            return kept
        failed = self._failed.get(key)
        if failed is not None and self._monotonic() < failed[0]:
            raise failed[1]
        flight = self._flights.get(key)
        if flight is None:
            flight = asyncio.create_task(self._refresh(key))
            self._flights[key] = flight
            flight.add_done_callback(lambda done: self._landed(key, done))
        # Shielded: a caller who hangs up must not take the answer away from those who wait with him.
        return await asyncio.shield(flight)

    def _landed(self, key: K, flight: asyncio.Task[CachedValue[V]]) -> None:
        if self._flights.get(key) is flight:
            del self._flights[key]

    async def _refresh(self, key: K) -> CachedValue[V]:
        try:
            value = await self._load(key)
        except StoreError as error:
            if self._is_outdated(key):
                raise
            now = self._monotonic()
            kept = self._kept.get(key)
            if kept is None:
                self._failed[key] = (now + RETRY_AFTER_S, error)
                raise
            # Another one, since somebody may hold on to the first for as long as that is fresh.
            kept = self._kept[key] = CachedValue(kept.value, kept.read_at, now + RETRY_AFTER_S, is_stale=True)
            return kept
        now = self._monotonic()
        if self._is_outdated(key):
            return CachedValue(value, read_at=now, expires_at=-inf)
        kept = CachedValue(value, read_at=now, expires_at=now + self._ttl_s)
        self._kept[key] = kept
        self._failed.pop(key, None)
        return kept

    def _is_outdated(self, key: K) -> bool:
        """Tell whether the value was dropped while the read that is running was under way."""
        return self._flights.get(key) is not asyncio.current_task()
