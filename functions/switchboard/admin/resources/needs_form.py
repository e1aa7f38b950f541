"""What a service says it needs, as owners enter it: held against the people, rooms and seats that there are."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from switchboard.admin.access.refusal import EntryProblem
from switchboard.admin.audit.entry import same
from switchboard.admin.documents.difference import ABSENT
from switchboard.contract.business.resources import MOST_NEEDS, Resource, candidates, read_needs, read_resources
from switchboard.contract.json import JsonObject

_FIELDS = ("kind", "any", "count", "perPerson")


def needs_problems(wanted: JsonObject, before: JsonObject) -> Iterator[EntryProblem]:
    """Yield what is wrong with the needs of services; those that stood there before are left alone."""
    resources = read_resources(wanted.get("resources"), [])
    kept = {name: row.get("needs", ABSENT) for name, row in _services(before)}
    services = wanted.get("services")
    for at, row in enumerate(services if isinstance(services, list) else ()):
        needs = row.get("needs") if isinstance(row, Mapping) else None
        if needs is not None and not same(kept.get(str(row.get("name")), ABSENT), needs):
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
            told = (
                f"{place}: there is no {need.kind} called {', '.join(id[:40] for id in strangers)}. There are: {known}."
            )
            yield EntryProblem(place, told)
        elif len(found := candidates(need, resources, service)) < need.count:
            have = f"only {len(found)} can" if found else "nobody and nothing can"
            yield EntryProblem(
                place,
                f"{place}: {service!r} would need {need.count} of the kind {need.kind}, and {have} be had for it. Of "
                f"that kind there are: {known}.",
            )


def _services(business: JsonObject) -> Iterator[tuple[str, Mapping[str, Any]]]:
    rows = business.get("services")
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, Mapping):
            yield str(row.get("name")), row
