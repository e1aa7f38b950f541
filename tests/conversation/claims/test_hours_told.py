"""Hours of a house: only those at which it opens or closes on the day that is meant, or that were told elsewhere."""

from dataclasses import replace
from datetime import date, time

import pytest

from switchboard.contract.business.working_hours import Opening
from tests.conversation.claims.told_salon import OPEN, SALON, asked, is_said, knows
from tests.each import each

EVE = date(2026, 12, 24)
HOUSE = replace(SALON, working_hours=replace(OPEN, exceptions={EVE: (Opening(time(9), time(13)),)}))

AS_ENTERED = [
    "We're open from nine to six, Tuesday to Saturday.",
    "Tomorrow we are open until 6 PM.",
    "On Tuesdays we close at 6 PM.",
    "Yes, we are open at two on Thursday.",
    "On December 24th we are open until one.",
    "On Christmas Eve we close at one.",
    "I'm not sure whether we close at eight.",
    "We're open until six, so Thursday at three would be possible.",
    "Our last appointment is at five, and we close at six.",
    "Dienstags schließen wir um achtzehn Uhr.",
    "Wir öffnen um neun Uhr und schließen um achtzehn Uhr.",
    "Los martes cerramos a las seis de la tarde.",
    "Abrimos de nueve a seis de martes a sábado.",
    "Le mardi, nous fermons à dix-huit heures.",
    "Nous sommes ouverts de neuf heures à dix-huit heures.",
    "Domani siamo aperti fino alle sei del pomeriggio.",
    "Às terças fechamos às seis da tarde.",
    "Morgen zijn we open tot zes uur 's avonds.",
]
OTHERWISE = [
    "Tomorrow we are open until 10 PM.",
    "On Tuesdays we close at 8 PM.",
    "We open at seven in the morning.",
    "We're open until ten tonight.",
    "Yes, we are open at eight in the evening on Thursday.",
    "On December 24th we are open until six.",
    "The salon closes at nine o'clock.",
    "Dienstags schließen wir um zwanzig Uhr.",
    "Wir haben morgen bis zweiundzwanzig Uhr offen.",
    "Am 24. Dezember schließen wir um achtzehn Uhr.",
    "Los martes cerramos a las ocho de la noche.",
    "Mañana abrimos hasta las diez de la noche.",
    "Le mardi, nous fermons à vingt heures.",
    "Demain nous sommes ouverts jusqu'à vingt-deux heures.",
    "Domani siamo aperti fino alle dieci di sera.",
    "Chiudiamo alle venti.",
    "Amanhã estamos abertos até às dez da noite.",
    "Morgen zijn we open tot tien uur 's avonds.",
]


@each("sentence", AS_ENTERED)
@pytest.mark.requirement("004-2461")
def test_hours_that_were_entered_are_told(sentence: str) -> None:
    assert is_said(sentence, asked("When are you open?"), HOUSE)


@each("sentence", OTHERWISE)
@pytest.mark.requirement("004-2461")
def test_hours_that_no_day_meant_has_are_held(sentence: str) -> None:
    assert not is_said(sentence, asked("When are you open?"), HOUSE)


@pytest.mark.requirement("004-2461")
def test_hours_that_a_text_of_the_house_tells_are_told() -> None:
    """What was looked up here is the truth, too."""
    late = "On Tuesdays we close at 8 PM."
    assert is_said(late, knows("During the fair we close at 8 PM on Tuesdays."), HOUSE)
    assert not is_said(late, knows("Parking is free until 8 PM."), HOUSE)
