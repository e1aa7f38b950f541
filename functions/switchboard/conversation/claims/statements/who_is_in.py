"""Who is in on a day, away, or has time then: told as a look-up has found it, and of nobody that was not looked up."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from switchboard.contract.document import items
from switchboard.contract.model import ToolMessage
from switchboard.contract.python.dataclass import dataclass
from switchboard.conversation.claims.company_check import people_free, unknown_people
from switchboard.conversation.claims.company_claims import CompanyClaim
from switchboard.conversation.claims.entities import Mentions, readings
from switchboard.conversation.claims.facts import moment_in, words_of
from switchboard.conversation.claims.party_words import only_tell_hours
from switchboard.conversation.claims.people_marks import MARK, MARKS, marked
from switchboard.conversation.claims.statements.statement import LONGEST_STATEMENT, SpokenStatement, with_days
from switchboard.conversation.claims.time_words import WEEKDAYS
from switchboard.conversation.claims.until_then import whole_clauses
from switchboard.conversation.guard import HeldFact, HeldSubject

_WHO = rf"(?:{MARK}|\b(?:she|he|sie|er|ella|él|elle|il)\b)"
_LIST = rf"{MARK}(?:(?:\s*,\s*|\s+(?:and|und|y|e|et)\s+){MARK})*"
_BE = r"(?:'s|'ll be|\s+(?:is|are|will be|should be))"
_STILL = r"(?:also|still|only|there|definitely|auch|noch|wieder|también|sí|aussi|bien)"
# Behind "in" comes when, or nothing: "Rosa is in a meeting" tells of now.
_WHEN_NEXT = (
    r"(?=\s*(?:[.,;!)]|$)|\s+(?:on|this|next|today|tomorrow|all|from|at|every|too|again|until|till|then|and|but|though"
    r"|all day|mon|tues?|wednes|thurs?|fri|satur|sun)(?:day)?s?\b)"
)
_ES_NEXT = (
    r"(?=\s*(?:[.,;!)]|$)|\s+(?:el|los|este|esta|hoy|mañana|aquí|todo|toda|también|de nuevo|otra vez|sólo|solo|de"
    rf"|{MARK}|y {MARK}))"
)
_NOT = r"(?:not|never|isn't|won't|doesn't|nicht|no|pas|n't)"
_IS_IN = re.compile(
    rf"{_WHO}{_BE}\s+(?:{_NOT}\s+)?(?:{_STILL}\s+)?(?:in|here|at work|working|around){_WHEN_NEXT}"
    rf"|{_WHO}\s+(?:isn't|aren't|won't be|wasn't)\s+(?:in|here|at work|working|around){_WHEN_NEXT}"
    rf"|{_WHO}\s+(?:(?:does|doesn't|does not)\s+)?works?\b(?!\s+(?:with|for|as|out)\b)"
    rf"|^\W*(?:but|and)\s+(?:{_WHO}\s+)?(?:will be|is)(?:\s+in)?{_WHEN_NEXT}"
    rf"|{_WHO}\s+(?:ist|sind|wird|arbeitet|kommt)\b[^.;?!]{{0,50}}\b(?:da|hier|im haus|im salon)(?!\w)"
    rf"|\b(?:ist|sind|arbeitet|arbeiten)\s+{_LIST}\s[^.;?!]{{0,40}}\b(?:da|hier|im haus)(?!\w)"
    rf"|{_WHO}\s+arbeitet\b|\b(?:ist|sind)\s+{_LIST}\s+(?:nicht\s+)?da\b"
    rf"|(?:{_WHO}\s+)(?:{_NOT}\s+)?(?:{_STILL}\s+)?(?:están?|estará|trabajan?|viene){_ES_NEXT}"
    rf"|\b(?:no\s+)?(?:{_STILL}\s+)?(?:están?|estarán?|trabajan?)\s+(?:solo\s+|sólo\s+|también\s+)?{_LIST}{_ES_NEXT}"
    rf"|{_WHO}\s+(?:n'est pas|ne sera pas|est|sera|sont)\s+(?:{_STILL}\s+)?là\b|{_WHO}\s+(?:ne\s+)?travaille\b",
    re.I,
)
_IS_OFF = re.compile(
    rf"{_WHO}{_BE}\s+(?:off|out|away|absent){_WHEN_NEXT}|{_WHO}{_BE}\s+(?:sick|ill|on (?:vacation|holidays?|leave))\b"
    # "Maja hat frei" is off; "ist frei" is to be had.
    rf"|{_WHO}\s+(?:ist|sind)\b[^.;?!]{{0,50}}\b(?:im urlaub|krank|abwesend|weg)(?!\w)"
    rf"|{_WHO}\s+hat\b[^.;?!]{{0,50}}\bfrei(?=\W*$)|\bhat\s+{MARK}\s[^.;?!]{{0,40}}\b(?:urlaub|frei)(?=\W*$)"
    rf"|\bist\s+{MARK}\s[^.;?!]{{0,40}}(?:im urlaub|krank|abwesend)"
    rf"|{_WHO}\s+(?:está|estará|libra)\b[^.;?!]{{0,40}}(?:de vacaciones|enferm[oa]|fuera|de baja|ausente)"
    rf"|{_WHO}\s+libra\b"
    rf"|{_WHO}\s+(?:est|sera)\b[^.;?!]{{0,40}}(?:en congés?|en vacances|malade|absente?)",
    re.I,
)
_WHY = tuple(
    re.compile(rf"\b(?:{words})(?!\w)", re.I)
    for words in (
        "sick|ill|krank|enferm[oa]|de baja|malade",
        "vacation|holidays?|leave|urlaub|vacaciones|congés?|vacances",
    )
)
_IS_BACK = re.compile(
    rf"{_WHO}{_BE}\s+(?:only\s+)?(?:back|in again|returning)\b|{_WHO}\s+(?:comes?|returns?|gets?) back\b"
    rf"|{_WHO}\s+(?:isn't|won't be|'s not|is not)\s+(?:in|back|here)\s+(?:again\s+)?(?:until|before)\b"
    rf"|{_WHO}\s+(?:ist|kommt)\b[^.;?!]{{0,30}}\b(?:erst|ab)\b[^.;?!]{{0,30}}\bwieder\b"
    rf"|{_WHO}\s+(?:(?:no está|no vuelve) hasta|vuelve)\s+(?:el|mañana)\b"
    rf"|{_WHO}\s+(?:revient|n'est pas là avant|sera de retour)\b",
    re.I,
)
_TIME = r"(?:time|openings?|slots?|zeit|termine?|luft|tiempo|huecos?|du temps|de la place|créneaux?)"
_HAS_TIME = re.compile(
    rf"{_WHO}\s+(?:has|hat|hätte|tiene|a)\s+[^.;?!]{{0,40}}\b{_TIME}(?!\w)|\bhat\s+{MARK}\s[^.;?!]{{0,30}}\b{_TIME}(?!\w)"
    rf"|{_WHO}(?:'s|\s+is)\s+(?:all\s+)?free\b|{_WHO}\s+(?:ist|está|est)\s[^.;?!]{{0,40}}\b(?:frei|libre)(?!\w)",
    re.I,
)
_HAS_NONE = re.compile(
    rf"{_WHO}\s+(?:has|hat|hätte|a)\s+[^.;?!]{{0,30}}\b(?:no|nothing|keinen?|nichts|pas|plus)\b"
    rf"|{_WHO}\s+(?:no tiene|n'a (?:pas|plus|rien))\b|{_WHO}{_BE}\s+(?:fully booked|booked (?:up|out|solid)|full)\b"
    rf"|{_WHO}\s+(?:isn't|'s not|is not)\s+free\b|{_WHO}\s+ist\b[^.;?!]{{0,40}}\b(?:ausgebucht|nicht frei)\b",
    re.I,
)
_ALL = re.compile(
    r"\b(?:all (?:day|morning|afternoon|evening)|the (?:whole|entire) (?:day|morning|afternoon)"
    r"|den ganzen (?:tag|vormittag|nachmittag)|toda la (?:mañana|tarde)|todo el día|toute la (?:journée|matinée)"
    r"|tout l'après-midi)(?!\w)",
    re.I,
)
_ONLY = re.compile(r"\b(?:only|nur|solo|sólo|solamente|seule?|seulement)\s+(?:está\s+|están\s+)?" + MARK, re.I)
_DENIED = re.compile(r"\b(?:not|never|nicht|no(?!ch)|pas|ne)\b|n't\b|\bn'", re.I)
_MAY_BE = re.compile(
    r"\b(?:if|unless|whether|can(?!'t)|could|might|may|usually|wenn|falls|ob|kann|könnte|meistens|normalerweise|si"
    r"|cuando|puede|podría|suele|quand|peut|pourrait|message|nachricht|mensaje)\b",
    re.I,
)
_PARTS = (
    (re.compile(r"\b(?:mornings?|vormittags?|por la mañana|(?:la|toda la) mañana|matin|matinée)\b", re.I), 0, 12),
    (re.compile(r"\b(?:afternoons?|nachmittags?|tarde|après-midi)\b", re.I), 12, 18),
    (re.compile(r"\b(?:evenings?|abends?|noche|soir|soirée)\b", re.I), 17, 24),
)
_NOT_LOOKED_UP = (
    "whether {} is in then was not looked up. Look it up with with_person, or say what the results above say."
)
_UNTIL = re.compile(r"\b(?:until|till|bis|hasta|jusqu'à|after|nach|desde|ab)\b", re.I)
_FILLS_SAID = """
yes yeah yep no sure sorry unfortunately actually but and so then though too also again still just well okay this of in
afraid i'm right now week ja nein klar leider aber auch wieder noch also gut nur tut mir leid diese woche sí si claro
pero también otra vez de nuevo lo siento esta este semana oui non mais aussi encore désolée désolé bien all day whole
morning afternoon from von desde vormittag tag ganzen por para toda todo día journée cette semaine off though
"""
_FILLS = frozenset(_FILLS_SAID.split())
_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")


@dataclass(frozen=True, slots=True)
class _ToldPresence:
    """What a clause tells of somebody: who, on which days, whether they are there, and in which words."""

    names: tuple[str, ...]
    says: str
    days: tuple[Mentions, ...]
    text: str
    is_only: bool


@dataclass(frozen=True, slots=True)
class _Found:
    """What look-ups have found of people: when they are there, on which days they are away, work, and have others."""

    there: tuple[tuple[str, datetime, datetime], ...]
    away: tuple[tuple[str, datetime], ...]
    works: tuple[tuple[str, frozenset[int]], ...]
    busy: tuple[tuple[str, datetime], ...]

    def is_busy(self, name: str, day: Mentions) -> bool:
        return any(_is_one(name, who) and _is_on(day, at) for who, at in self.busy)

    def is_known(self, name: str) -> bool:
        return any(_is_one(name, who) for who in self.people())

    def people(self) -> list[str]:
        there = {who for who, _, _ in self.there} | {who for who, _ in self.away}
        return sorted(there | {who for who, _ in self.works})

    def hours(self, name: str, day: Mentions) -> list[tuple[datetime, datetime]]:
        return [(a, b) for who, a, b in self.there if _is_one(name, who) and _is_on(day, a)]

    def is_away(self, name: str, day: Mentions) -> bool:
        return any(_is_one(name, who) and _is_on(day, at) for who, at in self.away) and not self.hours(name, day)


def hold_wrong_presence(statement: SpokenStatement) -> None:
    """Hold a sentence that tells that one of the people is in, away or has time, as no look-up has found it.

    Raises:
        Unfounded: It must not be said.
    """
    told = list(_told_of(statement)) if len(statement.sentence) <= LONGEST_STATEMENT else []
    found = _found(statement) if told else None
    for one in told if found is not None and (found.there or found.away) else ():
        assert found is not None
        why = next((why for name in one.names if (why := _untrue(statement, found, one, name))), "")
        if why:
            raise statement.refused(why, HeldFact(HeldSubject.FREE))


def without_presence(statement: SpokenStatement) -> str | None:
    """Return a sentence without the clauses that say only who is in, away or has time then; None where none does."""
    sentence = statement.sentence
    if len(sentence) > LONGEST_STATEMENT or sentence.endswith("?") or statement.was_done_now():
        return None
    told = {one.text for one in _told_of(statement) if _says_only_that(statement, one)}
    clauses = whole_clauses(sentence)
    left = [clause for clause in clauses if clause not in told]
    if len(left) == len(clauses):
        return None
    return "".join(clause for clause in left if not _only_fills(clause)).strip(" ,;") or "."


def _told_of(statement: SpokenStatement) -> Iterator[_ToldPresence]:
    names, days = tuple[str, ...](), tuple[Mentions, ...]()
    sentence = statement.sentence
    clauses = whole_clauses(sentence)
    for number, clause in enumerate(clauses):
        is_asked = "¿" in clause or (sentence.endswith("?") and number == len(clauses) - 1)
        marks = marked(statement.business, clause)
        text = marks.text
        named = marks.named(text)
        names = named or names
        said = tuple(_day(one) for one in readings(with_days(clause), statement.now) if one.says_day)
        days = said or days
        says = "" if is_asked or _MAY_BE.search(clause) is not None else _says(text)
        if says:
            yield _ToldPresence(names, says, days, clause, _ONLY.search(text) is not None)


def _says(text: str) -> str:
    if _IS_BACK.search(text) is not None:
        return "back"
    if _HAS_NONE.search(text) is not None:
        return "none"
    is_denied = _DENIED.search(re.sub(r"^\W*no\b,", "", text, flags=re.I)) is not None
    if _HAS_TIME.search(text) is not None and not is_denied:
        return "time"
    if _IS_OFF.search(text) is not None:
        return "" if is_denied else "off"
    if _IS_IN.search(text) is not None:
        return "off" if is_denied else "in"
    return ""


def _untrue(statement: SpokenStatement, found: _Found, one: _ToldPresence, name: str) -> str:
    """Return why what is told of somebody must not be said, for the model; empty where it may be."""
    if one.says == "off" and (unknown := _untold_reason(statement, one.text)):
        return unknown
    if not one.days or not found.is_known(name):
        is_told = not one.days or _is_told_by_house(statement, name)
        if is_told or one.says not in ("in", "back") or _is_booked(statement, name, one.days):
            return ""
        return _NOT_LOOKED_UP.format(name)
    hours = [run for day in one.days for run in found.hours(name, day)]
    if one.says == "in" and not hours and not _is_booked(statement, name, one.days):
        is_off = any(found.is_away(name, day) or _works(found, name, day) is False for day in one.days)
        is_known = all(_works(found, name, day) or found.is_busy(name, day) for day in one.days)
        if is_off or is_known or _is_told_by_house(statement, name):
            return f"{name} is not in then, as the results above say." if is_off else ""
        return _NOT_LOOKED_UP.format(name)
    if one.says == "in" and one.is_only:
        others = {who for who, at, _ in found.there if any(_is_on(day, at) for day in one.days)}
        more = sorted(who for who in others if not any(_is_one(who, known) for known in one.names))
        return f"{' and '.join(more)} can be had then, too." if more else ""
    if one.says == "off" and hours:
        return f"{name} is in then, as the results above say."
    if one.says == "back":
        sooner = [at for who, at, _ in found.there if _is_one(name, who) and not any(_is_on(d, at) for d in one.days)]
        first = min((run[0] for run in hours), default=None)
        is_sooner = any(at.date() > statement.now.date() and (first is None or at < first) for at in sooner)
        return f"{name} is in sooner, as the results above say." if is_sooner else ""
    return _untrue_of_time(one, name, _in_part(one.text, hours))


def _untrue_of_time(one: _ToldPresence, name: str, hours: Sequence[tuple[datetime, datetime]]) -> str:
    if one.says == "none" and hours and not re.search(r"\d", one.text):
        return f"{name} has time then, as the results above say."
    is_all = one.says in ("time", "in") and _ALL.search(one.text) is not None
    if is_all and len(hours) > 1 and one.says == "time":
        return f"{name} is not free all of that time: say the hours that the results above say."
    return ""


def _untold_reason(statement: SpokenStatement, text: str) -> str:
    for pattern in _WHY:
        if pattern.search(text) is not None and not any(pattern.search(one) for one in statement.told()):
            return "why somebody is away is told nowhere. Say only that they are not in then."
    return ""


def _says_only_that(statement: SpokenStatement, one: _ToldPresence) -> bool:
    """Tell whether a clause says no more than who is in or has time, and a look-up has found that."""
    found = _found(statement)
    marks = marked(statement.business, one.text)
    if not one.names:
        # "He is in on Saturday": whoever was looked up.
        return any(_says_only_that(statement, replace(one, names=(name,))) for name in found.people())
    rest = MARKS.sub(" ", marks.text)
    for pattern in (_IS_IN, _IS_OFF, _IS_BACK, _HAS_TIME, _HAS_NONE):
        for match in list(pattern.finditer(marks.text)):
            rest = rest if match is None else rest.replace(MARKS.sub(" ", match[0]), " ", 1)
    if not _only_fills(_KNOWN_WORDS.sub(" ", rest)):
        return False
    if any(_untrue(statement, found, one, name) or not found.is_known(name) for name in one.names):
        return False
    said = [mentioned for mentioned in readings(one.text, statement.now) if mentioned.clocks]
    if one.says in ("in", "time") and said:
        if len(said) == 1 and _UNTIL.search(one.text) is not None:
            return False
        claim = CompanyClaim(free=one.names, text=MARKS.sub("", one.text), is_opening=True)
        return not unknown_people([claim], statement.session.history.messages, statement.standing(), statement.now)
    if one.says == "time":
        return all(_in_part(one.text, [r for d in one.days for r in found.hours(name, d)]) for name in one.names)
    return True


_KNOWN_WORDS = re.compile(
    r"(?<!\w)(?:'ll be|is|are|will be|be|in|da|ist|sind|hat|está|están|est|là|works?|arbeitet|trabaja|the|he|she|er|sie"
    r"|él|ella|il|elle|has|'s)(?!\w)",
    re.I,
)


def _only_fills(text: str) -> bool:
    return all(word.casefold() in _FILLS or only_tell_hours(word) for word in _WORD.findall(with_days(text)))


def _in_part(text: str, hours: Sequence[tuple[datetime, datetime]]) -> list[tuple[datetime, datetime]]:
    """Return those stretches that begin in the part of a day which a text names, if it names one."""
    part = next(((begin, end) for pattern, begin, end in _PARTS if pattern.search(text) is not None), None)
    if part is None:
        return list(hours)
    return [(a, b) for a, b in hours if b.hour >= part[0] and a.hour < part[1]]


def _found(statement: SpokenStatement) -> _Found:
    assert statement.now.tzinfo is not None
    zone, messages = statement.now.tzinfo, statement.session.history.messages
    there = [(one.person, one.first, one.last) for one in people_free(messages, zone)]
    away, busy = list[tuple[str, datetime]](), list[tuple[str, datetime]]()
    works = list(_own_days(statement))
    for message in messages:
        data = (message.response.data or {}) if isinstance(message, ToolMessage) else {}
        who = data.get("with")
        if not isinstance(who, str):
            continue
        only_on = readings(str(data.get("onlyOn") or ""), statement.now)
        works += [(who, one.weekdays) for one in only_on if one.weekdays]
        for row in items(data.get("conflicts")):
            at = moment_in(str(row.get("start")), zone)
            if at is not None:
                (away if row.get("reason") == "away" else busy).append((who, at))
    return _Found(tuple(there), tuple(away), tuple(works), tuple(busy))


def _own_days(statement: SpokenStatement) -> Iterator[tuple[str, frozenset[int]]]:
    """Yield on which days of the week somebody works who has hours of their own."""
    for resource in statement.business.resources:
        if resource.hours is not None and resource.hours.is_known:
            yield resource.name, frozenset(day for day, openings in resource.hours.weekly.items() if openings)


def _is_told_by_house(statement: SpokenStatement, name: str) -> bool:
    """Tell whether the business's own words speak of somebody's days."""
    texts = (words_of(text) for text in statement.own_words() if text)
    return any(words_of(name) <= words and not words.isdisjoint(WEEKDAYS) for words in texts)


def _works(found: _Found, name: str, day: Mentions) -> bool | None:
    """Tell whether somebody works on a day of the week; None where it was not told on which they do."""
    told = [weekdays for who, weekdays in found.works if _is_one(name, who)]
    days = day.weekdays | {one.weekday() for one in day.days}
    return any(days & weekdays for weekdays in told) if told and days else None


def _is_booked(statement: SpokenStatement, name: str, days: Sequence[Mentions]) -> bool:
    """Tell whether something of the caller's is with somebody on one of these days."""
    there = [item for item in statement.standing() if words_of(name) <= item.people]
    return any(_is_on(day, moment) for item in there for moment in item.moments for day in days)


def _day(said: Mentions) -> Mentions:
    return replace(said, clocks=(), elsewhere=())


def _is_on(day: Mentions, moment: datetime) -> bool:
    return _day(day).agree_with(moment)


def _is_one(name: str, other: str) -> bool:
    return words_of(name) <= words_of(other)
