"""Hours as English and German speakers tell them: by what is past, or still to come, and bare behind a day."""

from typing import Any

import pytest

from switchboard.conversation.claims.entities import mentions
from switchboard.conversation.guard import Unfounded
from tests.conversation.claims.test_claim_words import NOW, after, done, say
from tests.each import each

THREE = done("book_appointment", "Haircut", "Anna Whitfield", "2027-03-16T15:00:00-04:00", "bk_1")
TEN_TO_FOUR = done("book_appointment", "Haircut", "Anna Whitfield", "2027-03-16T15:50:00-04:00", "bk_1")
HALF_THREE = done("book_appointment", "Haircut", "Anna Whitfield", "2027-03-16T15:30:00-04:00", "bk_1")


@each(
    ("text", "clock"),
    [
        ("half three", {210, 930}),
        ("at half past three", {210, 930}),
        ("halb drei", {150, 870}),
        ("Viertel vor vier", {225, 945}),
        ("twenty past three", {200, 920}),
        ("twenty-five to four pm", {935}),
        ("twenty to four", {220, 940}),
        ("five minutes past four", {245, 965}),
        ("zehn nach drei", {190, 910}),
        ("fünf vor halb drei", {145, 865}),
        ("Tuesday, three", {180, 900}),
        ("morgen, drei", {180, 900}),
        ("at midday", {0, 720}),
    ],
)
def test_an_hour_is_read_as_it_is_told(text: str, clock: set[int]) -> None:
    """In minutes after midnight; without a part of the day a time may mean either."""
    assert mentions(text, NOW).clocks == (frozenset(clock),)


@each(
    "text",
    [
        "half an hour",
        "half of it",
        "five to ten minutes",
        "ten to twelve people",
        "Tuesday, one of us will be there",
        "tomorrow one more time",
        "zehn Minuten vor dem Termin",
    ],
)
def test_what_counts_anything_else_is_no_hour(text: str) -> None:
    assert not mentions(text, NOW).clocks


@each(
    ("sentence", "happened"),
    [
        ("It's booked, three.", THREE),
        ("It's booked for Tuesday, three.", THREE),
        ("It's booked, half three.", HALF_THREE),
        ("You're booked for half past three.", HALF_THREE),
        ("You're booked for ten to four on Tuesday.", TEN_TO_FOUR),
        ("It's booked for ten minutes to four.", TEN_TO_FOUR),
        ("Sie sind für zehn vor vier eingetragen.", TEN_TO_FOUR),
        ("You're booked for three; it takes five to ten minutes.", THREE),
    ],
)
@pytest.mark.requirement("000-380")
def test_the_hour_that_was_booked_is_said(sentence: str, happened: Any) -> None:
    assert say(sentence, after(happened)).strip() == sentence


@each(
    ("sentence", "happened"),
    [
        ("It's booked, half three.", THREE),
        ("It's booked, four.", THREE),
        ("It's booked for Tuesday, four.", THREE),
        ("You're booked for twenty past three.", THREE),
        ("You're booked for half four on Tuesday.", HALF_THREE),
        ("You're booked for ten to three on Tuesday.", TEN_TO_FOUR),
        ("Sie sind für zwanzig nach drei eingetragen.", THREE),
    ],
)
@pytest.mark.requirement("000-380")
def test_another_hour_is_held(sentence: str, happened: Any) -> None:
    with pytest.raises(Unfounded):
        say(sentence, after(happened))
