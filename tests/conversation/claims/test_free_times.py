"""What was found free is offered, however its day is written; what was not looked up is not."""

from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from switchboard.contract.business.resources import Resource
from switchboard.contract.call import ToolCall
from switchboard.contract.model import Spoken, ToolMessage
from switchboard.contract.response import ToolResponse
from switchboard.conversation.claims.free_words import without_free
from tests.conversation.claims.guarded import gets_through, guard_of
from tests.conversation.claims.test_claim_words import BUSINESS, DEFINITIONS, ZONE, after
from tests.each import each

HOUSE = replace(BUSINESS, resources=tuple(Resource(name.lower(), name) for name in ("Maja", "Ole", "Marcus", "Rosa")))
MONDAY = datetime(2026, 11, 30, 12, 0, tzinfo=ZONE)
# A Friday.
HALF_PAST_TWO = "2026-12-04T14:30:00-05:00"
ANYBODY: dict[str, Any] = {"freeWith": ["Maja", "Ole", "Marcus", "Rosa"]}
FOUND = {"available": True, "asked": HALF_PAST_TWO, "openTimes": [HALF_PAST_TWO]}


def is_said(sentence: str, **found: Any) -> bool:
    """Tell whether a sentence gets through whole after a look-up that came to this."""
    session = after()
    session.history.add(Spoken("", (ToolCall("check_availability", {}, "c1"),)))
    session.history.add(ToolMessage("c1", "check_availability", ToolResponse(data=found)))
    return gets_through(guard_of(session, HOUSE, MONDAY, DEFINITIONS), sentence)


BY_DATE = [
    "Am Freitag, dem 4. Dezember, um 14:30 Uhr ist Maja frei.",
    "Ja, am 4. Dezember um 14:30 Uhr hat Maja Zeit.",
    "Am Freitag, den 4. Dezember, um halb drei ist bei Maja etwas frei.",
    "Am 4. um 14:30 Uhr ist Maja frei.",
    "Freitag, der 4., um halb drei geht bei Maja.",
    "On December 4, Maja is free at 2:30 PM.",
    "Maja is free on Friday, December 4 and has 2:30 PM open.",
    "El viernes 4, a las 14:30, está libre Maja.",
    "El 4 de diciembre, a las dos y media, Maja está libre.",
    "Le vendredi 4, à 14h30, Maja est libre.",
    "Maja est libre le 4, à 14h30.",
]


@each("sentence", BY_DATE)
@pytest.mark.requirement("004-1000")
def test_who_was_found_free_is_named_with_the_date(sentence: str) -> None:
    """The number of a day is no hour; with anybody, and with the one who was asked for."""
    assert is_said(sentence, **FOUND, **ANYBODY)
    assert is_said(sentence, **FOUND, **{"with": "Maja"})


@each(
    "sentence",
    [
        *(
            sentence.replace("4.", "5.").replace(" 4,", " 5,").replace(" 4 ", " 5 ").replace("Freitag", "Samstag")
            for sentence in BY_DATE
        ),
        "Am 4. Dezember um 15:30 Uhr hat Maja Zeit.",
        "Am Freitag hat Maja 4, 5 oder 6 frei.",
        "Maja has 4 free on Friday.",
        "Le vendredi 4, à 15h30, Maja est libre.",
    ],
)
@pytest.mark.requirement("004-1000")
def test_another_day_or_hour_of_somebody_is_held(sentence: str) -> None:
    """An hour without a word before it is still one."""
    assert not is_said(sentence, **FOUND, **ANYBODY)


OFFERED = [
    "Ja, am Freitag um halb drei haben wir noch einen Termin frei.",
    "Am Freitag um 14:30 Uhr haben wir einen Tisch für fünf Personen frei.",
    "Ja, am Freitag um 14:30 Uhr habe ich einen Tisch für fünf Personen für Sie.",
    "Ja, Herr Brandt, am Freitag um halb drei ist bei Marcus frei.",
    "Ja, am Freitag um halb drei hat Rosa Zeit.",
    "Ja, am Freitag um 14:30 Uhr ist bei Marcus ein Termin frei.",
    "Gern, am 4. Dezember um 14:30 Uhr ist bei Ole noch etwas frei.",
    "Yes, on Friday at 2:30 PM we have a table for five free.",
    "Yes, I have a table for five on Friday at 2:30 PM for you.",
    "Sí, el viernes a las dos y media tenemos una mesa libre para cinco personas.",
    "Sí, el viernes a las 14:30 tengo una mesa para cinco para usted.",
    "Oui, vendredi à 14h30 nous avons une table libre pour cinq personnes.",
    "Oui, vendredi à 14h30 j'ai une table pour cinq personnes pour vous.",
    "Oui, vendredi à quatorze heures trente il reste un créneau avec Rosa.",
]


