"""Definitions: Firestore first, kept for sixty seconds, the artifact to fall back on; a bad one costs itself."""

import asyncio
import json
import logging
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from switchboard.catalog.offer.catalog import Options
from switchboard.catalog.offer.inclusion import Situation, grounds, vocabulary
from switchboard.contract.business.business import Business, EscalationRule
from switchboard.contract.channel import Channel
from switchboard.contract.error import ToolError
from switchboard.contract.store import Create, Delete, Set, Update
from switchboard.state.memory.store import MemoryStore
from tests.desk.front_desk import StoppedClock, WatchedStore
from tests.pipeline import planted
from tests.pipeline.conftest import BUSINESS, PATHS, Instance

# What is read with a business: its tenant tools, its agents, and what is attached to whom.
OWNERS_SIDE = 3

PHONE = Options(Channel.PHONE)
WORDS = {"category": "general", "description": "New words for {{business.name}}.", "requires": []}
PARAMETERS = {"type": "object", "properties": {"word": {"type": "string"}}}


@pytest.fixture
def clock():
    return StoppedClock()


@pytest.fixture
async def store():
    found = WatchedStore(MemoryStore())
    await found.commit([Set(PATHS.within(BUSINESS).business, {"name": "Salon"})])
    found.asked.clear()
    return found


@pytest.fixture
def office(store, clock):
    return Instance(store, clock)


async def publish(store, name, **fields):
    await store.inner.commit([Set(PATHS.definition(name), {**WORDS, "parameters": PARAMETERS, **fields})])


async def listing(office, options=PHONE):
    return await office.catalog.get_tool_definitions(BUSINESS, options)


def names(offer):
    return [tool.name for tool in offer.tools]


def why(offer, name):
    found = offer.why_not(name)
    return found.condition if found else None


@pytest.mark.requirement("004-15")
async def test_with_no_definitions_in_firestore_the_artifact_is_offered(office):
    """Seed 004: zero tool documents, said by the store."""
    offer = await listing(office)
    assert offer.source == "fallback"
    assert "act" in names(offer)


@pytest.mark.requirement("004-11", "004-12", "004-17", "004-45")
async def test_once_definitions_are_in_firestore_they_alone_are_offered(office, store):
    """The document's words are shown, its id is the name, and what is not there is not offered."""
    await publish(store, "look")
    offer = await listing(office)
    assert offer.source == "firestore"
    assert names(offer) == ["look"]
    assert offer.named("look").definition.description == "New words for Salon."


@pytest.mark.requirement("004-21", "004-22")
async def test_definitions_are_read_once_a_minute_and_an_edit_is_offered_after_it(office, store, clock):
    """Any number of listings within the sixty seconds costs no read."""
    await publish(store, "look")
    await listing(office)
    await office.catalog.ended()
    store.asked.clear()
    await publish(store, "look", description="Newer words.")
    clock.seconds += 59
    offers = await asyncio.gather(*(listing(office) for _ in range(50)))
    assert not store.asked
    assert {o.named("look").definition.description for o in offers} == {"New words for Salon."}
    clock.seconds += 1
    assert (await listing(office)).named("look").definition.description == "Newer words."
    assert store.asked["query"] == 1 + OWNERS_SIDE


async def test_a_hundred_listings_at_a_cold_start_share_one_read(office, store):
    """Single flight for definitions and for the business; what is compiled of them is read once more, behind."""
    await publish(store, "look")
    await asyncio.gather(*(listing(office) for _ in range(100)))
    await office.catalog.ended()
    assert (store.asked["query"], store.asked["get"], store.asked["get_many"]) == (2 * (1 + OWNERS_SIDE), 1, 1)


@pytest.mark.requirement("004-16")
async def test_without_firestore_the_last_set_is_offered_and_says_stale(office, store, clock):
    """A read error is not taken for zero definitions."""
    await publish(store, "look")
    await publish(
        store,
        "act",
        kind="action",
        parameters={"type": "object", "properties": {"what": {"type": "string"}}, "required": ["what"]},
    )
    await listing(office)
    store.fail("query", "get")
    clock.seconds += 61
    offer = await listing(office)
    assert (offer.source, names(offer)) == ("stale", ["act", "look"])
    clock.seconds += 300
    offer = await listing(office)
    assert (offer.source, names(offer), why(offer, "act")) == ("stale", ["look"], "store:reachable")
    store.recover()
    clock.seconds += 5
    assert (await listing(office)).source == "firestore"


