"""When a business is open, or one of its people works.

On a day on which it is closed nobody is told that it is open, and none is told hours at which it neither opens nor
closes on any day that may be meant.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import date, datetime, time, timedelta
from functools import partial
from typing import NamedTuple

from switchboard.contract.business.business import Business
from switchboard.contract.business.working_hours import Opening, WorkingHours
from switchboard.conversation.claims.entities import Mentions, mentions, readings
from switchboard.conversation.claims.facts import texts_in
from switchboard.conversation.claims.people_marks import MARK, marked
from switchboard.conversation.claims.sentences import DENIED, clauses_of
from switchboard.conversation.claims.statements.statement import IN_CASE, LONGEST_STATEMENT, SpokenStatement, with_days
from switchboard.conversation.claims.time_words import WEEKDAYS
from switchboard.conversation.guard import HeldFact, HeldSubject

_DAYS = "|".join(sorted(WEEKDAYS, key=len, reverse=True))
_HOUSE = (
    r"(?:we|we're|we are|nous|on|wir|noi|nós|wij|we|the (?:salon|shop|studio|store|restaurant|office|practice)|el salón"
    r"|la tienda|le salon|der (?:salon|laden)|il salone|o salão|de salon)"
)
IS_OPEN = re.compile(
    rf"\b(?:{_HOUSE}\s+(?:(?:are|is|do|also|even|est|sommes|sind|ist|siamo|è|estamos|está|zijn|is|also|auch|aussi)\s+)*"
    r"(?:open|opens|ouverte?s?|ouvrons|ouvre|öffnen|öffnet|offen|geöffnet|apert[ioa]|apriamo|abert[ao]s?|abrimos|open)"
    r"|abrimos|abriremos|atendemos|(?:estamos|está|salón|tienda) abiert[oa]s?|estamos(?= de \w+ a \w+)|ouvrons|apriamo"
    r"|siamo apert[ie]|estamos abert[ao]s|(?:öffnen|haben|sind) wir\b[^.;?!]{0,60}\b(?:offen|geöffnet|auf)"
    r"|wir haben\b[^.;?!]{0,60}\b(?:offen|geöffnet|auf)|öffnen wir|(?:zijn|gaan) (?:wij|we)\b[^.;?!]{0,40}\bopen"
    r"|open(?:ing)? (?:on|from)\b)(?!\w)",
    re.I,
)
_WORKS = re.compile(
    rf"{MARK}\s+(?:also\s+|auch\s+|también\s+|aussi\s+)?(?:works?|trabaja|travaille|arbeitet|lavora|trabalha|werkt)\b",
    re.I,
)
_EXCEPT = re.compile(
    r"\b(?:except|closed?|but not|apart from|other than|außer|geschlossen|zu\b|salvo|excepto|menos|cerrad\w+|sauf"
    r"|fermée?s?|hormis|tranne|eccetto|chius\w+|exceto|fechad\w+|behalve|gesloten|dicht)",
    re.I,
)
# A day before or after which something is, and one of a break, is not said to be open.
_BESIDE_DAY = re.compile(
    r"\b(?:(?:after|before|since|following|nach|vor|seit|después de|antes de|desde|tras|après|avant|depuis|dopo"
    r"|prima di|depois de|na(?=\s(?:(?:de|onze)\s)?\w{2,6}dag)|voor)l?"
    r"(?:\s+(?:the|our|a|dem|den|unser\w{0,2}|el|la|nuestro|le|notre|il|nostro|da|o|nosso|de|het|onze))?"
    rf"\s+(?:{_DAYS})(?!\w)"
    rf"|(?:{_DAYS})(?:'s)?\s+(?:break|rest|closure|closing|day off|pause|rust)(?!\w))",
    re.I,
)
_CLOSES = re.compile(
    rf"\b(?:{_HOUSE}\s+(?:(?:do|also|est|auch|aussi|is|are|will|'ll)\s+){{0,2}}"
    r"(?:close|closes|closing|shut|schließen|schließt|zumachen|fermons|ferme|chiudiamo|chiude|fechamos|fecha|sluiten"
    r"|sluit)|schließen wir|(?:haben|sind) wir\b[^.;?!]{0,60}\bgeschlossen|cerramos|el salón cierra|fermons|chiudiamo"
    r"|fechamos|sluiten (?:wij|we)|(?:gaan|zijn) (?:wij|we)\b[^.;?!]{0,40}\bdicht)(?!\w)",
    re.I,
)
_UNTIL = re.compile(r"\b(?:until|till|til|bis|hasta|jusqu'à|jusqu'en|fino a(?:lle|ll'|l)?|até|tot)(?!\w)", re.I)
_FROM = re.compile(r"\b(?:from|ab|von|desde|dès|à partir de|dalle|dall'|a partire|das|a partir|vanaf|van)(?!\w)", re.I)
_IS = re.compile(r"(?:\b(?:are|is|ist|sind|haben|están?|estamos|sommes|est|siamo|è|zijn)|'re)(?!\w)", re.I)
# As an hour is told behind them, it is read: "until ten", "tot tien uur", "bis zehn".
_LEADS = (
    (re.compile(r"\b(?:until|till|til)(?! at\b)(?=\s)", re.I), "at"),
    (
        re.compile(
            r"\bfrom(?=\s+(?:[a-z]+|\d{1,2})(?:\s+(?:on|onwards?|in|tomorrow|today|every|and|until|till|to)\b|[.,!]))"
        ),
        "at",
    ),
    (re.compile(r"\bbis(?=\s)", re.I), "um"),
    (re.compile(r"\btot(?=\s)", re.I), "om"),
)
_TONIGHT = re.compile(r"\b(?:tonight|esta noche|ce soir|stasera|esta noite|hoje à noite|vanavond)(?!\w)", re.I)
# Hours of something else than the house, or of some days only that no weekday names.
_ELSE = re.compile(
    r"\b(?:last|appointments?|phones?|calls?|parking|holidays?|christmas|eve|delivery|except|kitchen|bar|books?"
    r"|letzte\w*|termine?|telefon\w*"
    r"|feiertag\w*|außer|küche|últim[ao]s?|citas?|teléfono|festivos?|salvo|excepto|cocina|dernier\w*|rendez-vous"
    r"|téléphone|fériés?|cuisine"
    r"|sauf|ultim[io]|appuntament\w+|telefono|festiv\w+|tranne|cucina|últimas?|telefone|feriados?|exceto|cozinha"
    r"|laatste|afspra\w+|telefoon|feestdag\w*|behalve|keuken)\b",
    re.I,
)
_WHEN_OPEN = re.compile(
    r"\b(?:open|hours|geöffnet|offen|\w*öffnungszeiten|abiert[oa]s?|abren|horarios?|ouverte?s?|ouvrez|horaires?"
    r"|apert[ioa]|aprite|orari|abert[oa]s?|abrem|geopend|openingstijden)\b",
    re.I,
)
_FEW_WORDS = 2
# As a tool that looks up when it is open tells it.
_HOUR_ALONE = re.compile(r"\d\d:\d\d")
_DAYS_OF_WEEK, _MIDNIGHT = 7, 24 * 60
# So many days ahead an exception may be what somebody speaks of without a date.
_SOON = timedelta(days=60)
# So far ahead a day may be an exception.
_WEEKS_AHEAD = 53


def hold_wrong_hours(statement: SpokenStatement) -> None:
    """Hold a sentence that says that a closed day is open, that somebody works then who does not, or other hours.

    Raises:
        Unfounded: It must not be said.
    """
    sentence = _TONIGHT.sub("today", statement.sentence)
    wrong = _untrue_day(statement.business, sentence, statement.now)
    if wrong is not None:
        raise statement.refused(f"{wrong.why}.", HeldFact(HeldSubject.HOURS, closed=wrong.weekday))
    told = partial(_clocks_told, statement)
    openings = _openings_otherwise(statement.business, sentence, statement.now, told=told)
    if openings:
        known = openings[0] if len(set(openings)) == 1 else ()
        raise statement.refused(f"the hours are {_as_told(openings)}.", HeldFact(HeldSubject.HOURS, openings=known))


def hours_otherwise(business: Business, sentence: str, now: datetime, question: str = "") -> str:
    """Return when it is open, where a sentence says hours at which on no day meant it opens or closes; else nothing.

    Args:
        business: Whose hours they are; an exception's are those of its day.
        sentence: What is said or written.
        now: Local.
        question: What the sentence answers, if that is known: hours alone are then those of the house.
    """
    openings = _openings_otherwise(business, sentence, now, question)
    return f"the hours are {_as_told(openings)}" if openings else ""


def _openings_otherwise(
    business: Business,
    sentence: str,
    now: datetime,
    question: str = "",
    told: Callable[[], Collection[int]] = frozenset,
) -> list[tuple[Opening, ...]]:
    """Return the openings of the days meant, where a sentence says hours that none of them has, and no text tells.

    `told` returns the minutes of the day that were told as hours elsewhere.
    """
    hours = business.working_hours
    if not hours.is_known or len(sentence) > LONGEST_STATEMENT or sentence.endswith("?"):
        return []
    is_asked = _WHEN_OPEN.search(question) is not None
    if not is_asked and not any(pattern.search(sentence) for pattern in (IS_OPEN, _CLOSES)):
        return []
    before, clauses = "", [sentence] if is_asked else clauses_of(with_days(sentence))
    for clause in clauses:
        plain = _UNTIL.sub(" ", clause)
        is_open, is_closing = IS_OPEN.search(clause), _CLOSES.search(clause)
        is_of_house = is_asked or is_open is not None or is_closing is not None
        leads, before = before, clause if len(clause.split()) <= _FEW_WORDS else ""
        if not is_of_house or any(pattern.search(plain) is not None for pattern in (_ELSE, IN_CASE, DENIED)):
            continue
        said = _spoken_hours(f"{leads}{clause}", now)
        if not said or any(one.elsewhere for one in said):
            continue
        clocks = [clock for one in said for clock in one.clocks]
        openings = list(_openings_meant(hours, said, now.date()))
        is_end = is_closing is not None or _UNTIL.search(clause) is not None
        ends = {_minutes(one.closes) for each in openings for one in each}
        begins = {_minutes(one.opens) for each in openings for one in each}
        edges = ends if is_end and len(clocks) == 1 and not is_asked else begins | ends
        edges |= {edge % _MIDNIGHT for edge in edges}
        if is_open is not None and not is_end and _FROM.search(clause) is None and _IS.search(is_open[0]) is not None:
            # "We are open at two" tells no edge.
            edges = edges.union(
                *(range(_minutes(one.opens), _minutes(one.closes)) for each in openings for one in each)
            )
        wrong = [clock for clock in clocks if not clock & edges]
        if openings and edges and wrong and not all(clock & frozenset(told()) for clock in wrong):
            return openings
    return []


def _spoken_hours(text: str, now: datetime) -> list[Mentions]:
    for pattern, lead in _LEADS:
        text = pattern.sub(lead, text)
    ends = readings(text, now)
    # "9:00 to 17:00" has two ends here, too.
    return [one for one in (ends if len(ends) > 1 else (mentions(text, now),)) if one.clocks]


def _openings_meant(hours: WorkingHours, said: Sequence[Mentions], today: date) -> Iterator[tuple[Opening, ...]]:
    """Yield the openings of each day that may be meant, of a weekday also those of the next ones of its name."""
    days = {day for one in said for day in one.days}
    pairs = {pair for one in said for pair in one.month_days}
    numbers = {number for one in said for number in one.days_of_month}
    if pairs or numbers:
        ahead = (today + timedelta(days=count) for count in range(366))
        days |= {day for day in ahead if (day.month, day.day) in pairs or (not pairs and day.day in numbers)}
    if days:
        yield from (hours.on(day) for day in sorted(days) if hours.on(day))
        return
    weekdays = frozenset[int]().union(*(one.weekdays for one in said))
    meant = weekdays if len(weekdays) == 1 else frozenset(range(_DAYS_OF_WEEK))
    yield from (hours.weekly[weekday] for weekday in sorted(meant) if hours.weekly.get(weekday))
    special = {*hours.exceptions, *(today + timedelta(days=count) for count in range(_SOON.days))}
    soon = (day for day in sorted(special) if today <= day <= today + _SOON and hours.is_special(day))
    yield from (hours.on(day) for day in soon if day.weekday() in meant and hours.on(day))


def _as_told(openings: Iterable[tuple[Opening, ...]]) -> str:
    told = {", ".join(f"{one.opens:%H:%M} to {one.closes:%H:%M}" for one in each) for each in openings}
    return " or ".join(sorted(told))


def _minutes(edge: time) -> int:
    return _MIDNIGHT if edge == time.max else edge.hour * 60 + edge.minute


def _clocks_told(statement: SpokenStatement) -> frozenset[int]:
    """Return the minutes of the day that results and the business's own words tell as hours of the house."""
    about = (IS_OPEN, _CLOSES, _WHEN_OPEN)
    texts = [text for text in statement.told() if any(pattern.search(text) is not None for pattern in about)]
    context = statement.session.tool_context
    found = (text for tool in statement.sources.reads & context.keys() for text in texts_in(context[tool]))
    texts += [text for text in found if _HOUR_ALONE.fullmatch(text) is not None]
    return frozenset[int]().union(
        *(clock for text in texts for one in _spoken_hours(text, statement.now) for clock in one.clocks)
    )


