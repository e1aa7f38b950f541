"""With whom, for how many, and who is free: what a sentence says of it is held against what is known here."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, time, tzinfo
from functools import partial
from typing import Any

from switchboard.contract.business.business import Business
from switchboard.contract.definitions.definition import Deed
from switchboard.contract.document import items
from switchboard.contract.model import Message, ToolMessage
from switchboard.contract.python.dataclass import dataclass
from switchboard.conversation.claims.company_claims import CompanyClaim, told_of_people
from switchboard.conversation.claims.entities import Mentions, days_named, mentions, readings
from switchboard.conversation.claims.facts import STANDING, WITH_SOMEBODY, Evidence, words_of
from switchboard.conversation.claims.party_words import only_tell_when, parties_said
from switchboard.conversation.claims.people_marks import MARK, MARKS, marked, parts_of
from switchboard.conversation.claims.people_words import EXPECTS, LONGEST_READ, only_greets, sure_parts
from switchboard.conversation.claims.statements.statement import SpokenStatement
from switchboard.conversation.claims.time_words import HOUR_WORDS, WEEKDAYS
from switchboard.conversation.guard import HeldFact, HeldSubject

# That it is booked, or that the caller and whoever comes along are expected: a classifier does not find each deed.
_BOOKED = (
    r"booked|reserved|confirmed|gebucht|reserviert|bestätigt|reservad\w+|confirmad\w+|réservée?s?|prenotat\w+"
    r"|geboekt|gereserveerd"
)
_EXPECTED = re.compile(rf"\b(?:{_BOOKED})\b|{EXPECTS.pattern}", re.I)
# What is done, or a second clause in which it may be.
_MORE = re.compile(
    r"[;]|:(?!\d)|\bit is\b\W*$|\b(?:so|all set|done|moved|cancelled)\b|(?:book|reserv|réserv|confirm|schedul|gebucht"
    r"|eingetragen|notier|bestätigt|verschoben|verlegt|agendad|apuntad|anotad|cambiad|noté|déplacé|prenotat|geboekt"
    r"|pencil|slotted|vorgemerkt|eingeplant|eingeschrieben|festgehalten|programad|guardad|inscrit|enregistré|programmé"
    r"|segnat|fissat|marcad|ingepland|genoteerd)",
    re.I,
)
# Whom somebody has, or has put, somewhere is the caller: "I've got you down with Marcus", and not "ten for you".
_FOR_THEM = re.compile(
    r"\b(?:for|für|para|pour|per|voor) (?:you|sie|dich|euch|ihnen|usted(?:es)?|ti|vosotros|vous|toi|lei|voi|você|vocês"
    r"|u|jullie)\b",
    re.I,
)
_HAS_THEM = re.compile(
    r"\b(?:got|have|had|put|ha(?:s|d)|fit|set|placed|popped|squeezed|signed|marked|wrote|written|added|sorted) you\b"
    r"|\byou(?:'ve| have)(?: \w+)? (?:got )?(?!time|room|a choice)|\byou(?:'re| are)(?: \w+)? (?:good|in|on|down"
    r"|set|there|sorted|all)\b"
    r"|\b(?:habe?n?|hab) (?:ich |wir )?(?:sie|dich|euch|ihnen)\b|\b(?:sie|du|ihr) (?:haben|hast|habt|sind|bist|seid)\b"
    r"|\b(?:l[aoe]s?|te|os) (?:tengo|tenemos|he|hemos|puse|pusimos|dejo|dejé|dejamos)(?!\w)"
    r"|\b(?:usted |ya )?(?:tiene|tienes|tenéis)\b"
    r"|\b(?:je|nous) (?:vous|t')\s?(?:ai|avons)\b|\b(?:vous avez|vous êtes|tu as|tu es)(?!\w)"
    r"|\b(?:l'ho|la ho|l'abbiamo)\b|\b(?:ik|wij|we) (?:heb|hebben) u\b|\bu (?:hebt|heeft|staat)\b",
    re.I,
)
# What may be, or is to be had, was given to nobody.
_TO_BE_HAD = re.compile(
    r"\b(?:can|could|would|may|might|if|free|available|openings?|open|choice|kann|kannst|können|könnten|könnte|würde\w*"
    r"|hätte\w*|wäre\w*|frei(?:e[nrs]?)?|wenn|falls|auswahl|puede\w*|podría\w*|podemos|libres?|disponibles?|huecos?|sitio"
    r"|si|peut|pouvez|pouvons|pourr\w+|créneaux?|puedo|può|posso|possiamo|liber[oi]|pode\w*|posso|livres?|kan|kunt|zou|vrij)\b"
    r"|'d\b",
    re.I,
)
# Said of one of the people it tells that they do not work then; said of an appointment, that it is cancelled.
_OFF = re.compile(
    r"^\W*(?:(?:sorry|i'm afraid|unfortunately|actually|but|and|oh|no|well),?\s+){0,2}"
    rf"{MARK}(?:'s|\s+is)\s+(?:off|out|away)\b"
    r"(?P<when>[^;:?]*?)(?:,?\s+(?:i'm afraid|unfortunately|sorry|though))?\W*$",
    re.I,
)
_JOINED = re.compile(r",?\s(?:and|und|y|et|also|or|oder|o(?= a las? )|ou)\s", re.I)

# As `desk/bookings/date_text.py` writes the times of a day: "Friday 9:00 to 14:30, 16:30".
_RUN = re.compile(r"(\d{1,2}):(\d\d)(?:\s\([^)]*\))?(?:\s+\D{1,6}\s+(\d{1,2}):(\d\d))?")
_HOUR = "|".join(sorted((word for word in HOUR_WORDS if word not in ("one", "ein")), key=len, reverse=True))
# "I can offer you ten": of somebody's free times an hour needs no word before it.
_BARE_HOUR = re.compile(
    rf"(?<![\w:.,'/-])(?<!\bat )(?<!\bum )(?<!past )(?<!nach )(?<!vor )(?<!to )(?<!halb )({_HOUR}|1[0-2]|[1-9])"
    r"(?='s\b|\s*(?:[,;!?]|\.(?!\d)|$)|\s+(?:or|and|oder|und|on|in|with|works?|is|would|fine|bei|mit|am|an|frei"
    r"|free|open|anbieten|tomorrow|today|morgen"
    rf"|heute|{'|'.join(sorted(WEEKDAYS, key=len, reverse=True))})\b)",
    re.I,
)
_HOURS_ALONE = (
    (_BARE_HOUR, r"at \1"),
    (
        re.compile(
            rf"\b(?:for|für)\s+({_HOUR}|1[0-2]|[1-9])(?=\s+(?:i|i've|i'd|we|there|ich|habe|hätte|wäre)\b"
            rf"|'s\b)",
            re.I,
        ),
        r"at \1",
    ),
    (re.compile(r"(?<!\ba )(?<!\bpara )(?<!\bde )(?<!\bhasta )\blas (\w+)", re.I), r"a las \1"),
    (re.compile(r"(?<!\bà )(?<!\bde )(?<!\bjusqu'à )\b(\w+ heures?)\b", re.I), r"à \1"),
    (re.compile(r"\b(?:ho|abbiamo|ha|offrire|proporre|libere) le (\w+)", re.I), r"alle \1"),
    (re.compile(r"\b(?:tenho|tem|temos|há) as (\w+)", re.I), r"às \1"),
)
_AND = re.compile(r"\s(?:or|and|oder|und|o|y|ou|et|e|of|en)\s|,\s", re.I)
_LONGEST = 400
_ENDS = 2
# Who is free until noon may have a last beginning so many minutes before.
_LONGEST_VISIT, _DAY_MINUTES = 90, 1440

Agrees = Callable[[Mentions], bool]


def hold_untrue_company(statement: SpokenStatement) -> None:
    """Hold a sentence that says of people and parties what is not known.

    Raises:
        Unfounded: It must not be said.
    """
    why = _untrue(statement)
    if why:
        is_of_time = why.startswith("that ") and statement.deeds.isdisjoint(WITH_SOMEBODY)
        raise statement.refused(why, HeldFact(HeldSubject.FREE) if is_of_time else None)


def says_only_who_is_off(business: Business | None, sentence: str) -> bool:
    """Tell whether a sentence says no more than that one of the people does not work then."""
    match = _OFF.search(marked(business, sentence[:LONGEST_READ]).text)
    return match is not None and only_tell_when(match["when"])


def says_only_who(business: Business | None, sentence: str, *, is_coming: bool) -> bool:
    """Tell whether a sentence says no more than that somebody is free, or, of what `is_coming`, who sees the caller."""
    if len(sentence) > LONGEST_READ or _MORE.search(sentence) is not None:
        return False
    says = False
    for part in parts_of(_JOINED.sub(", ", sentence)):
        if any(one.free or (is_coming and one.seeing) for one in told_of_people(business, part)):
            if not is_coming and _has_the_caller(part):
                return False
            says = True
        elif not only_tell_when(part):
            return False
    return says


def _has_the_caller(part: str) -> bool:
    """Tell whether a part of a sentence says of the caller that they have a time, or were put somewhere, by now."""
    return _HAS_THEM.search(_FOR_THEM.sub(" ", part)) is not None and _TO_BE_HAD.search(part) is None


def _untrue(statement: SpokenStatement) -> str:
    """Return why a sentence must not be said, for the model; empty where it may be."""
    business, messages, known = statement.business, statement.session.history.messages, statement.known
    sentence = statement.sentence[:LONGEST_READ]
    claims = told_of_people(business, sentence)
    # Who was to see the caller does so no more, unless it is told that this was cancelled.
    is_gone = Deed.CANCELLED in statement.deeds
    there = [item for item in (known() if claims else ()) if is_gone or not item.deeds.isdisjoint(STANDING)]
    names = unknown_people(claims, messages, there, statement.now) if claims else ()
    people = {person.name for person in business.people}
    # A first name that several have is theirs.
    strangers = [name for name in names if not any(words_of(name) <= words_of(one) for one in people)]
    if strangers:
        return f"nobody called {' or '.join(strangers)} is known here. Those who are: {', '.join(sorted(people))}."
    if names:
        who = " and ".join(names)
        if any({*one.seeing, *one.perhaps} & set(names) for one in claims):
            return f"that the caller is with {who} then is not what was done or looked up here.{_done(known())}"
        return (
            f"that {who} is free then has not been looked up. Look it up with with_person, or say what the results "
            "above say."
        )
    is_claim = not statement.deeds.isdisjoint(WITH_SOMEBODY)
    is_told = (is_claim or _EXPECTED.search(sentence) is not None) and not only_greets(business, sentence, messages)
    parties = parties_said("".join(sure_parts(sentence))) if is_told else frozenset()
    booked = [item for item in (known() if parties else ()) if item.moments and item.deeds & WITH_SOMEBODY]
    if any(item.is_receipt for item in booked) and not any(item.is_for(parties, booked) for item in booked):
        return f"it is not for {' or '.join(map(str, sorted(parties)))}.{_done(booked)}"
    return ""


def _done(known: Sequence[Evidence]) -> str:
    done = [item.summary for item in known if item.is_receipt and item.summary]
    return f" What was done is: {'; '.join(done)}." if done else ""


@dataclass(frozen=True, slots=True)
class _Free:
    """Somebody's free starts of one local day, from the first to the last of a run."""

    person: str
    first: datetime
    last: datetime

    def agrees_with(self, mentioned: Mentions) -> bool:
        if mentioned.agree_with(self.first) or mentioned.agree_with(self.last):
            return True
        if not replace(mentioned, clocks=(), elsewhere=()).agree_with(self.first) or mentioned.elsewhere:
            return False
        span = range(_minutes(self.first), _minutes(self.last) + 1)
        return all(any(minute in span for minute in clock) for clock in mentioned.clocks)


