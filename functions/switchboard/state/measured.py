"""A store that is measured and traced: how long each of its operations takes, and how often each fails."""

import time
from collections.abc import Awaitable, Sequence
from functools import cache
from typing import TypeVar

from prometheus_client import CollectorRegistry, Counter, Histogram

from switchboard.contract.observability.metric import SECONDS
from switchboard.contract.observability.trace import SpanKind, recorded, step
from switchboard.contract.observability.turn_times import StepKind, noted
from switchboard.contract.ports import Store
from switchboard.contract.store import Document, Query, StoreError, Write, WriteResult

T = TypeVar("T")
SYSTEM = "gcp.firestore"


class MeasuredStore:
    """Passes everything on to another store; fits the port."""

    def __init__(self, inner: Store, registry: CollectorRegistry | None = None) -> None:
        """Measure in a registry, which shows it."""
        self._inner = inner
        help = "Seconds of the store's operations."
        self._durations = Histogram(
            "store_operation_duration_seconds", help, ("operation",), buckets=SECONDS, registry=registry
        )
        self._duration_of = cache(self._durations.labels)
        help = "Operations that failed, by what failed."
        self._errors = Counter("store_errors", help, ("operation", "error"), registry=registry)

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
        began, parent = time.monotonic(), recorded()
        try:
            if parent is None:
                return await work
            # Without the path: callers and bookings are named in it.
            fields = {"db.system.name": SYSTEM, "db.operation.name": operation}
            with step(parent, f"firestore {operation}", SpanKind.CLIENT, fields):
                return await work
        except StoreError as error:
            self._errors.labels(operation, type(error).__name__).inc()
            raise
        finally:
            self._duration_of(operation).observe(time.monotonic() - began)
            noted(StepKind.STORE, began, name=operation)
