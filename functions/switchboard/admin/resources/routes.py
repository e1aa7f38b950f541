"""The owners' HTTP API for people, rooms and seats, their absences, and the appointments that lose them."""

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from switchboard.admin.access.access import Permit
from switchboard.admin.access.refusal import EntryProblem, NotValid
from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import json_answer, saved_answer
from switchboard.admin.api.endpoint import Endpoint
from switchboard.admin.api.paging import read_page
from switchboard.admin.api.request_body import known_body, known_change, wanted_interactions, with_flags
from switchboard.admin.api.schemas import (
    ANYTHING,
    CONFIRM,
    COUNT,
    FLAG,
    MAYBE_TEXT,
    PAGING,
    PERIOD,
    ROWS,
    TEXT,
    TEXTS,
    TIME,
    listed,
    paged,
    record,
)
from switchboard.admin.audit.document_kind import revision_of
from switchboard.admin.resources.booking_office import BookingOffice
from switchboard.admin.resources.consequences import booking_line
from switchboard.admin.resources.form import ABSENCE_FIELDS, FIELDS
from switchboard.admin.resources.resources import ChangeWish, ResourceChange, Resources
from switchboard.contract.json import JsonObject

_HOW = ("dryRun", "confirm")
_HOW_SCHEMA: JsonObject = {
    "dryRun": {**FLAG, "description": "true tells what would break, and saves nothing."},
    "confirm": CONFIRM,
}
_WITH = record({"id": TEXT, "kind": TEXT, "name": TEXT, "units": COUNT})
_LINE = {
    **dict.fromkeys(("id", "service", "customer", "status"), TEXT),
    "start": TIME,
    "end": TIME,
    "phone": MAYBE_TEXT,
    "party": COUNT,
    "with": listed(_WITH),
}
_LOST = record(dict.fromkeys(("id", "kind", "name", "why", "means"), TEXT))
_INSTEAD = {"type": ["array", "null"], "items": record({"id": TEXT, "name": TEXT})}
_ASTRAY = record({**_LINE, "lost": listed(_LOST), "instead": _INSTEAD})
_CONSEQUENCES = record(
    {
        "bookings": listed(_ASTRAY),
        "bookingCount": COUNT,
        "areAll": FLAG,
        "undoneServices": TEXTS,
        "smallerParties": listed(record({"service": TEXT, "before": COUNT, "after": COUNT})),
        "stranded": listed(record({**_LINE, "why": TEXT, "means": TEXT})),
        "strandedCount": COUNT,
        "words": TEXTS,
    }
)
_DONE = record(
    {
        "assigned": listed(record(_LINE)),
        "left": listed(record({**_LINE, "because": TEXT})),
        "remaining": COUNT,
    }
)
_RESOURCE = {**dict.fromkeys(("id", "name", "kind", "revision"), TEXT), "resource": ANYTHING}
_CHANGED = {
    "resource": {"type": ["object", "null"]},
    "revision": TEXT,
    "dryRun": FLAG,
    "consequences": _CONSEQUENCES,
    "notes": TEXTS,
    "assigned": _DONE,
}
_ABSENCE = {"id": TEXT, "resource": TEXT, "name": TEXT, "start": TEXT, "end": TEXT, "reason": TEXT, "revision": TEXT}


