"""Several things in one sentence: each of them has to have been done, however much the plural sounds like a rule."""

import pytest

from switchboard.conversation.guard import Unfounded
from tests.conversation.test_claims import BOOKED, WHEN, say, session
from tests.each import each

CANCELLED = ("cancel", {"what": "cancelled: Haircut", "for": "Anna", "when": "2027-03-16T09:30:00-04:00"})
TWICE = (
    ("cancel", {**CANCELLED[1], "effectIds": ["bk_1"]}),
    ("cancel", {**CANCELLED[1], "when": "2027-03-18T11:00:00-04:00", "effectIds": ["bk_2"]}),
)
TOLD = [
    "Both appointments are booked.",
    "Both of your appointments are booked.",
    "Your two appointments are booked.",
    "All three appointments are booked.",
    "Both haircuts are booked for Tuesday.",
    "The reservations are confirmed.",
    "My colleague says both tables are reserved.",
    "The haircut is booked.",
    "Both appointments are cancelled.",
    "Your appointments are cancelled.",
    "All of the appointments are cancelled.",
    "All of them are cancelled.",
    "I've cancelled both.",
    "Both appointments are moved to Friday.",
    "Both texts are sent.",
    "Las dos citas están reservadas.",
    "Las citas están canceladas.",
    "Les deux coupes sont réservées.",
    "Entrambi gli appuntamenti sono cancellati.",
    "Os dois agendamentos estão cancelados.",
]


@each("sentence", TOLD)
@pytest.mark.requirement("000-380")
def test_where_nothing_was_done_nothing_is_told_of_several_either(sentence: str) -> None:
    with pytest.raises(Unfounded):
        say(sentence, session())


@each("sentence", ["Both appointments are cancelled.", "I've cancelled both.", "Las dos citas están canceladas."])
@pytest.mark.requirement("000-380")
def test_both_are_told_to_be_cancelled_where_both_were(sentence: str) -> None:
    """One of two bears out none of it."""
    assert say(sentence, session(*TWICE)).strip() == sentence
    with pytest.raises(Unfounded):
        say(sentence, session(CANCELLED, BOOKED))


@each(
    "sentence",
    [
        "Haircuts are booked for 30 minutes.",
        "The haircut is booked for 30 minutes.",
        "Appointments are cancelled free of charge until 24 hours before.",
        "Both rooms are booked on Tuesday.",
        "Both stylists are booked then, I'm afraid.",
        "Both are booked at ten, I'm afraid.",
        "All of our texts are sent from this number.",
        "Shall I cancel both appointments?",
        "Your appointments are cancelled if you do not come.",
    ],
)
@pytest.mark.requirement("000-380")
def test_what_is_so_as_a_rule_or_only_asked_is_told(sentence: str) -> None:
    assert say(sentence, session()).strip() == sentence


@each("sentence", ["Both of your appointments are booked.", "Both of you are booked for Tuesday at ten."])
@pytest.mark.requirement("000-380")
def test_one_booking_that_two_look_ups_have_found_is_one(sentence: str) -> None:
    """Whoever asks for the latest, and then for all, has no more of them."""
    known = session()
    for number, tool in enumerate(("look", "look_again")):
        row = {"bookingId": "bk_9", "startTime": WHEN, "service": "Haircut", "status": "confirmed", "found": number}
        known.tool_context[tool] = {"appointments": [row]}
    with pytest.raises(Unfounded):
        say(sentence, known)
    second = {"bookingId": "bk_8", "startTime": WHEN, "service": "Haircut", "status": "confirmed"}
    known.tool_context["look"]["appointments"].append(second)
    assert say(sentence, known).strip() == sentence
