"""What is compiled of several documents goes with the commit that writes one of them, in both stores."""

import uuid

import pytest

from switchboard.contract.ports import Store
from switchboard.contract.store import Create, Delete, Increment, Invalid, Set, Stale, Update
from switchboard.state.paths import FirestorePaths
from switchboard.state.validation import MAX_WRITES
from tests.each import each
from tests.state.reading import fields

PATHS = FirestorePaths()


@pytest.fixture
def business() -> str:
    return f"b-{uuid.uuid4().hex[:12]}"


@each("collection", ["tools", "agents", "agentTools"])
async def test_who_writes_a_part_drops_what_was_compiled_of_it(store: Store, business: str, collection: str) -> None:
    within = PATHS.within(business)
    path = within.document(collection, "one")  # type: ignore[arg-type]
    for write in (Create(path, {"n": 1}), Set(path, {"n": 2}), Update(path, {"n": Increment(1)}), Delete(path)):
        await store.commit([Set(within.compiled, {"format": 1})])
        results = await store.commit([write])
        assert len(results) == 1
        assert await fields(store, within.compiled) is None
    assert await fields(store, path) is None


async def test_other_documents_leave_it(store: Store, business: str) -> None:
    within = PATHS.within(business)
    await store.commit([Set(within.compiled, {"format": 1})])
    others = [within.business, within.document("callers", "tools"), within.call("agents", "tools")]
    await store.commit([Set(path, {"n": 1}) for path in others])
    await store.commit([Set(PATHS.within(f"{business}-2").document("tools", "t"), {"n": 1})])
    assert await fields(store, within.compiled) == {"format": 1}


async def test_a_commit_that_is_refused_drops_nothing(store: Store, business: str) -> None:
    within = PATHS.within(business)
    await store.commit([Set(within.compiled, {"format": 1}), Set(within.business, {"n": 1})])
    with pytest.raises(Stale):
        stale = (await store.get(within.business)).update_time  # type: ignore[union-attr]
        await store.commit([Update(within.business, {"n": 2})])
        tool = Set(within.document("tools", "t"), {"n": 1})
        await store.commit([tool, Update(within.business, {"n": 3}, if_update_time=stale)])
    assert await fields(store, within.compiled) == {"format": 1}


async def test_as_many_parts_as_a_commit_takes_are_written_with_it(store: Store, business: str) -> None:
    within = PATHS.within(business)
    await store.commit([Set(within.compiled, {"format": 1})])
    writes = [Set(within.document("tools", f"t{n}"), {"n": n}) for n in range(MAX_WRITES)]
    assert len(await store.commit(writes)) == MAX_WRITES
    assert await fields(store, within.compiled) is None
    with pytest.raises(Invalid):
        await store.commit([*writes, Set(within.business, {})])


async def test_who_deletes_both_deletes_each_once(store: Store, business: str) -> None:
    within = PATHS.within(business)
    tool = within.document("tools", "t")
    await store.commit([Set(tool, {"n": 1})])
    await store.commit([Set(within.compiled, {"format": 1})])
    assert len(await store.commit([Delete(within.compiled), Delete(tool)])) == 2
    assert await fields(store, within.compiled) is None


async def test_a_draft_or_a_version_of_a_definition_leaves_what_was_compiled_of_all(store: Store, area: str) -> None:
    """Only what is published is compiled."""
    name = f"tool_{area}"
    await store.commit([Set(PATHS.compiled_definitions, {"format": 1})])
    await store.commit([Set(PATHS.definition_draft(name), {"n": 1}), Set(PATHS.tool_pointer, {"rev": 1})])
    assert await fields(store, PATHS.compiled_definitions) == {"format": 1}
    await store.commit([Set(PATHS.definition(name), {"n": 1})])
    assert await fields(store, PATHS.compiled_definitions) is None
    await store.commit([Delete(PATHS.definition(name)), Delete(PATHS.definition_draft(name))])
