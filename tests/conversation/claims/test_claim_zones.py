"""Sentences for callers who are somewhere else, and sentences that claim several things at once."""

from typing import Any

import pytest

from switchboard.conversation.guard import Unfounded
from tests.conversation.claims.test_claim_words import BOOKED, CANCELLED, SECOND, after, done, say
from tests.each import each

OTHER_CANCELLED = done("cancel_appointment", "cancelled: Color", "Anna Whitfield", "2027-03-18T14:30:00-04:00", "bk_2")
# Booked for 23:30 in New York, which is Wednesday in Berlin.
LATE = done("create_event", "Call back", "Anna Whitfield", "2027-03-16T23:30:00-04:00", "ev_2")


@each(
    ("sentence", "happened"),
    [
        ("You're booked for Tuesday at 10 a.m. Eastern, that's 7 a.m. your time.", (BOOKED,)),
        ("You're booked for Tuesday at 7 a.m. Pacific time.", (BOOKED,)),
        ("You're booked for Tuesday at 7 a.m. Pacific, which is 10 a.m. here in New York.", (BOOKED,)),
        ("You're booked for Tuesday at 7 a.m. your time.", (BOOKED,)),
        ("You're booked for 2 p.m. GMT on Tuesday.", (BOOKED,)),
        ("You're booked at 10 in Central Park on Tuesday.", (BOOKED,)),
        ("The call back is scheduled for Wednesday at 4:30 CET.", (LATE,)),
        ("Sie sind für Dienstag um 10 Uhr eingetragen, das ist 15 Uhr deutscher Zeit.", (BOOKED,)),
        ("Está reservado el martes a las 15:00 hora de Madrid.", (BOOKED,)),
        ("C'est réservé mardi à 15 h, heure de Paris.", (BOOKED,)),
        ("You're booked for Tuesday at ten; I've cancelled your Thursday appointment.", (BOOKED, OTHER_CANCELLED)),
        ("I've cancelled Thursday at half past two, and you're booked for Tuesday.", (BOOKED, OTHER_CANCELLED)),
        ("Your haircut is booked for Tuesday, from 10 to half past ten.", (BOOKED,)),
        ("Der Termin ist eingetragen: Dienstag 10 bis 10 Uhr 30.", (BOOKED,)),
        ("Great, I booked the 10 o'clock slot for you tomorrow; the 9 o'clock one was taken.", (BOOKED,)),
    ],
)
def test_a_true_sentence_about_times_elsewhere_or_of_two_deeds_is_said(
    sentence: str, happened: tuple[Any, ...]
) -> None:
    """The time of a zone that is named is worked out; each claim answers for its own clauses."""
    assert say(sentence, after(*happened)) == sentence


@each(
    ("sentence", "happened"),
    [
        ("You're booked for Tuesday at 8 a.m. Pacific time.", (BOOKED,)),
        ("You're booked for Tuesday at eleven New York time.", (BOOKED,)),
        ("You're booked for Tuesday at 10 a.m. PT.", (BOOKED,)),
        ("You're booked for Tuesday at 11 a.m. Next time, just tell me your name.", (BOOKED,)),
        ("You're booked for Friday at 7 a.m. your time.", (BOOKED,)),
        ("The call back is scheduled for Thursday at 4:30 CET.", (LATE,)),
        ("Sie sind am Dienstag um elf Uhr unserer Zeit eingetragen.", (BOOKED,)),
        ("Der Termin ist eingetragen: Dienstag 11 bis 11 Uhr 30.", (BOOKED,)),
        ("C'est réservé mardi à 16 h, heure de Paris.", (BOOKED,)),
        ("Está reservado el martes a las 16:00, hora de Madrid.", (BOOKED,)),
        ("Está reservado el martes a las once, hora de Nueva York.", (BOOKED,)),
        ("You're booked for Tuesday at ten, I've cancelled your Friday appointment.", (BOOKED, CANCELLED)),
        ("I've cancelled your Tuesday appointment, and you're booked for Friday.", (SECOND, CANCELLED)),
        ("You're booked, you're all set for Wednesday.", (BOOKED,)),
    ],
)
def test_a_wrong_one_is_held_back(sentence: str, happened: tuple[Any, ...]) -> None:
    """Another zone is no way round what was done."""
    with pytest.raises(Unfounded):
        say(sentence, after(*happened))
