"""Documents that are read together, once more in one document: a reader who comes cold reads one instead of many.

A compilation is never needed. Where it is missing, too old, or makes no sense, its parts are read as they lie there.

What is promised of its age: every commit of Switchboard's own that writes a part deletes the compilation with it (see
`state/validation.py`), and a compilation is only ever written over the very version that its writer found before it
read the parts. So it holds whatever Switchboard has written, always. What somebody changes by hand, in Firestore
itself, tells nobody: `checkedAt` is when the parts were last held against it, and its reader says how long ago that may
be. Instances that hold the parts read them as they lie there whenever they refresh them, and delete a compilation that
turns out to be another.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from switchboard.contract.background import in_background
from switchboard.contract.deadline import without_end
from switchboard.contract.document import mapping, moment
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Clock, Store
from switchboard.contract.store import DELETE_FIELD, Create, Delete, Document, Invalid, StoreError, Update, Write

log = logging.getLogger(__name__)

_FORMAT: Final = 1
"""A compilation of another form is compiled anew."""
_CLOCKS_DIFFER: Final = timedelta(minutes=1)


class Compilations:
    """Reads, writes and checks compilations of one kind."""

    def __init__(self, store: Store, clock: Clock, age_s: float) -> None:
        """Use what was held against its parts at most `age_s` seconds ago."""
        self._store, self._clock, self._age = store, clock, timedelta(seconds=age_s)
        self._under_way: set[asyncio.Task[None]] = set()

    def usable(self, compiled: Document | None, *collections: str) -> Document | None:
        """Return a compilation of some collections that may be read; None where they are to be read themselves."""
        checked_at = _checked_at(compiled)
        if compiled is None or checked_at is None:
            return None
        if not -_CLOCKS_DIFFER <= self._clock.now() - checked_at <= self._age:
            return None
        parts = mapping(compiled.data.get("parts"))
        return compiled if all(isinstance(parts.get(_name(path)), dict) for path in collections) else None

    def age_s(self, compiled: Document) -> float:
        """Return how many seconds ago it was held against its parts."""
        return max(0.0, (self._clock.now() - (_checked_at(compiled) or self._clock.now())).total_seconds())

    def compile_behind(
        self, path: str, compiled: Document | None, read: Callable[[], Awaitable[JsonObject]], **notes: Any
    ) -> None:
        """Compile anew while nobody waits for it; whatever goes wrong with it leaves the next reader where this one is.

        Args:
            path: Where the compilation stands.
            compiled: What stood there before.
            read: Reads the parts as they lie there.
            notes: What else the document is to say.
        """
        if compiled is None or not _is_uncompilable(compiled, self._clock.now() - self._age):
            self._behind(self._compile(path, compiled, read, notes))

    def check_behind(self, compiled: Document | None, parts: JsonObject, **notes: Any) -> None:
        """Hold a compilation against parts that were just read as they lie there, while nobody waits for it."""
        checked_at, now = _checked_at(compiled), self._clock.now()
        if compiled is None or checked_at is None or "parts" not in compiled.data:
            return
        if compiled.data["parts"] != parts:
            self._behind(self._written(Delete(compiled.path, if_update_time=compiled.update_time)))
        elif now - checked_at > self._age / 2:
            fields = {"checkedAt": now, **notes}
            self._behind(self._written(Update(compiled.path, fields, if_update_time=compiled.update_time)))

    async def ended(self) -> None:
        """Wait for what goes on behind, as before the process ends."""
        while self._under_way:
            await asyncio.wait(self._under_way)

    def _behind(self, work: Coroutine[Any, Any, None]) -> None:
        # However little time the call has left that came across it.
        with without_end():
            task = in_background(work)
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)

    async def _compile(
        self, path: str, compiled: Document | None, read: Callable[[], Awaitable[JsonObject]], notes: JsonObject
    ) -> None:
        try:
            if compiled is None:
                # So that a part that is written from here on deletes something, and what is read now is not kept.
                (claimed,) = await self._store.commit([Create(path, {"format": _FORMAT})])
                version = claimed.update_time
            else:
                version = compiled.update_time
            checked_at = self._clock.now()
            fields = {"format": _FORMAT, "checkedAt": checked_at, **notes}
            parts = await read()
            try:
                await self._store.commit([Update(path, fields | {"parts": parts}, if_update_time=version)])
            except Invalid:
                # More than one document holds; said there, so that nobody tries again for a while.
                await self._store.commit([Update(path, fields | {"parts": DELETE_FIELD}, if_update_time=version)])
        except StoreError as error:
            log.info("not compiled", extra={"reason": type(error).__name__, "pii.detail": str(error)})

    async def _written(self, write: Write) -> None:
        try:
            await self._store.commit([write])
        except StoreError as error:
            log.info("compilation not checked", extra={"reason": type(error).__name__, "pii.detail": str(error)})


def documents_in(compiled: Document, collection: str) -> list[Document]:
    """Return the compiled documents of a collection by id in order, with the times of the compilation for their own."""
    rows = mapping(mapping(compiled.data.get("parts")).get(_name(collection)))
    return [
        Document(f"{collection}/{id}", row, compiled.update_time, compiled.create_time)
        for id, row in sorted(rows.items())
        if isinstance(row, dict)
    ]


def compiled_parts(*collections: tuple[str, Sequence[Document]]) -> JsonObject:
    """Return all documents of some collections, as a compilation holds them."""
    return {_name(path): {document.id: document.data for document in documents} for path, documents in collections}


def _name(collection: str) -> str:
    return collection.rpartition("/")[2]


def _checked_at(compiled: Document | None) -> datetime | None:
    if compiled is None or compiled.data.get("format") != _FORMAT:
        return None
    return moment(compiled.data.get("checkedAt"))


def _is_uncompilable(compiled: Document, since: datetime) -> bool:
    """Tell whether it was found out lately that the parts do not fit into one document."""
    checked_at = _checked_at(compiled)
    return checked_at is not None and "parts" not in compiled.data and checked_at >= since
