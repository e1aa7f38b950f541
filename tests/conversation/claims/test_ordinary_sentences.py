"""What agents say day by day of what was booked, moved, refused or offered: the true is heard, the false is held."""

from collections.abc import Callable

import pytest

from switchboard.contract.error import ErrorType
from switchboard.contract.response import Failure, ToolResponse
from switchboard.conversation.session import CallSession
from tests.conversation.claims.guarded import gets_through, guard_of
from tests.conversation.claims.test_claim_words import DEFINITIONS
from tests.conversation.claims.test_each_ones import called, cancelled, moved, one_refused, pairs, two
from tests.conversation.claims.told_salon import NOW, SALON, asked
from tests.each import each

HALF_PAST_THREE, FOUR = "2026-12-02T15:30:00-05:00", "2026-12-02T16:00:00-05:00"
GIVEN = {"customer_name": "Ana Rivas", "customer_phone": "518-555-0184", "start_time": HALF_PAST_THREE[:19]}


def booked() -> CallSession:
    known = asked("I'm Ana Rivas, 518-555-0184. A haircut with Marcus on Wednesday at half past three, please.")
    receipt = {"what": "Haircut", "for": "Ana Rivas", "when": HALF_PAST_THREE, "with": "Marcus", "effectIds": ["bk_1"]}
    data = {"bookingId": "bk_1", "service": "Haircut", "startTime": HALF_PAST_THREE, "endTime": FOUR, "with": "Marcus"}
    called(known, "book_appointment", GIVEN, ToolResponse(data=data, meta={"receipt": receipt}))
    return known


def refused() -> CallSession:
    known = asked("I'm Ana Rivas. A haircut with Marcus on Wednesday at half past three, please.")
    failure = Failure(ErrorType.CONFLICT, "Marcus is taken then.", retryable=False, partial_side_effects=False)
    instead = [{"start": HALF_PAST_THREE, "end": FOUR, "with": "Rosa"}]
    called(known, "book_appointment", GIVEN, ToolResponse(failure=failure, meta={"alternatives": instead}))
    return known


TRUE: dict[Callable[[], CallSession], list[str]] = {
    booked: [
        "The haircut is $48, and you can pay by card.",
        "I have your number as 518-555-0184.",
        "Ihre Nummer habe ich als 518-555-0184.",
        "Tengo su número como 518-555-0184.",
        "Sie sind um sechzehn Uhr fertig.",
        "Vous serez prête à seize heures.",
        "Sarà pronta alle sedici.",
        "Votre coupe est mercredi.",
        "Votre coupe est à quinze heures trente.",
        "It takes half an hour.",
        "Es dauert eine halbe Stunde.",
        "It takes about ten minutes to get here from the station.",
    ],
    moved: [
        "C'est toujours avec Marcus.",
        "Statt am Dienstag kommen Sie jetzt am Mittwoch um zehn.",
        "Instead of Tuesday it is on Wednesday at ten now.",
        "Am Dienstag haben Sie nichts mehr.",
        "Mardi, vous n'avez plus rien.",
        "Der alte Termin am Dienstag ist damit frei.",
        "Sie haben weiterhin Ihren Termin bei Marcus, nur am Mittwoch.",
    ],
    cancelled: [
        "Your haircut with Marcus on Wednesday is cancelled.",
        "Ihr Termin mit Marcus am Mittwoch ist abgesagt.",
    ],
    one_refused: [
        "One of the two is booked: Mia's.",
        "Einer der beiden Termine ist gebucht.",
        "L'un des deux est réservé.",
        "Just one of the two kids is booked so far.",
    ],
    refused: [
        "Marcus ist am Mittwoch um halb vier leider schon vergeben.",
        "Désolé, Marcus est déjà pris à 15 h 30 mercredi.",
        "Rosa wäre um 15:30 Uhr frei.",
    ],
}
FALSE: dict[Callable[[], CallSession], list[str]] = {
    booked: [
        "I have your number as 518-555-9999.",
        "I've changed your number to 518-555-0184.",
        "Sie sind um siebzehn Uhr fertig.",
        "Votre coupe est jeudi.",
        "Votre coupe est à seize heures trente.",
        "Uw knipbeurt is om half vijf.",
        "It takes an hour and a half.",
        "Es dauert zwei Stunden.",
        "Dura una hora y media.",
        "Ça dure une heure et demie.",
        "I've also booked Leo right after you.",
        "Leo is booked right after you.",
        "También reservé a Leo.",
        "Your haircut is $48, and it's already paid by card.",
    ],
    moved: [
        "C'est toujours mardi à dix heures.",
        "È sempre martedì alle dieci.",
        "Er ist immer noch am Dienstag um zehn.",
        "It stays on Tuesday.",
        "Statt am Dienstag ist der Termin jetzt am Freitag um zehn.",
        "Instead of Tuesday it is on Friday at ten now.",
        "Am Dienstag bleibt es bei zehn Uhr.",
    ],
    cancelled: [
        "Marcus will see you on Wednesday.",
        "Todavía tiene su cita el miércoles.",
        "Sie haben weiterhin Ihren Termin am Mittwoch.",
        "Vous avez toujours votre rendez-vous de mercredi.",
    ],
    two: ["One of the two couldn't be booked."],
    one_refused: ["The two of them are booked."],
    asked: ["Rosa is taken on Friday at four.", "Wir sind am Mittwoch leider ausgebucht."],
}


def is_said(sentence: str, known: CallSession) -> bool:
    return gets_through(guard_of(known, SALON, NOW, DEFINITIONS), sentence)


@each(("known", "sentence"), pairs(TRUE))
@pytest.mark.requirement("004-1000", "004-2433")
def test_what_is_true_is_heard(known: Callable[[], CallSession], sentence: str) -> None:
    assert is_said(sentence, known())


@each(("known", "sentence"), pairs(FALSE))
@pytest.mark.requirement("004-2431", "004-2432")
def test_what_is_false_is_held(known: Callable[[], CallSession], sentence: str) -> None:
    assert not is_said(sentence, known())


@pytest.mark.requirement("004-1000")
def test_a_person_of_whom_the_house_says_that_they_are_booked_up_is_told_so() -> None:
    """Nobody has looked it up, but the house's own results say so."""
    known = asked("Is Dana there in December?")
    passage = {"passages": [{"text": "Dana is fully booked in December."}]}
    called(known, "search_knowledge", {"query": "Dana"}, ToolResponse(data=passage))
    assert is_said("Dana is fully booked on Friday.", known)
