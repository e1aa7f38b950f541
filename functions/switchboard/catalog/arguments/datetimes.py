"""What a date and time means in a business's time zone.

Design §9: gaps and overlaps of daylight saving are refused or asked, never silently moved. A time that carries an
offset is an instant and needs no asking; one without is the business's local time; a bare date is the beginning of
that day, and no time at all where something is to happen then: nobody who names a day means midnight.
"""

import re
from datetime import UTC, datetime, timedelta, tzinfo

_FORM = re.compile(
    r"(?P<day>\d{4}-\d{2}-\d{2})"
    r"(?:[Tt ](?P<clock>\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?) ?(?P<offset>[Zz]|[+-]\d{2}:?\d{2})?)?",
    re.ASCII,
)
EXAMPLE = "2026-03-05T14:00"


def names_a_day(text: str) -> bool:
    """Tell whether a text names a date and no time."""
    match = _FORM.fullmatch(text.strip())
    return match is not None and match.group("clock") is None


def read_moment(text: str, zone: tzinfo, *, with_time: bool = False) -> datetime:
    """Return the time that a text means, aware, in `zone`.

    Args:
        text: ISO 8601.
        zone: Where it is meant, unless it carries an offset.
        with_time: Whether a bare date is none.

    Raises:
        ValueError: There is no such time, or there are two; the message says what would do, and fits behind "it".
    """
    match = _FORM.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"must be a date and time such as {EXAMPLE}")
    day, clock, offset = match.group("day", "clock", "offset")
    try:
        found = datetime.fromisoformat(f"{day}T{clock or '00:00'}{(offset or '').upper()}")
        if offset:
            found = found.astimezone(zone)
    except (ValueError, OverflowError):
        raise ValueError("is not a real date and time") from None
    if clock is None and with_time:
        raise ValueError(f"needs a time of day as well, such as {day}T14:00; ask which one is wanted")
    if not offset:
        found = _first_of_day(found, zone) if clock is None else _local(found, zone)
    try:
        found.astimezone(UTC)
    except OverflowError:  # on the calendar's first or last day the instant itself may lie beyond it
        raise ValueError("is not a real date and time") from None
    if found.utcoffset() is None or found.utcoffset() % timedelta(minutes=1):  # type: ignore[operator]
        raise ValueError("is too long ago")  # before zones had whole minutes: RFC 3339 cannot write it
    return found


def _local(naive: datetime, zone: tzinfo) -> datetime:
    """Return the one moment at which the zone's clocks show a time."""
    first = naive.replace(tzinfo=zone)
    second = first.replace(fold=1)
    before, after = _offset(first), _offset(second)
    if before == after:
        return first
    if before > after:
        raise ValueError(
            f"happens twice, because the clocks go back; write {first.isoformat()} or {second.isoformat()}"
        )
    earlier, later = naive - (after - before), naive + (after - before)
    raise ValueError(f"does not exist, because the clocks go forward; use {_short(earlier)} or {_short(later)} instead")


def _first_of_day(midnight: datetime, zone: tzinfo) -> datetime:
    # Nobody asked for 00:00: where the clocks skip it the day begins later, where it comes twice, the first time.
    first = midnight.replace(tzinfo=zone)
    gap = _offset(first.replace(fold=1)) - _offset(first)
    return (midnight + gap).replace(tzinfo=zone) if gap > timedelta(0) else first


def _offset(moment: datetime) -> timedelta:
    return moment.utcoffset() or timedelta(0)


def _short(naive: datetime) -> str:
    return naive.isoformat(timespec="minutes")
