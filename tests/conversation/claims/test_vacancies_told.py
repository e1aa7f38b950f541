"""What is free, taken, open, and the caller's own: only what was looked up, and as it was found."""

import pytest

from switchboard.contract.call import ToolCall
from switchboard.contract.error import ErrorType
from switchboard.contract.model import Spoken, ToolMessage
from switchboard.contract.response import Failure, ToolResponse
from switchboard.conversation.session import CallSession
from tests.conversation.claims.told_salon import asked, booked, day_found, found, is_said, looked
from tests.each import each

FREE = [
    "Friday at two thirty is free.",
    "El viernes a las dos y media está libre.",
    "Vendredi à quatorze heures trente, c'est libre.",
    "Freitag um halb drei ist noch frei.",
    "Venerdì alle due e mezza è libero.",
    "Sexta às duas e meia está livre.",
    "Vrijdag om half drie is vrij.",
]
OTHERWISE = [
    "Half past three on Friday is open as well.",
    "El viernes a las tres y media también está libre.",
    "Sí, el jueves a las dos y media está libre.",
    "Vendredi à quinze heures trente, c'est libre aussi.",
    "Il y a aussi de la place à seize heures.",
    "Am Donnerstag um halb drei wäre auch frei.",
    "Giovedì alle due e mezza c'è posto.",
    "Sexta às quatro também há vaga.",
    "Donderdag om half drie is ook vrij.",
    "Vendredi à quatorze heures trente, Lucie est libre.",
    "Venerdì alle quattordici e trenta è libera Lucia.",
    "Solo Marcus está libre el viernes a las dos y media.",
    "Seul Marcus est libre vendredi à quatorze heures trente.",
    "Only Dana is free on Friday at half past two.",
    "Lo siento, el viernes a las dos y media ya está ocupado.",
    "Desculpe, sexta às duas e meia já está ocupado.",
]
FULL = [
    "Friday is fully booked.",
    "El viernes ya está todo lleno.",
    "Vendredi, c'est déjà complet.",
    "Am Freitag ist schon alles voll.",
    "Venerdì siamo al completo.",
    "Sexta está tudo cheio.",
    "Vrijdag zit al helemaal vol.",
]
CLOSED = [
    "We open at nine on Mondays.",
    "Yes, we're open on Sunday from ten to four.",
    "Los lunes abrimos a las nueve.",
    "El lunes estamos de nueve a cinco.",
    "Le lundi, nous ouvrons à neuf heures.",
    "Montags haben wir ab neun Uhr offen.",
    "La domenica siamo aperti dalle dieci.",
    "Estamos abertos à segunda das nove às cinco.",
    "Op zondag zijn wij open vanaf tien uur.",
    "Rosa trabaja los lunes.",
]
OPEN = [
    "We're open Tuesday to Saturday from nine to six.",
    "We don't open on Mondays, but Tuesday we open at nine.",
    "Sunday isn't possible, we're closed then.",
    "Los martes abrimos a las nueve.",
    "Los lunes no abrimos, pero el martes sí, a las nueve.",
    "Le lundi c'est fermé, le mardi nous ouvrons à neuf heures.",
    "Dienstags haben wir ab neun Uhr offen.",
    "Il martedì apriamo alle nove.",
    "Às terças abrimos às nove.",
    "Op dinsdag zijn we vanaf negen uur open.",
    "Rosa trabaja de martes a viernes.",
    "We open on Tuesday after our Monday break.",
    "After Monday we open at nine on Tuesday.",
    "After our Monday break we're open again on Tuesday.",
    "Before Sunday we're open every day from nine to six.",
    "Nach dem Montag haben wir am Dienstag wieder offen.",
    "Después del lunes abrimos el martes a las nueve.",
    "Après le lundi, nous ouvrons mardi à neuf heures.",
    "Dopo il lunedì apriamo martedì alle nove.",
    "Na maandag zijn we dinsdag weer open.",
]
OPEN_ON_A_CLOSED_DAY = [
    "After Tuesday we're open on Sunday.",
    "We open on Monday after our Sunday break.",
    "Na segunda-feira abrimos às nove.",
    "Nach dem Dienstag haben wir am Sonntag offen.",
]
LOOKING = [
    "I can check whether Friday at two is free.",
    "Déjeme ver si el viernes hay hueco.",
    "Si vous voulez, je regarde ce qui est libre vendredi.",
    "Ich schaue, ob am Freitag noch etwas frei ist.",
    "Guardo subito se venerdì alle due e mezza è libero.",
    "Vou já ver se sexta às duas e meia está livre.",
    "Ik kijk of vrijdag nog iets vrij is.",
    "Parking behind the studio is free.",
    "Saturdays are usually booked out weeks ahead.",
]


@each("sentence", FREE)
@pytest.mark.requirement("004-1603")
def test_a_time_is_told_as_free_where_it_was_found_so(sentence: str) -> None:
    assert is_said(sentence, found())
    assert not is_said(sentence, asked())


