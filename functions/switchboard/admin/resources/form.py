"""People, rooms, chairs and seats as owners enter them, checked strictly: all problems at once, in plain words.

Reading them is tolerant (`contract/business/resources.py`), so that a live business stays on the air; what is entered
is not.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from switchboard.admin.access.refusal import EntryProblem
from switchboard.admin.businesses.opening_form import hours_problems
from switchboard.admin.documents.one_line import SENTENCE, is_one_line
from switchboard.contract.business.business import OUTSIDE_CALENDARS, Business, Integration
from switchboard.contract.business.names import letters, slug
from switchboard.contract.business.resources import (
    ID,
    KIND,
    MAIN,
    MOST_ABSENCES,
    MOST_AT_ONCE,
    PERSON,
    Absence,
    Resource,
    local_time,
    read_absences,
)
from switchboard.contract.json import JsonObject
from switchboard.desk.bookings.duration import is_anyone, is_last_time

FIELDS = ("name", "kind", "capacity", "seats", "hours", "services", "calendars", "absences")
"""What an owner says of one; its id names it for ever."""
ID_SENTENCE = f"{{id}} is no id: use text of small letters, digits and hyphens, such as rosa-2; {MAIN!r} is taken."
ABSENCE_FIELDS = ("start", "end", "reason")
_NAME, _REASON, _CALENDARS, _SETTING = 100, 200, 5, 2_000
# Servers and accounts are the business's own: whoever enters a person must not send its passwords elsewhere.
_CALENDAR_FIELDS = ("integration", "calendarId", "calendarUrl")
_LONGEST_ID = 39
# It stands in an address.
_ABSENCE_ID = re.compile(r"[A-Za-z0-9_-]{1,60}")


def resource_problems(
    id: str, row: JsonObject, business: Business, others: Sequence[Resource]
) -> Iterator[EntryProblem]:
    """Yield everything that is wrong with what an owner enters.

    Args:
        id: The id it has, or shall have.
        row: The fields, as they would be stored.
        business: Whose it is.
        others: What else there is.
    """
    if not ID.fullmatch(id) or id == MAIN:
        yield EntryProblem("id", ID_SENTENCE.format(id=repr(id[:60])))
    for field in row:
        if field not in (*FIELDS, "id"):
            yield EntryProblem(str(field)[:80], f"There is no {str(field)[:60]!r} here. Use {', '.join(FIELDS)}.")
    kind = row.get("kind", PERSON)
    yield from _name(row.get("name"), kind, others)
    if not isinstance(kind, str) or not KIND.fullmatch(kind):
        yield EntryProblem("kind", "kind must be one word in small letters, such as person, room, chair or seats.")
    yield from _count(row, "capacity", 1, "how many appointments it takes at once, or of seats how many people")
    yield from _count(row, "seats", 0, "how large a party one appointment may be; 0 where nobody counts")
    yield from hours_problems("hours", row.get("hours"))
    yield from _services(row.get("services"), business)
    yield from _calendars(row.get("calendars"), business)
    absences = row.get("absences")
    if absences is not None and not isinstance(absences, list):
        yield EntryProblem("absences", "absences must be a list of objects with start and end.")
    given = absences if isinstance(absences, list) else []
    for at, absence in enumerate(given):
        yield from (EntryProblem(f"absences[{at}].{p.field}", p.message) for p in absence_problems(absence))
    ids = [repr(one["id"]) for one in given if isinstance(one, Mapping) and one.get("id") is not None]
    if len(set(ids)) < len(ids):
        yield EntryProblem("absences", "Two absences have the same id; leave it out for a new one.")


def absence_problems(given: Any) -> Iterator[EntryProblem]:
    """Yield everything that is wrong with an absence that an owner enters."""
    if not isinstance(given, Mapping):
        yield EntryProblem("start", 'An absence is an object such as {"start": "2026-12-24", "end": "2026-12-31"}.')
        return
    for field in given:
        if field not in (*ABSENCE_FIELDS, "id"):
            told = f"An absence has no {str(field)[:60]!r}. Use {', '.join(ABSENCE_FIELDS)}."
            yield EntryProblem(str(field)[:80], told)
    start, end = local_time(given.get("start")), local_time(given.get("end", given.get("start")), is_end=True)
    for name, moment in (("start", start), ("end", end)):
        if moment is None:
            yield EntryProblem(
                name,
                f"{name} must be a day such as 2026-12-24, or a time of the business's own clock such as "
                "2026-12-24T14:00, without an offset.",
            )
    if start is not None and end is not None and end <= start:
        yield EntryProblem("end", "This absence ends before it begins; a day off has the same day as start and end.")
    id = given.get("id")
    if id is not None and not (isinstance(id, str) and _ABSENCE_ID.fullmatch(id)):
        yield EntryProblem("id", "id must be that of an absence that is there already; leave it out for a new one.")
    reason = given.get("reason", "")
    if not isinstance(reason, str) or len(reason) > _REASON or not is_one_line(reason):
        yield EntryProblem("reason", f"reason must be one line of at most {_REASON} characters.")


def settled(row: Mapping[str, Any], business: Business) -> JsonObject:
    """Return a resource as it is stored: without what says nothing, its services spelt as the business spells them."""
    found = {name: row[name] for name in ("id", *FIELDS) if row.get(name) is not None}
    usual = {"capacity": 1, "seats": 0, "absences": [], "calendars": []}
    found = {name: value for name, value in found.items() if not (name in usual and value == usual[name])}
    if isinstance(found.get("name"), str):
        found["name"] = " ".join(found["name"].split())
    services = found.get("services")
    if isinstance(services, list):
        known = {one: business.service_named(one) for one in services if isinstance(one, str)}
        found["services"] = [service.name if (service := known.get(str(one))) else one for one in services]
    return {"kind": PERSON, **found}


def with_absence(absences: Sequence[JsonObject], new: JsonObject, now: datetime) -> tuple[list[JsonObject], list[str]]:
    """Return absences with a further one, and what an owner should know of it.

    Args:
        absences: Those there are, as they are stored.
        new: The further one, which has been checked.
        now: The local time, without its zone.
    """
    (it,) = read_absences([new], "", [])
    told = []
    if it.end <= now:
        told.append("This absence is over already; it is kept, and changes nothing.")
    known = read_absences(list(absences), "", [])
    if any(it.start < one.end and one.start < it.end for one in known):
        told.append("It overlaps another absence of the same; both are kept, and count together.")
    kept = [*absences, new]
    if len(kept) > MOST_ABSENCES:
        over = sorted((row for row in kept if _ended(row, now)), key=lambda row: str(row.get("end") or row["start"]))
        gone = over[: len(kept) - MOST_ABSENCES]
        kept = [row for row in kept if not any(row is one for one in gone)]
        told += [f"{len(gone)} of the past were dropped: {MOST_ABSENCES} are kept."] if gone else []
    return sorted(kept, key=lambda row: str(row.get("start"))), told


def free_id(name: str, taken: Sequence[str]) -> str:
    """Return an id that is made of a name and that nothing has."""
    base = slug(name)[: _LONGEST_ID - 4].strip("-") or "person"
    ids = (base if n == 1 else f"{base}-{n}" for n in range(1, len(taken) + 3))
    return next(id for id in ids if id not in taken and id != MAIN)


def _name(value: Any, kind: Any, others: Sequence[Resource]) -> Iterator[EntryProblem]:
    name = " ".join(value.split()) if isinstance(value, str) else ""
    if not 0 < len(name) <= _NAME:
        yield EntryProblem("name", f"name must be what callers say, of 1 to {_NAME} characters.")
    elif not is_one_line(value):
        yield EntryProblem("name", SENTENCE.format("name"))
    elif kind == PERSON and (is_anyone(name) or is_last_time(name)):
        yield EntryProblem(
            "name", f"name must be one that callers can ask for; {name[:40]!r} means nobody in particular."
        )
    elif kind == PERSON and any(o.kind == PERSON and letters(o.name) == letters(name) for o in others):
        yield EntryProblem(
            "name", f"There is somebody called {name!r} already; add a surname, so that callers can tell them."
        )


def _count(row: JsonObject, name: str, least: int, means: str) -> Iterator[EntryProblem]:
    value = row.get(name, least)
    if type(value) is not int or not least <= value <= MOST_AT_ONCE:
        yield EntryProblem(name, f"{name} must be a whole number from {least} to {MOST_AT_ONCE}: {means}.")


def _services(value: Any, business: Business) -> Iterator[EntryProblem]:
    if value is None:
        return
    if not isinstance(value, list) or not all(isinstance(one, str) and one.strip() for one in value):
        yield EntryProblem("services", "services must be a list of names of services, or null for all.")
        return
    if not value:
        yield EntryProblem(
            "services", "services is empty, so that nothing could be booked; send null for all services."
        )
    unknown = [one for one in value if business.service_named(one) is None] if business.services else []
    if unknown:
        there = ", ".join(service.name for service in business.services)
        yield EntryProblem(
            "services", f"There is no service called {', '.join(map(repr, unknown))[:200]}. There are: {there}."
        )


def _calendars(value: Any, business: Business) -> Iterator[EntryProblem]:
    if value is None:
        return
    if not isinstance(value, list) or len(value) > _CALENDARS or not all(isinstance(one, Mapping) for one in value):
        yield EntryProblem(
            "calendars", f'calendars must be a list of at most {_CALENDARS} such as [{{"integration": …}}].'
        )
        return
    for at, one in enumerate(value):
        place, name = f"calendars[{at}]", one.get("integration")
        if not isinstance(name, str) or name not in OUTSIDE_CALENDARS:
            yield EntryProblem(place, f"{place}.integration must be one of {', '.join(OUTSIDE_CALENDARS)}.")
        elif not business.integrations.get(name, Integration()).is_connected:
            yield EntryProblem(
                place, f"{OUTSIDE_CALENDARS[name]} is not connected here; connect it first, under Connections."
            )
        for field, said in one.items():
            if field not in _CALENDAR_FIELDS:
                known = ", ".join(_CALENDAR_FIELDS)
                yield EntryProblem(
                    place, f"{place} has no {str(field)[:40]!r}; use {known}. The account is the business's own."
                )
            elif not isinstance(said, str) or not 0 < len(said) <= _SETTING:
                yield EntryProblem(place, f"{place}.{field} must be text of at most {_SETTING} characters.")


def _ended(row: JsonObject, now: datetime) -> bool:
    found: tuple[Absence, ...] = read_absences([row], "", [])
    return not found or found[0].end <= now
