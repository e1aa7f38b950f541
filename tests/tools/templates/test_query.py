"""The template `query` (seed 002, "Query")."""

import pytest

from switchboard.contract.definitions.tenant_tool import BoundQuery
from switchboard.contract.store import Set
from switchboard.state.paths import FirestorePaths
from switchboard.tools.templates.query import execute
from tests.desk.front_desk import StoppedClock, call, salon, write_down
from tests.desk.memory_actions import MemoryActions
from tests.desk.phone_network import MemoryPhoneNetwork
from tests.tools.templates.bound_desk import bound_desk

SALON = salon()


@pytest.fixture
def desk(store):
    return bound_desk(store, MemoryPhoneNetwork(StoppedClock()), MemoryActions(), StoppedClock())


@pytest.mark.requirement("002-22", "002-55")
async def test_a_collection_answers_with_the_fields_that_its_owner_shows(desk, store):
    """An estate agent's properties, say."""
    items = FirestorePaths().within(SALON.id).items("homes")
    homes = {"h1": {"title": "Cottage", "rooms": 3, "note": "secret"}, "h2": {"title": "Loft", "rooms": 2}}
    await store.commit([Set(f"{items}/{id}", home) for id, home in homes.items()])
    bound = BoundQuery(collection="homes", filters=(("rooms", ">=", 3),), fields=("title",))
    result = await execute(call(SALON), desk, bound=bound)
    assert (result.data, result.empty) == ({"results": [{"title": "Cottage"}], "hasMore": False}, False)
    nothing = BoundQuery(collection="homes", filters=(("rooms", ">=", 9),), fields=("title",))
    result = await execute(call(SALON), desk, bound=nothing)
    assert (result.data, result.empty) == ({"results": [], "hasMore": False}, True)


@pytest.mark.requirement("002-22")
async def test_the_knowledge_base_answers_with_its_sources(desk, store):
    """As `search_knowledge` does."""
    await write_down(store, SALON.id, "faqs", {"f1": {"question": "Is there parking?", "answer": "Behind the house."}})
    result = await execute(call(SALON), desk, bound=BoundQuery(question="parking"))
    (hit,) = result.data["results"]
    assert (hit["id"], hit["text"], hit["source"]) == ("f1", "Behind the house.", "FAQ: Is there parking?")
