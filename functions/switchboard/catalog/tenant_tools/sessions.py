"""Which set of definitions a running conversation started with, so that an edit never changes it in mid-sentence.

Seed 003 ("Version locking per session"). The session document keeps the set's hash; this instance remembers it. Taking
a tool away is not an edit of words: it reaches running sessions through the conditions.
"""

from datetime import datetime, timedelta

from cachetools import LRUCache

from switchboard.catalog.definitions.definitions import Definitions, DefinitionSet
from switchboard.catalog.tenant_tools.definition_set import OwnSets
from switchboard.catalog.tenant_tools.tenant import joined
from switchboard.contract.caller.caller_identity import Standing, read_standing
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Clock, Paths, Store
from switchboard.contract.session_use import KEPT, in_use
from switchboard.contract.store import SERVER_TIME, AlreadyExists, Create, StoreError, Write

SESSIONS_KEPT = 20_000
_REMEMBERED: timedelta = KEPT - timedelta(days=1)
"""What is remembered without being used for longer may be gone: it is looked for again, and begun anew if it is."""


class SessionLocks:
    """Locks each session to the definitions that were current when it was first seen."""

    def __init__(self, store: Store, paths: Paths, definitions: Definitions, clock: Clock) -> None:
        """Start knowing no session."""
        self._store, self._paths, self._definitions, self._clock = store, paths, definitions, clock
        self.own_sets = OwnSets(store, paths, clock)
        self._locked: LRUCache[tuple[str, str], tuple[DefinitionSet, datetime]] = LRUCache(SESSIONS_KEPT)

    def known(self, business_id: str, session_id: str) -> DefinitionSet | None:
        """Return the session's set if this instance has met the session."""
        found = self._locked.get((business_id, session_id))
        if found is None:
            return None
        locked, used_at = found
        now = self._clock.now()
        if now - used_at > _REMEMBERED:
            del self._locked[business_id, session_id]
            return None
        self._locked[business_id, session_id] = locked, now
        return locked

    def remember(self, business_id: str, session_id: str, locked: DefinitionSet) -> None:
        """Note that the session document now exists and holds this set's hash."""
        self._locked[business_id, session_id] = locked, self._clock.now()

    def opening(self, business_id: str, session_id: str, current: DefinitionSet) -> Write:
        """Return the write that starts a session on the current set; it fails if the session has started already."""
        path = self._paths.within(business_id).document("sessions", session_id)
        return Create(path, current.lock | {"startedAt": SERVER_TIME} | in_use(self._clock.now()))

    async def lock(self, business_id: str, session_id: str, current: DefinitionSet) -> DefinitionSet:
        """Return the set the session started with; a session nobody has seen starts now, on the current one.

        If the store does not answer, the current set is used and nothing is remembered: better new words than none.
        """
        known = self.known(business_id, session_id)
        if known is not None:
            return known
        try:
            await self._store.commit([self.opening(business_id, session_id, current)])
        except AlreadyExists:
            return await self.resume(business_id, session_id, current)
        except StoreError:
            return current
        self.remember(business_id, session_id, current)
        return current

    async def standing(self, business_id: str, session_id: str) -> Standing | None:
        """Return what a session has established about its caller; None if nothing.

        Raises:
            StoreError: It cannot be read.
        """
        return read_standing(await self._store.get(self._paths.within(business_id).document("sessions", session_id)))

    async def resume(self, business_id: str, session_id: str, current: DefinitionSet) -> DefinitionSet:
        """Return the set of a session that another instance started; the current one if it cannot be found."""
        try:
            document = await self._store.get(self._paths.within(business_id).document("sessions", session_id))
            locked = await self._found(business_id, document.data if document else {}, current)
        except StoreError:
            return current
        self.remember(business_id, session_id, locked)
        return locked

    async def _found(self, business_id: str, session: JsonObject, current: DefinitionSet) -> DefinitionSet:
        # A hash whose snapshot is gone cannot be honoured; the session goes on with what is current.
        published, own = session.get("catalogHash"), session.get("ownToolsHash", "")
        if not isinstance(published, str) or not isinstance(own, str):
            return current
        base, tools = await self._definitions.snapshot(published), await self.own_sets.find(business_id, own)
        if base is None or tools is None:
            return current
        found = joined(base, tools)
        return current if found.hash == current.hash else found
