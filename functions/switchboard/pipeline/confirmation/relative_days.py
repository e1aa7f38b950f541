"""How a caller names the day of a question from today: "tomorrow's", "this Friday", "la de mañana".

Only whole phrases, made from the question's own day, so that no other day is ever taken for it. Between midnight and
midnight "tomorrow" has moved on: a phrase counts where it means the same day when the question was put and when it is
answered. And a day beside a verb may say when to do it ("do it tomorrow"), so it has to be said of what is asked about.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import cache, lru_cache
from typing import Literal, TypeAlias

from switchboard.contract.python.dataclass import dataclass
from switchboard.pipeline.confirmation.asked_times import AskedDays
from switchboard.pipeline.confirmation.consent import plain_words
from switchboard.pipeline.confirmation.deed_words import verbs_around, verbs_behind
from switchboard.pipeline.confirmation.spoken_moments import clock_phrases, day_numbers, part_of_day, weekdays

DayRole: TypeAlias = Literal["time", "deed", "vague", "day", "day deed", "day of it", "day of deed"]
"""What a phrase is worth by itself, or where it says of what, and not when, something is done: a `day` ("tomorrow at
ten") and a `day deed` ("morgen absagen") behind no order, a `day of it` ("tomorrow") behind the name of what is there,
and a `day of deed` ("for tomorrow") behind what is done. What is `vague` could be this day or another one."""


@dataclass(frozen=True, slots=True)
class _Days:
    """How one language names days from today; `{}` stands for such a day.

    Attributes:
        names: Of today, tomorrow and the day after, separated by `|`.
        parts: What follows them, in the morning, in the afternoon and in the evening, separated by `|`.
        this_part: Today's morning, afternoon and evening.
        this: Of a weekday before this time next week.
        coming: Of a weekday, that means another to some people than to others.
        nouns: What is on that day.
        towards: What is moved goes so to that day.
        of: What follows the name of what is done: "take me off for tomorrow".
        of_it: What follows the name of what is there: "my appointment tomorrow".
    """

    names: str
    parts: str
    this_part: str
    this: str
    coming: str
    nouns: str
    towards: str
    of: str
    of_it: str


_DAYS: Mapping[str, _Days] = {
    "en": _Days(
        "today | tomorrow | the day after tomorrow, day after tomorrow",
        "morning | afternoon | evening, night",
        "this morning | this afternoon | this evening, tonight",
        "this {}, this {}s, this coming {}, this coming {}s, coming {}",
        "next {}, next {}s, {} next",
        """{}s, {}s appointment, {}s booking, {}s slot, {}s one, the one {}, the one for {}, the appointment {},
        my appointment {}, the appointment for {}, my appointment for {}, the booking {}, my booking {}""",
        "to {}, for {}",
        "for {}",
        "{}, for {}",
    ),
    "de": _Days(
        "heute | morgen | übermorgen",
        "früh, vormittag | nachmittag | abend",
        "heute morgen | heute mittag | heute abend",
        "diesen {}, diesem {}, kommenden {}, diesen kommenden {}",
        "nächsten {}, nächster {}",
        """den von {}, den für {}, der von {}, den termin {}, meinen termin {}, den termin von {}, den termin für {},
        meinen termin von {}, meinen termin für {}, termin {}, den {}en, den {}en termin, meinen {}en termin""",
        "auf {}, für {}, zu {}",
        "für {}",
        "{}, von {}, für {}",
    ),
    "es": _Days(
        "hoy | mañana | pasado mañana",
        "por la mañana, temprano | por la tarde | por la noche",
        "esta mañana | esta tarde | esta noche",
        "este {}",
        "próximo {}, {} próximo, {} que viene",
        "la de {}, el de {}, la cita de {}, mi cita de {}, la cita para {}, mi cita para {}, la reserva de {}",
        "para {}, a {}",
        "para {}",
        "de {}, para {}",
    ),
    "fr": _Days(
        "aujourd'hui | demain | après-demain",
        "matin | après-midi | soir",
        "ce matin | cet après-midi | ce soir",
        "ce {}",
        "{} prochain, {} qui vient",
        """celui de {}, celui d'{}, le rendez-vous de {}, mon rendez-vous de {}, le rendez-vous d'{},
        mon rendez-vous d'{}, le rdv de {}, mon rdv de {}""",
        "à {}, pour {}",
        "pour {}",
        "{}, de {}, d'{}",
    ),
    "it": _Days(
        "oggi | domani | dopodomani",
        "mattina | pomeriggio | sera",
        "stamattina | questo pomeriggio | stasera",
        "questo {}, questa {}",
        "{} prossimo, prossimo {}",
        "quello di {}, l'appuntamento di {}, il mio appuntamento di {}",
        "a {}, per {}",
        "per {}",
        "di {}",
    ),
    "nl": _Days(
        "vandaag | morgen | overmorgen",
        "ochtend, vroeg | middag | avond",
        "vanochtend | vanmiddag | vanavond",
        "deze {}, aanstaande {}, komende {}",
        "volgende {}",
        "die van {}, de afspraak van {}, mijn afspraak van {}, de afspraak {}, mijn afspraak {}",
        "naar {}",
        "voor {}",
        "{}, van {}",
    ),
    "pt": _Days(
        "hoje | amanhã | depois de amanhã",
        "de manhã | à tarde | à noite",
        "esta manhã | esta tarde | esta noite",
        "este {}, esta {}",
        "próximo {}, próxima {}, {} que vem",
        "a de {}, o de {}, a consulta de {}, a marcação de {}, a minha consulta de {}",
        "para {}, pra {}",
        "para {}",
        "de {}",
    ),
}
# Of what is moved, they would tell the old day from the new one.
_OF_DATES: Mapping[str, Sequence[str]] = {"es": ("del", "del día"), "fr": ("du",)}
_AT: Mapping[str, str] = {"en": "at", "de": "um", "fr": "à", "nl": "om"}
# "Tomorrow" as an adjective, and nothing for the day after.
_GERMAN_ADJECTIVES = {"heute": "heutig", "morgen": "morgig"}
_NAMED_DAYS, _WEEK = 3, 7


