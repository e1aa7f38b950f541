"""A session that began at an instance of another version goes on, with own words for what cannot be used of its."""

import logging
import zlib
from typing import Any

import pytest

from switchboard.catalog.definitions.registry import Registry
from switchboard.catalog.offer.catalog import Options
from switchboard.contract.channel import Channel
from switchboard.contract.context import CallContext
from switchboard.contract.response import Result
from switchboard.contract.store import Query, Set, Update
from switchboard.state.memory.store import MemoryStore
from tests.desk.front_desk import StoppedClock, WatchedStore
from tests.pipeline import planted
from tests.pipeline.conftest import BUSINESS, PATHS, Instance

pytestmark = pytest.mark.requirement("004-2103")
WORD = {"word": {"type": "string", "default": "hello"}}
MANNER = {"manner": {"type": "string", "default": "politely"}}
WORDS = {"category": "general", "description": "Words of then.", "requires": []}


async def look_so(ctx: CallContext, desk: Any, *, word: str = "hello", manner: str = "politely") -> Result:
    """Read something in some manner."""
    return Result({"said": f"{word} {manner}"})


@pytest.fixture
async def store():
    """A store that knows the business and what the earlier version has published."""
    found = WatchedStore(MemoryStore())
    await found.commit([Set(PATHS.within(BUSINESS).business, {"name": "Salon"})])
    for name in ("look", "clock"):
        await publish(found, name)
    return found


async def publish(store, name, **properties):
    known = (WORD if name == "look" else {}) | properties
    await store.commit([Set(PATHS.definition(name), {**WORDS, "parameters": {"type": "object", "properties": known}})])


@pytest.fixture
async def versions(store):
    """An instance of the new version, whose `look` takes a manner and which has one tool more, and one of the old."""
    clock = StoppedClock()
    old = Instance(store, clock)
    await old.call("clock", session_id="before")
    so = planted._tool(look_so, "retrieval", WORD | MANNER, name="look")
    newest = planted._tool(look_so, "retrieval", WORD | MANNER, name="newest")
    new = Instance(store, clock, Registry("2.0.00000000", planted.registry().tools | {"look": so, "newest": newest}))
    await publish(store, "look", **MANNER)
    await publish(store, "newest", **WORD, **MANNER)
    clock.wait(61)
    return new, old


@pytest.mark.parametrize("channel", Channel)
async def test_a_call_at_an_older_instance_is_made_with_the_words_that_it_has(versions, channel, caplog):
    """As in a conversation that begins there; the log tells of it once."""
    new, old = versions
    started = Options(channel, session_id="s1")
    await new.catalog.get_tool_definitions(BUSINESS, started)
    with caplog.at_level(logging.ERROR):
        for word in ("a", "b"):
            answer = await old.call("look", {"word": word}, channel=channel)
            assert answer.ok, answer
            assert answer.data["said"] == word
        assert (await old.call("clock", channel=channel, turn=2)).ok
        # One that has just begun has no version of it that it could use, for new sessions neither.
        fresh = Instance(old.store, old.clock)
        assert (await fresh.call("clock", channel=channel, turn=3)).ok
        assert (await fresh.call("look", {"word": "c"}, channel=channel, turn=3)).failure.type == "MODE_RESTRICTED"
    offered = await old.catalog.get_tool_definitions(BUSINESS, started)
    assert sorted(tool.name for tool in offered.tools) == ["clock", "look"]
    assert offered.named("look").definition.description == "Words of then."
    told = [r for r in caplog.records if r.message == "a session's definition is not read"]
    assert sorted(record.tool for record in told[:2]) == ["look", "newest"] and len(told) == 4


async def test_a_tool_that_was_off_in_it_stays_off(versions, store):
    """Whatever words are used for it."""
    new, old = versions
    await store.commit([Update(PATHS.definition("look"), {"enabled": False})])
    new.clock.wait(61)
    await new.catalog.get_tool_definitions(BUSINESS, Options(Channel.PHONE, session_id="s1"))
    offered = await old.catalog.get_tool_definitions(BUSINESS, Options(Channel.PHONE, session_id="s1"))
    assert [tool.name for tool in offered.tools] == ["clock"]


@pytest.mark.parametrize("damage", [b"x", zlib.compress(b"["), zlib.compress(b"[3]")])
async def test_a_set_that_nobody_can_read_is_that_of_now(versions, store, damage):
    """A conversation is not ended by it."""
    new, old = versions
    await new.catalog.get_tool_definitions(BUSINESS, Options(Channel.PHONE, session_id="s1"))
    for document in await store.query(Query(PATHS.catalog("x").rpartition("/")[0])):
        await store.commit([Update(document.path, {"definitions": damage})])
    assert (await old.call("look", {"word": "a"})).data["said"] == "a"
