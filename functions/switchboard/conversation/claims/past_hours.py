"""Clock times told by what is past of an hour, or still to come, in English and German: "ten to four", "half three"."""

import re
from collections.abc import Callable
from typing import Final

from switchboard.conversation.claims.spoken_hours import either
from switchboard.conversation.claims.time_words import AM_OR_PM, HOUR_WORDS, HOURS, WEEKDAYS

_HOUR = rf"(?:{'|'.join(sorted(HOUR_WORDS, key=len, reverse=True))}|[01]?\d)"
_ENGLISH = "|".join(HOURS["en"])
_MINUTES = {
    "five": 5,
    "ten": 10,
    "fifteen": 15,
    "twenty": 20,
    "twenty-five": 25,
    "twenty five": 25,
    "fünf": 5,
    "zehn": 10,
    "fünfzehn": 15,
    "zwanzig": 20,
}
_MARK = rf"(?:{AM_OR_PM})?"
# "Five to ten minutes" is how long something takes.
_COUNTED = (
    r"(?![\s-]*(?:min|hours?|days?|weeks?|months?|people|persons?|guests?|stunden|tage|wochen|euros?|dollars?"
    r"|percent|%))"
)
_MINUTES_PAST = re.compile(
    rf"\b({'|'.join(sorted(_MINUTES, key=len, reverse=True))}|[1-5]?\d)(?:\s+(minutes?|minuten))?\s+"
    rf"(past|after|to|nach|vor)\s+(half\s+|halb\s+)?({_HOUR})\b(?![:.]\d){_COUNTED}{_MARK}",
    re.I,
)
# "Half three" is half past three, "halb drei" half an hour before.
_PARTS = re.compile(
    rf"\b(half past|halb|quarter past|viertel nach|quarter to|viertel vor)\s+({_HOUR})\b{_MARK}"
    rf"|\b(half)\s+({_ENGLISH})\b(?!\s+of\b){_COUNTED}{_MARK}",
    re.I,
)
# "Tuesday, three": behind a day nothing else is counted, where nothing follows that could be.
_DAY_AND_HOUR = re.compile(
    rf"\b(?:{'|'.join(sorted(WEEKDAYS, key=len, reverse=True))}|today|tomorrow|heute|morgen),?\s+"
    rf"({'|'.join(sorted(HOUR_WORDS, key=len, reverse=True))})\b(?=\s*(?:[.!?;]|,\s|$))",
    re.I,
)
_SHIFTS = {"half past": 30, "half": 30, "halb": -30, "quarter past": 15, "viertel nach": 15}
_TO = ("to", "vor")


def _parts(match: re.Match[str]) -> frozenset[int]:
    name, hour, mark = (match[1], match[2], match[3]) if match[1] else (match[4], match[5], match[6])
    return _shifted(_number(hour), _SHIFTS.get(" ".join(name.lower().split()), -15), mark)


def _minutes_past(match: re.Match[str]) -> frozenset[int]:
    count, hour = match[1].lower(), _number(match[5])
    minutes = int(count) if count.isdigit() else _MINUTES[count]
    shift = -minutes if match[3].lower() in _TO else minutes
    half = (match[4] or "").strip().lower()
    shift += {"half": 30, "halb": -30, "": 0}[half]
    possible = _shifted(hour, shift, match[6])
    # "We have you down ten to four" may be from ten until four as well.
    may_be_hours = match[3].lower() == "to" and not match[2] and not half and minutes <= 12
    return possible | _shifted(minutes, 0, None) | _shifted(hour, 0, match[6]) if may_be_hours else possible


def _day_and_hour(match: re.Match[str]) -> frozenset[int]:
    return _shifted(_number(match[1]), 0, None)


def _shifted(hour: int, shift: int, mark: str | None) -> frozenset[int]:
    return frozenset((minutes + shift) % 1440 for minutes in either(hour, 0, mark))


def _number(word: str) -> int:
    return int(word) if word.isdigit() else HOUR_WORDS[word.lower()]


READERS: Final[tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], frozenset[int]]], ...]] = (
    (_MINUTES_PAST, _minutes_past),
    (_PARTS, _parts),
    (_DAY_AND_HOUR, _day_and_hour),
)
