"""When a business is open, or one of its people works: on a day on which it is closed nobody is told so."""

import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta

from switchboard.contract.business.business import Business
from switchboard.contract.business.working_hours import WorkingHours
from switchboard.conversation.claims.entities import Mentions, mentions
from switchboard.conversation.claims.people_marks import MARK, marked
from switchboard.conversation.claims.sentences import DENIED, clauses_of
from switchboard.conversation.claims.statements.statement import IN_CASE, LONGEST_STATEMENT, SpokenStatement, with_days
from switchboard.conversation.claims.time_words import WEEKDAYS

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
_FEW_WORDS = 2
# So far ahead a day may be an exception.
_WEEKS_AHEAD = 53


def hold_wrong_hours(statement: SpokenStatement) -> None:
    """Hold a sentence that says that a closed day is an open one, or that somebody works then who does not.

    Raises:
        Unfounded: It must not be said.
    """
    wrong = closed_then(statement.business, statement.sentence, statement.now)
    if wrong:
        raise statement.refused(f"{wrong}.")


def closed_then(business: Business, sentence: str, now: datetime) -> str:
    """Return who does not work, or that it is closed, on a day of which a sentence says otherwise; empty elsewhere."""
    hours = business.working_hours
    if not hours.is_known or len(sentence) > LONGEST_STATEMENT or sentence.endswith("?"):
        return ""
    if IS_OPEN.search(sentence) is None and _WORKS.search(marked(business, sentence).text) is None:
        return ""
    before = ""
    for clause in clauses_of(_BESIDE_DAY.sub(" ", with_days(sentence))):
        # "Le lundi, nous ouvrons à neuf heures."
        said = mentions(clause, now)
        when = said if said.says_day or not before else mentions(f"{before}{clause}", now)
        before = ""
        if IN_CASE.search(clause) or DENIED.search(clause) or _EXCEPT.search(clause):
            continue
        before = clause if len(clause.split()) <= _FEW_WORDS else ""
        if IS_OPEN.search(clause) is not None:
            closed = _closed(hours, when, now.date())
            if closed:
                return f"the business is closed on {closed}"
            continue
        marks = marked(business, clause)
        if not marks.names or _WORKS.search(marks.text) is None:
            continue
        for person in (one for one in business.people if one.name in marks.named(marks.text)):
            closed = _closed(person.hours or hours, said, now.date())
            if closed:
                return f"{person.name} does not work on {closed}"
    return ""


def _closed(hours: WorkingHours, said: Mentions, today: date) -> str:
    """Return the day that is said and never open, for the model; empty where each may be."""
    for weekday in sorted(said.weekdays):
        if not any(map(hours.on, _days_ahead(weekday, today))):
            return f"{next(_days_ahead(weekday, today)):%A}s"
    return next((f"{day:%A %Y-%m-%d}" for day in sorted(said.days) if not hours.on(day)), "")


def _days_ahead(weekday: int, today: date) -> Iterator[date]:
    first = today + timedelta(days=(weekday - today.weekday()) % 7)
    return (first + timedelta(weeks=count) for count in range(_WEEKS_AHEAD))
