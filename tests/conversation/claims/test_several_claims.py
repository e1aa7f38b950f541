"""Several things in one sentence: each of them has to have been done, however much the plural sounds like a rule."""

from dataclasses import replace

import pytest

from switchboard.contract.business.resources import Resource
from switchboard.conversation.guard import Unfounded
from tests.conversation.claims.guarded import guard_of
from tests.conversation.claims.test_claims import BOOKED, DEFINED, NOW, SALON, WHEN, say, session
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
    for number, name in enumerate(("look", "look_again")):
        row = {"bookingId": "bk_9", "startTime": WHEN, "service": "Haircut", "status": "confirmed", "found": number}
        known.tool_context[name] = {"appointments": [row]}
    with pytest.raises(Unfounded):
        say(sentence, known)
    second = {"bookingId": "bk_8", "startTime": WHEN, "service": "Haircut", "status": "confirmed"}
    known.tool_context["look"]["appointments"].append(second)
    assert say(sentence, known).strip() == sentence


ONE_MORE = [
    "Your daughter's haircut is booked as well.",
    "And Tom is booked too.",
    "The second one is booked too.",
    "The other appointment is booked too.",
    "I've booked Tom in as well.",
    "Your husband is all set too.",
    "Ihre Tochter ist auch gebucht.",
    "Tom ist auch eingetragen.",
    "Su hija también está apuntada.",
    "Votre fille est aussi inscrite.",
]


@each("sentence", ONE_MORE)
@pytest.mark.requirement("000-380")
def test_one_more_is_borne_out_by_something_else_than_what_was_told_before(sentence: str) -> None:
    """In the same answer, or turns ago; what has just been done, and not been told yet, may be that one."""
    first, second = "You're booked for Tuesday at ten.", ("book", {**BOOKED[1], "effectIds": ["bk_2"]})
    with pytest.raises(Unfounded):
        say(f"{first} {sentence}", session(BOOKED))
    before = session(BOOKED)
    before.facts = replace(before.facts, turn=before.facts.turn + 1)
    with pytest.raises(Unfounded):
        say(sentence, before)
    assert say(sentence, session(BOOKED)).strip() == sentence
    assert say(f"{first} {sentence}", session(BOOKED, second)).strip() == f"{first} {sentence}"


@each(
    "sentence",
    [
        "Ten is booked too.",
        "The second one is booked too.",
        "Your daughter is welcome too.",
        "And Tom works here too.",
        "Tuesday is booked as well.",
        "Is Tom booked too?",
        "Everyone's in today until five.",
        "The rates are locked in for a year.",
        "Everyone is welcome.",
    ],
)
@pytest.mark.requirement("000-380")
def test_what_else_is_taken_or_welcome_is_told(sentence: str) -> None:
    assert say(sentence, session()).strip() == sentence


@pytest.mark.requirement("000-380")
def test_one_of_the_people_who_is_booked_too_has_no_time() -> None:
    house = replace(SALON, resources=(Resource("tom", "Tom Baker"),))
    found = guard_of(session(BOOKED), house, NOW, DEFINED[:1])
    assert found.feed("Tom is booked too. ").strip() == "Tom is booked too."


@each(
    "sentence",
    [
        *("Locked in!", "It's locked in.", "Everyone's in.", "Everybody is booked in!", "And Tom is set too."),
        *("Secured!", "Got you in!", "Signed and sealed.", "¡Anotado!", "Steht!", "Booked under Kowalczyk."),
    ],
)
@pytest.mark.requirement("000-380")
def test_what_is_only_exclaimed_is_told_of_whoever_hears_it(sentence: str) -> None:
    """Without a word of whose it is, or under a name that nobody knows."""
    with pytest.raises(Unfounded):
        say(sentence, session())


@pytest.mark.requirement("000-380")
def test_under_whose_name_is_held_against_the_receipt_however_shortly_it_is_said() -> None:
    assert say("Booked under Whitfield.", session(BOOKED)).strip() == "Booked under Whitfield."
    with pytest.raises(Unfounded):
        say("Booked under Whitfeld.", session(BOOKED))


@each(
    "sentence",
    [
        "It is half past three.",
        "It is three o'clock.",
        "On Saturday it is nine to five. Anything else?",
        "The second chair is booked too.",
        "Les réservations sont annulées après quinze minutes de retard.",
        "Gli appuntamenti sono confermati via SMS.",
        "Las citas están confirmadas por mensaje de texto.",
        "The appointments are confirmed by email.",
        "Both tables are reserved for groups of six.",
    ],
)
@pytest.mark.requirement("000-380")
def test_what_time_it_is_and_what_is_so_for_everybody_is_said(sentence: str) -> None:
    assert say(sentence, session()).strip() == sentence


@pytest.mark.requirement("000-380")
def test_who_is_spoken_to_by_name_is_nobody_more() -> None:
    told = "You're booked for Tuesday at ten. You are confirmed too, Anna."
    assert say(told, session(BOOKED)).strip() == told
