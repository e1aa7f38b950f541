"""Days and times as people say them, read and said, in the languages that the rehearsal speaks."""

import re
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from functools import lru_cache

from switchboard.contract.business.business import Business
from switchboard.contract.business.languages import language_of
from switchboard.models.rehearsal.time_speech import (
    AFTER_TOMORROW,
    AT,
    CLOCK,
    DAY_FIRST,
    ISO,
    MONTH_FIRST,
    NO_DAY,
    NTH,
    POINTS,
    SLASHES,
    SPEECH,
    SPOKEN_MINUTES,
)

# A number of the clock below this is meant for the afternoon where nobody says otherwise.
_MORNING_FROM = 7
_EARLY = ("am", "morning", "mañana", "matin", "morgens", "früh", "vormittags")
_LATE, _HALF_DAY = 12, 12
_MONTHS, _MOST_DAYS = 12, 31
_MEALS = {"noon": 12, "midday": 12, "mittags": 12, "mittag": 12, "mediodía": 12, "midi": 12}
_WORD = re.compile(r"[\w']+")
_ENDINGS = (
    "",
    "s",
    "'s",
    "e",
    "en",
    *(f"{part}{end}" for part in ("morgen", "vormittag", "mittag", "nachmittag", "abend") for end in ("", "s")),
)


def spoken(language: str) -> str:
    """Return the language of these in which somebody is spoken to: their own, or English."""
    own = language_of(language)
    return own if own in SPEECH else "en"


