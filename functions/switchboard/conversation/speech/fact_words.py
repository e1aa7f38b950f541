"""What the house says itself of its hours, prices and free times, where a model will not tell them truly."""

from datetime import time
from typing import TypeVar

from switchboard.contract.business.languages import language_of
from switchboard.conversation.guard import HeldFact, HeldSubject

_Words = TypeVar("_Words")
_UNSURE = {
    "en": {
        HeldSubject.HOURS: "I am not sure about our hours.",
        HeldSubject.PRICE: "I am not sure what that costs.",
        HeldSubject.FREE: "I am not sure which times are free.",
        HeldSubject.PROMISE: "I can't promise that.",
    },
    "de": {
        HeldSubject.HOURS: "Bei unseren Öffnungszeiten bin ich mir nicht sicher.",
        HeldSubject.PRICE: "Was das kostet, weiß ich nicht sicher.",
        HeldSubject.FREE: "Welche Zeiten frei sind, weiß ich nicht sicher.",
        HeldSubject.PROMISE: "Das kann ich nicht versprechen.",
    },
    "es": {
        HeldSubject.HOURS: "No sé con certeza nuestro horario.",
        HeldSubject.PRICE: "No sé con certeza cuánto cuesta.",
        HeldSubject.FREE: "No sé con certeza qué horas están libres.",
        HeldSubject.PROMISE: "Eso no lo puedo prometer.",
    },
    "fr": {
        HeldSubject.HOURS: "Je ne suis pas sûr de nos horaires.",
        HeldSubject.PRICE: "Je ne suis pas sûr du prix.",
        HeldSubject.FREE: "Je ne suis pas sûr des créneaux libres.",
        HeldSubject.PROMISE: "Cela, je ne peux pas le promettre.",
    },
    "it": {
        HeldSubject.HOURS: "Non sono sicuro dei nostri orari.",
        HeldSubject.PRICE: "Non sono sicuro del prezzo.",
        HeldSubject.FREE: "Non sono sicuro di quali orari siano liberi.",
        HeldSubject.PROMISE: "Questo non lo posso promettere.",
    },
    "pt": {
        HeldSubject.HOURS: "Não tenho a certeza do nosso horário.",
        HeldSubject.PRICE: "Não tenho a certeza do preço.",
        HeldSubject.FREE: "Não tenho a certeza de que horas estão livres.",
        HeldSubject.PROMISE: "Isso não posso prometer.",
    },
    "nl": {
        HeldSubject.HOURS: "Ik ben niet zeker van onze openingstijden.",
        HeldSubject.PRICE: "Ik weet niet zeker wat dat kost.",
        HeldSubject.FREE: "Ik weet niet zeker welke tijden vrij zijn.",
        HeldSubject.PROMISE: "Dat kan ik niet beloven.",
    },
}
# That it is closed, then each day from Monday on.
_CLOSED = {
    "en": "We are closed on {}.|Mondays|Tuesdays|Wednesdays|Thursdays|Fridays|Saturdays|Sundays",
    "de": "{} haben wir geschlossen.|Montags|Dienstags|Mittwochs|Donnerstags|Freitags|Samstags|Sonntags",
    "es": "{} cerramos.|Los lunes|Los martes|Los miércoles|Los jueves|Los viernes|Los sábados|Los domingos",
    "fr": "Nous sommes fermés le {}.|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche",
    "it": "{} siamo chiusi.|Il lunedì|Il martedì|Il mercoledì|Il giovedì|Il venerdì|Il sabato|La domenica",
    "pt": "{} estamos fechados.|Às segundas-feiras|Às terças-feiras|Às quartas-feiras|Às quintas-feiras"
    "|Às sextas-feiras|Aos sábados|Aos domingos",
    "nl": "Op {} zijn we gesloten.|maandag|dinsdag|woensdag|donderdag|vrijdag|zaterdag|zondag",
}
# The hours, and how one stretch of them is told.
_OPEN = {
    "en": ("Our hours then are {}.", "{} to {}", " and "),
    "de": ("Wir haben dann von {} Uhr geöffnet.", "{} bis {}", " und "),
    "es": ("El horario es entonces {}.", "de {} a {}", " y "),
    "fr": ("Nous sommes alors ouverts {}.", "de {} à {}", " et "),
    "it": ("Allora siamo aperti {}.", "dalle {} alle {}", " e "),
    "pt": ("O horário é então {}.", "das {} às {}", " e "),
    "nl": ("We zijn dan open van {} uur.", "{} tot {}", " en "),
}
TABLES = (_UNSURE, _CLOSED, _OPEN)
"""Every table of words here, by language."""


def known_words(fact: HeldFact, language: str) -> str:
    """Return what is known of a fact, as a caller is told it, in a language, else in English; empty for nothing."""
    if fact.closed is not None:
        told, *days = _in(language, _CLOSED).split("|")
        return told.format(days[fact.closed])
    if fact.openings:
        told, stretch, joined = _in(language, _OPEN)
        return told.format(joined.join(stretch.format(_clock(one.opens), _clock(one.closes)) for one in fact.openings))
    return f"{fact.service}: {fact.price}." if fact.service and fact.price else ""


def unsure_words(fact: HeldFact, language: str) -> str:
    """Return that nobody here is sure of what a fact is about, in a language, else in English."""
    return _in(language, _UNSURE)[fact.subject]


def _clock(moment: time) -> str:
    return "24:00" if moment == time.max else f"{moment.hour}:{moment:%M}"


def _in(language: str, tables: dict[str, _Words]) -> _Words:
    return tables.get(language_of(language), tables["en"])
