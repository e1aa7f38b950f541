"""What callers must not hear of a time that was only offered, of prices, of what cancelling costs and of messages."""

from dataclasses import replace

import pytest

from switchboard.contract.business.business import Business
from switchboard.conversation.session import CallSession
from tests.conversation.claims.test_claim_words import done
from tests.conversation.claims.told_salon import (
    FRIDAY_TEN,
    SALON,
    WEDNESDAY_FOUR,
    Call,
    asked,
    booked,
    found,
    heard,
    is_said,
    knows,
    looked,
    taken,
)
from tests.each import each

AT_HOME: Business = replace(SALON, address="48 Maple Street, Hartwell, NY 12099")
ADDRESS = "Maple Street Hair Studio, 48 Maple Street, Hartwell, NY 12099"
POLICY: Call = (
    "get_policies",
    {"topic": "cancellation"},
    {
        "policies": [
            {
                "topic": "cancellation",
                "content": "You can cancel free of charge until 24 hours before. With less notice we charge half the "
                "price.",
            },
            {
                "topic": "moving",
                "content": "Moving costs nothing until 12 hours before it starts. After that it counts as a "
                "cancellation.",
            },
        ]
    },
    {},
)
THIS_AFTERNOON = "2026-11-30T16:00:00-05:00"


def texted(message: str = ADDRESS) -> CallSession:
    tool, receipt, arguments = done("send_sms", "text message", "+15185550161", id="txt_1", message=message)
    return heard("Could you text me that?", (tool, arguments, {"sent": True}, {"receipt": receipt}))


def late() -> CallSession:
    tool, receipt, arguments = done("take_message", "message", "Ana", id="ms_1", message="For Rosa: ten minutes late.")
    return heard(
        "Please tell Rosa that I'll be ten minutes late.", (tool, arguments, {"taken": True}, {"receipt": receipt})
    )


def cancelled(when: str = FRIDAY_TEN) -> CallSession:
    tool, receipt, arguments = done("cancel_appointment", "cancelled: Haircut", "Ana Rivas", when, "bk_1")
    data = {"cancelled": True, "bookingId": "bk_1", "service": "Haircut", "startTime": when}
    return heard("Please cancel it.", POLICY, (tool, arguments, data, {"receipt": receipt}))


def stands(words: str, when: str) -> CallSession:
    tool, receipt, arguments = done("book_appointment", "Haircut", "Ana Rivas", when, "bk_1")
    data = {"booked": True, "bookingId": "bk_1", "service": "Haircut", "startTime": when, "price": "$48"}
    return heard(words, POLICY, (tool, arguments, data, {"receipt": receipt}))


def both() -> CallSession:
    calls = list[Call]()
    for service, whose, id in (("Haircut", "Ana Rivas", "bk_1"), ("Kids' cut", "Leo Rivas", "bk_2")):
        tool, receipt, arguments = done("book_appointment", service, whose, WEDNESDAY_FOUR, id)
        data = {"booked": True, "bookingId": id, "service": service, "startTime": WEDNESDAY_FOUR}
        calls.append((tool, arguments, data, {"receipt": receipt}))
    return heard("A haircut for me and a kids' cut for Leo on Wednesday the ninth at four, please.", *calls)


