"""A tool's result in words: the sentence that its definition has for that, filled with what was answered.

`{{name}}` is a value, `{{a.b}}` one within another; `{{#name}}…{{/name}}` is said where the value is there and true,
once for each of a list; `{{^name}}…{{/name}}` where it is there and false or empty. Days and times are said as people
say them.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time
from typing import Any

from switchboard.contract.definitions.definition import Definition
from switchboard.contract.json import JsonObject, at_path
from switchboard.models.rehearsal.spoken_time import SpokenTime

_PART = re.compile(r"\{\{([#^/]?)([A-Za-z_][A-Za-z_.]*)\}\}")
_DATE, _CLOCK = re.compile(r"\d{4}-\d\d-\d\d"), re.compile(r"(\d\d):(\d\d)")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d")
_TEXTS = ("text", "answer", "content", "message", "summary")
_MOST_LISTED, _LONGEST = 3, 400
_MISSING = object()


def result_words(definition: Definition | None, data: JsonObject, times: SpokenTime, language: str) -> str:
    """Return a tool's sentence for a result in a language; empty where it has none for that."""
    sentences = definition.result if definition is not None else {}
    pattern = sentences.get(language, "")
    filled = _filled(pattern, data, times) if pattern else None
    return " ".join((filled or "").split()).replace(" .", ".").replace(" ,", ",")


def plain_words(data: JsonObject, times: SpokenTime) -> str:
    """Return what can be said of a result that nobody wrote a sentence for: its texts, or its few plain values."""
    for name in _TEXTS:
        if isinstance(data.get(name), str) and data[name].strip():
            return str(data[name]).strip()[:_LONGEST]
    values = [value for name, value in data.items() if _is_telling(name, value)]
    return times.listed([_said(value, times) for value in values]) if 0 < len(values) <= _MOST_LISTED else ""


def _is_telling(name: str, value: Any) -> bool:
    is_plain = isinstance(value, str | int | float) and not isinstance(value, bool) and value != ""
    return is_plain and not name.lower().endswith(("id", "timezone", "url"))


def _filled(pattern: str, data: Mapping[str, Any], times: SpokenTime) -> str | None:
    parts, at = [], 0
    while (part := _PART.search(pattern, at)) is not None:
        parts.append(pattern[at : part.start()])
        at = part.end()
        value = at_path(data, part[2], _MISSING)
        if not part[1]:
            if value is _MISSING or value is None:
                return None
            parts.append(_said(value, times))
            continue
        end = pattern.find("{{/" + part[2] + "}}", at)
        if end < 0:
            return None
        inner, at = pattern[at:end], end + len(part[2]) + 5
        parts.append(_section(part[1] == "#", value, inner, data, times))
    return "".join([*parts, pattern[at:]])


def _section(is_for_true: bool, value: Any, inner: str, data: Mapping[str, Any], times: SpokenTime) -> str:
    if value is _MISSING or bool(value) is not is_for_true:
        return ""
    if isinstance(value, list) and value and isinstance(value[0], Mapping):
        items = [_filled(inner, {**data, **item}, times) for item in value[:_MOST_LISTED]]
        return times.listed([text.strip() for text in items if text])
    return _filled(inner, {**data, **value} if isinstance(value, Mapping) else data, times) or ""


def _said(value: Any, times: SpokenTime) -> str:
    if isinstance(value, list):
        moments = [moment for item in value if (moment := moment_of(item)) is not None]
        if moments and len(moments) == len(value):
            return times.moments(spread(moments))
        return times.listed([_said(item, times) for item in value[:_MOST_LISTED]])
    moment = moment_of(value)
    if moment is not None:
        return times.moment(moment)
    if isinstance(value, str) and _DATE.fullmatch(value):
        return times.day(date.fromisoformat(value))
    clock = clock_of(value)
    if clock is not None:
        return times.clock(clock)
    return f"{value:g}" if isinstance(value, float) else str(value)


def clock_of(value: object) -> time | None:
    """Return the time of day that a result tells; the end of the day is none."""
    match = _CLOCK.fullmatch(value) if isinstance(value, str) else None
    return (
        time(int(match[1]), int(match[2])) if match is not None and int(match[1]) < 24 and int(match[2]) < 60 else None
    )


def moment_of(value: object) -> datetime | None:
    """Return the local time that a result tells; its offset is that of the business."""
    if not isinstance(value, str) or not _MOMENT.match(value):
        return None
    try:
        return datetime.fromisoformat(value).replace(tzinfo=None)
    except ValueError:
        return None


def spread(moments: Sequence[datetime]) -> list[datetime]:
    """Return a few of many times: early, in the middle and late, as one would offer them."""
    if len(moments) <= _MOST_LISTED:
        return list(moments)
    return [moments[0], moments[len(moments) // 2], moments[-1]]
