"""Which set of definitions a running conversation started with, so that an edit never changes it in mid-sentence.

Seed 003 ("Version locking per session"). The session document keeps the set's hash; this instance remembers it. Taking
a tool away is not an edit of words: it reaches running sessions through the conditions.

A business's own tools have their sets below the business: what a tenant made has no path outside of it. Each says when
it was last seen to be current, so that a tool whose document was broken since is found again as it was last good.
"""

import json
import logging
import zlib
from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from cachetools import LRUCache

from switchboard.catalog.definitions.canary import marks_in
from switchboard.catalog.definitions.definitions import Definitions, DefinitionSet
from switchboard.catalog.tenant_tools.definition import OwnTool
from switchboard.catalog.tenant_tools.tenant import NO_TOOLS, OwnTools, Tenant, joined, own_tools_of
from switchboard.contract.business.succession import drop_business, forgets_businesses
from switchboard.contract.business.terms import Terms, read_terms
from switchboard.contract.caller.caller_identity import Standing, read_standing
from switchboard.contract.context import is_trials_id
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Clock, Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.python.recent import Recent
from switchboard.contract.session_use import KEPT, in_use
from switchboard.contract.store import SERVER_TIME, AlreadyExists, Create, Order, Query, Set, StoreError, Write

SESSIONS_KEPT = 20_000
_REMEMBERED: timedelta = KEPT - timedelta(days=1)
"""What is remembered without being used for longer may be gone: it is looked for again, and begun anew if it is."""

log = logging.getLogger(__name__)

SETS_KEPT = 5_000
# So many sets back a tool is looked for that cannot be used any more.
_SETS_TRIED = 10


@dataclass(slots=True)
class _Lock:
    """The set that a session is locked to, and when that was last asked for."""

    set: DefinitionSet
    used_at: datetime


class SessionLocks:
    """Locks each session to the definitions that were current when it was first seen."""

    def __init__(self, store: Store, paths: Paths, definitions: Definitions, clock: Clock) -> None:
        """Start knowing no session."""
        self._store, self._paths, self._definitions, self._clock = store, paths, definitions, clock
        self.own_sets = OwnSets(store, paths, clock)
        self._locked: Recent[tuple[str, str], _Lock] = Recent(SESSIONS_KEPT)
        forgets_businesses(self)

    def forget_business(self, business_id: str) -> None:
        """Forget the sessions of a business."""
        drop_business(self._locked, business_id)

    def known(self, business_id: str, session_id: str) -> DefinitionSet | None:
        """Return the session's set if this instance has met the session."""
        lock = self._locked.get((business_id, session_id))
        if lock is None:
            return None
        now = self._clock.now()
        if now - lock.used_at > _REMEMBERED:
            self._locked.drop((business_id, session_id))
            return None
        lock.used_at = now
        return lock.set

    def remember(self, business_id: str, session_id: str, locked: DefinitionSet) -> None:
        """Note that the session document now exists and holds this set's hash."""
        self._locked[business_id, session_id] = _Lock(locked, self._clock.now())

    def opening(self, business_id: str, session_id: str, current: DefinitionSet, tenant: Tenant | None = None) -> Write:
        """Return the write that starts a session on the current set; it fails if the session has started already."""
        path = self._paths.within(business_id).document("sessions", session_id)
        session = current.lock(is_trial=is_trials_id(session_id)) | {"startedAt": SERVER_TIME}
        told = Terms.of(tenant.business).to_document() if tenant is not None else {}
        return Create(path, session | told | in_use(self._clock.now()))

    async def lock(
        self, business_id: str, session_id: str, current: DefinitionSet, tenant: Tenant | None = None
    ) -> DefinitionSet:
        """Return the set the session started with; a session nobody has seen starts now, on the current one.

        One that starts keeps what its business tells callers now of prices, lengths and names.

        If the store does not answer, the current set is used and nothing is remembered: better new words than none.
        """
        known = self.known(business_id, session_id)
        if known is not None:
            return known
        try:
            await self._store.commit([self.opening(business_id, session_id, current, tenant)])
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

    async def told(self, business_id: str, session_id: str) -> Terms | None:
        """Return what a session was told of prices, lengths and names; None where that is not known.

        Raises:
            StoreError: It cannot be read.
        """
        session = await self._store.get(self._paths.within(business_id).document("sessions", session_id))
        return read_terms(session.data) if session is not None else None

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
        # Counted with those that it began with, whatever is on trial by now.
        definition_set = replace(joined(base, tools), marks=marks_in(session))
        return (
            current if (definition_set.hash, definition_set.marks) == (current.hash, current.marks) else definition_set
        )


class OwnSets:
    """Saves and finds the sets of tenant tools of every business."""

    def __init__(self, store: Store, paths: Paths, clock: Clock) -> None:
        """Start knowing none."""
        self._store, self._paths, self._clock = store, paths, clock
        self._known: LRUCache[tuple[str, str], OwnTools] = LRUCache(SETS_KEPT)
        # By business, the set that was saved last: one that is current again says so again.
        self._saved: LRUCache[str, str] = LRUCache(SETS_KEPT)
        forgets_businesses(self)

    def forget_business(self, business_id: str) -> None:
        """Forget the sets of a business, and that they are stored."""
        drop_business(self._known, business_id)
        drop_business(self._saved, business_id)

    async def save(self, business_id: str, own: OwnTools, saved: str = "") -> bool:
        """Keep a set for the sessions that start with it, and tell whether any instance finds it.

        Without the store it is kept in this process only; a business without tools has nothing to keep. `saved` is the
        hash of a set that somebody else has kept a moment ago.
        """
        key = (business_id, own.hash)
        if not own.tools or self._saved.get(business_id) == own.hash:
            return bool(own.tools)
        self._known[key] = own
        if own.hash == saved:
            return True
        rows = zlib.compress(json.dumps(own.rows(), default=str).encode())
        try:
            await self._store.commit([Set(self._path(key), {"tools": rows, "at": self._clock.now()})])
        except StoreError:
            log.warning("snapshot of tenant tools not saved", extra={"catalog": own.hash})
            return False
        self._saved[business_id] = own.hash
        return True

    async def last_good(self, business_id: str, ids: Collection[str]) -> dict[str, OwnTool] | None:
        """Return the tools of these ids as they were last good, by id, without those that no set holds.

        None where that cannot be read now.
        """
        tools_by_name: dict[str, OwnTool] = {}
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
                    tools_by_name.setdefault(tool.record.id, tool)
        return tools_by_name

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
