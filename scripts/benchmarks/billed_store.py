"""A store that counts documents as Firestore bills them, not requests.

https://firebase.google.com/docs/firestore/pricing: a document that is asked for and not there costs a read, a query
that finds nothing costs one, and a count costs one for every thousand index entries.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass

from switchboard.contract.ports import Store
from switchboard.contract.store import Create, Delete, Document, Query, Set, Write, WriteResult

_COUNTED_FOR_ONE_READ = 1000


@dataclass(frozen=True)
class Bill:
    """What was billed, and how many of the documents that came to be expire: each of those is deleted one day."""

    reads: int = 0
    writes: int = 0
    deletes: int = 0
    expiring: int = 0

    def __add__(self, other: Bill) -> Bill:
        return Bill(*(ours + theirs for ours, theirs in zip(astuple(self), astuple(other), strict=True)))

    def __sub__(self, other: Bill) -> Bill:
        return Bill(*(ours - theirs for ours, theirs in zip(astuple(self), astuple(other), strict=True)))

    def __str__(self) -> str:
        deleted = f", {self.deletes} deletes" if self.deletes else ""
        return f"{self.reads} reads, {self.writes} writes{deleted}"


class BilledStore:
    """Passes everything on, and keeps the bill."""

    def __init__(self, inner: Store) -> None:
        self._inner = inner
        self.bill = Bill()
        self._expiring: set[str] = set()

    async def get(self, path: str) -> Document | None:
        self.bill += Bill(reads=1)
        return await self._inner.get(path)

    async def get_many(self, paths: Sequence[str]) -> list[Document | None]:
        # The client asks once for a path that is named twice.
        self.bill += Bill(reads=len(set(paths)))
        return await self._inner.get_many(paths)

    async def query(self, query: Query) -> list[Document]:
        documents = await self._inner.query(query)
        self.bill += Bill(reads=max(1, len(documents)))
        return documents

    async def count(self, query: Query) -> int:
        count = await self._inner.count(query)
        self.bill += Bill(reads=max(1, -(-count // _COUNTED_FOR_ONE_READ)))
        return count

    async def commit(self, writes: Sequence[Write]) -> list[WriteResult]:
        results = await self._inner.commit(writes)
        deletes = sum(isinstance(write, Delete) for write in writes)
        made = {w.path for w in writes if isinstance(w, Create | Set) and "expireAt" in w.data} - self._expiring
        self._expiring |= made
        self.bill += Bill(writes=len(writes) - deletes, deletes=deletes, expiring=len(made))
        return results

    async def warm(self) -> None:
        await self._inner.warm()

    async def close(self) -> None:
        await self._inner.close()
