"""The time that a question names, and in how many ways a caller may say it back: "Friday", "at ten", "halb elf".

Said back are only whole phrases made from the question's own time, so that no other time is ever taken for it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from switchboard.contract.python.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class _Clock:
    """How one language says a time: numbers from 0 to 31, names, and frames in which `{}` is the hour.

    Attributes:
        numbers: In words; a number of two words is written with hyphens.
        weekdays: From Monday on.
        months: From January on.
        whole: Frames of a full hour.
        half: Frames of half past; `{next}` is the coming hour.
        quarters: Frames of a quarter past, and after `|` of a quarter to the coming hour.
        minutes: Frames with `{minute}`.
        parts: What may follow in the morning, in the afternoon and in the evening, separated by `|`.
        dates: Frames of `{day}` (a number) and `{month}`.
    """

    numbers: str
    weekdays: str
    months: str
    whole: str
    half: str
    quarters: str
    minutes: str
    parts: str
    dates: str


_CLOCKS: Mapping[str, _Clock] = {
    "en": _Clock(
        """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
        seventeen eighteen nineteen twenty twenty-one twenty-two twenty-three twenty-four twenty-five twenty-six
        twenty-seven twenty-eight twenty-nine thirty thirty-one""",
        "monday tuesday wednesday thursday friday saturday sunday",
        "january february march april may june july august september october november december",
        "{}, {} oclock, {} o clock, {} 00, {} sharp",
        "half past {}, {} thirty",
        "quarter past {}, a quarter past {}, {} fifteen | quarter to {next}, a quarter to {next}, {} forty five",
        "{} {minute}",
        "am, a m, in the morning | pm, p m, in the afternoon | pm, p m, in the evening",
        "{month} {day}, {day} {month}, {day} of {month}, the {day} of {month}, {month} the {day}",
    ),
    "de": _Clock(
        """null eins zwei drei vier funf sechs sieben acht neun zehn elf zwolf dreizehn vierzehn funfzehn sechzehn
        siebzehn achtzehn neunzehn zwanzig einundzwanzig zweiundzwanzig dreiundzwanzig vierundzwanzig funfundzwanzig
        sechsundzwanzig siebenundzwanzig achtundzwanzig neunundzwanzig dreissig einunddreissig""",
        "montag dienstag mittwoch donnerstag freitag samstag sonntag",
        "januar februar marz april mai juni juli august september oktober november dezember",
        "{}, {} uhr, {} 00 uhr, punkt {}",
        "halb {next}, {} uhr dreissig, {} uhr 30, {} 30 uhr",
        "viertel nach {}, {} uhr 15 | viertel vor {next}, {} uhr 45",
        "{} uhr {minute}, {} {minute}, {} {minute} uhr",
        "morgens, fruh, vormittags, am vormittag | nachmittags, am nachmittag | abends, am abend",
        "{day} {month}, am {day}, den {day}, der {day}, der {day} {month}, am {day} {month}, den {day} {month}",
    ),
    "es": _Clock(
        """cero una dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciseis diecisiete
        dieciocho diecinueve veinte veintiuno veintidos veintitres veinticuatro veinticinco veintiseis veintisiete
        veintiocho veintinueve treinta treinta-y-uno""",
        "lunes martes miercoles jueves viernes sabado domingo",
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
        "las {}, la {}, {}, {} en punto, las {} en punto, las {} horas",
        "las {} y media, la {} y media, {} y media, las {} treinta",
        "las {} y cuarto, {} y cuarto | las {next} menos cuarto, {next} menos cuarto",
        "las {} y {minute}, las {} {minute}, {} {minute}",
        "de la manana | de la tarde | de la noche, de la tarde",
        "{day} de {month}, el {day} de {month}, el {day}, el dia {day}, dia {day}",
    ),
    "fr": _Clock(
        """zero une deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept
        dix-huit dix-neuf vingt vingt-et-un vingt-deux vingt-trois vingt-quatre vingt-cinq vingt-six vingt-sept
        vingt-huit vingt-neuf trente trente-et-un""",
        "lundi mardi mercredi jeudi vendredi samedi dimanche",
        "janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre",
        "{} heures, {} heure, {} h, {}h, {}h00",
        "{} heures trente, {} heures et demie, {} heures 30, {}h30, {} h 30",
        "{} heures quinze, {} heures et quart, {}h15 | {next} heures moins le quart, {}h45",
        "{} heures {minute}, {}h{minute}, {} h {minute}",
        "du matin | de lapres midi | du soir",
        "{day} {month}, le {day} {month}, le {day}",
    ),
    "it": _Clock(
        """zero una due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici
        diciassette diciotto diciannove venti ventuno ventidue ventitre ventiquattro venticinque ventisei ventisette
        ventotto ventinove trenta trentuno""",
        "lunedi martedi mercoledi giovedi venerdi sabato domenica",
        "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
        "alle {}, all {}, le {}, {}, alle ore {}, ore {}, alle {} in punto",
        "alle {} e mezza, {} e mezza, alle {} e trenta",
        "alle {} e un quarto, {} e un quarto | alle {next} meno un quarto, {next} meno un quarto",
        "alle {} e {minute}, alle {} {minute}, {} e {minute}, {} {minute}",
        "di mattina, del mattino | del pomeriggio, di pomeriggio | di sera, della sera",
        "{day} {month}, il {day}, il {day} {month}",
    ),
    "nl": _Clock(
        """nul een twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien zeventien
        achttien negentien twintig eenentwintig tweeentwintig drieentwintig vierentwintig vijfentwintig zesentwintig
        zevenentwintig achtentwintig negenentwintig dertig eenendertig""",
        "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
        "januari februari maart april mei juni juli augustus september oktober november december",
        "{} uur, {} uur precies, {}",
        "half {next}, {} uur dertig, {} uur 30, {} 30 uur",
        "kwart over {}, {} uur 15 | kwart voor {next}, {} uur 45",
        "{} uur {minute}, {} {minute}, {} {minute} uur",
        "s ochtends, s morgens | s middags | s avonds",
        "{day} {month}, de {day}e, {day}e {month}, op {day} {month}",
    ),
    "pt": _Clock(
        """zero uma duas tres quatro cinco seis sete oito nove dez onze doze treze quatorze quinze dezesseis dezessete
        dezoito dezenove vinte vinte-e-um vinte-e-dois vinte-e-tres vinte-e-quatro vinte-e-cinco vinte-e-seis
        vinte-e-sete vinte-e-oito vinte-e-nove trinta trinta-e-um""",
        "segunda-feira terca-feira quarta-feira quinta-feira sexta-feira sabado domingo",
        "janeiro fevereiro marco abril maio junho julho agosto setembro outubro novembro dezembro",
        "as {}, {} horas, as {} horas, {}h, {}, as {}h",
        "as {} e meia, {} e meia, as {}h30, {}h30, as {} e trinta",
        "as {} e quinze, {} e quinze | as {} e quarenta e cinco, um quarto para as {next}",
        "as {} e {minute}, as {} {minute}, {} e {minute}, {} {minute}, {}h{minute}",
        "da manha | da tarde | da noite",
        "{day} de {month}, dia {day}, no dia {day}, dia {day} de {month}, no dia {day} de {month}",
    ),
}
LANGUAGES = tuple(_CLOCKS)
# What follows a weekday: morning, afternoon, evening.
_SPANS: Mapping[str, str] = {
    "en": "morning | afternoon | evening",
    "de": "vormittag | nachmittag | abend",
    "es": "por la manana | por la tarde | por la noche",
    "fr": "matin | apres midi | soir",
    "it": "mattina | pomeriggio | sera",
    "nl": "ochtend | middag | avond",
    "pt": "de manha | a tarde | a noite",
}
# What noon and midnight are called, as plain words, with what leads to them where that leads to other times as well.
_TWELVE: Mapping[int, Mapping[str, str]] = {
    12: {
        "en": "noon, midday, twelve noon, 12 noon, high noon",
        "de": "mittag, mittags, am mittag, zu mittag",
        "es": "mediodia, al mediodia, a mediodia, el mediodia",
        "fr": "midi, a midi",
        "it": "mezzogiorno, a mezzogiorno",
        "nl": "twaalf uur s middags",
        "pt": "meio dia, ao meio dia",
    },
    0: {
        "en": "midnight",
        "de": "mitternacht, um mitternacht",
        "es": "medianoche, a medianoche",
        "fr": "minuit, a minuit",
        "it": "mezzanotte, a mezzanotte",
        "nl": "middernacht",
        "pt": "meia noite, a meia noite",
    },
}
_TENS = {20: "twentieth", 30: "thirtieth"}
_FIRST = [
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
]
_TIME = re.compile(r"\b(\d{1,2})(?::|h| h |\.(?=\d\d\s*uhr))(\d{2})\b(?:\s*([ap])\.?m\b)?")
_NEW = re.compile(r"\bnew (?:start )?(?:time|date|start)\b[^:]*: ")
_AFTERNOON, _EVENING, _NIGHT = 12, 17, 23


@dataclass(frozen=True, slots=True)
class SpokenMoment:
    """A time as a question names it: `day` and `month` are 0, and `weekday` is -1, where it names none."""

    hour: int
    minute: int
    weekday: int = -1
    day: int = 0
    month: int = 0


def moment_of(question: str, *, is_moved: bool) -> SpokenMoment | None:
    """Return the time that a question is about, of text without case and accents; None if there is none, or no one.

    Args:
        question: As it was put to the caller.
        is_moved: Whether it moves something from one time to another, so that of two times the new one is meant.
    """
    times = list(_TIME.finditer(question))
    if not times or (len(times) > 1 and not is_moved):
        return None
    if len(times) > 1 and (label := _NEW.search(question)) is not None:
        times = [time for time in times if time.start() >= label.end()][:1]
        if not times:
            return None
    return _moment_at(times[-1], question)


def without_times(question: str) -> str:
    """Return a question, as `moment_of` reads it, without the hours that it names."""
    return _TIME.sub(" ", question)


def _moment_at(time: re.Match[str], question: str) -> SpokenMoment:
    hour, minute = int(time[1]), int(time[2])
    if time[3]:
        hour = hour % 12 + (12 if time[3] == "p" else 0)
    before = [other.end() for other in _TIME.finditer(question) if other.end() <= time.start()]
    return SpokenMoment(hour, minute, *_date(question[max(before, default=0) : time.start()]))


def _date(text: str) -> tuple[int, int, int]:
    """Return weekday, day and month of what stands before a time, by the names of whichever language has them."""
    words = re.findall(r"[^\W\d_]+(?:-feira)?|\d+", text.replace(" feira", "-feira"))
    for clock in _CLOCKS.values():
        weekdays, months = clock.weekdays.split(), clock.months.split()
        days = [weekdays.index(word) for word in words if word in weekdays]
        named = [months.index(word) + 1 for word in words if word in months]
        if days:
            numbers = [int(word) for word in words if word.isdigit() and len(word) < 3]
            return days[-1], numbers[-1] if numbers and named else 0, named[-1] if named else 0
    return -1, 0, 0


@cache
def spoken(moment: SpokenMoment, language: str) -> frozenset[tuple[str, ...]]:
    """Return every phrase, as words, by which a speaker of a language may say a moment, or its day alone."""
    return frozenset(
        tuple(phrase.replace("-", " ").split()) for phrase in (*_clock_time(moment, language), *_day(moment, language))
    )


def clock_phrases(hour: int, minute: int, language: str) -> frozenset[str]:
    """Return every phrase by which a speaker of a language may say an hour of the day, as plain words."""
    return frozenset(_clock_time(SpokenMoment(hour, minute), language))


def bare_hours(moment: SpokenMoment, language: str) -> frozenset[tuple[str, ...]]:
    """Return the numbers of a moment's hour alone, as words, which may count people as well."""
    clock = _CLOCKS[language]
    hours = (moment.hour, moment.hour % 12 or 12)
    return frozenset(tuple(number.replace("-", " ").split()) for hour in hours for number in _numbers(hour, clock))


