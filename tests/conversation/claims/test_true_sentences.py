"""What a receptionist truly says in everyday situations is said; what is not so in the very same ones is held."""

from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from switchboard.contract.business.business import Business, Service
from switchboard.contract.business.resources import Resource
from switchboard.contract.call import ToolCall
from switchboard.contract.error import ErrorType
from switchboard.contract.model import Spoken, ToolMessage
from switchboard.contract.response import Failure, ToolResponse
from switchboard.conversation.session import CallSession
from tests.conversation.claims.guarded import gets_through, guard_of
from tests.conversation.claims.test_claim_words import BUSINESS, DEFINITIONS, ZONE, after, done
from tests.each import each

MONDAY_NOON = datetime(2027, 3, 15, 12, 0, tzinfo=ZONE)
TUESDAY_TEN, FRIDAY_SEVEN = "2027-03-16T10:00:00-04:00", "2027-03-19T19:00:00-04:00"
PEOPLE = tuple(Resource(name.lower(), name) for name in ("Rosa", "Marcus"))
SALON = replace(BUSINESS, resources=PEOPLE)
RESTAURANT = Business(
    "restaurant",
    name="Gasthaus Zur Linde",
    language="de",
    timezone=ZONE,
    services=(Service("Tisch am Abend", 120), Service("Chefs Tresen", 120)),
)


def with_more(receipt: Any, **words: Any) -> Any:
    """Return what was done with more in its receipt."""
    tool, known, arguments = receipt
    return tool, {**known, **words}, arguments


TABLE = with_more(done("book_appointment", "Tisch am Abend", "Jana Dorn", FRIDAY_SEVEN, "bk_3"), partySize=6)
NOTED = done(
    *("book_appointment", "Tisch am Abend", "Jana Dorn", FRIDAY_SEVEN, "bk_3"), notes="Fensterplatz, eine Nussallergie"
)
HAIRCUT = with_more(done("book_appointment", "Haircut", "Anna Whitfield", TUESDAY_TEN, "bk_1"), **{"with": "Rosa"})
GONE = done("cancel_appointment", "cancelled: Haircut", "Anna Whitfield", TUESDAY_TEN, "bk_1")
TABLE_GONE = done("cancel_appointment", "cancelled: Tisch am Abend", "Jana Dorn", FRIDAY_SEVEN, "bk_3")
MESSAGE = done("take_message", "message", "Anna Whitfield", id="ms_1", message="Please call about the wedding hair.")
NACHRICHT = done("take_message", "message", "Jana Dorn", id="ms_1", message="Bitte wegen der Feier zurückrufen.")
LISTED = {
    "appointments": [
        {"bookingId": "bk_7", "service": "Haircut", "startTime": TUESDAY_TEN, "endTime": "2027-03-16T10:30:00-04:00"}
        | {"status": "confirmed", "customerName": "Anna Whitfield", "isPast": False, "with": "Rosa"},
        {"bookingId": "bk_9", "service": "Color", "startTime": "2027-04-02T15:00:00-04:00", "status": "confirmed"}
        | {"endTime": "2027-04-02T16:30:00-04:00", "customerName": "Anna Whitfield", "isPast": False},
    ]
}
TABLES = {
    "appointments": [
        {"bookingId": "bk_3", "service": "Tisch am Abend", "startTime": FRIDAY_SEVEN, "status": "confirmed"}
        | {"endTime": "2027-03-19T21:00:00-04:00", "customerName": "Jana Dorn", "isPast": False, "partySize": 6},
    ]
}


def refused(tool: str, error: ErrorType, message: str) -> CallSession:
    """Return a conversation in which a tool has refused what was asked for."""
    session = after()
    session.history.add(Spoken("", (ToolCall(tool, {}, "c1"),)))
    failure = Failure(error, message, retryable=False, partial_side_effects=False)
    session.history.add(ToolMessage("c1", tool, ToolResponse(failure=failure)))
    session.note(ToolCall(tool, {}, "c1"), ToolResponse(failure=failure), 1.0)
    return session


