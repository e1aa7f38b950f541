"""The tenant tools that running sessions started with: a write-once snapshot per content, below the business.

As the published definitions have theirs in `catalogs` (seed 003, "Version locking per session"); what a tenant made
has no path outside its business (design §3).
"""

import json
import logging
import zlib

from cachetools import LRUCache

from switchboard.catalog.tenant import NO_TOOLS, OwnTools, own_tools_of
from switchboard.contract.ports import Paths, Store
from switchboard.contract.store import AlreadyExists, Create, StoreError

log = logging.getLogger(__name__)

SETS_KEPT = 5_000


class OwnSets:
    """Saves and finds the sets of tenant tools of every business."""

    def __init__(self, store: Store, paths: Paths) -> None:
        """Start knowing none."""
        self._store, self._paths = store, paths
        self._known: LRUCache[tuple[str, str], OwnTools] = LRUCache(SETS_KEPT)
        self._saved: LRUCache[tuple[str, str], bool] = LRUCache(SETS_KEPT)

    async def save(self, business_id: str, own: OwnTools) -> None:
        """Keep a set for the sessions that start with it; without the store, in this process only."""
        key = (business_id, own.hash)
        if not own.tools or key in self._saved:
            return
        self._known[key] = own
        rows = zlib.compress(json.dumps(own.rows(), default=str).encode())
        try:
            await self._store.commit([Create(self._path(key), {"tools": rows})])
        except AlreadyExists:
            pass
        except StoreError:
            log.warning("snapshot of tenant tools not saved", extra={"catalog": own.hash})
            return
        self._saved[key] = True

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
            self._known[key] = own_tools_of(json.loads(zlib.decompress(document.data["tools"])))
        return self._known[key]

    def _path(self, key: tuple[str, str]) -> str:
        return self._paths.within(key[0]).document("toolSets", key[1])
