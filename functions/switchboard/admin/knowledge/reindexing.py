"""The index of a business's texts after an owner has changed them: rebuilt at once, or later if that fails.

A mark is written in the commit of the save and taken away when the index is whole again; what dies in between leaves
the mark behind, and the pass finds it. A mark that was renewed meanwhile stays.
"""

import logging
import secrets
from collections.abc import Mapping
from datetime import datetime
from typing import Protocol

from switchboard.contract.deadline import ending_in
from switchboard.contract.error import ToolError
from switchboard.contract.ports import BusinessPaths, Paths, Store
from switchboard.contract.store import (
    SERVER_TIME,
    Delete,
    Filter,
    Missing,
    Order,
    Query,
    Set,
    Stale,
    StoreError,
    Write,
)

log = logging.getLogger(__name__)

KIND = "reindex"
_STATE = "due"
# An owner waits for this; more is left to the pass.
_AT_ONCE_S = 4.0
_PASS_S = 60.0
_BUSINESSES_PER_PASS = 20


class Index(Protocol):
    """What searches over a business's texts."""

    async def reindex(self, paths: BusinessPaths) -> object:
        """Bring the index in line with the texts; raises StoreError or ToolError, and can then be repeated."""


class Shelf(Protocol):
    """What reads a business's texts and keeps them for a moment."""

    def forget(self, paths: BusinessPaths) -> None:
        """Read them again at the next question."""


class Reindexing:
    """Keeps indexes in line with what owners write."""

    def __init__(self, store: Store, paths: Paths, index: Index, *shelves: Shelf) -> None:
        self._store, self._paths, self._index, self._shelves = store, paths, index, shelves

    def due(self, paths: BusinessPaths) -> Write:
        """Return the write that marks a business's index as out of date; its result's time goes to `now`."""
        # Without the last one, a mark renewed within the same millisecond would be no change, and could be taken away.
        mark = {"kind": KIND, "state": _STATE, "createdAt": SERVER_TIME, "mark": secrets.token_hex(8)}
        return Set(paths.document("outbox", KIND), mark)

    async def now(self, business_id: str, marked_at: datetime | None) -> None:
        """Rebuild a business's index; if that fails, say so in the log and leave the mark."""
        within = self._paths.within(business_id)
        for shelf in self._shelves:
            shelf.forget(within)
        try:
            with ending_in(_AT_ONCE_S):
                await self._rebuild(within, marked_at)
        except (StoreError, ToolError) as error:
            log.warning(
                "index not rebuilt yet",
                extra={"business": business_id, "reason": type(error).__name__, "pii.detail": str(error)},
            )

    async def repair(self, business_id: str | None = None) -> Mapping[str, int]:
        """Rebuild what is marked, of one business or of all; one pass of background work.

        Raises:
            StoreError: What is marked could not be read.
        """
        marked = (Filter("kind", "==", KIND), Filter("state", "==", _STATE))
        if business_id is not None:
            documents = await self._store.query(Query(self._paths.within(business_id).collection("outbox"), marked))
        else:
            everywhere = Query("outbox", marked, (Order("createdAt"),), _BUSINESSES_PER_PASS, group=True)
            documents = await self._store.query(everywhere)
        rebuilt = 0
        for mark in documents:
            id = self._paths.business_of(mark.path)
            try:
                with ending_in(_PASS_S):
                    await self._rebuild(self._paths.within(id), mark.update_time)
            except (StoreError, ToolError) as error:
                log.warning(
                    "index not rebuilt",
                    extra={"business": id, "reason": type(error).__name__, "pii.detail": str(error)},
                )
                continue
            rebuilt += 1
        return {"rebuilt": rebuilt}

    async def _rebuild(self, within: BusinessPaths, marked_at: datetime | None) -> None:
        await self._index.reindex(within)
        if marked_at is None:
            return
        try:
            await self._store.commit([Delete(within.document("outbox", KIND), if_update_time=marked_at)])
        except (Stale, Missing):
            # Somebody has saved something since; the mark is theirs.
            return
