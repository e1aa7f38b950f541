"""Sums in words, and what is charged beside a price: deposits, what no-shows pay, half, twice and nothing."""

import pytest

from tests.conversation.claims.told_salon import asked, booked, is_said, knows
from tests.each import each

TRUE = [
    "A haircut is forty-eight dollars.",
    "Highlights start at one hundred and sixty-five dollars.",
    "I don't know of any deposit.",
    "There may be a fee; I don't know how much.",
    "If you cancel, I can offer you another day.",
    "That would be twice in one week.",
    "Two haircuts are ninety-six dollars.",
    "The consultation is free of charge if you ask for it.",
    "Ein Haarschnitt kostet achtundvierzig Dollar.",
    "El corte cuesta cuarenta y ocho dólares.",
    "Une coupe coûte quarante-huit dollars.",
    "Il taglio costa quarantotto dollari.",
    "Een knipbeurt kost achtenveertig dollar.",
]
UNTOLD = [
    "The cancellation fee is one hundred dollars.",
    "We take a deposit of fifty dollars.",
    "There is a no-show charge of seventy-five dollars.",
    "No-shows pay one hundred dollars.",
    "Highlights are ninety-nine dollars.",
    "A haircut costs twice that on Fridays.",
    "A haircut is free of charge.",
    "Wir nehmen eine Anzahlung von fünfzig Dollar.",
    "Wer nicht erscheint, zahlt hundert Dollar.",
    "Highlights kosten neunundneunzig Dollar.",
    "Freitags kostet ein Haarschnitt das Doppelte.",
    "Cobramos un depósito de cincuenta dólares.",
    "Quien no se presenta paga cien dólares.",
    "Los viernes el corte cuesta el doble.",
    "Nous demandons un acompte de cinquante dollars.",
    "Les frais d'annulation sont de cent dollars.",
    "Chiediamo una caparra di cinquanta dollari.",
    "Cobramos um sinal de cinquenta dólares.",
    "We vragen een aanbetaling van vijftig dollar.",
]
BESIDE_A_BOOKING = [
    "It's booked at half price.",
    "It's booked, and that is free.",
    "Gebucht, und zwar zum halben Preis.",
    "Gebucht, und das ist kostenlos.",
    "C'est réservé à moitié prix.",
]


@each("sentence", TRUE)
@pytest.mark.requirement("004-2462")
def test_a_sum_in_words_that_is_right_is_told(sentence: str) -> None:
    assert is_said(sentence, asked("What does it cost?"))


@each("sentence", UNTOLD)
@pytest.mark.requirement("004-2462")
def test_a_sum_in_words_that_nobody_has_told_is_held(sentence: str) -> None:
    assert not is_said(sentence, asked("What does it cost?"))


@pytest.mark.requirement("004-2462")
def test_what_a_text_of_the_house_charges_is_told() -> None:
    known = knows("Whoever does not come pays $100. The deposit is $50. On Fridays everything is double.")
    for sentence in ("No-shows pay one hundred dollars.", "We take a deposit of fifty dollars."):
        assert is_said(sentence, known)
    assert is_said("A haircut costs twice that on Fridays.", known)


@each("sentence", BESIDE_A_BOOKING)
@pytest.mark.requirement("004-2462")
def test_what_was_booked_costs_what_it_costs(sentence: str) -> None:
    assert not is_said(sentence, booked())
    assert is_said("It's booked, and it costs forty-eight dollars.", booked())
