"""A store that is asked again when it does not answer: for work that nobody waits for on the telephone."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from switchboard.contract.deadline import patiently
from switchboard.contract.ports import Store
from switchboard.contract.store import Document, Query, Unavailable, Write, WriteResult

PAUSE_S = 1.1
"""How long it is left alone: a store that has answered nobody is asked again every second, and not before."""
PATIENCE_S = 30.0
"""How long one request may take that nobody waits for on the telephone: a database may be large, its emulator slow."""
_ATTEMPTS = 5
_Answer = TypeVar("_Answer")


class RetryingStore:
    """The store port; only for writes that may be done twice, since a commit without an answer may have happened."""

    def __init__(self, store: Store) -> None:
        """Ask `store`, five times at most."""
        self._store = store

    async def get(self, path: str) -> Document | None:
        """Return the document, or None if there is none."""
        return await _again(lambda: self._store.get(path))

    async def get_many(self, paths: Sequence[str]) -> list[Document | None]:
        """Return the documents in the order asked for."""
        return await _again(lambda: self._store.get_many(paths))

    async def query(self, query: Query) -> list[Document]:
        """Return the matching documents; after a missing answer whoever asked may ask for fewer at once."""
        try:
            with patiently(PATIENCE_S):
                return await self._store.query(query)
        except Unavailable:
            await asyncio.sleep(PAUSE_S)
            raise

    async def count(self, query: Query) -> int:
        """Return how many documents match."""
        return await _again(lambda: self._store.count(query))

    async def commit(self, writes: Sequence[Write]) -> list[WriteResult]:
        """Do all writes or none."""
        return await _again(lambda: self._store.commit(writes))

    async def warm(self) -> None:
        """Connect."""
        await _again(self._store.warm)

    async def close(self) -> None:
        """Let go of connections."""
        await self._store.close()


async def _again(ask: Callable[[], Awaitable[_Answer]]) -> _Answer:
    for _ in range(_ATTEMPTS - 1):
        try:
            with patiently(PATIENCE_S):
                return await ask()
        except Unavailable:
            await asyncio.sleep(PAUSE_S)
    with patiently(PATIENCE_S):
        return await ask()
