"""A claim is borne out whole or not said: each thing of a list, each deed of a sentence, and when something ends."""

import pytest

from switchboard.conversation.session import CallSession
from tests.conversation.claims.test_claim_words import after
from tests.conversation.claims.test_told_results import booked, held, is_said, noted
from tests.conversation.claims.test_true_sentences import is_said as is_said_of
from tests.each import each

HALF_NOTED = {
    "Window seat, nut allergy": [
        "I've noted the window seat and the dog bowl.",
        "I've noted the nut allergy, the window seat and the cake.",
        "I've noted the window seat, and the cake.",
        "I've noted the window seat as well as the dog bowl.",
        "I've noted the window seat and that you're bringing a dog.",
        "No problem, I've noted that you would like a window seat and a dog bowl.",
        "I've added the window seat and the dog bowl to your booking.",
        "I've put down the window seat plus the dog bowl.",
        "I wrote down the window seat, together with the cake.",
        "The window seat and a high chair are noted.",
        "The window seat and the cake have been added.",
        "Noted: a window seat and a high chair.",
        "Okay, the window seat and the high chair are noted for you.",
        "I've noted your window seat plus a high chair for Saturday.",
    ],
    "Fensterplatz": [
        "Ich habe den Fensterplatz und den Hundenapf notiert.",
        "Der Fensterplatz sowie der Kinderstuhl sind notiert.",
        "Fensterplatz und Hundenapf sind vermerkt.",
        "Ich habe den Fensterplatz notiert und auch den Hundenapf.",
        "Sowohl der Fensterplatz als auch der Hundenapf sind vermerkt.",
        "Ich habe den Fensterplatz vermerkt, ebenso den Kinderstuhl.",
        "Ich habe notiert, dass Sie einen Fensterplatz und einen Kinderstuhl möchten.",
        "Notiert habe ich den Fensterplatz und den Hund.",
    ],
    "Una mesa junto a la ventana": [
        "He anotado la ventana y el plato para el perro.",
        "La mesa junto a la ventana así como la tarta están anotadas.",
        "He anotado la mesa junto a la ventana, la trona y la tarta.",
        "He anotado que quiere la ventana y que trae un perro.",
        "Le he apuntado la mesa junto a la ventana y la trona.",
    ],
    "Place près de la fenêtre": [
        "J'ai noté la place près de la fenêtre et la gamelle pour le chien.",
        "J'ai noté la fenêtre ainsi que le gâteau.",
        "La place près de la fenêtre et le gâteau sont notés.",
        "J'ai noté que vous souhaitez la fenêtre et que vous venez avec un chien.",
        "J'ai ajouté la place près de la fenêtre ainsi qu'un gâteau.",
    ],
}
WHOLLY_NOTED = {
    "Window seat, nut allergy": [
        "I've noted the window seat and the nut allergy.",
        "I've noted the table by the window and your allergy to nuts.",
        "I've noted your nut allergy and that you'd like to sit by the window.",
        "I've noted the window seat, and we look forward to seeing you.",
        "I've noted your name, your number and the window seat.",
        "I've noted both: the window seat and the nut allergy.",
        "The nut allergy is noted, and so is the window seat.",
        "I've noted the window seat, see you on Saturday!",
        "I've noted the window seat but not the cake.",
        "I can have the window seat and the cake noted.",
        "I have not noted the window seat and the cake.",
        "I've noted the window seat; the rest is unchanged.",
    ],
    "Fensterplatz, Nussallergie, Hund kommt mit": [
        "Ich habe den Platz am Fenster, die Allergie gegen Nüsse und Ihren Hund notiert.",
        "Ich habe beides notiert: den Fensterplatz und die Nussallergie.",
        "Der Fensterplatz ist notiert, und wir freuen uns auf Sie.",
        "Ich habe den Fensterplatz vermerkt und Ihre Nummer aktualisiert.",
        "Ich habe notiert, dass Sie einen Fensterplatz möchten und Ihren Hund mitbringen.",
    ],
    "Mesa junto a la ventana, alergia a las nueces": [
        "He anotado que quiere una mesa junto a la ventana y que tiene alergia a las nueces.",
        "Le he anotado la alergia y la mesa junto a la ventana.",
        "He anotado la mesa junto a la ventana, y le esperamos el sábado.",
    ],
    "Place près de la fenêtre, allergie aux noix": [
        "J'ai noté la fenêtre ainsi que votre allergie.",
        "La fenêtre et l'allergie sont notées.",
        "J'ai noté la place près de la fenêtre, et nous vous attendons samedi.",
    ],
}
WRONG_ENDS = [
    "Der Termin dauert bis halb vier.",
    "Ihr Haarschnitt dauert bis Viertel vor sieben.",
    "Der Termin geht bis 18:45 Uhr.",
    "Er endet um 18 Uhr.",
    "Sie sind bis 18:45 Uhr fertig.",
    "Ihr Termin ist am Samstag von 17:30 bis 18:45 Uhr.",
    "Sie sind am Samstag von halb sechs bis halb sieben eingetragen.",
    "Gebucht für Samstag, 17:30 \u2013 18:45 Uhr.",
    "Your appointment runs until half past six.",
    "Ihr Termin ist bis halb sieben reserviert.",
    "Ihr Stuhl ist am Samstag bis sieben reserviert.",
    "Your appointment is booked until seven.",
    "Su cita está reservada hasta las siete.",
    "It lasts until 6:45 PM.",
    "You're booked on Saturday from 5:30 to 6:45 PM.",
    "You're booked for Saturday at 5:30 until 6:45.",
    "You'll be done by seven.",
    "Su cita dura hasta las siete.",
    "Su cita es el sábado de cinco y media a siete.",
    "Terminará a las siete.",
    "Votre rendez-vous dure jusqu'à 18h45.",
    "Votre rendez-vous est réservé samedi de 17h30 à 18h45.",
    "Vous sortirez à 19h.",
    "Il taglio finisce alle sette.",
    "Il suo appuntamento dura fino alle 18:45.",
    "A sua marcação dura até às 18:45.",
    "O corte acaba às 19:00.",
]
RIGHT_ENDS = [
    "Der Termin dauert bis Viertel vor sechs.",
    "Ihr Termin ist bis Viertel vor sechs reserviert.",
    "Ihr Stuhl ist am Samstag bis 17:45 Uhr reserviert.",
    "Your chair is booked until 5:45 PM.",
    "Su cita está reservada hasta las seis menos cuarto.",
    "Votre fauteuil est réservé jusqu'à 17h45.",
    "Ihr Termin ist am Samstag von 17:30 bis 17:45 Uhr.",
    "Sie sind am Samstag um halb sechs gebucht, bis 17:45 Uhr.",
    "Your haircut on Saturday goes until 5:45.",
    "You're booked on Saturday from 5:30 to 5:45 PM.",
    "It lasts until quarter to six.",
    "Su cita dura hasta las seis menos cuarto.",
    "Su cita es el sábado de cinco y media a seis menos cuarto.",
    "Votre rendez-vous est réservé samedi de 17h30 à 17h45.",
    "Il suo appuntamento è sabato dalle 17:30 alle 17:45.",
    "O seu horário é sábado das 17:30 às 17:45.",
    "A sua marcação dura até às 17:45.",
    "You'll be done around six.",
    "It'll be done by six.",
    "Your color lasts two to three weeks.",
    "Sie sind gegen sechs fertig.",
    "You're booked on Saturday at 5:30 \u2013 2 minutes from the station.",
    "Gebucht: Samstag, 17:30 Uhr \u2013 15 Minuten bei Marcus.",
    # What ends then is something else.
    "We're open until seven.",
    "The class runs until seven.",
    "Der Kurs dauert bis halb vier.",
    "Happy Hour geht bis 19 Uhr.",
    "Das Frühstück ist im Preis enthalten und läuft von sieben bis zehn.",
    "Rosa works from 5:30 to 9 on Saturdays.",
    "You can cancel your appointment until 5:30 PM the day before.",
    "Ihr Termin ist am Samstag um 17:30 Uhr, und wir haben bis 20 Uhr geöffnet.",
    "El curso dura hasta las siete.",
    "Le cours dure jusqu'à 19h.",
]
# A haircut with Rosa is booked for Tuesday at ten, and nothing else was done.
HALF_DONE = [
    "I booked you for tomorrow at ten and added a color on Friday.",
    "I've added a color on Friday and you're booked for tomorrow at ten.",
    "You're booked for Tuesday at ten; I've also cancelled your Friday one.",
    "You're booked for Tuesday at ten \u2013 and the deposit is paid.",
    "Tomorrow at ten is yours; the invoice is on its way.",
    "Tomorrow at ten is yours \u2013 the voucher has been redeemed.",
    "Your number is updated and you're booked for tomorrow at ten.",
    "You're booked for tomorrow at ten; your phone number is updated.",
    "Your haircut is booked for tomorrow at ten and your color for Thursday at two.",
    "Sie sind morgen um zehn gebucht; eine Erinnerung ist verschickt.",
    "Sie sind morgen um zehn gebucht \u2013 Ihre Nummer ist geändert.",
    "Ihre Telefonnummer ist aktualisiert und Sie sind morgen um zehn gebucht.",
    "Morgen um zehn ist gebucht; den alten Termin habe ich abgesagt.",
    "Su cita está reservada mañana a las diez; su número está actualizado.",
    "Su número está cambiado y su cita está reservada mañana a las diez.",
    "Su cita está reservada para mañana a las diez; la otra está cancelada.",
    "Votre rendez-vous est réservé demain à dix heures ; votre numéro est modifié.",
    "Votre numéro est changé et votre rendez-vous est réservé demain à dix heures.",
    "C'est réservé demain à dix heures \u2013 l'acompte est payé.",
]
# A message was taken, and nothing else was done.
HALF_PASSED_ON = [
    "I've passed on your message; the table is yours.",
    "The message is with the team \u2013 you're in on Friday.",
    "I've passed it on and they've confirmed.",
    "Ich habe es weitergegeben \u2013 Ihr Tisch am Freitag steht.",
    "He pasado el mensaje; la mesa es suya.",
    "He pasado el mensaje y está confirmado.",
    "J'ai transmis le message ; la table est à vous.",
]
WHOLLY_DONE = [
    ("haircut", "You're booked for tomorrow at ten, and Rosa will see you then."),
    ("haircut", "Great, that's done; you're booked for tomorrow at ten."),
    ("haircut", "Alles klar \u2013 Sie sind morgen um zehn gebucht."),
    ("haircut", "Perfecto; su cita está reservada para mañana a las diez."),
    ("haircut", "Parfait \u2013 votre rendez-vous est réservé demain à dix heures."),
    ("gone", "It's cancelled; your haircut tomorrow at ten is off the books."),
    ("message", "I've written that down; they have your message."),
    ("nachricht", "Das habe ich notiert \u2013 die Nachricht liegt dem Team vor."),
]
THE_CALLERS_OWN = [
    "The table for five is on Friday.",
    "Your table is set for Friday.",
    "Your cut is on Friday at three.",
    "The color is on Friday.",
    "The haircut is on Tuesday at ten.",
    "The cut is at ten on Tuesday.",
    "Der Tisch für fünf ist am Freitag.",
    "Der Haarschnitt ist morgen um zehn.",
    "Die Reservierung ist am Freitag um sieben.",
    "La mesa para cinco es el viernes.",
    "El corte es mañana a las diez.",
    "La table pour cinq est vendredi.",
    "La coupe est demain à dix heures.",
]
NOBODYS = [
    "The table for five is free on Friday.",
    "The table for five is by the window.",
    "The table for five is not on Friday.",
    "The table for five is on Friday, is that right?",
    "If the table is on Friday, bring the dog.",
    "Friday is when the class is on.",
    "The cut is for men.",
    "The haircut is at 45 dollars.",
    "The yoga class is on Tuesdays.",
    "Our market is on Friday.",
    "Der Tisch für fünf ist am Freitag frei.",
    "Der Tisch ist am Fenster.",
    "Der Kurs ist am Freitag.",
    "La mesa para cinco está libre el viernes.",
    "La mesa es para cinco.",
    "La table pour cinq est libre vendredi.",
    "La table est à côté.",
]


