"""Goodbyes until a day, and times that are only settled: they tell of an appointment without a word of it."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from switchboard.contract.definitions.definition import Deed
from switchboard.conversation.guard import Unfounded
from switchboard.conversation.session import CallSession
from tests.conversation.claims.guarded import gets_through, guard_of
from tests.conversation.claims.test_claims import BOOKED, DEFINED, NOW, SALON, say, session
from tests.each import each

# Told on Monday; the appointment is on Tuesday, March 16, at ten.
OTHER_DAYS = [
    *(
        "See you Wednesday!",
        "Great, see you Wednesday!",
        "Thanks, bye, see you on the 17th!",
        "Have a nice day and see you on Friday.",
    ),
    *(
        "Bis Mittwoch!",
        "Danke, bis Mittwoch!",
        "Wir sehen uns am Donnerstag!",
        "Hasta el miércoles.",
        "¡Nos vemos el viernes!",
    ),
    *("À mercredi !", "À vendredi, au revoir !", "A mercoledì!", "Até quarta!", "Até sexta, tchau!", "Tot woensdag!"),
]
ITS_DAY = [
    *("See you Tuesday!", "See you tomorrow!", "See you on the 16th, bye!", "Bis Dienstag!", "Danke, bis morgen!"),
    *("Hasta el martes.", "À mardi !", "A domani!", "Até terça!", "Tot dinsdag!", "See you soon!", "See you then!"),
]
NO_GOODBYES = [
    "Bis Mittwoch haben wir geschlossen.",
    "We're closed until Wednesday.",
    "If that doesn't suit, we could see you Wednesday.",
    "Provided your doctor agrees, see you on the 18th.",
    "Hasta el miércoles puede cancelar gratis.",
    "El viernes hay hueco: a las nueve.",
    "A las nueve.",
    "Would you rather see us Wednesday?",
    "We would love to see you Wednesday too.",
]


@each("sentence", OTHER_DAYS)
@pytest.mark.requirement("000-380")
def test_nobody_is_bid_goodbye_until_another_day_than_theirs(sentence: str) -> None:
    with pytest.raises(Unfounded) as held:
        say(sentence, session(BOOKED))
    assert "Tuesday 2027-03-16 10:00" in held.value.correction


@each("sentence", [*ITS_DAY, *NO_GOODBYES])
@pytest.mark.requirement("000-380")
def test_a_goodbye_until_the_day_that_was_booked_and_what_is_no_goodbye_is_said(sentence: str) -> None:
    assert say(sentence, session(BOOKED)).strip() == sentence


@pytest.mark.requirement("000-380", "004-1407")
def test_where_nothing_is_booked_a_goodbye_names_no_day() -> None:
    """Nor that of what was cancelled; how long something is may be answered with a day."""
    cancelled = session(("cancel", {**BOOKED[1], "what": "cancelled: Haircut"}))
    for known in (session(), cancelled):
        for sentence in ("See you Wednesday!", "See you Tuesday!"):
            with pytest.raises(Unfounded):
                say(sentence, known)
    asked = session(BOOKED)
    asked.history.heard("Bis wann haben Sie zu?")
    assert say("Bis Mittwoch.", asked).strip() == "Bis Mittwoch."


@pytest.mark.requirement("000-380", "004-1407")
def test_where_no_appointments_are_made_somebody_may_come_all_the_same() -> None:
    makes = {Deed.BOOKED, Deed.MOVED, Deed.ENTERED}
    definitions = [one for one in DEFINED if makes.isdisjoint(one.deeds)]
    assert gets_through(guard_of(session(), SALON, NOW, definitions), "See you Wednesday!")


@each(
    "sentence",
    [
        *("Perfect, Tuesday at three then.", "Tuesday at three it is.", "Perfekt, dann Dienstag um drei."),
        *(
            "Perfetto, martedì alle tre allora.",
            "Tuesday at three it is. Bye!",
            "Great, Tuesday at three then. Anything else?",
        ),
    ],
)
@pytest.mark.requirement("000-380")
def test_a_time_is_not_settled_without_anything_that_does_it(sentence: str) -> None:
    """Whoever hears that, and no question, thinks that it is booked."""
    with pytest.raises(Unfounded):
        say(sentence, session())


@each(
    ("sentence", "known", "calls"),
    [
        ("Perfect, Tuesday at ten then.", session(BOOKED), ()),
        ("Perfect, Tuesday at three then. May I have your name?", session(), ()),
        ("Perfect, Tuesday at three then. Shall I book it?", session(), ()),
        ("Tuesday at three it is. I just need your phone number.", session(), ()),
        ("Perfect, Tuesday at three then.", session(), ("book",)),
        ("We open at nine then.", session(), ()),
        ("We have Tuesday at three, then Wednesday at four.", session(), ()),
    ],
)
@pytest.mark.requirement("000-380")
def test_a_time_is_settled_where_it_is_booked_or_what_is_said_goes_on(
    sentence: str, known: CallSession, calls: Sequence[str]
) -> None:
    """Not a word of it is lost, or said twice."""
    assert say(sentence, replace(known), calls=calls).strip() == sentence
