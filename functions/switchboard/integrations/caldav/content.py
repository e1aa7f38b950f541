"""Between iCalendar (RFC 5545) and our `CalendarEntry`.

What a list shows and what keeps others out are two things: transparent, cancelled and declined events take nobody's
time. An all-day event lasts from midnight to midnight where the business is, and a floating time (one without a zone)
is what the clock on its wall shows. A zone is taken from the zone database where its name stands there, since what
servers copy into an event may be of another year; else from the event itself; and one that nobody knows is never
taken for another.

Occurrences are worked out here, not by the server: half of the servers cannot, and what they work out has lost its
zone. Repeating events are the only ones that need the library for it.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo

import icalendar
import recurring_ical_events

from switchboard.contract.calendar import CalendarEntry

BOOKING = "X-SWITCHBOARD-BOOKING"
"""The property that tells our entries from those that people made."""
# An event that ends when it begins, or for which nobody said when it ends, keeps the moment at which it begins.
_AT_LEAST = timedelta(minutes=1)
# A floating time, or a day, may be half a day off from what a server, or the library, takes it for.
_MARGIN = timedelta(days=1)
_MOST_OCCURRENCES = 50_000
_PERIODS = {"YEARLY": 8_760, "MONTHLY": 720, "WEEKLY": 168, "DAILY": 24, "HOURLY": 1, "MINUTELY": 1 / 60}
_SECOND = 1 / 3_600
_ZONE = re.compile(r"BEGIN:VTIMEZONE\r?\n.*?END:VTIMEZONE\r?\n", re.DOTALL)
_ZONE_NAME = re.compile(r"^TZID:(.+?)\r?$", re.MULTILINE)
_MAIL = re.compile(r"mailto:", re.IGNORECASE)
_PRODUCT = "-//Switchboard//EN"


class Unreadable(Exception):
    """An event that cannot be understood. Leaving it out would call its time free."""


@dataclass(frozen=True, slots=True)
class Found:
    """An entry, and who of those who were invited to it has declined; addresses in small letters."""

    entry: CalendarEntry
    declined: frozenset[str] = frozenset()


def to_text(entry: CalendarEntry, zone: ZoneInfo, now: datetime) -> str:
    """Return the object that enters an entry; the zone is the business's, for entries that last all day."""
    event = icalendar.Event()
    event.add("uid", entry.id)
    event.add("dtstamp", now.astimezone(UTC))
    event.add("summary", entry.title)
    event.add("status", "CONFIRMED")
    event.add("transp", "OPAQUE" if entry.is_busy else "TRANSPARENT")
    if entry.is_all_day:
        event.add("dtstart", entry.start.astimezone(zone).date())
        event.add("dtend", entry.end.astimezone(zone).date())
    else:
        _set_times(event, entry.start, entry.end)
    if entry.description:
        event.add("description", entry.description)
    if entry.location:
        event.add("location", entry.location)
    for address in entry.attendees:
        # Without an organiser, and with this, no server sends invitations of its own (RFC 6638).
        event.add("attendee", f"mailto:{address}", parameters={"SCHEDULE-AGENT": "NONE"})
    if entry.booking_id:
        event.add(BOOKING, entry.booking_id)
    return _whole(event)


def find(text: str, etag: str, zone: ZoneInfo) -> Found:
    """Return the entry of an object; of a repeating event the series, with the times of its first occurrence.

    Raises:
        Unreadable: It holds no event, or one that cannot be understood.
    """
    return _found(_main(_events(text)), etag, zone)


def occurrences(text: str, etag: str, zone: ZoneInfo, start: datetime, end: datetime) -> list[Found]:
    """Return what an object has between two moments, each occurrence by itself.

    Raises:
        Unreadable: It cannot be understood, or repeats itself more often than anybody could mean.
    """
    events: Sequence[icalendar.Event] = _events(text)
    if any(event.get(name) is not None for event in events for name in ("RRULE", "RDATE", "RECURRENCE-ID")):
        events = _unfolded(events, start - _MARGIN, end + _MARGIN)
    found = (_found(event, etag, zone) for event in events)
    return [it for it in found if it.entry.end.astimezone(UTC) > start and it.entry.start.astimezone(UTC) < end]


