"""People, rooms, chairs and seats as owners enter them, and their absences; what would break is told first.

They stand in the business's own document, as one list; each has a revision of its own, and the audit tells of each.
"""

import json
import secrets
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

from switchboard.admin.access.access import Permit
from switchboard.admin.access.known_business import business_document
from switchboard.admin.access.refusal import EntryProblem, NotFound, NotValid, OutOfDate
from switchboard.admin.access.roles import Operation
from switchboard.admin.audit.document_kind import DocumentKind, revision_of
from switchboard.admin.audit.revisions import NO_DOCUMENT, Saved, again_where_late, allow, out_of_date, require, stamps
from switchboard.admin.audit.trail import AuditTrail, id_of
from switchboard.admin.resources.booking_office import AssignmentResult, BookingOffice
from switchboard.admin.resources.consequences import BusinessView, Consequences, NotConfirmed, consequences, recounted
from switchboard.admin.resources.form import (
    ABSENCE_FIELDS,
    ID_SENTENCE,
    absence_problems,
    free_id,
    resource_problems,
    settled,
    with_absence,
)
from switchboard.admin.resources.former_ids import FormerIds
from switchboard.admin.resources.rows import Stored, absences_of, shared_calendars
from switchboard.contract.business.business import Business
from switchboard.contract.business.resources import MOST_ABSENCES, MOST_RESOURCES
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Clock, Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import DELETE_FIELD, StoreError, Update
from switchboard.desk.resources.assigning import Assigning

_FORMER = (
    "Appointments or calendar addresses still name {id!r}, who was removed, so that this one is {new!r}. If it is the "
    "same one, remove this one and undo the removal under Changes."
)


def _needs(before: Mapping[str, Any], after: Mapping[str, Any]) -> Mapping[Operation, str]:
    is_same = (before.get("calendars") or []) == (after.get("calendars") or [])
    return {} if is_same else {Operation.CONNECT: "whose calendars keep them busy (calendars)"}


RESOURCE = DocumentKind(
    "resource", Operation.EDIT_BUSINESS, lambda paths, id: paths.business, lambda after, before: (), None, _needs
)
"""One person, room or the like; the document that it stands in is its business."""


@dataclass(frozen=True, slots=True)
class ChangeWish:
    """How a change is meant.

    Attributes:
        is_trial: Whether it only tells what would break, and saves nothing.
        is_confirmed: Whether what would break is wanted.
        undoes: The entry of the audit that it undoes, if any.
    """

    is_trial: bool = False
    is_confirmed: bool = False
    undoes: str | None = None


@dataclass(frozen=True, slots=True)
class ResourceChange:
    """What has become of a wish.

    Attributes:
        row: The resource as it is, or would be, stored; None where it is, or would be, gone.
        would_break: What broke by it, or would.
        saved: What it left behind; None for a trial.
        notes: What else the owner should know, a sentence each.
        assigned: What became of appointments that nobody had been chosen for.
    """

    row: JsonObject | None
    would_break: Consequences
    saved: Saved | None = None
    notes: tuple[str, ...] = ()
    assigned: AssignmentResult = field(default_factory=AssignmentResult)


Edit = Callable[[Stored], tuple[JsonObject | None, list[str]]]
"""Returns what becomes of a resource, and what the owner should know; raises what refuses it."""


