"""The occurrences of a repeating event: its rule, what was added and taken out, and what was changed by itself.

Rules are followed on the clocks of the event's own zone, so that it stays at its time of day when they change
(RFC 5545 3.3.10, 3.8.5). What a single occurrence was changed to stands in an event of its own, which names it.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

import icalendar
from dateutil.rrule import rruleset, rrulestr

from switchboard.contract.python.dataclass import dataclass
from switchboard.integrations.caldav.values import UnreadableEvent, aware, end_of, listed, moments, value_of

_MOST_OCCURRENCES = 50_000
_PERIODS = {"YEARLY": 8_760, "MONTHLY": 720, "WEEKLY": 168, "DAILY": 24, "HOURLY": 1, "MINUTELY": 1 / 60}
_SECOND = 1 / 3_600
# These take out more than they add.
_NARROWING = ("BYMONTH", "BYSETPOS")


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One occurrence: the event that says what it is, when it is, and the moment that names it."""

    event: icalendar.Event
    start: date | datetime
    end: date | datetime
    original: datetime


@dataclass(frozen=True, slots=True)
class _Later:
    """What all occurrences from one on were changed to (`RANGE=THISANDFUTURE`), and by how much they are later."""

    event: icalendar.Event
    since: datetime
    shift: timedelta


def is_repeating(events: Sequence[icalendar.Event]) -> bool:
    """Tell whether an object's events have to be unfolded."""
    return any(event.get(name) is not None for event in events for name in ("RRULE", "RDATE", "RECURRENCE-ID"))


def unfolded(events: Sequence[icalendar.Event], zone: ZoneInfo, start: datetime, end: datetime) -> list[Occurrence]:
    """Return the occurrences that may lie between two moments, and some beside them.

    Raises:
        Unreadable: One of them cannot be understood, or there are more than anybody could mean.
    """
    occurrences, changed, later = [], set(), []
    for event in events:
        if event.get("RECURRENCE-ID") is None:
            continue
        original = value_of(event["RECURRENCE-ID"], "RECURRENCE-ID")
        begins = value_of(event.get("DTSTART"), "DTSTART")
        named = _utc(original, zone)
        changed.add(named)
        occurrences.append(Occurrence(event, begins, end_of(event, begins), named))
        if str(event["RECURRENCE-ID"].params.get("RANGE", "")).upper() == "THISANDFUTURE":
            later.append(_Later(event, named, _clock(begins, None) - _clock(original, None)))
    later.sort(key=lambda it: it.since)
    for event in events:
        if event.get("RECURRENCE-ID") is None:
            occurrences += _of_series(event, zone, (start, end), changed, later)
    return occurrences


def _of_series(
    event: icalendar.Event,
    zone: ZoneInfo,
    within: tuple[datetime, datetime],
    changed: set[datetime],
    later: Sequence[_Later],
) -> Iterator[Occurrence]:
    first = value_of(event.get("DTSTART"), "DTSTART")
    own_zone = first.tzinfo if isinstance(first, datetime) else None
    removed = {_utc(moment, zone) for moment in moments(event, "EXDATE")}
    reach = max((abs(it.shift) for it in later), default=timedelta()) + abs(_length(event, first)) + timedelta(days=1)
    low, high = (_clock(it, own_zone or zone) for it in within)
    _check_number(event, _clock(first, own_zone), high + reach)
    for clock in _clocks(event, first, own_zone).between(low - reach, high + reach, inc=True):
        begins = _as(first, clock, own_zone)
        named = _utc(begins, zone)
        if named in removed or named in changed:
            continue
        base = next((it for it in reversed(later) if it.since <= named), None)
        if base is None:
            yield Occurrence(event, begins, _end(event, first, begins), named)
        else:
            initial = value_of(base.event.get("DTSTART"), "DTSTART")
            zone_then = initial.tzinfo if isinstance(initial, datetime) else None
            moved = _as(initial, clock + base.shift, zone_then)
            yield Occurrence(base.event, moved, _end(base.event, initial, moved), named)


def _clocks(event: icalendar.Event, first: date | datetime, own_zone: tzinfo | None) -> rruleset:
    """Return when the occurrences begin, as the clocks of the event's zone show it."""
    begins, rules = _clock(first, own_zone), rruleset()
    # It counts as one also where the rule would not say so.
    rules.rdate(begins)
    for moment in moments(event, "RDATE"):
        rules.rdate(_clock(moment, own_zone))
    for rule in listed(event.get("RRULE")):
        try:
            rules.rrule(rrulestr(_rule_text(rule, own_zone), dtstart=begins))
        except (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError) as error:
            raise UnreadableEvent(f"a rule that is none: {type(error).__name__}") from None
    return rules


def _rule_text(rule: Any, own_zone: tzinfo | None) -> str:
    parts = [part for part in rule.to_ical().decode().split(";") if not part.upper().startswith("UNTIL=")]
    for until in rule.get("UNTIL", [])[:1]:
        last = until if isinstance(until, datetime) else datetime.combine(until, time(23, 59, 59))
        parts.append(f"UNTIL={_clock(last, own_zone):%Y%m%dT%H%M%S}")
    return ";".join(parts)


def _check_number(event: icalendar.Event, first: datetime, last: datetime) -> None:
    """See that working it out does not take minutes: every second for years is nothing that a person enters."""
    for rule in listed(event.get("RRULE")):
        try:
            period = _PERIODS.get(str(rule["FREQ"][0]), _SECOND) * max(1, int(rule.get("INTERVAL", [1])[0]))
            most = max(0.0, (last - first) / timedelta(hours=1) / period)
            for name, values in rule.items():
                most *= len(values) if name.startswith("BY") and name not in _NARROWING else 1
            number = min(most, int(rule["COUNT"][0])) if "COUNT" in rule else most
        except (KeyError, IndexError, ValueError, TypeError):
            raise UnreadableEvent("a rule that is none") from None
        if number > _MOST_OCCURRENCES:
            raise UnreadableEvent("it repeats itself too often")


def _end(event: icalendar.Event, first: date | datetime, begins: date | datetime) -> date | datetime:
    """Return when an occurrence ends, given when the first one began: with an end told, all are exactly as long."""
    if event.get("DTEND") is None:
        return end_of(event, begins)
    length = _length(event, first)
    if isinstance(begins, datetime) and begins.tzinfo is not None:
        return begins.astimezone(UTC) + length
    return begins + length


def _length(event: icalendar.Event, first: date | datetime) -> timedelta:
    last = end_of(event, first)
    if isinstance(first, datetime) and isinstance(last, datetime) and first.tzinfo is not None:
        return last.astimezone(UTC) - first.astimezone(UTC)
    return last - first


def _clock(moment: date | datetime, own_zone: tzinfo | None) -> datetime:
    """Return what the clocks of a zone show; of a time without one, itself."""
    if not isinstance(moment, datetime):
        return datetime.combine(moment, time.min)
    if moment.tzinfo is not None and own_zone is not None:
        moment = moment.astimezone(own_zone)
    return moment.replace(tzinfo=None)


def _as(first: date | datetime, clock: datetime, own_zone: tzinfo | None) -> date | datetime:
    return clock.replace(tzinfo=own_zone) if isinstance(first, datetime) else clock.date()


def _utc(moment: date | datetime, zone: ZoneInfo) -> datetime:
    return aware(moment, zone).astimezone(UTC)