def unknown_people(
    claims: Sequence[CompanyClaim], messages: Sequence[Message], known: Iterable[Evidence], now: datetime
) -> tuple[str, ...]:
    """Return of whom a sentence says what nothing here bears out: that they are free then, or see the caller.

    Args:
        claims: What it says of people.
        messages: The conversation, with what its calls came to.
        known: What was done, and which appointments there are.
        now: Local.
    """
    assert now.tzinfo is not None
    free = list(people_free(messages, now.tzinfo))
    booked_at = [item for item in known if item.deeds & WITH_SOMEBODY and item.moments]
    booked = [item for item in booked_at if item.people]
    unknown, day = list[str](), None
    for one in claims:
        text = _spelt_out(one.text[:_LONGEST]) if one.free else one.text[:_LONGEST]
        when = _When(text, now, day)
        day = when.day
        for name in dict.fromkeys((*one.seeing, *one.free)):
            there = [item for item in booked if words_of(name) <= item.people]
            is_with = bool(there) and when.agree([_moments(item) for item in there])
            is_with = is_with or (name in one.seeing and _is_listed(one.marked[:_LONGEST], there, booked_at, now))
            times = [stretch.agrees_with for stretch in free if words_of(name) <= words_of(stretch.person)]
            is_free = bool(times) and when.agree(times, is_free=True)
            if is_with or (is_free and (when.is_said or not _is_decided(one, name, booked))):
                continue
            if (
                name in one.seeing
                or (when.is_said and name in one.free)
                or (one.is_opening and not times and not there)
            ):
                unknown.append(name)
        if any(item.is_receipt for item in booked):
            unknown += [name for name in one.perhaps if not any(words_of(name) <= item.people for item in booked)]
    return tuple(dict.fromkeys(unknown))


