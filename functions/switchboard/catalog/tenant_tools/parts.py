"""What a business is made of, as it is stored: its document, its own tools, its agents and what is attached to them.

Who comes cold reads two documents: the business's own, and the one that the others were compiled into. What is promised
of hand-made changes in Firestore itself: to the business's document, they are seen with the next reading, at most 60
seconds later. To a tool, an agent or an attachment, likewise on every instance that has served the business within the
last five minutes, since that reads them as they lie there, and on all others as soon as one of those has; and where no
instance has, five minutes after the compilation was held against its parts the last time (`policy.COMPILED_CHECK_S`).
Whoever cannot wait deletes `compiled/parts`. What Switchboard itself writes is never missing.
"""

import asyncio
from collections.abc import Sequence
from math import inf
from typing import TypeAlias

from cachetools import LRUCache

from switchboard.catalog.definitions.compiled import Compilations, compiled_parts, documents_in
from switchboard.contract import policy
from switchboard.contract.document import text
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import BusinessPaths, Clock, Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Document, Query

_BUSINESSES_KEPT = 50_000
_TOOL_SET = "toolSet"

_Parts: TypeAlias = tuple[Sequence[Document], Sequence[Document], Sequence[Document]]


@dataclass(frozen=True, slots=True)
class BusinessParts:
    """What was read.

    Attributes:
        document: The business's own.
        tools: Its own tools.
        agents: Its agents.
        attachments: Which tool is attached to which agent.
        compiled: The compilation that was there.
        is_compiled: Whether the parts are those of the compilation.
    """

    document: Document
    tools: Sequence[Document]
    agents: Sequence[Document]
    attachments: Sequence[Document]
    compiled: Document | None = None
    is_compiled: bool = False

    @property
    def saved_tools(self) -> str:
        """The hash of the set of these tools that sessions find again; empty where nobody has said so."""
        return text(self.compiled.data.get(_TOOL_SET)) if self.compiled is not None and self.is_compiled else ""


class StoredBusinesses:
    """Reads businesses with their parts."""

    def __init__(self, store: Store, paths: Paths, clock: Clock) -> None:
        """Start knowing none."""
        self._store, self._paths, self._monotonic = store, paths, clock.monotonic
        self.compilations = Compilations(store, clock, policy.COMPILED_CHECK_S)
        self._read_at: LRUCache[str, float] = LRUCache(_BUSINESSES_KEPT)

    async def read(self, business_id: str) -> BusinessParts | None:
        """Return a business with its parts; None where there is no such business.

        Raises:
            StoreError: It cannot be read.
        """
        paths, now = self._paths.within(business_id), self._monotonic()
        own = [paths.business, paths.compiled]
        if now - self._read_at.get(business_id, -inf) < policy.COMPILED_CHECK_S:
            (document, compiled), parts = await asyncio.gather(self._store.get_many(own), self._as_they_lie(paths))
        else:
            document, compiled = await self._store.get_many(own)
            usable = self.compilations.usable(compiled, *_collections(paths)) if document is not None else None
            if document is not None and usable is not None:
                self._read_at[business_id] = now
                tools, agents, attachments = (documents_in(usable, name) for name in _collections(paths))
                return BusinessParts(document, tools, agents, attachments, usable, is_compiled=True)
            parts = await self._as_they_lie(paths) if document is not None else ((), (), ())
        if document is None:
            return None
        self._read_at[business_id] = now
        return BusinessParts(document, *parts, compiled=compiled)

    def keep(self, business_id: str, parts: BusinessParts, saved_tools: str) -> None:
        """See that the next who comes cold finds such parts compiled, while nobody waits for it.

        `saved_tools` is the hash of the set of their tools that sessions find again; empty where none was saved.
        """
        paths = self._paths.within(business_id)
        notes = {_TOOL_SET: saved_tools}
        if parts.is_compiled:
            return
        if self.compilations.usable(parts.compiled, *_collections(paths)) is not None:
            rows = _compiled(paths, (parts.tools, parts.agents, parts.attachments))
            self.compilations.check_behind(parts.compiled, rows, **notes)
            return

        async def read() -> JsonObject:
            return _compiled(paths, await self._as_they_lie(paths))

        self.compilations.compile_behind(paths.compiled, parts.compiled, read, **notes)

    async def _as_they_lie(self, paths: BusinessPaths) -> _Parts:
        tools, agents, attachments = _collections(paths)
        return await asyncio.gather(
            self._store.query(Query(tools, limit=policy.TENANT_TOOLS)),
            self._store.query(Query(agents, limit=policy.AGENTS)),
            self._store.query(Query(attachments, limit=policy.ATTACHMENTS)),
        )


def _collections(paths: BusinessPaths) -> tuple[str, str, str]:
    return paths.collection("tools"), paths.collection("agents"), paths.collection("agentTools")


def _compiled(paths: BusinessPaths, parts: _Parts) -> JsonObject:
    return compiled_parts(*zip(_collections(paths), parts, strict=True))