async def test_a_cold_start_without_firestore_offers_what_reads_and_needs_no_business(office, store):
    """The artifact, and no tool that would write what nobody could record."""
    store.fail("query", "get", "commit")
    offer = await listing(office)
    assert offer.source == "fallback"
    assert "look" in names(offer)
    assert why(offer, "act") == "store:reachable"
    assert why(offer, "look_with_calendar") == "integration:calendar"
    assert offer.named("look").definition.description == "look for the business."


BROKEN = [
    {"parameters": {"type": "object", "properties": {"word": {"type": "strin"}}}},
    {"parameters": {"type": "object", "properties": {"word": {"$ref": "https://example.com/s.json"}}}},
    {"parameters": {"type": "object", "properties": {"word": {"type": "string", "pattern": "("}}}},
    {"parameters": "not json"},
    {"parameters": {"type": "object", "properties": {"colour": {"type": "string"}}}},
    {"parameters": {"type": "object", "properties": {"word": {"type": "integer"}}}},
    {"returns": {"type": "nonsense"}},
    {"description": 7},
    {"channels": ["fax"]},
    {"kind": "magic"},
    {"confirm": True, "readBack": {"text": "Shall I look?"}},
    {"confirm": True, "readBack": {"en": "Shall I look {{wrod}} up?"}},
    {"confirm": True, "readBack": {"en": "Shall I look it up at {{business.nam}}?"}},
]


@pytest.mark.parametrize("fields", BROKEN, ids=lambda f: json.dumps(f)[:50])
async def test_a_document_that_cannot_be_used_costs_itself_and_no_other(office, store, caplog, fields):
    """Skipped with an alarm and an explanation; the others are served."""
    await publish(store, "look", **fields)
    await publish(store, "crash", parameters={"type": "object", "properties": {}})
    with caplog.at_level(logging.ERROR):
        offer = await listing(office)
    assert names(offer) == ["crash"]
    assert why(offer, "look") == "definition:valid"
    assert [r.tool for r in caplog.records if r.message == "definition skipped"] == ["look"]


@pytest.mark.requirement("004-45")
async def test_a_tool_nobody_has_written_code_for_is_not_offered(office, store):
    """A definition may change words, never add code."""
    await publish(store, "fly_to_the_moon")
    await publish(store, "look")
    offer = await listing(office)
    assert names(offer) == ["look"]
    assert "no handler" in offer.why_not("fly_to_the_moon").reason


TYPING_ERROR = {"type": "object", "properties": {"word": {"type": "strin"}}}


async def test_a_broken_edit_leaves_the_last_good_version_in_use(office, store, clock):
    """One slip in a live system must not take a tool off the air: it is offered and called, and the slip is told."""
    await publish(store, "look")
    await listing(office)
    await publish(store, "look", parameters=TYPING_ERROR)
    clock.seconds += 61
    offer = await listing(office)
    assert offer.named("look").definition.description == "New words for Salon."
    assert why(offer, "look") is None
    assert "look" in (await office.definitions.current()).set.skipped
    assert (await office.call("look", {"word": "x"})).ok


async def test_a_question_that_nobody_could_hear_leaves_the_last_good_one(office, store, clock):
    """Otherwise callers would be asked the general question of the house without a word to anybody."""
    await publish(store, "look", confirm=True, readBack={"en": "Shall I look {{word}} up?"})
    await listing(office)
    await publish(store, "look", confirm=True, readBack={"en": "Shall I look {{wort}} up?"})
    clock.seconds += 61
    offer = await listing(office)
    assert offer.named("look").definition.read_back == {"en": "Shall I look {{word}} up?"}
    problem = (await office.definitions.current()).set.skipped["look"]
    assert "{{wort}} is no parameter; write {{word}}" in str(problem)


async def test_a_broken_edit_does_not_switch_a_tool_on_again(office, store, clock):
    """Taken away and broken in one edit: it is away; put right in that alone, it is there in its last good words."""
    await publish(store, "look")
    await listing(office)
    for enabled, expected in ((False, "definition:enabled"), (True, None)):
        await publish(store, "look", parameters=TYPING_ERROR, enabled=enabled)
        clock.seconds += 61
        assert why(await listing(office), "look") == expected


