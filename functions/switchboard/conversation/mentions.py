"""What a sentence says about when and for whom: clock times, days, dates and names, as people speak them.

Only what is certain is read. A time without "am" or "pm" may mean either; what cannot be read is not held against
anybody.
"""

import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final

from switchboard.conversation.claims import QUOTES

_HOURS: Final = {
    "en": ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"],
    "de": ["eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwölf"],
}
_NUMBER = {word: n for words in _HOURS.values() for n, word in enumerate(words, 1)} | {"ein": 1, "noon": 12}
_WEEKDAYS = {
    word: n
    for words in (
        ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"],
        ["montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag", "sonntag"],
    )
    for n, word in enumerate(words)
} | {"sonnabend": 5}
_MONTHS = {
    word: n
    for words in (
        [
            "january",
            "february",
            "march",
            "april",
            "may",
            "june",
            "july",
            "august",
            "september",
            "october",
            "november",
            "december",
        ],
        [
            "januar",
            "februar",
            "märz",
            "april",
            "mai",
            "juni",
            "juli",
            "august",
            "september",
            "oktober",
            "november",
            "dezember",
        ],
    )
    for n, word in enumerate(words, 1)
} | {"jänner": 1}
_WORD_HOUR = "|".join(sorted(_NUMBER, key=len, reverse=True))
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))

