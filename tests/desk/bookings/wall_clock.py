"""When something can be booked, found out from a business's document alone: five minutes by five, by the wall clock."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from functools import cache
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

STEP, DAY = timedelta(minutes=5), timedelta(days=1)
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_CLOCK = re.compile(r"(\d+):(\d\d)(?: \((.+)\))?")


class Held(NamedTuple):
    """An appointment that stands, and how much of what it takes."""

    service: Mapping[str, Any]
    start: datetime
    taken: tuple[tuple[str, int], ...]


@cache
def moments(zone: ZoneInfo, day: date) -> list[datetime]:
    """Return every five minutes (UTC) at which the clocks of a zone show a day."""
    around = datetime(day.year, day.month, day.day, tzinfo=UTC) - timedelta(hours=15)
    shown = (around + n * STEP for n in range(12 * 56))
    return [moment for moment in shown if moment.astimezone(zone).date() == day]


def steps(start: datetime, end: datetime) -> Iterator[datetime]:
    """Yield each five minutes that a stretch of time touches."""
    moment = start - timedelta(minutes=start.minute % 5)
    while moment < end:
        yield moment
        moment += STEP


class WallClock:
    """Knows from a document, a clock and the appointments that stand what can be booked."""

    def __init__(self, document: Mapping[str, Any], now: datetime) -> None:
        self.document, self.now, self.zone = document, now, ZoneInfo(document["timezone"])
        self.held: dict[str, Held] = {}
        self._there: dict[tuple[str, date], frozenset[datetime]] = {}

    def service(self, name: str) -> Mapping[str, Any]:
        return next(service for service in self.document["services"] if service["name"] == name)

    def starts(self, service: str, day: date, person: str = "", party: int = 1) -> set[datetime]:
        """Return all moments of a local day at which a service can be booked."""
        return {m for m in moments(self.zone, day) if self.is_free(service, m, person, party)}

    def is_free(self, name: str, start: datetime, person: str = "", party: int = 1) -> bool:
        settings, service = self.document["integrations"]["builtinCalendar"], self.service(name)
        earliest = self.now + timedelta(minutes=settings["minNoticeMinutes"])
        if not earliest <= start <= self.now + settings["maxDaysAhead"] * DAY or start.minute % 5:
            return False
        own = set(steps(start, start + timedelta(minutes=service["durationMinutes"])))
        if not own <= self._is_there("", self.document["workingHours"], start):
            return False
        kept, used = set(_kept(service, start)), Counter[tuple[str, datetime]]()
        for held in self.held.values():
            for step in kept.intersection(_kept(held.service, held.start)):
                used.update({(id, step): units for id, units in held.taken or [("", 1)]})
        resources = self.document["resources"]
        if not resources:
            return not used
        wanted = []
        for need in service.get("needs") or [{"kind": "person"}]:
            units = party if need["kind"] == "seats" else 1
            able = [
                r["id"]
                for r in resources
                if r["kind"] == need["kind"]
                and (r.get("services") is None or name in r["services"])
                and own <= self._is_there(r["id"], r.get("hours") or _ALWAYS, start, r.get("absences", ()))
                and all(used[r["id"], step] + units <= r.get("capacity", 1) for step in kept)
            ]
            wanted += [able] * (party if need.get("perPerson") else 1)
        return _is_met(wanted, person, frozenset())

    def _is_there(self, id: str, hours: Mapping[str, Any], start: datetime, absences: Any = ()) -> frozenset[datetime]:
        """Return each five minutes of a day, and of those beside it, in which somebody is there."""
        day, spans = start.astimezone(self.zone).date(), [(one["start"], one["end"]) for one in absences]
        if (id, day) not in self._there:
            hours_open = (moment for n in (-1, 0, 1) for moment in self._of_day(hours, day + n * DAY))
            walls = ((moment, f"{moment.astimezone(self.zone):%Y-%m-%dT%H:%M}") for moment in hours_open)
            self._there[id, day] = frozenset(m for m, wall in walls if not any(a <= wall < b for a, b in spans))
        return self._there[id, day]

    def _of_day(self, hours: Mapping[str, Any], day: date) -> Iterator[datetime]:
        special, shown = hours.get("exceptions", {}), moments(self.zone, day)
        spans = special.get(f"{day}", special.get(f"{day:%m-%d}", hours.get(WEEKDAYS[day.weekday()], ())))
        for span in () if spans == "closed" else spans:
            # From the first moment that shows a time, or a later one: of what comes twice, the first.
            first, last = (
                next((n for n, m in enumerate(shown) if f"{m.astimezone(self.zone):%H:%M}" >= clock), len(shown))
                for clock in (span["open"], span["close"])
            )
            yield from shown[first:last]


_ALWAYS = {day: [{"open": "00:00", "close": "24:00"}] for day in WEEKDAYS}


def told_starts(times: str, day: date, zone: ZoneInfo) -> set[datetime]:
    """Return each start that words such as `9:00 to 14:30, 16:30` mean."""
    found = set()
    for run in times.split(", "):
        first, last = (_moment(clock, day, zone) for clock in (run.split(" to ")[0], run.split(" to ")[-1]))
        found |= {first + n * STEP for n in range((last - first) // STEP + 1)}
    return found


def _moment(clock: str, day: date, zone: ZoneInfo) -> datetime:
    match = _CLOCK.fullmatch(clock)
    assert match is not None, clock
    naive = datetime(day.year, day.month, day.day, int(match[1]), int(match[2]))
    both = (naive.replace(tzinfo=zone, fold=fold) for fold in (0, 1))
    meant = {one.astimezone(UTC) for one in both if match[3] in (None, one.tzname())}
    assert len(meant) == 1, f"{clock} on {day} is shown twice, or never"
    return meant.pop()


def _kept(service: Mapping[str, Any], start: datetime) -> Iterator[datetime]:
    before, after = (timedelta(minutes=service.get(f"buffer{side}Minutes", 0)) for side in ("Before", "After"))
    return steps(start - before, start + timedelta(minutes=service["durationMinutes"]) + after)


def _is_met(wanted: list[list[str]], person: str, taken: frozenset[str]) -> bool:
    if not wanted:
        return person in taken or not person
    return any(_is_met(wanted[1:], person, taken | {id}) for id in wanted[0] if id not in taken)
