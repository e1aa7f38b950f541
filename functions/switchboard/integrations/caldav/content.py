"""Between iCalendar (RFC 5545) and our `CalendarEntry`.

What a list shows and what keeps others out are two things: transparent, cancelled and declined events take nobody's
time. An all-day event lasts from midnight to midnight where the business is, and a floating time (one without a zone)
is what the clock on its wall shows. A zone is taken from the zone database where its name stands there, since what
servers copy into an event may be of another year; else from the event itself; and one that nobody knows is never
taken for another.

Occurrences are worked out here (`repeats`), not by the server: half of the servers cannot, and what they work out has
lost its zone.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo

import icalendar

from switchboard.contract.business.calendar import CalendarEntry
from switchboard.contract.python.dataclass import dataclass
from switchboard.integrations.caldav.repeats import Occurrence, is_repeating, unfolded
from switchboard.integrations.caldav.values import UnreadableEvent, aware, end_of, listed, value_of

__all__ = ["UnreadableEvent"]

BOOKING = "X-SWITCHBOARD-BOOKING"
"""The property that tells our entries from those that people made."""
# An event that ends when it begins, or for which nobody said when it ends, keeps the moment at which it begins.
_AT_LEAST = timedelta(minutes=1)
# A floating time, or a day, may be half a day off from what a server, or the library, takes it for.
_MARGIN = timedelta(days=1)
_ZONE_BEGINS, _ZONE_ENDS = "BEGIN:VTIMEZONE", "END:VTIMEZONE"
_MAIL = "mailto:"
_PRODUCT = "-//Switchboard//EN"


@dataclass(frozen=True, slots=True)
class InvitedEntry:
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


def find(text: str, etag: str, zone: ZoneInfo) -> InvitedEntry:
    """Return the entry of an object; of a repeating event the series, with the times of its first occurrence.

    Raises:
        Unreadable: It holds no event, or one that cannot be understood.
    """
    return _found(_main(_events(text)), etag, zone)


def occurrences(text: str, etag: str, zone: ZoneInfo, start: datetime, end: datetime) -> list[InvitedEntry]:
    """Return what an object has between two moments, each occurrence by itself.

    Raises:
        Unreadable: It cannot be understood, or repeats itself more often than anybody could mean.
    """
    events = _events(text)
    if is_repeating(events):
        entries = [_of_occurrence(it, etag, zone) for it in unfolded(events, zone, start - _MARGIN, end + _MARGIN)]
    else:
        entries = [_found(event, etag, zone) for event in events]
    return [it for it in entries if it.entry.end.astimezone(UTC) > start and it.entry.start.astimezone(UTC) < end]


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
    return _events_of(_read(_without_known_zones(text)))


def _events_of(calendar: Any) -> tuple[icalendar.Event, ...]:
    components = tuple(calendar.walk("VEVENT"))
    if not components:
        raise UnreadableEvent("there is no event in it")
    return components


def _read(text: str) -> Any:
    try:
        return icalendar.Calendar.from_ical(text)
    except (ValueError, TypeError, KeyError, IndexError, AttributeError) as error:
        raise UnreadableEvent(type(error).__name__) from None


def _without_known_zones(text: str) -> str:
    """Return an object without the rules of zones that the database has, which take the longest to read."""
    if _ZONE_BEGINS not in text:
        return text
    lines: list[str] = []
    described: list[str] | None = None
    for line in text.splitlines(keepends=True):
        if described is None and line.startswith(_ZONE_BEGINS):
            described = []
        (lines if described is None else described).append(line)
        if described is not None and line.startswith(_ZONE_ENDS):
            lines += [] if _is_known_zone(described) else described
            described = None
    return "".join([*lines, *(described or ())])


def _is_known_zone(described: Sequence[str]) -> bool:
    name = next((line.removeprefix("TZID:").strip() for line in described if line.startswith("TZID:")), "")
    try:
        return bool(name) and bool(ZoneInfo(name))
    except (KeyError, ValueError, OSError):
        return False


def _main(events: Sequence[icalendar.Event]) -> icalendar.Event:
    return next((event for event in events if event.get("RECURRENCE-ID") is None), events[0])


def _of_occurrence(occurrence: Occurrence, etag: str, zone: ZoneInfo) -> InvitedEntry:
    return _described(
        occurrence.event, etag, zone, (occurrence.start, occurrence.end), f"/{occurrence.original:%Y%m%dT%H%M%SZ}"
    )


def _found(event: icalendar.Event, etag: str, zone: ZoneInfo) -> InvitedEntry:
    start = value_of(event.get("DTSTART"), "DTSTART")
    return _described(event, etag, zone, (start, end_of(event, start)))


def _described(
    event: icalendar.Event, etag: str, zone: ZoneInfo, times: tuple[date | datetime, date | datetime], which: str = ""
) -> InvitedEntry:
    begins, ends = (aware(moment, zone) for moment in times)
    is_cancelled = str(event.get("STATUS", "")).upper() == "CANCELLED"
    attendees = tuple(_addresses(event))
    entry = CalendarEntry(
        id=f"{event.get('UID', '')}{which}",
        start=begins,
        end=max(ends, begins + _AT_LEAST, key=lambda moment: moment.astimezone(UTC)),
        title=str(event.get("SUMMARY", "")),
        description=str(event.get("DESCRIPTION", "")),
        location=str(event.get("LOCATION", "")),
        attendees=tuple(address for address, _ in attendees),
        booking_id=str(event.get(BOOKING, "")),
        is_all_day=not isinstance(times[0], datetime),
        is_busy=not is_cancelled and str(event.get("TRANSP", "OPAQUE")).upper() != "TRANSPARENT",
        is_cancelled=is_cancelled,
        version=etag,
    )
    return InvitedEntry(entry, frozenset(address.lower() for address, answer in attendees if answer == "DECLINED"))


def _addresses(event: icalendar.Event) -> Iterator[tuple[str, str]]:
    for attendee in listed(event.get("ATTENDEE")):
        if str(attendee)[: len(_MAIL)].lower() == _MAIL:
            yield str(attendee)[len(_MAIL) :], str(attendee.params.get("PARTSTAT", "")).upper()