def _is_listed(text: str, there: Sequence[Evidence], booked: Sequence[Evidence], now: datetime) -> bool:
    """Tell whether a marked text lists appointments: each with its day and hour, and with whom where it is so."""
    parts = [(part, mentions(MARKS.sub("", part), now)) for part in _AND.split(text)]
    timed = [(MARKS.search(part) is not None, said) for part, said in parts if said.say_when]
    if len(timed) < _ENDS or not any(is_with for is_with, _ in timed):
        return False
    elsewhere = [item for item in booked if item not in there]
    return all(
        bool(said.clocks) and _day(said) and any(_moments(item)(said) for item in (there if is_with else elsewhere))
        for is_with, said in timed
    )


def _spelt_out(text: str) -> str:
    """Return what is said of somebody's free times with the words in it that lead to a time elsewhere."""
    for pattern, spelt in _HOURS_ALONE:
        if pattern.search(text) is not None:
            text = pattern.sub(partial(_unless_a_day, spelt=spelt, days=days_named(text)), text)
    return text


def _unless_a_day(hour: re.Match[str], *, spelt: str, days: Sequence[tuple[int, int]]) -> str:
    is_day = any(begin <= hour.start(1) < end for begin, end in days)
    return hour[0] if is_day else hour.expand(spelt)


