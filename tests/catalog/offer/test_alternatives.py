"""What can be had instead when something cannot be done: in every business, on every channel, in every language."""

import itertools
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest

from switchboard.catalog.definitions.definitions import Definitions
from switchboard.catalog.definitions.tool import Door, Way
from switchboard.catalog.offer.alternative_words import WORDS
from switchboard.catalog.offer.alternatives import MARK, Alternatives, with_ways
from switchboard.catalog.offer.catalog import Catalog, Options
from switchboard.catalog.offer.offer import Offer
from switchboard.catalog.tenant_tools.sessions import SessionLocks
from switchboard.contract.business.business import read_business
from switchboard.contract.channel import Channel
from switchboard.contract.store import Set
from switchboard.conversation.speech.house_phrases import Trouble, safe_sentence
from switchboard.state.memory.store import MemoryStore
from tests.catalog.every_situation import PATHS, built
from tests.desk.front_desk import StoppedClock
from tests.each import each

NUMBER, WEBSITE = "(518) 555-0142", "maplestreethair.example"
HOURS = {day: [{"open": "09:00", "close": "18:00"}] for day in ("monday", "tuesday", "wednesday", "thursday", "friday")}
MONDAY = datetime(2027, 3, 15, 10, tzinfo=UTC)
LANGUAGES = (*WORDS, "sv")


@dataclass(frozen=True)
class Place:
    """A business by what it says of itself, and a channel."""

    takes_messages: bool
    transfers: bool
    number: bool
    website: bool
    hours: bool
    channel: Channel

    @property
    def business_id(self) -> str:
        return "".join(
            "ny"[flag] for flag in (self.takes_messages, self.transfers, self.number, self.website, self.hours)
        )

    def document(self) -> dict[str, Any]:
        actions = [*["message"] * self.takes_messages, *["transfer"] * self.transfers]
        return {
            "name": "Maple Street",
            "phone": NUMBER if self.number else "",
            "website": f"https://{WEBSITE}/" if self.website else "",
            "workingHours": HOURS if self.hours else {},
            "timezone": "UTC",
            "integrations": {"builtinCalendar": {"isConnected": True}, "email": {"isConnected": True}},
            "escalation": {"rules": [{"action": action} for action in actions]},
            "features": {"records": True},
        }

    @property
    def ways(self) -> set[str]:
        """What somebody who cannot be helped may be offered within the conversation."""
        phone = self.transfers and self.channel is Channel.PHONE
        return {*["message"] * self.takes_messages, *["transfer"] * phone}


PLACES = [Place(*flags, channel) for *flags, channel in itertools.product(*[(False, True)] * 5, Channel)]
Offers = dict[Place, Offer]


@pytest.fixture(scope="module")
async def offers() -> AsyncIterator[Offers]:
    """Offer every place the tools that ship."""
    store, clock = MemoryStore(), StoppedClock()
    documents = {place.business_id: place.document() for place in PLACES}
    await store.commit([Set(PATHS.within(id).business, data) for id, data in documents.items()])
    definitions = Definitions(store, PATHS, built(), clock)
    catalog = Catalog(store, PATHS, definitions, SessionLocks(store, PATHS, definitions, clock), clock)
    yield {
        place: await catalog.get_tool_definitions(place.business_id, Options(place.channel, is_verified=True))
        for place in PLACES
    }


def ways_in(said: str, language: str) -> set[str]:
    """Return what a sentence for the caller offers to do."""
    words = WORDS.get(language, WORDS["en"])
    found = set()
    for text, ways in (
        (words.either, {"message", "transfer"}),
        (words.message, {"message"}),
        (words.transfer, {"transfer"}),
    ):
        if text in said:
            said, found = said.replace(text, ""), found | ways
    return found


@pytest.mark.requirement("000-370")
def test_every_safe_sentence_offers_what_is_offered_and_nothing_else(offers: Offers) -> None:
    """And where nothing can be had it says what is left: the number, the hours, the website, or to come back."""
    for place, language, trouble in itertools.product(PLACES, LANGUAGES, Trouble):
        ways, words = offers[place].ways_out(), WORDS.get(language, WORDS["en"])
        said = safe_sentence(trouble, language, ways, MONDAY)
        assert ways_in(said, language) == place.ways, (place, said)
        is_left = not place.ways and trouble is not Trouble.REFUSED
        assert (NUMBER in said) == (place.number and is_left), (place, said)
        assert (WEBSITE in said) == (place.website and is_left), (place, said)
        assert (words.until.format(words.clock(HOURS_END)) in said) == (place.hours and is_left), (place, said)
        back = {words.call_again, words.come_back}
        assert any(text in said for text in back) == (is_left and not place.number and not place.website), (place, said)
        assert "{" not in said


HOURS_END = datetime(2027, 3, 15, 18).time()


@pytest.mark.requirement("000-370")
def test_what_a_tool_says_when_it_fails_offers_what_is_offered_and_nothing_else(offers: Offers) -> None:
    """In every language that it speaks; and never the very thing that has just failed."""
    ways, told = {"take_message": {"message"}, "transfer_call": {"transfer"}}, 0
    for place, offer in offers.items():
        for tool in offer.tools:
            raw = tool.tool.definition.say
            for language, phrases in tool.definition.say.items():
                for moment, text in phrases.items():
                    assert "{{" not in text
                    marked = MARK in raw[language][moment]
                    told += marked
                    expected = place.ways - ways.get(tool.name, set()) if marked else set()
                    assert ways_in(text, language) == expected, (place, tool.name, text)
                    assert (NUMBER in text) == (marked and not expected and place.number)
    assert told > 1_000


