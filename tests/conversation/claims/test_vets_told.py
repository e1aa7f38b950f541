"""What a veterinary practice tells: animals' names, addresses, titles, ranges of prices, lengths and notes.

True sentences are said and untrue ones are held, in seven languages.
"""

from collections.abc import Callable

import pytest

from switchboard.conversation.session import CallSession
from tests.conversation.claims.guarded import guard_of, held_by
from tests.conversation.claims.test_claim_words import DEFINITIONS
from tests.conversation.claims.told_salon import NOW, heard, is_said
from tests.conversation.claims.told_vets import VETS, booked, house_visit
from tests.each import each


def two_animals() -> CallSession:
    words = "Bella and Luna both need a vet, Bella limps. My name is Tom Hale."
    return booked(words, customer="Tom Hale", service="Long visit")


def a_visit() -> CallSession:
    return booked("A visit, please.")


def at_lakeside() -> CallSession:
    return booked("A visit, please.", person="Dr. Ben Okafor (Lakeside)")


def noted() -> CallSession:
    return booked("The dog is old.", notes="Dog is old, limps on the left")


def looked_up() -> CallSession:
    people = ["Dr. Anna Reid", "Dr. Ben Okafor 9:00 to 10:00"]
    free = [{"date": "2026-12-01", "times": "Tuesday 8:30 to 12:00", "with": people}]
    data = {"available": True, "conflicts": [], "openTimes": [], "free": free}
    return heard("Tomorrow morning?", ("check_availability", {"date": "2026-12-01"}, data, {}))


@each(
    "known, sentence",
    [
        (booked, "That's booked: Tuesday the 15th at nine with Dr. Anna Reid for Biscuit."),
        (booked, "The appointment for Biscuit is confirmed: 15 December, 9:00, Dr. Anna Reid."),
        (booked, "Der Termin für Biscuit ist eingetragen: Dienstag, 15. Dezember, 9 Uhr bei Dr. Reid."),
        (booked, "La cita para Biscuit queda reservada: martes 15 de diciembre a las nueve."),
        (booked, "Le rendez-vous pour Biscuit est confirmé : mardi 15 décembre à neuf heures."),
        (booked, "L'appuntamento per Biscuit è confermato: martedì 15 dicembre alle nove."),
        (booked, "A consulta para Biscuit está marcada: terça-feira, 15 de dezembro às nove."),
        (booked, "De afspraak voor Biscuit is geboekt: dinsdag 15 december om negen uur."),
        (booked, "You're booked for Tuesday the 15th at nine, for Priya Shah."),
        (booked, "Booked for Mrs Shah on Tuesday the 15th at nine."),
        (
            two_animals,
            "That's booked, Tom: Tuesday the 15th at nine, a full hour with Dr. Anna Reid for Bella and Luna.",
        ),
        (two_animals, "That's booked for Bella, Tuesday the 15th at nine."),
    ],
)
@pytest.mark.requirement("004-2301")
def test_a_name_that_the_caller_has_said_is_whom_something_may_be_for_said(
    known: Callable[[], CallSession], sentence: str
) -> None:
    assert is_said(sentence, known(), VETS)


@each(
    "known, sentence",
    [
        (booked, "The appointment for Maria Lopez is booked: Tuesday the 15th at nine."),
        # Whose it is, beside whom it is not for, makes it no truer.
        (booked, "That's booked for Miguel Torres, Priya: Tuesday the 15th at nine."),
        (booked, "That's booked for Miguel, Priya Shah: Tuesday the 15th at nine."),
        (booked, "Your visit is booked for Thomas on Tuesday the 15th at nine."),
        (booked, "The appointment for Biscuit is confirmed: Wednesday the 16th at nine."),
        (booked, "It's booked on Tuesday the 15th at nine under Biscuit Brown."),
        (two_animals, "That's booked for Rex, Tuesday the 15th at nine."),
    ],
)
@pytest.mark.requirement("004-2301")
def test_a_name_that_the_caller_has_said_is_whom_something_may_be_for_held(
    known: Callable[[], CallSession], sentence: str
) -> None:
    assert not is_said(sentence, known(), VETS)


