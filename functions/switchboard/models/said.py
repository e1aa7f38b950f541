"""The times, names and numbers in what a caller said, put in the place of those in an example."""

import re
from datetime import date, datetime, timedelta
from typing import Any

from switchboard.contract.json import JsonObject
from switchboard.models.rehearsal_matching import Example

_NOW = re.compile(r"It is now \w+, (\d{4}-\d\d-\d\d), (\d\d:\d\d)")
_WEEKDAYS = {
    name: n
    for names in (
        "monday tuesday wednesday thursday friday saturday sunday",
        "montag dienstag mittwoch donnerstag freitag samstag sonntag",
    )
    for n, name in enumerate(names.split())
}
_MONTHS = {
    name: n
    for names in (
        "january february march april may june july august september october november december",
        "januar februar märz april mai juni juli august september oktober november dezember",
    )
    for n, name in enumerate(names.split(), 1)
}
_HOURS = {
    name: n
    for names in (
        "one two three four five six seven eight nine ten eleven twelve",
        "eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    )
    for n, name in enumerate(names.split(), 1)
}
_NEAR = {"today": 0, "heute": 0, "tomorrow": 1, "morgen": 1, "übermorgen": 2}
_MONTH_NAMES, _HOUR_NAMES = "|".join(_MONTHS), "|".join(_HOURS)
_MONTH_DAY = re.compile(
    rf"\b(?:({_MONTH_NAMES})\s+(?:the\s+)?(\d{{1,2}})|(\d{{1,2}})\.?(?:st|nd|rd|th)?\s+(?:of\s+)?({_MONTH_NAMES}))",
    re.I,
)
_ISO = re.compile(r"\b(\d{4}-\d\d-\d\d)\b")
_CLOCK = re.compile(
    rf"\b(?:at|um|gegen)\s+(half past |quarter past |quarter to |halb )?(?:(\d{{1,2}})(?:[:.](\d\d))?|({_HOUR_NAMES}))"
    r"\s*(a\.?m|p\.?m|uhr|in the afternoon|nachmittags)?",
    re.I,
)
_NAME = re.compile(
    r"\b(?:my name is|my name's|this is|i am|i'm|for|name ist|ich bin|ich heiße|hier ist|für)\s+"
    r"((?-i:[A-ZÄÖÜ][\w'-]+)(?:\s+(?-i:[A-ZÄÖÜ][\w'-]+)){0,2})",
    re.I,
)
_PHONE = re.compile(r"\+?(?<!\d)\d[\d\s()/-]{5,40}\d")
_CODE = re.compile(r"\b(\d[\s-]?){6}\b")
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_BEFORE_NOON_UNLIKELY = 7


def moment_of(system: str) -> datetime:
    """Return the local time that a system prompt tells, without a zone; the machine's where it tells none."""
    found = _NOW.search(system)
    return (
        datetime.fromisoformat(f"{found[1]}T{found[2]}") if found else datetime.now().replace(second=0, microsecond=0)
    )


class Said:
    """A sentence, heard at a local time."""

    def __init__(self, text: str, now: datetime) -> None:
        """Keep both; nothing is read before it is asked for."""
        self._text, self._now = text.replace("\u2019", "'"), now

    def filled(self, example: Example, function: JsonObject) -> JsonObject:
        """Return an example's arguments with what this sentence says instead; `function` is the tool as declared."""
        properties = function.get("parameters", {}).get("properties", {})
        return {
            name: self._value(name, value, properties.get(name, {}), function.get("description", ""))
            for name, value in example.arguments.items()
        }

    def _value(self, name: str, value: Any, schema: JsonObject, words: str) -> Any:
        if not isinstance(value, str):
            return value
        if schema.get("format") in ("date", "date-time"):
            return self._time(value)
        if name in ("query", "message", "text", "body", "notes"):
            return self._text.strip() if name != "notes" else value
        if "name" in name:
            found = _NAME.search(self._text)
            return found[1] if found else value
        for part, pattern in (("phone", _PHONE), ("code", _CODE), ("email", _EMAIL)):
            if part in name:
                found = pattern.search(self._text)
                return found[0].strip() if found else value
        if name == "service":
            return next((s for s in _listed(words) if s.casefold() in self._text.casefold()), value)
        return value

    def _time(self, value: str) -> str:
        day, clock = self._day(), self._clock()
        if day is None and clock is None:
            return self._not_past(value)
        as_date = day or self._now.date()
        if clock is None:
            return as_date.isoformat() if len(value) == 10 else f"{as_date.isoformat()}{value[10:]}"
        return f"{as_date.isoformat()}T{clock}"

    def _not_past(self, value: str) -> str:
        # The dates of examples grow old; a rehearsal next year should still be about the future.
        day = date.fromisoformat(value[:10])
        while day < self._now.date():
            day += timedelta(days=7)
        return day.isoformat() + value[10:]

    def _day(self) -> date | None:
        today = self._now.date()
        if found := _ISO.search(self._text):
            return date.fromisoformat(found[1])
        if found := _MONTH_DAY.search(self._text):
            month, number = _MONTHS[(found[1] or found[4]).lower()], int(found[2] or found[3])
            return _coming(today, month, number)
        for word in re.findall(r"\w+", self._text.lower()):
            if word in _NEAR:
                return today + timedelta(days=_NEAR[word])
            if word in _WEEKDAYS:
                return today + timedelta(days=(_WEEKDAYS[word] - today.weekday() - 1) % 7 + 1)
        return None

    def _clock(self) -> str | None:
        found = _CLOCK.search(self._text)
        if found is None:
            return None
        hour = int(found[2]) if found[2] else _HOURS[found[4].lower()]
        minutes = hour * 60 + int(found[3] or 0)
        minutes += {"half past ": 30, "quarter past ": 15, "quarter to ": -15, "halb ": -30}.get(
            (found[1] or "").lower(), 0
        )
        mark = (found[5] or "").lower().replace(".", "")
        is_afternoon = mark in ("pm", "in the afternoon", "nachmittags")
        # Nobody wants an appointment at two in the morning.
        if hour < 12 and (is_afternoon or (mark not in ("am", "uhr") and hour < _BEFORE_NOON_UNLIKELY)):
            minutes += 720
        return f"{minutes // 60 % 24:02}:{minutes % 60:02}:00"


def _listed(description: str) -> list[str]:
    """Return the services that a description lists after "Services:"."""
    found = re.search(r"Services: ([^.]+)", description)
    return sorted((s.strip() for s in found[1].split(",")), key=len, reverse=True) if found else []


def _coming(today: date, month: int, number: int) -> date | None:
    for year in (today.year, today.year + 1):
        try:
            day = date(year, month, number)
        except ValueError:
            continue
        if day >= today:
            return day
    return None
