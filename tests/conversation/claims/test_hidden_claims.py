"""Claims that what stands around them hides, deeds in a row, and what is told beside a deed that was done."""

from dataclasses import replace

import pytest

from switchboard.contract.call import ToolCall
from switchboard.contract.error import ErrorType
from switchboard.contract.model import Spoken, ToolMessage
from switchboard.contract.response import Failure, ToolResponse
from switchboard.conversation.session import CallSession
from tests.conversation.claims.test_claim_words import done
from tests.conversation.claims.told_salon import asked, booked, heard, is_said, knows, taken
from tests.each import each

HIDDEN = [
    "As I said, it is booked.",
    "It was already booked.",
    "You already have that appointment.",
    "As we discussed, your appointment is already in the book.",
    "I wrote it down and booked you too.",
    "I have done what you asked for.",
    "Would you believe it, it's booked?",
    "Did you know that you are booked for Thursday?",
    "Status: confirmed",
    "Thu 15:00 ok",
    "Let me just say: booked",
    "Wie gesagt, der Termin ist gebucht.",
    "Der Termin war schon gebucht.",
    "Wissen Sie, dass Sie für Donnerstag gebucht sind?",
    "Como le dije, ya está reservado.",
    "Ya tiene esa cita.",
    "Vous avez déjà ce rendez-vous.",
]
NEVER_DONE = [
    *HIDDEN,
    "I cancelled it too.",
    "You don't have to come in any more.",
    "You no longer need to come in.",
    "Sie müssen nicht mehr kommen.",
    "Ya no tiene que venir.",
    "Vous n'avez plus besoin de venir.",
    "I called an ambulance.",
    "Help is on the way.",
    "Hilfe ist unterwegs.",
    "He llamado a una ambulancia.",
    "J'ai appelé une ambulance.",
    "I asked Rosa and she said yes.",
    "Please hold for Rosa.",
    "Okay, we won't text you any more.",
    "I won't save your number.",
    "Nothing is recorded or stored.",
    "Wir schreiben Ihnen keine SMS mehr.",
    "Ich speichere Ihre Nummer nicht.",
    "Nichts wird aufgezeichnet oder gespeichert.",
    "No guardaré su número.",
    "No se graba ni se guarda nada.",
    "Je n'enregistre pas votre numéro.",
    "Rien n'est enregistré ni conservé.",
]
NOTHING_CLAIMED = [
    "Would you like it booked?",
    "Are you booked for Thursday already?",
    "Did you know that we also offer highlights?",
    "I can't call an ambulance from here; please dial 911.",
    "Please hold on a moment.",
    "Should I ask Rosa?",
    "Do you want us to stop texting you?",
    "I can't do that here; nothing was saved.",
    "Nothing has been booked or cancelled.",
    "If you no longer want to come, I can cancel it.",
    "Möchten Sie nicht mehr kommen?",
    "Bitte rufen Sie sofort den Notruf.",
    "Appelez le 911, s'il vous plaît.",
]
BEHIND_A_FAILURE = [
    "Sorry, that failed, so I booked Tuesday instead.",
    "That one failed, but I got you in on Wednesday.",
    "Friday failed; Tuesday is booked.",
    "It failed at first but then it was booked.",
]
MORE_THAN_WAS = [
    "All done: booked, texted and e-mailed.",
    "It is booked and paid.",
    "Booked, and it's paid for.",
    "You're booked for two haircuts.",
    "You're booked every week from now on.",
    "It's booked for you every month from now on.",
    "I sent it to your wife.",
    "Gebucht und bezahlt.",
    "Sie sind ab jetzt jede Woche gebucht.",
    "Queda reservado cada semana a partir de ahora.",
    "C'est réservé chaque semaine désormais.",
    "C'est réservé et payé.",
]


def failed() -> CallSession:
    session = heard("A haircut on Friday at ten, please.")
    call = ToolCall("book_appointment", {"service": "Haircut", "start_time": "2026-12-04T10:00:00"}, "f1")
    response = ToolResponse(failure=Failure(ErrorType.CONFLICT, "That time is taken.", False, False))
    session.history.add(Spoken("", (call,)))
    session.history.add(ToolMessage(call.call_id, call.name, response))
    session.note(call, response, 1.0)
    return session


@each("sentence", NEVER_DONE)
@pytest.mark.requirement("004-2465")
def test_what_was_never_done_is_not_said_whatever_stands_around_it(sentence: str) -> None:
    assert not is_said(sentence, asked())


@each("sentence", [one for one in HIDDEN if "15:00" not in one and "Thursday" not in one and "Donnerstag" not in one])
@pytest.mark.requirement("004-2465")
def test_the_same_is_said_where_it_was_done(sentence: str) -> None:
    assert is_said(sentence, booked())


@each("sentence", NOTHING_CLAIMED)
@pytest.mark.requirement("004-2465")
def test_what_claims_nothing_is_said(sentence: str) -> None:
    assert is_said(sentence, asked())


@each("sentence", BEHIND_A_FAILURE)
@pytest.mark.requirement("004-2465")
def test_nothing_was_done_behind_what_failed(sentence: str) -> None:
    assert not is_said(sentence, failed())
    assert is_said("I'm sorry, that time is already booked.", failed())


@each("sentence", MORE_THAN_WAS)
@pytest.mark.requirement("004-2466")
def test_of_a_deed_no_more_is_told_than_was_done(sentence: str) -> None:
    assert not is_said(sentence, booked())


@pytest.mark.requirement("004-2466")
def test_a_text_went_where_it_was_sent() -> None:
    tool, receipt, arguments = done("send_sms", "text message", "+15185550161", id="tx_1")
    sent = heard("Send it to my phone.", (tool, {**arguments, "message": "48 Maple Street"}, {}, {"receipt": receipt}))
    sent.facts = replace(sent.facts, caller_phone="+15185550161")
    assert is_said("I sent it to your phone.", sent)
    assert not is_said("I sent it to your wife.", sent)


@pytest.mark.requirement("004-2466")
def test_what_was_done_is_told_with_what_belongs_to_it() -> None:
    for sentence in ("All done: booked.", "It's booked, and you pay at the salon.", "You're booked for a haircut."):
        assert is_said(sentence, booked())
    assert is_said("Nothing is recorded or stored.", knows("Privacy: nothing is recorded or stored."))
    assert is_said("I've noted that, and somebody will call you back.", taken())