@each(
    "sentence",
    [
        "Booked: a house visit on Tuesday, 15 December at 13:30, at 4 Mill Lane.",
        "Your house visit at 4 Mill Lane is booked for Tuesday the 15th at half past one.",
        "It's booked for Tuesday the 15th at half past one at 27 Station Road.",
        "Booked: a house visit on Tuesday, 15 December at 13:30 with Dr. Anna Reid, at 4 Mill Lane, for Jo Lund.",
        "It's booked with apartment 3, Tuesday the 15th at half past one.",
        "Der Hausbesuch ist eingetragen: Dienstag, 15. Dezember, 13:30 Uhr, Lindenweg 4.",
        "Der Hausbesuch ist für Dienstag um halb zwei am Lindenweg 4 eingetragen.",
        "Der Hausbesuch am Dienstag um 13:30 Uhr in der Mühlgasse 12 ist gebucht.",
        "Der Hausbesuch am Dienstag um 13:30 Uhr, Am Anger 7, ist gebucht.",
        "Gebucht ist der Hausbesuch am Dienstag um halb zwei, Auf der Höhe 3.",
        "La visita queda reservada el martes 15 a las 13:30 en la calle Mayor 4.",
        "La visita queda reservada el martes 15 a las 13:30 en el 4 de la calle Mayor.",
        "La visite est réservée mardi 15 à 13h30 au 4 rue des Lilas.",
        "La visite est réservée mardi 15 à 13h30, 4 bis rue des Lilas.",
        "La visita è prenotata per martedì 15 alle 13:30 in via Roma 4.",
        "A visita está marcada para terça-feira, 15, às 13:30 na Rua das Flores 4.",
        "De afspraak is geboekt op dinsdag 15 december om 13.30 uur, Molenstraat 4.",
        "De afspraak is geboekt op dinsdag 15 december om half twee op Molenweg 4.",
        "Your house visit at 10 Downing Street is booked for Tuesday the 15th at 1:30 PM.",
        "Your house visit at 9 Oak Close is booked for Tuesday the 15th at 1:30 PM.",
    ],
)
@pytest.mark.requirement("004-2302")
def test_the_number_of_a_house_is_no_hour_said(sentence: str) -> None:
    assert is_said(sentence, house_visit(), VETS)


@each(
    "sentence",
    [
        "Your house visit is booked for Tuesday the 15th at 4.",
        "Your house visit is booked for Tuesday at 4 at Mill Lane.",
        "Der Hausbesuch ist für Dienstag um 4 Uhr am Lindenweg eingetragen.",
        "Der Hausbesuch ist am Dienstag um 4 in der Mühlgasse 12 gebucht.",
        "La visite est réservée mardi 15 à 4 heures rue des Lilas.",
        "La visita queda reservada el martes 15 a las 4 en la calle Mayor.",
        "La visita è prenotata per martedì 15 alle 4 in via Roma.",
        "Your house visit is booked for Tuesday at 4 with Dr. Anna Reid.",
        "Your house visit is booked at 4 on Tuesday.",
    ],
)
@pytest.mark.requirement("004-2302")
def test_the_number_of_a_house_is_no_hour_held(sentence: str) -> None:
    assert not is_said(sentence, house_visit(), VETS)


@each(
    "known, sentence",
    [
        (a_visit, "Your visit on the 15th is with Dr. Reid."),
        (a_visit, "You're booked with Dr. Reid on Tuesday the 15th at nine."),
        (a_visit, "Der Termin am 15. Dezember um neun ist bei Frau Dr. Reid."),
        (a_visit, "Der Termin ist bei Frau Reid."),
        (a_visit, "Su cita es con la doctora Reid."),
        (a_visit, "Votre rendez-vous est avec le docteur Reid."),
        (a_visit, "Dr. Okafor is at Lakeside on Thursdays."),
        (a_visit, "Booked with Dr. Reid, Tuesday the 15th at nine, room for two animals."),
        (a_visit, "Dr. Reid will see Biscuit on Tuesday the 15th at nine."),
        (a_visit, "The nurse's name is Kim Lee."),
        (a_visit, "Il suo appuntamento è con la dottoressa Reid."),
        (a_visit, "A sua consulta é com a doutora Reid."),
        (a_visit, "Uw afspraak is bij dokter Reid."),
        (a_visit, "Kim Lee does the nurse appointments."),
        (a_visit, "I can't say whether Dr. Okafor is free."),
        (a_visit, "Would you like to see Dr. Okafor?"),
        (at_lakeside, "Your visit is with Dr. Okafor."),
        (at_lakeside, "You're booked with Ben on Tuesday the 15th at nine."),
        (at_lakeside, "You're booked with Dr. Ben Okafor on Tuesday the 15th at nine."),
    ],
)
@pytest.mark.requirement("004-2303")
def test_who_is_named_by_a_title_or_a_name_of_several_is_known_said(
    known: Callable[[], CallSession], sentence: str
) -> None:
    assert is_said(sentence, known(), VETS)


