"""What a sentence says about when and for whom: clock times, days, dates and names, as people speak them.

Only what is certain is read. A time without "am" or "pm" may mean either; what cannot be read is not held against
anybody.
"""

import re
from datetime import date, datetime, timedelta
from functools import lru_cache
from itertools import islice
from zoneinfo import ZoneInfo

from switchboard.contract.python.dataclass import dataclass
from switchboard.conversation.claims.name_words import WORDS_OF_UNDER, names_in, names_stood_under, without_addresses
from switchboard.conversation.claims.number_words import amounts_in, days_in_words
from switchboard.conversation.claims.spoken_hours import HOURS_SAID, READERS
from switchboard.conversation.claims.time_words import (
    HALF_DAYS,
    HOUR_WORDS,
    LATER_HOUR_WORDS,
    MONTHS,
    ORDINALS,
    ROMANCE_DAYS,
    SHORT_MONTHS,
    SHORT_WEEKDAYS,
    WEEKDAYS,
    joined_times,
    near_days,
    next_days,
    with_whole_days,
)
from switchboard.conversation.claims.zone_words import is_told_elsewhere, zone_behind

# Typographic marks, as models write them, by those that everything here is written with.
QUOTES = str.maketrans("\u2019\u2018\u201c\u201d", "''\"\"")
_MONTH = "|".join(sorted({**MONTHS, **SHORT_MONTHS}, key=len, reverse=True))
_ORDINAL = "|".join(sorted(ORDINALS, key=len, reverse=True))
_DAY = rf"(?:\d{{1,2}}(?:st|nd|rd|th|er)?|{_ORDINAL})"