def _is_decided(claim: CompanyClaim, name: str, booked: Iterable[Evidence]) -> bool:
    """Tell whether the caller is said to be with somebody by what was booked here, and not by what could be."""
    return name in claim.seeing and any(item.is_receipt for item in booked)


class _When:
    """What is said of when: all of it at once, or one time beside another; the day may have been said before."""

    def __init__(self, text: str, now: datetime, day: Mentions | None) -> None:
        whole = [mentioned for mentioned in readings(text, now) if mentioned.say_when]
        self.is_said = bool(whole)
        self._whole = [mentioned if _day(mentioned) or day is None else _on(mentioned, day) for mentioned in whole]
        pieces = [mentions(piece, now) for piece in _AND.split(text)]
        days = [piece for piece in pieces if _day(piece)]
        self.day = days[-1] if days else day
        self._each, last = list[Mentions](), days[0] if len(days) == 1 else None if days else day
        for piece in pieces:
            last = piece if _day(piece) else last
            each = [replace(piece, clocks=(clock,)) for clock in piece.clocks]
            if not each and _day(piece) and len(days) == len(pieces):
                each = [piece]
            self._each += [_on(one, last or piece) for one in each]

    def agree(self, times: Sequence[Agrees], *, is_free: bool = False) -> bool:
        """Tell whether each time that is said is one of these, where any is said.

        Of two ends of a range one may be where something was moved from; `is_free` where somebody is free in between.
        """
        if is_free and len(self._whole) == _ENDS:
            begin, end = self._whole
            # Behind the range there may be single times: "from nine to twelve, and half past four".
            ends = [replace(end, clocks=(clock,)) for clock in end.clocks]
            return any(agrees(begin) for agrees in times) and all(_ends_in(one, times) for one in ends)
        if not self.is_said or any(agrees(mentioned) for agrees in times for mentioned in self._whole):
            return True
        return len(self._each) > 1 and all(any(agrees(mentioned) for agrees in times) for mentioned in self._each)


