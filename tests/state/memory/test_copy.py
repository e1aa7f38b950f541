"""A copy of a store in memory begins with what there is, and goes its own way."""

from switchboard.contract.store import Delete, Set, Update
from switchboard.state.memory.store import MemoryStore


async def test_a_copy_holds_the_same_and_goes_its_own_way():
    """What is written to one is not in the other."""
    store = MemoryStore()
    await store.commit([Set("a/1", {"n": 1}), Set("a/2", {"n": 2})])
    copy = store.copy()
    await copy.commit([Update("a/1", {"n": 10}), Delete("a/2")])
    await store.commit([Set("a/3", {"n": 3})])
    assert [row and row.data for row in await store.get_many(["a/1", "a/2", "a/3"])] == [{"n": 1}, {"n": 2}, {"n": 3}]
    assert [row and row.data for row in await copy.get_many(["a/1", "a/2", "a/3"])] == [{"n": 10}, None, None]