@pytest.mark.requirement("000-370")
def test_a_model_is_told_what_can_be_had_and_by_which_tool(offers: Offers) -> None:
    """Or that nothing can, and what may be said then: no web address aloud where there is another way."""
    for place, offer in offers.items():
        ways = offer.ways_out()
        for text in (ways.rule, ways.after("It failed.", MONDAY)):
            assert ("(take_message)" in text) == ("message" in place.ways)
            assert ("(transfer_call)" in text) == ("transfer" in place.ways)
            assert ("take no message and put nobody through" in text) == (not place.ways)
        assert (NUMBER in ways.rule) == place.number
        has_other_way = bool(place.ways) or place.number
        assert (WEBSITE in ways.rule) == (place.website and not (place.channel.is_spoken and has_other_way))
        assert (NUMBER in ways.after("It failed.", MONDAY)) == (place.number and not place.ways)
        assert ("opening hours" in ways.rule) == (place.number and place.hours)


@each(
    "at, said",
    [
        ("2027-03-15T08:59", "We open today at 9 AM."),
        ("2027-03-15T09:00", "We are open until 6 PM today."),
        ("2027-03-15T18:00", "We open tomorrow at 9 AM."),
        ("2027-03-19T18:00", "We open on Monday at 9 AM."),
    ],
)
def test_opening_times_are_those_of_the_next_days(at, said):
    """In the business's own zone."""
    business = read_business("salon", {"timezone": "America/New_York", "workingHours": HOURS, "phone": NUMBER})
    now = datetime.fromisoformat(at).replace(tzinfo=business.timezone)
    ways = Alternatives.of((), business, Channel.PORTAL)
    assert ways.said("en-GB", now) == f"You can reach us at {NUMBER}. {said}"
    assert ways.said("en") == f"You can reach us at {NUMBER}."


@each("hours", [{}, {"monday": "closed"}, {day: [{"open": "00:00", "close": "24:00"}] for day in HOURS}])
def test_hours_that_say_nothing_are_not_said(hours):
    """None at all, never open, or open round the clock."""
    business = read_business("salon", {"workingHours": hours, "phone": NUMBER})
    assert Alternatives.of((), business, Channel.PORTAL).said("en", MONDAY) == f"You can reach us at {NUMBER}."


@each(
    "phone, twilio, channel, named",
    [
        ("+15185550142", "+15185550100", Channel.PHONE, "+1 518-555-0142"),
        ("+15185550100", "+15185550100", Channel.PHONE, ""),
        ("(518) 555-0142", "", Channel.PHONE, "(518) 555-0142"),
        ("", "+15185550100", Channel.PHONE, ""),
        ("", "+15185550100", Channel.PORTAL, "+1 518-555-0100"),
        ("+493023125410", "+493023125400", Channel.BROWSER_VOICE, "+49 30 23125410"),
        ("+99999999", "", Channel.PORTAL, "+99999999"),
    ],
)
def test_the_number_is_one_that_leads_somewhere_else_than_here(phone, twilio, channel, named):
    """Who has called a number is not told to call it; and it is written as people read it."""
    business = read_business("salon", {"phone": phone, "twilioNumber": twilio})
    assert Alternatives.of((), business, channel).number == named


ANYBODY = Door()


@dataclass(frozen=True)
class Leads:
    """A tool that leads to people."""

    name: str
    way: Way | None
    door: Door = ANYBODY


def test_owners_own_transfers_count_and_what_was_tried_does_not():
    """All that lead to people are named; who has just failed is not offered again."""
    tools = [Leads("ring_rosa", Way.TRANSFER), Leads("transfer_call", Way.TRANSFER), Leads("look", None)]
    assert "(ring_rosa or transfer_call)" in Alternatives.of(tools, None, Channel.PHONE).advice
    left = Alternatives.of(tools, None, Channel.PHONE, besides=("transfer_call",))
    assert (left.transfers, left.lead_to_people) == (("ring_rosa",), True)
    assert not Alternatives.of(tools, None, Channel.PHONE, besides=("transfer_call", "ring_rosa")).lead_to_people


def test_what_was_stored_before_offers_no_more_than_what_is_stored_now():
    """Tools' words that were published earlier offered a message everywhere."""
    say = {
        "en": {"failed": "I could not book it. May I take a message so that someone calls you back?"},
        "de": {"failed": "Das ging nicht. Soll ich eine Nachricht aufnehmen?", "running": "Einen Moment."},
    }
    nothing = with_ways(say, Alternatives(Channel.PHONE))
    assert nothing["en"] == {"failed": "I could not book it. Please call again a little later."}
    assert nothing["de"] == {
        "failed": "Das ging nicht. Bitte rufen Sie etwas später noch einmal an.",
        "running": "Einen Moment.",
    }
    offered = with_ways(say, Alternatives(Channel.PHONE, messages=("take_message",)))
    assert offered["en"] == {"failed": "I could not book it. Would you like me to take a message?"}


@each("language", WORDS)
def test_every_language_has_all_words(language):
    """Seven weekdays, today and tomorrow, and times that differ by the minute."""
    words = WORDS[language]
    assert len(set(words.days)) == len(words.days) == 9
    clocks = [words.clock(datetime(2027, 3, 15, hour, minute).time()) for hour in range(24) for minute in (0, 30)]
    assert len(set(clocks)) == 48
    assert all("{" not in text for text in clocks)
    assert len({words.message, words.transfer, words.either}) == 3
