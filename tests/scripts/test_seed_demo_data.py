"""The demo businesses and templates in seeds/: complete, consistent, and about nobody who exists."""

import json
import re
from datetime import date, datetime, timedelta
from itertools import chain, combinations
from zoneinfo import ZoneInfo

import phonenumbers
import pytest

import setting_up
from operations import seeding
from switchboard.admin.businesses.form import check_business
from switchboard.catalog.offer import prompts
from switchboard.contract.business.working_hours import Opening
from switchboard.contract.store import Query
from switchboard.desk.bookings.booking import Booking
from switchboard.desk.services import open_desk
from switchboard.state.memory.store import MemoryStore
from tests.admin.small_seeds import NOW, PATHS
from tests.desk.front_desk import StoppedClock, call

SEEDS = setting_up.ROOT / "seeds"
EXAMPLES = sorted(SEEDS.glob("*/*/business.json"))
SALON, PLUMBER = "demo-salon", "demo-plumber"
BOTH = pytest.mark.parametrize("id", [SALON, PLUMBER])
TOPICS = (
    "cancellation",
    "reschedule",
    "late arrival",
    "deposits",
    "refunds",
    "pricing",
    "hours",
    "location",
    "parking",
)
CANARIES = {SALON: "Velvet Otter", PLUMBER: "Kupferkranich"}
# 555-01xx, and the thousand Berlin numbers that the German regulator keeps for films.
NOBODY = re.compile(r"\+1[2-9]\d{2}55501\d{2}|\+493023125\d{3}|\+4917139200\d{2}")
PLACEHOLDERS = {
    "system": {
        "business.name",
        "business.industry",
        "ai.tone",
        "ai.language",
        "services_summary",
        "working_hours_summary",
        "ways_out",
    },
    "tool_usage": {"limits.calls_per_turn", "limits.retrieval_calls_per_turn", "tool_rules"},
}


@pytest.fixture(scope="module")
def seeds():
    return seeding.read_seeds(SEEDS, ["prompts", "businesses"])


@pytest.fixture
async def store():
    """A store in memory that was seeded with the real files."""
    store = MemoryStore()
    await seeding.seed(store, PATHS, SEEDS, now=NOW, only=["businesses"], out=lambda _: None)
    return store


def texts(value):
    """Yield every text in a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        yield from chain.from_iterable(texts(item) for item in (value.values() if isinstance(value, dict) else value))


def all_text(id):
    return [text for file in (SEEDS / "businesses" / id).iterdir() for text in texts(json.loads(file.read_text()))]


@BOTH
def test_a_demo_business_reads_without_problems(seeds, id):
    """Nothing in it falls to a default."""
    assert seeds.businesses[id].business.problems == ()


@pytest.mark.parametrize("path", EXAMPLES, ids=[path.parent.name for path in EXAMPLES])
def test_an_example_of_a_business_could_be_entered_by_its_owner(path):
    """Evaluations and `scripts/simulate_call` serve them as owners' businesses are: nothing in them is refused."""
    assert check_business(json.loads(path.read_text()), {}) == []


def test_the_salon_is_what_the_commands_and_the_documentation_promise(seeds):
    """Calendar, both escalations, records and verification by match, in New York."""
    salon = seeds.businesses[SALON].business
    assert {"Haircut": 30, "Color": 90, "Beard trim": 15}.items() <= {
        s.name: s.duration_minutes for s in salon.services
    }.items()
    assert any(s.buffer_before_minutes or s.buffer_after_minutes for s in salon.services)
    assert all(s.price and s.description for s in salon.services)
    assert salon.integrations["builtinCalendar"].is_usable
    assert salon.integrations["builtinCalendar"].settings.keys() == {"minNoticeMinutes", "maxDaysAhead"}
    assert [rule.action for rule in salon.escalation_rules] == ["transfer", "message"]
    assert (salon.features, salon.caller_verification, salon.language) == ({"records"}, "match", "en")
    assert salon.timezone == ZoneInfo("America/New_York")


def test_the_plumber_is_as_different_as_can_be(seeds):
    """No calendar, messages only, no features, no verification, in Berlin and in German."""
    plumber = seeds.businesses[PLUMBER].business
    assert (set(plumber.integrations), plumber.features) == ({"twilio"}, frozenset())
    assert plumber.caller_verification == "none"
    assert [rule.action for rule in plumber.escalation_rules] == ["message"]
    assert (plumber.timezone, plumber.language) == (ZoneInfo("Europe/Berlin"), "de")


def test_the_salon_opens_as_its_texts_say(seeds):
    """Closed on Sundays and Mondays, a break on Thursdays, and the holidays differ."""
    hours = seeds.businesses[SALON].business.working_hours
    week = [len(hours.on(date(2026, 11, 23) + timedelta(days=n))) for n in range(7)]
    assert week == [0, 1, 1, 2, 1, 1, 0]
    holidays = [date(2026, 12, 24), date(2026, 12, 25), date(2026, 12, 31), date(2027, 1, 1)]
    assert [[o.closes.hour for o in hours.on(day)] for day in holidays] == [[13], [], [15], []]
    assert all(isinstance(o, Opening) for day in holidays for o in hours.on(day))


@BOTH
@pytest.mark.parametrize("collection", ["policies", "faqs"])
def test_policies_and_faqs_cover_the_suggested_topics(seeds, id, collection):
    """Each of the nine topics that the prompt suggests has an answer (seed 000, "System Prompt Template")."""
    covered = {document["topic"] for document in seeds.businesses[id].collections[collection].values()}
    assert set(TOPICS) <= covered


