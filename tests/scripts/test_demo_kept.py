"""What a run brings into a store that outlives it."""

import base64
from datetime import UTC, datetime

import pytest

from operations import seeding
from running import demo, trades
from switchboard.admin.definitions import definition_set
from switchboard.contract.store import Delete, Query, Update
from switchboard.state.memory.store import MemoryStore
from switchboard.state.paths import FirestorePaths

PATHS = FirestorePaths()
SALON = PATHS.within(demo.SALON)
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
HERE = "http://127.0.0.1:8080"


@pytest.fixture
async def store() -> MemoryStore:
    """A store in which one run has been."""
    store = MemoryStore()
    assert await demo.furnish(store, PATHS, NOW) == []
    await demo.open_portals(store, PATHS, HERE)
    return store


async def everything(store: MemoryStore) -> dict[str, object]:
    """Return all documents of the salon, its own among them."""
    below = [await store.query(Query(SALON.collection(name))) for name in ("knowledge", "agents", "people")]
    own = await store.get(SALON.business)
    return {one.path: one.data for many in (*below, [own]) for one in many if one}


async def test_what_owners_have_saved_outlives_the_next_run(store):
    """A field that was changed stays changed, a text that was taken out stays out, and nothing is written at all."""
    text = (await store.query(Query(SALON.collection("knowledge"))))[0]
    await store.commit([Update(SALON.business, {"description": "Ours."}), Delete(text.path)])
    before = await everything(store)
    assert sorted(await demo.furnish(store, PATHS, NOW)) == ["demo-plumber", "demo-salon"]
    await demo.open_portals(store, PATHS, HERE)
    assert await everything(store) == before
    assert text.path not in before


async def test_tools_that_an_operator_has_published_outlive_the_next_run(store):
    """Tools of the commands are pushed again where the files have changed; those of a person are left."""
    published = await definition_set.read_published(store, PATHS)
    without = {name: one for name, one in published.documents.items() if name != "book_appointment"}
    await definition_set.publish(store, PATHS, published, without, "scripts/seed")
    assert "tools and prompts" not in await demo.furnish(store, PATHS, NOW)
    published = await definition_set.read_published(store, PATHS)
    assert "book_appointment" in published.documents
    await definition_set.publish(store, PATHS, published, without, "Ada")
    assert "tools and prompts" in await demo.furnish(store, PATHS, NOW)
    assert (await definition_set.read_published(store, PATHS)).documents.keys() == without.keys()


async def test_a_run_that_was_ended_midway_is_finished_by_the_next(monkeypatch):
    """A business whose portal no run has opened is not whole yet."""
    store, commit, left = MemoryStore(), MemoryStore.commit, iter(range(100))

    async def ends(self, writes):
        if next(left) == 12:
            raise KeyboardInterrupt
        return await commit(self, writes)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(MemoryStore, "commit", ends)
        await demo.furnish(store, PATHS, NOW)
    assert await demo.furnish(store, PATHS, NOW) == []
    done = await seeding.seed(store, PATHS, demo.SEEDS, now=NOW, dry_run=True, out=lambda _: None)
    assert done.writes == 0


async def test_an_owner_who_has_the_business_open_is_in_nobody_s_way(store):
    """The next run at the same address changes nothing of the document, so that a half-filled form can be saved."""
    before = (await store.get(SALON.business)).update_time
    await demo.open_portals(store, PATHS, f"{HERE}/")
    await demo.connect_mail(store, PATHS, is_there=False)
    assert (await store.get(SALON.business)).update_time == before


async def test_a_business_of_another_trade_is_kept_as_well(store):
    """What was saved of one that --template brought in is there at the next run that names it."""
    how = {"now": NOW, "url": HERE, "secrets_key": base64.b64encode(bytes(32)).decode(), "token": "t"}
    await trades.furnish(store, PATHS, ["office-en"], **how)
    office = PATHS.within("office-en").business
    await store.commit([Update(office, {"description": "Ours."})])
    await trades.furnish(store, PATHS, ["office-en"], **how)
    assert (await store.get(office)).data["description"] == "Ours."
