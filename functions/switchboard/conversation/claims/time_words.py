"""The words of hours and minutes in English and German, of days and months in seven languages, and numbers."""

import re
from datetime import date, timedelta
from typing import Final

HOURS: Final = {
    "en": ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"],
    "de": ["eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwölf"],
}
HOUR_WORDS = {word: n for words in HOURS.values() for n, word in enumerate(words, 1)} | {"ein": 1}
HOUR_WORDS |= {"noon": 12, "midday": 12}
_LATER_GERMAN = """
dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn zwanzig einundzwanzig zweiundzwanzig dreiundzwanzig
"""
LATER_HOUR_WORDS: Final = {word: n for n, word in enumerate(_LATER_GERMAN.split(), 13)}
"""The hours that German tells by a number which is said of much else, too: only beside "Uhr" they are hours."""
WEEKDAYS = {
    word: n
    for words in (
        "monday tuesday wednesday thursday friday saturday sunday",
        "montag dienstag mittwoch donnerstag freitag samstag sonntag",
        "lunes martes miércoles jueves viernes sábado domingo",
        "lundi mardi mercredi jeudi vendredi samedi dimanche",
        "lunedì martedì mercoledì giovedì venerdì sabato domenica",
        "segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado domingo",
        "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
    )
    for n, word in enumerate(words.split())
} | {"sonnabend": 5, "terça": 1, "sexta": 4}
# Behind these a number is a day of the month; "Friday 4" and "Freitag 4" may be an hour as well.
ROMANCE_DAYS: Final = [word for word in WEEKDAYS if not word.endswith(("day", "dag", "tag", "mittwoch", "sonnabend"))]
MONTHS = {
    word: n
    for words in (
        "january february march april may june july august september october november december",
        "januar februar märz april mai juni juli august september oktober november dezember",
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
        "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
        "januari februari maart april mei juni juli augustus september oktober november december",
    )
    for n, word in enumerate(words.split(), 1)
} | {"jänner": 1}
SHORT_WEEKDAYS = {"tue": 1, "tues": 1, "wed": 2, "thu": 3, "thur": 3, "thurs": 3, "fri": 4}
_MONTHS_CUT = "jan feb mar apr may jun jul aug sep oct nov dec"
SHORT_MONTHS = {word: n for n, word in enumerate(_MONTHS_CUT.split(), 1)} | {"sept": 9, "okt": 10, "dez": 12, "mär": 3}
_ORDINALS_SAID = """
first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth
sixteenth seventeenth eighteenth nineteenth twentieth
"""
_LAST_DAY = 31
ORDINALS = {word: n for n, word in enumerate(_ORDINALS_SAID.split(), 1)}
ORDINALS |= {
    f"{tens}{mark}{word}": base + n
    for tens, base in (("twenty", 20), ("thirty", 30))
    for n, word in enumerate(_ORDINALS_SAID.split()[:9], 1)
    for mark in ("-", " ")
    if base + n <= _LAST_DAY
} | {"thirtieth": 30}
MINUTES = {"fifteen": 15, "thirty": 30, "forty-five": 45, "forty five": 45, "twenty": 20, "forty": 40, "fifty": 50}
# "Um sieben am Freitag" tells a day, and not that it is in the morning.
_GERMAN_DAY = (
    r"(?:(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag)\w*|\d{1,2}\.|(?:abend"
    r"|vormittag|nachmittag|mittag|morgen|wochenende|nächst\w+|kommend\w+|selben|gleichen|\w+ten)\b)"
)
AM_OR_PM: Final = rf"\s*([ap])\.?\s?m\b(?!\s+{_GERMAN_DAY})\.?"
"""How English tells the halves of a day, in a pattern: its only group is their letter."""
NEARBY = {
    word: days
    for days, words in enumerate(
        (
            ("today", "heute", "hoy", "aujourd'hui", "oggi", "hoje", "vandaag"),
            ("tomorrow", "morgen", "mañana", "demain", "domani", "amanhã"),
            (
                *("day after tomorrow", "übermorgen", "pasado mañana", "après-demain", "dopodomani"),
                *("depois de amanhã", "overmorgen"),
            ),
        )
    )
    for word in words
}
_NEAR = re.compile(rf"\b({'|'.join(sorted(NEARBY, key=len, reverse=True))})\b", re.I)
# "morgen um zehn" is tomorrow; "am Dienstag Morgen" and "guten Morgen" are not, nor is "a las diez de la mañana".
_NO_DAY = re.compile(
    r"\b(?:guten|schönen|goede|elke|am|jeden|\w+dag|\w+tag|mittwoch)\s+morgen\b|(?<=heute)\s+morgen\b"
    r"|\b(?:la|esta|cada)\s+mañana\b",
    re.I,
)
# "This Wednesday" is the next one; of today's name it may be today, or in a week.
_THIS_DAY = re.compile(
    r"\b(?:this|diese[nmrs]?|est[ea]|ce|quest[oa]|nest[ea]|deze)\s+"
    rf"({'|'.join(sorted(WEEKDAYS, key=len, reverse=True))})\b(?!-)",
    re.I,
)
# Days that are numbers elsewhere, where they stand as days do: "de quinta às quatro", and not "de quinta categoria".
HALF_DAYS: Final = ("segunda", "quarta", "quinta")
_HALF_DAY = re.compile(
    r"\b(segunda|quarta|quinta)\b(?!-)(?=\s+(?:às?|pelas|ao meio-dia|de manhã|que vem)\b)"
    r"|\b(?P<lead>na|até|à|para|de|é|fica|esta|nesta|desta|próxima)\s+(?P<day>segunda|quarta|quinta)\b(?!-)"
    r"(?=\s*(?:[.,;!?]|$)|\s+(?:com|das|até)\b)",
    re.I,
)
_DAY_NAMED = "|".join(sorted(WEEKDAYS, key=len, reverse=True))
_MONTH_NAMED = "|".join(sorted({**MONTHS, **SHORT_MONTHS}, key=len, reverse=True))
_DATE = rf"(?:(?:{_MONTH_NAMED})\.? \d{{1,2}}(?:st|nd|rd|th)?|\d{{1,2}}(?:\.|er)? (?:de |di |of )?(?:{_MONTH_NAMED}))"
# What stands between a weekday and its date, and between a date and its hour.
_WITHIN_A_TIME = re.compile(
    rf"(\b(?:{_DAY_NAMED}))\b,\s+(?=(?:the |den |le )?{_DATE}\b)"
    rf"|(\b{_DATE}),\s+(?=(?:at |um |a las? |à |alle |às |om )?\d{{1,2}}(?:[:h]\d\d| ?(?:[ap]\.?m\b|uhr\b|uur\b|h\b)))",
    re.I,
)


