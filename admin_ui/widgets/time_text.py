"""Times and durations as people read them."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo


def told(text: Any, zone: ZoneInfo, *, seconds: bool = False) -> str:
    """Return a time of the API's in a business's zone, such as `Sun 22 Nov 2026, 14:05`; "" for none."""
    moment = read(text)
    if moment is None:
        return ""
    local = moment.astimezone(zone)
    return f"{local:%a} {local.day} {local:%b %Y}, {local:%H:%M:%S}" if seconds else _minutes(local)


def read(text: Any) -> datetime | None:
    """Return a time of the API's, or None where there is none."""
    try:
        return datetime.fromisoformat(str(text)) if text else None
    except ValueError:
        return None


def lasted(seconds: Any) -> str:
    """Return a duration in words; "" for none."""
    if not isinstance(seconds, int | float):
        return ""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def clocked(seconds: Any) -> str:
    """Return a duration as minutes:seconds, where there is little room; "" for none."""
    if not isinstance(seconds, int | float):
        return ""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02}"


def took(milliseconds: Any) -> str:
    """Return how long something took, in the unit that reads best; "" for what is not known."""
    if not isinstance(milliseconds, int | float):
        return ""
    return f"{milliseconds / 1000:.1f} s" if milliseconds >= 1000 else f"{milliseconds:.0f} ms"


def _minutes(local: datetime) -> str:
    return f"{local:%a} {local.day} {local:%b %Y}, {local:%H:%M}"
