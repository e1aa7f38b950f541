"""Reading all that a query finds."""

from datetime import UTC, datetime

import pytest

from switchboard.contract.store import Create, Order, Query, documents_of
from switchboard.state.memory.store import MemoryStore

AT = datetime(2027, 3, 10, tzinfo=UTC)
QUERIES = (
    Query("businesses"),
    Query("bookings", order=(Order("leaseUntil"),), group=True),
)


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("at_once", [1, 2, 3, 7])
async def test_pages_miss_and_repeat_nothing(query: Query, at_once: int) -> None:
    """Also where several have the same key, or the same id in different places."""
    store = MemoryStore()
    places = [f"businesses/{n}" for n in range(6)]
    await store.commit([Create(place, {}) for place in places])
    await store.commit([Create(f"{place}/bookings/same", {"leaseUntil": AT}) for place in places])
    paged = [document.path async for document in documents_of(store.query, query, at_once)]
    assert paged == [document.path for document in await store.query(query)]
    assert len(paged) == len(places)
