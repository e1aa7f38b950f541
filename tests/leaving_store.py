"""A store in memory that can go away and come back, as Firestore does in an outage."""

from collections.abc import Sequence

from switchboard.contract.store import Document, Query, Unavailable, Write, WriteResult
from switchboard.state.memory.store import MemoryStore


class LeavingStore(MemoryStore):
    """Answers nothing while it is away.

    Attributes:
        is_away: Whether it is.
    """

    is_away = False

    async def get(self, path: str) -> Document | None:
        """Return a document."""
        self._answer()
        return await super().get(path)

    async def get_many(self, paths: Sequence[str]) -> list[Document | None]:
        """Return documents."""
        self._answer()
        return await super().get_many(paths)

    async def query(self, query: Query) -> list[Document]:
        """Return the matching documents."""
        self._answer()
        return await super().query(query)

    async def count(self, query: Query) -> int:
        """Return how many match."""
        self._answer()
        return await super().count(query)

    async def commit(self, writes: Sequence[Write]) -> list[WriteResult]:
        """Write."""
        self._answer()
        return await super().commit(writes)

    def _answer(self) -> None:
        if self.is_away:
            raise Unavailable("away")
