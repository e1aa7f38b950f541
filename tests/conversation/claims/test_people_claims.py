"""Whom an appointment is with, and who is free: held against receipts and look-ups like times are."""

from dataclasses import replace
from typing import Any

import pytest

from switchboard.contract.business.resources import Resource
from switchboard.contract.call import ToolCall
from switchboard.contract.error import ErrorType
from switchboard.contract.model import Spoken, ToolMessage
from switchboard.contract.response import Failure, ToolResponse
from switchboard.conversation.guard import Unfounded
from switchboard.conversation.session import CallSession
from tests.conversation.claims.guarded import guard_of, said_by
from tests.conversation.claims.test_claims import BOOKED, DEFINED, NOW, SALON, session
from tests.each import each

PEOPLE = tuple(Resource(name.split()[0].lower(), name) for name in ("Rosa Lopez", "Marcus", "Maria", "Dana"))
HOUSE = replace(SALON, language="en", resources=PEOPLE)
WITH_ROSA = (BOOKED[0], {**BOOKED[1], "with": "Rosa Lopez"})


def say(text: str, known: CallSession, business: Any = HOUSE) -> str:
    return said_by(guard_of(known, business, NOW, DEFINED), text)


def looked_up(*responses: ToolResponse) -> CallSession:
    """Return a conversation in which these came of look-ups."""
    found = session()
    for number, response in enumerate(responses):
        found.history.add(Spoken("", (ToolCall("check_availability", {}, f"c{number}"),)))
        found.history.add(ToolMessage(f"c{number}", "check_availability", response))
    return found


@each(
    "sentence",
    [
        "You're booked with Rosa on Tuesday at ten.",
        "You're booked with Rosa Lopez on Tuesday at ten.",
        "I've booked you with Rosa instead of Maria, Tuesday at ten.",
        "Maria isn't in then, so you are booked with Rosa on Tuesday at ten.",
        "Rosa will see you: your haircut is booked for Tuesday at ten.",
        "You're booked on Tuesday at ten.",
        "Ihr Termin bei Rosa am Dienstag um zehn ist gebucht.",
        "Su cita con Rosa está reservada para el martes a las diez.",
        "Votre rendez-vous avec Rosa est réservé pour mardi à dix heures.",
    ],
)
@pytest.mark.requirement("004-515")
def test_what_was_booked_with_somebody_may_be_said_to_be_with_them(sentence: str) -> None:
    """By the whole name or the first, and beside others who are not meant."""
    assert say(sentence, session(WITH_ROSA)).strip() == sentence


@each(
    "sentence",
    [
        "You're booked with Maria on Tuesday at ten.",
        "I've booked your haircut with Marcus.",
        "Your appointment with Dana on Tuesday is confirmed.",
        "You are booked with Rosa and with Maria on Tuesday at ten.",
        "Marcus will see you: your haircut is booked for Tuesday at ten.",
        "Ihr Termin bei Maria am Dienstag um zehn ist gebucht.",
        "Su cita con Maria está reservada para el martes a las diez.",
        "Votre rendez-vous avec Maria est réservé pour mardi à dix heures.",
    ],
)
@pytest.mark.requirement("004-515")
def test_that_it_is_with_somebody_else_is_held(sentence: str) -> None:
    """Also where nobody in particular stands in the receipt."""
    for receipt in (WITH_ROSA, BOOKED):
        with pytest.raises(Unfounded):
            say(sentence, session(receipt))


@pytest.mark.requirement("004-515")
def test_a_customer_may_be_called_like_somebody_who_works_there_and_messages_go_to_anybody() -> None:
    """Names come from the business's own list, and only where something is with them."""
    named_so = (BOOKED[0], {**WITH_ROSA[1], "for": "Dana Smith"})
    assert say("You're booked for Tuesday at ten, Dana.", session(named_so))
    with pytest.raises(Unfounded):
        say("You're booked with Dana on Tuesday at ten.", session(named_so))
    # Elsewhere nobody is called so.
    assert say("You're booked with Maria on Tuesday at ten.", session(BOOKED), SALON)


MARIA: dict[str, Any] = {
    "available": True,
    "with": "Maria",
    "openTimes": ["2027-03-16T09:00:00-04:00", "2027-03-16T12:00:00-04:00"],
    "free": [{"date": "2027-03-16", "times": "Tuesday 9:00 to 12:00, 16:30"}],
}
AT_TEN = {"available": True, "openTimes": ["2027-03-16T10:00:00-04:00"], "asked": "2027-03-16T10:00:00-04:00"}
TAKEN = Failure(ErrorType.CONFLICT, "Rosa is taken then.", retryable=False, partial_side_effects=False)