@lru_cache(maxsize=64)
def day_phrases(days: AskedDays | None, deeds: tuple[str, ...], language: str) -> Mapping[tuple[str, ...], DayRole]:
    """Return the phrases, as words, that name a question's day from today in a language, and what each is worth.

    Args:
        days: What the question is about; without it, and for any other day, such phrases are vague.
        deeds: What was asked about.
        language: The caller's.
    """
    phrases: dict[tuple[str, ...], DayRole] = dict(_of_weekdays(language))
    if days is None:
        return phrases
    is_moved = "moved" in deeds
    if is_moved and days.start is not None:
        phrases |= _of_old(days.start, days.todays, language)
    asked = days.new_start if is_moved else days.start
    if asked is None:
        return phrases
    for name in _names(asked, days.todays, language):
        phrases |= _towards(name, language) if is_moved else _of_what_is_there(name, deeds, language)
        phrases |= _with_hour(name, asked, language)
    if not is_moved:
        numbers = day_numbers(asked.day, language)
        dates = (f"{of} {number}" for of in _OF_DATES.get(language, ()) for number in numbers)
        phrases |= dict.fromkeys(map(_words, dates), "time")
    return phrases | dict.fromkeys(_weekday(asked.date(), days.todays, language), "time")


@cache
def _of_weekdays(language: str) -> Mapping[tuple[str, ...], DayRole]:
    frames = _split(_DAYS[language].this) + _split(_DAYS[language].coming)
    return dict.fromkeys((_words(frame.format(day)) for frame in frames for day in weekdays(language)), "vague")


def _of_old(start: datetime, todays: Sequence[date], language: str) -> Mapping[tuple[str, ...], DayRole]:
    """Return what names the day of what is moved; alone it could be where it goes: "yes, the one tomorrow"."""
    phrases: dict[tuple[str, ...], DayRole] = {}
    for name in _names(start, todays, language):
        phrases |= dict.fromkeys((_words(noun) for noun in _nouns(name, language)), "day of deed")
        phrases |= _of_it(name, language)
    return phrases


