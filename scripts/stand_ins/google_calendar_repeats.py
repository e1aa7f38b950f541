"""Occurrences of repeating events, for the rules that people make in Calendar: daily and weekly ones.

A rule of another kind is refused when the event is entered, rather than shown wrongly later.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta

from stand_ins.google_calendar_refusal import invalid

_DAYS = {"MO": 0, "TU": 1, "WE": 2, "TH": 3, "FR": 4, "SA": 5, "SU": 6}
_KNOWN = {"FREQ", "COUNT", "UNTIL", "INTERVAL", "BYDAY"}
_MOST = 1_000


def check(recurrence: Sequence[str]) -> None:
    """Refuse what `starts` cannot follow.

    Raises:
        Refusal: 400.
    """
    for line in recurrence:
        name, _, rule = line.partition(":")
        parts = dict(part.partition("=")[::2] for part in rule.split(";"))
        is_known = name == "RRULE" and parts.keys() <= _KNOWN and parts.get("FREQ") in ("DAILY", "WEEKLY")
        if not is_known or not set(filter(None, parts.get("BYDAY", "").split(","))) <= _DAYS.keys():
            raise invalid("recurrence", f"This stand-in follows daily and weekly rules only, not {line!r}.")


def starts(first: datetime, recurrence: Sequence[str]) -> Iterator[datetime]:
    """Yield the local start of each occurrence, the first one included, for at most some years.

    `first` carries the event's zone: occurrences keep their local time when the clocks change.
    """
    parts = dict(part.partition("=")[::2] for part in recurrence[0].partition(":")[2].split(";"))
    every, weekly = int(parts.get("INTERVAL", 1)), parts["FREQ"] == "WEEKLY"
    days = {_DAYS[d] for d in parts.get("BYDAY", "").split(",") if d} or (
        {first.weekday()} if weekly else set(range(7))
    )
    count, until = int(parts.get("COUNT", _MOST)), _until(parts.get("UNTIL"))
    monday = first.date() - timedelta(days=first.weekday())
    day, count_found = first.date(), 0
    while count_found < min(count, _MOST):
        start = datetime.combine(day, first.timetz())
        if until is not None and start.astimezone(UTC) > until:
            return
        step = (day - monday).days // 7 if weekly else (day - first.date()).days
        if step % every == 0 and day.weekday() in days:
            count_found += 1
            yield start
        day += timedelta(days=1)


def _until(text: str | None) -> datetime | None:
    if text is None:
        return None
    if "T" in text:
        return datetime.strptime(text.rstrip("Z"), "%Y%m%dT%H%M%S").replace(tzinfo=UTC)
    last = date.fromisoformat(f"{text[:4]}-{text[4:6]}-{text[6:8]}")
    return datetime(last.year, last.month, last.day, 23, 59, 59, tzinfo=UTC)
