"""Room for a table, notes, when a visit ends and what no longer is: true sentences are said, false ones are held."""

from dataclasses import replace
from typing import Any

import pytest

from switchboard.contract.business.resources import SEATS, Resource
from switchboard.conversation.session import CallSession
from tests.conversation.claims.test_claim_words import done
from tests.conversation.claims.told_salon import SALON, booked, found, heard, is_said
from tests.each import each

SATURDAY = "2026-12-05T19:30:00-05:00"
HOUSE = replace(SALON, resources=(Resource("room", "Dining room", kind=SEATS, capacity=40),), services=())


def table_found() -> CallSession:
    data = {"available": True, "conflicts": [], "openTimes": [SATURDAY], "durationMinutes": 120, "room": 40}
    arguments = {"date": "2026-12-05T19:30:00", "party_size": 5}
    return heard("A table for five on Saturday at half past seven?", ("check_availability", arguments, data, {}))


def noted() -> CallSession:
    tool, receipt, arguments = done("update_appointment", "Table", "Kevin Dorsey", SATURDAY, "bk_1")
    arguments |= {"notes": "Una persona es celíaca. Necesitan una trona."}
    data: dict[str, Any] = {"updated": True, "bookingId": "bk_1", "startTime": SATURDAY}
    return heard("Una persona es celíaca y necesitamos una trona.", (tool, arguments, data, {"receipt": receipt}))


@each(
    "sentence",
    [
        "Ja, am Samstag um 19:30 Uhr ist für fünf Personen noch Platz.",
        "Um 19:30 Uhr ist am Samstag für fünf Personen Platz.",
        "Ja, Platz für fünf gibt es am Samstag um halb acht noch.",
        "Das geht gut, Samstag um halb acht für fünf. Wie ist Ihr Name?",
        "Saturday at 7:30 still has room for five.",
        "Sí, el sábado a las siete y media hay sitio para cinco.",
    ],
)
@pytest.mark.requirement("004-2533")
def test_there_is_room_as_it_was_found(sentence: str) -> None:
    assert is_said(sentence, table_found(), HOUSE)


@each(
    "sentence",
    [
        "Am Sonntag um 19:30 Uhr ist für fünf Personen noch Platz.",
        "Am Samstag um 20:30 Uhr ist für fünf Personen noch Platz.",
        "Am Samstag um 19:30 Uhr ist für fünfzig Personen Platz.",
        "Yes, 8:30 on Saturday has room for five.",
        "Yes, Sunday at 7:30 has room for five.",
        "Yes, Saturday at 7:30 has room for fifty.",
        "El domingo a las siete y media hay sitio para cinco.",
    ],
)
@pytest.mark.requirement("004-2533")
def test_room_that_was_not_found_is_held(sentence: str) -> None:
    assert not is_said(sentence, table_found(), HOUSE)


@each(
    "sentence",
    [
        "Listo, ya queda apuntado que una persona es celíaca y que necesitan una trona.",
        "Perfecto, ya quedó anotado que una persona es celíaca.",
        "Hecho, he apuntado la trona.",
        "Listo, queda anotada la trona.",
        "Prima, das habe ich dazugeschrieben.",
    ],
)
@pytest.mark.requirement("004-2534")
def test_what_was_noted_is_told_behind_any_opener(sentence: str) -> None:
    assert is_said(sentence, noted(), HOUSE)


@each(
    "sentence",
    [
        "Listo, ya queda apuntado que una persona es vegana.",
        "He apuntado dos tronas.",
        "I've noted two high chairs.",
        "I've noted that one person is vegan.",
        "Ich habe den Hund notiert.",
        "Noted, and the kitchen has confirmed everything is gluten-free.",
        "Die Küche hat bestätigt, dass alles glutenfrei ist.",
    ],
)
@pytest.mark.requirement("004-2534")
def test_what_was_not_noted_or_asked_of_anybody_is_held(sentence: str) -> None:
    assert not is_said(sentence, noted(), HOUSE)


def timed_offer() -> CallSession:
    session = found()
    session.history.messages[-1].response.data["durationMinutes"] = 30  # type: ignore[union-attr, index]
    return session


@pytest.mark.requirement("004-2535")
def test_the_end_of_an_offer_is_told_as_it_would_be() -> None:
    assert is_said("You'd be done by 3:00. Shall I book it?", timed_offer())
    assert is_said("You'd be out of there by three.", timed_offer())
    assert not is_said("You'd be done by 4:30. Shall I book it?", timed_offer())
    assert not is_said("You'd be done by half past three.", timed_offer())


@each(
    "sentence",
    [
        "Moving it costs nothing until twelve hours before, but your appointment is sooner than that, so it may count "
        "Moving it costs nothing until twelve hours before, but your appointment is sooner than that, so it may count "
        "as a cancellation.",
        "Verlegen kostet vorher nichts, aber Ihr Termin ist früher, also kann es als Absage zählen.",
        "Cambiarla no cuesta nada antes, pero su cita es antes, así que puede contar como cancelación.",
    ],
)
@pytest.mark.requirement("004-2535")
def test_a_warning_of_what_a_change_may_count_as_claims_no_change(sentence: str) -> None:
    assert is_said(sentence, booked())
    assert not is_said("Your appointment is moved, so it may count as a cancellation.", booked())
