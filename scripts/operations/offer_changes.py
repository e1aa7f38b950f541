"""Which businesses would lose which tools by a push, told before it is made.

What is offered is asked of the catalog itself, over a copy in memory of what decides it, before and after the push.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping
from pathlib import Path

from switchboard.app.clients import SystemClock
from switchboard.catalog.definitions.definitions import Definitions
from switchboard.catalog.definitions.registry import Registry
from switchboard.catalog.offer.catalog import Catalog, Options
from switchboard.catalog.tenant_tools.sessions import SessionLocks
from switchboard.contract.channel import Channel
from switchboard.contract.ports import BusinessCollection, Paths, Store
from switchboard.contract.store import Document, Query, Set
from switchboard.state.memory.store import MemoryStore

MOST_BUSINESSES = 300
NAMED = 40
REGISTRY = Path(__file__).parents[2] / "functions" / "tool_registry.json"
_PAGE = 100
_DECIDING: tuple[BusinessCollection, ...] = ("tools", "agents", "agentTools")


async def lost_tools(store: Store, paths: Paths, push: Callable[[Store], Awaitable[object]]) -> list[str]:
    """Return a line for each business that would lose tools, with which, where and why; nothing is written.

    Args:
        store: What is there now; at most `MOST_BUSINESSES` businesses are read, and a last line says if there are more.
        paths: Where things are in it.
        push: Does with a store what is to be done; it is given a copy.
    """
    before, after = MemoryStore(), MemoryStore()
    businesses, has_more = await _copied(store, paths, (before, after))
    await push(after)
    catalogs = _catalog(before, paths), _catalog(after, paths)
    lines: list[str] = []
    for business_id in businesses:
        now, then = [await _offered(catalog, business_id) for catalog in catalogs]
        lines += _lost(business_id, now, then)
    for catalog in catalogs:
        await catalog.ended()
    told = lines[:NAMED]
    if len(lines) > NAMED:
        told.append(f"and {len(lines) - NAMED} more that would lose tools")
    if has_more:
        told.append(f"only the first {MOST_BUSINESSES} businesses were looked at")
    return told


async def _copied(store: Store, paths: Paths, copies: tuple[Store, Store]) -> tuple[list[str], bool]:
    """Copy the published tools and what decides what businesses are offered of them; return the businesses' ids."""
    pointer = await store.get(paths.tool_pointer)
    await _enter(copies, [pointer] if pointer is not None else [])
    await _enter(copies, await store.query(Query(paths.definitions)))
    ids: list[str] = []
    last: str | None = None
    while True:
        start = (last,) if last is not None else None
        page = await store.query(Query(paths.businesses, limit=_PAGE, start_after=start))
        for document in page:
            if len(ids) == MOST_BUSINESSES:
                return ids, True
            ids.append(document.id)
            await _enter(copies, [document])
            for name in _DECIDING:
                await _enter(copies, await store.query(Query(paths.within(document.id).collection(name))))
        if len(page) < _PAGE:
            return ids, False
        last = page[-1].id


async def _enter(copies: tuple[Store, Store], documents: list[Document]) -> None:
    for copy in copies:
        for document in documents:
            await copy.commit([Set(document.path, document.data)])


def _catalog(store: Store, paths: Paths) -> Catalog:
    clock = SystemClock()
    definitions = Definitions(store, paths, Registry.load(REGISTRY), clock)
    return Catalog(store, paths, definitions, SessionLocks(store, paths, definitions, clock), clock)


async def _offered(catalog: Catalog, business_id: str) -> Mapping[Channel, tuple[set[str], Callable[[str], str]]]:
    """Return what a business's callers are offered on each channel once it is known who they are, and why not more."""
    offered = {}
    for channel in Channel:
        offer = await catalog.get_tool_definitions(business_id, Options(channel, is_verified=True))

        def why(name: str, offer: object = offer) -> str:
            found = offer.why_not(name)  # type: ignore[attr-defined]
            return found.reason if found is not None else "it is not published any more"

        offered[channel] = ({tool.name for tool in offer.tools}, why)
    return offered


def _lost(
    business_id: str,
    now: Mapping[Channel, tuple[set[str], Callable[[str], str]]],
    then: Mapping[Channel, tuple[set[str], Callable[[str], str]]],
) -> Iterator[str]:
    channels: dict[tuple[str, str], list[str]] = {}
    for channel, (names, why) in then.items():
        for name in sorted(now[channel][0] - names):
            channels.setdefault((name, why(name)), []).append(channel.value)
    if channels:
        tools = "; ".join(f"{name} on {', '.join(where)} ({why})" for (name, why), where in channels.items())
        yield f"{business_id} would lose {tools}"
