"""The system prompt: the owner's templates, filled for this business, and words about its tools."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from switchboard.catalog.definitions.tool import Way
from switchboard.catalog.offer.alternatives import Alternatives
from switchboard.catalog.offer.offer import DONE, USUAL_TOPICS
from switchboard.catalog.offer.prompts import Prompts, people_summary, services_summary, working_hours_summary
from switchboard.contract.business.business import Business, read_business
from switchboard.contract.channel import Channel
from switchboard.contract.context import CONTEXTS, Context
from switchboard.contract.store import Set
from switchboard.state.memory.store import MemoryStore
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
SHIPPED = {path.stem: path.read_text() for path in (Path(__file__).parents[3] / "seeds" / "prompts").glob("*.md")}


def offer(
    channel: Channel = Channel.PHONE,
    business: Business | None = SALON,
    way: Way | None = Way.MESSAGE,
    besides: Sequence[str] = (),
    asking: Sequence[str] = (),
) -> Any:
    """What a prompt needs of an offer: tools with a guide."""
    guide = "# look\n\nLooks things up.\n\n## Parameters\n\n- `word`\n\n## Examples\n\nRosa\n\n## Watch out\n\n- Slow."
    asks_nobody, asks_itself = SimpleNamespace(confirm=False), SimpleNamespace(confirm=True)
    look = SimpleNamespace(guide=guide, summary="Looks things up.")
    tools = (
        SimpleNamespace(name="look", tool=look, way=None, definition=asks_nobody),
        *(SimpleNamespace(name=name, tool=look, way=None, definition=asks_nobody) for name in besides),
        *(SimpleNamespace(name=name, tool=look, way=None, definition=asks_itself) for name in asking),
        SimpleNamespace(name="take_message", tool=look, way=way, definition=asks_nobody),
    )
    ways = Alternatives.of(tools, business, channel)
    return SimpleNamespace(
        channel=channel, business=business, tools=tools, told=tools, catalog_version="v1", ways_out=lambda *_: ways
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


@pytest.mark.requirement("003-49", "003-98", "003-124")
async def test_readers_get_the_guides_and_listeners_what_is_declared(store: WatchedStore) -> None:
    """Seed 003, "Performance Considerations": guides for text; what a tool does, its declaration says to both."""
    spoken = await prompts(store).system(offer(), facts())
    written = await prompts(store).system(offer(Channel.PORTAL), facts(Channel.PORTAL))
    assert "Looks things up." not in spoken and "## Watch out" not in spoken
    assert "# look\n\nLooks things up.\n\n## Watch out\n\n- Slow." in written
    # The schema says it, and an example is about the business that it was written for.
    assert not any(word in written for word in ("## Parameters", "## Examples", "Rosa"))
    assert "Calls: 8" in written


@pytest.mark.requirement("004-1013")
@pytest.mark.parametrize("channel", Channel)
async def test_whoever_speaks_another_language_is_answered_in_it(store: WatchedStore, channel: Channel) -> None:
    """The prompt stays the same; which language that is stands beside what the caller says, where the house knows."""
    found = prompts(store, SHIPPED)
    spanish = replace(facts(channel), language="es")
    assert "Who speaks another language is answered in it." in await found.system(offer(channel), facts(channel))
    assert await found.system(offer(channel), spanish) == await found.system(offer(channel), facts(channel))
    assert "The caller speaks es.\n" in found.moment(offer(channel), spanish)
    for own in ("", "en", "en-GB"):
        assert "speaks" not in found.moment(offer(channel), replace(facts(channel), language=own))


@pytest.mark.requirement("003-441")
async def test_the_time_is_the_businesss_and_is_told_apart(store: WatchedStore) -> None:
    """Vendors keep what does not change in their caches; the whole prompt is the same a minute later."""
    found = prompts(store)
    text = await found.system(offer(), facts())
    assert found.moment(offer(), facts()).startswith("It is now Sunday, 2026-11-22, 10:04 (America/New_York).")
    assert "It is now" not in text and "10:04" not in text
    found._clock.moment += timedelta(minutes=1)  # type: ignore[attr-defined]
    assert await found.system(offer(), facts(caller_phone="+15185550177", caller_verified=True)) == text
    assert "10:05" in found.moment(offer(), facts())


async def test_who_is_calling_is_told_without_the_number_itself(store: WatchedStore) -> None:
    """The tools know it; what the model does not know it cannot be talked into reading out."""
    text = prompts(store).moment(offer(), facts(caller_phone="+15185550177", caller_verified=True))
    assert "The caller's phone number is known to the tools." in text
    assert "The caller's identity is established." in text
    assert "5550177" not in text


async def test_without_the_store_the_built_templates_serve(store: WatchedStore) -> None:
    """A receptionist that starts in an outage still knows who it is."""
    store.fail("query")
    text = await prompts(store).system(offer(business=None), facts())
    assert text.startswith("You are Echo of the business.")


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


@pytest.mark.requirement("004-929")
def test_a_day_of_every_year_is_told_as_one() -> None:
    """Behind those of one year, which come before it."""
    special = {"12-25": "closed", "01-01": "closed", "2026-12-25": {"open": "09:00", "close": "11:00"}}
    hours = {"thursday": {"open": "10:00", "close": "18:00"}, "exceptions": special}
    lines = working_hours_summary(read_business("salon", {"workingHours": hours})).splitlines()
    assert lines[-3:] == ["- 2026-12-25: 09:00-11:00", "- every January 1: closed", "- every December 25: closed"]


SAID = [
    "You are Echo, the AI receptionist of Maple Street (hair salon).",
    "Speak en. Sound warm.",
    "one or two sentences",
    "- Haircut: 30 min, $48",
    "- Thursday: 10:00-18:00",
    "look it up with the tool",
    "cancellation, reschedule, late arrival, deposits, refunds, pricing, hours, location, parking",
    "apologize briefly.\nWhen you cannot help, or a tool fails: offer to take a message (take_message).",
    "only when the answer needs current facts of this business",
    "One turn allows 3 calls",
    '"I can\'t look that up at the moment", and what can be had',
    "Policies and frequent questions need a topic. Usual topics: cancellation, reschedule",
    "Look a booking up by the phone number of this call",
]


@pytest.mark.requirement("000-73", "000-74", "000-75", "000-76", "000-77", "000-78", "000-79", "000-80")
@pytest.mark.requirement("000-81", "000-82", "000-83", "000-84", "000-85")
@pytest.mark.parametrize("said", SAID)
async def test_the_templates_that_ship_say_what_the_first_seed_says(store: WatchedStore, said: str) -> None:
    """Seed 000, "System Prompt Template" and "Tool Usage Policy"."""
    found = offer(besides=("get_policies", "lookup_appointment"))
    text = await prompts(store, SHIPPED).system(found, facts())
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


@pytest.mark.requirement("003-442")
async def test_what_declarations_leave_to_the_prompt_stands_in_it_whatever_the_template(store: WatchedStore) -> None:
    """Once: where an owner's template has a place for it, there, and behind it where it has none."""
    found = offer(besides=["get_faqs"])
    for templates in (SHIPPED, {"system": "Be kind."}, {"system": "{{business.services}} {{ services_summary }}"}):
        text = await prompts(store, templates).system(found, facts())
        for once in ("- Haircut: 30 min, $48", USUAL_TOPICS, DONE, "Maple Street"):
            assert text.count(once) == 1
    assert USUAL_TOPICS not in await prompts(store, {"system": "Be kind."}).system(offer(), facts())