@each(
    "known, sentence",
    [
        (a_visit, "Your visit on the 15th is with Dr. Okafor."),
        (a_visit, "Your visit on the 15th is with nurse Kim."),
        (a_visit, "Your visit is with Doctor Okafor."),
        (a_visit, "Your visit is with Ben."),
        (a_visit, "You're booked with Ben on Tuesday the 15th at nine."),
        (a_visit, "You're booked with Dr. Ben on Tuesday the 15th at nine."),
        (a_visit, "Dr. Okafor has time on Thursday the 17th at ten."),
        (a_visit, "Dr. Reid has time on Thursday the 17th at ten."),
        (a_visit, "Frau Dr. Reid ist am Donnerstag um zehn frei."),
        (a_visit, "Frau Dr. Okafor ist am Donnerstag um zehn frei."),
        (a_visit, "Der Termin am 15. Dezember um neun ist bei Dr. Okafor."),
        (a_visit, "Nurse Kim is free on Thursday the 17th at ten."),
        (a_visit, "Okafor is free on Thursday the 17th at ten."),
        (a_visit, "Su cita es con la doctora Okafor."),
        (a_visit, "Su cita es con el doctor Okafor."),
        (a_visit, "Votre rendez-vous est avec le docteur Okafor."),
        (a_visit, "Il suo appuntamento è con il dottor Okafor."),
        (a_visit, "A sua consulta é com o doutor Okafor."),
        (a_visit, "Uw afspraak is bij dokter Okafor."),
        (a_visit, "La doctora Reid está libre el jueves a las diez."),
        (a_visit, "Le docteur Reid est libre jeudi à dix heures."),
        (a_visit, "La dottoressa Reid è libera giovedì alle dieci."),
        (a_visit, "A doutora Reid está livre na quinta-feira às dez."),
        (a_visit, "Dokter Reid is donderdag om tien uur vrij."),
        (at_lakeside, "Your visit on the 15th is with Dr. Reid."),
        (at_lakeside, "You're booked with Nurse Kim on Tuesday the 15th at nine."),
    ],
)
@pytest.mark.requirement("004-2303")
def test_who_is_named_by_a_title_or_a_name_of_several_is_known_held(
    known: Callable[[], CallSession], sentence: str
) -> None:
    assert not is_said(sentence, known(), VETS)


@each(
    "sentence",
    [
        "A Standard visit costs from £48 to £62.",
        "A Standard visit costs £48 to £62.",
        "A Standard visit is between £48 and £62.",
        "A Standard visit starts at £48.",
        "A Standard visit costs between forty-eight and sixty-two pounds.",
        "A Standard visit costs 48 pounds to 62.",
        "Ein Standard visit kostet achtundvierzig bis zweiundsechzig Pfund.",
        "Une Standard visit coûte entre quarante-huit et soixante-deux livres.",
        "Una Standard visit cuesta entre cuarenta y ocho y sesenta y dos libras.",
        "Una Standard visit costa da quarantotto a sessantadue sterline.",
        "Um Standard visit custa de quarenta e oito a sessenta e duas libras.",
        "Een Standard visit kost achtenveertig tot tweeënzestig pond.",
        "A Standard visit costs from £48.",
        "A house visit is from £95.",
        "A nurse appointment costs £18.",
        "A Standard visit is £48 or more, up to £62.",
        "Eine Standard visit kostet 48 bis 62 Pfund.",
        "Ein Standard visit kostet zwischen 48 und 62 Pfund.",
        "The visit will be somewhere from 48 to 62 pounds.",
        "A Vaccination costs from £40.",
        "A short visit is £28 to £36 and a long visit £85 to £110.",
        "A Standard visit is usually around £50.",
        "A Standard visit costs at least £48.",
        "You're booked for Tuesday the 15th at nine, that will be £48 to £62.",
    ],
)
@pytest.mark.requirement("004-2304")
def test_of_a_price_from_one_sum_to_another_no_one_sum_is_told_said(sentence: str) -> None:
    assert is_said(sentence, a_visit(), VETS)


