"""A tenant tool whose document was broken: its last good version, also on an instance that starts afterwards."""

from typing import Any

import pytest

from switchboard.app.container import build
from switchboard.app.settings import read_configuration
from switchboard.catalog.offer import catalog
from switchboard.contract.store import Delete, Set, Unavailable, Update
from switchboard.state.memory.store import MemoryStore
from switchboard.state.paths import FirestorePaths
from tests.desk.front_desk import StoppedClock, WatchedStore

pytestmark = pytest.mark.requirement("004-475")
WITHIN = FirestorePaths().within("salon")
TOOL = WITHIN.document("tools", "t1")
BROKEN = {"type": "no such type"}


def document(name: str = "order_status", description: str = "Look up an order.", **changes: Any) -> dict[str, Any]:
    params = {"order": {"mode": "ai", "prompt": "The order's number"}}
    request = {"method": "GET", "url": "https://orders.example.com/orders/{{order}}"}
    own = {"type": "api_request", "label": name, "description": description, "request": request, "params": params}
    properties = {"order": {"type": "string", "description": "The order's number"}}
    schema = {"type": "object", "properties": properties, "required": ["order"], "additionalProperties": False}
    return {
        "name": name,
        "label": name,
        "description": description,
        "type": "api_request",
        "functionSchema": {"name": name, "description": description, "parameters": schema},
        "staticConfig": {},
        "configMetadata": own,
        "enabled": True,
        "revision": 1,
    } | changes


@pytest.fixture
async def store() -> WatchedStore:
    """A store with a business and a tool of its owner's."""
    found = WatchedStore(MemoryStore())
    business = {"name": "Salon", "timezone": "America/New_York"}
    await found.commit([Set(WITHIN.business, business), Set(TOOL, document())])
    return found


class Instance:
    """A process that serves."""

    def __init__(self, store: Any) -> None:
        self.house = build(read_configuration({}), store)
        self.house.clock = self.clock = StoppedClock()

    async def own(self, business_id: str = "salon") -> dict[str, str]:
        """Return what it knows of the owner's tools after a minute: their descriptions, by name."""
        self.clock.wait(120)
        self.house.catalog.forget(business_id)
        tenant = await self.house.catalog.tenant(business_id)
        assert tenant is not None
        return {name: tool.record.description for name, tool in tenant.own.tools.items() if tool.record.is_enabled}


async def test_an_instance_that_starts_after_a_broken_edit_has_the_last_good_version(store: Any):
    """As one that has read it before; another tool of the business is as it is."""
    earlier = Instance(store)
    assert await earlier.own() == {"order_status": "Look up an order."}
    await store.commit(
        [Update(TOOL, {"description": "Look up any order.", "revision": 2}), *worded("Look up any order.")]
    )
    assert await earlier.own() == {"order_status": "Look up any order."}
    await store.commit([Update(TOOL, BROKEN), Set(WITHIN.document("tools", "t2"), document("returns"))])
    expected = {"order_status": "Look up any order.", "returns": "Look up an order."}
    assert await earlier.own() == expected
    cold = Instance(store)
    assert await cold.own() == expected
    assert await cold.own() == expected


def worded(text: str) -> list[Any]:
    return [Update(TOOL, {"functionSchema.description": text, "configMetadata.description": text})]


async def test_of_two_versions_the_one_that_was_current_last_counts_also_where_it_came_back(store: Any):
    first = Instance(store)
    for text in ("Look up an order.", "Something else.", "Look up an order."):
        await store.commit([Update(TOOL, {"description": text}), *worded(text)])
        assert await first.own() == {"order_status": text}
    await store.commit([Update(TOOL, BROKEN)])
    assert await Instance(store).own() == {"order_status": "Look up an order."}


async def test_a_broken_document_that_switches_its_tool_off_leaves_it_off(store: Any):
    earlier = Instance(store)
    await earlier.own()
    await store.commit([Update(TOOL, {**BROKEN, "enabled": False})])
    assert await earlier.own() == await Instance(store).own() == {}


async def test_what_was_never_good_is_looked_for_once_and_is_missing(store: Any):
    """A document that is gone is not brought back either."""
    await Instance(store).own()
    await store.commit([Set(WITHIN.document("tools", "t3"), BROKEN)])
    store.paths.clear()
    cold = Instance(store)
    for _ in range(3):
        assert await cold.own() == {"order_status": "Look up an order."}
    assert sum(path.endswith("toolSets") for path in store.paths) == 1


async def test_what_was_found_is_found_again_when_the_process_has_forgotten_it(
    store: Any, monkeypatch: pytest.MonkeyPatch
):
    """Of more businesses than it remembers, each is read again after a while."""
    monkeypatch.setattr(catalog, "BUSINESSES_KEPT", 1)
    await Instance(store).own()
    await store.commit([Update(TOOL, BROKEN), Set(FirestorePaths().within("other").business, {"name": "Other"})])
    cold = Instance(store)
    for _ in range(3):
        assert await cold.own() == {"order_status": "Look up an order."}
        assert await cold.own("other") == {}


async def test_a_tool_that_was_gone_for_a_while_and_came_back_broken_is_as_it_was_last_good(store: Any):
    await Instance(store).own()
    await store.commit([Update(TOOL, BROKEN)])
    cold = Instance(store)
    assert await cold.own() == {"order_status": "Look up an order."}
    await store.commit([Delete(TOOL)])
    assert await cold.own() == {}
    await store.commit([Set(TOOL, document() | BROKEN)])
    assert await cold.own() == {"order_status": "Look up an order."}


async def test_of_a_tool_that_was_mended_the_mended_version_is_found_when_it_breaks_again(
    store: Any, monkeypatch: pytest.MonkeyPatch
):
    """Not the one that was found before it was mended."""
    monkeypatch.setattr(catalog, "BUSINESSES_KEPT", 1)
    await Instance(store).own()
    await store.commit([Update(TOOL, BROKEN), Set(FirestorePaths().within("other").business, {"name": "Other"})])
    cold = Instance(store)
    await cold.own()
    text = "Look up any order."
    await store.commit([Set(TOOL, document(description=text))])
    assert await cold.own() == {"order_status": text}
    await store.commit([Update(TOOL, BROKEN)])
    await cold.own("other")
    assert await cold.own() == {"order_status": text}


async def test_what_could_not_be_looked_for_is_looked_for_again(store: Any):
    await Instance(store).own()
    await store.commit([Update(TOOL, BROKEN)])
    cold, query = Instance(store), store.inner.query

    async def failing(asked: Any) -> Any:
        if asked.collection.endswith("toolSets"):
            raise Unavailable("the store hangs")
        return await query(asked)

    store.inner.query = failing
    assert await cold.own() == {}
    store.inner.query = query
    assert await cold.own() == {"order_status": "Look up an order."}
