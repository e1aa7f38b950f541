"""What a sentence says about when and for whom: clock times, days, dates and names, as people speak them.

Only what is certain is read. A time without "am" or "pm" may mean either; what cannot be read is not held against
anybody.
"""

import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final

from switchboard.conversation.claims import QUOTES
from switchboard.conversation.time_words import (
    HOUR_WORDS,
    MINUTES,
    MONTHS,
    ORDINALS,
    SHORT_MONTHS,
    SHORT_WEEKDAYS,
    WEEKDAYS,
)

_WORD_HOUR = "|".join(sorted(HOUR_WORDS, key=len, reverse=True))
_MONTH = "|".join(sorted({**MONTHS, **SHORT_MONTHS}, key=len, reverse=True))
_ORDINAL = "|".join(sorted(ORDINALS, key=len, reverse=True))
_DAY = rf"(?:\d{{1,2}}(?:st|nd|rd|th)?|{_ORDINAL})"

_CLOCK = re.compile(
    r"(?<![\d.:])([01]?\d|2[0-3])[:.h]([0-5]\d)(?![\d:]|\.\d)(?:\s*uhr)?(?:\s*([ap])\.?\s?m\b\.?)?", re.I
)
_SPELT = re.compile(
    rf"\b({_WORD_HOUR}|1[0-2]|[1-9])[\s-]({'|'.join(MINUTES)})\b(?![\s-]*(?:min|euro|dollar|percent|people))"
    r"(?:\s*([ap])\.?\s?m\b\.?)?",
    re.I,
)
_HOUR_MARKED = re.compile(rf"\b([01]?\d|2[0-3]|{_WORD_HOUR})\s*(?:o'clock)?\s*([ap])\.?\s?m\b\.?", re.I)
_HOUR_NAMED = re.compile(rf"\b([01]?\d|2[0-3]|{_WORD_HOUR})\s*(?:o'clock|uhr)\b(?:\s+([0-5]?\d)\b)?", re.I)
_AT_HOUR = re.compile(
    rf"\b(?:at|um|gegen)\s+({_WORD_HOUR}|[01]?\d|2[0-3])\b(?![:.]\d|\s*(?:uhr|o'clock|[ap]\.?m|\w+\s+(?:street|road)))",
    re.I,
)
# "for ten" is a time where nothing follows that could be ten of.
_FOR_HOUR = re.compile(
    rf"\b(?:for|auf|für|to)\s+({_WORD_HOUR})\b(?=\s*(?:[.,!?;]|$|on\b|today|tomorrow|am\b|heute|verschoben|verlegt))",
    re.I,
)
_HALF = re.compile(
    rf"\b(half past|halb|quarter past|viertel nach|quarter to|viertel vor)\s+({_WORD_HOUR}|[01]?\d)\b", re.I
)
_WEEKDAY = re.compile(rf"\b({'|'.join([*WEEKDAYS, *SHORT_WEEKDAYS])})\b(?!\s+(?:hours|prices|special))", re.I)
_MONTH_DAY = re.compile(rf"\b(?:({_MONTH})\.?\s+(?:the\s+)?({_DAY})\b(?!:)|({_DAY})\.?\s+(?:of\s+)?({_MONTH})\b)", re.I)
_NUMERIC_DAY = re.compile(r"(?<![\d.])(\d{1,2})\.\s?(\d{1,2})\.(?:\s?\d{4}|\d\d)?(?!\d)")
_SLASHED_DAY = re.compile(r"(?<![\d/])(\d{1,2})/(\d{1,2})(?:/\d{2,4})?(?![\d/])")
_DAY_OF_MONTH = re.compile(
    rf"\b(?:the\s+(\d{{1,2}})(?:st|nd|rd|th)\b|the\s+({_ORDINAL})\b(?=\s*(?:[.,!?;]|at\b|$))|"
    rf"(?:am|den|dem)\s+(\d{{1,2}})\.)(?!\s*(?:\d|of\s+(?:{_MONTH})|(?:{_MONTH})\b))",
    re.I,
)
_ISO_DAY = re.compile(r"\b(\d{4})-(\d\d)-(\d\d)\b")
_NEARBY = {"today": 0, "heute": 0, "tomorrow": 1, "morgen": 1, "übermorgen": 2, "day after tomorrow": 2}
_NEAR = re.compile(r"\b(day after tomorrow|today|tomorrow|heute|morgen|übermorgen)\b", re.I)
# "morgen um zehn" is tomorrow; "am Dienstag Morgen" and "guten Morgen" are not.
_NO_DAY = re.compile(r"\b(?:guten|schönen|am|jeden|\w+tag|mittwoch)\s+morgen\b|(?<=heute)\s+morgen\b", re.I)
_TITLE = r"(?:mr|mrs|ms|herrn?|frau)\.?\s+"
_NAME = r"(?-i:[A-ZÄÖÜ][\w'-]+)(?:\s+(?-i:[A-ZÄÖÜ][\w'-]+))*"
_PERSON = re.compile(
    rf"\b(?:for|under|für|auf|unter|termin von|buchung von)\s+(?:(?:the\s+)?name\s+(?:of\s+)?|(?:de[nm]\s+)?namen\s+)?"
    rf"(?:{_TITLE})?({_NAME})|\b({_NAME})'s\s+(?:\w+\s+)?(?:appointment|booking|visit|cut|haircut)\b|"
    rf"\b{_TITLE}({_NAME})",
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
    ]
)
_NUMBER_SAID = re.compile(
    r"(?:\b(?:ending|ends|endet|endend|endung|endziffern|endnummer)\s+(?:in|on|with|auf|mit)?\s*)(\d[\d\s-]{0,8}\d)|"
    r"(?<![\w.:/-])(\+?\d(?:[\s()/.-]{0,2}\d){6,})(?![\d:])",
    re.I,
)
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
# Of "from ten to eleven" either may be the time that counts: an appointment's beginning, or where it was moved to.
_RANGE = re.compile(
    r"\b(?:from|von|vom|between|zwischen)\s+(?P<one>(?:(?!\b(?:to|until|till|bis|auf|and|und)\b)[^,;])+?)\s+"
    r"(?:to|until|till|bis|auf|and|und)\s+(?P<other>[^,;]+)",
    re.I,
)
_DASHED = re.compile(
    r"(?<=\d)\s*(?:-|\u2013|bis|to|until)\s*(?:[01]?\d|2[0-3])(?:[:.][0-5]\d)?(?=\s|uhr|[ap]\.?m|[.,!]|$)", re.I
)
_INSTEAD = re.compile(r"\b(?:instead of|rather than|anstatt|anstelle|statt)\b[^,;.!?]*", re.I)


