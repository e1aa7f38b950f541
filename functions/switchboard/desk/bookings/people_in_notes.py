"""How many people a note speaks of, where it says so: "now 6 people", "wir sind zu viert", "seremos seis"."""

import re
import unicodedata
from typing import Final

# From one on, as each language counts; "a" and "un" alone are too common to be a number.
_COUNTED: Final = (
    "one two three four five six seven eight nine ten eleven twelve",
    "ein zwei drei vier funf sechs sieben acht neun zehn elf zwolf",
    "una dos tres cuatro cinco seis siete ocho nueve diez once doce",
    "une deux trois quatre cinq six sept huit neuf dix onze douze",
)
_TOGETHER: Final = "zweit dritt viert funft sechst siebt acht neunt zehnt elft zwolft"
_NUMBERS: Final = {word: n for line in _COUNTED for n, word in enumerate(line.split(), 1)}
_NUMBER: Final = rf"(?P<{{}}>\d{{{{1,2}}}}|{'|'.join(_NUMBERS)})"
_OF_PEOPLE: Final = r"(?:people|persons?|guests|pax|personen|leute|gaste|personas?|comensales|personnes?|couverts)"
_BEFORE: Final = (
    r"(?:party of|table for|(?:we|they|there) (?:ll be|will be|are|re)(?: now)?|(?:wir|sie) sind(?: jetzt)?|tisch fur"
    r"|mesa para|seremos|seran|somos|(?:nous|on) (?:serons|sera|sommes|est)|table pour)"
)
_NO_PEOPLE: Final = r"(?! (?:o ?clock|pm|am|uhr|h|of us|min\w*|stunden|hours?|horas?|heures?))"
_SAID: Final = re.compile(
    rf"\b{_NUMBER.format('counted')} {_OF_PEOPLE}\b|\b{_BEFORE} {_NUMBER.format('told')}\b{_NO_PEOPLE}"
    rf"|\bzu (?P<together>{'|'.join(_TOGETHER.split())})\b"
)


def people_in(text: str) -> int | None:
    """Return how many people come by a text; None where it does not say so, or says several numbers."""
    letters = unicodedata.normalize("NFKD", text.casefold())
    plain = re.sub(r"[^\w]+", " ", "".join(c for c in letters if not unicodedata.combining(c)))
    found = {
        _TOGETHER.split().index(match["together"]) + 2
        if match["together"]
        else _number(match["counted"] or match["told"])
        for match in _SAID.finditer(plain)
    }
    return found.pop() if len(found) == 1 else None


def _number(word: str) -> int:
    return int(word) if word.isdigit() else _NUMBERS[word]