def hour_said(word: str) -> int:
    """Return the hour that an English or German word, or digits, say."""
    return int(word) if word.isdigit() else (HOUR_WORDS | LATER_HOUR_WORDS)[word.lower()]


def near_days(sentence: str, today: date) -> set[date]:
    """Return the days that a sentence names by how near they are, such as "tomorrow"."""
    if _NEAR.search(sentence) is None:
        return set()
    rest = _NO_DAY.sub(" ", sentence)
    return {today + timedelta(days=NEARBY[m[1].lower()]) for m in _NEAR.finditer(rest)}


def next_days(sentence: str, today: date) -> set[date]:
    """Return the days that a sentence names as the next of their name, such as "this Wednesday"."""
    ahead = ((WEEKDAYS[m[1].lower()] - today.weekday()) % 7 for m in _THIS_DAY.finditer(with_whole_days(sentence)))
    return {today + timedelta(days=count) for count in ahead if count}


def with_whole_days(sentence: str) -> str:
    """Return a sentence with the Portuguese days that are told in half a word written out: "quinta-feira"."""
    return _HALF_DAY.sub(lambda m: f"{m['lead']} {m['day']}-feira" if m["day"] else f"{m[1]}-feira", sentence)


def joined_times(text: str) -> str:
    """Return a text without the marks within one time: "Wednesday, January 6, 3:30 PM" is read in one piece."""
    if "," not in text:
        return text
    return _WITHIN_A_TIME.sub(lambda match: f"{match[1] or match[2]} ", text)
