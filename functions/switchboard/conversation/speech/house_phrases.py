"""What the house itself says, in the business's language: where nothing else can be, where no more is, and goodbye."""

import math
from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum

from switchboard.catalog.offer.alternatives import Alternatives
from switchboard.contract.business.languages import language_of
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.response import IntentType, ToolResponse
from switchboard.conversation.event import TurnOutcome
from switchboard.conversation.guard import HeldFact
from switchboard.conversation.speech.fact_words import known_words, unsure_words

_ENDINGS = {
    IntentType.TRANSFER_CALL: TurnOutcome.TRANSFERRED,
    IntentType.END_CALL: TurnOutcome.ENDED,
    IntentType.END_VOICE_SESSION: TurnOutcome.ENDED,
}

_TRANSFERRED = {
    "en": "One moment, I'm connecting you.",
    "de": "Einen Moment, ich verbinde Sie.",
    "es": "Un momento, le paso.",
    "fr": "Un instant, je vous mets en relation.",
    "it": "Un momento, la metto in contatto.",
    "pt": "Um momento, vou passar a ligação.",
    "nl": "Een ogenblik, ik verbind u door.",
}
_ENDED = {
    "en": "Goodbye.",
    "de": "Auf Wiederhören.",
    "es": "Adiós.",
    "fr": "Au revoir.",
    "it": "Arrivederci.",
    "pt": "Até logo.",
    "nl": "Tot ziens.",
}
_LEAVE = {TurnOutcome.TRANSFERRED: _TRANSFERRED, TurnOutcome.ENDED: _ENDED}
_CUT_SHORT = {
    "en": "I have to stop here, there would be more to say. Shall I go on?",
    "de": "Hier muss ich abbrechen, es gäbe noch mehr zu sagen. Soll ich fortfahren?",
    "es": "Tengo que parar aquí, quedaría más por decir. ¿Sigo?",
    "fr": "Je dois m'arrêter ici, il y aurait plus à dire. Je continue ?",
    "it": "Devo fermarmi qui, ci sarebbe altro da dire. Continuo?",
    "pt": "Tenho de parar aqui, haveria mais a dizer. Continuo?",
    "nl": "Ik moet hier stoppen, er valt nog meer te zeggen. Zal ik doorgaan?",
}
# Of a business that was taken away while somebody spoke with it: nothing more can be had of it.
_GONE = {
    "en": "I have to end this conversation: we cannot be reached here any more. Goodbye.",
    "de": "Ich muss dieses Gespräch beenden: Hier sind wir nicht mehr zu erreichen. Auf Wiederhören.",
    "es": "Tengo que terminar esta conversación: ya no estamos disponibles aquí. Adiós.",
    "fr": "Je dois mettre fin à cette conversation : nous ne sommes plus joignables ici. Au revoir.",
    "it": "Devo chiudere questa conversazione: qui non siamo più raggiungibili. Arrivederci.",
    "pt": "Tenho de terminar esta conversa: já não estamos disponíveis aqui. Até logo.",
    "nl": "Ik moet dit gesprek beëindigen: we zijn hier niet meer bereikbaar. Tot ziens.",
}

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
    "it": {
        "visit": "Mi dispiace, questa chiamata dura già quanto posso parlare con qualcuno che non conosco. Richiami se "
        "resta qualcosa. Arrivederci.",
        "number": "Mi dispiace, questo numero ha già avuto oggi tutte le risposte che posso dare senza sapere chi "
        "chiama. Richiami tra {hours}. Arrivederci.",
        "hours": "un'ora|{n} ore",
    },
    "pt": {
        "visit": "Lamento, esta chamada já dura tanto quanto posso falar com alguém que não conheço. Volte a ligar se "
        "ficou algo por tratar. Até logo.",
        "number": "Lamento, este número já teve hoje todas as respostas que posso dar sem saber quem liga. Volte a "
        "ligar daqui a {hours}. Até logo.",
        "hours": "uma hora|{n} horas",
    },
    "nl": {
        "visit": "Het spijt me, dit gesprek duurt al zo lang als ik mag praten met iemand die ik niet ken. Belt u nog "
        "eens als er iets open is. Tot ziens.",
        "number": "Het spijt me, dit nummer heeft vandaag zoveel antwoorden gehad als ik mag geven zolang ik niet weet "
        "wie er belt. Belt u over {hours} nog eens. Tot ziens.",
        "hours": "een uur|{n} uur",
    },
}


class Trouble(StrEnum):
    """Why the model's own words are missing."""

    NO_ANSWER = "no_answer"
    NOT_DONE = "not_done"
    REFUSED = "refused"