class ResourceEndpoints:
    """`/businesses/{id}/resources…`, `…/absences…`."""

    def __init__(self, resources: Resources) -> None:
        """Answer with what `resources` do."""
        self._resources = resources

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """All of them."""
        base, see, edit = "/businesses/{business_id}/resources", Operation.SEE_BUSINESS, Operation.EDIT_BUSINESS
        one, changed = f"{base}/{{resource_id}}", record(_CHANGED)
        fields: JsonObject = {"type": "object", "additionalProperties": False}
        form: JsonObject = {**{name: {} for name in FIELDS}, **_HOW_SCHEMA}
        absences = "/businesses/{business_id}/absences"
        absence_form = {"resource": TEXT, **dict.fromkeys(ABSENCE_FIELDS, TEXT), **_HOW_SCHEMA}
        return (
            Endpoint(
                *("GET", base, see, "List people, rooms, chairs and seats"),
                *(self._list, record({"resources": listed(record(_RESOURCE)), "services": ROWS, "problems": TEXTS})),
            ),
            Endpoint(
                *("POST", base, edit, "Enter a person, a room, a chair or seats", self._create, changed, 201),
                body={**fields, "properties": {"id": TEXT, **form}, "required": ["name"]},
            ),
            Endpoint(
                "GET",
                one,
                see,
                "Read a person, a room, a chair or seats",
                self._one,
                record(_RESOURCE),
                tells_revision=True,
            ),
            Endpoint(
                *("PUT", one, edit, "Replace a person, a room, a chair or seats", self._put, changed),
                body={**fields, "properties": {"id": TEXT, "revision": TEXT, **form}},
                is_revisioned=True,
            ),
            Endpoint(
                *("DELETE", one, edit, "Remove a person, a room, a chair or seats", self._delete, changed),
                body={**fields, "properties": {"revision": TEXT, **_HOW_SCHEMA}},
                is_revisioned=True,
            ),
            Endpoint(
                *("GET", absences, see, "List who and what is not there, and when"),
                *(self._absences, record({"absences": listed(record(_ABSENCE))})),
            ),
            Endpoint(
                *("POST", absences, edit, "Enter when somebody or something is not there"),
                *(self._add_absence, record({**_CHANGED, "absence": record(_ABSENCE)}), 201),
                body={**fields, "properties": absence_form, "required": ["resource", "start"]},
            ),
            Endpoint(
                *("GET", f"{absences}/{{absence_id}}", see, "Read an absence", self._absence, record(_ABSENCE)),
                tells_revision=True,
            ),
            Endpoint(
                *("DELETE", f"{absences}/{{absence_id}}", edit, "Remove an absence", self._drop_absence, changed),
                is_revisioned=True,
            ),
        )

    async def _list(self, request: Request, permit: Permit) -> Response:
        rows, business = await self._resources.all(permit.business_id)
        services = [
            {"name": s.name, "needs": [{"kind": n.kind, "any": list(n.any)} for n in business.needs_of(s)]}
            for s in business.services
        ]
        problems = [text for text in business.problems if text.startswith("resources")]
        return json_answer({"resources": [_row(row) for row in rows], "services": services, "problems": problems})

    async def _one(self, request: Request, permit: Permit) -> Response:
        row = _row(await self._resources.one(permit.business_id, request.path_params["resource_id"]))
        return json_answer(row, revision=row["revision"])

    async def _create(self, request: Request, permit: Permit) -> Response:
        given = await known_body(request, "id", *FIELDS, *_HOW)
        fields, wish = _meant(given)
        return self._answer(await self._resources.create(permit, fields, wish), permit, 201)

    async def _put(self, request: Request, permit: Permit) -> Response:
        given, based_on = await known_change(request, "id", *FIELDS, *_HOW)
        fields, wish = _meant(given)
        id = request.path_params["resource_id"]
        return self._answer(await self._resources.put(permit, id, based_on, fields, wish), permit)

    async def _delete(self, request: Request, permit: Permit) -> Response:
        given, based_on = await known_change(request, *_HOW)
        _, wish = _meant(given)
        id = request.path_params["resource_id"]
        return self._answer(await self._resources.delete(permit, id, based_on, wish), permit)

    async def _absences(self, request: Request, permit: Permit) -> Response:
        rows, _ = await self._resources.all(permit.business_id)
        found = [
            _absence_row(row, one) for row in rows for one in row.get("absences") or () if isinstance(one, Mapping)
        ]
        return json_answer({"absences": sorted(found, key=lambda one: one["start"])})

    async def _absence(self, request: Request, permit: Permit) -> Response:
        resource, one = await self._resources.absence(permit.business_id, request.path_params["absence_id"])
        row = _absence_row(await self._resources.one(permit.business_id, resource), one)
        return json_answer(row, revision=row["revision"])

    async def _add_absence(self, request: Request, permit: Permit) -> Response:
        given = await known_body(request, "resource", *ABSENCE_FIELDS, *_HOW)
        fields, wish = _meant(given)
        absence, change = await self._resources.add_absence(permit, fields, wish)
        return self._answer(change, permit, 201, absence=_absence_row(change.row or {}, absence))

    async def _drop_absence(self, request: Request, permit: Permit) -> Response:
        _, based_on = await known_change(request)
        change = await self._resources.drop_absence(permit, request.path_params["absence_id"], based_on)
        return self._answer(change, permit)

    def _answer(self, change: ResourceChange, permit: Permit, status: int = 200, **more: JsonObject) -> Response:
        body = {
            "resource": change.row,
            "revision": revision_of(change.row) if change.row is not None else "none",
            "dryRun": change.saved is None,
            "consequences": change.would_break.to_json(),
            "notes": list(change.notes),
            "assigned": change.assigned.to_json(),
            **more,
        }
        return json_answer(body) if change.saved is None else saved_answer(body, change.saved, status)


