"""A yes may say again how many come, or what else the question counts; another number is no yes."""

from datetime import datetime
from typing import Any

import pytest

from switchboard.pipeline.confirmation.assent import answer_to
from switchboard.pipeline.confirmation.prompt import read_back
from tests.desk.front_desk import NOW, salon
from tests.tools.guide_house import REGISTRY

pytestmark = pytest.mark.requirement("004-1704")
LANGUAGES = ("en", "de", "es", "fr", "it", "pt", "nl")
# To a question for five people at ten.
AGREED = {
    "en": [
        "Yes, five people.",
        "Yes, five of us.",
        "Yes, the five of us, at ten.",
        "Yes, we're five.",
        "Yes, for 5 people",
        "Yeah, a party of five",
        "Yes, at ten, five people.",
    ],
    "de": ["Ja, zu fünft.", "Ja genau, wir sind zu fünft.", "Ja, fünf Personen um zehn.", "Ja, für fünf Leute"],
    "es": ["Sí, cinco personas.", "Sí, somos cinco.", "Sí, a las diez.", "Sí, para cinco personas a las diez."],
    "fr": ["Oui, cinq personnes.", "Oui, on est cinq.", "Oui, à dix heures.", "Oui, nous serons cinq."],
    "it": ["Sì, cinque persone.", "Sì, siamo in cinque.", "Sì, alle dieci."],
    "pt": ["Sim, cinco pessoas.", "Sim, somos cinco.", "Sim, às dez."],
    "nl": ["Ja, vijf personen.", "Ja, met z'n vijven.", "Ja, om tien uur.", "Ja, we zijn met vijf."],
}
OTHER = {
    "en": [
        "Yes, six people.",
        "Yes, ten people.",
        "Yes, at five.",
        "Yes, for five.",
        "Yes, five.",
        "Yes, ten of us.",
        "Yes, five people at eleven.",
        "Yes, five more people.",
        "Yes, five people less.",
        "Yes, people.",
        "Yes, five people and a dog.",
        "Yes, five or six people.",
        "Yes, we're five thirty.",
        "Five people?",
        "So we are five",
    ],
    "de": [
        "Ja, zu sechst.",
        "Ja, zehn Personen.",
        "Ja, um fünf.",
        "Ja, für fünf.",
        "Ja, wir sind jetzt sechs.",
        "Ja, zu fünft um elf.",
    ],
    "es": ["Sí, seis personas.", "Sí, diez personas.", "Sí, a las cinco.", "Sí, somos diez.", "Sí, a las once."],
    "fr": [
        "Oui, six personnes.",
        "Oui, dix personnes.",
        "Oui, à cinq heures.",
        "Oui, on est dix.",
        "Oui, à onze heures.",
    ],
    "it": ["Sì, sei persone.", "Sì, dieci persone.", "Sì, alle cinque.", "Sì, siamo in dieci."],
    "pt": ["Sim, seis pessoas.", "Sim, dez pessoas.", "Sim, às cinco.", "Sim, somos dez."],
    "nl": ["Ja, zes personen.", "Ja, tien personen.", "Ja, om vijf uur.", "Ja, met z'n zessen."],
}


def question(language: str, tool: str = "book_appointment", **facts: Any) -> tuple[str, list[str]]:
    """Return what is asked before somebody is booked at ten, and what it is about."""
    own = salon(services=[{"name": "Table", "durationMinutes": 30}], ai={"language": language})
    ten = datetime(2027, 3, 19, 10, tzinfo=own.timezone)
    told = {"service": "Table", "customer_name": "Anna Whitfield", "start_time": ten} | facts
    definition = REGISTRY.tools[tool].definition
    return read_back(definition, told, own, NOW), [deed.value for deed in definition.deeds]


