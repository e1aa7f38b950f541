"""Days in examples, which are never over: `{tomorrow}`, `{next Tuesday}` and the like stand for days from now on."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
WRITTEN = "{today}, {tomorrow}, {Tuesday} (the first one from tomorrow on), {next Tuesday} (a week later)"
_DAY = re.compile(r"\{(today|tomorrow|(?:next )?(?:" + "|".join(WEEKDAYS) + r"))\}", re.I)


def day_of(words: str, today: date) -> date:
    """Return the day that words such as `next Tuesday` stand for."""
    *before, name = words.lower().split()
    if name in ("today", "tomorrow"):
        return today + timedelta(days=name == "tomorrow")
    ahead = (WEEKDAYS.index(name.capitalize()) - today.weekday() - 1) % 7 + 1
    return today + timedelta(days=ahead + 7 * bool(before))


def filled(text: str, today: date, written: Callable[[date], str] = date.isoformat) -> str:
    """Return a text in which each such day is written out, as 2026-12-01 or as `written` does it."""
    return _DAY.sub(lambda found: written(day_of(found[1], today)), text)
