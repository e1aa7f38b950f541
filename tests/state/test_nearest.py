"""Queries for the nearest by vector: the same documents in the same order from both stores."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from switchboard.contract.ports import Store
from switchboard.contract.store import Create, Filter, Invalid, Near, Order, Query, Set, Update, Vector
from switchboard.state.memory.store import MemoryStore
from tests.each import each
from tests.state.reading import fields, read

EAST, NORTH = Vector((1.0, 0.0)), Vector((0.0, 1.0))
PLACES = {
    "east": {"kind": "city", "at": EAST},
    "east-north-east": {"kind": "city", "at": Vector((0.92, 0.4))},
    "north-east": {"kind": "lake", "at": Vector((0.7, 0.71))},
    "north": {"kind": "city", "at": NORTH},
    "west": {"kind": "city", "at": Vector((-1.0, 0.0))},
    "three-dimensional": {"kind": "city", "at": Vector((1.0, 0.0, 0.0))},
    "an-array": {"kind": "city", "at": [1.0, 0.0]},
    "nowhere": {"kind": "city"},
}


@pytest.fixture
async def places(store: Store, area: str) -> str:
    await store.commit([Create(f"{area}/{id}", data) for id, data in PLACES.items()])
    return area


async def nearest(store: Store, query: Query) -> list[str]:
    return [document.id for document in await store.query(query)]


@pytest.mark.requirement("003-09")
async def test_the_nearest_come_first_and_no_more_than_asked_for(store: Store, places: str) -> None:
    """Only documents with a vector of that length are compared at all."""
    found = await nearest(store, Query(places, limit=3, near=Near("at", EAST)))
    assert found == ["east", "east-north-east", "north-east"]
    everything = await nearest(store, Query(places, limit=1_000, near=Near("at", EAST)))
    assert everything == ["east", "east-north-east", "north-east", "north", "west"]


async def test_each_tells_how_near_it_is(store: Store, places: str) -> None:
    """The dot product, in a field of the answer that is never stored."""
    documents = await store.query(Query(places, limit=2, near=Near("at", NORTH, result="closeness")))
    assert [(d.id, round(d.data["closeness"], 6)) for d in documents] == [("north", 1.0), ("north-east", 0.71)]
    assert documents[0].data["at"] == NORTH
    assert await fields(store, f"{places}/north") == PLACES["north"]


async def test_filters_hold_before_nearness(store: Store, places: str) -> None:
    """The nearest of those that match, not those of the nearest that match."""
    query = Query(places, (Filter("kind", "==", "lake"),), limit=1, near=Near("at", EAST))
    assert await nearest(store, query) == ["north-east"]


async def test_the_nearest_are_not_counted(store: Store, places: str) -> None:
    """There would be nothing to count without finding them."""
    with pytest.raises(Invalid):
        await store.count(Query(places, limit=3, near=Near("at", EAST)))


async def test_a_vector_is_read_as_it_was_written(store: Store, area: str) -> None:
    """Whole numbers become floats; updates and merges replace it whole."""
    path = f"{area}/one"
    await store.commit([Create(path, {"v": Vector((1, 2)), "other": 1})])
    assert (await read(store, path)).data == {"v": Vector((1.0, 2.0)), "other": 1}
    await store.commit([Update(path, {"v": Vector((3.0,))})])
    assert (await read(store, path)).data["v"] == Vector((3.0,))
    await store.commit([Set(path, {"v": EAST}, merge=True)])
    assert await fields(store, path) == {"v": EAST, "other": 1}


async def test_vectors_sort_behind_arrays_and_before_maps(store: Store, area: str) -> None:
    """Shorter ones first, then by their numbers, as Firestore sorts them."""
    values = {"array": [9], "short": Vector((9.0,)), "low": EAST, "high": Vector((1.0, 0.5)), "map": {}}
    await store.commit([Create(f"{area}/{id}", {"v": value}) for id, value in reversed(values.items())])
    assert await nearest(store, Query(area, order=(Order("v"),))) == list(values)


async def test_a_group_is_searched_as_one(store: Store, area: str) -> None:
    """Below every document that has such a collection."""
    await store.commit([Create(f"{area}/x/{area}-v/a", {"v": EAST}), Create(f"{area}/y/{area}-v/b", {"v": NORTH})])
    assert await nearest(store, Query(f"{area}-v", limit=2, group=True, near=Near("v", NORTH))) == ["b", "a"]


@each(
    "query",
    [
        {"near": Near("at", EAST)},
        {"near": Near("at", EAST), "limit": 0},
        {"near": Near("at", EAST), "limit": 1_001},
        {"near": Near("at", EAST), "limit": 1, "order": (Order("at"),)},
        {"near": Near("at", EAST), "limit": 1, "start_after": ("x",)},
        {"near": Near("at", Vector(())), "limit": 1},
        {"near": Near("at", Vector((float("nan"),))), "limit": 1},
        {"near": Near("at", Vector((1.0,) * 2_049)), "limit": 1},
        {"near": Near("", EAST), "limit": 1},
        {"near": Near("place.at", EAST), "limit": 1},
        {"near": Near("at", EAST, result=""), "limit": 1},
    ],
)
async def test_what_cannot_be_answered_is_refused(store: Store, area: str, query: dict[str, object]) -> None:
    """Before anything is asked."""
    with pytest.raises(Invalid):
        await store.query(Query(area, **query))  # type: ignore[arg-type]


@each(
    "value",
    [Vector(()), Vector((1.0,) * 2_049), Vector((float("inf"),)), Vector(("one",)), [EAST]],  # type: ignore[arg-type]
)
async def test_what_is_no_vector_is_not_written(store: Store, area: str, value: object) -> None:
    """Too long, not finite, no numbers, or in an array."""
    with pytest.raises(Invalid):
        await store.commit([Create(f"{area}/one", {"v": value})])
    assert await store.get(f"{area}/one") is None


numbers = st.integers(-9, 9).map(float)
vectors = st.tuples(numbers, numbers, numbers).map(Vector)


@pytest.mark.parametrize("store", [pytest.param("firestore", marks=pytest.mark.emulator)], indirect=True)
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(kept=st.lists(vectors, min_size=1, max_size=12), asked=vectors)
async def test_both_stores_agree(store: Store, area: str, kept: list[Vector], asked: Vector) -> None:
    """The same nearness in the same order; among equals either may come first."""
    memory = MemoryStore()
    writes = [Set(f"{area}/{number}", {"v": vector}) for number, vector in enumerate(kept)]
    others = [Set(f"{area}/{number}", {}) for number in range(len(kept), 12)]
    query = Query(area, limit=len(kept), near=Near("v", asked))
    found = []
    for one in (store, memory):
        await one.commit([*writes, *others])
        found.append({d.id: d.data["similarity"] for d in await one.query(query)})
    assert found[0] == found[1]
    assert list(found[0].values()) == sorted(found[0].values(), reverse=True) == list(found[1].values())
