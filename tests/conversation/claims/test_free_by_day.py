"""Who was found free on a day is offered, at the times at which they are; nobody else is, and at no other."""

import pytest

from tests.conversation.claims.test_free_times import is_said

pytestmark = pytest.mark.requirement("004-1504")
# Rosa can be had at all these times, Marcus in the morning, Ole at one in the afternoon; Maja on that day at none.
FRIDAY = {
    "available": True,
    "openTimes": ["2026-12-04T09:00:00-05:00"],
    "free": [
        {
            "date": "2026-12-04",
            "times": "viernes 9:00 a 17:30",
            "with": ["Rosa", "Marcus 9:00 a 11:00", "Ole 13:00, 16:00"],
        }
    ],
}


@pytest.mark.parametrize(
    "sentence",
    [
        "El viernes hay sitio con Rosa o con Marcus.",
        "Sí, hay sitio con Marcus o con Ole el viernes.",
        "Rosa está libre el viernes a las cinco.",
        "Marcus está libre el viernes a las diez.",
        "There is room with Rosa or Marcus on Friday.",
        "Marcus is free on Friday at ten.",
        "Ole is free on Friday at 1 PM.",
        "Am Freitag ist bei Rosa oder Marcus etwas frei.",
        "Rosa ist am Freitag um 15 Uhr frei.",
        "Vendredi, Rosa est libre à quinze heures.",
    ],
)
def test_who_is_free_on_the_day_is_offered_with_or_without_an_hour(sentence: str) -> None:
    """One call tells it of everybody."""
    assert is_said(sentence, **FRIDAY)


@pytest.mark.parametrize(
    "sentence",
    [
        "El viernes Maja está libre.",
        "Maja is free on Friday.",
        "Maja is free on Friday at ten.",
        "Marcus is free on Friday at three.",
        "Marcus está libre el viernes a las tres de la tarde.",
        "Ole is free on Friday at 2 PM.",
        "Marcus ist am Freitag um 15 Uhr frei.",
        "Rosa is free on Thursday.",
        "Rosa está libre el jueves.",
        "Rosa is free on Friday at 8 PM.",
    ],
)
def test_who_is_not_is_held_and_so_is_another_hour_or_day(sentence: str) -> None:
    """What was not found is not offered."""
    assert not is_said(sentence, **FRIDAY)
