"""A store that is measured and traced: how long each of its operations takes, and how often each fails."""

import time
from collections.abc import Awaitable, Iterable, Sequence
from typing import TypeVar

from switchboard.contract.observability.metric import Durations, Family, LabelledCounts
from switchboard.contract.observability.trace import SpanKind, recorded, step
from switchboard.contract.ports import Store
from switchboard.contract.store import Document, Query, StoreError, Write, WriteResult

T = TypeVar("T")
SYSTEM = "gcp.firestore"


class MeasuredStore:
    """Passes everything on to another store; fits the port."""

    def __init__(self, inner: Store) -> None:
        """Start with nothing measured."""
        self._inner = inner
        self._took = Durations("store_operation_duration_seconds", "Seconds of the store's operations.", "operation")
        self._failed = LabelledCounts(
            "store_errors_total", "Operations that failed, by what failed.", "operation", "error"
        )

    def families(self) -> Iterable[Family]:
        """Return what was measured."""
        return self._took.family(), self._failed.family()

    async def get(self, path: str) -> Document | None:
        """Return the document, or None if there is none."""
        return await self._measured("get", self._inner.get(path))

    async def get_many(self, paths: Sequence[str]) -> list[Document | None]:
        """Return the documents in the order asked for, None where there is none."""
        return await self._measured("get_many", self._inner.get_many(paths))

    async def query(self, query: Query) -> list[Document]:
        """Return the matching documents in order."""
        return await self._measured("query", self._inner.query(query))

    async def count(self, query: Query) -> int:
        """Return how many documents match."""
        return await self._measured("count", self._inner.count(query))

    async def commit(self, writes: Sequence[Write]) -> list[WriteResult]:
        """Do all writes or none."""
        return await self._measured("commit", self._inner.commit(writes))

    async def warm(self) -> None:
        """Connect, which is not measured: nobody waits for it."""
        await self._inner.warm()

    async def close(self) -> None:
        """Let go of connections."""
        await self._inner.close()

    async def _measured(self, operation: str, work: Awaitable[T]) -> T:
        parent = recorded()
        if parent is None:
            return await self._timed(operation, work)
        # Without the path: callers and bookings are named in it.
        fields = {"db.system.name": SYSTEM, "db.operation.name": operation}
        with step(parent, f"firestore {operation}", SpanKind.CLIENT, fields):
            return await self._timed(operation, work)

    async def _timed(self, operation: str, work: Awaitable[T]) -> T:
        began = time.perf_counter()
        try:
            return await work
        except StoreError as error:
            self._failed.add(operation, type(error).__name__)
            raise
        finally:
            self._took.add(operation, time.perf_counter() - began)
