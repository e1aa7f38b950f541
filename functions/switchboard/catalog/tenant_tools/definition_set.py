"""The tenant tools that running sessions started with: a snapshot per content, below the business.

As the published definitions have theirs in `catalogs` (seed 003); what a tenant made
has no path outside its business. Each says when it was last seen to be current, so that a tool whose
document was broken since is found again as it was last good.
"""

import json
import logging
import zlib
from collections.abc import Collection, Mapping
from typing import Any

from cachetools import LRUCache

from switchboard.catalog.tenant_tools.definition import OwnTool
from switchboard.catalog.tenant_tools.tenant import NO_TOOLS, OwnTools, own_tools_of
from switchboard.contract.ports import Clock, Paths, Store
from switchboard.contract.store import Order, Query, Set, StoreError

log = logging.getLogger(__name__)

SETS_KEPT = 5_000
# So many sets back a tool is looked for that cannot be used any more.
_SETS_TRIED = 10


class OwnSets:
    """Saves and finds the sets of tenant tools of every business."""

    def __init__(self, store: Store, paths: Paths, clock: Clock) -> None:
        """Start knowing none."""
        self._store, self._paths, self._clock = store, paths, clock
        self._known: LRUCache[tuple[str, str], OwnTools] = LRUCache(SETS_KEPT)
        # By business, the set that was saved last: one that is current again says so again.
        self._saved: LRUCache[str, str] = LRUCache(SETS_KEPT)

    async def save(self, business_id: str, own: OwnTools) -> None:
        """Keep a set for the sessions that start with it; without the store, in this process only."""
        key = (business_id, own.hash)
        if not own.tools or self._saved.get(business_id) == own.hash:
            return
        self._known[key] = own
        rows = zlib.compress(json.dumps(own.rows(), default=str).encode())
        try:
            await self._store.commit([Set(self._path(key), {"tools": rows, "at": self._clock.now()})])
        except StoreError:
            log.warning("snapshot of tenant tools not saved", extra={"catalog": own.hash})
            return
        self._saved[business_id] = own.hash

    async def last_good(self, business_id: str, ids: Collection[str]) -> dict[str, OwnTool] | None:
        """Return the tools of these ids as they were last good, by id, without those that no set holds.

        None where that cannot be read now.
        """
        found: dict[str, OwnTool] = {}
        query = Query(
            self._paths.within(business_id).collection("toolSets"),
            order=(Order("at", descending=True),),
            limit=_SETS_TRIED,
        )
        try:
            documents = await self._store.query(query)
        except StoreError as error:
            log.warning("snapshots of tenant tools not read", extra={"reason": type(error).__name__})
            return None
        for document in documents:
            for tool in _unpacked(document.data).tools.values():
                if tool.record.id in ids:
                    found.setdefault(tool.record.id, tool)
        return found

    async def find(self, business_id: str, hash: str) -> OwnTools | None:
        """Return the set of that hash, or None if it was never saved.

        Raises:
            StoreError: It is not in memory and the store does not answer.
        """
        if not hash:
            return NO_TOOLS
        key = (business_id, hash)
        if key not in self._known:
            document = await self._store.get(self._path(key))
            if document is None:
                return None
            self._known[key] = _unpacked(document.data)
        return self._known[key]

    def _path(self, key: tuple[str, str]) -> str:
        return self._paths.within(key[0]).document("toolSets", key[1])


def _unpacked(data: Mapping[str, Any]) -> OwnTools:
    return own_tools_of(json.loads(zlib.decompress(data["tools"])))
