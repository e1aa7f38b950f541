"""Clock times as they are written and spoken, in English, German, Spanish, French, Italian, Portuguese and Dutch.

The Romance languages and Dutch say durations with the words of times ("dure deux heures"), so a time is read only
behind a word that leads to one, such as "a las" or "à"; behind "pour" and a day, which lead to both, when it is too
long to last. What is past of an hour, or still to come, is told so in English and German: "ten to four", "half three".
"""

import re
from collections.abc import Callable
from typing import Final

from switchboard.conversation.claims.time_words import (
    AM_OR_PM,
    HOUR_WORDS,
    HOURS,
    LATER_HOUR_WORDS,
    MINUTES,
    WEEKDAYS,
    hour_said,
)

_SPANISH = ("una", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "diez", "once", "doce")
_FRENCH = ("une", "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf", "dix", "onze", "douze", "treize")
_LATER_FRENCH = ("quatorze", "quinze", "seize", "dix-sept", "dix-huit", "dix-neuf", "vingt")
_LATER_SPANISH = """
trece catorce quince dieciséis diecisiete dieciocho diecinueve veinte veintiuna veintidós veintitrés
"""
_SPANISH_DAY = (*_SPANISH, *_LATER_SPANISH.split())
_HOURS = {word: n for words in (_SPANISH_DAY, _FRENCH + _LATER_FRENCH) for n, word in enumerate(words, 1)} | {
    "vingt et une": 21,
    "vingt-deux": 22,
    "vingt-trois": 23,
}
_ITALIAN = ("una", "due", "tre", "quattro", "cinque", "sei", "sette", "otto", "nove", "dieci", "undici", "dodici")
_PORTUGUESE = ("uma", "duas", "três", "quatro", "cinco", "seis", "sete", "oito", "nove", "dez", "onze", "doze")
_LATER_ITALIAN = """
tredici quattordici quindici sedici diciassette diciotto diciannove venti ventuno ventidue ventitré
"""
_LATER_PORTUGUESE = """
treze catorze quinze dezesseis dezessete dezoito dezenove vinte
"""
_DUTCH = ("een", "twee", "drie", "vier", "vijf", "zes", "zeven", "acht", "negen", "tien", "elf", "twaalf")
_FRACTIONS_SAID: Final[dict[int, str]] = {
    -20: "menos veinte, moins vingt",
    -15: "menos cuarto, moins le quart, meno un quarto, menos um quarto",
    -10: "menos diez, moins dix",
    -5: "menos cinco, moins cinq",
    5: "y cinco, cinq",
    10: "y diez, dix, e dieci, e dez",
    15: "y cuarto, y quince, et quart, quinze, e un quarto, e quindici, e quinze, e um quarto",
    20: "y veinte, vingt, e venti, e vinte",
    30: "y media, y treinta, et demie, et demi, trente, e mezza, e trenta, e meia, e trinta",
    40: "quarante",
    45: "y cuarenta y cinco, quarante-cinq, e quarantacinque, e quarenta e cinco",
    50: "cinquante",
}
_FRACTIONS = {words: minutes for minutes, said in _FRACTIONS_SAID.items() for words in said.split(", ")}
_FRACTION = "|".join(re.escape(words).replace(r"\ ", r"\s+") for words in sorted(_FRACTIONS, key=len, reverse=True))
_HOUR = "|".join(sorted(map(re.escape, _HOURS), key=len, reverse=True)) + r"|[01]?\d|2[0-3]"

