"""A store over another one: what is written stays here, and what is read is as if it stood there.

So a change can be carried out whole, with all its checks, to see what comes of it, and nothing of it is kept.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from switchboard.contract.ports import Store
from switchboard.contract.store import Document, Query, Write, WriteResult
from switchboard.state.memory.store import MemoryStore
from switchboard.state.validation import checked_count, checked_writes, with_compiled_dropped

_MOST_NEAREST = 1_000


class OverlaidStore:
    """The store port. What the other store raises passes through."""

    def __init__(self, beneath: Store) -> None:
        """Read what nothing was written to from `beneath`, and write nothing to it."""
        self._beneath, self._own = beneath, MemoryStore()
        self._written: set[str] = set()
        self._committing = asyncio.Lock()

    @property
    def written(self) -> frozenset[str]:
        """The paths of the documents that were written or deleted."""
        return frozenset(self._written)

    async def get(self, path: str) -> Document | None:
        """Return the document, or None if there is none."""
        return await (self._own if path in self._written else self._beneath).get(path)

    async def get_many(self, paths: Sequence[str]) -> list[Document | None]:
        """Return the documents in the order asked for, None where there is none."""
        others = [path for path in paths if path not in self._written]
        beneath = dict(zip(others, await self._beneath.get_many(others), strict=True)) if others else {}
        return [beneath[path] if path in beneath else await self._own.get(path) for path in paths]

    async def query(self, query: Query) -> list[Document]:
        """Return the matching documents in order."""
        written = self._written_in(query)
        if not written:
            return await self._beneath.query(query)
        # As many more as may have been changed here, so that there are enough whatever became of them.
        most = None if query.limit is None else query.limit + len(written)
        if most is not None and query.near is not None:
            most = min(most, _MOST_NEAREST)
        beneath = await self._beneath.query(replace(query, limit=most))
        return self._own.matching(query, [document for document in beneath if document.path not in self._written])

    async def count(self, query: Query) -> int:
        """Return how many documents match."""
        if not self._written_in(query):
            return await self._beneath.count(query)
        return len(await self.query(checked_count(query)))

    async def commit(self, writes: Sequence[Write]) -> list[WriteResult]:
        """Do all writes or none; see the port for what it raises."""
        async with self._committing:
            paths = {write.path for write in with_compiled_dropped(checked_writes(writes))}
            unread = sorted(paths - self._written)
            documents = await self._beneath.get_many(unread) if unread else []
            self._own.take_over([document for document in documents if document is not None])
            # Also where the commit fails: what was taken over is what stands beneath.
            self._written |= paths
            return await self._own.commit(writes)

    async def warm(self) -> None:
        """Do nothing: whoever opened the store beneath has connected."""

    async def close(self) -> None:
        """Do nothing: the store beneath belongs to whoever opened it."""

    def _written_in(self, query: Query) -> list[str]:
        """Return the paths written to that a query could find."""
        name = query.collection.rpartition("/")[2]
        if query.group:
            return [path for path in self._written if not name or path.split("/")[-2] == name]
        return [path for path in self._written if path.rpartition("/")[0] == query.collection]
