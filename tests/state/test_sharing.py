"""Nobody sees that versions of a document share what a write left alone: what was read stays as it was read."""

import pytest

from switchboard.contract.ports import Store
from switchboard.contract.store import DELETE_FIELD, SERVER_TIME, ArrayUnion, Create, Increment, Invalid, Set, Update
from tests.state.reading import fields, read

DOCUMENT = {"turns": {"1": {"calls": 1, "same": {"a": 1}}, "2": {"calls": 5}}, "list": [{"n": 1}], "name": "x"}


async def test_a_reader_owns_what_was_read(store: Store, area: str) -> None:
    """Whatever a reader does to it, the next reader does not see it."""
    path = f"{area}/a"
    await store.commit([Create(path, DOCUMENT)])
    found = (await read(store, path)).data
    found["turns"]["1"]["same"]["a"] = 99
    found["list"][0]["n"] = 99
    del found["turns"]["2"]
    assert await fields(store, path) == DOCUMENT


async def test_a_writer_keeps_what_was_written(store: Store, area: str) -> None:
    """What a writer goes on to do with the data changes nothing that is stored."""
    path, inner, listed = f"{area}/a", {"n": 1}, [{"n": 1}]
    await store.commit([Create(path, {"map": {"inner": inner}, "list": listed})])
    await store.commit([Set(path, {"map": {"other": inner}}, merge=True), Update(path, {"list": listed})])
    inner["n"], listed[0]["n"] = 2, 2
    assert await fields(store, path) == {"map": {"inner": {"n": 1}, "other": {"n": 1}}, "list": [{"n": 1}]}


@pytest.mark.parametrize(
    "change",
    [
        {"turns.1.same.a": Increment(1)},
        {"turns.1.same.b": "new", "turns.2.calls": DELETE_FIELD},
        {"turns": {"3": {"calls": Increment(1)}}},
        {"list": ArrayUnion(({"n": 2},)), "turns.1": SERVER_TIME},
    ],
)
async def test_a_commit_that_fails_leaves_no_trace_in_what_it_reached(store: Store, area: str, change) -> None:
    """Deep in a map as little as at its top."""
    path = f"{area}/a"
    await store.commit([Create(path, DOCUMENT)])
    earlier = await read(store, path)
    with pytest.raises(Invalid):
        await store.commit([Update(path, change), Set(path, {"name": "y" * 1_048_576}, merge=True)])
    assert (await read(store, path)) == earlier
    assert earlier.data == DOCUMENT


async def test_a_change_deep_in_a_map_is_a_change(store: Store, area: str) -> None:
    """The update time moves on with it, and stands still when a write says what is there already."""
    path = f"{area}/a"
    await store.commit([Create(path, DOCUMENT)])
    first = await read(store, path)
    await store.commit([Set(path, {"turns": {"1": {"same": {"a": 1}}}, "list": [{"n": 1}]}, merge=True)])
    await store.commit([Update(path, {"turns.1": DOCUMENT["turns"]["1"], "turns.9.gone": DELETE_FIELD})])
    assert await read(store, path) == first
    await store.commit([Set(path, {"turns": {"1": {"same": {"a": 1.0}}}}, merge=True)])
    assert (await read(store, path)).update_time > first.update_time


async def test_deleting_in_a_map_that_is_not_there_makes_none(store: Store, area: str) -> None:
    """By a merge as by an update."""
    path = f"{area}/a"
    await store.commit([Create(path, {"n": 1, "text": "t"})])
    nothing = {"map": {"inner": {"gone": DELETE_FIELD}}, "text": {"gone": DELETE_FIELD}}
    await store.commit([Set(path, nothing, merge=True), Update(path, {"other.gone": DELETE_FIELD})])
    assert await fields(store, path) == {"n": 1, "text": "t"}


async def test_a_large_field_may_be_written_again_and_again(store: Store, area: str) -> None:
    """What counts is how large a document is, not how much was ever written to it."""
    path = f"{area}/a"
    await store.commit([Create(path, {"a": "", "b": "x" * 300_000})])
    for letter in "cdefg":
        await store.commit([Set(path, {"a": letter * 600_000}, merge=True)])
    await store.commit([Update(path, {"b": DELETE_FIELD})])
    await store.commit([Update(path, {"a": "h" * 1_000_000})])
    with pytest.raises(Invalid):
        await store.commit([Update(path, {"c": "x" * 100_000})])
    assert await fields(store, path) == {"a": "h" * 1_000_000}
