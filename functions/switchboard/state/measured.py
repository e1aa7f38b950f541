"""A store that is measured and traced: how long each of its operations takes, and how often each fails."""

import asyncio
import time
from collections.abc import Awaitable, Sequence
from functools import cache
from typing import TypeVar

from prometheus_client import CollectorRegistry, Counter, Histogram

from switchboard.contract.observability.metric import SECONDS
from switchboard.contract.observability.trace import SpanKind, recorded, step
from switchboard.contract.observability.turn_times import StepKind, noted
from switchboard.contract.ports import Store
from switchboard.contract.store import Document, Query, StoreError, Unavailable, Unsent, Write, WriteResult

T = TypeVar("T")
SYSTEM = "gcp.firestore"
# Asked and silent for so long, it is away; a document is read or written in a tenth of that.
_LATE_S = 1.0
# So long after it has not answered it counts as away, unless it has answered since.
_AWAY_S = 30.0


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
        # When each of the operations that are under way began, when it last did not answer, and when it did.
        self._waiting: dict[object, float] = {}
        self._silent_at: float | None = None
        self._answered_at = 0.0

    @property
    def is_away(self) -> bool:
        """Whether it does not answer now, as far as this process has seen: nothing can be recorded then."""
        now = time.monotonic()
        return self._is_late(now) or (self._silent_at is not None and now - self._silent_at < _AWAY_S)

    def _is_late(self, now: float) -> bool:
        return bool(self._waiting) and now - max(min(self._waiting.values()), self._answered_at) > _LATE_S

    async def get(self, path: str) -> Document | None:
        """Return the document, or None if there is none."""
        return await self._measured("get", self._inner.get(path))

    async def get_many(self, paths: Sequence[str]) -> list[Document | None]:
        """Return the documents in the order asked for, None where there is none."""
        return await self._measured("get_many", self._inner.get_many(paths))

    async def query(self, query: Query) -> list[Document]:
        """Return the matching documents in order."""
        return await self._measured("query", self._inner.query(query), is_long=True)

    async def count(self, query: Query) -> int:
        """Return how many documents match."""
        return await self._measured("count", self._inner.count(query), is_long=True)

    async def commit(self, writes: Sequence[Write]) -> list[WriteResult]:
        """Do all writes or none."""
        return await self._measured("commit", self._inner.commit(writes))

    async def warm(self) -> None:
        """Connect, which is not measured: nobody waits for it."""
        await self._inner.warm()

    async def close(self) -> None:
        """Let go of connections."""
        await self._inner.close()

    async def _measured(self, operation: str, work: Awaitable[T], *, is_long: bool = False) -> T:
        began, parent, mine = time.monotonic(), recorded(), object()
        if not is_long:
            self._waiting[mine] = began
        try:
            if parent is None:
                result = await work
            else:
                # Without the path: callers and bookings are named in it.
                fields = {"db.system.name": SYSTEM, "db.operation.name": operation}
                with step(parent, f"firestore {operation}", SpanKind.CLIENT, fields):
                    result = await work
            self._answers()
            return result
        except StoreError as error:
            self._errors.labels(operation, type(error).__name__).inc()
            if not isinstance(error, Unavailable):
                self._answers()
            elif not isinstance(error, Unsent):
                # What was not sent, perhaps for want of time alone, tells nothing of the store.
                self._silent_at = time.monotonic()
            raise
        except asyncio.CancelledError:
            # Whoever has asked waits no more; that it was silent is known all the same.
            if self._is_late(now := time.monotonic()):
                self._silent_at = now
            raise
        finally:
            self._waiting.pop(mine, None)
            self._duration_of(operation).observe(time.monotonic() - began)
            noted(StepKind.STORE, began, name=operation)

    def _answers(self) -> None:
        self._answered_at, self._silent_at = time.monotonic(), None
