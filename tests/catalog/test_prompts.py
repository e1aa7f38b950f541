"""The system prompt: the owner's templates, filled for this business, and words about its tools."""

from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from switchboard.catalog.prompts import Prompts, services_summary, working_hours_summary
from switchboard.catalog.tool import Way
from switchboard.catalog.ways_out import WaysOut
from switchboard.contract.business import Business, read_business
from switchboard.contract.channel import Channel
from switchboard.contract.context import CONTEXTS, Context
from switchboard.contract.store import Set
from switchboard.state.memory import MemoryStore
from switchboard.state.paths import FirestorePaths
from tests.desk.front_desk import StoppedClock, WatchedStore

PATHS = FirestorePaths()
SALON = read_business(
    "salon",
    {
        "name": "Maple Street",
        "industry": "hair salon",
        "timezone": "America/New_York",
        "ai": {"language": "en", "tone": "warm"},
        "services": [{"name": "Haircut", "durationMinutes": 30, "price": "$48"}, {"name": "Patch test"}],
        "workingHours": {
            "tuesday": [{"open": "09:00", "close": "12:30"}, {"open": "13:30", "close": "24:00"}],
            "wednesday": [{"open": "09:00", "close": "12:30"}, {"open": "13:30", "close": "24:00"}],
            "thursday": [{"open": "10:00", "close": "18:00"}],
            "exceptions": {"2026-12-25": "closed"},
        },
    },
)
BUILTIN = {
    "system": "You are Echo of {{business.name}}.\n{{services_summary}}",
    "tool_usage": "Calls: {{limits.calls_per_turn}}",
}
SHIPPED = {path.stem: path.read_text() for path in (Path(__file__).parents[2] / "seeds" / "prompts").glob("*.md")}


def offer(channel: Channel = Channel.PHONE, business: Business | None = SALON, way: Way | None = Way.MESSAGE) -> Any:
    """What a prompt needs of an offer: two tools with a guide."""
    look = SimpleNamespace(guide="# look\n\nLooks things up.\n\n## Examples", summary="Looks things up.")
    tools = (
        SimpleNamespace(name="look", tool=look, way=None),
        SimpleNamespace(name="take_message", tool=look, way=way),
    )
    ways = WaysOut.of(tools, business, channel)
    return SimpleNamespace(
        channel=channel, business=business, tools=tools, catalog_version="v1", ways_out=lambda *_: ways
    )


def facts(channel: Channel = Channel.PHONE, **known: Any) -> Context:
    return CONTEXTS[channel](business_id="salon", session_id="s1", **known)


@pytest.fixture
def store() -> WatchedStore:
    return WatchedStore(MemoryStore())


def prompts(store: Any, builtin: dict[str, str] = BUILTIN) -> Prompts:
    clock = StoppedClock()
    clock.moment = datetime(2026, 11, 22, 15, 4, tzinfo=UTC)
    return Prompts(store, PATHS, builtin, clock)


@pytest.mark.requirement("000-62", "000-72")
async def test_an_owners_template_is_filled_for_the_business(store: WatchedStore) -> None:
    """Seed 000, "System Prompt Template": placeholders for name, industry, tone, language, services and hours."""
    text = "{{business.name}} ({{business.industry}}), {{ai.tone}}, {{ai.language}}.\n{{working_hours_summary}}"
    await store.commit([Set(PATHS.prompt_template("system"), {"text": text})])
    written = await prompts(store).system(offer(), facts())
    assert "Maple Street (hair salon), warm, en." in written
    assert "Tuesday to Wednesday: 09:00-12:30 and 13:30-24:00" in written
    assert "{{" not in written
    # What the owner has not written is the built one.
    assert "Calls: 3" in written


@pytest.mark.requirement("003-49", "003-98", "003-123", "003-124")
async def test_listeners_get_a_line_per_tool_and_readers_the_guides(store: WatchedStore) -> None:
    """Seed 003, "Performance Considerations": summaries for voice, guides for text."""
    spoken = await prompts(store).system(offer(), facts())
    written = await prompts(store).system(offer(Channel.PORTAL), facts(Channel.PORTAL))
    assert "- look: Looks things up." in spoken
    assert "## Examples" not in spoken
    assert "# look\n\nLooks things up.\n\n## Examples" in written
    assert "Calls: 8" in written


