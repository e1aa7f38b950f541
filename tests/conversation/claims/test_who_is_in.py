"""Who is in, away or free on a day: as a look-up has found it, in four languages."""

from typing import Any

import pytest

from switchboard.conversation.session import CallSession
from tests.conversation.claims.told_salon import found, heard, is_said
from tests.each import each

FRIDAY, TUESDAY = "2026-12-04", "2026-12-01"

TRUE = [
    "Yes, Marcus is in on Friday.",
    "Marcus will be in this Friday, December 4.",
    "On Friday Marcus is in.",
    "Yes, he's in on Friday.",
    "Marcus works this Friday, yes.",
    "Marcus is in on Friday, but Dana is off tomorrow.",
    "Dana's not in tomorrow but will be on Thursday.",
    "Marcus has time on Friday afternoon.",
    "Marcus is in on Friday from 9 to 6.",
    "Ja, Marcus ist am Freitag da.",
    "Am Freitag ist Marcus da.",
    "Dana ist morgen leider nicht da.",
    "Am Freitagnachmittag hat Marcus noch Termine frei.",
    "Sí, el viernes está Marcus.",
    "Marcus trabaja el viernes, sí.",
    "Dana mañana no está.",
    "Oui, Marcus est là vendredi.",
]
FALSE = [
    "Marcus isn't in on Friday.",
    "Marcus won't be in on Friday.",
    "Marcus is off on Friday.",
    "Marcus is on vacation on Friday.",
    "Marcus is in on Thursday.",
    "Yes, Dana is in tomorrow.",
    "Dana works on Mondays.",
    "Dana is back on Friday.",
    "Dana isn't in until Friday.",
    "Dana is sick tomorrow.",
    "Rosa is in on Saturday too.",
    "Marcus has no time on Friday afternoon.",
    "Marcus is free all afternoon on Friday.",
    "Ja, Dana ist morgen da.",
    "Marcus ist am Freitag nicht da.",
    "Marcus ist am Freitag den ganzen Nachmittag frei.",
    "Sí, Dana está mañana.",
    "Marcus no está el viernes.",
    "Marcus n'est pas là vendredi.",
    "Dana est malade demain.",
]


def both_looked_up() -> CallSession:
    free: dict[str, Any] = {"available": True, "conflicts": [], "openTimes": ["2026-12-04T09:00:00-05:00"]}
    free |= {"free": [{"date": FRIDAY, "times": "Friday 9:00 to 15:30, 16:30 to 17:30"}], "with": "Marcus"}
    away: dict[str, Any] = {"available": False, "openTimes": ["2026-12-03T09:00:00-05:00"], "with": "Dana"}
    away["conflicts"] = [{"start": f"{TUESDAY}T09:00:00-05:00", "end": f"{TUESDAY}T18:00:00-05:00", "reason": "away"}]
    away |= {"free": [{"date": "2026-12-03", "times": "Thursday 9:00 to 17:30"}], "onlyOn": "Thursday, Friday"}
    return heard(
        "Is Marcus in on Friday, and Dana tomorrow?",
        ("check_availability", {"date": FRIDAY, "with_person": "Marcus"}, free, {}),
        ("check_availability", {"date": TUESDAY, "with_person": "Dana"}, away, {}),
    )


@each("sentence", TRUE)
@pytest.mark.requirement("004-2531")
def test_who_is_in_is_told_as_it_was_found(sentence: str) -> None:
    assert is_said(sentence, both_looked_up())


@each("sentence", FALSE)
@pytest.mark.requirement("004-2531")
def test_who_is_in_is_told_no_other_way_than_it_was_found(sentence: str) -> None:
    assert not is_said(sentence, both_looked_up())


@each(
    "sentence",
    [
        "Great, Friday, December 4 at 2:30 PM with Marcus it is. Can I get your name and a phone number?",
        "So, Friday at half past two with Marcus, a haircut. May I have your name?",
        "Alright, 2:30 PM Friday with Marcus, and I just need your name and a phone number to book it.",
        "Yep, Friday at 2:30 works with Marcus. Can I get a name and number?",
        "Gut, dann Freitag um 14:30 Uhr bei Marcus. Wie ist Ihr Name?",
        "Also am Freitag, 14:30 Uhr bei Marcus. Ich brauche noch Ihren Namen und Ihre Telefonnummer.",
        "Perfecto, entonces el viernes a las 14:30 con Marcus. ¿Cómo se llama?",
        "Parfait, vendredi à 14h30 avec Marcus. Quel est votre nom ?",
    ],
)
@pytest.mark.requirement("004-2532")
def test_a_chosen_time_is_named_back_before_a_name_is_asked_for(sentence: str) -> None:
    assert is_said(sentence, found())


@each(
    "sentence",
    [
        "Friday at half past two with Marcus it is! See you then.",
        "Friday at half past two with Marcus it is! We look forward to it.",
        "Friday at half past two with Marcus is booked! What's your name?",
        "Great, Friday at 4 with Marcus it is. Can I get your name?",
        "Great, Thursday at half past two with Marcus it is. Can I get your name?",
        "Gut, dann Samstag um 14:30 Uhr bei Marcus. Wie ist Ihr Name?",
        "Gut, dann Freitag um 14:30 Uhr bei Marcus. Bis dann!",
        "Listo, queda el viernes a las 14:30 con Marcus. ¿Su nombre?",
        "Parfait, vendredi à 16h30 avec Marcus. Quel est votre nom ?",
    ],
)
@pytest.mark.requirement("004-2532")
def test_another_time_or_one_that_nothing_is_asked_behind_is_held(sentence: str) -> None:
    assert not is_said(sentence, found())
