"""Who is free when, as this conversation has looked it up: nobody is said to be free who has not been asked for."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, tzinfo
from typing import Any

from switchboard.contract.business import Business
from switchboard.contract.model import Answered, Message
from switchboard.conversation.claims.entities import Mentions, readings
from switchboard.conversation.claims.people_words import said_to_be_free

# As `desk/wording.py` writes the times of a day: "Friday 9:00 to 14:30, 16:30".
_RUN = re.compile(r"(\d{1,2}):(\d\d)(?:\s+\D{1,6}\s+(\d{1,2}):(\d\d))?")


@dataclass(frozen=True, slots=True)
class _Free:
    """Somebody's free starts of one local day, from the first to the last of a run."""

    person: str
    first: datetime
    last: datetime

    def agrees_with(self, said: Mentions) -> bool:
        if said.agree_with(self.first) or said.agree_with(self.last):
            return True
        if not replace(said, clocks=(), elsewhere=()).agree_with(self.first) or said.elsewhere:
            return False
        span = range(_minutes(self.first), _minutes(self.last) + 1)
        return all(any(minute in span for minute in clock) for clock in said.clocks)


def free_without_look_up(
    business: Business | None, messages: Sequence[Message], sentence: str, now: datetime
) -> tuple[str, ...]:
    """Return of whom a sentence says that they are free at a time at which no look-up has found them so.

    Args:
        business: Whose people they are.
        messages: The conversation, with what its calls came to.
        sentence: What is about to be said.
        now: Local.
    """
    names = said_to_be_free(business, sentence)
    said = [one for one in readings(sentence, now) if one.say_when] if names else []
    if not said:
        return ()
    assert now.tzinfo is not None
    known = list(_found(messages, now.tzinfo))
    return tuple(name for name in names if not any(f.person == name and any(map(f.agrees_with, said)) for f in known))


def _found(messages: Iterable[Message], zone: tzinfo) -> Iterator[_Free]:
    for message in messages:
        if not isinstance(message, Answered):
            continue
        data, meta = message.response.data, message.response.meta
        if isinstance(data, Mapping):
            yield from _looked_up(data, zone)
        alternatives = meta.get("alternatives")
        for choice in alternatives if isinstance(alternatives, list) else ():
            if isinstance(choice, Mapping) and isinstance(choice.get("with"), str):
                yield from _at(choice["with"], [choice.get("start")], zone)


def _looked_up(data: Mapping[str, Any], zone: tzinfo) -> Iterator[_Free]:
    for name in data.get("freeWith") or ():
        yield from _at(str(name), [data.get("asked")], zone)
    person = data.get("with")
    if not isinstance(person, str) or not {"openTimes", "free"} & data.keys():
        return
    yield from _at(person, data.get("openTimes") or (), zone)
    for row in data.get("free") or ():
        day = date.fromisoformat(str(row.get("date")))
        for match in _RUN.finditer(str(row.get("times"))):
            hour, minute, until_hour, until_minute = (int(part) if part else None for part in match.groups())
            first = datetime.combine(day, time(hour or 0, minute or 0), zone)
            last = first if until_hour is None else first.replace(hour=until_hour, minute=until_minute or 0)
            yield _Free(person, first, last)


def _at(person: str, moments: Iterable[Any], zone: tzinfo) -> Iterator[_Free]:
    for text in moments:
        if isinstance(text, str):
            local = datetime.fromisoformat(text).astimezone(zone)
            yield _Free(person, local, local)


def _minutes(moment: datetime) -> int:
    return moment.hour * 60 + moment.minute