class Resources:
    """The owners' operations. What the store raises passes through."""

    def __init__(
        self,
        store: Store,
        paths: Paths,
        clock: Clock,
        trail: AuditTrail,
        forget: Callable[[str], None],
        assigning: Assigning,
        bookings: BookingOffice,
    ) -> None:
        """Keep them in `store`.

        Args:
            store: Where businesses are.
            paths: Where things are in it.
            clock: Tells what is past.
            trail: Writes the audit.
            forget: Has a business read anew when it is next needed.
            assigning: Knows the appointments to come.
            bookings: Finds somebody for those that have nobody.
        """
        self._store, self._paths, self._clock = store, paths, clock
        self._trail, self._forget, self._assigning, self._bookings = trail, forget, assigning, bookings
        self._former = FormerIds(store, paths)

    async def all(self, business_id: str) -> tuple[list[JsonObject], Business]:
        """Return every resource as it is stored, in the order in which they were entered, and their business.

        Raises:
            NotFound: There is no such business.
        """
        stored = await self._stored(business_id)
        return [dict(row) for row in stored.rows if isinstance(row, Mapping)], stored.business

    async def one(self, business_id: str, id: str) -> JsonObject:
        """Return a resource as it is stored.

        Raises:
            NotFound: There is no such business, or no such resource in it.
        """
        row = (await self._stored(business_id)).row(id)
        if row is None:
            raise _no_such(id)
        return dict(row)

    async def create(self, permit: Permit, given: Mapping[str, Any], wish: ChangeWish) -> ResourceChange:
        """Enter a resource; without an id it gets one that is made of its name, and that nobody has had before.

        Raises:
            NotValid: Everything that is wrong with it.
            NotConfirmed: Something would break by it.
        """
        name, has_id = given["name"], given.get("id") not in (None, "")
        ids = (await self._stored(permit.business_id)).ids
        former = [] if has_id else await self._former.like(permit.business_id, name, ids)

        def edit(stored: Stored) -> tuple[JsonObject | None, list[str]]:
            ids, id = stored.ids, given.get("id")
            if not has_id:
                id = free_id(name, [*ids, *former])
            elif not isinstance(id, str):
                raise NotValid([EntryProblem("id", ID_SENTENCE.format(id=json.dumps(id)[:60]))])
            if len(stored.rows) >= MOST_RESOURCES:
                raise NotValid([EntryProblem("", f"There are {MOST_RESOURCES} already, and no more can be kept.")])
            if id in ids:
                sentence = f"There is one of the id {id!r} already; choose another, such as {free_id(id, ids)}."
                raise NotValid([EntryProblem("id", sentence)])
            row, notes = self._checked(stored, id, {**given, "id": id})
            return row, [*notes, *(_FORMER.format(id=one, new=id) for one in former)]

        return await self._changed(permit, None, NO_DOCUMENT, edit, wish)

    async def put(
        self, permit: Permit, id: str, based_on: str | None, given: Mapping[str, Any], wish: ChangeWish
    ) -> ResourceChange:
        """Replace a resource, or enter it where `based_on` says that there is none; absences stay if none are given.

        Raises:
            NotValid: Everything that is wrong with it.
            NotConfirmed: Something would break by it.
            RevisionMissing, OutOfDate, Forbidden: See `Revisions.change`.
        """

        def edit(stored: Stored) -> tuple[JsonObject | None, list[str]]:
            row = stored.row(id)
            if given.get("id", id) != id:
                raise NotValid([EntryProblem("id", f"The id stays {id!r}; it names it in appointments.")])
            if row is None and len(stored.rows) >= MOST_RESOURCES:
                raise NotValid([EntryProblem("", f"There are {MOST_RESOURCES} already, and no more can be kept.")])
            absences = {} if row is None or "absences" in given else {"absences": row.get("absences")}
            return self._checked(stored, id, {**absences, **given, "id": id})

        return await self._changed(permit, id, based_on, edit, wish)

    async def delete(self, permit: Permit, id: str, based_on: str | None, wish: ChangeWish) -> ResourceChange:
        """Remove a resource; appointments with it stand.

        Raises:
            NotConfirmed: Something would break by it.
            NotFound: There is none of that id.
            RevisionMissing, OutOfDate, Forbidden: See `Revisions.delete`.
        """

        def edit(stored: Stored) -> tuple[JsonObject | None, list[str]]:
            if stored.row(id) is None:
                raise _no_such(id)
            return None, []

        return await self._changed(permit, id, based_on, edit, wish)

    async def add_absence(
        self, permit: Permit, given: Mapping[str, Any], wish: ChangeWish
    ) -> tuple[JsonObject, ResourceChange]:
        """Enter when a resource is not there: `{resource, start, end, reason}`; return it, and what became of it.

        Raises:
            NotValid: Everything that is wrong with it.
            NotConfirmed: Appointments would lose it.
        """
        id, problems = given["resource"], list(absence_problems(given))
        new = {"id": f"ab_{secrets.token_hex(6)}"} | {
            name: given[name] for name in ABSENCE_FIELDS if given.get(name) not in (None, "")
        }
        new.setdefault("end", new.get("start"))

        def edit(stored: Stored) -> tuple[JsonObject | None, list[str]]:
            row = stored.row(id)
            if row is None:
                ids = ", ".join(stored.ids) or "none yet"
                problems.append(
                    EntryProblem("resource", f"resource must be the id of who or what is away. There are: {ids}.")
                )
            if problems or row is None:
                raise NotValid(problems)
            local = self._clock.now().astimezone(stored.business.timezone).replace(tzinfo=None)
            absences, notes = with_absence(absences_of(row), new, local)
            if len(absences) > MOST_ABSENCES:
                sentence = f"There are {MOST_ABSENCES} absences to come already; join some that follow each other."
                raise NotValid([EntryProblem("start", sentence)])
            return {**row, "absences": absences}, notes

        return new, await self._changed(permit, id, None, edit, wish, is_held=False)

    async def drop_absence(self, permit: Permit, absence_id: str, based_on: str | None) -> ResourceChange:
        """Remove an absence.

        Raises:
            NotFound: There is none of that id.
            RevisionMissing, OutOfDate: See `Revisions.delete`.
        """
        require(based_on)
        resource, _ = await self.absence(permit.business_id, absence_id)

        def edit(stored: Stored) -> tuple[JsonObject | None, list[str]]:
            row = stored.row(resource)
            rows = absences_of(row) if row is not None else []
            absence = next((one for one in rows if one.get("id") == absence_id), None)
            if row is None or absence is None:
                raise NotFound("There is no absence of that id.")
            if revision_of(absence) != based_on:
                raise OutOfDate(revision_of(absence), dict(absence), None)
            return {**row, "absences": [one for one in rows if one is not absence]}, []

        return await self._changed(permit, resource, None, edit, ChangeWish(is_confirmed=True), is_held=False)

    async def absence(self, business_id: str, absence_id: str) -> tuple[str, JsonObject]:
        """Return an absence with the id of whose it is.

        Raises:
            NotFound: There is none of that id.
        """
        rows, _ = await self.all(business_id)
        for row in rows:
            for one in absences_of(row):
                if one.get("id") == absence_id:
                    return str(row.get("id")), one
        raise NotFound("There is no absence of that id.")

    def _checked(self, stored: Stored, id: str, given: Mapping[str, Any]) -> tuple[JsonObject | None, list[str]]:
        business = stored.business
        row = settled(given, business)
        others = [resource for resource in business.resources if resource.id != id]
        problems = list(resource_problems(id, dict(given), business, others))
        if problems:
            raise NotValid(problems)
        if absences := row.get("absences"):
            row["absences"] = [{**one, "id": one.get("id") or f"ab_{secrets.token_hex(6)}"} for one in absences]
        return row, list(shared_calendars(row, stored, id))

    @again_where_late
    async def _changed(
        self,
        permit: Permit,
        id: str | None,
        based_on: str | None,
        edit: Edit,
        wish: ChangeWish,
        *,
        is_held: bool = True,
    ) -> ResourceChange:
        """Change a resource, or only tell what would break by it; `is_held` says that it is based on a revision."""
        if is_held:
            require(based_on)
        stored = await self._stored(permit.business_id)
        before = stored.row(id) if id is not None else None
        after, notes = edit(stored)
        if is_held and (NO_DOCUMENT if before is None else revision_of(before)) != based_on:
            raise _no_such(str(id)) if before is None else out_of_date(stored.document, before, after)
        allow(permit, RESOURCE, before or {}, after or {})
        if before is None and after is not None and wish.undoes is None:
            await self._former.check(permit.business_id, str(after["id"]), stored.ids)
        rows = stored.replaced(str((after or before or {})["id"]), after)
        business = stored.with_rows(rows)
        place = BusinessView(stored.business, self._paths.within(permit.business_id))
        broken = await consequences(self._assigning, place, business)
        if wish.is_trial:
            return ResourceChange(after, broken, None, tuple(notes))
        if broken.are_some and not wish.is_confirmed:
            raise NotConfirmed(broken)
        saved = await self._commit(permit, stored, before, after, rows, wish.undoes)
        done = await self._assign_rest(permit, place, business) if after is not None else AssignmentResult()
        broken, more = await recounted(self._assigning, place, business, broken)
        return ResourceChange(after, broken, saved, (*notes, *more), done)

    async def _commit(
        self,
        permit: Permit,
        stored: Stored,
        before: JsonObject | None,
        after: JsonObject | None,
        rows: list[Any],
        undoes: str | None,
    ) -> Saved:
        """Write it down.

        Raises:
            Stale, Missing: Somebody else has changed the business meanwhile.
        """
        revision = NO_DOCUMENT if after is None else revision_of(after)
        if before == after:
            return Saved(stored.document, revision, None)
        id = str((after or before or {})["id"])
        entry = self._trail.entry(permit, RESOURCE, id, before, after, undoes)
        fields = {"resources": rows or DELETE_FIELD, **stamps(permit)}
        write = Update(stored.document.path, fields, if_update_time=stored.document.update_time)
        await self._trail.commit(entry, [write])
        self._forget(permit.business_id)
        return Saved(stored.document, revision, id_of(entry))

    async def _assign_rest(self, permit: Permit, was: BusinessView, business: Business) -> AssignmentResult:
        """Find somebody for the appointments that were made before there was anybody to choose from."""
        try:
            return await self._bookings.assign_all(permit, BusinessView(business, was.paths), only_new=True)
        except StoreError:
            # What was asked for is saved; the appointments wait under Appointments.
            return AssignmentResult()

    async def _stored(self, business_id: str) -> Stored:
        document = await business_document(self._store, self._paths.within(business_id))
        rows = document.data.get("resources")
        return Stored(document, list(rows) if isinstance(rows, list) else [])


def _no_such(id: str) -> NotFound:
    return NotFound(f"There is nobody, and nothing, of the id {id[:60]!r} here.")
