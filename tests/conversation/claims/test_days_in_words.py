"""Which day a sentence names, in Spanish, French, Italian, Portuguese, German and Dutch: in words, and near ones."""

from datetime import date, datetime

import pytest

from switchboard.conversation.claims.entities import mentions, readings
from switchboard.conversation.guard import Unfounded
from tests.conversation.claims.test_claim_words import BOOKED, CANCELLED, NOW, after, done, say
from tests.each import each

WEDNESDAY_FOUR = "2027-03-17T16:00:00-04:00"
BOOKED_THEN = done("book_appointment", "Haircut", "Anna Whitfield", WEDNESDAY_FOUR, "bk_1")
GONE_THEN = done("cancel_appointment", "cancelled: Haircut", "Anna Whitfield", WEDNESDAY_FOUR, "bk_1")

ONE_TIME = [
    "del miércoles a las cuatro",
    "de mercredi à seize heures",
    "du mercredi 17 mars à 16 h",
    "del miércoles diecisiete de marzo a las cuatro",
    "de quarta às quatro",
    "di mercoledì alle sedici",
]
RANGES = [
    "de lunes a viernes",
    "de dix à onze heures",
    "del martes a las tres al jueves a las cuatro",
    "del martes al jueves a las cuatro",
    "de las cuatro al viernes",
    "del martes hasta las cuatro",
]


@each("words", ONE_TIME)
@pytest.mark.requirement("004-1401")
def test_a_day_and_an_hour_are_one_time_and_no_range(words: str) -> None:
    read = readings(f"cita {words}", NOW)
    assert len(read) == 1 and read[0].says_day and read[0].clocks
    assert read[0].agree_with(datetime.fromisoformat(WEDNESDAY_FOUR))


@each("words", RANGES)
@pytest.mark.requirement("004-1401")
def test_what_is_between_two_of_one_kind_is_a_range(words: str) -> None:
    assert len(readings(words, NOW)) == 2


OTHER_TIMES = [
    "Cancelé su cita del martes a las cuatro de la tarde.",
    "Su cita del viernes a las cuatro quedó cancelada.",
    "J'ai annulé le rendez-vous de vendredi à seize heures.",
    "J'ai annulé votre rendez-vous de mercredi à dix-sept heures.",
    "Desmarquei o corte de quinta às quatro.",
    "Ho annullato l'appuntamento di mercoledì alle diciassette.",
    "Ya cancelé la cita del dieciséis de marzo.",
    "J'ai annulé le rendez-vous du seize mars.",
]
ITS_TIME = [
    "Cancelé su cita del miércoles a las cuatro de la tarde.",
    "J'ai annulé votre rendez-vous de mercredi à seize heures.",
    "Desmarquei o corte de quarta às quatro.",
    "Ho annullato l'appuntamento di mercoledì alle sedici.",
    "Ya cancelé la cita del diecisiete de marzo.",
]


@each("sentence", OTHER_TIMES)
@pytest.mark.requirement("004-1401")
def test_what_was_cancelled_is_told_with_no_other_day_or_hour(sentence: str) -> None:
    with pytest.raises(Unfounded):
        say(sentence, after(GONE_THEN))


@each("sentence", ITS_TIME)
@pytest.mark.requirement("004-1401")
def test_what_was_cancelled_is_told_with_its_own(sentence: str) -> None:
    assert say(sentence, after(GONE_THEN)) == sentence


DAYS = [
    ("el dos de diciembre", 12, 2),
    ("del treinta y uno de enero", 1, 31),
    ("el primero de mayo", 5, 1),
    ("le deux décembre", 12, 2),
    ("le vingt et un décembre", 12, 21),
    ("le vingt-deux décembre", 12, 22),
    ("il ventitré dicembre", 12, 23),
    ("il due dicembre", 12, 2),
    ("no dia dois de dezembro", 12, 2),
    ("a vinte e um de março", 3, 21),
    ("op twee december", 12, 2),
    ("den zweiten Dezember", 12, 2),
    ("am einundzwanzigsten März", 3, 21),
    ("the second of December", 12, 2),
]


@each("words, month, day", DAYS)
@pytest.mark.requirement("004-1402")
def test_the_day_of_the_month_is_read_in_words(words: str, month: int, day: int) -> None:
    assert mentions(f"Reservado para {words}.", NOW).month_days == {(month, day)}


@each(
    "words", ["Lei non è sei mai stata qui.", "Which one may I book?", "para dos personas, en marzo", "sei mai venuta"]
)
@pytest.mark.requirement("004-1402")
def test_other_numbers_are_no_days(words: str) -> None:
    assert not mentions(words, NOW).month_days


@each(
    "words",
    ["this Wednesday", "este miércoles", "ce mercredi", "questo mercoledì", "esta quarta-feira", "diesen Mittwoch"],
)
@pytest.mark.requirement("004-1402")
def test_this_wednesday_is_the_next_one(words: str) -> None:
    """Monday is today; of today's name it may be today or in a week; a date says itself which it is."""
    assert mentions(f"Reservado para {words}.", NOW).days == {date(2027, 3, 17)}
    assert not mentions("this Monday", NOW).days
    assert not mentions("este miércoles veinticuatro de marzo", NOW).days
    assert not mentions("este miércoles 24 de marzo", NOW).days


@each(
    "sentence",
    [
        "Reservado para este jueves a las diez.",
        "C'est réservé pour ce mercredi à dix heures.",
        "Reservado para el diecisiete de marzo a las diez.",
        "C'est réservé pour le dix-sept mars à dix heures.",
        "Gebucht für den siebzehnten März um zehn.",
    ],
)
@pytest.mark.requirement("004-1402")
def test_a_booking_is_told_with_no_other_such_day(sentence: str) -> None:
    with pytest.raises(Unfounded):
        say(sentence, after(BOOKED))


@each(
    "sentence",
    [
        "Reservado para este martes a las diez.",
        "C'est réservé pour ce mardi à dix heures.",
        "Reservado para el dieciséis de marzo a las diez.",
        "C'est réservé pour le seize mars à dix heures.",
        "Gebucht für den sechzehnten März um zehn.",
        "È prenotata per il sedici marzo alle dieci.",
        "Ficou marcado para dezesseis de março às dez.",
    ],
)
@pytest.mark.requirement("004-1402")
def test_a_booking_is_told_with_its_day_in_words(sentence: str) -> None:
    assert say(sentence, after(BOOKED)) == sentence


@each("sentence", ["Anulado el corte del martes a las diez.", "Votre coupe de mardi à dix heures est annulée."])
@pytest.mark.requirement("004-1401")
def test_what_was_gone_at_ten_is_told_so(sentence: str) -> None:
    assert say(sentence, after(CANCELLED)) == sentence
