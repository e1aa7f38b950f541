"""The store port in one process: for fast tests, and for running where there is no Firestore emulator.

It keeps Firestore's promises, held to the same contract tests: atomic commits, preconditions, instructions, order of
types, cursors, update times. They end with the process.
"""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import chain
from typing import assert_never

from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Clock
from switchboard.contract.store import (
    AlreadyExists,
    Create,
    Delete,
    Document,
    Invalid,
    Missing,
    Query,
    Set,
    Stale,
    Update,
    Write,
    WriteResult,
)
from switchboard.state.memory import queries
from switchboard.state.memory.documents import DocumentTree, StoredDocument
from switchboard.state.memory.transforms import applied
from switchboard.state.stored import copied, size
from switchboard.state.validation import checked_count, checked_query, checked_writes, with_compiled_dropped
from switchboard.state.value import check_document_path

_MAX_DOCUMENT_BYTES = 1_048_576
_TICK = timedelta(microseconds=1)


class MemoryStore:
    """Documents in the memory of this process.

    Every operation lets other tasks run first, and then happens without a pause: commits are atomic, and a caller who
    reads and then writes what he read is as exposed to others as with Firestore.

    Args:
        clock: Where update times and `SERVER_TIME` come from; the system's clock if none is given.
    """

    def __init__(self, clock: Clock | None = None) -> None:
        # Whoever only imports a store imports no library.
        from switchboard.state.size_bound import measured

        self._measured = measured
        self._documents = DocumentTree()
        self._clock = clock
        self._last = datetime.min.replace(tzinfo=UTC)

    def copy(self, clock: Clock | None = None) -> "MemoryStore":
        """Return another store that holds the same now, and goes on by itself; `clock` as for a new one."""
        other = MemoryStore(clock)
        other._last = self._last
        for path, stored in self._documents.within_group(""):
            other._documents.put(path, stored)
        return other

    async def warm(self) -> None:
        """Do nothing: there is no connection to make."""

    async def get(self, path: str) -> Document | None:
        """Return the document, or None if there is none."""
        await asyncio.sleep(0)
        check_document_path(path)
        return self._document(path)

    async def get_many(self, paths: Sequence[str]) -> list[Document | None]:
        """Return the documents in the order asked for, None where there is none."""
        await asyncio.sleep(0)
        for path in paths:
            check_document_path(path)
        return [self._document(path) for path in paths]

    async def query(self, query: Query) -> list[Document]:
        """Return the matching documents in order."""
        await asyncio.sleep(0)
        # A search for what is near adds to the fields; times are as stored.
        return [_document(row.path, row.fields, row.stored) for row in self._matching(query)]

    async def count(self, query: Query) -> int:
        """Return how many documents match."""
        await asyncio.sleep(0)
        return len(self._matching(checked_count(query)))

    def take_over(self, documents: Sequence[Document]) -> None:
        """Hold documents as another store does, with the times at which they were written there."""
        for document in documents:
            self._documents.put(document.path, _as_stored(document))

    def matching(self, query: Query, beside: Sequence[Document]) -> list[Document]:
        """Return the matching documents in order, of those here and those of another store beside them."""
        others = [(document.path, _as_stored(document)) for document in beside]
        return [_document(row.path, row.fields, row.stored) for row in self._matching(query, others)]

    async def commit(self, writes: Sequence[Write]) -> list[WriteResult]:
        """Do all writes or none; see the port for what it raises."""
        await asyncio.sleep(0)
        checked = with_compiled_dropped(checked_writes(writes))
        # No pause from here on: what was checked must still hold when it is written.
        now = self._next_time()
        after: dict[str, StoredDocument | None] = {}
        results = [self._perform(write, now, after) for write in checked]
        for path, stored in after.items():
            if stored is not None:
                self._documents.put(path, stored)
            else:
                self._documents.remove(path)
        return results[: len(writes)]

    async def close(self) -> None:
        """Do nothing: there is no connection to close."""

    def _document(self, path: str) -> Document | None:
        stored = self._documents.get(path)
        return None if stored is None else _document(path, stored.fields, stored)

    def _matching(
        self, query: Query, beside: Sequence[tuple[str, StoredDocument]] = ()
    ) -> list[queries.SearchedDocument]:
        query = checked_query(query)
        name = query.collection.rpartition("/")[2]
        documents = self._documents
        within = documents.within_group(name) if query.group else documents.within(query.collection)
        return queries.matching(query, chain(within, beside))

    def _next_time(self) -> datetime:
        now = self._clock.now() if self._clock else datetime.now(UTC)
        # Update times tell versions apart, so they move on even where the clock stands still or goes back.
        self._last = max(now, self._last + _TICK)
        return self._last

    def _perform(self, write: Write, now: datetime, after: dict[str, StoredDocument | None]) -> WriteResult:
        """Add to `after` what a write makes of its document, as the writes before it in the commit left it."""
        path = write.path
        before = after[path] if path in after else self._documents.get(path)
        _check_precondition(write, before)
        if isinstance(write, Delete):
            after[path] = None
            return WriteResult(now)
        at_most, others = self._measured(write.data)
        made = applied(write, before.fields if before else None, now, is_literal=not others)
        if made.differs:
            # The document is only measured when what was ever written to it could be too much: measuring it with every
            # write would take longer than the writes themselves.
            at_most += before.at_most if before else _name_size(path)
            if at_most > _MAX_DOCUMENT_BYTES:
                at_most = _checked_size(path, made.fields)
            created = before.created if before else now
            after[path] = before = StoredDocument(made.fields, created, now, at_most)
        # As in Firestore, a write that changes nothing leaves the update time alone.
        assert before is not None
        return WriteResult(before.updated, made.increments)


def _checked_size(path: str, fields: JsonObject) -> int:
    total = _name_size(path) + size(fields)
    if total > _MAX_DOCUMENT_BYTES:
        raise Invalid(f"a document of {total} bytes is larger than {_MAX_DOCUMENT_BYTES}: {path}")
    return total


def _as_stored(document: Document) -> StoredDocument:
    at_most = _name_size(document.path) + size(document.data)
    return StoredDocument(document.data, document.create_time, document.update_time, at_most)


def _document(path: str, fields: JsonObject, stored: StoredDocument) -> Document:
    return Document(path, copied(fields), stored.updated, stored.created)


def _check_precondition(write: Write, before: StoredDocument | None) -> None:
    match write:
        case Create():
            if before is not None:
                raise AlreadyExists(f"there is a document already: {write.path}")
        case Update() | Delete():
            if write.if_update_time is not None:
                if before is None or before.updated != write.if_update_time:
                    raise Stale(f"the document changed since it was read: {write.path}")
            elif before is None and (isinstance(write, Update) or write.must_exist):
                raise Missing(f"there is no document: {write.path}")
        case Set():
            pass
        case _:
            assert_never(write)


def _name_size(path: str) -> int:
    # Firestore counts 32 bytes for a document, and 16 and one per part for its name
    return 32 + 16 + len(path.encode()) + 1