@pytest.mark.requirement("004-2446")
async def test_no_english_topics_are_named_for_a_business_of_another_language(store: WatchedStore) -> None:
    """A model that asks for "cancellation" finds nothing of what is called "absage" there."""
    german = offer(business=replace(SALON, language="de"), besides=("get_policies",))
    for templates in (SHIPPED, {"system": "Be kind."}):
        text = await prompts(store, templates).system(german, facts())
        assert USUAL_TOPICS not in text and "cancellation" not in text
        assert text.count("Topics are named in the business's own language") == 1


SALON_DOCUMENT = {
    "name": "Maple Street",
    "timezone": "America/New_York",
    "address": "48 Maple Street",
    "phone": "+15185550142",
    "website": "https://maple.example",
    "workingHours": {"sunday": [{"open": "09:00", "close": "12:00"}], "monday": "closed"},
    "escalation": {"rules": [{"action": "message", "id": "owner", "label": "Rosa", "when": "It is for the owner."}]},
}


@pytest.mark.requirement("003-338")
async def test_what_a_caller_asks_of_any_business_stands_in_the_prompt(store: WatchedStore) -> None:
    """Where it is, its number, whether it is open now, and when its owner wants to be told, in the owner's words."""
    business = read_business("salon", SALON_DOCUMENT)
    text = await prompts(store, SHIPPED).system(offer(Channel.PORTAL, business), facts(Channel.PORTAL))
    for line in ("Address: 48 Maple Street", "Phone: +15185550142", "Rosa (take_message): It is for the owner."):
        assert line in text.splitlines()
    now = prompts(store, SHIPPED).moment(offer(Channel.PORTAL, business), facts(Channel.PORTAL))
    assert now.endswith("The business is open until 12:00.")
    assert "Rosa" not in await prompts(store, SHIPPED).system(offer(business=business, way=None), facts())