@dataclass(frozen=True, slots=True)
class Mentions:
    """What a sentence names.

    Attributes:
        clocks: Each a set of local times it may mean, as minutes after midnight.
        weekdays: 0 is Monday.
        month_days: Months and days.
        days: Whole dates.
        days_of_month: Days without their month.
        names: What stands where people's names stand; time words and pronouns are left out.
        numbers: The digits of telephone numbers, or of their ends.
        addresses: E-mail addresses, in lower case.
    """

    clocks: tuple[frozenset[int], ...] = ()
    weekdays: frozenset[int] = frozenset()
    month_days: frozenset[tuple[int, int]] = frozenset()
    days: frozenset[date] = frozenset()
    days_of_month: frozenset[int] = frozenset()
    names: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()

    def agree_with(self, moment: datetime) -> bool:
        """Tell whether everything said about time fits a local moment."""
        minutes = moment.hour * 60 + moment.minute
        return (
            all(minutes in clock for clock in self.clocks)
            and self.weekdays <= {moment.weekday()}
            and self.month_days <= {(moment.month, moment.day)}
            and self.days <= {moment.date()}
            and self.days_of_month <= {moment.day}
        )

    def agree_with_words(self, other: "Mentions") -> bool:
        """Tell whether everything said about time was also said there."""
        return (
            all(any(clock & known for known in other.clocks) for clock in self.clocks)
            and self.weekdays <= other.weekdays | {day.weekday() for day in other.days}
            and self.month_days <= other.month_days | {(day.month, day.day) for day in other.days}
            and self.days <= other.days
        )

    @property
    def say_when(self) -> bool:
        """Whether anything is said about time."""
        return bool(self.clocks or self.weekdays or self.month_days or self.days or self.days_of_month)


