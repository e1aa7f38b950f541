"""Which businesses would lose which tools by what a command does, told before it is done.

It is done over a store that keeps its writes to itself; both are then asked of a catalog, as the owners' API does.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

from switchboard.admin.foresight.foresight import Foresight, Side, foresee
from switchboard.app.clients import SystemClock
from switchboard.catalog.definitions.definitions import Definitions
from switchboard.catalog.definitions.registry import Registry
from switchboard.catalog.offer.catalog import Catalog
from switchboard.catalog.tenant_tools.sessions import SessionLocks
from switchboard.contract.ports import Paths, Store
from switchboard.state.memory.overlay import OverlaidStore

REGISTRY = Path(__file__).parents[2] / "functions" / "tool_registry.json"


async def lost_tools(store: Store, paths: Paths, change: Callable[[Store], Awaitable[object]]) -> list[str]:
    """Return a line for each business that would lose tools, with which, where and why; nothing is written.

    Args:
        store: What is there now.
        paths: Where things are in it.
        change: Does with a store what is to be done; it is given one that keeps nothing.
    """
    return list((await foreseen(store, paths, change)).words)


async def foreseen(store: Store, paths: Paths, change: Callable[[Store], Awaitable[object]]) -> Foresight:
    """Return all that a change would do to what businesses offer; as `lost_tools`."""
    before, after = OverlaidStore(store), OverlaidStore(store)
    await change(after)
    clock = SystemClock()
    sides = [Side(side, _catalog(side, paths, clock)) for side in (before, after)]
    try:
        return await foresee(paths, *sides, after.written, clock.now())
    finally:
        for side in sides:
            await side.catalog.ended()


def _catalog(store: Store, paths: Paths, clock: SystemClock) -> Catalog:
    definitions = Definitions(store, paths, Registry.load(REGISTRY), clock)
    return Catalog(store, paths, definitions, SessionLocks(store, paths, definitions, clock), clock)
