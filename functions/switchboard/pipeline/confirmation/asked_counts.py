"""What a question counts ("for 5 people"), and in how many ways a caller may say that back: "five of us", "zu fünft".

What is counted is named by its own number alone: "yes, ten people" is none to five of them at ten. A number without a
word for people may as well be an hour, and says nothing. A number within a name counts nothing: "Level 2 facial".
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache

from switchboard.contract.python.dataclass import dataclass
from switchboard.pipeline.confirmation.spoken_moments import LANGUAGES, day_numbers, names_time, without_times

_PEOPLE: Mapping[str, str] = {
    "en": "people persons person guests guest",
    "de": "personen person leute gaste gast",
    "es": "personas persona comensales comensal",
    "fr": "personnes personne couverts couvert",
    "it": "persone persona coperti coperto",
    "nl": "personen persoon mensen",
    "pt": "pessoas pessoa",
}
# `{}` is the number, `{of}` what it is called of several together; in plain words, from two on.
_TOGETHER: Mapping[str, str] = {
    "en": """{} of us, the {} of us, all {} of us, we are {}, were {}, we will be {}, well be {}, there are {} of us,
        there will be {} of us, party of {}, a party of {}""",
    "de": "zu {of}, wir sind {}, wir sind zu {of}, wir kommen zu {of}",
    "es": "somos {}, seremos {}, vamos a ser {}",
    "fr": "nous sommes {}, on est {}, nous serons {}, on sera {}",
    "it": "siamo {}, siamo in {}, saremo {}, saremo in {}",
    "nl": """met zn {of}, we zijn met {}, wij zijn met {}, we zijn met zn {of}, wij zijn met zn {of}, we komen met {},
        we komen met zn {of}""",
    "pt": "somos {}, seremos {}, vamos ser {}",
}
_OF_SEVERAL: Mapping[str, str] = {
    "de": "zweit dritt viert funft sechst siebt acht neunt zehnt elft zwolft",
    "nl": "tweeen drieen vieren vijven zessen zevenen achten negenen tienen elven twaalven",
}
# The number alone, where it is all that changes.
_ALONE: Mapping[str, str] = {
    "en": """{}, make it {}, make that {}, its {}, it is {}, itll be {}, {} now, {} instead, {} in total, {} altogether,
        therell be {} of us, there will be {}, therell be {}, were {} now, we are {} now, well be {} now, {} of us now,
        table for {}, a table for {}, put us down for {}, put us down as {}""",
    "de": """{}, wir sind jetzt {}, wir sind nun {}, wir sind doch {}, wir sind dann {}, jetzt {}, dann {}, wir
        werden {}, es sind {}, {} statt dessen, machen sie {} draus, machen sie {} daraus, mach {} draus, insgesamt
        {}, tisch fur {}, einen tisch fur {}, wir kommen zu {}, {} insgesamt""",
    "es": """{}, ahora somos {}, ya somos {}, al final somos {}, son {}, que sean {}, pongalo para {}, pongala para {},
        ponga {}, pon {}, ahora {}, en total {}, {} en total, mesa para {}, una mesa para {}""",
    "fr": """{}, on est {} maintenant, on est maintenant {}, nous sommes maintenant {}, maintenant on est {}, mettez
        {}, mets {}, mettez nous {}, {} maintenant, {} en tout, {} au total, finalement {}, table pour {}, une table
        pour {}""",
    "it": "{}, ora siamo {}, ora siamo in {}, siamo {} ora, faccia {}, metta {}, tavolo per {}, un tavolo per {}",
    "nl": "{}, voor {}, we zijn nu met {}, maak er {} van, nu {}, tafel voor {}, een tafel voor {}",
    "pt": "{}, agora somos {}, ponha {}, agora {}, mesa para {}, uma mesa para {}",
}
# How people are counted, beside how hours are.
_MORE: Mapping[tuple[str, int], str] = {("pt", 2): "dois", ("pt", 1): "um", ("es", 1): "un"}
# What is changed to a number of people, and not moved to a time for so many.
_CHANGED_TO = re.compile(
    r"(?<!entonces )(?<!entao )\b(?:to|auf|a|para|naar) \d{1,3} (?:"
    + "|".join(" ".join(_PEOPLE.values()).split())
    + r")\b"
)
# So many have a name.
_MOST = 31
_SHORTEST = 3
_COUNTED = re.compile(r"(?:(?<!\w)([^\W\d_]+) )?(?<![\d.,])(\d{1,3}) ([^\W\d_]+)")
# Of minutes there are so many wherever they stand.
_MINUTES = frozenset({"minutes", "minute", "minuten", "minutos", "minuto", "minuti"})


@dataclass(frozen=True, slots=True)
class AskedCounts:
    """What a question counts.

    Attributes:
        words: What stands behind a number, so that it is named by that number only.
        phrases: How each is named in whatever language, as plain words.
        people: How many people, where it tells one number of them.
        changes_to: How many people are to come instead, where that is all that it counts.
    """

    words: frozenset[str]
    phrases: frozenset[tuple[str, ...]]
    people: int | None = None
    changes_to: int | None = None


@lru_cache(maxsize=64)
def counts_in(question: str, names: frozenset[str] = frozenset()) -> AskedCounts:
    """Return what a question counts, of text without case and accents; of what it counts twice there is no phrase.

    A number behind one of the words that are `names` counts nothing, and is a part of that name.
    """
    numbers: dict[str, set[int]] = {}
    in_names: dict[str, set[int]] = {}
    people = {word for words in _PEOPLE.values() for word in words.split()}
    for lead, number, word in _COUNTED.findall(without_times(question)):
        is_name = lead in names and word not in people | _MINUTES
        if len(word) >= _SHORTEST:
            (in_names if is_name else numbers).setdefault(word, set()).add(int(number))
    parties = {number for word in people & numbers.keys() for number in numbers[word]}
    phrases: set[tuple[str, ...]] = {
        (said, word)
        for word, found in (*numbers.items(), *in_names.items())
        if len(found) == 1 and word not in people
        for number in found
        for said in _said(number)
    }
    if len(parties) == 1:
        phrases.update(tuple(phrase.split()) for number in parties for phrase in _of_people(number))
    number = next(iter(parties)) if len(parties) == 1 else None
    others = (numbers.keys() | in_names.keys()) - people - _months()
    is_all = number is not None and number > 1 and not others
    changes = is_all and _CHANGED_TO.search(question) is not None
    return AskedCounts(frozenset(numbers), frozenset(phrases), number, number if changes else None)


@cache
def _months() -> frozenset[str]:
    """Return the names of times, before which stands a day and no number of anything."""
    return frozenset(name for language in LANGUAGES for name in names_time(language))


def said_alone(number: int, language: str) -> Iterator[tuple[str, ...]]:
    """Yield how a language names a number of people by itself, where a question is about nothing but that number."""
    frames = [frame.strip() for frame in " ".join(_ALONE[language].split()).split(",")]
    for said in _numbers(number, language):
        yield from (tuple(frame.replace("{}", said).split()) for frame in frames)


def _of_people(number: int) -> Iterator[str]:
    for language in LANGUAGES:
        words = _numbers(number, language)
        yield from (f"{said} {people}" for said in words for people in _PEOPLE[language].split())
        if number > 1:
            frames = [frame.strip() for frame in " ".join(_TOGETHER[language].split()).split(",")]
            several = _OF_SEVERAL.get(language, "").split()
            together = several[number - 2 : number - 1]
            yield from (frame.replace("{}", said) for frame in frames if "{}" in frame for said in words)
            yield from (frame.replace("{of}", said) for frame in frames if "{of}" in frame for said in together)


def _said(number: int) -> Iterator[str]:
    for language in LANGUAGES:
        yield from (said for said in _numbers(number, language) if " " not in said)


def _numbers(number: int, language: str) -> Sequence[str]:
    if number > _MOST:
        return [str(number)]
    return [*day_numbers(number, language), *_MORE.get((language, number), "").split()]