_CLOCK = re.compile(r"\b([01]?\d|2[0-3])[:.h]([0-5]\d)(?:\s*uhr)?(?:\s*([ap])\.?\s?m\b\.?)?", re.I)
_HOUR_MARKED = re.compile(rf"\b([01]?\d|2[0-3]|{_WORD_HOUR})\s*(?:o'clock)?\s*([ap])\.?\s?m\b\.?", re.I)
_HOUR_NAMED = re.compile(rf"\b([01]?\d|2[0-3]|{_WORD_HOUR})\s*(?:o'clock|uhr)\b(?:\s+([0-5]?\d)\b)?", re.I)
_AT_HOUR = re.compile(rf"\b(?:at|um)\s+({_WORD_HOUR}|[01]?\d|2[0-3])\b(?![:.]\d|\s*(?:uhr|o'clock|[ap]\.?m))", re.I)
# "for ten" is a time where nothing follows that could be ten of.
_FOR_HOUR = re.compile(
    rf"\b(?:for|auf|für)\s+({_WORD_HOUR})\b(?=\s*(?:[.,!?;]|$|on\b|today|tomorrow|am\b|heute))", re.I
)
_HALF = re.compile(
    rf"\b(half past|halb|quarter past|viertel nach|quarter to|viertel vor)\s+({_WORD_HOUR}|[01]?\d)\b", re.I
)
_WEEKDAY = re.compile(rf"\b({'|'.join(_WEEKDAYS)})\b", re.I)
_MONTH_DAY = re.compile(
    rf"\b(?:({_MONTH})\s+(?:the\s+)?(\d{{1,2}})(?:st|nd|rd|th)?\b(?!:)|"
    rf"(\d{{1,2}})(?:st|nd|rd|th|\.)?\s+(?:of\s+)?({_MONTH})\b)",
    re.I,
)
_ISO_DAY = re.compile(r"\b(\d{4})-(\d\d)-(\d\d)\b")
_NEARBY = {"today": 0, "heute": 0, "tomorrow": 1, "morgen": 1, "übermorgen": 2}
_NEAR = re.compile(r"\b(today|tomorrow|heute|morgen|übermorgen)\b", re.I)
# "morgen um zehn" is tomorrow; "am Dienstag Morgen" and "guten Morgen" are not.
_NO_DAY = re.compile(r"\b(?:guten|schönen|am|jeden|\w+tag|mittwoch)\s+morgen\b|\b(?:day after) tomorrow\b", re.I)
_PERSON = re.compile(
    r"\b(?:for|under|für|auf)\s+(?:(?:the\s+)?name\s+(?:of\s+)?|(?:den\s+)?namen\s+|mr\.?\s+|mrs\.?\s+|ms\.?\s+|herrn?\s+|"
    r"frau\s+)?((?-i:[A-ZÄÖÜ][\w'-]+)(?:\s+(?-i:[A-ZÄÖÜ][\w'-]+))*)",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Mentions:
    """What a sentence names.

    Attributes:
        clocks: Each a set of local times it may mean, as minutes after midnight.
        weekdays: 0 is Monday.
        month_days: Months and days.
        days: Whole dates.
        names: Capitalised words after "for" and its like; they may be a person's or a thing's.
    """

    clocks: tuple[frozenset[int], ...]
    weekdays: frozenset[int]
    month_days: frozenset[tuple[int, int]]
    days: frozenset[date]
    names: tuple[str, ...]

    def agree_with(self, moment: datetime) -> bool:
        """Tell whether everything said about time fits a local moment."""
        minutes = moment.hour * 60 + moment.minute
        return (
            all(minutes in clock for clock in self.clocks)
            and self.weekdays <= {moment.weekday()}
            and self.month_days <= {(moment.month, moment.day)}
            and self.days <= {moment.date()}
        )

    @property
    def say_when(self) -> bool:
        """Whether anything is said about time."""
        return bool(self.clocks or self.weekdays or self.month_days or self.days)


def mentions(sentence: str, now: datetime) -> Mentions:
    """Return what a sentence names; `now` is local and says what "tomorrow" is."""
    sentence = sentence.translate(QUOTES)
    text = sentence
    clocks: list[frozenset[int]] = []
    for pattern, read in _READERS:
        clocks += [read(match) for match in pattern.finditer(text)]
        # A time is read once, by the first pattern that knows it.
        text = pattern.sub(lambda found: " " * len(found[0]), text)
    rest = _NO_DAY.sub(" ", sentence)
    days = {now.date() + timedelta(days=_NEARBY[m[1].lower()]) for m in _NEAR.finditer(rest)}
    days |= {found for m in _ISO_DAY.finditer(sentence) if (found := _date(int(m[1]), int(m[2]), int(m[3])))}
    month_days = {(_MONTHS[(m[1] or m[4]).lower()], int(m[2] or m[3])) for m in _MONTH_DAY.finditer(sentence)}
    return Mentions(
        tuple(clock for clock in clocks if clock),
        frozenset(_WEEKDAYS[m[1].lower()] for m in _WEEKDAY.finditer(sentence)),
        frozenset(month_days),
        frozenset(days),
        tuple(name for m in _PERSON.finditer(sentence) if not _is_time_word(name := m[1])),
    )


def _clock(match: re.Match[str]) -> frozenset[int]:
    return _either(int(match[1]), int(match[2]), match[3])


def _marked(match: re.Match[str]) -> frozenset[int]:
    return _either(_hour(match[1]), 0, match[2])


def _named(match: re.Match[str]) -> frozenset[int]:
    return _either(_hour(match[1]), int(match[2] or 0), None)


def _bare(match: re.Match[str]) -> frozenset[int]:
    return _either(_hour(match[1]), 0, None)


def _half(match: re.Match[str]) -> frozenset[int]:
    hour, word = _hour(match[2]), match[1].lower()
    shift = {"half past": 30, "halb": -30, "quarter past": 15, "viertel nach": 15}.get(word, -15)
    return frozenset((minutes + shift) % 1440 for minutes in _either(hour, 0, None))


def _either(hour: int, minute: int, mark: str | None) -> frozenset[int]:
    """Return the minutes after midnight that a clock time may mean."""
    if mark:
        hour = hour % 12 + (12 if mark.lower() == "p" else 0)
        return frozenset({hour * 60 + minute})
    hours = {hour % 24} if hour > 12 or hour == 0 else {hour % 24, (hour + 12) % 24}
    return frozenset(h * 60 + minute for h in hours)


def _hour(word: str) -> int:
    return int(word) if word.isdigit() else _NUMBER[word.lower()]


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _is_time_word(name: str) -> bool:
    first = name.split()[0].lower()
    return first in _WEEKDAYS or first in _MONTHS or first in _NEARBY or first in _NUMBER


_READERS: Final = (
    (_CLOCK, _clock),
    (_HALF, _half),
    (_HOUR_MARKED, _marked),
    (_HOUR_NAMED, _named),
    (_AT_HOUR, _bare),
    (_FOR_HOUR, _bare),
)