@BOTH
def test_there_is_enough_to_talk_about(seeds, id):
    """A demo that runs out of answers after three questions convinces nobody."""
    found = seeds.businesses[id].collections
    assert len(found["faqs"]) >= 15
    assert len(found["knowledge"]) >= 12
    assert len(found["callers"]) >= 5
    assert all(document["tags"] for name in ("faqs", "knowledge") for document in found[name].values())
    assert all(len(document["content"].split("\n\n")) >= 2 for document in found["knowledge"].values())


@BOTH
def test_no_number_belongs_to_anybody(id):
    """Whatever reads like a phone number is one of those that nobody can have."""
    found = set()
    for text in all_text(id):
        for region in ("US", "DE"):
            # POSSIBLE, and not only what is assigned: a demo must not ring anywhere.
            matches = phonenumbers.PhoneNumberMatcher(text, region, leniency=phonenumbers.Leniency.POSSIBLE)
            found |= {m.raw_string for m in matches if sum(c.isdigit() for c in m.raw_string) >= 9}
    assert found
    assert [number for number in found if not NOBODY.fullmatch(number)] == []


@BOTH
def test_no_address_belongs_to_anybody(id):
    """Mail and web addresses are below .example, which nobody can register."""
    found = [host for text in all_text(id) for host in re.findall(r"(?:@|https?://)([\w.-]+)", text)]
    assert len(found) >= 4
    assert [host for host in found if not host.endswith(".example")] == []


@pytest.mark.parametrize(("id", "other"), [(SALON, PLUMBER), (PLUMBER, SALON)])
def test_each_business_has_a_phrase_that_the_other_never_says(seeds, id, other):
    """It stands in exactly one knowledge document, so that a leak between businesses can be seen."""
    knowledge = seeds.businesses[id].collections["knowledge"].values()
    assert sum(CANARIES[id] in document["content"] for document in knowledge) == 1
    assert not any(CANARIES[id] in text for text in all_text(other))


@BOTH
async def test_a_search_never_finds_the_other_business(store, seeds, id):
    """Asked for the other's phrase, a business knows nothing of it."""
    desk, ctx = open_desk(store, StoppedClock()), call(seeds.businesses[id].business)
    own = await desk.knowledge.search(ctx, CANARIES[id], 3)
    assert CANARIES[id] in own[0].passage.text
    (other,) = CANARIES.keys() - {id}
    assert await desk.knowledge.search(ctx, CANARIES[other], 3) == []


@pytest.mark.parametrize(
    ("id", "question", "expected"),
    [
        (SALON, "Where can I park?", "parking"),
        (SALON, "Do you have gift cards?", "gift"),
        (SALON, "What does a haircut cost?", "$48"),
        (SALON, "Can I come in with a wheelchair?", "wheelchair"),
        (SALON, "I am allergic to hair dye", "allerg"),
        (PLUMBER, "Was kostet der Notdienst?", "zuschlag"),
        (PLUMBER, "Mein Abfluss ist verstopft", "abfluss"),
        (PLUMBER, "Kann ich bei Ihnen parken?", "hof"),
        (PLUMBER, "Wie entlüfte ich die Heizung?", "thermostat"),
    ],
)
async def test_ordinary_questions_have_an_answer(store, seeds, id, question, expected):
    """The search tool finds something that helps, in the caller's language."""
    desk = open_desk(store, StoppedClock())
    hits = await desk.knowledge.search(call(seeds.businesses[id].business), question, 3)
    assert any(expected in f"{hit.passage.title} {hit.passage.text}".casefold() for hit in hits)


@pytest.mark.parametrize("day", [NOW + timedelta(days=n) for n in range(0, 371, 7)] + [NOW + timedelta(days=33)])
def test_the_bookings_fit_on_whatever_day_they_are_seeded(seeds, day):
    """On every day of a year each finds a time on its first try, and none is in another's way."""
    wishes = seeds.businesses[SALON].wishes
    assert len(wishes) >= 5
    bookings: list[Booking] = []
    for wish in wishes:
        booking = wish.booking(next(wish.starts(day)), day, bookings)
        assert booking is not None, wish.name
        bookings.append(booking)
    assert {b.status for b in bookings} == {"confirmed", "completed"}
    assert {b.taken.person for b in bookings} <= {"Rosa", "Marcus", "Dana"}
    assert all(a.slots.isdisjoint(b.slots) for a, b in combinations(bookings, 2))
    assert all(abs(b.start - day) < timedelta(days=21) for b in bookings)


async def test_the_bookings_are_found_by_their_callers(store):
    """Each holds the number of a caller of the seeds, so that it can be looked up by the number of the call."""
    salon = PATHS.within(SALON)
    phones = {d.data["phone"] for d in await store.query(Query(salon.collection("callers")))}
    bookings = await store.query(Query(salon.collection("bookings")))
    assert len(bookings) >= 5
    assert all(b.data["callerPhone"] in phones and isinstance(b.data["start"], datetime) for b in bookings)


@pytest.mark.parametrize("name", PLACEHOLDERS)
def test_a_template_uses_the_promised_placeholders_and_no_other(seeds, name):
    """Every placeholder is one that the conversation fills (seed 000, "System Prompt Template")."""
    assert set(re.findall(r"\{\{\s*(.*?)\s*\}\}", seeds.prompts[name]["text"])) == PLACEHOLDERS[name]


@pytest.mark.parametrize("name", PLACEHOLDERS)
def test_every_suggested_topic_is_named_with_the_tools_that_need_one(seeds, name):
    """All nine (seed 000, "Tool Usage Policy"), in the rule about those tools: where they are not, it would mislead."""
    (rule,) = (rule for tools, _, rule in prompts._RULES if "get_policies" in tools)
    assert [topic for topic in TOPICS if topic not in rule] == []
    assert "late arrival" not in seeds.prompts[name]["text"]
