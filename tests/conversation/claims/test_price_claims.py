"""Prices of what was booked, and of what stands on the list, in numerals and in words: another one is held."""

from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from switchboard.contract.business.business import Service
from switchboard.conversation.claims.number_words import sums_said
from switchboard.conversation.session import CallSession
from tests.conversation.claims.guarded import gets_through, guard_of
from tests.conversation.claims.test_claim_words import BUSINESS, DEFINITIONS, ZONE, after, done
from tests.each import each

HOUSE = replace(
    BUSINESS,
    services=(Service("Haircut", 30, "$48"), Service("Color", 90, "from $120"), Service("Beard trim", 15, "$30")),
)
# A Saturday.
HALF_PAST_FIVE = "2026-12-05T17:30:00-05:00"
MONDAY = datetime(2026, 11, 30, 12, 0, tzinfo=ZONE)


def booked(price: str = "$48", **words: Any) -> CallSession:
    tool, receipt, arguments = done("book_appointment", "Haircut", "Greg Hall", HALF_PAST_FIVE, "bk_1")
    found = after((tool, {**receipt, **words}, arguments))
    found.tool_context[tool] = {"booked": True, "service": "Haircut", "startTime": HALF_PAST_FIVE, "price": price}
    return found


def is_said(sentence: str, known: CallSession) -> bool:
    return gets_through(guard_of(known, HOUSE, MONDAY, DEFINITIONS), sentence)


@each(
    "sentence",
    [
        "You're booked for Saturday at 5:30 PM, $30.",
        "That's $30 plus tax.",
        "You're booked for Saturday at five thirty, thirty dollars.",
        "It costs forty-five dollars.",
        "Ihr Termin ist am Samstag um 17:30 Uhr gebucht, dreißig Dollar.",
        "Das macht fünfundvierzig Dollar.",
        "Su cita queda reservada para el sábado a las cinco y media, treinta dólares.",
        "Son cuarenta y cinco dólares.",
        "Votre rendez-vous est réservé samedi à 17h30, trente dollars.",
        "Ça fait quarante-cinq dollars.",
    ],
)
@pytest.mark.requirement("004-1005")
def test_another_price_of_what_was_booked_is_held(sentence: str) -> None:
    """The receipt says what it is."""
    assert not is_said(sentence, booked())


@each(
    "sentence",
    [
        "You're booked for Saturday at 5:30 PM, $48.",
        "That's $48 plus tax.",
        "You're booked for Saturday at five thirty, forty-eight dollars.",
        "Das macht achtundvierzig Dollar.",
        "Son cuarenta y ocho dólares.",
        "Ça fait quarante-huit dollars.",
        "You're booked for Saturday at 5:30 PM; there's a $20 deposit.",
        "If you cancel late, it's $24.",
        "That's $60 with the tip.",
        "A color is from $120 and a beard trim is $30.",
    ],
)
@pytest.mark.requirement("004-1005")
def test_the_price_and_other_sums_are_said(sentence: str) -> None:
    """A deposit, a tip, half of it, and what something else costs."""
    assert is_said(sentence, booked())


@pytest.mark.requirement("004-1005")
def test_what_is_no_one_price_is_held_against_nobody() -> None:
    """One that begins somewhere, one for each of several, and one that nobody has said."""
    assert is_said("That's $55.", booked("from $48"))
    assert is_said("That's $55.", booked("$48+"))
    assert is_said("That's $96.", booked(partySize=2))
    assert is_said("That's $55.", after())


@pytest.mark.requirement("004-1005")
def test_a_service_costs_what_the_list_says() -> None:
    """Another service's price is not its own; one that begins somewhere is not held against anybody."""
    for sentence in ("A haircut is $30.", "A haircut costs forty-one dollars.", "The haircut is $41 plus tax."):
        assert not is_said(sentence, after()), sentence
    for sentence in (
        "A haircut is $48.",
        "A haircut is forty-eight dollars.",
        "A color is $150.",
        "A haircut is $20 off.",
    ):
        assert is_said(sentence, after()), sentence


@pytest.mark.requirement("004-1005")
def test_thousands_that_are_told_in_hundreds_are_held_against_the_price() -> None:
    """ "Twenty-five hundred" is no five hundred."""
    assert is_said("That's twenty-five hundred dollars.", booked("$2,500"))
    assert is_said("That's fifteen hundred dollars.", booked("$1,500"))
    assert not is_said("That's twenty-five hundred dollars.", booked("$500"))
    assert not is_said("That's twenty-five hundred dollars.", booked("$2,600"))


@each(
    ("text", "sums"),
    [
        ("thirty dollars", [30]),
        ("a hundred and twenty-five euros", [125]),
        ("hundertzwanzig Euro", [120]),
        ("zweihundertfünfunddreißig Euro", [235]),
        ("ciento veinte dólares", [120]),
        ("sesenta y cinco euros", [65]),
        ("soixante-quinze euros", [75]),
        ("quatre-vingt-dix euros", [90]),
        ("twenty-five hundred dollars", [2500]),
        ("it is twenty-five hundred and fifty-five dollars", [2555]),
        ("fifteen hundred dollars", [1500]),
        ("dix-huit cent cinquante euros", [1850]),
        ("deux cents euros", []),
        ("thirty dollars and fifty cents", [None]),
        ("two thousand thirty dollars", [None]),
        ("30 dollars", []),
        ("some dollars", []),
    ],
)
def test_sums_in_words_are_read_whole_or_not_at_all(text: str, sums: list[int | None]) -> None:
    """With hundreds, and without what goes on before or behind them."""
    assert sums_said(text) == sums