async def test_the_time_is_the_businesss_and_stands_last(store: WatchedStore) -> None:
    """Vendors keep what does not change in their caches; a minute later only the end differs."""
    lines = (await prompts(store).system(offer(), facts())).splitlines()
    assert "It is now Sunday, 2026-11-22, 10:04 (America/New_York)." in lines[-3:]


async def test_who_is_calling_is_told_without_the_number_itself(store: WatchedStore) -> None:
    """The tools know it; what the model does not know it cannot be talked into reading out."""
    text = await prompts(store).system(offer(), facts(caller_phone="+15185550177", caller_verified=True))
    assert "The caller's phone number is known to the tools." in text
    assert "The caller's identity is established." in text
    assert "5550177" not in text


async def test_without_the_store_the_built_templates_serve(store: WatchedStore) -> None:
    """A receptionist that starts in an outage still knows who it is."""
    store.fail("query")
    text = await prompts(store).system(offer(business=None), facts())
    assert text.startswith("You are Echo of .")


async def test_templates_are_read_once_a_minute(store: WatchedStore) -> None:
    """Every turn needs them; only one read a minute is paid."""
    found = prompts(store)
    for _ in range(5):
        await found.system(offer(), facts())
    assert store.asked == {"query": 1}


def test_hours_and_services_are_summed_up_by_line() -> None:
    """Days with the same hours stand together; days that differ are named."""
    assert services_summary(SALON) == "- Haircut: 30 min, $48\n- Patch test: 30 min"
    assert working_hours_summary(SALON).splitlines() == [
        "- Monday: closed",
        "- Tuesday to Wednesday: 09:00-12:30 and 13:30-24:00",
        "- Thursday: 10:00-18:00",
        "- Friday to Sunday: closed",
        "- 2026-12-25: closed",
    ]


SAID = [
    "You are Echo, the AI receptionist of Maple Street (hair salon).",
    "Speak en. Sound warm.",
    "one or two sentences",
    "- Haircut: 30 min, $48",
    "- Thursday: 10:00-18:00",
    "look it up with the tool",
    "cancellation,\nreschedule, late arrival, deposits, refunds, pricing, hours, location, parking",
    "apologize briefly.\nWhen you cannot help, or a tool fails: offer to take a message (take_message).",
    "only when the answer needs current facts of this business",
    "One turn allows 3 calls",
    '"I can\'t look that up at the moment", and what can be had',
    "Policies and frequent questions need a topic. Usual ones: cancellation, reschedule",
    "Look a booking up by the phone number of this call",
]


@pytest.mark.requirement("000-73", "000-74", "000-75", "000-76", "000-77", "000-78", "000-79", "000-80")
@pytest.mark.requirement("000-81", "000-82", "000-83", "000-84", "000-85")
@pytest.mark.parametrize("said", SAID)
async def test_the_templates_that_ship_say_what_the_first_seed_says(store: WatchedStore, said: str) -> None:
    """Seed 000, "System Prompt Template" and "Tool Usage Policy"."""
    text = await prompts(store, SHIPPED).system(offer(), facts())
    assert said in text
    assert "{{" not in text


@pytest.mark.requirement("000-370")
async def test_a_prompt_offers_what_can_be_had_here_and_nothing_else(store: WatchedStore) -> None:
    """Also where an owner's template knows nothing of it, or offers more: what is true stands behind it, once."""
    own = {"system": "When a tool fails, offer to take a message."}
    for templates in (SHIPPED, own, {"system": "Be kind. {{ ways_out }}"}):
        with_message = await prompts(store, templates).system(offer(), facts())
        without = await prompts(store, templates).system(offer(way=None), facts())
        assert with_message.count("offer to take a message (take_message).") == 1
        assert without.count("say that you can take no message and put nobody through here") == 1
        assert "(take_message)" not in without
