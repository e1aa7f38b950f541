"""How long an appointment is said to take: as long as what was booked, or the service that is named.

A length is read in minutes, however it is told: "an hour and a half", "eine Stunde dreißig", "1 heure 30".
"""

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Final, NamedTuple

from switchboard.conversation.claims.facts import STANDING, services_named, stretches_in, words_of
from switchboard.conversation.claims.number_words import whole_number
from switchboard.conversation.claims.sentences import NOT_SO
from switchboard.conversation.claims.statements.statement import IN_CASE, SpokenStatement
from switchboard.conversation.claims.visit_ends import IT, VISIT

_ONE: Final = frozenset({"a", "an", "eine", "einen", "einer", "une"})
_HOUR = r"(?:hours?|stunden?|horas?|heures?|or[ae]|uur|uren)"
_MINUTE = r"(?:minutes?|mins?|minuten|minutos?|minut[io]|minuut)"
_AND = r"(?:and|und|y|et|e|en)"
_A = r"(?:(?:an?|eine?|einen|une?|una|uma?|een)[\s-]+)?"
_HALF = r"(?:half|halbe|halve|media|demie?|mezz[ao]|meia)"
# Parts of an hour, and what they are told as in minutes, so that only whole numbers are left to read.
_PARTS: Final = [
    (re.compile(pattern, re.I), told)
    for pattern, told in (
        (
            r"\b(?:(?:a )?three[ -]quarters of an hour|(?:eine )?dreiviertelstunde|tres cuartos de hora"
            r"|trois quarts d'heure|tre quarti d'ora|drie kwartier)\b",
            "45 minutes",
        ),
        (
            r"\b(?:(?:a )?quarter of an hour|(?:eine )?viertelstunde|(?:un )?cuarto de hora|(?:un )?quart d'heure"
            r"|(?:un )?quarto d'ora|(?:um )?quarto de hora|(?:een )?kwartier)\b",
            "15 minutes",
        ),
        (
            r"\b(?:anderthalb|eineinhalb) stunden\b|\banderhalf uur\b|\b(?:una )?hora y media\b"
            r"|\b(?:uma )?hora e meia\b",
            "90 minutes",
        ),
        (r"\b(?:una )?hora y cuarto\b", "75 minutes"),
        (rf"\b{_AND}[\s-]+{_A}{_HALF}[\s-]+({_HOUR})\b", r"\1 30 minutes"),
        (
            r"\b(?:half an hour|a half[ -]hour|(?:einer? )?halben? stunde|media hora|(?:une )?demi-heure|mezz'ora"
            r"|mezza ora|meia hora|(?:een )?half uur)\b",
            "30 minutes",
        ),
        (
            rf"\b({_HOUR})[\s-]+{_AND}[\s-]+(?:three[ -]quarters|drei ?viertel|tres cuartos|trois quarts|tre quarti"
            r"|três quartos|drie kwart)\b",
            r"\1 45 minutes",
        ),
        (rf"\b({_HOUR})[\s-]+{_AND}[\s-]+{_A}{_HALF}\b", r"\1 30 minutes"),
        (rf"\b({_HOUR})[\s-]+{_AND}[\s-]+{_A}(?:quarter|viertel|cuarto|quart|quarto|kwart)\b", r"\1 15 minutes"),
    )
]
_UNIT = re.compile(
    rf"(?<![^\W\d_])(?:(?P<hours>{_HOUR}|(?:h|hrs?|std\.?)(?=\s?(?:{_AND}\s)?\d{{1,2}}\s?min))|{_MINUTE})(?![^\W\d_])",
    re.I,
)
_JOINED = re.compile(rf"[\s-]*(?P<and>{_AND}[\s-]+)?", re.I)
_MINUTES_BEHIND = re.compile(rf"[\s-]*{_MINUTE}\b", re.I)
_TOKEN = re.compile(r"\d{1,4}(?:[.,:]\d{1,4})?|[^\W\d_]+|[^\w\s'-]")
# What makes more of the number that stands behind it.
_MORE_SAID = (
    "hundred hundert cent cientos ciento cento honderd and und y et e en point komma coma virgule virgola x mal"
)
_MORE = frozenset(_MORE_SAID.split())
_RANGE_SAID = "to or bis oder a o à ou al of tot até"
_RANGE = frozenset(_RANGE_SAID.split())
_DIGITS, _NEAR, _MOST_WORDS, _FIVE, _HOURS = re.compile(r"\d{1,4}(?:[.,]\d{1,2})?"), 60, 7, 5, 60