NOT_BOOKED = [
    "I've got you down for Friday at 2:30 with Rosa.",
    "I have you with Dana on Friday at half past two.",
    "Got you in for Friday at 2:30 with Marcus.",
    "I put you in with Rosa for Friday at 2:30.",
    "You've got Friday at 2:30 with Dana.",
    "You're good for Friday at 2:30 with Rosa.",
    "We have you in with Marcus at 2:30 on Friday.",
    "Ich habe Sie für Freitag um 14:30 Uhr bei Dana vorgemerkt.",
    "Sie haben Freitag um 14:30 Uhr bei Rosa.",
    "Ich habe Sie am Freitag um 14:30 Uhr bei Marcus drin.",
    "La tengo apuntada el viernes a las 14:30 con Rosa.",
    "Lo he puesto con Dana el viernes a las 14:30.",
    "Je vous ai inscrite vendredi à 14 h 30 avec Rosa.",
    "You're booked with Rosa on Friday at 2:30; what's your name?",
    "Ich habe Sie für Freitag um 14:30 Uhr eingetragen; wie ist Ihr Name?",
    "Le he reservado el viernes a las 14:30, ¿su nombre?",
    "I've booked Leo at 2:30. Shall I book you at 3:30?",
]
OFFERED = [
    "I can put you in with Rosa on Friday at 2:30.",
    "I could get you in with Dana on Friday at 2:30.",
    "Marcus can see you on Friday at 2:30.",
    "Rosa has time for you on Friday at 2:30.",
    "I have 2:30 PM on Friday with Rosa for you.",
    "I've got 2:30 PM on Friday with Dana.",
    "You can have Friday at 2:30 with Rosa.",
    "We've got Marcus free at 2:30 on Friday.",
    "Ich habe Freitag um 14:30 Uhr bei Rosa etwas für Sie frei.",
    "Sie können am Freitag um 14:30 Uhr zu Dana.",
    "Rosa hat am Freitag um 14:30 Uhr Zeit für Sie.",
    "Le puedo ofrecer el viernes a las 14:30 con Rosa.",
    "Dana tiene hueco el viernes a las 14:30.",
    "Rosa est libre vendredi à 14 h 30.",
    "That's free; shall I book it?",
]
BOOKED = [
    "I've got you down for Wednesday at 4 with Rosa.",
    "You're booked with Rosa on Wednesday at 4; anything else?",
    "Ich habe Sie für Mittwoch um 16 Uhr bei Rosa eingetragen; kann ich noch etwas tun?",
]
OTHER_PRICES = [
    "Friday at 2:30 is free, it's $40.",
    "It would be $50.",
    "That comes to thirty-eight dollars.",
    "It's $28, shall I book it?",
    "A haircut runs $58.",
    "Das wären 50 Dollar.",
    "Es kostet achtunddreißig Dollar.",
    "Serían cuarenta dólares.",
    "Ça ferait 40 dollars.",
]
ITS_PRICES = [
    "Friday at 2:30 is free, it's $48.",
    "It would be $48.",
    "That comes to forty-eight dollars.",
    "Our kids' cut is $28.",
    "With a kids' cut it would be $76.",
    "For two haircuts that would be $96.",
    "Highlights start at $165.",
    "A class is $40 each.",
    "Das wären 48 Dollar.",
    "Serían cuarenta y ocho dólares.",
    "Ça ferait 48 dollars.",
]
WRONG_TOTALS = [
    "Both are booked, $96 in total.",
    "That's $100 for both.",
    "That's $96 for Ana and Leo.",
    "Leo's cut is $48 and yours is $28.",
    "$48 for Leo and $28 for you.",
    "Zusammen macht das 96 Dollar.",
    "En total son $96.",
]
TOTALS = [
    "That's $76 for both.",
    "That's $76 for Ana and Leo.",
    "That's $76 for Leo and you.",
    "Leo's is $28, yours is $48.",
    "$48 for you and $28 for Leo.",
    "Zusammen sind das 76 Dollar.",
    "En total son $76.",
]
IN_TIME = ["There's a $24 fee.", "That'll be $24.", "Das kostet 24 Dollar.", "Son $24.", "Half the price, $24, is due."]
FREE = [
    "There's no fee for cancelling.",
    "The cancellation is free of charge.",
    "Die Absage ist kostenlos.",
    "La cancelación es gratis.",
    "L'annulation est gratuite.",
]
MOVES_FREE = [
    "Moving it is free of charge.",
    "Moving it costs you nothing.",
    "Das Verlegen ist kostenlos.",
    "El cambio es gratis.",
    "Le changement est gratuit.",
]
OTHER_LIMITS = [
    "You can cancel free up to 12 hours before.",
    "You can move it free of charge until 24 hours before.",
    "Sie können bis 12 Stunden vorher kostenlos absagen.",
    "Puede cancelar gratis hasta 48 horas antes.",
    "Vous pouvez annuler gratuitement jusqu'à 12 heures avant.",
]
LIMITS = [
    "You can cancel free up to 24 hours before.",
    "You can cancel free of charge up to a day before.",
    "Moving is free up to 12 hours ahead.",
    "Sie können bis 24 Stunden vorher kostenlos absagen.",
    "Puede cancelar gratis hasta veinticuatro horas antes.",
    "Vous pouvez annuler gratuitement jusqu'à 24 heures avant.",
]
NOT_SENT = [
    "I've texted you the address and the prices.",
    "I've texted you a map.",
    "I've sent you the appointment details by text.",
    "I've texted you our address, 84 Maple Street.",
    "I've texted you a link.",
    "Ich habe Ihnen die Wegbeschreibung geschickt.",
    "Le envié los precios por mensaje de texto.",
    "Je vous ai envoyé un plan d'accès par SMS.",
]
SENT = [
    "I've texted you the address.",
    "I've texted you our address, 48 Maple Street.",
    "I sent you the address by text; a haircut is $48.",
    "Ich habe Ihnen die Adresse per SMS geschickt.",
    "Ya le mandé la dirección por mensaje de texto.",
]
NOT_TEN = [
    "I've told Rosa you'll be twenty minutes late.",
    "I left Rosa a message that you're running 15 minutes late.",
    "Ich habe Rosa ausgerichtet, dass Sie zwanzig Minuten später kommen.",
    "Ya le dejé el recado a Rosa: llega veinte minutos tarde.",
    "J'ai prévenu Rosa que vous aurez vingt minutes de retard.",
]
TEN = [
    "I've told Rosa you'll be ten minutes late.",
    "Ich habe Rosa ausgerichtet, dass Sie 10 Minuten später kommen.",
    "Ya le dejé el recado a Rosa: llega diez minutos tarde.",
]


@pytest.mark.requirement("004-2521")
@each("sentence", NOT_BOOKED)
def test_nobody_is_told_to_have_a_time_that_was_only_found_free(sentence: str) -> None:
    assert not is_said(sentence, found())