def _day(mentioned: Mentions) -> bool:
    return bool(mentioned.weekdays or mentioned.days or mentioned.month_days or mentioned.days_of_month)


def _on(mentioned: Mentions, day: Mentions) -> Mentions:
    return replace(day, clocks=mentioned.clocks, elsewhere=mentioned.elsewhere)


def _ends_in(end: Mentions, times: Sequence[Agrees]) -> bool:
    """Tell whether a free stretch may be said to end then: that is when its last visit begins, or is over."""
    for before in range(0, _LONGEST_VISIT + 1, 5):
        clocks = (frozenset((minute - before) % _DAY_MINUTES for minute in clock) for clock in end.clocks)
        spoken_end = replace(end, clocks=tuple(clocks))
        if any(agrees(spoken_end) for agrees in times):
            return True
    return False


def _moments(item: Evidence) -> Agrees:
    return lambda mentioned: any(mentioned.agree_with(moment) for moment in item.moments)


def people_free(messages: Iterable[Message], zone: tzinfo) -> Iterator["_Free"]:
    """Yield when each of the people is free, as far as it was looked up or told in a refusal."""
    for message in messages:
        if not isinstance(message, ToolMessage):
            continue
        data, meta = message.response.data, message.response.meta
        if isinstance(data, Mapping):
            yield from _looked_up(data, zone)
        for choice in _alternatives(meta):
            if isinstance(choice.get("with"), str):
                yield from _at(choice["with"], [choice.get("start")], zone)


def free_times(messages: Iterable[Message], zone: tzinfo) -> Iterator["_Free"]:
    """Yield when somebody is free, whoever it is, as far as it was looked up."""
    for message in (message for message in messages if isinstance(message, ToolMessage)):
        yield from _at("anybody", [choice.get("start") for choice in _alternatives(message.response.meta)], zone)
        data = message.response.data
        if not isinstance(data, Mapping):
            continue
        asked = [data.get("asked")] if data.get("available") is True else []
        with_anybody = {**data, "with": "anybody", "openTimes": [*(data.get("openTimes") or ()), *asked]}
        yield from _looked_up(with_anybody if data.keys() & {"openTimes", "free", "asked"} else {}, zone)


def _alternatives(meta: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the free times that a refusal has named instead."""
    return (choice for choice in items(meta.get("alternatives")) if isinstance(choice, Mapping))


def _looked_up(data: Mapping[str, Any], zone: tzinfo) -> Iterator[_Free]:
    for name in data.get("freeWith") or ():
        yield from _at(str(name), [data.get("asked")], zone)
    person = data.get("with")
    if isinstance(person, str):
        yield from _at(person, data.get("openTimes") or (), zone)
    for row in data.get("free") or ():
        times = str(row.get("times"))
        for entry in (person,) if isinstance(person, str) else row.get("with") or ():
            # "Dana 9:00 to 10:30" is free then alone, "Rosa" at all the times of the day.
            own = _RUN.search(str(entry))
            name = str(entry)[: own.start()].strip() if own is not None else str(entry)
            yield from _on_day(name, str(row.get("date")), times if own is None else str(entry)[own.start() :], zone)


def _on_day(person: str, day: str, times: str, zone: tzinfo) -> Iterator[_Free]:
    for match in _RUN.finditer(times):
        hour, minute, until_hour, until_minute = (int(part) if part else None for part in match.groups())
        first = datetime.combine(date.fromisoformat(day), time(hour or 0, minute or 0), zone)
        last = first if until_hour is None else first.replace(hour=until_hour, minute=until_minute or 0)
        yield _Free(person, first, last)


def _at(person: str, moments: Iterable[Any], zone: tzinfo) -> Iterator[_Free]:
    for text in moments:
        if isinstance(text, str):
            local = datetime.fromisoformat(text).astimezone(zone)
            yield _Free(person, local, local)


def _minutes(moment: datetime) -> int:
    return moment.hour * 60 + moment.minute
