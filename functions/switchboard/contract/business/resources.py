"""What appointments take up: people, rooms, chairs, equipment, seats; read tolerantly from a business's document.

A business that enters none has one chair, `MAIN`. Names of fields are those of the document in camelCase. What cannot
be used is left out and named: a person who is misspelt must not take a live business off the air.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from typing import Any, Final

from switchboard.contract.business.names import folded
from switchboard.contract.business.working_hours import WorkingHours, read_working_hours
from switchboard.contract.document import read_objects
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass

PERSON: Final = "person"
SEATS: Final = "seats"
"""The kind of which everybody in a party takes one: a class, a boat. Of any other, a party takes one together."""
MAIN: Final = "main"
"""The one chair of a business that has entered nothing."""

MOST_RESOURCES, MOST_ABSENCES, MOST_NEEDS = 100, 200, 6
MOST_AT_ONCE: Final = 500
"""How many one resource can take at the same time, and how many seats it can have."""
MOST_OF_A_NEED: Final = 20
FIRST_YEAR, LAST_YEAR = 1971, 9000
"""The years in which anything can be meant."""
ID = re.compile(r"^[a-z0-9][a-z0-9-]{0,38}$")
KIND = re.compile(r"^[a-z][a-z0-9_-]{0,29}$")
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Absence:
    """When a resource is not there, in local time of the business; the end does not belong to it."""

    id: str
    start: datetime
    end: datetime
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Resource:
    """Somebody or something that appointments take up.

    Attributes:
        id: Names it in documents, for ever.
        name: As callers say it.
        kind: `person`, `seats`, or any other word, such as `room`.
        capacity: How many appointments it takes at once; of seats, how many people.
        seats: How large a party one appointment with it may be, such as at a table for four; 0 where nobody counts.
        hours: When it is there, within the hours of the business; None: whenever that is open.
        absences: When it is not there all the same.
        services: The only services it does, in any case; None: every one.
        calendars: Outside calendars that keep it busy, as `{integration, calendarId, ...}`; the first gets its entries.
    """

    id: str
    name: str
    kind: str = PERSON
    capacity: int = 1
    seats: int = 0
    hours: WorkingHours | None = None
    absences: tuple[Absence, ...] = ()
    services: frozenset[str] | None = None
    calendars: tuple[JsonObject, ...] = ()

    def does(self, service: str) -> bool:
        """Tell whether a service can be had with it; a mere length of time can."""
        return self.services is None or not service or folded(service) in self.services


@dataclass(frozen=True, slots=True)
class Need:
    """What an appointment takes up: some of a kind, one for each of the party or for all of them together.

    Attributes:
        kind: The kind of resource.
        any: The ids of those that will do; all of the kind where it names none.
        count: How many of them.
        per_person: Whether each of a party needs so many.
    """

    kind: str
    any: tuple[str, ...] = ()
    count: int = 1
    per_person: bool = False


CHAIR = Resource(MAIN, "", MAIN)
"""The one chair of a business that has entered nothing."""
ONE_CHAIR = (Need(MAIN),)


def usual_needs(resources: Sequence[Resource]) -> tuple[Need, ...]:
    """Return what a service needs that does not say: somebody, or else a chair, or else any of the first kind."""
    kinds = [resource.kind for resource in resources]
    if not kinds:
        return ONE_CHAIR
    return (Need(next((kind for kind in (PERSON, "chair") if kind in kinds), kinds[0])),)


def candidates(need: Need, resources: Sequence[Resource], service: str) -> list[Resource]:
    """Return what can meet a need of a service."""
    fitting = (r for r in resources if r.kind == need.kind and (not need.any or r.id in need.any))
    return [resource for resource in fitting if resource.does(service)]


def largest_party(needs: Sequence[Need], resources: Sequence[Resource], service: str) -> int:
    """Return how many can come together for a service; 0 where nobody does it, 1 where it is not made for parties."""
    most = MOST_AT_ONCE
    is_for_parties = False
    for need in needs:
        able = candidates(need, resources, service)
        if len(able) < need.count:
            return 0
        if need.kind == SEATS:
            sizes = sorted((resource.capacity for resource in able), reverse=True)
            limit, counts = sizes[need.count - 1], True
        elif need.per_person:
            limit, counts = len(able) // need.count, True
        else:
            sizes = sorted((resource.seats or MOST_AT_ONCE for resource in able), reverse=True)
            limit, counts = sizes[need.count - 1], any(resource.seats for resource in able)
        is_for_parties |= counts
        most = min(most, limit)
    return most if is_for_parties else 1


def read_resources(data: Any, problems: list[str]) -> tuple[Resource, ...]:
    """Return the resources of a document; what is wrong with one is named in `problems`, and it is left out."""
    by_id: dict[str, Resource] = {}
    for row in read_objects(data, "resources", problems):
        resource = _resource(row, problems)
        if resource is None:
            continue
        if resource.id in by_id or len(by_id) >= MOST_RESOURCES:
            why = "stands there twice" if resource.id in by_id else f"is more than {MOST_RESOURCES}"
            problems.append(f"resources: {resource.id!r} {why}")
            continue
        by_id[resource.id] = resource
    return tuple(by_id.values())


def read_needs(data: Any, where: str, problems: list[str]) -> tuple[Need, ...]:
    """Return what a service says it needs; nothing where it does not say."""
    needs = []
    for row in read_objects(data, where, problems)[:MOST_NEEDS]:
        kind, count, ids = row.get("kind", PERSON), row.get("count", 1), row.get("any") or []
        if not isinstance(kind, str) or not KIND.match(kind):
            problems.append(f"{where}: {kind!r} is not a kind such as person or room")
        elif not _is_whole(count, 1, MOST_OF_A_NEED):
            problems.append(f"{where}: count must be a whole number from 1 to {MOST_OF_A_NEED}")
        elif not isinstance(ids, list) or not all(isinstance(id, str) for id in ids):
            problems.append(f"{where}: any must be a list of ids")
        else:
            needs.append(Need(kind, tuple(ids), int(count), row.get("perPerson") is True))
    return tuple(needs)


def _resource(row: Mapping[str, Any], problems: list[str]) -> Resource | None:
    id, name, kind = row.get("id"), row.get("name"), row.get("kind", PERSON)
    where = f"resources.{id}"
    if not isinstance(id, str) or not ID.match(id) or id == MAIN:
        problems.append(f"resources: {id!r} is no id of small letters, digits and hyphens, other than {MAIN}")
        return None
    if not isinstance(name, str) or not name.strip() or not isinstance(kind, str) or not KIND.match(kind):
        problems.append(f"{where}: needs a name, and a kind such as person or room")
        return None
    capacity, seats = row.get("capacity", 1), row.get("seats", 0)
    if not _is_whole(capacity, 1, MOST_AT_ONCE) or not _is_whole(seats, 0, MOST_AT_ONCE):
        problems.append(f"{where}: capacity must be from 1, and seats from 0, to {MOST_AT_ONCE}")
        return None
    services = row.get("services")
    if services is not None and not (isinstance(services, list) and all(isinstance(one, str) for one in services)):
        problems.append(f"{where}.services: expected a list of names; it counts as doing none")
        services = []
    hours = row.get("hours")
    return Resource(
        id=id,
        name=" ".join(name.split()),
        kind=kind,
        capacity=int(capacity),
        seats=int(seats),
        hours=None if hours is None else read_working_hours(hours, f"{where}.hours", problems),
        absences=read_absences(row.get("absences"), f"{where}.absences", problems),
        services=None if services is None else frozenset(map(folded, services)),
        calendars=tuple(
            dict(one)
            for one in read_objects(row.get("calendars"), f"{where}.calendars", problems)
            if one.get("integration")
        ),
    )


def read_absences(data: Any, where: str, problems: list[str]) -> tuple[Absence, ...]:
    """Return absences, earliest first; each runs from `start` to `end`, as local days (both away) or times."""
    absences = []
    for row in read_objects(data, where, problems)[:MOST_ABSENCES]:
        start, end = local_time(row.get("start")), local_time(row.get("end", row.get("start")), is_end=True)
        if start is None or end is None or end <= start:
            problems.append(
                f"{where}: needs a start before its end, as days such as 2026-12-24 or local times such as "
                "2026-12-24T14:00"
            )
            continue
        absences.append(Absence(str(row.get("id") or ""), start, end, str(row.get("reason") or "")))
    return tuple(sorted(absences, key=lambda absence: (absence.start, absence.end)))


def local_time(text: Any, *, is_end: bool = False) -> datetime | None:
    """Return a local time, or a day's beginning; as an end, a day is over when the next begins. None: it is neither."""
    if not isinstance(text, str):
        return None
    try:
        if len(text) == len("2026-12-24"):
            day = datetime.combine(date.fromisoformat(text), time.min)
            moment = day + _DAY if is_end else day
        else:
            moment = datetime.fromisoformat(text)
    except (ValueError, OverflowError):
        return None
    # The arithmetic of zones stands no time at the very edge of the calendar, and nobody means one.
    return moment if moment.tzinfo is None and FIRST_YEAR <= moment.year <= LAST_YEAR else None


def _is_whole(value: Any, least: int, most: int) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and least <= value <= most and value % 1 == 0
