"""Publishing tool definitions as one whole set (seed 004, "Definition Sources")."""

import asyncio
from typing import Any

import pytest

from switchboard.admin.definitions.definition_set import (
    MOST_DEFINITIONS,
    CannotPublish,
    content_hash,
    has_nested_array,
    publish,
    read_published,
    readable,
    storable,
)
from switchboard.contract.ports import Store
from switchboard.contract.store import Delete, Query, Set, Unavailable
from tests.admin.small_seeds import PATHS, Killed, WatchedStore, all_documents, definition, look_away, written

OLD = {name: definition(name) for name in ("end_call", "get_policies", "send_sms")}
NEW = {
    "end_call": definition("end_call", "Hangs up."),
    "get_policies": definition("get_policies"),
    "transfer_call": definition("transfer_call"),
}


async def publish_now(store: Store, wanted: dict[str, Any], **more: Any) -> int:
    return await publish(store, PATHS, await read_published(store, PATHS), wanted, "somebody", **more)


async def names(store: Store) -> dict[str, Any]:
    return {d.id: d.data for d in await store.query(Query(PATHS.definitions))}


async def test_a_first_set_is_published_field_for_field(store):
    """The documents are exactly the given ones, and the pointer tells revision, names, hash and time."""
    assert await publish_now(store, OLD) == 1
    assert await names(store) == OLD
    pointer = (await store.get(PATHS.tool_pointer)).data
    updated = pointer.pop("updatedAt")
    assert pointer == {"rev": 1, "names": ["end_call", "get_policies", "send_sms"], "sha256": content_hash(OLD)}
    assert updated.tzinfo is not None


async def test_a_next_set_changes_adds_and_removes_in_one_commit(store):
    """Everything a reader sees moves at once, and what did not change is not written."""
    await publish_now(store, OLD)
    watched = WatchedStore(store)
    assert await publish_now(watched, NEW) == 2
    assert await names(store) == NEW
    visible = [w for w in watched.writes if isinstance(w, Set | Delete)]
    assert sorted(written(visible)) == [PATHS.definition(n) for n in ("end_call", "send_sms", "transfer_call")]
    assert written(watched.writes[-4:]) == [*written(visible), PATHS.tool_pointer]


async def test_every_version_stays_with_who_and_when(store):
    """Each content is kept once below its tool, by its hash, with the one who published it first."""
    await publish_now(store, OLD)
    await publish(store, PATHS, await read_published(store, PATHS), NEW, "somebody else")
    await publish_now(store, OLD)
    versions = await all_documents(store, f"{PATHS.definition('end_call')}/versions")
    assert versions.keys() == {PATHS.definition_version("end_call", content_hash(s["end_call"])) for s in (OLD, NEW)}
    kept = versions[PATHS.definition_version("end_call", content_hash(NEW["end_call"]))]
    assert (kept["document"], kept["savedBy"]) == (NEW["end_call"], "somebody else")
    assert kept["savedAt"].tzinfo is not None


async def test_what_was_edited_elsewhere_is_kept_before_it_is_overwritten(memory):
    """An edit in the Firestore console never went through here, and is still not lost."""
    await publish_now(memory, OLD)
    edited = definition("end_call", "Edited in the console.")
    await memory.commit([Set(PATHS.definition("end_call"), edited)])
    await publish_now(memory, NEW)
    found = await memory.get(PATHS.definition_version("end_call", content_hash(edited)))
    assert found.data["document"] == edited
    assert found.data["savedBy"] == "found when published by somebody"


async def test_versions_are_no_definitions(store):
    """A reader of the definitions never meets a saved version, not even of a tool that is gone."""
    await publish_now(store, OLD)
    await publish_now(store, NEW)
    assert len(await store.query(Query(PATHS.definitions))) == len(NEW)


