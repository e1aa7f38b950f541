"""A draft on trial: a few businesses get it before the others, and a call reads nothing more for it."""

import asyncio

import hypothesis
import hypothesis.strategies as st
import pytest

from switchboard.catalog.definitions.canary import MOST_CANARIES, grouped
from switchboard.catalog.offer.catalog import Options
from switchboard.contract.channel import Channel
from switchboard.contract.store import Set
from switchboard.state.memory.store import MemoryStore
from tests.desk.front_desk import StoppedClock, WatchedStore
from tests.pipeline.conftest import BUSINESS, PATHS, Instance

OTHER = "plumber"
PHONE = Options(Channel.PHONE)
OLD = {"category": "general", "description": "Old words.", "requires": []}
NEW = {**OLD, "description": "New words."}


@pytest.fixture
def clock():
    return StoppedClock()


@pytest.fixture
async def store():
    found = WatchedStore(MemoryStore())
    for id in (BUSINESS, OTHER):
        await found.commit([Set(PATHS.within(id).business, {"name": id})])
    found.asked.clear()
    return found


@pytest.fixture
def office(store, clock):
    return Instance(store, clock)


async def publish(store, name="look", canary=NEW, businesses=(BUSINESS,), **fields):
    more = {} if canary is None else {"canary": {"businesses": list(businesses), "document": canary}}
    await store.inner.commit([Set(PATHS.definition(name), {**OLD, **fields, **more})])


async def words(office, business=BUSINESS, session=None):
    offer = await office.catalog.get_tool_definitions(business, Options(Channel.PHONE, session))
    tool = offer.named("look")
    return tool.definition.description if tool else None


async def test_only_the_chosen_businesses_get_the_draft(office, store):
    """The others keep what is published, with other hashes."""
    await publish(store)
    assert (await words(office), await words(office, OTHER)) == ("New words.", "Old words.")
    mine, theirs = [await office.catalog.get_tool_definitions(b, PHONE) for b in (BUSINESS, OTHER)]
    assert mine.set_hash != theirs.set_hash and mine.catalog_version != theirs.catalog_version


async def test_a_trial_costs_no_further_read(office, store):
    """One query reads both, and warm listings read nothing."""
    await publish(store)
    await asyncio.gather(*(words(office, b) for b in (BUSINESS, OTHER) for _ in range(20)))
    await office.catalog.ended()
    definitions = 1
    # And once more for what is compiled of them.
    assert store.asked["query"] == 2 * (definitions + 2 * 3)
    store.asked.clear()
    assert [await words(office, b) for b in (BUSINESS, OTHER)] == ["New words.", "Old words."]
    assert not store.asked


async def test_a_running_conversation_keeps_its_words_when_a_trial_begins_or_ends(office, store, clock):
    """Seed 003, "Version locking per session": also on another instance, which finds the set by its hash."""
    await publish(store, canary=None)
    assert await words(office, session="before") == "Old words."
    await publish(store)
    clock.wait(61)
    assert await words(office, session="before") == "Old words."
    assert await words(office, session="during") == "New words."
    await publish(store, canary=None)
    clock.wait(61)
    assert await words(office, session="during") == "New words."
    assert await words(office, session="after") == "Old words."
    elsewhere = Instance(store, clock)
    assert [await words(elsewhere, session=s) for s in ("before", "during", "after")] == [
        "Old words.",
        "New words.",
        "Old words.",
    ]


async def test_calls_go_by_the_draft_where_it_is_tried(office, store):
    """Arguments are read by the schema that the business has."""
    strict = {"type": "object", "properties": {"word": {"type": "string", "maxLength": 3}}}
    await publish(store, canary={**NEW, "parameters": strict})
    assert not (await office.call("look", {"word": "long word"})).ok
    assert (await office.call("look", {"word": "abc"})).ok
    offer = await office.catalog.get_tool_definitions(OTHER, PHONE)
    assert offer.named("look").tool.arguments.read({"word": "long word"}, offer.business.timezone)


async def test_a_draft_that_switches_the_tool_off_takes_it_from_running_conversations(office, store, clock):
    """Words are locked, taking away is not; and only where it is tried."""
    await publish(store, canary=None)
    assert await words(office, session="s1")
    await publish(store, canary={**NEW, "enabled": False})
    clock.wait(61)
    assert await words(office, session="s1") is None
    assert await words(office, OTHER) == "Old words."


@pytest.mark.parametrize(
    "canary",
    [
        "nonsense",
        {"businesses": "salon", "document": NEW},
        {"businesses": [BUSINESS]},
        {"document": NEW},
        {"businesses": [BUSINESS], "document": {**NEW, "parameters": {"type": "array"}}},
    ],
)
async def test_a_trial_that_cannot_be_used_costs_the_trial_alone(office, store, canary):
    """All keep what is published, and the reason is told."""
    await store.inner.commit([Set(PATHS.definition("look"), {**OLD, "canary": canary})])
    assert (await words(office), await words(office, OTHER)) == ("Old words.", "Old words.")
    assert "look" in (await office.definitions.current()).set.skipped
    assert (await office.call("look", {"word": "x"})).ok


async def test_a_broken_edit_of_a_trial_leaves_it_as_it_was_last_good(office, store, clock):
    """Whoever tries it goes on with that, and can call it; the others have what is published."""
    await publish(store)
    assert await words(office) == NEW["description"]
    broken = {"businesses": [BUSINESS], "document": {**NEW, "parameters": {"type": "array"}}}
    await store.inner.commit([Set(PATHS.definition("look"), {**OLD, "canary": broken})])
    clock.wait(61)
    assert (await words(office), await words(office, OTHER)) == (NEW["description"], "Old words.")
    assert "look" in (await office.definitions.current()).set.skipped
    assert (await office.call("look", {"word": "x"})).ok


async def test_businesses_that_try_the_same_share_one_set(office, store):
    """And a business that tries more has a set of its own."""
    await publish(store, businesses=(BUSINESS, OTHER))
    await publish(store, "act", {**NEW, "kind": "action"}, (OTHER,), kind="action")
    current = (await office.definitions.current()).set
    assert current.of(BUSINESS).tools["act"] is current.tools["act"]
    assert current.of(OTHER).tools["look"] is current.of(BUSINESS).tools["look"]
    assert len({current.of(b).hash for b in (BUSINESS, OTHER, "nobody")}) == 3
    await publish(store, "act", None, kind="action")
    office.definitions.forget()
    current = (await office.definitions.current()).set
    assert current.of(BUSINESS) is current.of(OTHER)


async def test_an_unchanged_trial_keeps_its_compiled_tool(office, store, clock):
    """Compiling a schema costs more than a call, and happens once."""
    await publish(store)
    before = (await office.definitions.current()).set.of(BUSINESS).tools["look"]
    clock.wait(61)
    assert (await office.definitions.current()).set.of(BUSINESS).tools["look"] is before


@hypothesis.given(st.dictionaries(st.text("abc", min_size=1, max_size=3), st.lists(st.sampled_from("xyz")), max_size=9))
def test_each_business_tries_exactly_what_names_it(tried):
    """Of too many trials the first by name count, on every instance alike."""
    counted = sorted(tried)[:MOST_CANARIES]
    sets = grouped({name: (businesses, name.upper()) for name, businesses in tried.items()}, lambda tools: dict(tools))
    expected = {b: {n: n.upper() for n in counted if b in tried[n]} for b in "xyz"}
    assert sets == {business: tools for business, tools in expected.items() if tools}
    assert len({id(found) for found in sets.values()}) == len({tuple(found) for found in sets.values()})