@pytest.mark.requirement("004-1053")
@each(("notes", "sentence"), [(notes, sentence) for notes, told in HALF_NOTED.items() for sentence in told])
def test_of_several_things_that_are_told_as_noted_each_stands_in_the_notes(notes: str, sentence: str) -> None:
    """However they are listed; half of them would be missed by whoever comes for it."""
    unfounded = held(sentence, noted(notes))
    assert unfounded is not None
    assert "was not noted in these words, and the rest was" in unfounded.correction


@pytest.mark.requirement("004-1053")
@each(("notes", "sentence"), [(notes, sentence) for notes, told in WHOLLY_NOTED.items() for sentence in told])
def test_things_that_were_noted_are_told_in_other_words_and_beside_anything_else(notes: str, sentence: str) -> None:
    """One word of each will do, or a word that it is made of."""
    assert is_said(sentence, noted(notes))


@pytest.mark.requirement("004-1054")
@each("sentence", WRONG_ENDS)
def test_another_end_of_a_visit_than_the_result_has_is_held(sentence: str) -> None:
    """In whatever words, also where nothing else in the sentence is a claim."""
    unfounded = held(sentence, booked())
    assert unfounded is not None


@pytest.mark.requirement("004-1054")
@each("sentence", RIGHT_ENDS)
def test_the_end_that_the_result_has_is_said_and_so_is_the_end_of_anything_else(sentence: str) -> None:
    """A class, the day, or until when something may be done."""
    assert is_said(sentence, booked())


