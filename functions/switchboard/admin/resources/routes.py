"""The owners' HTTP API for people, rooms and seats, their absences, and the appointments that lose them."""

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import Query
from starlette.responses import Response

from switchboard.admin.access.refusal import EntryProblem, NotValid
from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import json_answer, revised_answer, saved_answer
from switchboard.admin.api.endpoint import EndpointGroup, endpoint
from switchboard.admin.api.models import Revisioned
from switchboard.admin.api.serving import BasedOn, Caller
from switchboard.admin.audit.document_kind import revision_of
from switchboard.admin.resources.booking_models import (
    AssignmentBody,
    AssignmentDone,
    AssignmentsBody,
    AstrayBookings,
    AstrayQuery,
    BookingAssigned,
    BookingList,
    BookingQuery,
    BookingShown,
)
from switchboard.admin.resources.booking_office import BookingOffice
from switchboard.admin.resources.consequences import booking_line
from switchboard.admin.resources.form import ABSENCE_FIELDS
from switchboard.admin.resources.models import (
    AbsenceAdded,
    AbsenceBody,
    AbsenceList,
    AbsenceShown,
    ChangeBody,
    ResourceBody,
    ResourceChanged,
    ResourceList,
    ResourceRemoval,
    ResourceReplacement,
    ResourceShown,
)
from switchboard.admin.resources.resources import ChangeWish, ResourceChange, Resources
from switchboard.contract.json import JsonObject
from switchboard.desk.resources.assigning import MOST_LOOKED_AT

_HOW = ("dryRun", "confirm")


class ResourceEndpoints(EndpointGroup):
    """`/businesses/{id}/resources…`, `…/absences…`."""

    _BASE, _SEE, _EDIT = "/businesses/{business_id}/resources", Operation.SEE_BUSINESS, Operation.EDIT_BUSINESS
    _ONE, _ABSENCES = f"{_BASE}/{{resource_id}}", "/businesses/{business_id}/absences"
    _ABSENCE = f"{_ABSENCES}/{{absence_id}}"

    def __init__(self, resources: Resources) -> None:
        self._resources = resources

    @endpoint("GET", _BASE, _SEE, ResourceList)
    async def _list(self, permit: Caller) -> Response:
        """List people, rooms, chairs and seats."""
        rows, business = await self._resources.all(permit.business_id)
        services = [
            {"name": s.name, "needs": [{"kind": n.kind, "any": list(n.any)} for n in business.needs_of(s)]}
            for s in business.services
        ]
        problems = [text for text in business.problems if text.startswith("resources")]
        return json_answer({"resources": [_row(row) for row in rows], "services": services, "problems": problems})

    @endpoint("POST", _BASE, _EDIT, ResourceChanged, 201, trial_status=200, decides_offers=True, once="")
    async def _create(self, permit: Caller, body: ResourceBody) -> Response:
        """Enter a person, a room, a chair or seats."""
        change = await self._resources.create(permit, body.sent(*_HOW), _wish(body))
        return self._answer(change, 201)

    @endpoint("GET", _ONE, _SEE, ResourceShown, tells_revision=True)
    async def _one(self, permit: Caller, resource_id: str) -> Response:
        """Read a person, a room, a chair or seats."""
        row = _row(await self._resources.one(permit.business_id, resource_id))
        return revised_answer(row)

    @endpoint("PUT", _ONE, _EDIT, ResourceChanged, is_revisioned=True, decides_offers=True)
    async def _put(self, permit: Caller, resource_id: str, based_on: BasedOn, body: ResourceReplacement) -> Response:
        """Replace a person, a room, a chair or seats."""
        change = await self._resources.put(permit, resource_id, based_on, body.sent(*_HOW), _wish(body))
        return self._answer(change)

    @endpoint("DELETE", _ONE, _EDIT, ResourceChanged, is_revisioned=True, decides_offers=True)
    async def _delete(self, permit: Caller, resource_id: str, based_on: BasedOn, body: ResourceRemoval) -> Response:
        """Remove a person, a room, a chair or seats."""
        return self._answer(await self._resources.delete(permit, resource_id, based_on, _wish(body)))

    @endpoint("GET", _ABSENCES, _SEE, AbsenceList)
    async def _absences(self, permit: Caller) -> Response:
        """List who and what is not there, and when."""
        rows, _ = await self._resources.all(permit.business_id)
        absences = [
            _absence_row(row, one) for row in rows for one in row.get("absences") or () if isinstance(one, Mapping)
        ]
        return json_answer({"absences": sorted(absences, key=lambda one: one["start"])})

    @endpoint("POST", _ABSENCES, _EDIT, AbsenceAdded, 201, trial_status=200, decides_offers=True, once="")
    async def _add_absence(self, permit: Caller, body: AbsenceBody) -> Response:
        """Enter when somebody or something is not there."""
        absence, change = await self._resources.add_absence(permit, body.sent(*_HOW), _wish(body))
        return self._answer(change, 201, absence=_absence_row(change.row or {}, absence))

    @endpoint("GET", _ABSENCE, _SEE, AbsenceShown, tells_revision=True)
    async def _absence(self, permit: Caller, absence_id: str) -> Response:
        """Read an absence."""
        resource, absence = await self._resources.absence(permit.business_id, absence_id)
        row = _absence_row(await self._resources.one(permit.business_id, resource), absence)
        return revised_answer(row)

    @endpoint("DELETE", _ABSENCE, _EDIT, ResourceChanged, is_revisioned=True, decides_offers=True)
    async def _drop_absence(self, permit: Caller, absence_id: str, based_on: BasedOn, body: Revisioned) -> Response:
        """Remove an absence."""
        # Nothing else may be said: whoever asks for a dry run must not lose the absence by it.
        return self._answer(await self._resources.drop_absence(permit, absence_id, based_on))

    def _answer(self, change: ResourceChange, status: int = 200, **more: JsonObject) -> Response:
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


