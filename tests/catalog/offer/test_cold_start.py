"""What a business costs that this instance has not met: one compiled document beside its own, and nothing stale."""

import asyncio
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest

from switchboard.catalog.offer.catalog import Options
from switchboard.catalog.offer.offer import Offer
from switchboard.contract import policy
from switchboard.contract.channel import Channel
from switchboard.contract.store import Delete, Set, Update
from switchboard.state.memory.store import MemoryStore
from tests.catalog.tenant_tools.test_own_tools_last_good import document as own_tool
from tests.desk.front_desk import StoppedClock, WatchedStore
from tests.pipeline.conftest import BUSINESS, PATHS, Instance

pytestmark = pytest.mark.requirement("004-647")
WITHIN = PATHS.within(BUSINESS)
OWN = WITHIN.document("tools", "t1")
AGENT = WITHIN.document("agents", "a1")
PHONE = Options(Channel.PHONE)
WORDS = {
    "category": "general",
    "kind": "retrieval",
    "description": "Looks a word up.",
    "parameters": {"type": "object", "properties": {"word": {"type": "string"}}, "additionalProperties": False},
}
A_MINUTE = policy.DEFINITION_TTL_S


@pytest.fixture
async def store() -> WatchedStore:
    """A business with a tool of its own, an agent, and what is attached to it."""
    found = WatchedStore(MemoryStore())
    await found.inner.commit(
        [
            Set(WITHIN.business, {"name": "Salon"}),
            Set(OWN, own_tool()),
            Set(AGENT, {"name": "Ava", "isDefault": True}),
            Set(WITHIN.document("agentTools", "a1~t1"), {"agentId": "a1", "toolId": "t1"}),
            Set(PATHS.definition("look"), WORDS),
        ]
    )
    return found


@pytest.fixture
def clock() -> StoppedClock:
    return StoppedClock()


class Waves(WatchedStore):
    """Lets requests through in waves: whatever is asked before anything is answered is one of them."""

    def __init__(self, inner: WatchedStore) -> None:
        super().__init__(inner)
        self.reads, self.waves, self.waiting = 0, 0, 0

    async def _in_a_wave(self) -> None:
        self.waiting += 1
        first = self.waiting == 1
        for _ in range(20):
            await asyncio.sleep(0)
        self.waves += first
        self.waiting -= 1

    async def get_many(self, paths: Any) -> Any:
        self.reads += len(paths)
        await self._in_a_wave()
        return await super().get_many(paths)

    async def get(self, path: str) -> Any:
        self.reads += 1
        await self._in_a_wave()
        return await super().get(path)

    async def query(self, query: Any) -> Any:
        await self._in_a_wave()
        documents = await super().query(query)
        self.reads += max(1, len(documents))
        return documents


async def offered(instance: Instance, options: Options = PHONE) -> Offer:
    offer = await instance.catalog.get_tool_definitions(BUSINESS, options)
    await instance.catalog.ended()
    return offer


def names(offer: Offer) -> list[str]:
    return [tool.name for tool in offer.tools]


async def change_by_hand(store: WatchedStore, path: str, fields: Mapping[str, Any]) -> None:
    """Change a document past Switchboard: what was compiled of it stays where it is."""
    compiled = await store.inner.get(WITHIN.compiled)
    every = await store.inner.get(PATHS.compiled_definitions)
    await store.inner.commit([Update(path, dict(fields))])
    await store.inner.commit([Set(one.path, one.data) for one in (compiled, every) if one is not None])


async def test_who_comes_cold_reads_three_documents_side_by_side(store: WatchedStore, clock: StoppedClock) -> None:
    """With the key that is looked at before: four reads in two waves on a fresh instance, three on a warm one."""
    first = await offered(Instance(store, clock))
    waves = Waves(store)
    fresh = Instance(waves, clock)
    offer = await offered(fresh)
    assert (names(offer), offer.set_hash) == (names(first), first.set_hash)
    assert "order_status" in names(offer)
    assert (waves.reads, waves.waves) == (3, 1)
    assert not waves.asked["commit"], "what is saved already is not saved again"


