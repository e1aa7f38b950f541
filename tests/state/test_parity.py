"""Whatever is written and asked, the memory store and Firestore's emulator end up with the same."""

import uuid
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from switchboard.contract.ports import Store
from switchboard.contract.store import (
    DELETE_FIELD,
    SERVER_TIME,
    ArrayUnion,
    Create,
    Delete,
    Filter,
    GeoPoint,
    Increment,
    Order,
    Query,
    Reference,
    Set,
    StoreError,
    Update,
)
from switchboard.state.firestore.store import FirestoreStore
from switchboard.state.memory.store import MemoryStore

# few names and values, so that writes and filters meet what is there
names = st.sampled_from(["a", "b", "c-d", "e f", "ü"])
ids = st.sampled_from(["one", "two", "three"])
simple = (
    st.sampled_from([None, True, False, 0, 1, 1.0, 2.5, -3, "", "a", "b", b"", b"a", datetime(2026, 1, 1, tzinfo=UTC)])
    | st.sampled_from(
        [
            2**63 - 1,
            -(2**63),
            -0.0,
            1e308,
            datetime(2026, 1, 1, 0, 0, 0, 1, UTC),
            datetime(2026, 1, 1, 23, 59, tzinfo=UTC),
        ]
    )
    | st.sampled_from([GeoPoint(1.5, -2), GeoPoint(0, 0), Reference("a/b"), Reference("a/b/c/d")])
)
values = st.recursive(
    simple,
    lambda inner: (
        st.lists(inner.filter(lambda item: not isinstance(item, list)), max_size=3)
        | st.dictionaries(names, inner, max_size=3)
    ),
    max_leaves=5,
)
instructions = st.one_of(
    st.sampled_from([SERVER_TIME, Increment(), Increment(-2), Increment(0.5)]),
    st.lists(simple, min_size=1, max_size=3).map(lambda items: ArrayUnion(tuple(items))),
)
data = st.recursive(
    st.dictionaries(names, values | instructions, max_size=3),
    lambda inner: st.dictionaries(names, inner | instructions, max_size=3),
    max_leaves=4,
)
merged = st.recursive(
    st.dictionaries(names, values | instructions | st.just(DELETE_FIELD), max_size=3),
    lambda inner: st.dictionaries(names, inner | st.just(DELETE_FIELD), max_size=3),
    max_leaves=4,
)
dotted = st.lists(names, min_size=1, max_size=3).map(".".join)
changes = st.dictionaries(dotted, values | instructions | data | st.just(DELETE_FIELD), max_size=3)
writes = st.one_of(
    st.builds(Create, ids, data),
    st.builds(Set, ids, data),
    st.builds(lambda path, fields: Set(path, fields, merge=True), ids, merged),
    st.builds(Update, ids, changes),
    st.builds(lambda path, must_exist: Delete(path, must_exist=must_exist), ids, st.booleans()),
)
filters = st.one_of(
    st.builds(Filter, dotted, st.sampled_from(["==", "!=", "<", "<=", ">", ">=", "array-contains"]), values),
    st.builds(
        Filter,
        dotted,
        st.sampled_from(["in", "not-in", "array-contains-any"]),
        st.lists(values, min_size=1, max_size=3),
    ),
)
any_of = st.lists(
    st.one_of(
        st.builds(Filter, dotted, st.sampled_from(["==", "array-contains"]), values),
        st.builds(Filter, dotted, st.just("in"), st.lists(values, min_size=1, max_size=3)),
    ),
    max_size=3,
).map(tuple)
orders = st.lists(st.builds(Order, dotted, st.booleans()), max_size=2).map(tuple)

against_the_emulator = settings(
    max_examples=40,
    # How often values are filtered out before one fits is chance, and says nothing of either store.
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.filter_too_much],
)


def below(area: str, write: Any) -> Any:
    """Return a write of a bare id as one of a document of an area."""
    path = f"{area}/{write.path}"
    match write:
        case Create():
            return Create(path, write.data)
        case Set():
            return Set(path, write.data, write.merge)
        case Update():
            return Update(path, write.data)
    return Delete(path, write.must_exist)


def timeless(value: Any) -> Any:
    """Return a value in a form that tells types apart, with server times, which differ between stores, made equal."""
    match value:
        case datetime():
            return ("time", value if value.year == 2026 and value.month == 1 and value.day == 1 else "now")
        case dict():
            return {name: timeless(item) for name, item in value.items()}
        case list():
            return [timeless(item) for item in value]
    return (type(value).__name__, value)


async def outcome(store: Store, commit: list[Any]) -> Any:
    """Return what a commit came to: its increments, or the class of its failure."""
    try:
        return [timeless(dict(result.increments)) for result in await store.commit(commit)]
    except StoreError as error:
        return type(error)


async def contents(store: Store, area: str) -> Any:
    """Return all documents of an area."""
    return [(document.id, timeless(document.data)) for document in await store.query(Query(area))]


@against_the_emulator
@given(commits=st.lists(st.lists(writes, min_size=1, max_size=3), min_size=1, max_size=5))
async def test_both_stores_make_the_same_of_any_writes(
    patience: None, firestore_store: FirestoreStore, commits: list[list[Any]]
) -> None:
    """After every commit both have failed alike or counted alike, and hold the same documents."""
    area, memory = f"area-{uuid.uuid4().hex}", MemoryStore()
    for commit in commits:
        placed = [below(area, write) for write in commit]
        assert await outcome(memory, placed) == await outcome(firestore_store, placed)
        assert await contents(memory, area) == await contents(firestore_store, area)


@against_the_emulator
@given(
    documents=st.lists(st.dictionaries(names, values, min_size=1, max_size=4), min_size=3, max_size=12),
    asked=st.lists(
        st.builds(Query, st.just(""), st.lists(filters, max_size=2).map(tuple), orders, any_of=any_of),
        min_size=1,
        max_size=6,
    ),
    page=st.integers(1, 4),
)
async def test_both_stores_answer_any_query_alike(
    patience: None, firestore_store: FirestoreStore, documents: list[Any], asked: list[Query], page: int
) -> None:
    """Both find the same documents in the same order, whole or continued behind any of them, or refuse alike."""
    area, memory = f"area-{uuid.uuid4().hex}", MemoryStore()
    stored = [Create(f"{area}/{number:02}", fields) for number, fields in enumerate(documents)]
    await memory.commit(stored)
    await firestore_store.commit(stored)
    for query in asked:
        whole = replace(query, collection=area)
        found = await answer(memory, whole)
        assert found == await answer(firestore_store, whole), whole
        if isinstance(found, list) and found:
            behind = await cursor(memory, whole, found[min(page, len(found)) - 1])
            rest = replace(whole, limit=page, start_after=behind)
            assert await answer(memory, rest) == await answer(firestore_store, rest), rest


async def answer(store: Store, query: Query) -> Any:
    """Return the ids of what a query finds, or the class of its failure."""
    try:
        return [document.id for document in await store.query(query)]
    except StoreError as error:
        return type(error)


async def cursor(store: Store, query: Query, id: str) -> tuple[Any, ...]:
    """Return the point at which a found document stands in a query's order."""
    document = await store.get(f"{query.collection}/{id}")
    assert document is not None
    point = []
    for order in query.order:
        value: Any = document.data
        for name in order.field.split("."):
            value = value[name]
        point.append(value)
    return (*point, id)
