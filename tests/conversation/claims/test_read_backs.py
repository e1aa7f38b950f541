"""What is read back before it is booked, and offered: it claims nothing done, and is said where it was found."""

from typing import Any

import pytest

from switchboard.contract.call import ToolCall
from switchboard.contract.model import Spoken, ToolMessage
from switchboard.contract.response import ToolResponse
from switchboard.conversation.guard import Unfounded
from switchboard.conversation.session import CallSession
from tests.conversation.claims.test_claim_words import MESSAGE, after, say
from tests.each import each

# Told on Monday noon, March 15.
FRIDAY_HALF_PAST_TWO = "2027-03-19T14:30:00-04:00"


def found(when: str = FRIDAY_HALF_PAST_TWO) -> CallSession:
    """Return a conversation in which a time was just found free."""
    session = after()
    data: dict[str, Any] = {"available": True, "asked": when, "openTimes": [when], "service": "Haircut"}
    session.history.add(Spoken("", (ToolCall("check_availability", {}, "c1"),)))
    session.history.add(ToolMessage("c1", "check_availability", ToolResponse(data=data)))
    session.note(ToolCall("check_availability", {}, "c1"), ToolResponse(data=data), 1.0)
    return session


READ_BACK = [
    "Le confirmo los datos: corte, viernes 19 de marzo, 14:30, a nombre de Ana Molina. ¿Correcto?",
    "Le confirmo los datos antes de reservar: viernes 19 de marzo a las 14:30, corte. ¿Correcto?",
    "Resumiendo: Ana Molina, corte, viernes a las dos y media. ¿Lo dejo así?",
    "Vale, pues viernes, dos y media. ¿Procedo?",
    "Je vous confirme : une coupe vendredi dix-neuf mars à quatorze heures trente. C'est bon ?",
    "Le confermo i dati: taglio, venerdì 19 marzo alle 14:30, a nome Anna Costa. Giusto?",
    "Ricapitolo: taglio, venerdì 19 marzo alle 14:30, a nome Anna Ricci. Confermo?",
    "Sarebbe quindi un taglio venerdì alle quattordici e trenta, a nome Anna Rizzo. Va bene così?",
    "Resumindo: corte na sexta às duas e meia. Confirma?",
    "Let me confirm the details: haircut, Friday March 19, 2:30 PM, under Anna Salas. Correct?",
    "Ich wiederhole: Haarschnitt, Freitag, 19. März, 14:30 Uhr, auf den Namen Ana Ibarra. Richtig?",
]
OTHERWISE = [
    "Le confirmo los datos: corte, viernes 19 de marzo, 15:30, a nombre de Ana Molina. ¿Correcto?",
    "Resumiendo: Ana Molina, corte, jueves a las dos y media. ¿Lo dejo así?",
    "Vale, pues viernes, tres y media. ¿Procedo?",
    "Je vous confirme : une coupe vendredi vingt-six mars à quatorze heures trente. C'est bon ?",
    "Ricapitolo: taglio, venerdì 19 marzo alle 16:30, a nome Anna Ricci. Confermo?",
    "Let me confirm the details: haircut, Friday March 19, 3:30 PM, under Anna Salas. Correct?",
]
DONE = [
    "Le confirmo: queda reservado el viernes a las dos y media. ¿Correcto?",
    "Listo, ya le reservé el viernes a las dos y media. ¿Está bien?",
    "C'est réservé, vendredi à quatorze heures trente. C'est bon ?",
    "I've booked you for Friday at 2:30 PM. Okay?",
    "Ich habe Sie für Freitag um 14:30 Uhr eingetragen. Richtig?",
    "Le confirmo los datos: corte, viernes 19 de marzo, 14:30, a nombre de Ana Molina. ¿Algo más?",
]


@each("sentence", READ_BACK)
@pytest.mark.requirement("004-1403")
def test_what_was_found_free_is_read_back_before_it_is_booked(sentence: str) -> None:
    assert say(sentence, found()) == sentence


@each("sentence", OTHERWISE)
@pytest.mark.requirement("004-1403")
def test_another_time_than_was_found_is_not_read_back_and_calls_for_no_booking(sentence: str) -> None:
    with pytest.raises(Unfounded) as held:
        say(sentence, found())
    assert "book_appointment" not in held.value.correction


@each("sentence", [*READ_BACK[:2], *READ_BACK[4:7], *READ_BACK[9:]])
@pytest.mark.requirement("004-1403")
def test_where_nothing_was_looked_up_a_short_question_makes_no_read_back(sentence: str) -> None:
    with pytest.raises(Unfounded) as held:
        say(sentence, after())
    assert "book_appointment" not in held.value.correction


@each("sentence", DONE)
@pytest.mark.requirement("004-1403")
def test_with_a_deed_in_it_a_read_back_stays_a_claim(sentence: str) -> None:
    with pytest.raises(Unfounded):
        say(sentence, found())


OFFERS = [
    "Bonne nouvelle, vendredi à quatorze heures trente, on peut vous prendre.",
    "Oui, on peut vous recevoir vendredi à quatorze heures trente.",
    "Venerdì alle due e mezza possiamo riceverla.",
    "Podemos atenderla el viernes a las dos y media.",
    "We can see you Friday at 2:30 PM.",
]


@each("sentence", OFFERS)
@pytest.mark.requirement("004-1403")
def test_that_somebody_can_be_seen_when_it_was_found_free_is_offered(sentence: str) -> None:
    assert say(sentence, found()) == sentence


TAKEN = [
    "Apuntado.",
    "Queda apuntado.",
    "C'est noté.",
    "C'est noté, merci.",
    "Segnato.",
    "Ho annotato il suo messaggio.",
    "Noted.",
    "Notiert.",
    "Rosa recibirá su mensaje.",
    "He dejado su mensaje, Ana; lo recibirá Rosa.",
]


@each("sentence", TAKEN)
@pytest.mark.requirement("004-1404")
def test_noted_is_said_of_the_message_that_was_taken_in_this_turn(sentence: str) -> None:
    assert say(sentence, after(MESSAGE)) == sentence


@each("sentence", ["Queda apuntado.", "Segnato.", "Notiert.", "Apuntado."])
@pytest.mark.requirement("004-1404")
def test_noted_is_not_said_where_nothing_was(sentence: str) -> None:
    with pytest.raises(Unfounded):
        say(sentence, after())


@each("sentence", ["Apuntado para el viernes a las diez.", "C'est noté, vendredi à dix heures."])
@pytest.mark.requirement("004-1404")
def test_a_message_is_no_appointment(sentence: str) -> None:
    with pytest.raises(Unfounded):
        say(sentence, after(MESSAGE))