async def test_a_warm_instance_reads_two_of_a_business_that_it_has_not_met(
    store: WatchedStore, clock: StoppedClock
) -> None:
    await offered(Instance(store, clock))
    waves = Waves(store)
    warm = Instance(waves, clock)
    await warm.definitions.current()
    waves.reads = waves.waves = 0
    await offered(warm)
    assert (waves.reads, waves.waves) == (2, 1)


@pytest.mark.parametrize(
    ("path", "fields"),
    [(OWN, {"enabled": False}), (AGENT, {"name": "Bo"}), (PATHS.definition("look"), {"description": "Other words."})],
)
async def test_what_switchboard_writes_drops_what_was_compiled_of_it(
    store: WatchedStore, clock: StoppedClock, path: str, fields: dict[str, Any]
) -> None:
    """In the same commit, so that no instance that comes cold sees anything older."""
    await offered(Instance(store, clock))
    compiled = WITHIN.compiled if path.startswith("businesses") else PATHS.compiled_definitions
    assert await store.inner.get(compiled) is not None
    (result,) = await store.inner.commit([Update(path, fields)])
    assert await store.inner.get(compiled) is None
    fresh = Instance(store, clock)
    offer = await offered(fresh)
    tenant = await fresh.catalog.tenant(BUSINESS)
    assert ("order_status" in names(offer)) is (path != OWN)
    assert tenant.agents["a1"].name == fields.get("name", "Ava")
    assert offer.named("look").definition.description == fields.get("description", "Looks a word up.")
    assert await store.inner.get(compiled) is not None, "whoever comes next finds it compiled again"
    assert result.update_time == (await store.inner.get(path)).update_time


async def test_what_is_changed_while_it_is_compiled_is_not_kept(store: WatchedStore, clock: StoppedClock) -> None:
    """The owner's edit comes between the reading of the parts and the writing of what was compiled of them."""
    instance, edited = Instance(store, clock), []
    commit = store.inner.commit

    async def edit_first(writes: Any) -> Any:
        compiles = any(isinstance(one, Update) and one.path == WITHIN.compiled for one in writes)
        if compiles and not edited:
            edited.append(True)
            await commit([Update(OWN, {"enabled": False})])
        return await commit(writes)

    store.inner.commit = edit_first  # type: ignore[method-assign]
    await offered(instance)
    assert edited
    assert "order_status" not in names(await offered(Instance(store, clock)))


async def test_a_hand_made_change_is_seen_after_a_minute_by_who_serves_the_business_and_then_by_all(
    store: WatchedStore, clock: StoppedClock
) -> None:
    serving = Instance(store, clock)
    await offered(serving)
    await change_by_hand(store, OWN, {"enabled": False})
    clock.wait(A_MINUTE)
    assert "order_status" not in names(await offered(serving))
    assert "order_status" not in names(await offered(Instance(store, clock)))


async def test_a_hand_made_change_that_nobody_noticed_is_seen_five_minutes_later(
    store: WatchedStore, clock: StoppedClock
) -> None:
    """Until then an instance that comes cold may offer what was; whoever cannot wait deletes what was compiled."""
    await offered(Instance(store, clock))
    await change_by_hand(store, OWN, {"enabled": False})
    assert "order_status" in names(await offered(Instance(store, clock)))
    clock.wait(policy.COMPILED_CHECK_S + 1)
    assert "order_status" not in names(await offered(Instance(store, clock)))
    await change_by_hand(store, OWN, {"enabled": True})
    await store.inner.commit([Delete(WITHIN.compiled)])
    assert "order_status" in names(await offered(Instance(store, clock)))