_A_LAS = re.compile(
    rf"\b(?:at|al?|para|desde|entre|hasta|sobre|hacia|de)\s+las?\s+({_HOUR})(?![\w:.-]*\d)(?:\b|(?=h\b))"
    r"(?!\s+(?:citas|reservas|personas|client\w+|opciones|mujeres|chicas|veces|semanas|amigas|hijas|niñas)\b)"
    rf"(?:\s+({_FRACTION})\b)?(?:\s*(?:h|horas)\b)?(?:\s+en\s+punto)?"
    r"(?:\s+(?:de|por)\s+la\s+(mañana|tarde|noche|madrugada)\b)?",
    re.I,
)
_LATE = "|".join((*_FRENCH[6:], *_LATER_FRENCH)) + r"|[7-9]|1\d|2[0-3]"
_A_HEURES = re.compile(
    r"\b(?:at|à|vers|dès|entre|(?:pour|aujourd'hui|demain|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)"
    rf"(?=\s+(?:{_LATE})\s*h))\s+({_HOUR})\s*(?:h|heures?)(?![^\W\d_])(?:\s*([0-5]\d)\b|\s+({_FRACTION})\b)?"
    r"(?:\s+(du\s+matin|de\s+l'après-midi|du\s+soir)\b)?",
    re.I,
)
_NOON_SAID = ("midi", "minuit", "mediodía", "medianoche")
_NOON = re.compile(rf"\b(?:at|à|vers|al?)\s+({'|'.join(_NOON_SAID)})\b(?:\s+({_FRACTION})\b)?", re.I)
_WORD_HOURS = {
    name: {word: n for n, word in enumerate(words, 1)}
    for name, words in (
        ("it", (*_ITALIAN, *_LATER_ITALIAN.split())),
        ("pt", (*_PORTUGUESE, *_LATER_PORTUGUESE.split())),
        ("nl", _DUTCH),
    )
}
_WORD_HOURS["pt"] |= {"quatorze": 14, "dezasseis": 16, "dezassete": 17, "dezanove": 19, "vinte e uma": 21}
_WORD_HOURS["pt"] |= {"vinte e duas": 22, "vinte e três": 23}
_IN_ITALIAN, _IN_PORTUGUESE = ("|".join(sorted(_WORD_HOURS[name], key=len, reverse=True)) for name in ("it", "pt"))
# What follows a number that is a time: "alle 10 Minuten" is German, and no time.
_ENDS = r"(?=\s*(?:[.,;!?)]|$|d[aei]l?\b|con\b|com\b|per\b|para\b|e\b|in\b|horas?\b|h\b))"
_ALLE = re.compile(
    rf"\b(?:alle|all'|dalle|per\s+le|fino\s+alle|verso\s+le)\s*({_IN_ITALIAN}|(?:[01]?\d|2[0-3])(?![:.\d]){_ENDS})"
    rf"\b(?:\s+({_FRACTION})\b)?(?:\s+(di\s+mattina|del\s+mattino|del\s+pomeriggio|di\s+sera)\b)?",
    re.I,
)
_AS = re.compile(
    rf"\b(?:às?|pelas|das|para\s+as)\s+({_IN_PORTUGUESE}|(?:[01]?\d|2[0-3])(?![:.\d]){_ENDS})"
    rf"\b(?:\s*(?:horas?|h)\b)?(?:\s+({_FRACTION})\b)?(?:\s+(da\s+manhã|da\s+tarde|da\s+noite)\b)?",
    re.I,
)
_OM = re.compile(
    rf"\b(?:om|rond|vanaf|tegen)\s+(?:(half|kwart\s+over|kwart\s+voor)\s+)?({'|'.join(_DUTCH)}|[01]?\d|2[0-3])"
    r"(?![:.]?\d)\b(?:\s+uur\b)?(?:\s+'s\s+(ochtends|morgens|middags|avonds)\b)?",
    re.I,
)
_MORNING = ("mañana", "madrugada", "matin", "mattina", "mattino", "manhã", "ochtends", "morgens")
_DUTCH_SHIFTS = {"half": -30, "kwart over": 15, "kwart voor": -15}


def _either(hour: int, minute: int, mark: str | None) -> frozenset[int]:
    """Return the minutes after midnight that a clock time may mean; `mark` is the a or p of "a.m." and "p.m."."""
    if mark:
        hour = hour % 12 + (12 if mark.lower() == "p" else 0)
        return frozenset({hour * 60 + minute})
    hours = {hour % 24} if hour > 12 or hour == 0 else {hour % 24, (hour + 12) % 24}
    return frozenset(h * 60 + minute for h in hours)


def _spanish(match: re.Match[str]) -> frozenset[int]:
    return _read(match[1], match[2], match[3])


def _french(match: re.Match[str]) -> frozenset[int]:
    if match[2]:
        return _either(_hour(match[1]), int(match[2]), _mark(_hour(match[1]), match[4]))
    return _read(match[1], match[3], match[4])


def _italian(match: re.Match[str]) -> frozenset[int]:
    return _shifted(_number(match[1], "it"), _fraction(match[2]), match[3])


def _portuguese(match: re.Match[str]) -> frozenset[int]:
    return _shifted(_number(match[1], "pt"), _fraction(match[2]), match[3])


def _dutch(match: re.Match[str]) -> frozenset[int]:
    shift = _DUTCH_SHIFTS[" ".join(match[1].lower().split())] if match[1] else 0
    return _shifted(_number(match[2], "nl"), shift, match[3])