@pytest.mark.parametrize("kill_after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("kill_at", [1, 2, 3])
async def test_killed_anywhere_readers_see_a_whole_set_and_the_next_run_completes(store, kill_at, kill_after):
    """Whatever commit is the last, readers see the old set or the new one, and publishing again finishes it."""
    await publish_now(store, OLD)
    watched = WatchedStore(store)
    watched.kill_at, watched.kill_after = kill_at, kill_after
    seen = []

    async def look() -> None:
        seen.append(await names(store))

    watched.watch = look
    if kill_at < 3:
        with pytest.raises(Killed):
            await publish_now(watched, NEW)
    else:
        await publish_now(watched, NEW)  # two commits are all it takes
    assert all(found in (OLD, NEW) for found in seen)
    assert await names(store) in (OLD, NEW)
    await publish_now(store, NEW)
    published = await read_published(store, PATHS)
    assert published.documents == NEW
    assert published.pointer_differences(NEW) == ()


async def test_who_published_on_outdated_grounds_writes_nothing(store):
    """If somebody else published since the set was read, it is refused with one sentence and nothing changes."""
    await publish_now(store, OLD)
    before = await read_published(store, PATHS)
    await publish_now(store, NEW)
    with pytest.raises(CannotPublish, match="somebody else") as caught:
        await publish(store, PATHS, before, {"end_call": definition("end_call", "Mine.")}, "me")
    assert "\n" not in str(caught.value)
    assert await names(store) == NEW
    assert (await store.get(PATHS.tool_pointer)).data["rev"] == 2


async def test_who_publishes_while_the_set_is_read_is_noticed(memory):
    """The set is read in two steps; what moved between them must not be taken for the set that is replaced."""
    await publish_now(memory, OLD)

    class Between(WatchedStore):
        """Lets somebody publish right after the first thing that is read."""

        reads = 0

        async def moved(self) -> None:
            self.reads += 1
            if self.reads == 1:
                await publish_now(memory, NEW)

        async def get(self, path: str) -> Any:
            found = await super().get(path)
            await self.moved()
            return found

        async def query(self, query: Query) -> Any:
            found = await super().query(query)
            await self.moved()
            return found

    before = await read_published(Between(memory), PATHS)
    with pytest.raises(CannotPublish, match="somebody else"):
        await publish(memory, PATHS, before, OLD, "me")
    assert await names(memory) == NEW


async def test_of_two_first_publishers_one_is_refused(store):
    """Also where there was no pointer yet, only one of two sets becomes the whole set."""
    before = await read_published(store, PATHS)
    outcomes = await asyncio.gather(
        *(publish(store, PATHS, before, wanted, "me") for wanted in (OLD, NEW)), return_exceptions=True
    )
    assert sorted(map(type, outcomes), key=str) == sorted([int, CannotPublish], key=str)
    assert await names(store) in (OLD, NEW)


async def test_a_switch_that_was_not_answered_but_done_counts_as_done(memory):
    """After a missing answer the pointer tells whether the commit happened."""
    watched = WatchedStore(memory)
    watched.kill_at, watched.kill_after, watched.failure = 2, True, lambda: Unavailable("late")
    assert await publish_now(watched, OLD) == 1
    assert await names(memory) == OLD


async def test_a_switch_that_was_not_done_is_reported_as_unanswered(memory):
    """Nothing is claimed that did not happen."""
    watched = WatchedStore(memory)
    watched.kill_at, watched.failure = 2, lambda: Unavailable("gone")
    with pytest.raises(Unavailable):
        await publish_now(watched, OLD)
    assert await names(memory) == {}


async def test_a_version_that_somebody_saves_in_the_same_moment_is_no_trouble(memory):
    """The content is its name, so whoever saved it saved the same."""
    watched = WatchedStore(memory)

    async def rival() -> None:
        watched.watch = look_away
        await publish_now(memory, OLD)
        await memory.commit([Delete(PATHS.tool_pointer), *(Delete(PATHS.definition(name)) for name in OLD)])

    watched.watch = rival
    assert await publish_now(watched, OLD) == 1
    assert await names(memory) == OLD


async def test_a_set_that_is_too_large_is_refused_before_anything_is_written(memory):
    """One commit is all a switch has, so a set has a limit, and the sentence says which."""
    watched = WatchedStore(memory)
    many = {f"tool_{n}": definition(f"tool_{n}") for n in range(MOST_DEFINITIONS + 1)}
    with pytest.raises(CannotPublish, match="401 definitions are too many: a set holds 400 at most"):
        await publish_now(watched, many)
    assert watched.commits == 0


async def test_a_switch_that_removes_too_many_at_once_is_refused(memory):
    """Removed definitions count as well, and the sentence says how to go on."""
    old = {f"old_{n}": definition(f"old_{n}") for n in range(MOST_DEFINITIONS)}
    await publish_now(memory, old)
    new = {f"new_{n}": definition(f"new_{n}") for n in range(100)}
    with pytest.raises(CannotPublish, match="in a step of their own"):
        await publish_now(memory, new)
    assert await names(memory) == old


async def test_the_largest_set_is_published(store):
    """The limit itself still works, on Firestore too."""
    many = {f"tool_{n}": definition(f"tool_{n}") for n in range(MOST_DEFINITIONS)}
    await publish_now(store, many)
    assert await names(store) == many


async def test_progress_is_reported(memory):
    """Whoever waits hears of the versions before the switch."""
    told: list[str] = []
    await publish_now(memory, OLD, report=told.append)
    assert told == ["saved 3 versions, not visible yet"]


async def test_a_pointer_that_says_something_else_is_noticed(memory):
    """Definitions that were changed past the pointer make it wrong, and the difference is told."""
    await publish_now(memory, OLD)
    await memory.commit([Delete(PATHS.definition("send_sms"))])
    published = await read_published(memory, PATHS)
    left = {name: OLD[name] for name in ("end_call", "get_policies")}
    assert published.has_documents(left)
    assert [d.field for d in published.pointer_differences(left)] == ["names", "sha256"]


@pytest.mark.parametrize("part", ["parameters", "returns"])
async def test_a_schema_with_an_array_in_an_array_is_kept_as_json_text(store, part):
    """Firestore refuses arrays directly in arrays; as text the schema comes back complete (seed 004)."""
    schema = {"type": "object", "properties": {"pair": {"enum": [[1, 2], [3, 4]]}}}
    kept = storable(definition("pairs") | {part: schema})
    assert isinstance(kept[part], str)
    await publish_now(store, {"pairs": kept})
    assert readable((await names(store))["pairs"])[part] == schema


def test_other_schemas_are_kept_as_they_are():
    """The document stays field for field what the file holds."""
    plain = definition("plain", returns={"type": "object", "properties": {"a": {"enum": ["x"]}}})
    assert storable(plain) == plain


@pytest.mark.parametrize(
    ("value", "expected"),
    [([[1]], True), ({"a": [{"b": [[]]}]}, True), ([{"a": [1]}], False), ("[[1]]", False), ([], False)],
)
def test_arrays_in_arrays_are_found_at_any_depth(value, expected):
    """An object between the two arrays makes it allowed."""
    assert has_nested_array(value) is expected


def test_text_that_is_no_json_is_shown_as_it_is():
    """A broken stored schema must not keep anybody from seeing and replacing it."""
    assert readable({"parameters": "{oops"}) == {"parameters": "{oops"}