class BookingEndpoints:
    """`/businesses/{id}/bookings…`."""

    def __init__(self, bookings: BookingOffice) -> None:
        """Answer with what `bookings` do."""
        self._bookings = bookings

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """All of them."""
        base, see, edit = "/businesses/{business_id}/bookings", Operation.SEE_CONVERSATIONS, Operation.EDIT_BUSINESS
        to = {"resource": {**TEXT, "description": "Whose it shall be, by id; without one, whoever is free."}}
        return (
            Endpoint(
                *("GET", base, see, "List appointments, the earliest first"),
                *(self._list, paged("bookings", _ASTRAY)),
                query={**PAGING, **{name: PERIOD[name] for name in ("from", "to")}},
            ),
            Endpoint(
                *("GET", f"{base}/astray", see, "List appointments to come that have lost their person or room"),
                *(self._astray, record({"bookings": listed(_ASTRAY), "count": COUNT, "areAll": FLAG})),
            ),
            Endpoint(
                *(
                    "POST",
                    f"{base}/assign",
                    edit,
                    "Give every appointment that has lost somebody to somebody who is free",
                ),
                *(self._assign_all, _DONE),
                body={"type": "object", "properties": {}, "additionalProperties": False},
            ),
            Endpoint("GET", f"{base}/{{booking_id}}", see, "Read an appointment", self._one, _ASTRAY),
            Endpoint(
                *("POST", f"{base}/{{booking_id}}/assign", edit, "Give an appointment to somebody who is free"),
                *(self._assign, record({"booking": record(_LINE), "changed": FLAG})),
                body={"type": "object", "properties": to, "additionalProperties": False},
            ),
        )

    async def _list(self, request: Request, permit: Permit) -> Response:
        query = request.query_params
        period = wanted_interactions({name: value for name, value in query.items() if name in ("from", "to")})
        place = await self._bookings.place(permit.business_id)
        found = await self._bookings.listed(place, read_page(query, 1), period.since, period.until)
        return json_answer({"bookings": found.items, "nextCursor": found.next_cursor})

    async def _astray(self, request: Request, permit: Permit) -> Response:
        place = await self._bookings.place(permit.business_id)
        found, count, are_all = await self._bookings.astray(place)
        rows = [one.to_json() for one in found]
        return json_answer({"bookings": rows, "count": count, "areAll": are_all})

    async def _one(self, request: Request, permit: Permit) -> Response:
        place = await self._bookings.place(permit.business_id)
        return json_answer(await self._bookings.one(place, request.path_params["booking_id"]))

    async def _assign(self, request: Request, permit: Permit) -> Response:
        given = await known_body(request, "resource")
        place, to = await self._bookings.place(permit.business_id), given.get("resource", "")
        if not isinstance(to, str) or ("resource" in given and not to.strip()):
            # Nothing said is no name: whoever leaves it out wants whoever is free.
            ids = ", ".join(own.id for own in place.business.resources) or "none yet"
            told = f"resource must be the id of whose it shall be; leave it out for whoever is free. There are: {ids}."
            raise NotValid([EntryProblem("resource", told)])
        booking, entry = await self._bookings.assign(permit, place, request.path_params["booking_id"], to)
        return json_answer({"booking": booking_line(booking), "changed": entry is not None})

    async def _assign_all(self, request: Request, permit: Permit) -> Response:
        await known_body(request)
        place = await self._bookings.place(permit.business_id)
        return json_answer((await self._bookings.assign_all(permit, place)).to_json())


def _meant(given: JsonObject) -> tuple[JsonObject, ChangeWish]:
    """Return what is entered, and how it is meant."""
    fields, how = with_flags(given, *_HOW)
    return fields, ChangeWish(how["dryRun"], how["confirm"])


def _row(row: JsonObject) -> JsonObject:
    texts = {name: str(row.get(name) or "") for name in ("id", "name", "kind")}
    return {**texts, "resource": row, "revision": revision_of(row)}


def _absence_row(row: JsonObject, one: Mapping[str, Any]) -> JsonObject:
    whose = {"resource": str(row.get("id") or ""), "name": str(row.get("name") or "")}
    texts = {name: str(one.get(name) or "") for name in ("id", *ABSENCE_FIELDS)}
    return {**texts, **whose, "revision": revision_of(dict(one))}