async def test_hand_made_changes_of_the_business_and_of_definitions_are_seen_within_a_minute_by_whoever_comes(
    store: WatchedStore, clock: StoppedClock
) -> None:
    await offered(Instance(store, clock))
    await change_by_hand(store, WITHIN.business, {"name": "Parlour"})
    await change_by_hand(store, PATHS.definition("look"), {"description": "Other words."})
    fresh = Instance(store, clock)
    await offered(fresh)
    assert (await fresh.catalog.business(BUSINESS)).name == "Parlour"
    clock.wait(A_MINUTE)
    for instance in (fresh, Instance(store, clock)):
        offer = await offered(instance)
        assert offer.named("look").definition.description == "Other words."


async def test_what_is_served_is_held_against_its_parts_so_that_it_need_not_be_compiled_again(
    store: WatchedStore, clock: StoppedClock
) -> None:
    """An instance that serves the business says so, and who comes cold after an hour still reads two documents."""
    serving = Instance(store, clock)
    for _ in range(60):
        await offered(serving)
        clock.wait(A_MINUTE)
    waves = Waves(store)
    await offered(Instance(waves, clock))
    assert (waves.reads, waves.waves) == (3, 1)


@pytest.mark.parametrize(
    "broken", [{}, {"format": 1}, {"format": 9, "parts": {}}, {"parts": 3}, {"format": 1, "checkedAt": "now"}]
)
async def test_a_compiled_document_that_makes_no_sense_is_made_anew(
    store: WatchedStore, clock: StoppedClock, broken: dict[str, Any]
) -> None:
    await store.inner.commit([Set(WITHIN.compiled, broken), Set(PATHS.compiled_definitions, broken)])
    assert "order_status" in names(await offered(Instance(store, clock)))
    waves = Waves(store)
    await offered(Instance(waves, clock))
    assert waves.reads == 3


async def test_what_says_that_it_was_checked_tomorrow_is_made_anew(store: WatchedStore, clock: StoppedClock) -> None:
    """By a clock that runs wrong, or by hand: it would else never be held against its parts."""
    await offered(Instance(store, clock))
    await store.inner.commit([Update(WITHIN.compiled, {"checkedAt": clock.now() + timedelta(days=1)})])
    await change_by_hand(store, OWN, {"enabled": False})
    assert "order_status" not in names(await offered(Instance(store, clock)))


async def test_rows_that_make_no_sense_cost_themselves_only(store: WatchedStore, clock: StoppedClock) -> None:
    """Broken by hand, in what was compiled: a live call gets what can be read."""
    await offered(Instance(store, clock))
    odd = {"parts.tools.t2": 7, "parts.tools.t3": {"name": 3}, "parts.agents": "none"}
    await store.inner.commit([Update(WITHIN.compiled, odd)])
    assert "order_status" in names(await offered(Instance(store, clock)))


async def test_more_than_one_document_holds_is_read_as_it_lies_there(store: WatchedStore, clock: StoppedClock) -> None:
    """And nobody tries to compile it again for some minutes."""
    large = {f"t{n:03}": own_tool(f"order_status_{n}", note="x" * 30_000) for n in range(40)}
    await store.inner.commit([Set(WITHIN.document("tools", id), fields) for id, fields in large.items()])
    attached = (Set(WITHIN.document("agentTools", f"a1~{id}"), {"agentId": "a1", "toolId": id}) for id in large)
    await store.inner.commit(list(attached))
    assert len(names(await offered(Instance(store, clock)))) > 40
    said = await store.inner.get(WITHIN.compiled)
    assert "parts" not in said.data
    assert len(names(await offered(Instance(store, clock)))) > 40
    assert (await store.inner.get(WITHIN.compiled)).update_time == said.update_time


async def test_a_store_that_takes_no_writes_keeps_nobody_from_an_offer(
    store: WatchedStore, clock: StoppedClock
) -> None:
    store.fail("commit")
    assert "order_status" in names(await offered(Instance(store, clock)))
    store.recover()
    assert await store.inner.get(WITHIN.compiled) is None
    assert "order_status" in names(await offered(Instance(store, clock)))
    assert await store.inner.get(WITHIN.compiled) is not None