@pytest.mark.requirement("004-1054")
def test_of_an_end_that_no_result_has_told_nothing_is_known() -> None:
    """It may stand in what somebody knows otherwise."""
    nothing: CallSession = after()
    assert is_said("Der Termin dauert bis halb vier.", nothing)
    assert is_said("It lasts until 6:45 PM.", nothing)


@pytest.mark.requirement("004-1055")
@each("sentence", HALF_DONE)
def test_of_several_deeds_in_one_sentence_each_was_done(sentence: str) -> None:
    """Whichever comes first, and whatever stands between them."""
    assert not is_said_of("haircut", sentence)


@pytest.mark.requirement("004-1055")
@each("sentence", HALF_PASSED_ON)
def test_beside_a_message_that_was_taken_nothing_else_is_told_as_done(sentence: str) -> None:
    """It is with the team, and nobody has answered it."""
    assert not is_said_of("message", sentence)


@pytest.mark.requirement("004-1055")
@each(("name", "sentence"), WHOLLY_DONE)
def test_a_deed_that_is_told_twice_is_said(name: str, sentence: str) -> None:
    assert is_said_of(name, sentence)


@pytest.mark.requirement("004-1056")
@each("sentence", THE_CALLERS_OWN)
def test_when_the_visit_is_tells_of_a_booking_without_any_verb_of_one(sentence: str) -> None:
    """Also where a time was just found free."""
    assert not is_said_of("nothing", sentence)
    assert not is_said_of("free", sentence)


