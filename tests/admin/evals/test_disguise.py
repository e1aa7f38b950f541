"""Everybody in a conversation becomes one made-up person, however they are written."""

from datetime import date

import phonenumbers
import pytest

from switchboard.admin.evals import made_up
from switchboard.admin.evals.disguise import Disguise
from tests.each import each

BUSINESS = {
    "name": "Linden Street Hair",
    "phone": "+15185550100",
    "email": "hello@salon.example",
    "services": [{"name": "Color"}],
    "resources": [{"name": "Maya"}],
}


def _disguise() -> Disguise:
    disguise = Disguise(BUSINESS, "US")
    for name in ("Grace Müller-Okafor", "Maya Santos", "José Ruiz"):
        disguise.note_name(name)
    for number in ("518-555-0163", "+49 151 23456789"):
        disguise.note_number(number)
    disguise.note_mail("grace.okafor@post.example")
    disguise.note_birth(date(1991, 7, 9))
    return disguise


@each(
    "written",
    [
        "This is Grace Müller-Okafor.",
        "GRACE MUELLER OKAFOR",
        "grace müller okafor",
        "Grace's appointment, for Ms. Okafor",
        "Jose Ruiz and JOSÉ RUIZ",
        "Frau Müllers Termin",
        "maya santos",
    ],
)
@pytest.mark.requirement("004-701")
def test_a_name_is_replaced_in_every_spelling(written: str) -> None:
    """In capitals, in small letters, without accents, with ue for ü, and with an s behind it."""
    replaced = _disguise().of(written).casefold()
    for trace in ("grace", "müller", "mueller", "okafor", "ruiz", "jos", "santos"):
        assert trace not in replaced, replaced


@pytest.mark.requirement("004-701")
def test_the_same_person_is_the_same_everywhere() -> None:
    """By name, by a part of it, and in the address."""
    disguise = _disguise()
    first, *_, last = disguise.of("Grace Müller Okafor").split()
    assert disguise.of("Okafor, Grace") == f"{last}, {first}"
    assert disguise.of("grace.okafor@post.example") == f"{first}.{last}@mail.example".casefold()
    assert disguise.of("grace dot okafor at post dot example") == f"{first} dot {last} at mail dot example".casefold()


@each(
    ("written", "expected"),
    [
        ("518-555-0163", "202-555-0199"),
        ("(518) 555 0163", "(202) 555 0199"),
        ("+15185550163", "+12025550199"),
        ("five one eight, five five five, oh one six three", "two zero two, five five five, zero one nine nine"),
        ("the number ending in 0163", "the number ending in 0199"),
        ("0151 23456789", "0171 39200099"),
        ("+49 151 234 567 89", "+49 171 392 000 99"),
    ],
)
@pytest.mark.requirement("004-701")
def test_a_number_is_replaced_in_the_form_in_which_it_stands(written: str, expected: str) -> None:
    """Where the other one has as many figures."""
    assert _disguise().of(written) == expected


@pytest.mark.requirement("004-701")
def test_a_birthday_is_replaced_as_it_is_said() -> None:
    """In figures and with the month's name."""
    disguise = _disguise()
    said = "July 9th, 1991; 9. Juli 1991; 09.07.1991; 7/9/1991; 1991-07-09"
    assert disguise.of(said) == "January 5, 1970; 5. Januar 1970; 5.1.1970; 1/5/1970; 1970-01-05"


@each(
    "written",
    [
        "Color with Maya at Linden Street Hair",
        "call 518-555-0100 or write to hello@salon.example",
        "2026-12-04T14:00:00-05:00",
        "bk_p8d61gsr23kp0g68r3vd",
    ],
)
@pytest.mark.requirement("004-701")
def test_what_means_something_in_the_business_stays(written: str) -> None:
    """Its people, what it offers, and its own numbers; times and ids are nobody's."""
    assert _disguise().of(written) == written