async def test_an_instance_that_starts_after_a_broken_edit_has_the_version_published_last(office, store):
    """It never read the good one; a later version that cannot be used either is passed over."""
    good = {**WORDS, "parameters": PARAMETERS}
    history = [("old", {**good, "description": "Old words."}), ("good", good), ("bad", {**good, "kind": "magic"})]
    for rev, (content, document) in enumerate(history):
        at = datetime(2026, 3, 1 + rev, tzinfo=UTC)
        publication = {"rev": rev, "at": at, "names": ["look"], "tools": {"look": {"after": content}}}
        await store.inner.commit(
            [
                Set(PATHS.definition_version("look", content), {"document": document}),
                Set(PATHS.publication(content), publication),
            ]
        )
    await publish(store, "look", parameters=TYPING_ERROR)
    offer = await listing(office)
    assert offer.named("look").definition.description == "New words for Salon."
    assert (await office.call("look", {"word": "x"})).ok


async def test_nothing_but_broken_documents_falls_back_to_the_artifact(office, store):
    """A caller is never left without tools by an owner's slip."""
    await publish(store, "look", kind="magic")
    offer = await listing(office)
    assert offer.source == "fallback"
    assert "act" in names(offer)


async def test_schemas_stored_as_text_are_read(office, store):
    """Firestore has no array in an array; such a schema is stored as JSON text."""
    await publish(store, "look", parameters=json.dumps(PARAMETERS))
    assert (await listing(office)).named("look").definition.parameters == PARAMETERS


@pytest.mark.requirement("003-93")
class TestSessions:
    """A session keeps the words and schemas it started with."""

    async def test_an_edit_reaches_new_sessions_and_leaves_running_ones_alone(self, office, store, clock):
        """Also on an instance that never saw the session before."""
        await publish(store, "look")
        started = Options(Channel.PHONE, session_id="s1")
        before = await listing(office, started)
        await publish(store, "look", description="Newer words.")
        await publish(store, "crash", parameters={"type": "object", "properties": {}})
        clock.seconds += 61
        after = await listing(office, started)
        assert after.catalog_version == before.catalog_version
        assert names(after) == ["look"]
        assert why(after, "crash") == "session:catalog"
        fresh = await listing(office, Options(Channel.PHONE, session_id="s2"))
        assert fresh.named("look").definition.description == "Newer words."
        elsewhere = await listing(Instance(store, clock), started)
        assert elsewhere.catalog_version == before.catalog_version

    async def test_taking_a_tool_away_reaches_running_sessions(self, office, store, clock):
        """Disabled, removed or disconnected: gone within the minute, in listing and in execution."""
        await publish(store, "look")
        await publish(store, "crash", parameters={"type": "object", "properties": {}})
        await publish(store, "clock", parameters={"type": "object", "properties": {}})
        started = Options(Channel.PHONE, session_id="s1")
        await listing(office, started)
        await publish(store, "look", enabled=False)
        await store.inner.commit([Delete(PATHS.definition("crash"))])
        await store.inner.commit([Update(PATHS.within(BUSINESS).business, {"enabledTools": ["look", "crash"]})])
        clock.seconds += 61
        after = await listing(office, started)
        assert names(after) == []
        assert why(after, "look") == why(after, "crash") == "definition:enabled"
        assert why(after, "clock") == "business:enabled"
        assert (await office.call("look")).failure.type == "MODE_RESTRICTED"

    async def test_a_call_on_another_instance_is_held_against_the_sessions_words(self, office, store, clock):
        """The second instance knows newer definitions, and still honours the old schema."""
        await publish(store, "look")
        await office.call("look", {"word": "a"})
        await publish(store, "look", parameters={"type": "object", "properties": {"times": {"type": "integer"}}})
        second = Instance(store, clock)
        assert (await second.call("look", {"word": "b"})).ok
        assert (await second.call("look", {"word": "b"}, session_id="s2")).failure.type == "VALIDATION"

    async def test_a_rule_that_was_taken_off_stays_off_on_another_instance(self, office, store, clock):
        """What a published definition switches off, no instance takes from what was built."""
        off = {"verified": False, "say": {}, "parameters": {"type": "object", "properties": {}}}
        await publish(store, "look_verified", **off)
        started = Options(Channel.PHONE, session_id="s1")
        assert names(await listing(office, started)) == ["look_verified"]
        elsewhere = await listing(Instance(store, clock), started)
        assert elsewhere.named("look_verified").definition.verified is False

    async def test_a_listing_of_a_known_session_reads_nothing(self, office, store):
        """The lock is remembered by the instance."""
        started = Options(Channel.PHONE, session_id="s1")
        await listing(office, started)
        store.asked.clear()
        await listing(office, started)
        assert not store.asked

    async def test_a_store_that_cannot_open_a_session_leaves_the_current_words(self, office, store):
        """Better new words than none."""
        await listing(office)
        store.fail("commit")
        assert "look" in names(await listing(office, Options(Channel.PHONE, session_id="s1")))