def looked_up(tool: str, **data: Any) -> CallSession:
    """Return a conversation in which a look-up has just come to this."""
    session = after()
    session.history.add(Spoken("", (ToolCall(tool, {}, "c1"),)))
    session.history.add(ToolMessage("c1", tool, ToolResponse(data=data)))
    return session


def situation(name: str) -> CallSession:
    """Return the conversation in which something has just been refused, done or found."""
    return {
        "taken": lambda: refused("book_appointment", ErrorType.CONFLICT, "Tuesday at 10:00 is taken."),
        "busy": lambda: looked_up("check_availability", available=False, asked=TUESDAY_TEN),
        "free": lambda: looked_up("check_availability", available=True, asked=TUESDAY_TEN),
        "nothing": after,
        "not there": lambda: refused("cancel_appointment", ErrorType.NOT_FOUND, "There is no such appointment."),
        "table": lambda: after(TABLE),
        "noted": lambda: after(NOTED),
        "haircut": lambda: after(HAIRCUT),
        "gone": lambda: after(GONE),
        "table gone": lambda: after(TABLE_GONE),
        "message": lambda: after(MESSAGE),
        "nachricht": lambda: after(NACHRICHT),
        "listed": lambda: after(("lookup_appointment", LISTED)),
        "tables": lambda: after(("lookup_appointment", TABLES)),
    }[name]()


def is_said(name: str, sentence: str) -> bool:
    """Tell whether a sentence gets through whole after this."""
    house = RESTAURANT if name in ("table", "noted", "table gone", "nachricht", "tables") else SALON
    return gets_through(guard_of(situation(name), house, MONDAY_NOON, DEFINITIONS), sentence, size=7)