def day_numbers(day: int, language: str) -> list[str]:
    """Return a day of the month in digits and, as plain words, in the words of a language."""
    return [number.replace("-", " ") for number in _numbers(day, _CLOCKS[language])]


def weekdays(language: str) -> list[str]:
    """Return the names of the days from Monday on, as plain words; after Sunday the same once more, as short forms."""
    full = [name.replace("-", " ") for name in _CLOCKS[language].weekdays.split()]
    return [*full, *(name.removesuffix(" feira") for name in full)]


def names_time(language: str) -> frozenset[str]:
    """Return the words by which a language tells one time from another."""
    clock = _CLOCKS[language]
    names = " ".join((clock.numbers, clock.weekdays, clock.months, " ".join(_FIRST) if language == "en" else ""))
    return frozenset(names.replace("-", " ").split())


def _clock_time(moment: SpokenMoment, language: str) -> Iterator[str]:
    clock_times = list(_times(moment, _CLOCKS[language]))
    if moment.minute == 0:
        yield from (phrase.strip() for phrase in _TWELVE.get(moment.hour, {}).get(language, "").split(",") if phrase)
    yield from clock_times
    if language in ("es", "fr"):
        yield from (f"a {phrase}" for phrase in clock_times)


def _times(moment: SpokenMoment, clock: _Clock) -> Iterator[str]:
    frames = _frames(moment.minute, clock)
    short = moment.hour % 12 or 12
    part = clock.parts.split("|")[part_of_day(moment.hour)]
    for hour in {moment.hour, short}:
        for frame in frames:
            for number_words in _numbers(hour, clock):
                for after in _numbers((hour + 1) if hour == moment.hour else short % 12 + 1, clock):
                    for minute in {f"{moment.minute:02}", *_numbers(moment.minute, clock)}:
                        phrase = frame.replace("{next}", after).replace("{minute}", minute).replace("{}", number_words)
                        yield phrase
                        if hour == short:
                            for end in part.split(","):
                                yield from (f"{phrase} {end.strip()}", f"{end.strip()} {phrase}")