_WEEKDAY = re.compile(
    rf"\b({'|'.join([*WEEKDAYS, *SHORT_WEEKDAYS])})(?:abend|mittag|nachmittag|vormittag|morgen|früh)?\b"
    r"(?!\s+(?:hours|prices|special))",
    re.I,
)
_MONTH_DAY = re.compile(
    rf"\b(?:({_MONTH})\.?\s+(?:the\s+)?({_DAY})\b(?!:)|({_DAY})\.?\s+(?:(?:of|de|di)\s+)?({_MONTH})\b)", re.I
)
_NUMERIC_DAY = re.compile(r"(?<![\d.])(\d{1,2})\.\s?(\d{1,2})\.(?:\s?\d{4}|\d\d)?(?!\d)")
_SLASHED_DAY = re.compile(r"(?<![\d/])(\d{1,2})/(\d{1,2})(?:/\d{2,4})?(?![\d/])")
_DAY_OF_MONTH = re.compile(
    rf"\b(?:the\s+(\d{{1,2}})(?:st|nd|rd|th)\b|the\s+({_ORDINAL})\b(?=\s*(?:[.,!?;]|at\b|$))|"
    rf"(?:am|den|dem)\s+(\d{{1,2}})\.)(?!\s*(?:\d|floor\b|of\s+(?:{_MONTH})|(?:{_MONTH})\b))|"
    r"\b(?:el|al|le|au)\s+(?:día\s+)?(\d{1,2})(?:er)?\b(?!\s*(?:[:.,-]?\d|%|€)|\s*(?:h|heures?|euros?|min\w*|étage|"
    r"(?:bis,?\s+)?(?:rue|avenue|boulevard|place|quai|chemin|allée|route)|de (?:la )?(?:calle|avenida|plaza|paseo))\b)"
    rf"|\b(?:{'|'.join(sorted(ROMANCE_DAYS, key=len, reverse=True))})\s+(\d{{1,2}})"
    r"(?=\s*(?:[,.;!?](?!\d)|$)|\s+(?:a|à|con|avec)\b)"
    r"|\b(?:der|zum|vom)\s+(\d{1,2})\.(?=,|\s+(?:um|ab|gegen|ist|hat|geht)\b)",
    re.I,
)
_ISO_DAY = re.compile(r"\b(\d{4})-(\d\d)-(\d\d)\b")
_DAYS_BY_NUMBER = (_MONTH_DAY, _NUMERIC_DAY, _SLASHED_DAY, _DAY_OF_MONTH, _ISO_DAY)
_NUMBER_SAID = re.compile(
    r"(?:\b(?:ending|ends|endet|endend|endung|endziffern|endnummer|termin[ae]|terminad[ao]|acaba|terminant|finissant|"
    r"finit)\s+(?:in|on|with|auf|mit|en|par)?\s*)(\d[\d\s-]{0,8}\d)|"
    r"(?<![\w.:/-])(\+?\d(?:[\s()/.-]{0,2}\d){6,})(?![\d:])",
    re.I,
)
_LONG_WORD = re.compile(r"[^\W\d_]{4,}")
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_WORD = re.compile(r"[^\W\d_]+")
_DIGIT = re.compile(r"\d")
# Without a digit, or one of these words, a sentence is not looked through for what they tell.
_WORDS_OF_HOURS, _WORDS_OF_MONTHS, _WORDS_OF_DAYS = (
    frozenset(_WORD.findall(" ".join(said)))
    for said in ((*HOUR_WORDS, *LATER_HOUR_WORDS, *HOURS_SAID), (*MONTHS, *SHORT_MONTHS), ORDINALS)
)
_BEGIN_WEEKDAYS = tuple({_WORD.findall(day)[0] for day in (*WEEKDAYS, *SHORT_WEEKDAYS, *HALF_DAYS)})
_TEXTS_KEPT = 500
# Of "from ten to eleven" either may be the time that counts: an appointment's beginning, or where it was moved to.
_RANGE = re.compile(
    r"\b(?:from|von|vom|between|zwischen)\s+(?P<one>(?:(?!\b(?:to|until|till|bis|auf|and|und)\b)[^,;])+?)\s+"
    r"(?:to|until|till|bis|auf|and|und)\s+(?P<other>[^,;]+)",
    re.I,
)
# In Spanish and French the word before a range is also "of": the range is behind the last one of them.
_ROMANCE_RANGE = re.compile(
    r"\b(?:del?|du|desde|entre|da)\s+(?P<one>(?:(?!\b(?:de(?!\s+l)|del|du(?!\s+(?:matin|soir))|desde"
    r"|entre)\b)[^,;])+?)\s+"
    r"(?P<to>al?|para|hasta|à|au|jusqu'à|y(?!\s+(?:media|cuarto|cinco|diez|veinte)\b)|et(?!\s+(?:demie?|quart)\b))\s+"
    r"(?P<other>[^,;]+)",
    re.I,
)
_AT = ("a", "à")
# "De mañana a las diez al miércoles a las once": the word that leads to a time is also that between the ends.
_FROM = re.compile(r"\b(?:del?|du|desde)\s+", re.I)
_TO = re.compile(r"\s+(?:al?|hasta|à|au|jusqu'à)\s+", re.I)
# A sentence without end must not keep other conversations waiting.
_MOST_ENDS, _LONGEST_MOMENT = 30, 80
_DASHED = re.compile(
    r"(?:(?<=\d)\s*(?:-|\u2013|bis|to|until)|(?<=[:h]\d\d)\s*[aà])\s*"
    r"(?:[01]?\d|2[0-3])(?:[:.h][0-5]\d|(\s*uhr)\s+[0-5]\d\b)?"
    r"(?=\s|uhr|[ap]\.?m|[.,!]|$)",
    re.I,
)
# Without a mark behind it what it is instead begins with its verb: "statt am Dienstag ist er am Freitag".
_INSTEAD = re.compile(
    r"\b(?:instead of|rather than|anstatt|anstelle|statt|en (?:lugar|vez) del?|au lieu d[eu]|plutôt que"
    r"|em (?:lugar|vez) d[aeo]|invece (?:di|del))\b"
    r"(?:(?!\b(?:is|are|it|you|we|ist|sind|kommen|haben?|wird|geht|sehen|es|está|queda|viene|est|c'est|vous|venez|è|é|fica"
    r"|vem|komt|bent|u)\b)[^,;.!?])*",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Mentions:
    """What a sentence names.

    Attributes:
        clocks: Each a set of local times it may mean, as minutes after midnight.
        elsewhere: The same of times that are told in another zone; None where it is not said which.
        weekdays: 0 is Monday.
        month_days: Months and days.
        days: Whole dates.
        days_of_month: Days without their month.
        names: What stands where people's names stand; time words and pronouns are left out.
        numbers: The digits of telephone numbers, or of their ends.
        addresses: E-mail addresses, in lower case.
        amounts: Sums of money, as `plain_amount` writes them.
        words: All words of four letters and more, in lower case.
        stood_under: The names under which something stands by now.
    """

    clocks: tuple[frozenset[int], ...] = ()
    elsewhere: tuple[tuple[frozenset[int], ZoneInfo | None], ...] = ()
    weekdays: frozenset[int] = frozenset()
    month_days: frozenset[tuple[int, int]] = frozenset()
    days: frozenset[date] = frozenset()
    days_of_month: frozenset[int] = frozenset()
    names: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    amounts: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    stood_under: tuple[str, ...] = ()

    def agree_with(self, moment: datetime) -> bool:
        """Tell whether everything said about time fits a local moment."""
        there = [(clock, moment.astimezone(zone)) for clock, zone in self.elsewhere if zone is not None]
        days = [moment, *(local for _, local in there)]
        if len(there) < len(self.elsewhere):
            # Nobody knows where that is: it may be a day on, or back.
            days += [moment - timedelta(days=1), moment + timedelta(days=1)]
        return (
            all(_minutes(moment) in clock for clock in self.clocks)
            and all(_minutes(local) in clock for clock, local in there)
            and any(self._is_day(day) for day in days)
        )

    def _is_day(self, moment: datetime) -> bool:
        return (
            self.weekdays <= {moment.weekday()}
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
        return bool(self.clocks or self.elsewhere) or self.says_day

    @property
    def says_day(self) -> bool:
        """Whether any day is said."""
        return bool(self.weekdays or self.month_days or self.days or self.days_of_month)

    @property
    def says_which(self) -> bool:
        """Whether anything is said by which one thing could be told from another."""
        return self.say_when or bool(self.names or self.numbers or self.addresses or self.amounts)


def readings(sentence: str, now: datetime) -> tuple[Mentions, ...]:
    """Return what a sentence may be about: one reading, or one for each end of a range of times in it."""
    return _readings(sentence, now.date())


@lru_cache(maxsize=_TEXTS_KEPT)
def _readings(sentence: str, today: date) -> tuple[Mentions, ...]:
    text = _DASHED.sub(lambda match: match[1] or "", _INSTEAD.sub("", joined_times(sentence.translate(QUOTES))))
    span = _RANGE.search(text)
    if span is not None and _says_when(span["one"], today) and _says_when(span["other"], today):
        return _ends(text, span, span["one"], today)
    if whole := _whole_range(text, today):
        return whole
    # "De dix à onze heures": what is counted is said once.
    span = _ROMANCE_RANGE.search(text)
    while span is not None:
        is_whole = span["to"].lower() == "para" or _says_when(span["one"], today)
        one = span["one"] if is_whole else f"{span['one']} h"
        if _are_ends(_mentions(f"at {one}", today), span["to"], _mentions(f"at {span['other']}", today)):
            return _ends(text, span, one, today)
        span = _ROMANCE_RANGE.search(text, span.start() + 1)
    return (_mentions(text, today),)


def _are_ends(one: Mentions, to: str, other: Mentions) -> bool:
    """Tell whether two times may be the ends of a range: "del martes a las cuatro" is one time, on Tuesday at four."""
    if not (one.say_when and other.say_when):
        return False
    return to.lower() not in _AT or bool(one.clocks or one.elsewhere) or other.says_day


def _ends(text: str, span: re.Match[str], one: str, today: date) -> tuple[Mentions, ...]:
    before, after = text[: span.start()], text[span.end() :]
    ends = (f"{before}at {one}", f"{before}at {span['other']}{after}")
    return tuple(_mentions(end, today) for end in ends)


def _whole_range(text: str, today: date) -> tuple[Mentions, ...]:
    """Return what a sentence may be about that names a day and a time at both ends of a range; empty for any other."""
    pairs = ((begin, to) for begin in _FROM.finditer(text) for to in _TO.finditer(text, begin.end()))
    for begin, to in islice(pairs, _MOST_ENDS):
        one, other = text[begin.end() : to.start()], text[to.end() :]
        if _is_moment(one, today) and _is_moment(re.split("[,;]", other)[0], today):
            return tuple(_mentions(f"{text[: begin.start()]}at {end}", today) for end in (one, other))
    return ()


def _is_moment(words: str, today: date) -> bool:
    """Tell whether words name one time, and one day."""
    if len(words) > _LONGEST_MOMENT:
        return False
    moments_said = _mentions(f"at {words}", today)
    days = (moments_said.weekdays, moments_said.days, moments_said.month_days, moments_said.days_of_month)
    return len(moments_said.clocks) == 1 and any(days) and all(len(days_of_one) <= 1 for days_of_one in days)


def _says_when(words: str, today: date) -> bool:
    return _mentions(f"at {words}", today).say_when


def mentions(sentence: str, now: datetime) -> Mentions:
    """Return what a sentence names; `now` is local and says what "tomorrow" is."""
    return _mentions(sentence, now.date())


# Whoever holds a sentence against something asks what it names.
@lru_cache(maxsize=_TEXTS_KEPT)
def _mentions(sentence: str, today: date) -> Mentions:
    sentence = sentence.translate(QUOTES)
    said = frozenset(map(str.lower, _WORD.findall(sentence)))
    has_digit = _DIGIT.search(sentence) is not None
    text, month_days = _without_numeric(sentence) if has_digit else (sentence, set[tuple[int, int]]())
    clocks, elsewhere = _clocks_in(sentence, text, said) if has_digit or said & _WORDS_OF_HOURS else ([], [])
    days = near_days(sentence, today)
    rest, days_of_month = sentence, frozenset[int]()
    if said & _WORDS_OF_MONTHS:
        month_days |= {(_month(m[1] or m[4]), _day(m[2] or m[3])) for m in _MONTH_DAY.finditer(sentence)}
        month_days |= set(days_in_words(sentence))
        rest = _MONTH_DAY.sub(_blank, sentence)
    if has_digit or said & _WORDS_OF_DAYS:
        days |= {day for m in _ISO_DAY.finditer(sentence) if (day := _date(int(m[1]), int(m[2]), int(m[3])))}
        rest = _NUMERIC_DAY.sub(_blank, rest)
        days_of_month = frozenset(_day(next(filter(None, m.groups()))) for m in _DAY_OF_MONTH.finditer(rest))
    weekdays = frozenset[int]()
    if any(word.startswith(_BEGIN_WEEKDAYS) for word in said):
        named = _WEEKDAY.finditer(with_whole_days(sentence))
        weekdays = frozenset((WEEKDAYS | SHORT_WEEKDAYS)[m[1].lower()] for m in named)
        # "Este lunes catorce" need not be the next one.
        days |= set() if month_days or days_of_month else next_days(sentence, today)
    return Mentions(
        tuple(clock for clock in clocks if clock),
        tuple(elsewhere),
        weekdays,
        frozenset(month_days),
        frozenset(days),
        days_of_month,
        names_in(sentence),
        tuple("".join(filter(str.isdigit, m[1] or m[2])) for m in _NUMBER_SAID.finditer(sentence)) if has_digit else (),
        tuple(address.casefold() for address in _EMAIL.findall(sentence)) if "@" in sentence else (),
        amounts_in(sentence),
        frozenset(word.casefold() for word in _LONG_WORD.findall(sentence)),
        () if said.isdisjoint(WORDS_OF_UNDER) else names_stood_under(sentence),
    )


def _without_numeric(sentence: str) -> tuple[str, set[tuple[int, int]]]:
    """Return a sentence without the digits that tell no hour, and the months and days among them."""
    text = without_addresses(_NUMBER_SAID.sub(_blank, sentence))
    numeric = {(int(m[2]), int(m[1])) for m in _NUMERIC_DAY.finditer(text) if int(m[2]) <= 12}
    numeric |= {pair for m in _SLASHED_DAY.finditer(text) if (pair := _slashed(int(m[1]), int(m[2]))) is not None}
    return _SLASHED_DAY.sub(_blank, _NUMERIC_DAY.sub(_blank, text)), numeric


def _clocks_in(
    sentence: str, text: str, said: frozenset[str]
) -> tuple[list[frozenset[int]], list[tuple[frozenset[int], ZoneInfo | None]]]:
    """Return the times of day in a text that stands where its sentence does, and those told in another zone.

    `said` are the words of the sentence.
    """
    clocks: list[frozenset[int]] = []
    elsewhere: list[tuple[frozenset[int], ZoneInfo | None]] = []
    for pattern, read, leads in READERS:
        if leads and said.isdisjoint(leads):
            continue
        told = list(pattern.finditer(text))
        for match in told:
            if is_told_elsewhere(sentence, match.end()):
                elsewhere.append((read(match), zone_behind(sentence, match.end())))
            else:
                clocks.append(read(match))
        # A time is read once, by the first pattern that knows it.
        text = pattern.sub(_blank, text) if told else text
    return clocks, elsewhere


def days_named(text: str) -> list[tuple[int, int]]:
    """Return where a text names a day by its number: the 4 of "4. Dezember" is no hour."""
    return [match.span() for pattern in _DAYS_BY_NUMBER for match in pattern.finditer(text)]


def _minutes(moment: datetime) -> int:
    return moment.hour * 60 + moment.minute


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


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
