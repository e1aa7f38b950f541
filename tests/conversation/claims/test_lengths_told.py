"""How long an appointment takes, in callers' own words: an hour and its minutes are one length."""

from dataclasses import replace

import pytest

from switchboard.contract.business.business import Service
from switchboard.conversation.claims.statements.lengths import lengths_said
from switchboard.conversation.session import CallSession
from tests.conversation.claims.test_claim_words import done
from tests.conversation.claims.told_salon import SALON, WEDNESDAY_FOUR, asked, heard, is_said
from tests.each import each

HALF_PAST_FIVE = "2026-12-09T17:30:00-05:00"
LENGTHS = {
    "one hour and thirty minutes": 90,
    "an hour and a half": 90,
    "one and a half hours": 90,
    "1 hour and 30 minutes": 90,
    "1 hr 30 min": 90,
    "1.5 hours": 90,
    "a hundred and twenty minutes": 120,
    "forty five minutes": 45,
    "half an hour": 30,
    "eine Stunde dreißig": 90,
    "eine Stunde und dreißig Minuten": 90,
    "anderthalb Stunden": 90,
    "eine Dreiviertelstunde": 45,
    "une heure trente": 90,
    "1 heure 30": 90,
    "une heure et demie": 90,
    "une heure et quart": 75,
    "quatre-vingt-dix minutes": 90,
    "una hora y media": 90,
    "hora y media": 90,
    "una hora y treinta minutos": 90,
    "cuarenta y cinco minutos": 45,
    "un'ora e mezza": 90,
    "un'ora e trenta minuti": 90,
    "uma hora e meia": 90,
    "uma hora e trinta minutos": 90,
    "anderhalf uur": 90,
    "een uur en dertig minuten": 90,
    "een en een half uur": 90,
    "drie kwartier": 45,
}
OF_NINETY = [
    "The appointment takes one hour and thirty minutes.",
    "The appointment takes 1 hour and 30 minutes.",
    "You're booked for Wednesday the ninth at four, for an hour and thirty minutes.",
    "Der Termin dauert eine Stunde und dreißig Minuten.",
    "Der Termin dauert eine Stunde dreißig.",
    "Votre rendez-vous dure une heure trente.",
    "Votre rendez-vous dure 1 heure 30.",
    "La cita dura una hora y media.",
    "La cita dura una hora y treinta minutos.",
    "L'appuntamento dura un'ora e trenta minuti.",
    "A consulta dura uma hora e trinta minutos.",
    "De afspraak duurt een uur en dertig minuten.",
]
OF_ANOTHER = [
    "The appointment takes one hour and fifteen minutes.",
    "The appointment takes an hour.",
    "Der Termin dauert eine Stunde fünfzehn.",
    "Votre rendez-vous dure une heure quinze.",
    "La cita dura dos horas y media.",
    "De afspraak duurt een half uur.",
]


def booked_for_ninety() -> CallSession:
    tool, receipt, arguments = done("book_appointment", "Color", "Ana Rivas", WEDNESDAY_FOUR, "bk_1")
    data = {"booked": True, "bookingId": "bk_1", "service": "Color", "startTime": WEDNESDAY_FOUR}
    data |= {"endTime": HALF_PAST_FIVE}
    meta = {"receipt": {**receipt, "with": "Rosa"}}
    return heard("A color with Rosa on Wednesday the ninth at four, please.", (tool, arguments, data, meta))


@each("words", list(LENGTHS))
@pytest.mark.requirement("004-1602")
def test_a_length_is_read_whole(words: str) -> None:
    assert [one.minutes for one in lengths_said(f"It takes {words}.")] == [LENGTHS[words]]


@each("words", ["thirty to sixty minutes", "30-60 minutes", "an hour and costs $135", "per hour"])
@pytest.mark.requirement("004-1602")
def test_what_is_not_read_whole_is_no_certain_length(words: str) -> None:
    assert [one.minutes for one in lengths_said(f"It takes {words}.")] in ([], [None])


@each("sentence", OF_NINETY)
@pytest.mark.requirement("004-1602")
def test_an_hour_and_a_half_is_said_of_what_takes_as_long(sentence: str) -> None:
    assert is_said(sentence, booked_for_ninety())


@each("sentence", OF_ANOTHER)
@pytest.mark.requirement("004-1602")
def test_another_length_than_was_booked_is_held(sentence: str) -> None:
    assert not is_said(sentence, booked_for_ninety())


@pytest.mark.requirement("004-1602")
def test_the_length_of_a_listed_service_is_said_in_hours_and_minutes() -> None:
    longer = replace(SALON, services=(Service("Color", 75, "from $135"),))
    assert is_said("The color takes 1 hour and 30 minutes.", asked())
    assert is_said("Color dauert eine Stunde dreißig.", asked())
    assert is_said("The color takes an hour and a quarter.", asked(), longer)
    assert not is_said("The color takes 1 hour and 30 minutes.", asked(), longer)