class LengthSaid(NamedTuple):
    """How long something is said to take.

    Attributes:
        minutes: None where the number is not read for certain.
        before: What is said before it.
    """

    minutes: int | None
    before: str


def lengths_said(text: str) -> list[LengthSaid]:
    """Return every length that a text tells, an hour and its minutes as one."""
    for pattern, told in _PARTS:
        text = pattern.sub(told, text)
    lengths, end = list[LengthSaid](), 0
    for match in _UNIT.finditer(text):
        if match.start() < end:
            continue
        told_before = _number_before(text, match.start())
        if told_before is None:
            continue
        count, start = told_before
        minutes, end = count, match.end()
        if match["hours"] is not None:
            more, end = _minutes_behind(text, end)
            minutes = None if count is None or more is None else _HOURS * count + more
        whole = int(minutes) if minutes is not None and minutes == int(minutes) else None
        lengths.append(LengthSaid(whole, text[:start]))
    return lengths


def _number_before(text: str, at: int) -> tuple[float | None, int] | None:
    """Return the number that ends there, if it is read for certain, and where it begins; None where there is none."""
    since = max(0, at - _NEAR)
    tokens = [(match[0].casefold(), since + match.start()) for match in _TOKEN.finditer(text[since:at])]
    for count in range(min(_MOST_WORDS, len(tokens)), 0, -1):
        number = _number(" ".join(word for word, _ in tokens[-count:]))
        if number is not None:
            before = [word for word, _ in tokens[:-count]][-2:]
            # "30-60 minutes", "thirty to sixty minutes", "a hundred and twenty thousand hours".
            is_range = len(before) > 1 and before[1] in _RANGE and _number(before[0]) is not None
            is_part = is_range or (bool(before) and (before[-1] in _MORE or before[-1][0].isdigit()))
            return None if is_part else number, tokens[-count][1]
    return None


def _minutes_behind(text: str, at: int) -> tuple[int | None, int]:
    """Return how many minutes are told behind hours, and where that ends; None where what goes on is not read."""
    joined = _JOINED.match(text, at)
    assert joined is not None
    start = joined.end()
    tokens = [(match[0].casefold(), start + match.end()) for match in _TOKEN.finditer(text[start : start + _NEAR])]
    for count in range(min(_MOST_WORDS, len(tokens)), 0, -1):
        number = _number(" ".join(word for word, _ in tokens[:count]))
        if number is None:
            continue
        end = tokens[count - 1][1]
        unit = _MINUTES_BEHIND.match(text, end)
        if unit is not None:
            return int(number), unit.end()
        # "Une heure trente": other numbers may count something else.
        if number < _HOURS and number >= _FIVE and number % _FIVE == 0:
            return int(number), end
        break
    return (None if joined["and"] else 0), at


def _number(words: str) -> float | None:
    if words in _ONE:
        return 1
    return float(words.replace(",", ".")) if _DIGITS.fullmatch(words) is not None else whole_number(words)


