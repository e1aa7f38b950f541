"""Prices, fees, discounts and services in callers' own words: only what the list, a result or the owner says."""

import pytest

from switchboard.conversation.claims.number_words import sums_said
from tests.conversation.claims.told_salon import asked, booked, heard, is_said, knows, looked
from tests.each import each

PRICES = [
    "A haircut is thirty-five bucks.",
    "El corte cuesta cuarenta dólares.",
    "El corte cuesta treinta.",
    "El corte le sale en treinta y ocho.",
    "Le sale en veinte dólares.",
    "El color cuesta noventa dólares.",
    "La coupe coûte quarante dollars.",
    "La couleur est à quatre-vingt-dix dollars.",
    "Der Haarschnitt kostet fünfunddreißig Dollar.",
    "Il taglio costa quaranta dollari.",
    "Il taglio viene trentotto euro.",
    "O corte custa quarenta dólares.",
    "Een knipbeurt kost vijfendertig dollar.",
]
FEES = [
    "There's a twenty-four dollar fee.",
    "Le cobramos diez dólares por el cambio.",
    "Por el cambio se cobran diez dólares.",
    "Il y a vingt-quatre dollars de frais.",
    "Für die Umbuchung berechnen wir zehn Dollar.",
    "Rosa will give you five dollars off.",
    "You get ten percent off on your first visit.",
    "Hoy tenemos un descuento del veinte por ciento.",
    "Je vous fais dix pour cent de réduction.",
    "Rosa vous fait cinq dollars de remise.",
    "Sie bekommen fünf Dollar Rabatt.",
]
TRUE = [
    "A haircut is forty-eight dollars.",
    "Two haircuts cost ninety-six dollars.",
    "A color starts at a hundred and thirty-five dollars.",
    "A color is a hundred and fifty dollars.",
    "El corte sale en cuarenta y ocho dólares.",
    "El corte de niño cuesta veintiocho dólares.",
    "Las mechas cuestan desde ciento sesenta y cinco dólares.",
    "La coupe est à quarante-huit dollars.",
    "Les mèches coûtent à partir de cent soixante-cinq dollars.",
    "Eine Färbung kostet ab hundertfünfunddreißig Dollar.",
    "Il taglio costa quarantotto dollari.",
    "Le mèches costano da centosessantacinque dollari.",
    "O corte custa quarenta e oito dólares.",
    "De knipbeurt kost achtenveertig dollar.",
    "There's no fee if you cancel a day before.",
    "I'm sorry, I have no prices for extensions.",
]
OTHER_SERVICES = [
    "Your color is booked for Wednesday at four.",
    "Le reservé un tinte para el miércoles a las cuatro.",
    "Le reservé unas mechas para el miércoles a las cuatro.",
    "Je vous ai réservé une coloration mercredi à seize heures.",
    "Ihre Färbung ist für Mittwoch um vier eingetragen.",
    "Il colore è prenotato per mercoledì alle sedici.",
]


@each("sentence", PRICES)
@pytest.mark.requirement("004-1602")
def test_a_price_that_nobody_told_is_held(sentence: str) -> None:
    assert not is_said(sentence, asked())


@each("sentence", FEES)
@pytest.mark.requirement("004-1602")
def test_a_fee_or_a_discount_that_nobody_told_is_held(sentence: str) -> None:
    assert not is_said(sentence, asked())


@each("sentence", [FEES[0], FEES[2], FEES[3], FEES[4], FEES[7], FEES[9]])
@pytest.mark.requirement("004-1602")
def test_a_fee_or_a_discount_is_told_where_a_result_told_it(sentence: str) -> None:
    assert is_said(sentence, knows("We charge $10 for a change, or $24, and take $5 or 20% off."))


@pytest.mark.requirement("004-1602")
def test_half_of_a_price_is_known_where_half_of_it_is_charged() -> None:
    policy = knows("With less notice we charge half the price of the service.")
    assert is_said("There's a twenty-four dollar fee.", policy)
    assert not is_said("There's a twenty-five dollar fee.", policy)


@pytest.mark.requirement("004-1602")
def test_what_adds_up_from_what_was_told_is_told() -> None:
    """A share of a sum that was told, and the sum of others in the same sentence; another result is nobody's."""
    told = knows("At weekends there is a surcharge of 50% on the hour of $72; coming to you costs $45.")
    assert is_said("With the surcharge of 50% on $72 it is $36 more.", told)
    assert is_said("With the surcharge of $36 on $72 and $45 it is $153.", told)
    assert not is_said("The surcharge is $40.", told)
    off = knows("Members have 20% off.")
    assert is_said("We take 20% off, which makes a haircut $38.40.", off)
    assert not is_said("We take 20% off, which makes a haircut $35.", off)
    assert not is_said("With the surcharge of $36 on $72 and $45 it is $160.", told)


