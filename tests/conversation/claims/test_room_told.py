"""How many can still come is told as it was looked up, and another service and its price as they were told."""

from dataclasses import replace
from typing import Any

import pytest

from switchboard.contract.business.business import Service
from switchboard.contract.business.resources import Need, Resource
from switchboard.contract.error import ErrorType
from switchboard.contract.model import ToolMessage
from switchboard.contract.response import Failure, ToolResponse
from switchboard.conversation.session import CallSession
from tests.conversation.claims.told_salon import FRIDAY_TEN, SALON, heard, is_said
from tests.each import each

CLASS = replace(
    SALON,
    services=(*SALON.services[:-1], Service("Styling class", 90, "$40 each", needs=(Need("seats"),))),
    resources=(*SALON.resources, Resource("class", "Class", "seats", 6)),
)
TRUE = [
    "There are four seats left on Friday at ten.",
    "There is room for four on Friday at 10 AM.",
    "There's room for four.",
    "There is room for two on Friday at ten.",
    "There is room for 4 people then.",
    "Only four can still come at ten.",
    "Es sind noch vier Plätze frei.",
    "Es gibt Platz für vier am Freitag um zehn.",
    "Quedan cuatro plazas el viernes a las diez.",
    "Il reste quatre places vendredi à dix heures.",
    "Restano quattro posti.",
    "Restam quatro lugares.",
    "Er zijn nog vier plaatsen vrij.",
]
TOO_MANY = [
    "There are five seats left on Friday at ten.",
    "There is room for six on Friday at ten.",
    "Es sind noch sechs Plätze frei.",
    "Quedan cinco plazas el viernes a las diez.",
    "Il reste six places vendredi à dix heures.",
    "Restano cinque posti.",
    "Restam cinco lugares.",
    "Er zijn nog vijf plaatsen vrij.",
]


def looked(**more: Any) -> CallSession:
    data: dict[str, Any] = {"available": True, "conflicts": [], "openTimes": [FRIDAY_TEN], "service": "Styling class"}
    asked = {"date": "2026-12-04T10:00:00", "service": "Styling class"}
    return heard("Is there room in the class?", ("check_availability", asked, data | more, {}))


@each("sentence", TRUE)
@pytest.mark.requirement("004-2412")
def test_as_many_as_there_is_room_for_are_told(sentence: str) -> None:
    assert is_said(sentence, looked(room=4), CLASS)


@each("sentence", TOO_MANY)
@pytest.mark.requirement("004-2412")
def test_more_than_there_is_room_for_are_not_told(sentence: str) -> None:
    assert not is_said(sentence, looked(room=4), CLASS)
    rows = [{"date": "2026-12-04", "times": "Friday 10:00 to 11:00", "room": "10:00: 4; 10:15 to 11:00: 6"}]
    assert is_said(sentence, looked(free=rows), CLASS)


@pytest.mark.requirement("004-2411")
def test_what_was_told_and_what_is_now_can_be_said() -> None:
    """Both sums stand in the tool's answer."""
    words = (
        "Nothing was done, since it is not as the caller was told: the price of Haircut was $42, and is $48 now. "
        "Tell the caller what it was and what it is now, and ask whether they want it so."
    )
    session = heard("Please book it.")
    failure = Failure(ErrorType.CONFLICT, words, False, False)
    session.history.add(
        ToolMessage("c1", "book_appointment", ToolResponse(failure=failure, meta={"reason": "changed"}))
    )
    for sentence in (
        "The price has changed: the haircut was $42 and is $48 now.",
        "A haircut is $48 now.",
        "It used to be $42.",
        "Nothing is booked yet: it costs $48 now instead of $42.",
        "The price of the haircut has changed from $42 to $48.",
        "The haircut is $48 now, not $42.",
        "The haircut has gone up from $42 to $48.",
        "Der Preis hat sich von 42 auf 48 Dollar geändert.",
        "El precio ha cambiado de 42 a 48 dólares.",
        "Le prix a changé : il est de 48 $ maintenant.",
        "Il prezzo è cambiato: ora è 48.",
        "O preço mudou de 42 para 48.",
        "De prijs is gewijzigd van 42 naar 48.",
    ):
        assert is_said(sentence, session), sentence
    for untrue in ("The price has changed, and you are booked.", "I've booked it at $48.", "The haircut is $52 now."):
        assert not is_said(untrue, session), untrue
    assert not is_said("The price of your appointment has changed from $42 to $48.", heard("Please book it."))
