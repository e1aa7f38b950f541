"""`scripts/seed --dry-run` names the businesses that would lose tools, which, where and why, and writes nothing."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import setting_up
from operations import offer_changes, seeding
from switchboard.admin.access import known_business
from switchboard.admin.foresight import foresight
from switchboard.admin.maintenance.data_inventory import all_documents
from switchboard.contract.store import Set, Update
from switchboard.state.memory.store import MemoryStore
from switchboard.state.paths import FirestorePaths

pytestmark = pytest.mark.requirement("004-743")
PATHS = FirestorePaths()
NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
SEEDS = setting_up.ROOT / "seeds"


@pytest.fixture(scope="module")
def seeds() -> seeding.Seeds:
    """The files that come with Switchboard."""
    return seeding.read_seeds(SEEDS)


async def everything(store: MemoryStore) -> dict[str, Any]:
    return {document.path: document.data async for document in all_documents(store, PATHS)}


async def stored(seeds: seeding.Seeds) -> MemoryStore:
    store = MemoryStore()
    await seeding.push(store, PATHS, seeds, now=NOW, out=lambda _: None)
    return store


async def dry(store: MemoryStore, seeds: seeding.Seeds, **options: Any) -> list[str]:
    """Return what a dry run tells of tools that would be lost."""
    lines: list[str] = []
    before = await everything(store)
    await seeding.push(store, PATHS, seeds, now=NOW, dry_run=True, out=lines.append, **options)
    assert await everything(store) == before
    return [line for line in lines if "would lose" in line or "looked at" in line or "more that" in line]


def changed(seeds: seeding.Seeds, tool: str, **fields: Any) -> seeding.Seeds:
    """Return the files with one tool's definition changed; with `gone` it is in none of them."""
    tools = dict(seeds.tools or {})
    tools[tool] = tools[tool] | fields
    if "gone" in fields:
        del tools[tool]
    return seeding.Seeds(tools, seeds.prompts, seeds.businesses)


async def test_nothing_is_said_where_nobody_loses_anything(seeds: seeding.Seeds):
    store = await stored(seeds)
    assert await dry(store, seeds) == []
    assert await dry(store, changed(seeds, "get_policies", description="Reads what the business goes by.")) == []


async def test_a_tool_that_is_taken_away_is_named_for_each_business_and_channel(seeds: seeding.Seeds):
    store = await stored(seeds)
    lines = await dry(store, changed(seeds, "search_knowledge", enabled=False))
    assert [line.split()[1] for line in lines] == ["demo-plumber", "demo-salon"]
    assert all("search_knowledge on phone, portal, browser_voice" in line for line in lines)
    lines = await dry(store, changed(seeds, "search_knowledge", gone=True), prune=True)
    assert len(lines) == 2 and all("search_knowledge on phone" in line for line in lines)


async def test_a_zone_that_nobody_knows_takes_its_business_the_tools_that_need_a_calendar(
    seeds: seeding.Seeds, tmp_path: Path
):
    """As if it stood in the file: what callers would go without is told, and that it is the zone."""
    store = await stored(seeds)
    right = (await store.get(PATHS.within("demo-salon").business)).data["timezone"]
    lines: list[str] = []

    async def spoil(copy: Any) -> None:
        await copy.commit([Update(PATHS.within("demo-salon").business, {"timezone": "America/Nowhere"})])

    lines = await offer_changes.lost_tools(store, PATHS, spoil)
    assert len(lines) == 1 and lines[0].startswith("demo-salon would lose ")
    assert "book_appointment on phone" in lines[0] and "zone" in lines[0]
    assert (await store.get(PATHS.within("demo-salon").business)).data["timezone"] == right


async def test_of_many_businesses_so_many_are_looked_at_and_it_is_said_that_there_are_more(
    seeds: seeding.Seeds, monkeypatch: pytest.MonkeyPatch
):
    store = await stored(seeds)
    salon = (await store.get(PATHS.within("demo-salon").business)).data
    for n in range(12):
        await store.commit([Set(PATHS.within(f"b{n:02}").business, json.loads(json.dumps(salon, default=str)))])
    monkeypatch.setattr(foresight, "MOST_BUSINESSES", 10)
    monkeypatch.setattr(known_business, "_AT_ONCE", 4)
    monkeypatch.setattr(foresight, "NAMED", 3)
    lines = await dry(store, changed(seeds, "get_policies", enabled=False))
    assert "7 more that would lose tools" in lines[-2] and "the first 10 businesses" in lines[-1]
