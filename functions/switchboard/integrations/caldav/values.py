"""The times in an event, read strictly: what nobody can place is refused, and never taken for another time."""

from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import icalendar


class UnreadableEvent(Exception):
    """An event that cannot be understood. Leaving it out would call its time free."""


def listed(value: Any) -> Iterable[Any]:
    """Return a property's values, of which there may be none, one or several."""
    return () if value is None else value if isinstance(value, list) else (value,)


def value_of(value: Any, name: str) -> Any:
    """Return the date, time or length that a property holds.

    Raises:
        Unreadable: It is missing, there are two, or nobody knows its zone.
    """
    if value is None or isinstance(value, list):
        raise UnreadableEvent(f"{name}: not one of it")
    try:
        moment = value.dt
    except (AttributeError, TypeError, ValueError) as error:
        raise UnreadableEvent(f"{name}: {type(error).__name__}") from None
    _check_zone(moment, value, name)
    return moment


def moments(event: icalendar.Event, name: str) -> Iterator[date | datetime]:
    """Yield the dates and times of a property that lists them; of periods, their beginnings.

    Raises:
        Unreadable: As `value_of`.
    """
    for value in listed(event.get(name)):
        try:
            values = [it.dt for it in value.dts]
        except (AttributeError, TypeError, ValueError) as error:
            raise UnreadableEvent(f"{name}: {type(error).__name__}") from None
        for moment in values:
            moment = moment[0] if isinstance(moment, tuple) else moment
            _check_zone(moment, value, name)
            yield moment


def end_of(event: icalendar.Event, start: date | datetime) -> date | datetime:
    """Return when an event ends that begins at `start`: then, where nobody said; of a day, with the day.

    Raises:
        Unreadable: It says so in a way that cannot be understood.
    """
    if event.get("DTEND") is not None:
        moment = value_of(event["DTEND"], "DTEND")
        if isinstance(moment, datetime) is isinstance(start, datetime):
            return moment  # type: ignore[no-any-return]
        raise UnreadableEvent("DTEND is of another kind than DTSTART")
    if event.get("DURATION") is not None:
        length = value_of(event["DURATION"], "DURATION")
        if isinstance(length, timedelta):
            # Hours and minutes are as long as they are, also in the night in which the clocks change.
            if isinstance(start, datetime) and start.tzinfo is not None and length.seconds:
                return start.astimezone(UTC) + length
            return start + length
        raise UnreadableEvent("DURATION is none")
    return start if isinstance(start, datetime) else start + timedelta(days=1)


def aware(moment: date | datetime, zone: ZoneInfo) -> datetime:
    """Return a moment: a day begins at midnight, and what has no zone is in this one."""
    if not isinstance(moment, datetime):
        return datetime.combine(moment, time.min, zone)
    return moment if moment.tzinfo else moment.replace(tzinfo=zone)


def _check_zone(moment: Any, value: Any, name: str) -> None:
    """See that no time is taken for a floating one because nobody knows its zone."""
    if isinstance(moment, datetime) and moment.tzinfo is None and "TZID" in value.params:
        raise UnreadableEvent(f"{name}: nobody knows its zone")
