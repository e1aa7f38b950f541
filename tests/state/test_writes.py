"""Writing: preconditions, merging, and that a commit happens whole or not at all."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from switchboard.contract.ports import Store
from switchboard.contract.store import (
    DELETE_FIELD,
    SERVER_TIME,
    AlreadyExists,
    Create,
    Delete,
    Increment,
    Invalid,
    Missing,
    Query,
    Set,
    Stale,
    StoreError,
    Update,
    Write,
)
from tests.state.reading import fields, read

THEN = datetime(2026, 1, 1, tzinfo=UTC)


async def test_a_second_create_fails_and_changes_nothing(store: Store, area: str) -> None:
    """A document is created once."""
    await store.commit([Create(f"{area}/a", {"n": 1})])
    with pytest.raises(AlreadyExists):
        await store.commit([Create(f"{area}/a", {"n": 2})])
    assert await fields(store, f"{area}/a") == {"n": 1}


async def test_a_deleted_document_can_be_created_again(store: Store, area: str) -> None:
    """After a delete the path is free, and the new document has a new create time."""
    path = f"{area}/a"
    await store.commit([Create(path, {"n": 1})])
    before = await read(store, path)
    await store.commit([Delete(path)])
    assert await fields(store, path) is None
    await store.commit([Create(path, {"n": 2})])
    after = await read(store, path)
    assert after.data == {"n": 2}
    assert after.create_time > before.create_time


async def test_an_update_needs_a_document(store: Store, area: str) -> None:
    """An update of nothing fails and creates nothing."""
    with pytest.raises(Missing):
        await store.commit([Update(f"{area}/a", {"n": 1})])
    assert await fields(store, f"{area}/a") is None


async def test_an_update_leaves_the_other_fields(store: Store, area: str) -> None:
    """Dotted keys reach single nested fields; a map as value replaces the map that was there."""
    path = f"{area}/a"
    await store.commit([Create(path, {"ai": {"tone": "cold", "language": "en"}, "m": {"a": 1, "b": 2}, "n": 1})])
    await store.commit([Update(path, {"ai.tone": "warm", "m": {"c": 3}, "new.deep.er": True, "2026-01.a-b": 5})])
    assert await fields(store, path) == {
        "ai": {"tone": "warm", "language": "en"},
        "m": {"c": 3},
        "n": 1,
        "new": {"deep": {"er": True}},
        "2026-01": {"a-b": 5},
    }


async def test_an_update_through_a_value_that_is_no_map_replaces_it(store: Store, area: str) -> None:
    """A dotted key makes the maps it goes through."""
    await store.commit([Create(f"{area}/a", {"n": 1, "s": "x"})])
    await store.commit([Update(f"{area}/a", {"n.x": 1, "s.y.z": Increment(2)})])
    assert await fields(store, f"{area}/a") == {"n": {"x": 1}, "s": {"y": {"z": 2}}}


async def test_a_field_can_be_deleted(store: Store, area: str) -> None:
    """DELETE_FIELD removes one field, dotted or merged, and what is not there is no failure."""
    path = f"{area}/a"
    await store.commit([Create(path, {"a": {"b": 1, "c": 2}, "d": 3, "e": 4, "f": {"g": 1}, "i": 5})])
    await store.commit([Update(path, {"a.b": DELETE_FIELD, "d": DELETE_FIELD, "no.such": DELETE_FIELD})])
    await store.commit([Set(path, {"e": DELETE_FIELD, "f": {"g": DELETE_FIELD}, "x": {"y": DELETE_FIELD}}, merge=True)])
    await store.commit([Update(path, {"i.x": DELETE_FIELD})])
    assert await fields(store, path) == {"a": {"c": 2}, "f": {}, "i": 5}


async def test_a_set_replaces_and_a_merge_keeps(store: Store, area: str) -> None:
    """Without merge the document is what was written; with it, maps are joined to any depth and lists replaced."""
    path = f"{area}/a"
    await store.commit([Set(path, {"old": 1})])
    await store.commit([Set(path, {"m": {"a": {"x": 1}, "l": [1, 2]}, "n": 1})])
    assert await fields(store, path) == {"m": {"a": {"x": 1}, "l": [1, 2]}, "n": 1}
    await store.commit([Set(path, {"m": {"a": {"y": 2}, "l": [3], "a.x": 4}, "o": {}}, merge=True)])
    assert await fields(store, path) == {"m": {"a": {"x": 1, "y": 2}, "l": [3], "a.x": 4}, "n": 1, "o": {}}


async def test_merging_an_empty_map_empties_the_map(store: Store, area: str) -> None:
    """An empty map has nothing to join, so it replaces; merging nothing at all changes nothing."""
    path = f"{area}/a"
    await store.commit([Set(path, {"m": {"a": 1}, "n": 1})])
    await store.commit([Set(path, {}, merge=True)])
    assert await fields(store, path) == {"m": {"a": 1}, "n": 1}
    await store.commit([Set(path, {"m": {}}, merge=True)])
    assert await fields(store, path) == {"m": {}, "n": 1}


@pytest.mark.parametrize("source", ["get", "get_many", "query", "group query", "commit"])
async def test_an_update_time_makes_an_update_conditional(store: Store, area: str, source: str) -> None:
    """Wherever it was read, the update time lets one update through and no second one."""
    path = f"{area}/parent/{area}-group/a"
    (written,) = await store.commit([Create(path, {"n": 0})])
    match source:
        case "get":
            read = [await store.get(path)]
        case "get_many":
            read = await store.get_many([path])
        case "query":
            read = list(await store.query(Query(f"{area}/parent/{area}-group")))
        case "group query":
            read = list(await store.query(Query(f"{area}-group", group=True)))
        case _:
            read = []
    time = read[0].update_time if read and read[0] else written.update_time
    assert time.utcoffset() == timedelta(0)
    await store.commit([Update(path, {"n": 1}, if_update_time=time)])
    with pytest.raises(Stale):
        await store.commit([Update(path, {"n": 2}, if_update_time=time)])
    with pytest.raises(Stale):
        await store.commit([Delete(path, if_update_time=time)])
    assert await fields(store, path) == {"n": 1}


async def test_a_delete_may_insist(store: Store, area: str) -> None:
    """A plain delete is content with nothing; one that must find a document, or an unchanged one, is not."""
    await store.commit([Delete(f"{area}/none")])
    with pytest.raises(Missing):
        await store.commit([Delete(f"{area}/none", must_exist=True)])
    (result,) = await store.commit([Create(f"{area}/a", {})])
    with pytest.raises(Stale):
        await store.commit([Delete(f"{area}/none", if_update_time=result.update_time)])
    await store.commit([Delete(f"{area}/a", must_exist=True, if_update_time=result.update_time)])
    await store.commit([Create(f"{area}/a", {})])
    await store.commit([Delete(f"{area}/a", must_exist=True)])
    assert await fields(store, f"{area}/a") is None


async def test_an_update_of_a_document_that_went_away_is_stale(store: Store, area: str) -> None:
    """Gone counts as changed, where the update is conditioned on what was read."""
    (result,) = await store.commit([Create(f"{area}/a", {})])
    await store.commit([Delete(f"{area}/a")])
    with pytest.raises(Stale):
        await store.commit([Update(f"{area}/a", {"n": 1}, if_update_time=result.update_time)])


FAILING: list[tuple[type[StoreError], Any]] = [
    (AlreadyExists, lambda area: Create(f"{area}/there", {})),
    (Missing, lambda area: Update(f"{area}/none", {"n": 1})),
    (Missing, lambda area: Delete(f"{area}/none", must_exist=True)),
]


@pytest.mark.parametrize("place", [0, 2, 4])
@pytest.mark.parametrize(("error", "failing"), FAILING)
async def test_one_failing_write_of_five_leaves_nothing_written(
    store: Store, area: str, error: type[StoreError], failing: Any, place: int
) -> None:
    """Neither documents nor counters nor deletions of a failed commit remain, wherever the failing write stands."""
    await store.commit([Create(f"{area}/there", {"n": 1}), Create(f"{area}/counter", {"n": 1})])
    writes: list[Write] = [
        Create(f"{area}/new", {"n": 1}),
        Set(f"{area}/counter", {"n": Increment(5), "at": SERVER_TIME}, merge=True),
        Update(f"{area}/counter", {"n": Increment(7)}),
        Delete(f"{area}/there"),
    ]
    writes.insert(place, failing(area))
    if error is AlreadyExists:
        writes.remove(Delete(f"{area}/there"))
    with pytest.raises(error):
        await store.commit(writes)
    found = await store.query(Query(area))
    assert {document.id: document.data for document in found} == {"there": {"n": 1}, "counter": {"n": 1}}


async def test_writes_of_one_commit_see_each_other(store: Store, area: str) -> None:
    """Several writes of one document happen in their order, each on what the one before it left."""
    path = f"{area}/a"
    results = await store.commit(
        [
            Create(path, {"n": Increment(1)}),
            Update(path, {"n": Increment(2)}),
            Set(path, {"m": 1}, merge=True),
            Delete(path, must_exist=True),
            Create(path, {"n": Increment(10)}),
        ]
    )
    assert [dict(result.increments) for result in results] == [{"n": 1}, {"n": 3}, {}, {}, {"n": 10}]
    assert await fields(store, path) == {"n": 10}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (Create("/a", {}), Create("/a", {})),
        (Set("/a", {}), Create("/a", {})),
        (Update("/there", {"n": 2}), Create("/there", {})),
        (Delete("/there"), Update("/there", {"n": 2})),
        (Delete("/there"), Delete("/there", must_exist=True)),
        (Set("/there", {}), Update("/there", {"n": 2}, if_update_time=THEN)),
        (Set("/there", {}), Delete("/there", if_update_time=THEN)),
    ],
)
async def test_writes_of_one_commit_cannot_contradict_each_other(
    store: Store, area: str, first: Any, second: Any
) -> None:
    """What cannot succeed whatever is stored is refused as invalid, before any precondition is looked at."""
    await store.commit([Create(f"{area}/there", {"n": 1})])
    with pytest.raises(Invalid):
        await store.commit([replace(write, path=area + write.path) for write in (first, second)])
    assert await fields(store, f"{area}/there") == {"n": 1}
    assert await fields(store, f"{area}/a") is None


async def test_an_empty_commit_is_no_failure(store: Store) -> None:
    """Nothing to write is written at once."""
    assert await store.commit([]) == []


async def test_results_stand_in_the_order_of_the_writes(store: Store, area: str) -> None:
    """Each write has its result, with the time at which its document changed."""
    await store.commit([Create(f"{area}/gone", {})])
    results = await store.commit([Create(f"{area}/a", {}), Delete(f"{area}/gone"), Set(f"{area}/b", {"n": 1})])
    a, b = await store.get_many([f"{area}/a", f"{area}/b"])
    assert a and b
    assert [results[0].update_time, results[2].update_time] == [a.update_time, b.update_time]
    assert results[1].update_time.utcoffset() == timedelta(0)
    assert results[1].update_time >= a.update_time


async def test_five_hundred_writes_fit_into_a_commit(store: Store, area: str) -> None:
    """The largest commit that the port allows happens."""
    await store.commit([Create(f"{area}/{number:03}", {"n": number}) for number in range(500)])
    assert await store.count(Query(area)) == 500