@each("sentence", OTHERWISE)
@pytest.mark.requirement("004-1603")
def test_what_no_look_up_covers_and_what_it_contradicts_is_held(sentence: str) -> None:
    assert not is_said(sentence, found())


@each("sentence", FULL)
@pytest.mark.requirement("004-1603")
def test_a_day_is_told_as_full_where_it_was_found_so(sentence: str) -> None:
    assert is_said(sentence, day_found(is_full=True))
    assert not is_said(sentence, asked())
    assert not is_said(sentence, day_found())


@pytest.mark.requirement("004-1603")
def test_a_whole_day_is_told_as_it_was_found() -> None:
    for sentence in ("Friday at four thirty is free.", "El viernes a las once está libre.", "Friday at two is taken."):
        assert is_said(sentence, day_found()), sentence
    for sentence in (
        "El viernes a las ocho de la tarde está libre.",
        "Vendredi à vingt heures, c'est libre.",
        "El viernes solo queda a las cuatro y media.",
        "Thursday at two is taken.",
    ):
        assert not is_said(sentence, day_found()), sentence


@each(
    "sentence",
    [
        "On Friday we have nothing after five.",
        "Friday is full except half past four.",
        "On Friday there is nothing between noon and 4:30.",
        "Am Freitag ist nach fünf alles belegt.",
        "El viernes está todo ocupado después de las cinco.",
    ],
)
@pytest.mark.requirement("004-1603")
def test_what_is_told_of_a_part_of_a_day_is_not_held_against_the_rest_of_it(sentence: str) -> None:
    assert is_said(sentence, day_found())


@each("sentence", LOOKING)
@pytest.mark.requirement("004-1603")
def test_what_is_about_to_be_looked_up_is_told_of_no_time(sentence: str) -> None:
    assert is_said(sentence, asked())


def refused(**meta: object) -> CallSession:
    session, call = asked("Book me on Tuesday at ten."), ToolCall("book_appointment", {}, "c1")
    failure = Failure(ErrorType.CONFLICT, "Tuesday at 10:00 is taken.", retryable=False, partial_side_effects=False)
    session.history.add(Spoken("", (call,)))
    session.history.add(ToolMessage("c1", call.name, ToolResponse(failure=failure, meta=meta)))
    return session


@pytest.mark.requirement("004-1603")
def test_what_a_refusal_names_instead_is_told_as_free_and_nothing_else() -> None:
    known = refused(alternatives=[{"start": "2026-12-01T11:00:00-05:00"}])
    assert is_said("Tuesday at ten is taken, but Tuesday at eleven is free.", known)
    assert not is_said("Tuesday at ten is taken, but Tuesday at noon is free.", known)


@each("sentence", CLOSED)
@pytest.mark.requirement("004-1604")
def test_a_closed_day_is_told_as_no_open_one(sentence: str) -> None:
    assert not is_said(sentence, asked())


@each("sentence", OPEN)
@pytest.mark.requirement("004-1604")
def test_the_hours_of_open_days_are_told(sentence: str) -> None:
    assert is_said(sentence, asked())


@each(
    "sentence",
    [
        "I don't see any appointment for you.",
        "There is no booking under your name.",
        "No tiene ninguna cita.",
        "No me aparece ninguna cita a su nombre.",
        "Vous n'avez aucun rendez-vous.",
        "Ich finde keinen Termin von Ihnen.",
        "Non vedo appuntamenti a suo nome.",
        "Não encontro nenhuma marcação em seu nome.",
        "Ik zie geen afspraak voor u.",
        "Tiene dos citas, el miércoles y el viernes.",
    ],
)
@pytest.mark.requirement("004-1604")
def test_where_one_appointment_was_found_neither_none_nor_two_are_told(sentence: str) -> None:
    assert not is_said(sentence, looked())


@each(
    "sentence",
    [
        "You have one appointment; I don't see any other appointment for you.",
        "You don't have any appointment on Saturday.",
        "There is an appointment under your name, on Friday at ten.",
        "Tiene una cita: corte con Marcus, el viernes a las diez.",
        "Vous n'avez pas d'autre rendez-vous.",
        "Sie haben keinen weiteren Termin.",
    ],
)
@pytest.mark.requirement("004-1604")
def test_how_many_appointments_there_are_is_told(sentence: str) -> None:
    assert is_said(sentence, looked())


@pytest.mark.requirement("004-1604")
def test_a_fee_that_there_is_not_is_no_missing_booking() -> None:
    assert is_said("There's no booking fee.", booked())


@each("sentence", OPEN_ON_A_CLOSED_DAY)
@pytest.mark.requirement("004-1603")
def test_a_closed_day_beside_another_one_is_held(sentence: str) -> None:
    assert not is_said(sentence, asked())
