"""The owners' HTTP API for people, rooms and seats, their absences, and the appointments that lose them."""

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import Query
from starlette.responses import Response

from switchboard.admin.access.refusal import EntryProblem, NotValid
from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import json_answer, saved_answer
from switchboard.admin.api.endpoint import Endpoint, deciding
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


class ResourceEndpoints:
    """`/businesses/{id}/resources…`, `…/absences…`."""

    def __init__(self, resources: Resources) -> None:
        self._resources = resources

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """All of them."""
        base, see, edit = "/businesses/{business_id}/resources", Operation.SEE_BUSINESS, Operation.EDIT_BUSINESS
        one, absences = f"{base}/{{resource_id}}", "/businesses/{business_id}/absences"
        absence = f"{absences}/{{absence_id}}"
        enter, read = "Enter a person, a room, a chair or seats", "Read a person, a room, a chair or seats"
        replace, remove = "Replace a person, a room, a chair or seats", "Remove a person, a room, a chair or seats"
        see_away, away = "List who and what is not there, and when", "Enter when somebody or something is not there"
        return deciding(
            Endpoint("GET", base, see, "List people, rooms, chairs and seats", self._list, ResourceList),
            Endpoint("POST", base, edit, enter, self._create, ResourceChanged, 201, trial_status=200),
            Endpoint("GET", one, see, read, self._one, ResourceShown, tells_revision=True),
            Endpoint("PUT", one, edit, replace, self._put, ResourceChanged, is_revisioned=True),
            Endpoint("DELETE", one, edit, remove, self._delete, ResourceChanged, is_revisioned=True),
            Endpoint("GET", absences, see, see_away, self._absences, AbsenceList),
            Endpoint("POST", absences, edit, away, self._add_absence, AbsenceAdded, 201, trial_status=200),
            Endpoint("GET", absence, see, "Read an absence", self._absence, AbsenceShown, tells_revision=True),
            Endpoint(
                *("DELETE", absence, edit, "Remove an absence", self._drop_absence, ResourceChanged),
                is_revisioned=True,
            ),
        )

    async def _list(self, permit: Caller) -> Response:
        rows, business = await self._resources.all(permit.business_id)
        services = [
            {"name": s.name, "needs": [{"kind": n.kind, "any": list(n.any)} for n in business.needs_of(s)]}
            for s in business.services
        ]
        problems = [text for text in business.problems if text.startswith("resources")]
        return json_answer({"resources": [_row(row) for row in rows], "services": services, "problems": problems})

    async def _one(self, permit: Caller, resource_id: str) -> Response:
        row = _row(await self._resources.one(permit.business_id, resource_id))
        return json_answer(row, revision=row["revision"])

    async def _create(self, permit: Caller, body: ResourceBody) -> Response:
        change = await self._resources.create(permit, body.sent(*_HOW), _wish(body))
        return self._answer(change, 201)

    async def _put(self, permit: Caller, resource_id: str, based_on: BasedOn, body: ResourceReplacement) -> Response:
        change = await self._resources.put(permit, resource_id, based_on, body.sent(*_HOW), _wish(body))
        return self._answer(change)

    async def _delete(self, permit: Caller, resource_id: str, based_on: BasedOn, body: ResourceRemoval) -> Response:
        return self._answer(await self._resources.delete(permit, resource_id, based_on, _wish(body)))

    async def _absences(self, permit: Caller) -> Response:
        rows, _ = await self._resources.all(permit.business_id)
        absences = [
            _absence_row(row, one) for row in rows for one in row.get("absences") or () if isinstance(one, Mapping)
        ]
        return json_answer({"absences": sorted(absences, key=lambda one: one["start"])})

    async def _absence(self, permit: Caller, absence_id: str) -> Response:
        resource, absence = await self._resources.absence(permit.business_id, absence_id)
        row = _absence_row(await self._resources.one(permit.business_id, resource), absence)
        return json_answer(row, revision=row["revision"])

    async def _add_absence(self, permit: Caller, body: AbsenceBody) -> Response:
        absence, change = await self._resources.add_absence(permit, body.sent(*_HOW), _wish(body))
        return self._answer(change, 201, absence=_absence_row(change.row or {}, absence))

    async def _drop_absence(self, permit: Caller, absence_id: str, based_on: BasedOn, body: Revisioned) -> Response:
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


class BookingEndpoints:
    """`/businesses/{id}/bookings…`."""

    def __init__(self, bookings: BookingOffice) -> None:
        self._bookings = bookings

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """All of them."""
        base, see, edit = "/businesses/{business_id}/bookings", Operation.SEE_CONVERSATIONS, Operation.EDIT_BUSINESS
        one = f"{base}/{{booking_id}}"
        see_astray = "List appointments to come that have lost their person or room"
        assign_all = "Give every appointment that has lost somebody to somebody who is free"
        assign = "Give an appointment to somebody who is free"
        return (
            Endpoint("GET", base, see, "List appointments, the earliest first", self._list, BookingList),
            Endpoint("GET", f"{base}/astray", see, see_astray, self._astray, AstrayBookings),
            Endpoint("POST", f"{base}/assign", edit, assign_all, self._assign_all, AssignmentDone),
            Endpoint("GET", one, see, "Read an appointment", self._one, BookingShown),
            Endpoint("POST", f"{one}/assign", edit, assign, self._assign, BookingAssigned),
        )

    async def _list(self, permit: Caller, query: Annotated[BookingQuery, Query()]) -> Response:
        period, page = query.wanted(), query.page(1)
        place = await self._bookings.place(permit.business_id)
        shown = await self._bookings.listed(place, page, period.since, period.until)
        return json_answer({"bookings": shown.items, "nextCursor": shown.next_cursor})

    async def _astray(self, permit: Caller, query: Annotated[AstrayQuery, Query()]) -> Response:
        place = await self._bookings.place(permit.business_id)
        bookings_astray, count, are_all = await self._bookings.astray(place, query.most or MOST_LOOKED_AT)
        rows = [one.to_json() for one in bookings_astray]
        return json_answer({"bookings": rows, "count": count, "areAll": are_all})

    async def _one(self, permit: Caller, booking_id: str) -> Response:
        place = await self._bookings.place(permit.business_id)
        return json_answer(await self._bookings.one(place, booking_id))

    async def _assign(self, permit: Caller, booking_id: str, body: AssignmentBody) -> Response:
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

    async def _assign_all(self, permit: Caller, body: AssignmentsBody) -> Response:
        place = await self._bookings.place(permit.business_id)
        return json_answer((await self._bookings.assign_all(permit, place)).to_json())


def _wish(body: ChangeBody) -> ChangeWish:
    return ChangeWish(body.dry_run, body.confirm)


def _row(row: JsonObject) -> JsonObject:
    texts = {name: str(row.get(name) or "") for name in ("id", "name", "kind")}
    return {**texts, "resource": row, "revision": revision_of(row)}


def _absence_row(row: JsonObject, one: Mapping[str, Any]) -> JsonObject:
    whose = {"resource": str(row.get("id") or ""), "name": str(row.get("name") or "")}
    texts = {name: str(one.get(name) or "") for name in ("id", *ABSENCE_FIELDS)}
    return {**texts, **whose, "revision": revision_of(dict(one))}
