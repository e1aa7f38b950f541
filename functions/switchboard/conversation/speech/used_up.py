"""What a caller hears who has had as many answers on the phone as somebody may whom nothing vouches for."""

import math
from dataclasses import dataclass
from datetime import datetime

from switchboard.contract.business.languages import language_of
from switchboard.contract.json import JsonObject

USED_UP = "answersUsedUp"
"""The field of a conversation's record that holds it, for whichever instance goes on."""

_WORDS = {
    "en": {
        "visit": "I am sorry, this call has gone on for as long as I may talk with somebody I do not know. Please call "
        "again if there is anything left. Goodbye.",
        "number": "I am sorry, this number has had as many answers today as I may give while I do not know who is "
        "calling. Please call again in {hours}. Goodbye.",
        "hours": "an hour|{n} hours",
    },
    "de": {
        "visit": "Es tut mir leid, dieser Anruf dauert schon so lange, wie ich mit jemandem sprechen darf, den ich "
        "nicht kenne. Bitte rufen Sie noch einmal an, wenn etwas offen ist. Auf Wiederhören.",
        "number": "Es tut mir leid, diese Nummer hat heute so viele Antworten bekommen, wie ich geben darf, solange "
        "ich nicht weiß, wer anruft. Bitte rufen Sie in {hours} noch einmal an. Auf Wiederhören.",
        "hours": "einer Stunde|{n} Stunden",
    },
    "es": {
        "visit": "Lo siento, esta llamada ya dura todo lo que puedo hablar con alguien a quien no conozco. Vuelva a "
        "llamar si queda algo pendiente. Adiós.",
        "number": "Lo siento, este número ha recibido hoy todas las respuestas que puedo dar sin saber quién llama. "
        "Vuelva a llamar dentro de {hours}. Adiós.",
        "hours": "una hora|{n} horas",
    },
    "fr": {
        "visit": "Je suis désolé, cet appel dure déjà aussi longtemps que je peux parler avec quelqu'un que je ne "
        "connais pas. Rappelez s'il reste quelque chose. Au revoir.",
        "number": "Je suis désolé, ce numéro a reçu aujourd'hui toutes les réponses que je peux donner sans savoir qui "
        "appelle. Rappelez dans {hours}. Au revoir.",
        "hours": "une heure|{n} heures",
    },
}


@dataclass(frozen=True, slots=True)
class UsedUp:
    """Why there are no more answers, and until when.

    Attributes:
        scope: `visit`, this call's share is used up; `number`, that of all calls under its number.
        until: When there are some again (aware, UTC).
        words: As the caller hears it.
    """

    scope: str
    until: datetime
    words: str

    @classmethod
    def by(cls, scope: str, now: datetime, until: datetime, language: str) -> "UsedUp":
        """Return it in a language, or in English where there are no words in that one."""
        words = _WORDS.get(language_of(language), _WORDS["en"])
        one, more = words["hours"].split("|")
        n = math.ceil((until - now).total_seconds() / 3_600)
        return cls(scope, until, words[scope].format(hours=one if n <= 1 else more.format(n=n)))

    def to_document(self) -> JsonObject:
        """Return it as it stands in the record."""
        return {"scope": self.scope, "until": self.until, "words": self.words}

    @classmethod
    def of(cls, document: object) -> "UsedUp | None":
        """Read what `to_document` wrote; None where there is nothing, or nothing that can be read."""
        if not isinstance(document, dict):
            return None
        scope, until, words = (document.get(name) for name in ("scope", "until", "words"))
        if not (isinstance(scope, str) and isinstance(until, datetime) and isinstance(words, str)):
            return None
        return cls(scope, until, words)