@pytest.mark.requirement("004-1602")
def test_what_a_tool_tells_as_a_number_is_told_as_a_sum() -> None:
    data = {"quote": {"total": 262.5, "deposit": 50, "travelCents": 1_875}, "durationMinutes": 40, "partySize": 3}
    told = heard("What would a bridal set cost?", ("ask_price", {}, data, {}))
    for sentence in (
        "It costs $262.50.",
        "That costs 262.50 dollars.",
        "Das kostet 262,50 Euro.",
        "There is a booking fee of $50.",
        "There's a fifty dollar fee.",
        "There is a fee of $18.75.",
    ):
        assert is_said(sentence, told), sentence
    for sentence in ("It costs $261.50.", "There is a booking fee of $41.", "There is a fee of $3."):
        assert not is_said(sentence, told), sentence


@each("sentence", TRUE)
@pytest.mark.requirement("004-1602")
def test_what_the_list_says_is_told_in_every_language(sentence: str) -> None:
    assert is_said(sentence, asked())


@each(
    "sentence",
    [
        "Su corte del miércoles a las cuatro está reservado y cuesta cuarenta y ocho dólares.",
        "Prenotato, sono quarantotto dollari.",
        "Está marcado, são quarenta e oito dólares.",
        "Uw knipbeurt is geboekt voor woensdag om vier uur, dat kost achtenveertig dollar.",
        "Your haircut with Rosa is booked for Wednesday at four; color is something you can add later.",
    ],
)
@pytest.mark.requirement("004-1602")
def test_what_was_booked_is_told_with_its_price(sentence: str) -> None:
    assert is_said(sentence, booked())


@each("sentence", ["Prenotato, sono trentacinque dollari.", "Está marcado, são trinta e cinco dólares."])
@pytest.mark.requirement("004-1602")
def test_another_price_than_was_booked_is_held(sentence: str) -> None:
    assert not is_said(sentence, booked())


@each("sentence", OTHER_SERVICES)
@pytest.mark.requirement("004-1602")
def test_another_service_than_was_booked_is_held_whatever_it_is_called(sentence: str) -> None:
    assert not is_said(sentence, booked())


@pytest.mark.requirement("004-1602")
def test_another_service_than_was_found_is_held() -> None:
    assert not is_said("Vous avez une couleur vendredi à dix heures.", looked())
    assert is_said("Vous avez une coupe vendredi à dix heures.", looked())


@pytest.mark.requirement("004-1602")
def test_sums_are_read_in_seven_languages() -> None:
    for words, number in {
        "centosessantacinque dollari": 165,
        "ventuno euro": 21,
        "trentotto euro": 38,
        "cento e sessenta e cinco dólares": 165,
        "duzentos e quarenta reais": 240,
        "honderdvijfenzestig dollar": 165,
        "tweeëntwintig euro": 22,
    }.items():
        assert sums_said(words) == [number], words


@each(
    "sentence",
    [
        "The haircut for your child is booked for Wednesday the ninth at four.",
        "Your child's haircut is booked for Wednesday the ninth at four.",
        "The haircut for your little child is booked for Wednesday the ninth at four.",
        "Der Haarschnitt für Ihre Kinder ist für Mittwoch um vier eingetragen.",
        "El corte para su niña está reservado para el miércoles a las cuatro.",
        "La coupe pour votre enfant est réservée mercredi à seize heures.",
        "Il taglio per il suo bambino è prenotato per mercoledì alle sedici.",
        "O corte para a sua criança está marcado para quarta às quatro da tarde.",
    ],
)
@pytest.mark.requirement("004-1602")
def test_for_whom_a_haircut_is_is_no_other_service(sentence: str) -> None:
    assert is_said(sentence, booked())


@each(
    "sentence",
    [
        "Your kids' cut is booked for Wednesday the ninth at four.",
        "El corte de niño está reservado para el miércoles a las cuatro.",
        "La coupe enfant est réservée mercredi à seize heures.",
        "The color for your child is booked for Wednesday the ninth at four.",
    ],
)
@pytest.mark.requirement("004-1602")
def test_a_cut_of_another_kind_than_was_booked_is_held(sentence: str) -> None:
    assert not is_said(sentence, booked())