@each(
    "sentence",
    [
        "A house visit is £95.",
        "A Standard visit costs £55.",
        "A Standard visit costs £40.",
        "A Standard visit costs between sixty and eighty pounds.",
        "A Standard visit costs 40 pounds.",
        "A Standard visit costs between £60 and £80.",
        "Your visit costs £30.",
        "You're booked for Tuesday the 15th at nine, that will be 90 pounds.",
        "A Standard visit costs £60 to £80.",
        "A Standard visit costs from £30.",
        "Eine Standard visit kostet 40 Pfund.",
        "Ihr Termin kostet 40 Pfund.",
        "La Standard visit cuesta 40 libras.",
        "La Standard visit coûte 40 livres.",
        "La Standard visit costa 40 sterline.",
        "A Standard visit custa 40 libras.",
        "De Standard visit kost 40 pond.",
        "Eine Standard visit kostet zwischen 60 und 80 Pfund.",
        "La Standard visit coûte entre 60 et 80 livres.",
        "A Standard visit costs up to £80.",
        "A nurse appointment costs £25.",
        "A vaccination is £30.",
    ],
)
@pytest.mark.requirement("004-2304")
def test_of_a_price_from_one_sum_to_another_no_one_sum_is_told_held(sentence: str) -> None:
    assert not is_said(sentence, a_visit(), VETS)


@each(
    "known, sentence",
    [
        (a_visit, "Booked: Tuesday the 15th at nine with Dr. Anna Reid, for half an hour."),
        (a_visit, "Your visit takes 30 minutes."),
        (a_visit, "A house visit takes an hour."),
        (a_visit, "A long visit takes 60 minutes."),
        (a_visit, "Please come 10 minutes early."),
        (a_visit, "It's about 30 minutes."),
        (a_visit, "Your visit is booked for thirty minutes."),
        (a_visit, "A standard visit takes about half an hour."),
        (a_visit, "Ihr Termin dauert 30 Minuten."),
        (a_visit, "Ihr Termin dauert eine halbe Stunde."),
        (a_visit, "Su cita dura media hora."),
        (a_visit, "Votre rendez-vous dure 30 minutes."),
        (a_visit, "L'appuntamento dura mezz'ora."),
        (a_visit, "A consulta dura meia hora."),
        (a_visit, "De afspraak duurt een half uur."),
        (a_visit, "You're booked, and the drive takes an hour."),
        (a_visit, "I can note that for you."),
        (a_visit, "Shall I note that the dog is old?"),
        (noted, "I have noted that the dog is old."),
        (noted, "I've noted that the dog limps on the left."),
    ],
)
@pytest.mark.requirement("004-2305")
def test_another_length_is_held_and_nothing_is_told_as_noted_that_was_not_said(
    known: Callable[[], CallSession], sentence: str
) -> None:
    assert is_said(sentence, known(), VETS)


@each(
    "known, sentence",
    [
        (a_visit, "You're booked for an hour on Tuesday the 15th at nine."),
        (a_visit, "Your visit takes 60 minutes."),
        (a_visit, "Your house visit takes 30 minutes."),
        (a_visit, "A house visit takes 30 minutes."),
        (a_visit, "Ihr Termin dauert eine Stunde."),
        (a_visit, "Su cita dura una hora."),
        (a_visit, "Votre rendez-vous dure une heure."),
        (a_visit, "L'appuntamento dura un'ora."),
        (a_visit, "A consulta dura uma hora."),
        (a_visit, "De afspraak duurt een uur."),
        (a_visit, "Booked: Tuesday the 15th at nine with Dr. Anna Reid, for one hour."),
        (a_visit, "I have noted that the dog is old."),
        (a_visit, "I've made a note that the dog is old."),
        (a_visit, "Ich habe notiert, dass der Hund alt ist."),
        (a_visit, "He anotado que el perro es viejo."),
        (a_visit, "J'ai noté que le chien est vieux."),
        (a_visit, "Ho annotato che il cane è vecchio."),
        (a_visit, "Anotei que o cão é velho."),
        (a_visit, "Ik heb genoteerd dat de hond oud is."),
        (a_visit, "I've noted the dog's age."),
    ],
)
@pytest.mark.requirement("004-2305")
def test_another_length_is_held_and_nothing_is_told_as_noted_that_was_not_held(
    known: Callable[[], CallSession], sentence: str
) -> None:
    assert not is_said(sentence, known(), VETS)


