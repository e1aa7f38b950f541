"""A store that kills its process at one step of a call: just before it asks Firestore, or just after the answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from switchboard.contract.ports import Store
from switchboard.contract.store import Create, Document, Query, Update, Write, WriteResult
from switchboard.desk.bookings.booking import CONFIRMED

ADMISSION, LOOK, CLAIM, SETTLEMENT, TAKE_OVER = "admission", "look", "claim", "settlement", "take-over"
# Only of bookings in an outside calendar.
CONFIRMATION = "confirmation"
# And whatever a call writes, by its number from its admission on.
WRITE = "write"


class CrashingStore:
    """Passes everything on; calls `die` at the given step, `before` it or after."""

    def __init__(self, inner: Store, step: str, before: bool, die: Callable[[], None]) -> None:
        self._inner, self._step, self._before, self._die = inner, step, before, die
        self._writes = 0

    async def get(self, path: str) -> Document | None:
        return await self._inner.get(path)

    async def get_many(self, paths: Sequence[str]) -> list[Document | None]:
        return await self._inner.get_many(paths)

    async def query(self, query: Query) -> list[Document]:
        step = LOOK if query.collection.endswith("/bookings") else ""
        self._reached(step, before=True)
        try:
            return await self._inner.query(query)
        finally:
            self._reached(step, before=False)

    async def count(self, query: Query) -> int:
        return await self._inner.count(query)

    async def commit(self, writes: Sequence[Write]) -> list[WriteResult]:
        step = step_of(writes)
        # What the server writes before the call that it dies of is nobody's.
        self._writes += self._writes > 0 or step == ADMISSION
        steps = (step, f"{WRITE} {self._writes}")
        for one in steps:
            self._reached(one, before=True)
        try:
            return await self._inner.commit(writes)
        finally:
            for one in steps:
                self._reached(one, before=False)

    async def warm(self) -> None:
        await self._inner.warm()

    async def close(self) -> None:
        await self._inner.close()

    def _reached(self, step: str, before: bool) -> None:
        if (step, before) == (self._step, self._before):
            self._die()


def step_of(writes: Sequence[Write]) -> str:
    """Return which step of a call commits these writes; empty for none that is known."""
    first = writes[0]
    is_row = "/calls/" in first.path
    if isinstance(first, Create):
        return ADMISSION if is_row else CLAIM if "/bookings/" in first.path else ""
    if isinstance(first, Update) and is_row:
        return SETTLEMENT if "response" in first.data else TAKE_OVER
    if isinstance(first, Update) and "/bookings/" in first.path and first.data.get("status") == CONFIRMED:
        return CONFIRMATION
    return ""