@pytest.mark.requirement("004-1056")
@each("sentence", NOBODYS)
def test_what_is_free_or_is_for_everybody_is_no_claim(sentence: str) -> None:
    """Nor is what asks, or denies."""
    assert is_said_of("nothing", sentence)


@pytest.mark.requirement("004-1056")
@each(
    ("name", "sentence"),
    [
        ("table", "Der Tisch für sechs ist am Freitag um 19 Uhr."),
        ("table", "The table for six is on Friday at seven."),
        ("table", "La mesa para seis es el viernes a las siete de la tarde."),
        ("table", "La table pour six est vendredi à dix-neuf heures."),
        ("haircut", "The haircut is tomorrow at ten."),
        ("haircut", "Der Haarschnitt ist morgen um zehn."),
        ("listed", "The haircut is tomorrow at ten."),
    ],
)
def test_when_a_visit_is_that_was_booked_or_found_is_said(name: str, sentence: str) -> None:
    assert is_said_of(name, sentence)


@pytest.mark.requirement("004-1056")
@each(
    ("name", "sentence"),
    [
        ("table", "Der Tisch für acht ist am Freitag um 19 Uhr."),
        ("table", "The table for six is on Saturday at seven."),
        ("table", "La mesa para ocho es el viernes a las siete de la tarde."),
        ("haircut", "The haircut is tomorrow at eleven."),
        ("listed", "The haircut is on Wednesday at ten."),
    ],
)
def test_another_time_or_number_than_was_booked_is_held(name: str, sentence: str) -> None:
    assert not is_said_of(name, sentence)