class _Untrue(NamedTuple):
    """Why a sentence about a day is not so, and the weekday on which the business is never open, if it is that."""

    why: str
    weekday: int | None = None


def closed_then(business: Business, sentence: str, now: datetime) -> str:
    """Return who does not work, or that it is closed, on a day of which a sentence says otherwise; empty elsewhere."""
    untrue = _untrue_day(business, sentence, now)
    return untrue.why if untrue is not None else ""


def _untrue_day(business: Business, sentence: str, now: datetime) -> _Untrue | None:
    hours = business.working_hours
    if not hours.is_known or len(sentence) > LONGEST_STATEMENT or sentence.endswith("?"):
        return None
    if IS_OPEN.search(sentence) is None and _WORKS.search(marked(business, sentence).text) is None:
        return None
    before = ""
    for clause in clauses_of(_BESIDE_DAY.sub(" ", with_days(sentence))):
        # "Le lundi, nous ouvrons à neuf heures."
        said = mentions(clause, now)
        when = said if said.says_day or not before else mentions(f"{before}{clause}", now)
        before = ""
        plain = _UNTIL.sub(" ", clause) if _spoken_hours(clause, now) else clause
        if IN_CASE.search(plain) or DENIED.search(clause) or _EXCEPT.search(clause):
            continue
        before = clause if len(clause.split()) <= _FEW_WORDS else ""
        if IS_OPEN.search(clause) is not None:
            closed = _closed(hours, when, now.date())
            if closed is not None:
                return _Untrue(f"the business is closed on {closed.name}", closed.weekday)
            continue
        marks = marked(business, clause)
        if not marks.names or _WORKS.search(marks.text) is None:
            continue
        for person in (one for one in business.people if one.name in marks.named(marks.text)):
            closed = _closed(person.hours or hours, said, now.date())
            if closed is not None:
                return _Untrue(f"{person.name} does not work on {closed.name}")
    return None


class _ClosedDay(NamedTuple):
    name: str
    weekday: int | None


def _closed(hours: WorkingHours, said: Mentions, today: date) -> _ClosedDay | None:
    """Return the day that is said and never open, as a model is told it; None where each may be."""
    for weekday in sorted(said.weekdays):
        if not any(map(hours.on, _days_ahead(weekday, today))):
            return _ClosedDay(f"{next(_days_ahead(weekday, today)):%A}s", weekday)
    for day in sorted(said.days):
        if not hours.on(day):
            is_never = not any(map(hours.on, _days_ahead(day.weekday(), today)))
            return _ClosedDay(f"{day:%A %Y-%m-%d}", day.weekday() if is_never else None)
    return None


def _days_ahead(weekday: int, today: date) -> Iterator[date]:
    first = today + timedelta(days=(weekday - today.weekday()) % 7)
    return (first + timedelta(weeks=count) for count in range(_WEEKS_AHEAD))