@each(
    "known, sentence",
    [
        (booked, "See you both on Tuesday the 15th at nine!"),
        (booked, "See you both, well, all three of you!"),
        (booked, "Noted."),
        (booked, "Got it."),
        (booked, "See you both then!"),
        (booked, "Wir freuen uns auf Sie beide!"),
        (booked, "Nos vemos, los esperamos a los dos el martes a las nueve."),
        (booked, "À mardi à neuf heures, à vous deux !"),
        (booked, "All noted."),
        (booked, "Notiert."),
        (booked, "Anotado."),
        (booked, "C'est noté."),
        (booked, "Annotato."),
        (booked, "Genoteerd."),
        (looked_up, "Half past eight tomorrow morning with Dr. Anna Reid."),
        (looked_up, "Tomorrow at nine with Dr. Ben Okafor."),
        (looked_up, "Half past eight on Tuesday with Dr. Reid?"),
        (looked_up, "Morgen um halb neun bei Dr. Anna Reid."),
        (looked_up, "Mañana a las ocho y media con la doctora Reid."),
        (looked_up, "Demain à huit heures et demie avec le docteur Reid."),
    ],
)
@pytest.mark.requirement("004-2307")
def test_greetings_offers_and_what_was_noted_said(known: Callable[[], CallSession], sentence: str) -> None:
    assert is_said(sentence, known(), VETS)


@each(
    "known, sentence",
    [
        (booked, "See you both on Wednesday the 16th at nine!"),
        (looked_up, "Half past eight tomorrow morning with Kim Lee."),
        (looked_up, "Half past eleven tomorrow with Dr. Ben Okafor."),
    ],
)
@pytest.mark.requirement("004-2307")
def test_greetings_offers_and_what_was_noted_held(known: Callable[[], CallSession], sentence: str) -> None:
    assert not is_said(sentence, known(), VETS)


@each(
    "sentence",
    ["A Standard visit costs £55.", "A Standard visit is £48."],
)
@pytest.mark.requirement("004-2304")
def test_one_sum_of_a_range_is_told_where_a_result_has_told_it(sentence: str) -> None:
    amount = sentence.split("£")[1].rstrip(".")
    told = ("search_knowledge", {"query": "x"}, {"passages": [{"text": f"For rabbits the visit costs £{amount}."}]}, {})
    assert is_said(sentence, heard("And for a rabbit?", told), VETS)
    assert not is_said(sentence, heard("And for a rabbit?"), VETS)


@pytest.mark.requirement("004-2301")
def test_the_name_of_somebody_else_with_a_booking_is_held_against_the_one_it_is_told_of() -> None:
    """Whoever has said both names: each stands under its own."""
    known = booked("I'm Tom Hale, and Ana Rivas is my wife; one for each of us.", customer="Tom Hale")
    row = {"bookingId": "bk_9", "service": "Standard visit", "startTime": "2026-12-16T11:00:00-05:00"}
    row |= {"status": "confirmed", "customerName": "Ana Rivas", "with": "Dr. Anna Reid"}
    known.tool_context["lookup_appointment"] = {"appointments": [row]}
    assert not is_said("The visit for Ana Rivas is booked on Tuesday the 15th at nine.", known, VETS)
    assert is_said("The visit for Ana Rivas is booked on Wednesday the 16th at eleven.", known, VETS)


@each(
    "sentence, why",
    [
        ("Your visit is booked for Thomas on Tuesday the 15th at nine.", "not for Thomas"),
        ("You're booked for a Long visit on Tuesday the 15th at nine.", "not a Long visit"),
        ("You're booked with Dr. Okafor on Tuesday the 15th at nine.", "with Okafor"),
        ("A Standard visit costs £40.", "the price is £48 to £62"),
        ("Your visit takes 60 minutes.", "30 minutes"),
        ("Your visit is booked for Thursday at ten.", "Tuesday 2026-12-15 09:00"),
    ],
)
@pytest.mark.requirement("004-2308")
def test_a_correction_says_what_is_not_so(sentence: str, why: str) -> None:
    assert why in held_by(guard_of(a_visit(), VETS, NOW, DEFINITIONS), sentence).correction