@pytest.mark.requirement("004-701")
def test_who_introduces_themselves_is_noted() -> None:
    """Also where no tool was told the name; words that are no names stay as they are."""
    disguise = Disguise(BUSINESS, "US")
    said = "Hi, my name is Will Smith, you will reach me at 518-555-0177 or will@smith.example. This is Color, right?"
    disguise.note_text(said)
    replaced = disguise.of(said)
    assert "Smith" not in replaced and "0177" not in replaced and "smith" not in replaced
    assert "you will reach me" in replaced and "This is Color" in replaced


@each("like", ["+15185550163", "+4915123456789", "+493023125761", "+447911123456", "+33612345678", "+41791234567"])
@pytest.mark.requirement("004-701")
def test_a_made_up_number_is_of_the_same_kind(like: str) -> None:
    """A text still goes to a mobile one; no two are the same."""
    first = made_up.phone_number(like, {like})
    second = made_up.phone_number(like, {like, first})
    assert len({like, first, second}) == 3
    kinds = {phonenumbers.number_type(phonenumbers.parse(number)) for number in (like, first, second)}
    assert len(kinds) == 1


@each(
    ("said", "traces"),
    [
        ("My number is five one eight, double five five, oh one double seven.", ["double", "eight"]),
        ("Call my wife Annegret on oh five one eight triple five twenty-two eleven.", ["annegret", "triple", "eleven"]),
        (
            "Meine Frau Annegret hat null eins fünf eins doppel drei zweiundzwanzig neun.",
            ["annegret", "doppel", "neun"],
        ),
        ("The code is four eight one five one six. 481516", ["four", "481516"]),
        ("Card 4111 1111 1111 1111, IBAN DE89 3704 0044 0532 0130 00, policy A123456", ["4111", "3704", "3456"]),
        ("I was born on the third of May nineteen eighty-four, 05/03/1984, 3.5.84", ["eighty", "third", "1984", "84"]),
        ("Am 3. Mai 1984, also 03.05.1984", ["1984"]),
    ],
)
@pytest.mark.requirement("004-701")
def test_what_was_only_said_is_noted_in_every_way_of_saying_it(said: str, traces: list[str]) -> None:
    """Doubled digits, pairs, codes, cards, accounts, relatives and birthdays, whether or not a tool knows."""
    disguise = Disguise(BUSINESS, "US")
    disguise.note_text(said)
    disguise.note_births(said, date(2024, 1, 1))
    replaced = disguise.of(said).casefold()
    assert not [trace for trace in traces if trace in replaced], replaced


@each("written", ["J-Ü-R-G-E-N M-Ü-L-L-E-R", "m u e l l e r", "Muller without the dots", "jurgen"])
@pytest.mark.requirement("004-701")
def test_a_name_that_is_spelled_or_has_lost_its_dots_is_replaced(written: str) -> None:
    """As people spell names to a receptionist, and as their keyboards write them."""
    disguise = Disguise(BUSINESS, "US")
    disguise.note_name("Jürgen Müller")
    replaced = disguise.of(written).casefold().replace("-", "").replace(" ", "")
    assert not [trace for trace in ("jürgen", "jurgen", "müller", "mueller", "muller") if trace in replaced], replaced


@each(
    "said",
    [
        "On Tuesday at four thirty, or December eight, twenty twenty-six at two thirty",
        "2026-12-08 at 14:00, or 8.12.2026, for $150000",
        "Call 518-555-0100, that is five one eight, five five five, zero one zero zero",
        "Two haircuts, one for me and one for my wife",
    ],
)
@pytest.mark.requirement("004-701")
def test_days_times_amounts_and_the_business_own_number_are_nobodys(said: str) -> None:
    """Also where they are said in words."""
    disguise = Disguise(BUSINESS, "US")
    disguise.note_text(said)
    disguise.note_births(said, date(2024, 1, 1))
    assert disguise.of(said) == said