# Seed 000, "Tool Usage Policy". What can be had instead comes behind it.
_SENTENCES: dict[str, dict[Trouble, str]] = {
    "en": {
        Trouble.NO_ANSWER: "I'm having trouble pulling that up right now.",
        Trouble.NOT_DONE: "I can't confirm that this has been done.",
        Trouble.REFUSED: "I'm sorry, I can't help with that.",
    },
    "de": {
        Trouble.NO_ANSWER: "Das kann ich gerade leider nicht nachsehen.",
        Trouble.NOT_DONE: "Ich kann nicht bestätigen, dass das erledigt ist.",
        Trouble.REFUSED: "Dabei kann ich leider nicht helfen.",
    },
    "es": {
        Trouble.NO_ANSWER: "Ahora mismo no puedo consultarlo.",
        Trouble.NOT_DONE: "No puedo confirmar que esto se haya hecho.",
        Trouble.REFUSED: "Lo siento, con eso no puedo ayudarle.",
    },
    "fr": {
        Trouble.NO_ANSWER: "Je n'arrive pas à consulter cela pour le moment.",
        Trouble.NOT_DONE: "Je ne peux pas confirmer que cela a été fait.",
        Trouble.REFUSED: "Désolé, je ne peux pas vous aider pour cela.",
    },
    "it": {
        Trouble.NO_ANSWER: "In questo momento non riesco a consultarlo.",
        Trouble.NOT_DONE: "Non posso confermare che sia stato fatto.",
        Trouble.REFUSED: "Mi dispiace, con questo non posso aiutarla.",
    },
    "pt": {
        Trouble.NO_ANSWER: "Neste momento não consigo consultar isso.",
        Trouble.NOT_DONE: "Não posso confirmar que isso tenha sido feito.",
        Trouble.REFUSED: "Lamento, mas com isso não posso ajudar.",
    },
    "nl": {
        Trouble.NO_ANSWER: "Dat kan ik op dit moment helaas niet opzoeken.",
        Trouble.NOT_DONE: "Ik kan niet bevestigen dat dit gedaan is.",
        Trouble.REFUSED: "Het spijt me, daar kan ik niet bij helpen.",
    },
}

# What a model will not talk about, it will not later either.
_ANYTHING_ELSE = {
    "en": "Is there anything else I can do for you?",
    "de": "Kann ich sonst etwas für Sie tun?",
    "es": "¿Puedo hacer algo más por usted?",
    "fr": "Puis-je faire autre chose pour vous ?",
    "it": "Posso fare altro per lei?",
    "pt": "Posso ajudar em mais alguma coisa?",
    "nl": "Kan ik nog iets anders voor u doen?",
}


def safe_sentence(trouble: Trouble | HeldFact, language: str, ways: Alternatives, now: datetime | None = None) -> str:
    """Return what is said, with what can be had instead, in a language (`de`, `de-AT`), else in English.

    Args:
        trouble: Why the model's own words are missing, or what they told wrongly.
        language: In which is spoken.
        ways: What can be had.
        now: When it is said, for opening times.
    """
    known = language_of(language)
    known = known if known in _SENTENCES else "en"
    ways = ways if now is None else ways.at(now)
    if isinstance(trouble, HeldFact):
        known_fact = known_words(trouble, known)
        return (
            f"{known_fact} {_ANYTHING_ELSE[known]}"
            if known_fact
            else f"{unsure_words(trouble, known)} {ways.said(language, now)}"
        )
    is_final = trouble is Trouble.REFUSED and not ways.lead_to_people
    return f"{_SENTENCES[known][trouble]} {_ANYTHING_ELSE[known] if is_final else ways.said(language, now)}"


def ending_of(response: ToolResponse) -> TurnOutcome | None:
    """Return how an answer ends the conversation, None if it does not (seed 004, "Special Tool Behaviors")."""
    if not response.ok:
        return None
    for intent in response.intents:
        if intent.type in _ENDINGS:
            return _ENDINGS[intent.type]
    data = response.data or {}
    if data.get("transferred") is True:
        return TurnOutcome.TRANSFERRED
    return TurnOutcome.ENDED if data.get("ended") is True else None


def leave_words(responses: Iterable[ToolResponse], language: str, *, has_spoken: bool) -> str:
    """Return what is said before a call is put through or ends, as one of these answers has it; empty for nothing.

    What the owner has written for it comes before a transfer in any case; the house's word only where none was said.
    """
    for response in responses:
        ending = ending_of(response)
        if ending is None:
            continue
        message = next(
            (text for i in response.intents if (text := i.payload.get("message")) and i.type in _ENDINGS), None
        )
        if isinstance(message, str) and message.strip():
            return message.strip()
        return "" if has_spoken else _in(language, _LEAVE[ending])
    return ""


def gone_words(language: str) -> str:
    """Return what is said where the business is there no more."""
    return _in(language, _GONE)


def cut_short_words(language: str) -> str:
    """Return what is said behind an answer that was cut off, so that nobody takes it for the whole."""
    return _in(language, _CUT_SHORT)


def _in(language: str, sentences: dict[str, str]) -> str:
    return sentences.get(language_of(language), sentences["en"])


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