_LASTS = re.compile(
    r"\b(?:takes?|lasts?|will (?:take|last)|(?:is|are|'s) (?=[\w' -]{1,30}\blong\b)|dauert|dauern|geht|dura(?:rá)?"
    r"|duran|tarda|dure(?:ra)?|prend|durerà|demora|leva|duurt|duren)\b",
    re.I,
)
# "For an hour" is how long; before a visit or later it is not.
_FOR = re.compile(r"\b(?:for|für|por|durante|pendant|pour|per|voor|de|di|von|van)\s+(?:a full |full |ganze )?$", re.I)
_BESIDE = re.compile(
    r"\b(?:early|earlier|before|beforehand|in advance|late|later|ahead|after|within|in (?=\d)|notice|more|less|longer"
    r"|extra|at least|up to|between|from|each|drive|drives|walk|away|park\w*|wait\w*|früher|vorher|später|vor|nach"
    r"|innerhalb|dentro|total|totale|insgesamt|gesamt|plan|travel|reminder"
    r"|erinnerung|recordatorio|rappel|mehr|weniger|länger|mindestens|bis zu|zwischen|fahrt|antes"
    r"|tarde|después|más|menos|hasta|entre|cada"
    r"|avant|plus|moins|jusqu'à|retard|après|prima|dopo|più|meno|fino|ritardo|depois|mais|até|atraso|eerder|vooraf"
    r"|later|meer|minder|tot|tussen)\b",
    re.I,
)
# What is only about as long is a few minutes longer or shorter.
_ABOUT = re.compile(
    r"\b(?:about|around|roughly|approximately|almost|just under|just over|a little|etwa|ungefähr|rund|knapp|gut|circa"
    r"|ca|unos|unas|aproximadamente|alrededor|casi|environ|à peu près|presque|quasi|cerca|mais ou menos|ongeveer"
    r"|bijna)\b",
    re.I,
)
_NEARLY = 15


def hold_wrong_length(statement: SpokenStatement) -> None:
    """Hold a sentence that gives an appointment another length than the booking or the service has.

    Raises:
        Unfounded: It must not be said.
    """
    sentence = statement.sentence
    said = lengths_said(sentence)
    if len(said) != 1 or any(one.search(sentence) is not None for one in (_BESIDE, NOT_SO, IN_CASE)):
        return
    minutes, before = said[0]
    is_booked = not STANDING.isdisjoint(statement.deeds)
    named = services_named(statement.business, sentence)
    lasts = _LASTS.search(before)
    is_told = lasts is not None and bool(named or VISIT.search(before) or _is_it(statement, before[: lasts.start()]))
    if not is_told and not (is_booked and _FOR.search(before) is not None):
        return
    known = list(_known(statement, named))
    if not known or minutes is None:
        return
    off = _NEARLY if _ABOUT.search(sentence) is not None else 0
    if any(abs(minutes - one) <= off for one in known):
        return
    if any(one.minutes == minutes for text in statement.told() for one in lengths_said(text)):
        return
    raise statement.refused(f"it takes {' or '.join(f'{one} minutes' for one in sorted(set(known)))}.")


def _is_it(statement: SpokenStatement, before: str) -> bool:
    """Tell whether "it", or nothing, stands there for what was done in this turn."""
    return statement.was_done_now() and IT.search(before) is not None


def _known(statement: SpokenStatement, named: tuple[str, ...]) -> Iterator[int]:
    """Yield how many minutes what a sentence tells of takes: the services it names, or else what is booked."""
    zone, session = statement.now.tzinfo, statement.session
    assert zone is not None
    stretches = [one for data in session.tool_context.values() for one in stretches_in(data, zone)]
    words = frozenset[str]().union(*map(words_of, named))
    standing = (item for item in statement.known() if not item.deeds.isdisjoint(STANDING) and words <= item.words)
    moments = {moment for item in standing for moment in item.moments}
    booked = [int((end - start) / timedelta(minutes=1)) for start, end in stretches if start in moments]
    listed = [one.duration_minutes for one in statement.business.services if one.name in named]
    if len(named) == 1:
        yield from listed
        # What was booked may have been made longer.
        yield from booked
    elif not named and len(moments) == 1:
        yield from booked