@pytest.mark.parametrize("asked_in", ["en", "own"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_yes_may_say_again_how_many_come(language: str, asked_in: str) -> None:
    """Of a question in the caller's language, or in English."""
    asked_in = language if asked_in == "own" else asked_in
    words, deeds = question(asked_in, party=5)
    assert {said: answer_to(said, asked_in, words, deeds) for said in AGREED[language]} == dict.fromkeys(
        AGREED[language], "yes"
    )


@pytest.mark.parametrize("asked_in", LANGUAGES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_another_number_is_no_yes(language: str, asked_in: str) -> None:
    """Though it be the hour's; and a number alone may be an hour."""
    words, deeds = question(asked_in, party=5)
    assert [said for said in OTHER[language] if answer_to(said, asked_in, words, deeds) == "yes"] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_who_comes_is_told_by_a_question_that_says_so_only(language: str) -> None:
    """Of one that names nobody's number, no number is a yes."""
    words, deeds = question(language)
    counted = [
        said for said in AGREED[language] if any(five in said.casefold() for five in ("5", "five", "fünf", "zu "))
    ]
    assert [said for said in counted if answer_to(said, language, words, deeds) == "yes"] == []


@pytest.mark.parametrize(
    ("words", "said", "reply"),
    [
        ("Book Massage 60 minutes on Friday at 10:00?", "Yes, sixty minutes", "unclear"),
        ("Book 2 nights from Friday at 10:00?", "Yes, two nights", "yes"),
        ("Book 2 nights from Friday at 10:00?", "Yes, ten nights", "unclear"),
        ("Book 2 nights from Friday at 10:00?", "Yes, nights", "unclear"),
        ("Book Table for 2 people for 5 people on Friday at 10:00?", "Yes, two people", "unclear"),
        ("Book Table for 2 people for 5 people on Friday at 10:00?", "Yes, five people", "unclear"),
        ("Book a class for 1 person on Friday at 10:00?", "Yes, one person", "yes"),
        ("Book a class for 2 people on Friday at 10:00?", "Sim, dois", "unclear"),
        ("Book a class for 2 people on Friday at 10:00?", "Sim, somos dois", "yes"),
    ],
)
def test_whatever_is_counted_is_named_by_its_own_number(words: str, said: str, reply: str) -> None:
    """Nothing is, that the question counts in two ways."""
    assert answer_to(said, "en", words, ["booked"]) == reply


def test_a_move_for_more_people_is_agreed_to_by_their_number() -> None:
    """The new one."""
    own = salon(ai={"language": "en"})
    ten = datetime(2027, 3, 19, 10, tzinfo=own.timezone)
    words, deeds = question("en", "reschedule_appointment", same_time=ten, new_party=6, start_time=None)
    assert "6 people" in words
    replies = {
        said: answer_to(said, "en", words, deeds) for said in ("Yes, six people", "Yes, five people", "Yes, we're 6")
    }
    assert replies == {"Yes, six people": "yes", "Yes, five people": "unclear", "Yes, we're 6": "yes"}


@pytest.mark.requirement("004-2414")
@pytest.mark.parametrize(
    ("service", "said", "reply"),
    [
        ("Level 2 facial", "Yes, the facial", "yes"),
        ("Level 2 facial", "Yes, a facial please", "yes"),
        ("Level 2 facial", "Yes, the level two facial", "yes"),
        ("Level 2 facial", "Yes, the level 3 facial", "unclear"),
        ("Level 2 facial", "Yes, two o'clock, the facial", "unclear"),
        ("Haircut and beard", "Yes, the haircut and beard", "yes"),
        ("Haircut and beard", "Yes, the beard and a color", "unclear"),
        ("Haircut and beard", "Yes, and Friday too", "unclear"),
    ],
)
def test_a_number_within_a_name_counts_nothing(service: str, said: str, reply: str) -> None:
    """What is left of the name is enough, and what an "and" joins is said as it is."""
    asked = f"I would now book {service} on Tuesday, March 16 at 10:00 AM, for Anna. Shall I go ahead?"
    assert answer_to(said, "en", asked, ["booked"]) == reply


@pytest.mark.requirement("004-2414")
def test_a_number_within_a_german_name_counts_nothing() -> None:
    asked = "Ich würde jetzt Stufe 2 Gesichtsbehandlung am Dienstag, 16. März um 10:00 Uhr buchen. Soll ich das machen?"
    assert answer_to("Ja, die Gesichtsbehandlung", "de", asked, ["booked"]) == "yes"
    people = "Ich würde jetzt Kurs für 2 Personen am Dienstag, 16. März um 10:00 Uhr buchen. Soll ich das machen?"
    assert answer_to("Ja, zehn Personen", "de", people, ["booked"]) == "unclear"