def _of_it(name: str, language: str) -> Mapping[tuple[str, ...], DayRole]:
    return dict.fromkeys((_words(frame.format(name)) for frame in _split(_DAYS[language].of_it)), "day of it")


def _towards(name: str, language: str) -> Mapping[tuple[str, ...], DayRole]:
    return dict.fromkeys((_words(frame.format(name)) for frame in _split(_DAYS[language].towards)), "time")


def _of_what_is_there(name: str, deeds: tuple[str, ...], language: str) -> Mapping[tuple[str, ...], DayRole]:
    """Return what names the day of what would be ended."""
    nouns = list(_nouns(name, language))
    phrases: dict[tuple[str, ...], DayRole] = dict.fromkeys(map(_words, nouns), "time")
    phrases |= dict.fromkeys((_words(of.format(name)) for of in _split(_DAYS[language].of)), "day of deed")
    # "For tomorrow" may follow both.
    phrases |= {key: role for key, role in _of_it(name, language).items() if key not in phrases}
    around = [verb for deed in deeds for verb in verbs_around(deed, language)]
    phrases |= dict.fromkeys((_words(verb.replace("_", noun)) for verb in around for noun in nouns), "deed")
    last = [verb for deed in deeds for verb in verbs_behind(deed, language)]
    return phrases | dict.fromkeys((_words(f"{den}{name} {verb}") for verb in last for den in ("", "den ")), "day deed")


def _with_hour(name: str, asked: datetime, language: str) -> Mapping[tuple[str, ...], DayRole]:
    """Return a day with the question's own hour: "tomorrow at ten"."""
    day, at = _words(name), tuple(plain_words(_AT.get(language, "")))
    clocks = [tuple(clock.replace("-", " ").split()) for clock in clock_phrases(asked.hour, asked.minute, language)]
    return dict.fromkeys(
        [day_and_clock for clock in clocks for day_and_clock in (day + clock, clock + day, day + at + clock)], "day"
    )


def _nouns(name: str, language: str) -> Iterator[str]:
    for frame in _split(_DAYS[language].nouns):
        if language == "de" and "{}en" in frame:
            if name in _GERMAN_ADJECTIVES:
                yield frame.format(_GERMAN_ADJECTIVES[name])
        else:
            yield frame.format(name)


def _names(asked: datetime, todays: Sequence[date], language: str) -> list[str]:
    """Return the names of a day from today, where it has the same in each reading of today."""
    if len({(asked.date() - today).days for today in todays}) != 1:
        return []
    offset = (asked.date() - todays[0]).days
    if not 0 <= offset < _NAMED_DAYS:
        return []
    days, part = _DAYS[language], part_of_day(asked.hour)
    names = _split(days.names.split("|")[offset])
    in_part = [f"{name} {after}" for name in names for after in _split(days.parts.split("|")[part])]
    return [*names, *in_part, *(_split(days.this_part.split("|")[part]) if offset == 0 else [])]


def _weekday(asked: date, todays: Sequence[date], language: str) -> Iterator[tuple[str, ...]]:
    """Yield "this Friday", and "next Friday" where everybody means the same day by it."""
    days, named = _DAYS[language], weekdays(language)[asked.weekday() :: _WEEK]
    for weekday in named:
        if all(0 < (asked - today).days < _WEEK for today in todays):
            yield from (_words(frame.format(weekday)) for frame in _split(days.this))
        if all(_is_surely_next(asked, today) for today in todays):
            yield from (_words(frame.format(weekday)) for frame in _split(days.coming))


def _is_surely_next(asked: date, today: date) -> bool:
    """Tell whether a day is the first of its name after today, and in the next week, begin that on Sunday or Monday."""
    if not 0 < (asked - today).days <= _WEEK:
        return False
    starts = [
        (day - timedelta(days=day.weekday()), day - timedelta(days=(day.weekday() + 1) % _WEEK))
        for day in (today, asked)
    ]
    return all((then - now).days == _WEEK for now, then in zip(*starts, strict=True))


@lru_cache(maxsize=4_096)
def _words(text: str) -> tuple[str, ...]:
    return tuple(plain_words(text))


def _split(phrases: str) -> list[str]:
    return [" ".join(phrase.split()) for phrase in phrases.split(",")]
