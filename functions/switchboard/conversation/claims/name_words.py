"""Whom a sentence names: what stands where people's names stand, in the languages that claims are known in."""

import re

from switchboard.conversation.claims.time_words import HOUR_WORDS, MONTHS, SHORT_MONTHS, SHORT_WEEKDAYS, WEEKDAYS

_NEARBY = (
    *("today", "tomorrow", "heute", "morgen", "übermorgen", "hoy", "mañana", "aujourd'hui", "demain"),
    *("oggi", "domani", "hoje", "amanhã", "vandaag", "overmorgen"),
)
_TIME_WORDS = frozenset({*WEEKDAYS, *SHORT_WEEKDAYS, *MONTHS, *SHORT_MONTHS, *HOUR_WORDS, *_NEARBY})
_TITLE = r"(?:mr|mrs|ms|herrn?|frau|sra?|señora?|mme|madame|monsieur|signora?|senhora?|dona|meneer|mevrouw)\.?\s+"
_CAPITAL = "[A-ZÀ-ÖØ-Þ]"
_NAME = rf"(?-i:{_CAPITAL}[\w'-]+)(?:\s+(?-i:{_CAPITAL}[\w'-]+))*"
_UNDER = "under|auf|unter|a nombre de|a nome di|em nome de|op naam van|au nom de"
_LED_TO = (
    r"\s+(?:(?:the\s+)?name\s+(?:of\s+)?|(?:de[nm]\s+)?namen\s+|(?:la|el)\s+(?=se))?"
    rf"(?:{_TITLE})?({_NAME})"
)
_PERSON = re.compile(
    rf"\b(?:{_UNDER}|for|für|termin von|buchung von|para|per|voor|(?:cita|reserva) de|pour|"
    rf"(?:rendez-vous|réservation) de){_LED_TO}|"
    rf"\b({_NAME})'s\s+(?:\w+\s+)?(?:appointment|booking|visit|cut|haircut)\b|"
    rf"\b{_TITLE}({_NAME})",
    re.I,
)
# "The appointment under Smith" names which one is meant, and not what it stands under now.
_STOOD_UNDER = re.compile(
    r"(\b(?:appointment|booking|reservation|visit|termin|buchung|reservierung|cita|reserva|rendez-vous|réservation|"
    rf"appuntamento|prenotazione|marcação|afspraak|boeking)\s+)?\b(?:{_UNDER}){_LED_TO}",
    re.I,
)
# Capitalised, and nobody's name.
_NO_NAME = frozenset(
    [
        "i",
        "sie",
        "ihnen",
        "ihr",
        "ihre",
        "ihren",
        "ihrem",
        "ihrer",
        "ihres",
        "du",
        "dich",
        "dir",
        "dein",
        "deine",
        "deinen",
        "wunsch",
        "uhr",
        "mittag",
        "vormittag",
        "nachmittag",
        "abend",
        "mitternacht",
        "anfang",
        "mitte",
        "ende",
        "viertel",
        "punkt",
        "spätestens",
        "termin",
        "termine",
        "deutsch",
        "englisch",
        "namen",
        "herr",
        "herrn",
        "frau",
        "mr",
        "mrs",
        "ms",
        "dr",
        "christmas",
        "easter",
        "weihnachten",
        "ostern",
        "the",
        "a",
        "an",
        "your",
        "my",
        "our",
        "half",
        "quarter",
        "english",
        "german",
        "next",
        "this",
        "both",
        "usted",
        "su",
        "navidad",
        "semana",
        "señor",
        "señora",
        "vous",
        "votre",
        "noël",
        "pâques",
        "mme",
        "madame",
        "monsieur",
        "lei",
        "suo",
        "sua",
        "signora",
        "natale",
        "pasqua",
        "você",
        "senhor",
        "senhora",
        "natal",
        "u",
        "uw",
        "meneer",
        "mevrouw",
        "wiederhören",
        "wiedersehen",
        "wiederschauen",
        "kerst",
        "pasen",
    ]
)


def is_no_name(word: str) -> bool:
    """Tell whether a capitalised word is a time, a pronoun or the like."""
    plain = word.lower()
    return plain in _TIME_WORDS or plain in _NO_NAME


def names_in(sentence: str) -> tuple[str, ...]:
    """Return the names in a sentence; time words and pronouns are left out."""
    return tuple(name for m in _PERSON.finditer(sentence) if (name := _name(m[1] or m[2] or m[3])))


def names_stood_under(sentence: str) -> tuple[str, ...]:
    """Return the names under which something stands by now, as a sentence says."""
    return tuple(name for m in _STOOD_UNDER.finditer(sentence) if not m[1] and (name := _name(m[2])))


def _name(words: str) -> str:
    """Return what could be a person's name of capitalised words; empty where nothing could."""
    found = []
    for word in words.split():
        plain = word.removesuffix("'s").lower()
        if plain in _TIME_WORDS or plain in _NO_NAME or plain.isdigit():
            break
        # An initial stands for any name.
        found += [word.removesuffix("'s")] if len(plain) > 1 else []
    return " ".join(found)