def _number(word: str, language: str) -> int:
    return int(word) if word.isdigit() else _WORD_HOURS[language][word.lower()]


def _shifted(hour: int, shift: int, part: str | None) -> frozenset[int]:
    return _minutes_around(hour, shift, _mark(hour, part))


def _noon(match: re.Match[str]) -> frozenset[int]:
    hour = 0 if match[1].lower() in ("minuit", "medianoche") else 12
    return frozenset({(hour * 60 + _fraction(match[2])) % 1440})


def _read(word: str, fraction: str | None, part: str | None) -> frozenset[int]:
    return _shifted(_hour(word), _fraction(fraction), part)


def _hour(word: str) -> int:
    return int(word) if word.isdigit() else _HOURS[word.lower()]


def _fraction(words: str | None) -> int:
    return _FRACTIONS[" ".join(words.lower().split())] if words else 0


def _mark(hour: int, part: str | None) -> str | None:
    # "Las doce de la mañana" is noon to some and midnight to others; from 13 on, the part of the day says nothing new.
    if not part or hour >= 12:
        return None
    words = part.lower().split()
    return "a" if words[-1] in _MORNING else "p"


HOURS_SAID: Final = (*_HOURS, *(word for words in _WORD_HOURS.values() for word in words), *_NOON_SAID)
"""How hours are called in these languages."""

_WORD_HOUR = "|".join(sorted(HOUR_WORDS, key=len, reverse=True))
_PAST_HOUR = rf"(?:{_WORD_HOUR}|[01]?\d)"
_ENGLISH = "|".join(HOURS["en"])
_MINUTES = {"five": 5, "ten": 10, "fifteen": 15, "twenty": 20, "twenty-five": 25, "twenty five": 25}
_MINUTES |= {"fünf": 5, "zehn": 10, "fünfzehn": 15, "zwanzig": 20}
_MARK = rf"(?:{AM_OR_PM})?"
# "Five to ten minutes" is how long something takes.
_COUNTED = (
    r"(?![\s-]*(?:min|hours?|days?|weeks?|months?|people|persons?|guests?|stunden|tage|wochen|euros?|dollars?"
    r"|percent|%))"
)
_MINUTES_PAST = re.compile(
    rf"\b({'|'.join(sorted(_MINUTES, key=len, reverse=True))}|[1-5]?\d)(?:\s+(minutes?|minuten))?\s+"
    rf"(past|after|to|nach|vor)\s+(half\s+|halb\s+)?({_PAST_HOUR})\b(?![:.]\d){_COUNTED}{_MARK}",
    re.I,
)
# "Half three" is half past three, "halb drei" half an hour before.
_PART_OF_HOUR = re.compile(
    rf"\b(half past|halb|quarter past|viertel nach|quarter to|viertel vor)\s+({_PAST_HOUR})\b{_MARK}"
    rf"|\b(half)\s+({_ENGLISH})\b(?!\s+of\b){_COUNTED}{_MARK}",
    re.I,
)
# "Tuesday, three": behind a day nothing else is counted, where nothing follows that could be.
_DAY_AND_HOUR = re.compile(
    rf"\b(?:{'|'.join(sorted(WEEKDAYS, key=len, reverse=True))}|today|tomorrow|heute|morgen),?\s+"
    rf"({_WORD_HOUR})\b(?=\s*(?:[.!?;]|,\s|$))",
    re.I,
)
_SHIFTS = {"half past": 30, "half": 30, "halb": -30, "quarter past": 15, "viertel nach": 15}
_TO = ("to", "vor")


def _part_of_hour(match: re.Match[str]) -> frozenset[int]:
    name, hour, mark = (match[1], match[2], match[3]) if match[1] else (match[4], match[5], match[6])
    return _minutes_around(hour_said(hour), _SHIFTS.get(" ".join(name.lower().split()), -15), mark)


def _minutes_past(match: re.Match[str]) -> frozenset[int]:
    count, hour = match[1].lower(), hour_said(match[5])
    minutes = int(count) if count.isdigit() else _MINUTES[count]
    shift = -minutes if match[3].lower() in _TO else minutes
    half = (match[4] or "").strip().lower()
    shift += {"half": 30, "halb": -30, "": 0}[half]
    possible = _minutes_around(hour, shift, match[6])
    # "We have you down ten to four" may be from ten until four as well.
    may_be_hours = match[3].lower() == "to" and not match[2] and not half and minutes <= 12
    return (
        possible | _minutes_around(minutes, 0, None) | _minutes_around(hour, 0, match[6]) if may_be_hours else possible
    )