@pytest.mark.requirement("004-2521")
@each("sentence", OFFERED)
def test_that_somebody_can_see_the_caller_is_offered(sentence: str) -> None:
    assert is_said(sentence, found())


@pytest.mark.requirement("004-2521")
@each("sentence", BOOKED)
def test_what_was_booked_is_told_in_the_same_words_and_before_a_question(sentence: str) -> None:
    assert is_said(sentence, booked())


@pytest.mark.requirement("004-2522")
@each("sentence", OTHER_PRICES)
def test_what_was_looked_up_has_no_other_price(sentence: str) -> None:
    assert not is_said(sentence, found())


@pytest.mark.requirement("004-2522")
@each("sentence", ITS_PRICES)
def test_the_price_of_what_was_looked_up_is_told_and_that_of_what_is_named_beside_it(sentence: str) -> None:
    assert is_said(sentence, found())


@pytest.mark.requirement("004-2522")
@each("sentence", WRONG_TOTALS)
def test_several_cost_what_they_come_to_and_each_its_own(sentence: str) -> None:
    assert not is_said(sentence, both())


@pytest.mark.requirement("004-2522")
@each("sentence", TOTALS)
def test_what_several_come_to_is_told(sentence: str) -> None:
    assert is_said(sentence, both())


@pytest.mark.requirement("004-2523")
@each("sentence", IN_TIME)
def test_a_cancellation_in_good_time_costs_nothing(sentence: str) -> None:
    assert not is_said(sentence, cancelled())
    assert is_said(sentence, cancelled(THIS_AFTERNOON))


@pytest.mark.requirement("004-2523")
@each("sentence", FREE)
def test_a_late_cancellation_is_not_free(sentence: str) -> None:
    assert is_said(sentence, cancelled())
    assert not is_said(sentence, cancelled(THIS_AFTERNOON))


@pytest.mark.requirement("004-2523")
@each("sentence", MOVES_FREE)
def test_a_late_move_is_not_free(sentence: str) -> None:
    assert not is_said(sentence, stands("Could you move it?", THIS_AFTERNOON))
    assert is_said(sentence, stands("Could you move it?", FRIDAY_TEN))


@pytest.mark.requirement("004-2523")
@each("sentence", OTHER_LIMITS)
def test_until_when_cancelling_is_free_is_told_as_the_text_says(sentence: str) -> None:
    assert not is_said(sentence, heard("And if I have to cancel?", POLICY))


@pytest.mark.requirement("004-2523")
@each("sentence", LIMITS)
def test_the_hours_of_the_text_are_told(sentence: str) -> None:
    assert is_said(sentence, heard("And if I have to cancel?", POLICY))


@pytest.mark.requirement("004-2524")
@each("sentence", NOT_SENT)
def test_a_text_holds_what_was_sent(sentence: str) -> None:
    assert not is_said(sentence, texted(), AT_HOME)


@pytest.mark.requirement("004-2524")
@each("sentence", SENT)
def test_what_was_sent_is_told(sentence: str) -> None:
    assert is_said(sentence, texted(), AT_HOME)


def test_prices_and_a_link_that_were_sent_are_told() -> None:
    session = texted("Haircut $48. Find us: https://maps.example.com/x")
    assert is_said("I've texted you the prices and a map.", session, AT_HOME)


@pytest.mark.requirement("004-2524")
@each("sentence", ["We're at 84 Maple Street.", "You'll find us at 12 Maple Street."])
def test_the_house_has_the_number_of_its_address(sentence: str) -> None:
    assert not is_said(sentence, asked(), AT_HOME)
    assert is_said("We're at 48 Maple Street.", asked(), AT_HOME)


@pytest.mark.requirement("004-2524")
def test_parking_in_a_street_is_no_house() -> None:
    text = "Street parking is free after 5 pm, and there are four spaces."
    assert is_said("We're on Maple Street, and street parking is free after 5 PM.", knows(text), AT_HOME)


@pytest.mark.requirement("004-2524")
def test_another_house_that_the_business_tells_of_is_told() -> None:
    assert is_said("You can park at 84 Maple Street.", knows("Parking is at 84 Maple Street."), AT_HOME)


@pytest.mark.requirement("004-2525")
@each("sentence", NOT_TEN)
def test_a_message_says_what_the_caller_has_said(sentence: str) -> None:
    assert not is_said(sentence, late())


@pytest.mark.requirement("004-2525")
@each("sentence", TEN)
def test_what_a_message_says_is_told(sentence: str) -> None:
    assert is_said(sentence, late())


@pytest.mark.requirement("004-2525")
def test_that_somebody_was_told_beside_another_deed_needs_a_message() -> None:
    assert not is_said("You're booked for Wednesday at 4, and I've let Rosa know.", booked())
    assert is_said("I've let Rosa know.", taken("Please tell Rosa that I am late."))


@pytest.mark.requirement("004-2525")
@each("sentence", ["You have nothing booked.", "Sie haben nichts gebucht.", "No tiene nada reservado."])
def test_who_has_an_appointment_is_not_told_to_have_nothing(sentence: str) -> None:
    assert not is_said(sentence, looked())
    assert is_said("You have nothing else booked.", looked())
