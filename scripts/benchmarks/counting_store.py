"""A store that counts the requests made of it, apart for whoever makes them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextvars import ContextVar

from switchboard.contract.ports import Store
from switchboard.contract.store import Document, Query, StoreError, Write, WriteResult

requester: ContextVar[str] = ContextVar("requester", default="house")
"""Who is asking; tasks that are started inherit it."""

READS = ("get", "get_many", "query", "count")


class CountingStore:
    """Passes everything on; `asked` counts by requester and method, `failed` by kind of failure."""

    def __init__(self, inner: Store) -> None:
        self._inner = inner
        self.asked: Counter[tuple[str, str]] = Counter()
        self.failed: Counter[str] = Counter()

    def reads(self) -> int:
        """Return how many requests only read."""
        return sum(times for (_, method), times in self.asked.items() if method in READS)

    def round_trips(self, of: str) -> int:
        """Return how many requests one requester made."""
        return sum(times for (who, _), times in self.asked.items() if who == of)

    async def get(self, path: str) -> Document | None:
        return await self._counted("get", self._inner.get(path))

    async def get_many(self, paths: Sequence[str]) -> list[Document | None]:
        return await self._counted("get_many", self._inner.get_many(paths))

    async def query(self, query: Query) -> list[Document]:
        return await self._counted("query", self._inner.query(query))

    async def count(self, query: Query) -> int:
        return await self._counted("count", self._inner.count(query))

    async def commit(self, writes: Sequence[Write]) -> list[WriteResult]:
        return await self._counted("commit", self._inner.commit(writes))

    async def warm(self) -> None:
        await self._inner.warm()

    async def close(self) -> None:
        await self._inner.close()

    async def _counted(self, method, work):
        self.asked[requester.get(), method] += 1
        try:
            return await work
        except StoreError as error:
            self.failed[type(error).__name__] += 1
            raise