TRUE: dict[str, list[str]] = {
    "busy": [
        "It's already taken.",
        "That time is taken.",
        "That slot is gone.",
        "Ten is already booked by someone else.",
        "Der Termin ist gerade weg.",
        "Die Zeit ist schon belegt.",
        "Ce créneau est pris.",
    ],
    "nothing": [
        "That time is taken.",
        "Die Zeit ist vergeben.",
        "Ten o'clock is taken.",
    ],
    "taken": [
        "That time is taken.",
        "That slot is taken.",
        "Ten o'clock is taken.",
        "Tuesday at ten is already taken.",
        "I'm sorry, that one's taken.",
        "Unfortunately ten o'clock is no longer free.",
        "That time is gone, I'm afraid.",
        "Somebody else has just taken that slot.",
        "That slot was just taken by somebody else.",
        "Sorry, ten is not available any more.",
        "Tuesday at ten has just been booked by someone else.",
        "It's already taken.",
        "Rosa is already booked at ten.",
        "Die Zeit ist vergeben.",
        "Leider ist 10 Uhr schon vergeben.",
        "Der Termin ist leider schon vergeben.",
        "Um zehn ist leider nichts mehr frei.",
        "Der Termin ist gerade weg.",
        "Der Platz ist schon belegt.",
        "Da war jemand schneller.",
        "Um 10 Uhr ist schon jemand anderes eingetragen.",
        "Dienstag um zehn wurde gerade von jemand anderem gebucht.",
        "Esa hora ya está ocupada.",
        "Lo siento, las diez ya está reservado.",
        "Cette heure est déjà prise.",
        "Ce créneau est pris.",
        "Quell'orario è già occupato.",
        "Esse horário já está ocupado.",
        "Die tijd is al bezet.",
        "Tien uur is al vergeven.",
        "That time is taken, but I could offer you eleven.",
        "Ten is taken. Would eleven work?",
        "Oh, somebody has just booked that slot, sorry.",
        "That one just got taken.",
        "Ten has been snapped up by someone else.",
        "Someone else got ten o'clock.",
        "We're full at ten.",
        "Ten o'clock won't work, it's taken.",
        "I'm afraid Tuesday at ten is gone.",
        "Tuesday at ten is not possible any more.",
        "That slot has gone.",
        "It looks like that time is taken.",
        "The ten o'clock slot is taken.",
        "The ten o'clock is gone.",
        "Looks like somebody was faster.",
        "That time has already been booked by someone else.",
        "I could not book it: the time is taken.",
        "Die Zeit ist leider vergeben. Soll ich eine andere suchen?",
        "Zehn Uhr ist schon weg.",
        "Der Zehn-Uhr-Termin ist vergeben.",
        "Dieser Termin ist inzwischen vergeben, aber um elf ist noch frei.",
        "Leider wurde der Termin gerade vergeben.",
        "Da ist schon jemand drin.",
        "Da ist schon belegt.",
        "Da sind wir voll.",
        "Der Dienstag um zehn ist leider schon vergeben.",
        "Um zehn geht es leider nicht mehr.",
        "Jemand anderes hat die Zeit gerade gebucht.",
        "Das ist leider schon weg.",
        "Ese horario ya está tomado.",
        "La hora de las diez ya no está disponible.",
        "Alguien acaba de reservar esa hora.",
        "Ce créneau vient d'être pris.",
        "Quelqu'un d'autre a déjà réservé cette heure.",
        "L'orario è già stato prenotato da un altro cliente.",
        "Esse horário já foi reservado.",
        "Dat tijdstip is net geboekt door iemand anders.",
        "Rosa is taken at ten.",
        "Rosa ist um zehn schon vergeben.",
        "Both times are taken.",
        "All of those times are taken.",
    ],
    "not there": [
        "I can't find an appointment under that name.",
        "There's no appointment in your name.",
        "There is nothing booked under your number.",
        "Nothing was cancelled.",
        "I don't see a booking for you on Tuesday.",
        "Unter Ihrem Namen ist nichts eingetragen.",
        "Ich finde keinen Termin von Ihnen.",
        "Da ist kein Termin gebucht.",
    ],
    "table": [
        "Ein Tisch für sechs am Freitag um 19 Uhr.",
        "Der Tisch für sechs am Freitag um 19 Uhr ist reserviert.",
        "Ein Tisch für sechs Personen, Freitag, 19 Uhr, auf den Namen Dorn.",
        "Sechs Personen am Freitag um sieben, das ist gebucht.",
        "Für sechs am Freitag um 19 Uhr, auf Jana Dorn.",
        "Freitag, 19 Uhr, sechs Personen.",
        "Der Tisch steht: Freitag um 19 Uhr für sechs.",
        "Ihr Tisch für sechs Personen am 19. März um 19 Uhr ist bestätigt, Frau Dorn.",
        "Notiert: sechs Personen am Freitag um 19 Uhr.",
        "Sie sind zu sechst am Freitag um 19 Uhr eingetragen.",
        "Am Freitag um sieben Uhr abends für sechs Personen reserviert.",
        "A table for six on Friday at seven.",
        "A table for six, Friday at 7 pm.",
        "Your table for six is booked for Friday at seven.",
        "That's six people on Friday at seven, under Dorn.",
        "Friday at seven for six, all set.",
        "A table for six people on March 19 at seven in the evening, Jana.",
        "Una mesa para seis el viernes a las siete de la tarde.",
        "Une table pour six vendredi à dix-neuf heures.",
        "Un tavolo per sei venerdì alle diciannove.",
        "Uma mesa para seis na sexta-feira às dezenove horas.",
        "Een tafel voor zes op vrijdag om zeven uur.",
        "Ein Tisch für sechs, Freitag 19 Uhr, Frau Dorn.",
        "Freitag um 19 Uhr für sechs, bis dann!",
        "Am Freitag um 7 am Abend, sechs Personen.",
        "Ihr Tisch am Freitag um 19:00 Uhr für 6 Personen steht.",
        "Tisch für sechs, Freitag, 19. März, 19 Uhr, Dorn.",
        "Sechs Leute am Freitag um sieben.",
        "Gebucht: ein Tisch am Abend für sechs am Freitag um 19 Uhr.",
        "Ich habe für sechs am Freitag um 19 Uhr reserviert.",
        "Um sieben am Freitag ist Ihr Tisch reserviert.",
        "Um 19 Uhr am Freitag, alles eingetragen.",
        "So that's a party of six on Friday at 7.",
        "Six of you on Friday at seven, booked.",
        "Un tavolo per sei, venerdì 19 marzo alle 19.",
        "Zes personen, vrijdag om zeven uur.",
        "Mesa para seis, viernes a las siete.",
    ],
    "noted": [
        "Der Fensterplatz ist notiert.",
        "Die Nussallergie habe ich vermerkt.",
        "Ich habe notiert, dass Sie einen Fensterplatz möchten.",
        "Freitag um 19 Uhr, mit dem Hinweis auf die Nussallergie.",
        "Der Tisch ist am Freitag um 19 Uhr reserviert, mit Fensterplatz.",
        "Ich habe den Fensterplatz und die Nussallergie dazugeschrieben.",
        "Für Freitag um 19 Uhr steht Fensterplatz in den Notizen.",
    ],
    "haircut": [
        "A haircut with Rosa on Tuesday at ten.",
        "Tuesday at ten with Rosa.",
        "Haircut with Rosa, tomorrow at ten, for Anna.",
        "You're in with Rosa tomorrow at ten.",
        "Rosa will see you tomorrow at ten.",
        "Ein Haarschnitt bei Rosa morgen um zehn.",
        "Morgen um zehn bei Rosa, auf den Namen Whitfield.",
        "Rosa erwartet Sie morgen um zehn.",
        "Your haircut tomorrow at ten is with Rosa.",
        "Ten o'clock tomorrow is booked for you.",
        "Morgen um zehn ist für Sie gebucht.",
        "Nothing else is booked for you.",
        "Around ten tomorrow with Rosa, you're down for a haircut.",
        "Tuesday, March 16, ten o'clock, with Rosa.",
        "Anna, Tuesday at ten with Rosa it is.",
        "Rosa freut sich auf Sie, morgen um zehn.",
    ],
    "gone": [
        "Tuesday at ten is cancelled.",
        "Your haircut on Tuesday at ten is off the books.",
        "That slot is free again.",
        "It's cancelled, Anna.",
        "Ihr Termin am Dienstag um zehn ist abgesagt.",
        "Der Haarschnitt morgen um zehn ist gestrichen.",
        "Tomorrow at ten is cancelled, Anna.",
        "Morgen um zehn ist storniert.",
    ],
    "table gone": [
        "Der Tisch am Freitag um 19 Uhr ist storniert.",
        "Die Reservierung am Freitag ist gelöscht.",
        "Der Tisch ist wieder frei.",
    ],
    "message": [
        "I've taken that down and passed it on.",
        "The message is with the team now.",
        "Your message about the wedding hair is noted.",
        "I've written it down for the team.",
        "They have your message.",
        "I've told the team you'd like a call about your wedding hair.",
        "Got it, your message is with them.",
    ],
    "nachricht": [
        "Ich habe es aufgeschrieben und gebe es weiter.",
        "Die Nachricht liegt dem Team vor.",
        "Ihre Bitte um Rückruf ist notiert.",
        "Das habe ich so notiert.",
        "Die Nachricht ist hinterlegt.",
        "Ich habe dem Team Bescheid gegeben, dass Sie um Rückruf bitten.",
    ],
    "listed": [
        "You have two appointments: a haircut tomorrow at ten and color on April 2 at three.",
        "There's a haircut with Rosa on Tuesday at ten.",
        "The first is a haircut tomorrow at ten, the second a color on April 2 at three.",
        "A haircut tomorrow at ten with Rosa, and a color on April 2 at three.",
        "Your next one is tomorrow at ten.",
        "Sie haben zwei Termine: morgen um zehn und am 2. April um 15 Uhr.",
        "Ihr nächster Termin ist morgen um zehn bei Rosa.",
        "I see two: tomorrow at ten with Rosa and April 2 at three.",
        "You've got one tomorrow at ten and another on April 2 at 3 pm.",
        "Ich sehe zwei Termine: einen Haarschnitt morgen um zehn bei Rosa und eine Color am 2. April um 15 Uhr.",
        "Morgen um zehn bei Rosa, und am 2. April um 15 Uhr.",
    ],
    "tables": [
        "Ein Tisch für sechs am Freitag um 19 Uhr.",
        "Ich sehe hier einen Tisch für sechs Personen am Freitag um 19 Uhr.",
        "Sie haben am Freitag um 19 Uhr einen Tisch für sechs.",
        "Am Freitag um 19 Uhr ist ein Tisch für sechs auf Dorn reserviert.",
    ],
}
FALSE: dict[str, list[str]] = {
    "busy": [
        "Ten is booked for you.",
        "It's booked.",
        "Die Zeit ist für Sie belegt.",
    ],
    "free": [
        "Der Termin ist gerade weg.",
        "It's already taken.",
        "Your haircut is gone.",
        "Ten o'clock is booked for you.",
    ],
    "nothing": [
        "It's already taken.",
        "It's taken, the message.",
        "Der Termin ist gerade weg.",
        "Somebody else has just taken that slot.",
    ],
    "taken": [
        "That time is yours.",
        "That time is reserved for you.",
        "Ten o'clock is booked for you.",
        "You've taken the last slot, it's yours.",
        "That's taken care of.",
        "That time is taken, so I booked you at eleven.",
        "Ten is taken, but you are booked at eleven.",
        "That slot is taken by you now.",
        "Tuesday at ten is all yours.",
        "That time is taken for you.",
        "Your appointment is taken down.",
        "Your time is taken: you're booked.",
        "Die Zeit ist für Sie reserviert.",
        "Die Zeit ist vergeben, und zwar an Sie.",
        "Um zehn sind Sie eingetragen.",
        "10 Uhr ist für Sie gebucht.",
        "The slot is already booked for you.",
        "10 Uhr ist vergeben, deshalb habe ich Sie um elf eingetragen.",
        "Der Termin gehört Ihnen.",
        "Die zehn Uhr habe ich für Sie belegt.",
        "Esa hora está reservada para usted.",
        "Cette heure est réservée pour vous.",
        "Quell'orario è prenotato per lei.",
        "Esse horário está reservado para você.",
        "Die tijd is voor u gereserveerd.",
        "That time is taken, and you're down for eleven instead.",
        "The ten o'clock is taken, it's under your name.",
        "It is taken, Anna, see you then, you're booked.",
        "That slot's gone to you.",
        "Your haircut's gone.",
        "Your booking is gone.",
        "Ihr Termin ist weg.",
        "Die Zeit ist an Sie vergeben.",
        "Ten is booked.",
        "Ten o'clock is now reserved.",
        "Zehn Uhr ist gebucht.",
        "Der Termin ist eingetragen.",
        "Ya está reservado.",
        "C'est réservé.",
        "Der Platz ist für Sie belegt.",
        "Someone else has booked you in.",
        "Somebody has taken your message.",
        "Jemand hat Sie eingetragen.",
        "Taken care of.",
        "It's taken care of.",
        "That time is taken: confirmed for you.",
        "Der Termin ist vergeben, ich habe Sie stattdessen auf elf gesetzt.",
    ],
    "not there": [
        "Your appointment is cancelled.",
        "I've found it and cancelled it.",
        "That's cancelled now.",
        "Ihr Termin ist abgesagt.",
        "Ich habe ihn storniert.",
        "Der Termin ist gestrichen.",
        "It is gone.",
        "It's gone now.",
        "Der Termin ist weg.",
        "Der Termin ist gelöscht.",
    ],
    "table": [
        "Ein Tisch für acht am Freitag um 19 Uhr.",
        "Ein Tisch für sechs am Samstag um 19 Uhr.",
        "Ein Tisch für sechs am Freitag um 20 Uhr.",
        "Sechs Personen am Freitag um acht, das ist gebucht.",
        "Ein Tisch für vier Personen, Freitag, 19 Uhr, auf den Namen Dorn.",
        "Ein Tisch für sechs, Freitag um 19 Uhr, auf den Namen Huber.",
        "Freitag, 19 Uhr, acht Personen.",
        "Sie sind zu viert am Freitag um 19 Uhr eingetragen.",
        "Der Tisch steht: Freitag um 18 Uhr für sechs.",
        "Der Tisch für sechs am Freitag um 19 Uhr ist storniert.",
        "A table for eight on Friday at seven.",
        "A table for six on Friday at eight.",
        "Your table for six is booked for Saturday at seven.",
        "That's four people on Friday at seven, under Dorn.",
        "A table for six, Friday at 6 pm.",
        "Una mesa para ocho el viernes a las siete de la tarde.",
        "Une table pour six samedi à dix-neuf heures.",
        "Un tavolo per otto venerdì alle diciannove.",
        "Een tafel voor acht op vrijdag om zeven uur.",
        "Acht Personen am Freitag um 19 Uhr.",
        "Freitag um 19 Uhr für acht.",
        "Ein Tisch für sechs, Samstag 19 Uhr.",
        "Ihr Tisch am Freitag um 7 Uhr morgens für 6 Personen steht.",
        "Um sieben am Samstag ist Ihr Tisch reserviert.",
        "Um 20 Uhr am Freitag, alles eingetragen.",
        "So that's a party of eight on Friday at 7.",
        "Freitag 19 Uhr für sechs, das ist auf Huber gebucht.",
        "Zes personen, zaterdag om zeven uur.",
        "Mesa para ocho, viernes a las siete.",
    ],
    "haircut": [
        "A haircut with Marcus on Tuesday at ten.",
        "Tuesday at eleven with Rosa, you're booked.",
        "You're in with Marcus tomorrow at ten.",
        "Ein Haarschnitt bei Marcus morgen um zehn ist gebucht.",
        "Morgen um elf bei Rosa sind Sie eingetragen.",
    ],
    "gone": [
        "Wednesday at ten is cancelled.",
        "Your haircut on Tuesday at ten is booked.",
        "Ihr Termin am Mittwoch um zehn ist abgesagt.",
        "Ihr Color-Termin am Dienstag um elf ist abgesagt.",
    ],
    "table gone": [
        "Der Tisch am Samstag um 19 Uhr ist storniert.",
        "Der Tisch am Freitag um 19 Uhr ist reserviert.",
    ],
    "message": [
        "Your appointment is booked.",
        "I've texted them.",
        "You're down for Friday at three.",
    ],
    "nachricht": [
        "Ihr Tisch ist reserviert.",
        "Ich habe Ihnen eine SMS geschickt.",
    ],
    "listed": [
        "You have two appointments: a haircut tomorrow at eleven and color on April 2 at three.",
        "You are booked with Marcus on Tuesday at ten.",
        "A haircut on Wednesday at ten is booked for you.",
        "I've moved your haircut to Wednesday.",
        "You've got one tomorrow at eleven and another on April 2 at 3 pm.",
        "You are booked with Rosa tomorrow at ten, and on April 3 at three.",
    ],
    "tables": [
        "Ein Tisch für acht am Freitag um 19 Uhr ist reserviert.",
        "Der Tisch für sechs am Freitag um 19 Uhr ist abgesagt.",
        "Ein Tisch für sechs am Donnerstag um 19 Uhr ist reserviert.",
    ],
}


@pytest.mark.requirement("000-470")
@each(("name", "sentence"), [(name, sentence) for name, sentences in TRUE.items() for sentence in sentences])
def test_a_true_sentence_about_what_was_just_refused_done_or_found_is_said(name: str, sentence: str) -> None:
    """To the letter, whichever words say it."""
    assert is_said(name, sentence)


@pytest.mark.requirement("000-470")
@each(("name", "sentence"), [(name, sentence) for name, sentences in FALSE.items() for sentence in sentences])
def test_a_false_sentence_in_the_same_situation_is_held(name: str, sentence: str) -> None:
    """In nearly the words of the true ones."""
    assert not is_said(name, sentence)