def moved(text: str, start: datetime, end: datetime, now: datetime) -> str:
    """Return an object with other times, and one with times if somebody made it last all day; else as it was.

    Raises:
        Unreadable: As `find`.
    """

    def change(event: icalendar.Event) -> None:
        for name in ("DTSTART", "DTEND", "DURATION"):
            event.pop(name, None)
        _set_times(event, start, end)

    return _changed(text, now, change)


def reworded(text: str, title: str, description: str, now: datetime) -> str:
    """Return an object with other words, else as it was.

    Raises:
        Unreadable: As `find`.
    """

    def change(event: icalendar.Event) -> None:
        for name, words in (("SUMMARY", title), ("DESCRIPTION", description)):
            event.pop(name, None)
            if words:
                event.add(name, words)

    return _changed(text, now, change)


def _set_times(event: icalendar.Event, start: datetime, end: datetime) -> None:
    # In UTC, which is the same moment whatever becomes of the zone's rules, and needs none of them sent along.
    event.add("dtstart", start.astimezone(UTC))
    event.add("dtend", end.astimezone(UTC))


def _changed(text: str, now: datetime, change: Any) -> str:
    whole = _read(text)
    event = _main(_events_of(whole))
    change(event)
    sequence = event.get("SEQUENCE", 0)
    for name in ("SEQUENCE", "DTSTAMP", "LAST-MODIFIED"):
        event.pop(name, None)
    event.add("sequence", (sequence if isinstance(sequence, int) else 0) + 1)
    event.add("dtstamp", now.astimezone(UTC))
    event.add("last-modified", now.astimezone(UTC))
    return _text_of(whole)


def _whole(event: icalendar.Event) -> str:
    calendar = icalendar.Calendar()
    calendar.add("prodid", _PRODUCT)
    calendar.add("version", "2.0")
    calendar.add_component(event)
    return _text_of(calendar)


def _text_of(calendar: Any) -> str:
    data: bytes = calendar.to_ical()
    return data.decode("utf-8", "replace")


@lru_cache(1_000)
def _events(text: str) -> tuple[icalendar.Event, ...]:
    """Return the events of an object, for reading only: it takes milliseconds, and most stay what they were."""
    return _events_of(_read(_ZONE.sub(lambda found: "" if _is_known_zone(found[0]) else found[0], text)))


def _events_of(calendar: Any) -> tuple[icalendar.Event, ...]:
    found = tuple(calendar.walk("VEVENT"))
    if not found:
        raise Unreadable("there is no event in it")
    return found


def _read(text: str) -> Any:
    try:
        return icalendar.Calendar.from_ical(text)
    except (ValueError, TypeError, KeyError, IndexError, AttributeError) as error:
        raise Unreadable(type(error).__name__) from None


def _is_known_zone(described: str) -> bool:
    name = _ZONE_NAME.search(described)
    try:
        return name is not None and bool(ZoneInfo(name[1]))
    except (KeyError, ValueError, OSError):
        return False


def _main(events: Sequence[icalendar.Event]) -> icalendar.Event:
    return next((event for event in events if event.get("RECURRENCE-ID") is None), events[0])


def _unfolded(events: Sequence[icalendar.Event], start: datetime, end: datetime) -> list[icalendar.Event]:
    for event in events:
        _check_zones(event)
        _check_number(event, end)
    calendar = icalendar.Calendar()
    for event in events:
        calendar.add_component(event)
    try:
        return list(recurring_ical_events.of(calendar).between(start, end))
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError) as error:
        raise Unreadable(f"a repetition: {type(error).__name__}") from None


def _check_zones(event: icalendar.Event) -> None:
    """See that no time is taken for a floating one because nobody knows its zone."""
    for name in ("DTSTART", "DTEND", "RECURRENCE-ID", "EXDATE", "RDATE"):
        for value in _listed(event.get(name)):
            for moment in (it.dt for it in getattr(value, "dts", (value,)) if hasattr(it, "dt")):
                if isinstance(moment, datetime) and moment.tzinfo is None and "TZID" in value.params:
                    raise Unreadable(f"{name}: nobody knows its zone")