def readings(sentence: str, now: datetime) -> tuple[Mentions, ...]:
    """Return what a sentence may be about: one reading, or one for each end of a range of times in it."""
    text = _DASHED.sub("", _INSTEAD.sub("", sentence.translate(QUOTES)))
    found = _RANGE.search(text)
    if found is None or not mentions(found["one"], now).say_when or not mentions(f"at {found['other']}", now).say_when:
        return (mentions(text, now),)
    before, after = text[: found.start()], text[found.end() :]
    ends = (f"{before}at {found['one']}", f"{before}at {found['other']}{after}")
    return tuple(mentions(end, now) for end in ends)


def mentions(sentence: str, now: datetime) -> Mentions:
    """Return what a sentence names; `now` is local and says what "tomorrow" is."""
    sentence = sentence.translate(QUOTES)
    text = _NUMBER_SAID.sub(_blank, sentence)
    numeric = {(int(m[2]), int(m[1])) for m in _NUMERIC_DAY.finditer(text) if int(m[2]) <= 12}
    numeric |= {pair for m in _SLASHED_DAY.finditer(text) if (pair := _slashed(int(m[1]), int(m[2]))) is not None}
    text = _SLASHED_DAY.sub(_blank, _NUMERIC_DAY.sub(_blank, text))
    clocks: list[frozenset[int]] = []
    for pattern, read in _READERS:
        clocks += [read(match) for match in pattern.finditer(text)]
        # A time is read once, by the first pattern that knows it.
        text = pattern.sub(_blank, text)
    rest = _NO_DAY.sub(" ", sentence)
    days = {now.date() + timedelta(days=_NEARBY[m[1].lower()]) for m in _NEAR.finditer(rest)}
    days |= {found for m in _ISO_DAY.finditer(sentence) if (found := _date(int(m[1]), int(m[2]), int(m[3])))}
    month_days = {(_month(m[1] or m[4]), _day(m[2] or m[3])) for m in _MONTH_DAY.finditer(sentence)} | numeric
    rest = _NUMERIC_DAY.sub(_blank, _MONTH_DAY.sub(_blank, sentence))
    numbers = ("".join(filter(str.isdigit, m[1] or m[2])) for m in _NUMBER_SAID.finditer(sentence))
    return Mentions(
        tuple(clock for clock in clocks if clock),
        frozenset((WEEKDAYS | SHORT_WEEKDAYS)[m[1].lower()] for m in _WEEKDAY.finditer(sentence)),
        frozenset(month_days),
        frozenset(days),
        frozenset(_day(m[1] or m[2] or m[3]) for m in _DAY_OF_MONTH.finditer(rest)),
        tuple(name for m in _PERSON.finditer(sentence) if (name := _name(m[1] or m[2] or m[3]))),
        tuple(numbers),
        tuple(address.casefold() for address in _EMAIL.findall(sentence)),
    )


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _clock(match: re.Match[str]) -> frozenset[int]:
    return _either(int(match[1]), int(match[2]), match[3])


def _spelt(match: re.Match[str]) -> frozenset[int]:
    return _either(_hour(match[1]), MINUTES[match[2].lower()], match[3])


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
    return int(word) if word.isdigit() else HOUR_WORDS[word.lower()]


def _month(word: str) -> int:
    return (SHORT_MONTHS | MONTHS)[word.lower()]


def _day(word: str) -> int:
    digits = "".join(filter(str.isdigit, word))
    return int(digits) if digits else ORDINALS[word.lower()]


def _slashed(first: int, second: int) -> tuple[int, int] | None:
    # "3/4" is read one way in one country and the other way in another.
    if first > 12 >= second:
        return second, first
    return (first, second) if second > 12 >= first else None


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


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


_TIME_WORDS = frozenset({*WEEKDAYS, *SHORT_WEEKDAYS, *MONTHS, *SHORT_MONTHS, *_NEARBY, *HOUR_WORDS})
_READERS: Final = (
    (_CLOCK, _clock),
    (_HALF, _half),
    (_SPELT, _spelt),
    (_HOUR_MARKED, _marked),
    (_HOUR_NAMED, _named),
    (_AT_HOUR, _bare),
    (_FOR_HOUR, _bare),
)
