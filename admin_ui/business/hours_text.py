"""Opening hours as people write them: `09:00-12:30, 13:30-18:00`, `9am-6pm`, or `closed`."""

from __future__ import annotations

import re
from datetime import date
from typing import Any

CLOSED = "closed"
_TIME = r"(\d{1,2})(?:[:.](\d{2}))?\s*([ap]\.?m\.?)?"
_OPENING = re.compile(rf"\s*{_TIME}\s*(?:-|\u2013|\u2014|to)\s*{_TIME}\s*", re.IGNORECASE)
_DAY_OF_YEAR = re.compile(r"[0-9]{2}-[0-9]{2}")
# So that February 29 is a day.
_LEAP_YEAR = "2000-"
_NOON, _MIDNIGHT = 12, "24:00"
_SHOWN_AS = "09:00-18:00"


class NotHours(ValueError):
    """What was written cannot be read as hours; the text says what would be right."""


def written(stored: Any) -> str:
    """Return stored hours of a day as text: several openings, or one that stands alone, as the server reads them."""
    if isinstance(stored, dict):
        stored = [stored]
    if not isinstance(stored, list) or not stored:
        return CLOSED
    return ", ".join(f"{one.get('open', '?')}-{one.get('close', '?')}" for one in stored if isinstance(one, dict))


def read(text: str) -> Any:
    """Return the hours of a day as they are stored; nothing written counts as closed.

    Raises:
        NotHours: It cannot be read.
    """
    if text.strip().lower() in ("", CLOSED, "-"):
        return CLOSED
    openings = [_OPENING.fullmatch(part) for part in text.split(",")]
    if not all(openings):
        raise NotHours(f"{text.strip()[:40]!r} cannot be read as hours. Write {_SHOWN_AS}, or {CLOSED}.")
    return [_opening(m) for m in openings if m]


def written_days(stored: Any) -> str:
    """Return special days as text, one in a line."""
    days = stored if isinstance(stored, dict) else {}
    return "\n".join(f"{day}: {written(hours)}" for day, hours in sorted(days.items()))


def read_days(text: str) -> dict[str, Any]:
    """Return special days as they are stored; one without its year is of every year.

    Raises:
        NotHours: A line cannot be read.
    """
    days = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        day, _, hours = line.replace(": ", " ", 1).partition(" ")
        day = day.rstrip(":")
        is_yearly = _DAY_OF_YEAR.fullmatch(day) is not None
        try:
            written_day = date.fromisoformat(_LEAP_YEAR * is_yearly + day).isoformat()
        except ValueError:
            raise NotHours(
                f"{line[:40]!r} must begin with a day such as 2027-12-24, or 12-25 for every year."
            ) from None
        written_day = written_day.removeprefix(_LEAP_YEAR) if is_yearly else written_day
        if written_day in days:
            raise NotHours(f"{written_day} is there twice. Write its hours in one line.")
        days[written_day] = read(hours)
    return days


def _opening(match: re.Match[str]) -> dict[str, str]:
    begin, end = _clock(match[1], match[2], match[3]), _clock(match[4], match[5], match[6])
    if not match[3] and begin != (as_the_end := _clock(match[1], match[2], match[6])) and as_the_end < end:
        raise NotHours(f"{match[0].strip()!r} may begin in the morning or later. Write am or pm behind both times.")
    if end == "00:00":
        end = _MIDNIGHT
    if end < begin:
        raise NotHours(
            f"{match[0].strip()!r} ends before it begins. Write the afternoon as 18:00 or 6pm; for hours past midnight "
            f"write {begin}-{_MIDNIGHT}, and 00:00-{end} for the day after."
        )
    return {"open": begin, "close": end}


def _clock(hours: str, minutes: str | None, half: str | None) -> str:
    """Return a time as HH:MM; what is no time of day is left for the server to refuse."""
    hour = int(hours)
    if half and 1 <= hour <= _NOON:
        hour = hour % _NOON + (_NOON if half[0].lower() == "p" else 0)
    return f"{hour:02}:{minutes or '00'}"