class BookingEndpoints(EndpointGroup):
    """`/businesses/{id}/bookings…`."""

    _BASE, _SEE, _EDIT = "/businesses/{business_id}/bookings", Operation.SEE_CONVERSATIONS, Operation.EDIT_BUSINESS
    _ONE = f"{_BASE}/{{booking_id}}"

    def __init__(self, bookings: BookingOffice) -> None:
        self._bookings = bookings

    @endpoint("GET", _BASE, _SEE, BookingList)
    async def _list(self, permit: Caller, query: Annotated[BookingQuery, Query()]) -> Response:
        """List appointments, the earliest first."""
        period, page = query.wanted(), query.page(1)
        place = await self._bookings.place(permit.business_id)
        shown = await self._bookings.listed(place, page, period.since, period.until)
        return json_answer({"bookings": shown.items, "nextCursor": shown.next_cursor})

    @endpoint("GET", f"{_BASE}/astray", _SEE, AstrayBookings)
    async def _astray(self, permit: Caller, query: Annotated[AstrayQuery, Query()]) -> Response:
        """List appointments to come that have lost their person or room."""
        place = await self._bookings.place(permit.business_id)
        bookings_astray, count, are_all = await self._bookings.astray(place, query.most or MOST_LOOKED_AT)
        rows = [one.to_json() for one in bookings_astray]
        return json_answer({"bookings": rows, "count": count, "areAll": are_all})

    @endpoint("POST", f"{_BASE}/assign", _EDIT, AssignmentDone)
    async def _assign_all(self, permit: Caller, body: AssignmentsBody) -> Response:
        """Give every appointment that has lost somebody to somebody who is free."""
        place = await self._bookings.place(permit.business_id)
        return json_answer((await self._bookings.assign_all(permit, place)).to_json())

    @endpoint("GET", _ONE, _SEE, BookingShown)
    async def _one(self, permit: Caller, booking_id: str) -> Response:
        """Read an appointment."""
        place = await self._bookings.place(permit.business_id)
        return json_answer(await self._bookings.one(place, booking_id))

    @endpoint("POST", f"{_ONE}/assign", _EDIT, BookingAssigned)
    async def _assign(self, permit: Caller, booking_id: str, body: AssignmentBody) -> Response:
        """Give an appointment to somebody who is free."""
        place, to = await self._bookings.place(permit.business_id), body.sent().get("resource", "")
        if not isinstance(to, str) or (body.sent() and not to.strip()):
            # Nothing said is no name: whoever leaves it out wants whoever is free.
            ids = ", ".join(own.id for own in place.business.resources) or "none yet"
            sentence = (
                f"resource must be the id of whose it shall be; leave it out for whoever is free. There are: {ids}."
            )
            raise NotValid([EntryProblem("resource", sentence)])
        booking, entry = await self._bookings.assign(permit, place, booking_id, to)
        return json_answer({"booking": booking_line(booking), "changed": entry is not None})


def _wish(body: ChangeBody) -> ChangeWish:
    return ChangeWish(body.dry_run, body.confirm)


def _row(row: JsonObject) -> JsonObject:
    texts = {name: str(row.get(name) or "") for name in ("id", "name", "kind")}
    return {**texts, "resource": row, "revision": revision_of(row)}


def _absence_row(row: JsonObject, one: Mapping[str, Any]) -> JsonObject:
    whose = {"resource": str(row.get("id") or ""), "name": str(row.get("name") or "")}
    texts = {name: str(one.get(name) or "") for name in ("id", *ABSENCE_FIELDS)}
    return {**texts, **whose, "revision": revision_of(dict(one))}