@pytest.mark.requirement("004-23")
async def test_a_listing_shows_only_what_business_and_channel_allow_and_explains_the_rest(office, store):
    """Each exclusion has its deciding condition and a reason in words."""
    phone = await listing(office)
    assert why(phone, "look_in_portal") == "channel:phone"
    assert why(phone, "look_with_calendar") == "integration:calendar"
    assert "look_in_portal" in names(await listing(office, Options(Channel.PORTAL)))
    body = phone.to_json(explain=True)
    assert {"name", "condition", "reason"} == set(body["excluded"][0])
    assert not {"excluded", "included"} & phone.to_json().keys()


@pytest.mark.requirement("004-23")
async def test_every_tool_that_is_offered_says_why(office, store):
    """Each condition that it meets, in words that an owner understands; every "yes" can be explained too."""
    calendar = {"builtinCalendar": {"isConnected": True}}
    await store.inner.commit([Update(PATHS.within(BUSINESS).business, {"timezone": "UTC", "integrations": calendar})])
    phone = await listing(office)
    told = {row["name"]: row for row in phone.to_json(explain=True)["included"]}
    assert list(told) == names(phone)
    assert told["look_with_calendar"] == {
        "name": "look_with_calendar",
        "isTold": True,
        "because": [
            {"condition": "channel:phone", "reason": "offered on phone"},
            {"condition": "integration:calendar", "reason": "the built-in calendar is connected"},
        ],
    }
    assert [ground["condition"] for ground in told["look"]["because"]] == ["channel:phone"]


@pytest.mark.parametrize("condition", [form for form in vocabulary() if "<" not in form])
def test_every_condition_says_in_words_that_it_is_met(condition: str):
    """None is told as its name alone."""
    business = Business(BUSINESS, escalation_rules=(EscalationRule("transfer"), EscalationRule("message")))
    situation = Situation(business, Channel.PHONE, attached=frozenset({"x"}))
    definition = replace(planted.registry().tools["look"].definition, requires=(condition,))
    [*_, ground] = grounds(definition, situation)
    assert ground.condition == condition and len(ground.reason.split()) > 1 and "{" not in ground.reason


async def test_equal_offers_have_equal_versions_on_every_instance(office, store, clock):
    """A content hash, so that applications can cache by it."""
    first, second = await listing(office), await listing(Instance(store, clock))
    assert first.catalog_version == second.catalog_version
    assert first.catalog_version != (await listing(office, Options(Channel.PORTAL))).catalog_version


async def test_a_business_that_is_entered_now_is_known_at_once(office, store):
    """An unknown business is not remembered as unknown."""
    with pytest.raises(ToolError):
        await office.catalog.get_tool_definitions("new", PHONE)
    await store.inner.commit([Create(PATHS.within("new").business, {"name": "New"})])
    assert (await office.catalog.get_tool_definitions("new", PHONE)).business.name == "New"


async def test_two_businesses_are_told_their_own_words(office, store):
    """Nothing of one business reaches another's listing."""
    await store.inner.commit([Create(PATHS.within("rival").business, {"name": "Rival"})])
    rival = await office.catalog.get_tool_definitions("rival", PHONE)
    mine = await listing(office)
    assert mine.named("look").definition.description == "look for Salon."
    assert "Salon" not in json.dumps(rival.to_json())


@pytest.mark.requirement("004-794")
async def test_what_says_what_it_said_before_is_not_read_anew_and_what_says_something_else_is(office, store, clock):
    """Reading and checking all definitions holds up whoever calls then; nearly always they say what they said."""
    await publish(store, "look")
    before = (await office.catalog.definitions.current()).set
    clock.wait(61)
    again = (await office.catalog.definitions.current()).set
    beginner = (await Instance(store, clock).catalog.definitions.current()).set
    assert again.hash == beginner.hash == before.hash
    assert again.tools["look"] is before.tools["look"]
    await publish(store, "look", description="Other words.")
    clock.wait(61)
    changed = (await office.catalog.definitions.current()).set
    assert changed.tools["look"].definition.description == "Other words."
    assert changed.hash != before.hash