class SpokenTime:
    """Reads and says times in one language, at one local time."""

    def __init__(self, language: str, now: datetime) -> None:
        """Speak a language that `spoken` returned; `now` is the business's time, without a zone."""
        self._language, self._speech, self.now = language, SPEECH[language], now
        self.day_names = (*self._speech.weekdays.split(), *self._speech.near)
        self.month_names = tuple(self._speech.months.split())

    def then(self, at: datetime | None, business: Business | None) -> "SpokenTime":
        """Return the same on the day of another moment (aware), by a business's clocks; itself where there is none."""
        if at is None:
            return self
        local = at.astimezone(business.timezone) if business is not None else at
        return spoken_time(self._language, datetime(local.year, local.month, local.day))

    def days(self, text: str) -> list[date]:
        """Return the days that a text names, in its order; those without a year are the next ones."""
        return list(_days(self, text))

    def days_read(self, text: str) -> Sequence[date]:
        """Read them anew; see `days`."""
        days = self._dated(text)
        if not days and not self.names_no_day(text):
            days = [*self._near(text), *self._weekdays(text)] or self._nth(text)
        return tuple(day for _, day in sorted(days))

    def names_no_day(self, text: str) -> bool:
        """Tell whether a text names a date, and only such as the calendar does not have: February 30."""
        named = any(1 <= month <= _MONTHS and 1 <= number <= _MOST_DAYS for _, _, month, number in self._dates(text))
        return named and not self._dated(text)

    def _dated(self, text: str) -> list[tuple[int, date]]:
        today = self.now.date()
        dates = (
            (at, _coming(today, month, number) if year is None else _day(year, month, number))
            for at, year, month, number in self._dates(text)
        )
        return [(at, day) for at, day in dates if day is not None]

    def birthday(self, text: str) -> tuple[date, str] | None:
        """Return a date of the past that a text tells with its year, and what is left of the text without it."""
        for pattern in (ISO, MONTH_FIRST[self._language], DAY_FIRST[self._language], POINTS, SLASHES):
            match = pattern.search(text)
            if match is None:
                continue
            day = next((d for d in map(_whole, self._dates(match[0])) if d and d < self.now.date()), None)
            if day is not None:
                return day, text.replace(match[0], " ")
        return None

    def clocks(self, text: str, *, is_asked: bool = False) -> list[time]:
        """Return the times of day that a text names; a bare number is one only where it was asked for."""
        return list(_clocks(self, text, is_asked))

    def clocks_read(self, text: str, *, is_asked: bool) -> Sequence[time]:
        """Read them anew; see `clocks`."""
        text = " ".join(text.replace("\u2019", "'").split())
        for pattern in (ISO, MONTH_FIRST[self._language], DAY_FIRST[self._language], POINTS, SLASHES, NTH):
            text = pattern.sub(" \u2022 ", text)
        clocks = [time(hour=_MEALS[word]) for word in _WORD.findall(text.lower()) if word in _MEALS]
        for match in CLOCK[self._language].finditer(text):
            is_marked = bool(match[1] or match[3] or match[5] or match[6])
            if not is_marked and not AT.search(text[: match.start()]) and not is_asked:
                continue
            if not is_marked and _counts_something(text[match.end() :]):
                continue
            read = self._read(match)
            if read is not None:
                clocks.append(read)
        return tuple(clocks)

    def day(self, day: date) -> str:
        """Say a day, today and tomorrow by their names as well; a year only if it is another one."""
        speech = self._speech
        text = self._named(speech.day, day)
        names = {0: 0, 1: 1}.get((day - self.now.date()).days)
        near = next((word for word, n in speech.near.items() if n == names), "") if names is not None else ""
        year = "" if day.year == self.now.year else f" {day.year}"
        return f"{near}, {text}" if near else f"{text}{year}"

    def calendar_day(self, day: date) -> str:
        """Say a day by its weekday and date alone."""
        return self._named(self._speech.day, day)

    def clock(self, clock: time) -> str:
        """Say a time of day."""
        speech = self._speech
        minute = f"{speech.half}{clock:%M}" if clock.minute else ""
        return speech.full.format(
            hour=clock.hour,
            hour12=clock.hour % _HALF_DAY or _HALF_DAY,
            minute=minute,
            minutes=f"{clock:%M}",
            half="AM" if clock.hour < _HALF_DAY else "PM",
        )

    def moment(self, moment: datetime) -> str:
        """Say a day and a time of it."""
        return f"{self.day(moment.date())} {self._speech.at} {self.clock(moment.time())}"

    def moments(self, moments: Sequence[datetime]) -> str:
        """Say several, each day once."""
        days: dict[date, list[str]] = {}
        for moment in moments:
            days.setdefault(moment.date(), []).append(self.clock(moment.time()))
        days_words = [f"{self.day(day)} {self._speech.at} {self.listed(clocks)}" for day, clocks in days.items()]
        return "; ".join(days_words)

    def weekday(self, number: int) -> str:
        """Return the name of a weekday, 0 for Monday, as it is written within a sentence."""
        return self._capital(self._speech.weekdays.split()[number])

    def listed(self, items: Sequence[str]) -> str:
        """Return items as one says a list."""
        items = list(items)
        return f" {self._speech.joined} ".join([", ".join(items[:-1]), items[-1]]) if len(items) > 1 else "".join(items)

    def _named(self, pattern: str, day: date) -> str:
        names = self._speech.weekdays.split(), self._speech.months.split()
        weekday, month = self._capital(names[0][day.weekday()]), self._capital(names[1][day.month - 1])
        number = "1er" if self._language == "fr" and day.day == 1 else day.day
        return pattern.format(weekday=weekday, month=month, day=number)

    def _capital(self, word: str) -> str:
        return word.capitalize() if self._language in ("en", "de") else word

    def _dates(self, text: str) -> list[tuple[int, int | None, int, int]]:
        months = self._speech.months.split()
        dates: list[tuple[int, int | None, int, int]] = []
        dates += [(m.start(), int(m[1]), int(m[2]), int(m[3])) for m in ISO.finditer(text)]
        for m in MONTH_FIRST[self._language].finditer(text):
            dates.append((m.start(), int(m[3]) if m[3] else None, months.index(m[1].lower()) + 1, int(m[2])))
        for m in DAY_FIRST[self._language].finditer(text):
            dates.append((m.start(), int(m[3]) if m[3] else None, months.index(m[2].lower()) + 1, int(m[1])))
        if not dates:
            dates += [(m.start(), int(m[3]) if m[3] else None, int(m[2]), int(m[1])) for m in POINTS.finditer(text)]
            for m in SLASHES.finditer(text):
                month, number = (m[1], m[2]) if self._language == "en" else (m[2], m[1])
                dates.append((m.start(), int(m[3]) if m[3] else None, int(month), int(number)))
        return dates

    def _near(self, text: str) -> list[tuple[int, date]]:
        low = text.lower().replace("\u2019", "'")
        phrase = AFTER_TOMORROW[self._language]
        if phrase in low:
            return [(low.index(phrase), self.now.date() + timedelta(days=2))]
        low = NO_DAY[self._language].sub(lambda m: "\u2022" * len(m[0]) if "heute" not in m[0] else m[0][:5], low)
        near = self._speech.near
        return [
            (match.start(), self.now.date() + timedelta(days=near[match[0]]))
            for match in _WORD.finditer(low)
            if match[0] in near
        ]

    def _weekdays(self, text: str) -> list[tuple[int, date]]:
        today, names = self.now.date(), self._speech.weekdays.split()
        days = []
        for match in _WORD.finditer(text.lower()):
            # With its ending, and in German with the part of the day: "freitags", "Freitagmorgen".
            number = next((n for n, name in enumerate(names) if match[0].startswith(name)), None)
            if number is not None and match[0].removeprefix(names[number]) in _ENDINGS:
                days.append((match.start(), today + timedelta(days=(number - today.weekday() - 1) % 7 + 1)))
        return days

    def _nth(self, text: str) -> list[tuple[int, date]]:
        match = NTH.search(text)
        if match is None:
            return []
        today = self.now.date()
        months = (today.month, today.month % 12 + 1)
        day = next(
            (d for month in months if (d := _coming(today, month, int(match[1]))) and (d - today).days < 62), None
        )
        return [(match.start(), day)] if day else []

    def _read(self, match: re.Match[str]) -> time | None:
        numbers = self._speech.numbers.split()
        hour = int(match[2]) if match[2] else numbers.index(match[4].lower()) + 1
        minutes = hour * 60 + int(match[3] or 0) + SPOKEN_MINUTES.get((match[5] or "").lower(), 0)
        if self._language == "de" and match[7] and (match[6] or "").lower().startswith("uhr"):
            minutes += int(match[7])
        minutes += self._speech.earlier.get((match[1] or "").lower(), 0)
        mark = (match[6] or "").lower().replace(".", "")
        is_late = mark.endswith(self._speech.afternoon)
        is_early = mark.endswith(_EARLY)
        if hour == _HALF_DAY and mark == "am":
            # 12:45 AM is three quarters of an hour past midnight.
            minutes = (minutes + 720) % 1440
        # With a zero before it, it is one of twenty-four.
        is_whole_day = bool(match[2]) and match[2].startswith("0")
        if hour < _LATE and (is_late or not (is_early or is_whole_day or hour >= _MORNING_FROM)):
            minutes += 720
        return time(minutes // 60, minutes % 60) if 0 <= minutes < 1440 else None


@lru_cache(maxsize=64)
def spoken_time(language: str, now: datetime) -> SpokenTime:
    """Return what reads and says times then; the same for whoever speaks within that minute."""
    return SpokenTime(language, now)


# Of a conversation all that was said is read again with every answer, each text in several ways.
@lru_cache(maxsize=2048)
def _days(times: SpokenTime, text: str) -> Sequence[date]:
    return times.days_read(text)


@lru_cache(maxsize=4096)
def _clocks(times: SpokenTime, text: str, is_asked: bool) -> Sequence[time]:
    return times.clocks_read(text, is_asked=is_asked)


_COUNTED = re.compile(
    r"\s*(?:minut|hour|stunde|day|tag|week|woche|year|jahr|people|person|guest|euro|dollar|inch|kid|child|kinder|time"
    r"|heures? de retard|hora|hair|€|\$|%|x\b|mal\b)",
    re.I,
)


def _counts_something(rest: str) -> bool:
    return _COUNTED.match(rest) is not None


def _day(year: int, month: int, number: int) -> date | None:
    try:
        return date(year, month, number)
    except ValueError:
        return None


def _whole(parts: tuple[int, int | None, int, int]) -> date | None:
    return _day(parts[1], parts[2], parts[3]) if parts[1] else None


def _coming(today: date, month: int, number: int) -> date | None:
    days = (_day(year, month, number) for year in (today.year, today.year + 1))
    return next((day for day in days if day is not None and day >= today), None)