@each("sentence", OFFERED)
@pytest.mark.requirement("004-1001")
def test_what_was_found_free_is_offered_and_is_no_booking(sentence: str) -> None:
    """With "free" in it or another word that offers, with somebody's name or without."""
    assert is_said(sentence, **FOUND, **ANYBODY)


@each(
    "sentence",
    [
        "Ja, am Freitag um 16:30 Uhr habe ich einen Tisch für fünf Personen für Sie.",
        "Yes, I have a table for five on Friday at 4:30 PM for you.",
        "Ja, am Freitag um halb drei haben Sie bei Marcus einen Termin.",
        "Ihr Termin am Freitag um halb drei ist frei.",
        "Ich habe Ihnen einen Tisch für fünf frei gehalten.",
        "Ihr Tisch für fünf ist am Freitag um 14:30 Uhr für Sie reserviert.",
        "Gebucht, um halb drei ist frei.",
        "Sí, el viernes a las 14:30 tiene reservada una mesa para cinco.",
        "Oui, vendredi à 14h30 votre table pour cinq est réservée.",
    ],
)
@pytest.mark.requirement("004-1001")
def test_what_is_somebodys_own_is_no_offer(sentence: str) -> None:
    """Nor is a time that nobody has found free."""
    assert not is_said(sentence, **FOUND, **ANYBODY)


THREE = "2026-12-04T15:00:00-05:00"
FOUND_AT_THREE = {"available": True, "asked": THREE, "openTimes": [THREE], **ANYBODY}


@each(
    "sentence",
    [
        "Tiene cita el viernes a las tres.",
        "Tiene una mesa el viernes a las tres.",
        "La cita queda el viernes a las tres.",
        "La mesa está para el viernes a las tres.",
        "Queda la mesa para cinco el viernes a las tres.",
        "El turno queda para el viernes a las tres.",
        "Tenemos la cita el viernes a las tres.",
        "The appointment is on Friday at 3 PM.",
        "Appointment is on Friday at 3 PM.",
        "Your appointment is Friday at three.",
        "It's a table for five on Friday at 3 PM.",
        "We have the appointment on Friday at 3 PM.",
        "The slot is on Friday at 3 PM.",
        "Le rendez-vous est vendredi à quinze heures.",
        "La table est vendredi à quinze heures.",
        "Nous avons rendez-vous vendredi à quinze heures.",
        "Sie haben am Freitag um 15 Uhr einen Termin.",
        "Wir haben den Termin am Freitag um 15 Uhr.",
        "Freitag um 16:30 habe ich einen Tisch frei.",
    ],
)
@pytest.mark.requirement("004-1001")
def test_a_time_that_was_found_free_makes_no_booking_an_offer(sentence: str) -> None:
    """What somebody has, or what is then, was booked; and an hour that is called free must have been found."""
    assert not is_said(sentence, **FOUND_AT_THREE)


@each(
    "sentence",
    [
        "Am Freitag um 15 Uhr habe ich einen Tisch frei.",
        "Am Freitag um 15 Uhr haben wir einen Termin für Sie.",
        "Am Freitag um 15 Uhr hätte ich einen Termin.",
        "Ja, am Freitag um 15 Uhr gibt es einen Termin.",
        "Der Termin am Freitag um 15 Uhr ist frei.",
        "Ein Tisch am Freitag um 15 Uhr geht.",
        "Yes, we have a table on Friday at 3 PM.",
        "There's a table for five on Friday at 3 PM.",
        "The slot on Friday at 3 PM is free.",
        "Sí, el viernes a las tres hay una mesa.",
        "Sí, el viernes a las tres tengo cita.",
        "Queda una mesa para cinco el viernes a las tres.",
        "Il y a une table vendredi à quinze heures.",
        "Nous avons un rendez-vous vendredi à quinze heures.",
        "Vendredi à quinze heures il reste une table.",
    ],
)
@pytest.mark.requirement("004-1001")
def test_who_offers_has_a_time_or_says_that_there_is_one(sentence: str) -> None:
    """With a word for free or without."""
    assert is_said(sentence, **FOUND_AT_THREE)


@pytest.mark.requirement("004-1001")
def test_of_two_hours_that_are_called_free_each_was_found() -> None:
    """On the same day, in one breath."""
    sentence = "Freitag um 14:30 oder um 15 Uhr habe ich einen Tisch frei."
    now = datetime(2026, 11, 30, 12, 0, tzinfo=ZONE)
    for times, is_offer in (([HALF_PAST_TWO, THREE], True), ([THREE], False), ([], False)):
        looked_up = ToolMessage("c1", "check_availability", ToolResponse(data={"with": "Maja", "openTimes": times}))
        assert (without_free(HOUSE, [looked_up], sentence, now) == "") is is_offer, times
