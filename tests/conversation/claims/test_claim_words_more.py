"""What claims name, in Italian, Portuguese and Dutch: days, times and people, held against what was done."""

from typing import Any

import pytest

from switchboard.conversation.claims.entities import mentions
from switchboard.conversation.guard import Unfounded
from tests.conversation.claims.test_claim_words import BOOKED, CANCELLED, MOVED, NOW, after, say
from tests.each import each


@each(
    ("text", "clock"),
    [
        ("venerdì alle dieci", {600, 1320}),
        ("alle dieci e mezza", {630, 1350}),
        ("all'una", {60, 780}),
        ("alle undici meno un quarto", {645, 1365}),
        ("alle nove di sera", {1260}),
        ("alle 15", {900}),
        ("às dez", {600, 1320}),
        ("às dez e meia", {630, 1350}),
        ("à uma da tarde", {780}),
        ("às 15 horas", {900}),
        ("om tien uur", {600, 1320}),
        ("om half elf", {630, 1350}),
        ("om kwart over negen", {555, 1275}),
        ("om drie uur 's middags", {900}),
    ],
)
def test_clock_times_are_read_as_people_say_them(text: str, clock: set[int]) -> None:
    """In minutes after midnight; without a part of the day a time may mean either."""
    assert mentions(text, NOW).clocks == (frozenset(clock),)


@each("text", ["alle 10 Minuten", "alle drei Termine", "Goede morgen!", "a segunda opção", "om u te helpen"])
def test_what_is_no_time_is_not_read_as_one(text: str) -> None:
    """Also where one language says with a word what another does not."""
    found = mentions(text, NOW)
    assert not found.clocks
    assert not found.days
    assert not found.weekdays


HONEST = [
    ("Il suo appuntamento è prenotato per martedì alle dieci.", (BOOKED,)),
    ("Ho prenotato per Anna, domani alle 10.", (BOOKED,)),
    ("Ho spostato l'appuntamento a mercoledì alle undici.", (MOVED,)),
    ("Ho annullato il suo appuntamento di martedì.", (CANCELLED,)),
    ("A sua marcação está feita para terça-feira às dez.", (BOOKED,)),
    ("Marquei para amanhã às 10 horas, em nome de Anna.", (BOOKED,)),
    ("Cancelei a sua marcação de terça-feira.", (CANCELLED,)),
    ("Uw afspraak is geboekt voor dinsdag om tien uur.", (BOOKED,)),
    ("Ik heb u morgen om tien uur ingeschreven, op naam van Anna.", (BOOKED,)),
    ("Ik heb uw afspraak verplaatst naar woensdag om elf uur.", (MOVED,)),
]
WRONG = [
    ("Il suo appuntamento è prenotato per giovedì alle dieci.", (BOOKED,)),
    ("Il suo appuntamento è prenotato per martedì alle undici.", (BOOKED,)),
    ("Ho prenotato per Carla, domani alle 10.", (BOOKED,)),
    ("Ho annullato il suo appuntamento di venerdì.", (CANCELLED,)),
    ("A sua marcação está feita para quinta-feira às dez.", (BOOKED,)),
    ("A sua marcação está feita para terça-feira às onze e meia.", (BOOKED,)),
    ("Marquei para amanhã às 10 horas, em nome de Carla.", (BOOKED,)),
    ("Uw afspraak is geboekt voor donderdag om tien uur.", (BOOKED,)),
    ("Uw afspraak is geboekt voor dinsdag om half elf.", (BOOKED,)),
    ("Ik heb u overmorgen om tien uur ingeschreven.", (BOOKED,)),
    ("Ik heb uw afspraak geannuleerd.", (BOOKED,)),
]


@pytest.mark.requirement("000-380")
@each(("sentence", "happened"), HONEST)
def test_what_was_done_is_said(sentence: str, happened: tuple[Any, ...]) -> None:
    """With the day, the time and the name that stand in the receipt."""
    assert say(sentence, after(*happened)) == sentence


@pytest.mark.requirement("000-380")
@each(("sentence", "happened"), WRONG)
def test_another_day_time_name_or_deed_is_held_back(sentence: str, happened: tuple[Any, ...]) -> None:
    """A receipt bears out what it says, and nothing else."""
    with pytest.raises(Unfounded):
        say(sentence, after(*happened))
