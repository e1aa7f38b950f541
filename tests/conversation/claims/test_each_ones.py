"""Whose appointment a sentence tells of, and what became of it: each clause is held against that one alone."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from switchboard.contract.call import ToolCall
from switchboard.contract.error import ErrorType
from switchboard.contract.model import Spoken, ToolMessage
from switchboard.contract.response import Failure, ToolResponse
from switchboard.conversation.session import CallSession
from tests.conversation.claims.guarded import gets_through, guard_of
from tests.conversation.claims.test_claim_words import DEFINITIONS
from tests.conversation.claims.told_salon import NOW, SALON, asked
from tests.each import each

NOON = "2026-12-09T12:00:00-05:00"
FOR_TWO = "I'm Ana Rivas. Kids' cuts for Mia and Leo on Wednesday at noon, Mia with Rosa and Leo with Dana, please."


def called(known: CallSession, tool: str, arguments: dict[str, Any], response: ToolResponse) -> None:
    call = ToolCall(tool, arguments, f"call{len(known.history.messages)}")
    known.history.add(Spoken("", (call,)))
    known.history.add(ToolMessage(call.call_id, tool, response))
    known.note(call, response, 1.0)


def done(known: CallSession, tool: str, what: str, name: str, when: str, thing: str, person: str) -> None:
    before = {"book_appointment": "", "reschedule_appointment": "moved: ", "cancel_appointment": "cancelled: "}[tool]
    receipt = {"what": f"{before}{what}", "for": name, "when": when, "with": person, "effectIds": [thing]}
    data = {"bookingId": thing, "service": what, "customerName": name, "startTime": when, "with": person}
    given = {"start_time": when, "customer_name": name} if not before else {"booking_id": thing}
    called(known, tool, given, ToolResponse(data=data, meta={"receipt": receipt}))


def refused(known: CallSession, tool: str, given: dict[str, Any]) -> None:
    failure = Failure(ErrorType.CONFLICT, "Dana is taken then.", retryable=False, partial_side_effects=False)
    called(known, tool, given, ToolResponse(failure=failure))


def two(person: str = "Rosa") -> CallSession:
    known = asked(FOR_TWO)
    done(known, "book_appointment", "Kids' cut", "Mia Rivas", NOON, "bk_1", person)
    done(known, "book_appointment", "Kids' cut", "Leo Rivas", NOON, "bk_2", "Dana")
    return known


def one_refused() -> CallSession:
    known = asked("I'm Ana Rivas. Kids' cuts for Mia and Leo on Wednesday at noon, both with Dana, please.")
    done(known, "book_appointment", "Kids' cut", "Mia Rivas", NOON, "bk_1", "Dana")
    refused(known, "book_appointment", {"customer_name": "Leo Rivas", "start_time": NOON[:19], "service": "Kids' cut"})
    return known


def one_cancelled() -> CallSession:
    known = two()
    known.begin_turn()
    known.history.heard("Cancel Mia's, please.")
    done(known, "cancel_appointment", "Kids' cut", "Mia Rivas", NOON, "bk_1", "Rosa")
    return known


def moved() -> CallSession:
    known = asked("I'm Ana Rivas. A haircut with Marcus, please.")
    done(known, "book_appointment", "Haircut", "Ana Rivas", "2026-12-08T10:00:00-05:00", "bk_1", "Marcus")
    known.begin_turn()
    known.history.heard("Move it to Wednesday, please.")
    done(known, "reschedule_appointment", "Haircut", "Ana Rivas", "2026-12-09T10:00:00-05:00", "bk_1", "Marcus")
    return known


def booked(then: str = "") -> CallSession:
    known = asked("I'm Ana Rivas. Book me a haircut with Marcus, please.")
    done(known, "book_appointment", "Haircut", "Ana Rivas", NOON, "bk_1", "Marcus")
    if then:
        known.begin_turn()
        known.history.heard(then)
    return known


def left_as_it_is() -> CallSession:
    return booked("No, leave it as it is.")


def move_refused() -> CallSession:
    known = booked("Move it to 8 PM, please.")
    given = {"booking_id": "bk_1", "new_start_time": "2026-12-09T20:00:00"}
    refused(known, "reschedule_appointment", given)
    return known


def cancelled() -> CallSession:
    known = booked("Cancel it, please.")
    done(known, "cancel_appointment", "Haircut", "Ana Rivas", NOON, "bk_1", "Marcus")
    return known


NOT_THEIRS: dict[Callable[[], CallSession], list[str]] = {
    one_refused: [
        "I've booked Leo for 12:00 PM with Dana.",
        "The booking for Leo went through.",
        "Both kids are booked.",
        "Leo's booked, Mia isn't.",
        "Mia and Leo are booked.",
        "Leo ist auch eingetragen.",
        "Für Leo habe ich 12 Uhr bei Dana eingetragen.",
        "He reservado a Leo con Dana.",
        "Los dos niños están reservados.",
        "Le rendez-vous de Leo est confirmé.",
        "Ho prenotato anche Leo per le 12:00.",
        "Tutti e due sono prenotati.",
        "O Leo também está marcado com a Dana.",
    ],
    two: [
        "Mia is with Dana and Leo with Rosa.",
        "Both are with Rosa on Wednesday at 12:00 PM.",
        "Mia, Leo and you are booked on Wednesday at 12:00 PM.",
    ],
    booked: ["You and Bob are booked for 12:00 PM.", "Bob is booked for 12:00 PM.", "I've booked Bob with Marcus."],
    one_cancelled: [
        "Mia still has her appointment with Rosa.",
        "Mia's appointment is still on.",
        "I've cancelled Leo.",
    ],
}
NOT_SO: dict[Callable[[], CallSession], list[str]] = {
    two: [
        "Only Mia is booked; Leo didn't work.",
        "Neither of them could be booked.",
        "Leo konnte ich leider nicht eintragen.",
        "No pude reservar a Leo.",
        "Je n'ai pas pu réserver pour Leo.",
    ],
    one_cancelled: ["Nothing was cancelled.", "The cancellation didn't work.", "Leo no longer has an appointment."],
    moved: ["I couldn't move it, so it stays as it was.", "Nothing has changed.", "No se pudo cambiar la cita."],
    left_as_it_is: ["Okay, it's gone.", "I've taken it out.", "Dann ist er weg.", "Listo, ya no tiene la cita."],
    move_refused: ["Okay, 8 PM it is.", "So it's 8 PM now."],
}
EACH_SO: dict[Callable[[], CallSession], list[str]] = {
    two: [
        "Both kids are on Wednesday, December 9 at 12:00 PM, Mia with Rosa and Leo with Dana.",
        "They're both at 12:00 PM, with Rosa and Dana.",
        "Rosa übernimmt Mia und Dana übernimmt Leo, Mittwoch, 9. Dezember um 12 Uhr.",
        "Mia está con Rosa y Leo con Dana, los dos el miércoles 9 de diciembre a las 12:00.",
        "Mia est avec Rosa et Leo avec Dana, mercredi 9 décembre à 12 h.",
        "Mia è con Rosa e Leo con Dana, mercoledì 9 dicembre alle 12:00.",
        "A Mia fica com a Rosa e o Leo com a Dana, na quarta-feira, 9 de dezembro, às 12:00.",
    ],
    one_refused: [
        "Mia is in with Dana at 12:00 PM. For Leo I'd need another stylist or time.",
        "I've booked Mia; Dana can't take Leo at the same time.",
        "Mia est réservée avec Dana, mais pas encore Leo.",
        "Mia ist um 12 Uhr bei Dana eingetragen, für Leo müssten wir ein anderes Fenster suchen.",
    ],
    one_cancelled: [
        "Mia's cut is cancelled, and Leo's stays on Wednesday, December 9 at 12:00 PM with Dana.",
        "Mia ist abgesagt, Leo kommt weiter am Mittwoch, 9. Dezember um 12 Uhr zu Dana.",
        "La cita de Mia está cancelada y la de Leo sigue el miércoles 9 de diciembre a las 12:00 con Dana.",
        "L'appuntamento di Mia è annullato, quello di Leo resta mercoledì alle 12:00 con Dana.",
    ],
    left_as_it_is: ["Okay, nothing changes: you're still in with Marcus on Wednesday at 12:00 PM."],
    move_refused: ["That didn't work; you're still on Wednesday, December 9 at 12:00 PM."],
}
FROM_WHEN: dict[Callable[[], CallSession], list[str]] = {
    moved: [
        "Your haircut has moved from Tuesday, December 8 to Wednesday, December 9, 10:00 AM, still with Marcus.",
        "You no longer come on Tuesday, December 8; your new time is Wednesday, December 9 at 10:00 AM.",
        "Marcus expects you on Wednesday, December 9 at 10:00 AM rather than Tuesday, December 8 at 10:00 AM.",
        "Sie kommen also nicht mehr am Dienstag, 8. Dezember, sondern am Mittwoch, 9. Dezember um 10:00 Uhr.",
        "Statt Dienstag, 8. Dezember kommen Sie jetzt am Mittwoch, 9. Dezember um 10 Uhr zu Marcus.",
        "Su cita pasó del martes 8 de diciembre al miércoles 9 de diciembre a las 10:00.",
        "Votre rendez-vous n'est plus mardi 8 décembre mais mercredi 9 décembre à 10 h.",
        "L'appuntamento è passato da martedì 8 dicembre a mercoledì 9 dicembre alle 10:00.",
        "A sua marcação passou de terça-feira, 8 de dezembro, para quarta-feira, 9 de dezembro, às 10:00.",
        "Der alte Termin ist wieder frei.",
    ],
    cancelled: ["Your slot on Wednesday at 12:00 PM is free again."],
}
NOT_FROM_THERE = [
    "You no longer come on Tuesday, December 8; your new time is Thursday, December 10 at 10:00 AM.",
    "Your haircut has moved from Tuesday, December 8 to Thursday, December 10, 10:00 AM.",
    "Sie kommen also nicht mehr am Dienstag, 8. Dezember, sondern am Donnerstag, 10. Dezember um 10:00 Uhr.",
    "Su cita pasó del martes 8 de diciembre al jueves 10 de diciembre a las 10:00.",
]


def is_said(sentence: str, known: CallSession) -> bool:
    return gets_through(guard_of(known, SALON, NOW, DEFINITIONS), sentence)


Told = dict[Callable[[], CallSession], list[str]]


def pairs(told: Told) -> list[tuple[Callable[[], CallSession], str]]:
    return [(known, sentence) for known, sentences in told.items() for sentence in sentences]


@pytest.mark.requirement("004-2431")
@each(("known", "sentence"), pairs(NOT_THEIRS))
def test_what_was_done_for_somebody_else_is_not_told_of_anybody(
    known: Callable[[], CallSession], sentence: str
) -> None:
    """Whether the name stands as the subject, the object or behind "for"; nor of more than it was done for."""
    assert not is_said(sentence, known())


@pytest.mark.requirement("004-2432")
@each(("known", "sentence"), pairs(NOT_SO))
def test_what_stands_is_not_denied_and_what_does_not_is_not_told(
    known: Callable[[], CallSession], sentence: str
) -> None:
    assert not is_said(sentence, known())


@pytest.mark.requirement("004-2433")
@each(("known", "sentence"), pairs(EACH_SO))
def test_each_clause_of_several_is_borne_out_by_its_own(known: Callable[[], CallSession], sentence: str) -> None:
    assert is_said(sentence, known())


@pytest.mark.requirement("004-2434")
@each(("known", "sentence"), pairs(FROM_WHEN))
def test_when_it_was_before_is_told_beside_when_it_is(known: Callable[[], CallSession], sentence: str) -> None:
    assert is_said(sentence, known())


@pytest.mark.requirement("004-2434")
@each("sentence", NOT_FROM_THERE)
def test_another_new_time_beside_the_old_one_is_held(sentence: str) -> None:
    assert not is_said(sentence, moved())


@pytest.mark.requirement("004-2431")
def test_a_name_that_a_caller_has_said_may_be_whom_their_own_booking_is_for() -> None:
    """A child's visit that stands under its mother's name."""
    known = asked("I'm Ana Rivas. My son Leo needs a haircut on Wednesday at noon with Marcus.")
    done(known, "book_appointment", "Haircut", "Ana Rivas", NOON, "bk_1", "Marcus")
    assert is_said("Leo is booked with Marcus on Wednesday at 12:00 PM.", known)


@pytest.mark.requirement("004-2431")
def test_who_is_spoken_to_is_nobody_it_is_told_of() -> None:
    assert is_said("Ana, Mia and Leo are both booked.", two())
    assert is_said("Okay Ana, they're both booked.", two())


@pytest.mark.requirement("004-2433")
def test_an_end_that_an_earlier_result_has_told_is_said_while_that_one_stands() -> None:
    known = asked("I'm Ana Rivas. A color at noon and a haircut after it, please.")
    for service, start, end in (("Color", 12, "13:30"), ("Haircut", 14, "14:30")):
        when = datetime(2026, 12, 9, start, tzinfo=NOW.tzinfo).isoformat()
        receipt = {"what": service, "for": "Ana Rivas", "when": when, "with": "Rosa", "effectIds": [f"bk_{start}"]}
        data = {
            "bookingId": f"bk_{start}",
            "service": service,
            "startTime": when,
            "endTime": f"2026-12-09T{end}:00-05:00",
        }
        called(known, "book_appointment", {"service": service}, ToolResponse(data=data, meta={"receipt": receipt}))
    assert is_said("Your haircut is booked at 2:00 PM with Rosa; your color ends at 1:30 PM.", known)