@pytest.mark.requirement("003-338")
@pytest.mark.parametrize(
    ("sunday", "said"),
    [
        ([{"open": "09:00", "close": "24:00"}], "The business is open until 24:00."),
        ([{"open": "10:05", "close": "11:00"}], "The business is closed now and opens today at 10:05."),
        ([{"open": "09:00", "close": "10:04"}], "The business is closed now."),
        ("closed", "The business is closed now."),
        (None, "(America/New_York)."),
    ],
)
async def test_whether_the_business_is_open_is_told(store: WatchedStore, sunday: Any, said: str) -> None:
    """At four past ten there; a business that has not said when it is open is neither."""
    hours = {"sunday": sunday, "tuesday": [{"open": "09:00", "close": "12:00"}]} if sunday is not None else {}
    business = read_business("salon", {**SALON_DOCUMENT, "workingHours": hours})
    assert prompts(store).moment(offer(business=business), facts()).endswith(said)


@pytest.mark.requirement("003-338")
async def test_a_prompt_speaks_of_no_tool_that_is_not_told_and_no_phone_in_a_chat(store: WatchedStore) -> None:
    """A rule about what is not there misleads, and is paid for in every request."""
    rules = {
        "book_appointment": "Before you book something",
        "get_faqs": "Policies and frequent questions need a topic",
        "transfer_call": "the call was transferred",
    }
    bare = await prompts(store, SHIPPED).system(offer(), facts())
    for name, rule in rules.items():
        assert rule not in bare
        assert rule in await prompts(store, SHIPPED).system(offer(besides=[name]), facts())
    looks = offer(Channel.PORTAL, besides=["lookup_appointment"])
    assert "phone number of this call" not in await prompts(store, SHIPPED).system(looks, facts(Channel.PORTAL))


@pytest.mark.requirement("003-191")
async def test_what_asks_by_itself_is_said_by_its_definition_and_not_to_be_read_back(store: WatchedStore) -> None:
    """An owner's own tool asks as ours do; a booking that a business lets ask is not asked about twice."""
    rule = "the house then asks"
    assert rule not in await prompts(store, SHIPPED).system(offer(besides=["cancel_appointment"]), facts())
    own = await prompts(store, SHIPPED).system(offer(asking=["cancel_appointment", "pay_bill"]), facts())
    assert f"Call cancel_appointment or pay_bill at once when the caller wants it: {rule}" in own
    which = "Another day is a move; if unsure, ask which."
    assert which not in own
    moves = ["cancel_appointment", "reschedule_appointment", "send_email"]
    assert which in await prompts(store, SHIPPED).system(offer(asking=moves), facts())
    booking = await prompts(store, SHIPPED).system(offer(asking=["book_appointment"]), facts())
    assert rule in booking
    assert "read the details back and wait" not in booking


@pytest.mark.requirement("004-517")
async def test_who_is_there_and_who_does_what_is_told_in_one_line_where_a_business_has_people(
    store: WatchedStore,
) -> None:
    """Groups too; without people, and where no appointment can be made, nothing is said of it."""
    people = [{"id": "rosa", "name": "Rosa"}, {"id": "marcus", "name": "Marcus"}]
    seats = {"id": "class", "name": "Class", "kind": "seats", "capacity": 6}
    services = [
        {"name": "Haircut"},
        {"name": "Shave", "needs": [{"kind": "person", "any": ["marcus"]}]},
        {"name": "Class", "needs": [{"kind": "seats"}]},
    ]
    document = {"timezone": "UTC", "services": services, "resources": [*people, seats]}
    calendar = {"integrations": {"builtinCalendar": {"isConnected": True}}}
    told = "People: Rosa, Marcus; Shave: only Marcus; for groups: Class (up to 6)"
    assert people_summary(read_business("salon", document)) == told
    for business, is_told in (
        (read_business("salon", document | calendar), True),
        (read_business("salon", document), False),
        (read_business("salon", {"services": services} | calendar), False),
    ):
        found = await prompts(store).system(offer(business=business), facts())
        assert (told in found, "People:" in found) == (is_told, is_told)