@each(
    "sentence",
    [
        "Maria is free on Tuesday at ten.",
        "Maria has an opening at ten on Tuesday.",
        "On Tuesday at 10 you could come to Maria, she is available.",
        "Maria has time for you tomorrow at ten.",
        "Maria hat am Dienstag um zehn Uhr Zeit.",
        "Maria ist morgen um 10 Uhr frei.",
        "Maria está libre el martes a las diez.",
        "Maria est libre mardi à dix heures.",
    ],
)
@pytest.mark.requirement("004-515")
def test_nobody_is_said_to_be_free_whom_no_look_up_has_found_free(sentence: str) -> None:
    """Not after none, not after one about everybody or somebody else; but after one about them, or that names them."""
    rosa = {**MARIA, "with": "Rosa Lopez"}
    for known in ([], [AT_TEN], [rosa], [{**AT_TEN, "freeWith": ["Rosa Lopez"]}]):
        with pytest.raises(Unfounded, match=r"Maria|free"):
            say(sentence, looked_up(*(ToolResponse(data=data) for data in known)))
    choice = {"start": "2027-03-16T10:00:00-04:00", "end": "2027-03-16T10:30:00-04:00", "with": "Maria"}
    for response in (
        ToolResponse(data=MARIA),
        ToolResponse(data={**AT_TEN, "freeWith": ["Dana", "Maria"]}),
        ToolResponse(failure=TAKEN, meta={"alternatives": [choice]}),
    ):
        assert say(sentence, looked_up(ToolResponse(data=rosa), response)).strip() == sentence


@pytest.mark.requirement("004-515")
def test_a_time_outside_what_was_found_is_held() -> None:
    """Between two free stretches, or on another day."""
    known = looked_up(ToolResponse(data=MARIA))
    assert say("Maria is free on Tuesday from nine to twelve.", known)
    assert say("Maria is free on Tuesday at half past four.", known)
    for sentence in ("Maria is free on Tuesday at two.", "Maria is free on Wednesday at ten."):
        with pytest.raises(Unfounded):
            say(sentence, known)


@each(
    "sentence",
    [
        "Let me see whether Maria is free on Tuesday at ten.",
        "Would Maria be fine, if she is free on Tuesday at ten?",
        "Is it Maria you would like on Tuesday at ten?",
        "Maria is not free on Tuesday at ten.",
        "Maria cuts hair from Tuesday to Saturday.",
        "Ich schaue, ob Maria am Dienstag um zehn frei ist.",
        "Ten on Tuesday is free.",
        "I can take a message for Maria.",
    ],
)
@pytest.mark.requirement("004-515")
def test_what_claims_nobody_to_be_free_is_said(sentence: str) -> None:
    """Questions, announcements, and what is said of no one's time."""
    assert say(sentence, session()).strip() == sentence


CANCELLED = (
    "cancel",
    {"what": "cancelled: Haircut", "for": "Anna Whitfield", "when": "2027-03-16T09:30:00-04:00", "with": "Marcus"},
)


@each(
    "sentence",
    [
        "Your haircut with Marcus tomorrow at nine thirty is cancelled, Anna.",
        "That's cancelled, Anna, your haircut with Marcus tomorrow at nine thirty is off the books.",
        "Your haircut tomorrow at nine thirty is off the books.",
        "I've cancelled your haircut with Marcus on Tuesday, March 16 at 9:30.",
        "All done, tomorrow's nine thirty with Marcus is cancelled.",
        "Okay, Anna, tomorrow at half past nine with Marcus is cancelled.",
        "I've taken your nine thirty with Marcus off the calendar.",
        "Ihr Haircut bei Marcus morgen um halb zehn ist abgesagt, Anna.",
        "Ich habe Ihren Termin morgen um halb zehn bei Marcus abgesagt.",
        "Su cita de mañana a las nueve y media con Marcus está cancelada, Anna.",
        "Votre rendez-vous avec Marcus demain à neuf heures et demie est annulé.",
    ],
)
@pytest.mark.requirement("004-515")
def test_what_was_cancelled_may_be_named_in_full(sentence: str) -> None:
    """With whom it was, when, and for whom: however much that sounds like an appointment which stands."""
    assert say(sentence, session(CANCELLED)).strip() == sentence


@each(
    "sentence",
    [
        "Your haircut with Rosa tomorrow at nine thirty is cancelled.",
        "Your haircut with Marcus tomorrow at eleven is cancelled.",
        "Your haircut with Marcus tomorrow at nine thirty is booked.",
        "That's cancelled, and you're booked with Marcus tomorrow at nine thirty.",
        "Tomorrow's haircut is cancelled, you're all set for Friday at ten.",
        "Nothing was cancelled, your haircut with Marcus tomorrow at nine thirty is confirmed.",
        "Your haircut with Marcus tomorrow at nine thirty still stands.",
    ],
)
@pytest.mark.requirement("004-515")
def test_a_cancellation_bears_out_no_other_and_nothing_that_stands(sentence: str) -> None:
    """Another person's, another time's, or a booking told in the same breath."""
    with pytest.raises(Unfounded):
        say(sentence, session(CANCELLED))