def part_of_day(hour: int) -> int:
    """Return 0 for a morning's hour, 1 for an afternoon's and 2 for an evening's."""
    return 0 if hour < _AFTERNOON else 1 if hour < _EVENING else 2


def _frames(minute: int, clock: _Clock) -> Sequence[str]:
    after, to = clock.quarters.split("|")
    minute_words = {0: clock.whole, 30: clock.half, 15: after, 45: to}.get(minute, "")
    frames = [*minute_words.split(","), *(clock.minutes.split(",") if minute else ())]
    return [frame.strip() for frame in frames if frame.strip()]


def _numbers(number: int, clock: _Clock) -> list[str]:
    words = clock.numbers.split()
    return [str(number), *([words[number]] if number < len(words) else [])]


def _day(moment: SpokenMoment, language: str) -> Iterator[str]:
    clock, span = _CLOCKS[language], _SPANS[language].split("|")[part_of_day(moment.hour)].strip()
    if moment.weekday >= 0:
        weekday = clock.weekdays.split()[moment.weekday]
        names = {weekday, weekday.removesuffix("-feira")}
        yield from names
        yield from (f"{name} {span}" for name in names)
        if language == "en":
            yield f"{weekday}s"
        yield from (f"{name} {day}" for name in names for day in _numbers(moment.day, clock) if moment.day)
    if not moment.day:
        return
    numbers = [*_numbers(moment.day, clock), *(_ordinals(moment.day) if language == "en" else ())]
    if language == "de":
        word = _numbers(moment.day, clock)[-1]
        numbers += [f"{word}{'sten' if moment.day >= 20 else 'ten'}"]
    if language == "en":
        yield from (f"the {day}" for day in _ordinals(moment.day))
    month = clock.months.split()[moment.month - 1]
    for frame in clock.dates.split(","):
        yield from (frame.strip().replace("{day}", day).replace("{month}", month) for day in numbers)


def _ordinals(day: int) -> list[str]:
    ending = "th" if 10 < day < 14 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    tens, ones = day // 10 * 10, day % 10
    words = _FIRST[day - 1] if day < 20 else f"{'twenty' if tens == 20 else 'thirty'} {_FIRST[ones - 1]}"
    return [f"{day}{ending}", _TENS.get(day, words)]
