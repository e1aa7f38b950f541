"""Where a model insists on what is not so, the caller hears what is, or that nobody is sure of just that."""

from datetime import time

import pytest

from switchboard.contract.business.working_hours import Opening
from switchboard.conversation.claims.guard import ClaimGuards
from switchboard.conversation.guard import HeldFact, HeldSubject
from switchboard.conversation.speech.fact_words import TABLES, known_words, unsure_words
from switchboard.conversation.speech.house_phrases import safe_sentence
from tests.conversation.claims.guarded import guard_of, held_by
from tests.conversation.claims.told_salon import NOW, SALON, asked
from tests.conversation.conftest import Talk, answer
from tests.conversation.scripted import says
from tests.conversation.test_turn import outcome, spoken
from tests.desk.front_desk import StoppedClock
from tests.each import each

LANGUAGES = ("en", "de", "es", "fr", "it", "pt", "nl")
HELD = [
    ("Yes, we are open on Mondays.", HeldFact(HeldSubject.HOURS, closed=0)),
    ("Tomorrow we are open until 10 PM.", HeldFact(HeldSubject.HOURS, openings=(Opening(time(9), time(18)),))),
    ("A haircut is forty dollars.", HeldFact(HeldSubject.PRICE, service="Haircut", price="$48")),
    ("We take a deposit of fifty dollars.", HeldFact(HeldSubject.PRICE)),
    ("Friday at two thirty is free.", HeldFact(HeldSubject.FREE)),
    ("I'll call you back in ten minutes.", HeldFact(HeldSubject.PROMISE)),
    ("You're booked for Friday at ten.", None),
]


def fact_of(sentence: str) -> HeldFact | None:
    return held_by(guard_of(asked(), SALON, NOW, ()), sentence).fact


@each(("sentence", "fact"), HELD)
@pytest.mark.requirement("004-2467")
def test_what_is_held_is_held_with_what_is_known_of_it(sentence: str, fact: HeldFact | None) -> None:
    assert fact_of(sentence) == fact


@pytest.mark.requirement("004-2467")
def test_no_table_of_the_house_lacks_a_language_or_a_subject() -> None:
    for table in TABLES:
        assert set(table) == set(LANGUAGES)
    told = {unsure_words(HeldFact(subject), language) for subject in HeldSubject for language in LANGUAGES}
    assert len(told) == len(HeldSubject) * len(LANGUAGES)


@each("language", LANGUAGES)
@pytest.mark.requirement("004-2467")
def test_what_is_known_is_told_in_each_language(language: str) -> None:
    """The day, both ends of each stretch, and the service with its price as the business words them."""
    days = {known_words(HeldFact(HeldSubject.HOURS, closed=day), language) for day in range(7)}
    assert len(days) == 7
    stretches = (Opening(time(9), time(12, 30)), Opening(time(13, 30), time.max))
    told = known_words(HeldFact(HeldSubject.HOURS, openings=stretches), language)
    assert all(clock in told for clock in ("9:00", "12:30", "13:30", "24:00"))
    assert known_words(HeldFact(HeldSubject.PRICE, service="Haircut", price="$48"), language) == "Haircut: $48."
    assert known_words(HeldFact(HeldSubject.PRICE), language) == ""


@each("language", LANGUAGES)
@pytest.mark.requirement("004-2467")
async def test_a_model_that_insists_is_not_taken_for_one_that_lied_about_a_deed(talk: Talk, language: str) -> None:
    lie = "I'll call you back in ten minutes."
    conversation = talk(says(lie), says(lie), language=language, guard=ClaimGuards(StoppedClock()))
    heard = await answer(conversation)
    ways = conversation.session.ways_out
    assert spoken(heard) == safe_sentence(HeldFact(HeldSubject.PROMISE), language, ways)
    assert outcome(heard).value == "failed"


@pytest.mark.requirement("004-2467")
def test_a_price_that_begins_somewhere_is_told_as_the_list_words_it() -> None:
    assert fact_of("A color is ninety dollars.") == HeldFact(HeldSubject.PRICE, service="Color", price="from $135")


@each(
    "lie",
    ["The cancellation fee is one hundred dollars.", "A haircut costs twice that.", "The owner said yes to that."],
)
@pytest.mark.requirement("004-2467")
async def test_what_was_held_is_no_truer_when_it_is_said_again(talk: Talk, lie: str) -> None:
    """The note that tells a model why it was held quotes it."""
    conversation = talk(says(lie), says(lie), guard=ClaimGuards(StoppedClock()))
    assert lie not in spoken(await answer(conversation))