def _check_number(event: icalendar.Event, end: datetime) -> None:
    """See that working it out does not take minutes: every second for years is nothing that a person enters."""
    start = _moment(event.get("DTSTART"))
    for rule in _listed(event.get("RRULE")):
        try:
            period = _PERIODS.get(str(rule["FREQ"][0]), _SECOND) * max(1, int(rule.get("INTERVAL", [1])[0]))
            most = (end - start) / timedelta(hours=1) / period
            for name, values in rule.items():
                most *= len(values) if name.startswith("BY") and name not in ("BYMONTH", "BYSETPOS") else 1
            number = min(most, int(rule["COUNT"][0])) if "COUNT" in rule else most
        except (KeyError, IndexError, ValueError, TypeError):
            raise Unreadable("a rule that is none") from None
        if number > _MOST_OCCURRENCES:
            raise Unreadable("it repeats itself too often")


def _moment(value: Any) -> datetime:
    """Return about when something begins, in UTC."""
    found = _value(value, "DTSTART")
    if not isinstance(found, datetime):
        found = datetime.combine(found, time.min)
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)


def _listed(value: Any) -> Iterable[Any]:
    return () if value is None else value if isinstance(value, list) else (value,)


def _value(value: Any, name: str) -> Any:
    try:
        found = value.dt
    except (AttributeError, TypeError, ValueError) as error:
        raise Unreadable(f"{name}: {type(error).__name__}") from None
    if isinstance(found, datetime) and found.tzinfo is None and "TZID" in value.params:
        raise Unreadable(f"{name}: nobody knows its zone")
    return found


def _found(event: icalendar.Event, etag: str, zone: ZoneInfo) -> Found:
    start_value = event.get("DTSTART")
    if start_value is None or isinstance(start_value, list):
        raise Unreadable("no one start")
    start = _value(start_value, "DTSTART")
    end, is_all_day = _end(event, start), not isinstance(start, datetime)
    begins, ends = _aware(start, zone), _aware(end, zone)
    is_cancelled = str(event.get("STATUS", "")).upper() == "CANCELLED"
    uid, original = str(event.get("UID", "")), event.get("RECURRENCE-ID")
    attendees = tuple(_addresses(event))
    entry = CalendarEntry(
        id=uid if original is None else f"{uid}/{original.to_ical().decode()}",
        start=begins,
        end=max(ends, begins + _AT_LEAST, key=lambda moment: moment.astimezone(UTC)),
        title=str(event.get("SUMMARY", "")),
        description=str(event.get("DESCRIPTION", "")),
        location=str(event.get("LOCATION", "")),
        attendees=tuple(address for address, _ in attendees),
        booking_id=str(event.get(BOOKING, "")),
        is_all_day=is_all_day,
        is_busy=not is_cancelled and str(event.get("TRANSP", "OPAQUE")).upper() != "TRANSPARENT",
        is_cancelled=is_cancelled,
        version=etag,
    )
    return Found(entry, frozenset(address.lower() for address, answer in attendees if answer == "DECLINED"))


def _end(event: icalendar.Event, start: date | datetime) -> date | datetime:
    if event.get("DTEND") is not None:
        found = _value(event["DTEND"], "DTEND")
        if isinstance(found, datetime) is isinstance(start, datetime):
            return found  # type: ignore[no-any-return]
        raise Unreadable("DTEND is of another kind than DTSTART")
    if event.get("DURATION") is not None:
        length = _value(event["DURATION"], "DURATION")
        if isinstance(length, timedelta):
            # Hours and minutes are as long as they are, also in the night in which the clocks change.
            exact = isinstance(start, datetime) and start.tzinfo is not None and length.seconds
            return (start.astimezone(UTC) + length) if exact else start + length  # type: ignore[union-attr]
        raise Unreadable("DURATION is none")
    return start if isinstance(start, datetime) else start + timedelta(days=1)


def _aware(moment: date | datetime, zone: ZoneInfo) -> datetime:
    if not isinstance(moment, datetime):
        return datetime.combine(moment, time.min, zone)
    return moment if moment.tzinfo else moment.replace(tzinfo=zone)


def _addresses(event: icalendar.Event) -> Iterator[tuple[str, str]]:
    for attendee in _listed(event.get("ATTENDEE")):
        if _MAIL.match(str(attendee)):
            yield _MAIL.sub("", str(attendee), count=1), str(attendee.params.get("PARTSTAT", "")).upper()