def _day_and_hour(match: re.Match[str]) -> frozenset[int]:
    return _minutes_around(hour_said(match[1]), 0, None)


def _minutes_around(hour: int, shift: int, mark: str | None) -> frozenset[int]:
    return frozenset((minutes + shift) % 1440 for minutes in _either(hour, 0, mark))


_ANY_HOUR = "|".join(sorted({**HOUR_WORDS, **LATER_HOUR_WORDS}, key=len, reverse=True))
_CLOCK = re.compile(rf"(?<![\d.:])([01]?\d|2[0-3])[:.h]([0-5]\d)(?![\d:]|\.\d)(?:\s*uhr)?(?:{AM_OR_PM})?", re.I)
_SPELT = re.compile(
    rf"\b({_WORD_HOUR}|1[0-2]|[1-9])[\s-]({'|'.join(MINUTES)})\b(?![\s-]*(?:min|euro|dollar|percent|people))"
    rf"(?:{AM_OR_PM})?",
    re.I,
)
# "Ein Tisch am Freitag": before "am" a German hour is none.
_HOUR_MARKED = re.compile(rf"\b([01]?\d|2[0-3]|{'|'.join(HOURS['en'])})\s*(?:o'clock)?{AM_OR_PM}", re.I)
_HALF = r"(?:\s+(?:(morgens|früh|vormittags|am (?:morgen|vormittag))|(abends|nachmittags|am (?:abend|nachmittag)))\b)"
_HOUR_NAMED = re.compile(rf"\b([01]?\d|2[0-3]|{_ANY_HOUR})\s*(?:o'clock|uhr|uur)\b(?:\s+([0-5]?\d)\b)?{_HALF}?", re.I)
_AT_HOUR = re.compile(
    rf"\b(?:at|um|gegen)\s+({_WORD_HOUR}|[01]?\d|2[0-3])\b(?![:.]\d|\s*(?:uhr|o'clock|\w+\s+(?:street|road))"
    rf"|{AM_OR_PM})",
    re.I,
)
# "for ten" is a time where nothing follows that could be ten of.
_FOR_HOUR = re.compile(
    rf"\b(?:for|auf|für|to)\s+({_WORD_HOUR})\b(?=\s*(?:[.,!?;]|$|on\b|today|tomorrow|am\b|heute|verschoben|verlegt))",
    re.I,
)


def _clock(match: re.Match[str]) -> frozenset[int]:
    return _either(int(match[1]), int(match[2]), match[3])


def _spelt(match: re.Match[str]) -> frozenset[int]:
    return _either(hour_said(match[1]), MINUTES[match[2].lower()], match[3])


def _marked(match: re.Match[str]) -> frozenset[int]:
    return _either(hour_said(match[1]), 0, match[2])


def _named(match: re.Match[str]) -> frozenset[int]:
    hour = hour_said(match[1])
    # "Zwölf Uhr früh" is midnight to some; from 13 on, the half of the day says nothing new.
    mark = ("a" if match[3] else "p" if match[4] else None) if hour < 12 else None
    return _either(hour, int(match[2] or 0), mark)


def _bare(match: re.Match[str]) -> frozenset[int]:
    return _either(hour_said(match[1]), 0, None)


_READS: Final[tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], frozenset[int]], str], ...]] = (
    (_CLOCK, _clock, ""),
    (_MINUTES_PAST, _minutes_past, "past after to nach vor"),
    (_PART_OF_HOUR, _part_of_hour, "half halb quarter viertel"),
    (_DAY_AND_HOUR, _day_and_hour, ""),
    (_SPELT, _spelt, "fifteen thirty forty twenty fifty"),
    (_HOUR_MARKED, _marked, ""),
    (_HOUR_NAMED, _named, "clock uhr uur"),
    (_AT_HOUR, _bare, "at um gegen"),
    (_FOR_HOUR, _bare, "for auf für to"),
    (_NOON, _noon, " ".join(_NOON_SAID)),
    (_A_LAS, _spanish, "la las"),
    (_A_HEURES, _french, ""),
    (_ALLE, _italian, "alle all dalle per fino verso"),
    (_AS, _portuguese, "às à as pelas das"),
    (_OM, _dutch, "om rond vanaf tegen"),
)
READERS: Final = tuple((pattern, read, frozenset(leads.split())) for pattern, read, leads in _READS)
"""What a time of day looks like, and which minutes after midnight it may be: the first that knows it reads it.

Where there are words behind them, one of these stands in whatever they read.
"""
