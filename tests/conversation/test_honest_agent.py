"""An agent that tells truly what was done, in the words of everyday: nothing of it is held back."""

from typing import Any

import pytest

from tests.conversation.claims.test_claim_words import (
    BOOKED,
    CANCELLED,
    FOUND,
    MESSAGE,
    MOVED,
    TEXTED,
    VERIFIED,
    after,
    say,
)
from tests.each import each

# What was done or found, and what an honest agent says of it.
TOLD: list[tuple[Any, list[str]]] = [
    (
        BOOKED,
        [
            "Perfect, Anna, you're booked for a haircut tomorrow, Tuesday the 16th, at 10 AM.",
            "All set! Your haircut is tomorrow at ten.",
            "Great, I've got you down for a haircut on Tuesday, March 16 at 10:00 AM.",
            "Done, see you tomorrow at ten!",
            "You're all set for Tuesday at 10 with us, Anna.",
            "I've booked your haircut for tomorrow morning at 10 o'clock; it takes about 30 minutes and costs $45.",
            "Your appointment is confirmed for tomorrow, March 16th at 10 AM under Anna Whitfield.",
            "Booked! Haircut, Tuesday 10 AM, Anna Whitfield. Anything else?",
            "Your reservation is in, and parking is behind the building.",
            "Wonderful, that's booked. We look forward to seeing you tomorrow!",
            "I was able to get you in tomorrow at 10.",
            "Great news: the ten o'clock tomorrow is yours.",
            "You now have an appointment on Tuesday, March 16, at 10:00 a.m. for a Haircut.",
            "Alles klar, Sie sind für morgen um zehn Uhr zum Haarschnitt eingetragen.",
            "Ihr Termin ist am Dienstag, den 16. März, um 10 Uhr.",
            "Perfekt, der Termin steht: morgen, 10 Uhr, Haarschnitt für Anna Whitfield.",
            "Su cita queda confirmada para mañana martes a las diez.",
            "Listo, Anna, tiene cita mañana a las 10 de la mañana.",
            "C'est noté, vous avez rendez-vous demain mardi à dix heures.",
            "Parfait, votre coupe est réservée pour demain à 10h.",
        ],
    ),
    (
        CANCELLED,
        [
            "I've cancelled your haircut for tomorrow at ten.",
            "Okay, your appointment on Tuesday is cancelled. There's no charge.",
            "That's cancelled for you, Anna.",
            "Your Tuesday appointment has been cancelled, would you like a new one?",
            "Done, it's off the calendar.",
            "Ihr Termin morgen um zehn ist abgesagt.",
            "He cancelado su cita de mañana.",
            "Votre rendez-vous de demain est annulé.",
        ],
    ),
    (
        MOVED,
        [
            "I've moved your haircut to Wednesday at eleven.",
            "You're now booked for Wednesday, March 17, at 11 AM instead of Tuesday at 10.",
            "Your appointment has been rescheduled from Tuesday at 10 to Wednesday at 11.",
            "Done! Wednesday at 11 it is.",
            "Ihr Termin ist jetzt am Mittwoch um elf.",
            "Su cita es ahora el miércoles a las once.",
            "Votre rendez-vous est déplacé à mercredi onze heures.",
        ],
    ),
    (
        TEXTED,
        [
            "I've texted you the address.",
            "I just sent you a text with our address.",
            "You should have it on your phone now.",
            "The text is on its way.",
            "Ich habe Ihnen die Adresse per SMS geschickt.",
            "Le he enviado la dirección por SMS.",
            "Je vous ai envoyé l'adresse par SMS.",
        ],
    ),
    (
        MESSAGE,
        [
            "I've passed your message on to the team.",
            "Got it, I'll make sure they get it - your message has been taken.",
            "I've let them know, and someone will call you back.",
            "Your message is noted; the team will get back to you.",
            "I've taken your message about Friday at three.",
            "Ich habe Ihre Nachricht weitergegeben, man ruft Sie zurück.",
            "He tomado nota de su mensaje y le llamarán.",
            "J'ai bien transmis votre message, on vous rappellera.",
        ],
    ),
    (
        VERIFIED,
        [
            "Thanks, Anna, I've verified your identity.",
            "You're verified.",
            "Thank you, that matches our records.",
        ],
    ),
    (
        ("lookup_appointment", FOUND),
        [
            "I found your appointment: a haircut on Tuesday, March 16, at 10 AM.",
            "You have a haircut booked for tomorrow at ten.",
            "You're booked for tomorrow at 10, and your color on April 2 was cancelled.",
            "Ich sehe Ihren Termin morgen um zehn Uhr.",
            "Tiene una cita mañana a las diez.",
            "Vous avez rendez-vous demain à dix heures.",
        ],
    ),
]


@pytest.mark.requirement("000-380")
@each(("happened", "sentence"), [(happened, sentence) for happened, told in TOLD for sentence in told])
def test_what_was_done_is_told_in_whatever_words(happened: Any, sentence: str) -> None:
    """With its time and its person, or without."""
    assert say(sentence, after(happened)) == sentence
