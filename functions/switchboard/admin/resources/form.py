"""People, rooms, chairs and seats as owners enter them, checked strictly: all problems at once, in plain words.

Reading them is tolerant (`contract/business/resources.py`), so that a live business stays on the air; what is entered
is not.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from switchboard.admin.access.refusal import EntryProblem
from switchboard.admin.api.wording import wrong_with
from switchboard.admin.businesses.opening_form import hours_problems
from switchboard.admin.documents.difference import ABSENT, same
from switchboard.admin.resources.models import (
    LONGEST_SETTING,
    MOST_CALENDARS,
    AbsenceForm,
    OutsideCalendarRow,
    ResourceForm,
)
from switchboard.contract.business.business import Business, Integration
from switchboard.contract.business.names import LOOKALIKES, letters, slug
from switchboard.contract.business.resources import (
    ID,
    MAIN,
    MOST_ABSENCES,
    MOST_NEEDS,
    PERSON,
    SEATS,
    Absence,
    Need,
    Resource,
    candidates,
    local_time,
    read_absences,
    read_needs,
    read_resources,
)
from switchboard.contract.json import JsonObject
from switchboard.contract.vendors import OUTSIDE_CALENDARS
from switchboard.desk.bookings.duration import is_anyone, is_last_time

FIELDS = tuple(name for name in ResourceForm.model_fields if name != "id")
"""What an owner says of one; its id names it for ever."""
ABSENCE_FIELDS = tuple(AbsenceForm.model_fields)
ID_SENTENCE = f"{{id}} is no id: use text of small letters, digits and hyphens, such as rosa-2; {MAIN!r} is taken."
# Servers and accounts are the business's own: whoever enters a person must not send its passwords elsewhere.
_CALENDAR_FIELDS = tuple(field.alias or name for name, field in OutsideCalendarRow.model_fields.items())
_LONGEST_ID = 39


def resource_problems(
    id: str, row: JsonObject, business: Business, others: Sequence[Resource]
) -> Iterator[EntryProblem]:
    """Yield what is wrong with what an owner enters, by its shape or, where that is right, by its business.

    Args:
        id: The id it has, or shall have.
        row: The fields, as they would be stored.
        business: Whose it is.
        others: What else there is.
    """
    if not ID.fullmatch(id) or id == MAIN:
        yield EntryProblem("id", ID_SENTENCE.format(id=repr(id[:60])))
    if problems := wrong_with(ResourceForm, row):
        yield from problems
        return
    if row.get("kind", PERSON) == PERSON:
        yield from _name(row["name"], others)
    yield from hours_problems("hours", row.get("hours"))
    yield from _services(row.get("services") or (), business)
    yield from _calendars(row.get("calendars"), business)
    absences = row.get("absences") or ()
    for at, absence in enumerate(absences):
        yield from absence_problems(absence, f"absences[{at}].")
    ids = [absence["id"] for absence in absences if absence.get("id") is not None]
    if len(set(ids)) < len(ids):
        yield EntryProblem("absences", "Two absences have the same id; leave it out for a new one.")


def absence_problems(absence: Mapping[str, Any], place: str = "") -> Iterator[EntryProblem]:
    """Yield what is wrong with an absence whose fields are each right; `place` is where it stands, up to its fields."""
    start, end = local_time(absence["start"]), local_time(absence.get("end", absence["start"]), is_end=True)
    if start is not None and end is not None and end <= start:
        message = "This absence ends before it begins; a day off has the same day as start and end."
        yield EntryProblem(f"{place}end", message)


def settled(row: Mapping[str, Any], business: Business) -> JsonObject:
    """Return a resource as it is stored: without what says nothing, its services spelt as the business spells them."""
    fields = {name: row[name] for name in ("id", *FIELDS) if row.get(name) is not None}
    usual = {"capacity": 1, "seats": 0, "absences": [], "calendars": []}
    fields = {name: value for name, value in fields.items() if not (name in usual and value == usual[name])}
    if isinstance(fields.get("name"), str):
        fields["name"] = " ".join(fields["name"].split())
    services = fields.get("services")
    if isinstance(services, list):
        known = {one: business.service_named(one) for one in services if isinstance(one, str)}
        fields["services"] = [service.name if (service := known.get(str(one))) else one for one in services]
    return {"kind": PERSON, **fields}


def with_absence(absences: Sequence[JsonObject], new: JsonObject, now: datetime) -> tuple[list[JsonObject], list[str]]:
    """Return absences with a further one, and what an owner should know of it.

    Args:
        absences: Those there are, as they are stored.
        new: The further one, which has been checked.
        now: The local time, without its zone.
    """
    (it,) = read_absences([new], "", [])
    problems = []
    if it.end <= now:
        problems.append("This absence is over already; it is kept, and changes nothing.")
    known = read_absences(list(absences), "", [])
    if any(it.start < one.end and one.start < it.end for one in known):
        problems.append("It overlaps another absence of the same; both are kept, and count together.")
    rows = [*absences, new]
    if len(rows) > MOST_ABSENCES:
        over = sorted((row for row in rows if _ended(row, now)), key=lambda row: str(row.get("end") or row["start"]))
        gone = over[: len(rows) - MOST_ABSENCES]
        rows = [row for row in rows if not any(row is one for one in gone)]
        problems += [f"{len(gone)} of the past were dropped: {MOST_ABSENCES} are kept."] if gone else []
    return sorted(rows, key=lambda row: str(row.get("start"))), problems


def free_id(name: str, taken: Sequence[str]) -> str:
    """Return an id that is made of a name and that nothing has."""
    base = slug(name)[: _LONGEST_ID - 4].strip("-") or "person"
    ids = (base if n == 1 else f"{base}-{n}" for n in range(1, len(taken) + 3))
    return next(id for id in ids if id not in taken and id != MAIN)


def _name(value: str, others: Sequence[Resource]) -> Iterator[EntryProblem]:
    name = " ".join(value.split())
    if is_anyone(name) or is_last_time(name):
        yield EntryProblem(
            "name", f"name must be one that callers can ask for; {name[:40]!r} means nobody in particular."
        )
    elif any(other.kind == PERSON and _told(other.name) == _told(name) for other in others):
        yield EntryProblem(
            "name", f"There is somebody called {name!r} already; add a surname, so that callers can tell them."
        )


def _told(name: str) -> str:
    return letters(name.translate(LOOKALIKES))


def _services(names: Sequence[str], business: Business) -> Iterator[EntryProblem]:
    unknown = [name for name in names if business.service_named(name) is None] if business.services else []
    if unknown:
        there = ", ".join(service.name for service in business.services)
        yield EntryProblem(
            "services", f"There is no service called {', '.join(map(repr, unknown))[:200]}. There are: {there}."
        )


def _calendars(value: Any, business: Business) -> Iterator[EntryProblem]:
    if value is None:
        return
    if not isinstance(value, list) or len(value) > MOST_CALENDARS or not all(isinstance(one, Mapping) for one in value):
        yield EntryProblem(
            "calendars", f'calendars must be a list of at most {MOST_CALENDARS} such as [{{"integration": …}}].'
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
        for field, setting in one.items():
            if field not in _CALENDAR_FIELDS:
                known = ", ".join(_CALENDAR_FIELDS)
                yield EntryProblem(
                    place, f"{place} has no {str(field)[:40]!r}; use {known}. The account is the business's own."
                )
            elif not isinstance(setting, str) or not 0 < len(setting) <= LONGEST_SETTING:
                yield EntryProblem(place, f"{place}.{field} must be text of at most {LONGEST_SETTING} characters.")


def _ended(row: JsonObject, now: datetime) -> bool:
    read: tuple[Absence, ...] = read_absences([row], "", [])
    return not read or read[0].end <= now


_FIELDS = ("kind", "any", "count", "perPerson")


def needs_problems(document: JsonObject, before: JsonObject) -> Iterator[EntryProblem]:
    """Yield what is wrong with the needs of services; those that stood there before are left alone."""
    resources = read_resources(document.get("resources"), [])
    needs_before = {name: row.get("needs", ABSENT) for name, row in _service_rows(before)}
    services = document.get("services")
    for at, row in enumerate(services if isinstance(services, list) else ()):
        needs = row.get("needs") if isinstance(row, Mapping) else None
        if needs is not None and not same(needs_before.get(str(row.get("name")), ABSENT), needs):
            yield from _of_service(f"services[{at}].needs", str(row.get("name") or ""), needs, resources)


def _of_service(place: str, service: str, value: Any, resources: Sequence[Resource]) -> Iterator[EntryProblem]:
    if not isinstance(value, list) or len(value) > MOST_NEEDS:
        yield EntryProblem(place, f'{place} must be a list of at most {MOST_NEEDS} such as [{{"kind": "person"}}].')
        return
    unknown = {str(name) for row in value if isinstance(row, Mapping) for name in row} - set(_FIELDS)
    for name in sorted(unknown):
        yield EntryProblem(place, f"{place} has no {name[:60]!r}. Use {', '.join(_FIELDS)}.")
    wrong: list[str] = []
    read = read_needs(value, place, wrong)
    if any(not isinstance(row.get("perPerson", False), bool) for row in value if isinstance(row, Mapping)):
        wrong.append(f"{place}: perPerson must be true or false")
    if wrong:
        yield from (EntryProblem(place, f"{text}.") for text in wrong)
        return
    by_id = {resource.id: resource for resource in resources}
    for need in read:
        strangers = [id for id in need.any if id not in by_id or by_id[id].kind != need.kind]
        known = ", ".join(r.id for r in resources if r.kind == need.kind) or "none yet; enter them first"
        if strangers:
            message = (
                f"{place}: there is no {need.kind} called {', '.join(id[:40] for id in strangers)}. There are: {known}."
            )
            yield EntryProblem(place, message)
        elif shared := _shared_by_each(need, candidates(need, resources, service)):
            yield EntryProblem(
                place,
                f"{place}: perPerson takes one {need.kind} for each of a party, and {shared.name} is for a party of "
                f"{shared.seats} together. For a group in which each takes a place, give {shared.name} the kind "
                f"{SEATS} and the capacity {shared.seats}, and let the service need "
                f'{{"kind": "{SEATS}"}}; for one that takes it together, leave perPerson out.',
            )
        elif len(able := candidates(need, resources, service)) < need.count:
            have = f"only {len(able)} can" if able else "nobody and nothing can"
            yield EntryProblem(
                place,
                f"{place}: {service!r} would need {need.count} of the kind {need.kind}, and {have} be had for it. Of "
                f"that kind there are: {known}.",
            )


def _shared_by_each(need: Need, able: Sequence[Resource]) -> Resource | None:
    """Return what is for a party together although each of one would need their own."""
    shared = (resource for resource in able if resource.seats > 1)
    return next(shared, None) if need.per_person and need.kind != SEATS else None


def _service_rows(business: JsonObject) -> Iterator[tuple[str, Mapping[str, Any]]]:
    rows = business.get("services")
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, Mapping):
            yield str(row.get("name")), row
