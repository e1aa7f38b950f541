"""Two records of one customer made one, and a customer forgotten, or told all that is kept of them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from switchboard.admin.access.access import Permit
from switchboard.admin.access.refusal import EntryProblem, NotFound, NotValid
from switchboard.admin.access.roles import Operation
from switchboard.admin.audit.document_kind import DocumentKind
from switchboard.admin.audit.revisions import Saved, changing, out_of_date, require
from switchboard.admin.audit.trail import AuditTrail, id_of
from switchboard.admin.customers.records import CUSTOMER, CustomerRecords, numbers_of
from switchboard.admin.maintenance.deletion_jobs import Deletion, DeletionJobs
from switchboard.admin.maintenance.forget_caller import Forgotten, caller_documents, forget_caller
from switchboard.contract.business.business import Business
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import BusinessCollection, BusinessPaths, Clock, Paths, Store
from switchboard.contract.store import Delete, Document, Filter, Missing, Query, Stale, Update, Write
from switchboard.desk.callers.callers import MOST_OTHER_PHONES, normalised
from switchboard.desk.contact.phone import region_of

MERGED: Final = DocumentKind("customersMerged", Operation.EDIT_SAFEGUARDS, CUSTOMER.path, lambda after, before: ())
"""That two records were made one."""
FORGOTTEN: Final = DocumentKind("customerForgotten", Operation.EDIT_SAFEGUARDS, CUSTOMER.path, lambda after, before: ())
"""That a customer was forgotten; who it was is told nowhere."""
_AT_ONCE: Final = 200
_ATTEMPTS: Final = 3
_FORGETTING: Final = "forgettingSince"
_FORGOTTEN_NOW: Final = "Somebody else deletes what is kept of this customer at this moment; look again soon."
_OF_CALLERS: Final[tuple[BusinessCollection, ...]] = ("bookings", "interactions")
_KEPT_AS_THEY_ARE: Final = ("email", "dateOfBirth", "notes", "name")
# The stricter of both holds: nobody gets rid of a flag by being on file twice.
_STANDS_AGAINST: Final = ("flagged", "flagReason", "flaggedAt", "flaggedIn", "flaggedUntil")
_BLOCKS: Final = ("blockedUntil", "blockReason", "blockedAt", "blockedIn")


class CustomerUnion:
    """Joins and takes away the customers of every business. What the store raises passes through."""

    def __init__(
        self,
        store: Store,
        paths: Paths,
        clock: Clock,
        trail: AuditTrail,
        records: CustomerRecords,
        deletions: DeletionJobs,
    ) -> None:
        self._store, self._paths, self._clock = store, paths, clock
        self._trail, self._records, self._deletions = trail, records, deletions

    async def merge(
        self, permit: Permit, customer_id: str, based_on: str | None, other_id: str
    ) -> tuple[JsonObject, dict[str, int], Saved]:
        """Give a customer what stands in another record, which is gone then.

        What both say stays as it is in the first; the other's number is a further one. Appointments and conversations
        of the other's record are given to the first before, so that an interrupted merge is simply made again.

        Raises:
            NotValid: The other one is the same, is not there, or both have more numbers than a record holds.
            NotFound, RevisionMissing, OutOfDate: See `Revisions.change`.
        """
        require(based_on)
        if other_id == customer_id:
            raise NotValid([EntryProblem("other", "other must be another customer than this one.")])
        business, within = await self._records.business(permit.business_id), self._paths.within(permit.business_id)
        moved: dict[str, int] = {}
        for _ in range(_ATTEMPTS):
            first = await self._seen(permit.business_id, customer_id, based_on)
            try:
                other = await self._records.document(permit.business_id, other_id)
            except NotFound:
                raise NotValid([EntryProblem("other", "other must be the id of another customer.")]) from None
            fields = _joined(first, other, business)
            for place in _OF_CALLERS:
                moved[place] = moved.get(place, 0) + await self._given_to(within, place, other_id, customer_id)
            before, after = CUSTOMER.view(first.data), CUSTOMER.view({**first.data, **fields})
            entry = self._trail.entry(permit, MERGED, customer_id, before, after | {"mergedFrom": other_id})
            writes: list[Write] = [
                Update(first.path, fields, if_update_time=first.update_time),
                Delete(other.path, must_exist=True, if_update_time=other.update_time),
            ]
            try:
                await self._trail.commit(entry, writes)
            except (Stale, Missing):
                continue
            document = await self._records.document(permit.business_id, customer_id)
            shown = self._records.shown(document, business)
            return shown, moved, Saved(document, shown["revision"], id_of(entry))
        raise changing()

    async def forget(
        self, permit: Permit, customer_id: str, based_on: str | None
    ) -> tuple[Forgotten, Deletion | None, Saved]:
        """Delete what is kept of a customer, by every number of theirs, by their record, and by its e-mail address.

        That it was asked for is told first: an interrupted run leaves the record, which leads to the rest, to the last.
        Where much is kept of the business, it is begun, and the deletion that goes on is returned.

        Raises:
            NotFound, RevisionMissing, OutOfDate: See `Revisions.change`.
            ToolError: CONFLICT; somebody else on file has a number of theirs.
        """
        require(based_on)
        business = await self._records.business(permit.business_id)
        document = await self._seen(permit.business_id, customer_id, based_on)
        numbers = numbers_of(document, business)
        await self._tell_apart(permit.business_id, document, numbers, "deleted")
        saved = await self._told_first(permit, document, based_on)
        if await self._deletions.is_large(permit.business_id):
            begun = await self._deletions.begin("caller", permit.business_id, numbers, records=[document.id])
            # At once, as far as this instance goes on; else the next pass does it.
            await self._deletions.look(permit.business_id)
            return Forgotten(), begun, saved
        place = (self._store, self._paths, permit.business_id)
        forgotten = await forget_caller(*place, *numbers, records=[document.id], now=self._clock.now())
        return forgotten, None, saved

    async def _told_first(self, permit: Permit, document: Document, based_on: str | None) -> Saved:
        """Tell that a customer is to be forgotten.

        Raises:
            NotFound, OutOfDate, ToolError: As `forget`.
        """
        since = document.data.get(_FORGETTING)
        for _ in range(_ATTEMPTS):
            entry = self._trail.entry(permit, FORGOTTEN, document.id, {}, {"forgotten": True})
            write = Update(document.path, {_FORGETTING: self._clock.now()}, document.update_time)
            try:
                await self._trail.commit(entry, [write])
            except (Stale, Missing):
                document = await self._seen(permit.business_id, document.id, based_on)
                if document.data.get(_FORGETTING) != since:
                    raise ToolError(ErrorType.CONFLICT, _FORGOTTEN_NOW) from None
                continue
            return Saved(None, "none", id_of(entry))
        raise changing()

    async def export(self, business_id: str, customer_id: str) -> JsonObject:
        """Return all that is kept of a customer, document by document.

        Raises:
            NotFound: There is none of that id.
            ToolError: CONFLICT; somebody else on file has a number of theirs.
        """
        business = await self._records.business(business_id)
        record = await self._records.document(business_id, customer_id)
        numbers = numbers_of(record, business)
        await self._tell_apart(business_id, record, numbers, "exported")
        documents = await caller_documents(self._store, self._paths, business_id, *numbers, records=[record.id])
        own = {record.path: record} | {document.path: document for document in documents}
        base = f"{self._paths.within(business_id).business}/"
        rows = [{"path": path.removeprefix(base), "fields": one.data} for path, one in sorted(own.items())]
        at: datetime = self._clock.now()
        return {"customer": record.id, "at": at, "documents": rows}

    async def _tell_apart(self, business_id: str, record: Document, numbers: Sequence[str], deed: str) -> None:
        """Refuse what goes by number where a number is somebody else's too: theirs would go, or be told, with it."""
        shared = await self._records.sharing(business_id, record, numbers)
        if not shared:
            return
        whose = "; ".join(f"{number} is also the number of {others}" for number, others in shared.items())
        raise ToolError(
            ErrorType.CONFLICT,
            f"{whose}, and conversations and appointments go with their number. Nothing was {deed}. Take the number "
            "out of all records but that of whose they are, or make one customer of them; then do it again.",
        )

    async def _seen(self, business_id: str, customer_id: str, based_on: str | None) -> Document:
        document = await self._records.document(business_id, customer_id)
        if CUSTOMER.revision(document) != based_on:
            raise out_of_date(document, CUSTOMER.view(document.data), None)
        return document

    async def _given_to(self, within: BusinessPaths, place: BusinessCollection, other: str, kept: str) -> int:
        """Have what was made under one record be of another; return how much that was."""
        count = 0
        while True:
            own = Query(within.collection(place), (Filter("callerId", "==", other),), limit=_AT_ONCE)
            documents = await self._store.query(own)
            try:
                await self._store.commit([Update(one.path, {"callerId": kept}) for one in documents])
            except Missing:
                # One of them is gone since, and must not come back as an id alone.
                continue
            count += len(documents)
            if len(documents) < _AT_ONCE:
                return count


def _joined(first: Document, other: Document, business: Business) -> JsonObject:
    """Return the fields of the first record that change."""
    mine, theirs = first.data, other.data
    fields: JsonObject = {name: theirs[name] for name in _KEPT_AS_THEY_ARE if theirs.get(name) and not mine.get(name)}
    if mine.get("notes") and theirs.get("notes") and theirs["notes"] not in mine["notes"]:
        fields["notes"] = f"{mine['notes']}\n{theirs['notes']}"
    numbers = list(dict.fromkeys([*numbers_of(first, business), *numbers_of(other, business)]))
    if len(numbers) > MOST_OTHER_PHONES + 1:
        sentence = f"other: both have {len(numbers)} numbers, and a customer has at most {MOST_OTHER_PHONES + 1}."
        raise NotValid([EntryProblem("other", sentence)])
    if numbers:
        fields |= {"phone": numbers[0], "otherPhones": numbers[1:]}
    if theirs.get("flagged") is True and (mine.get("flagged") is not True or _holds_longer(theirs, mine)):
        fields |= {name: theirs.get(name) for name in _STANDS_AGAINST if name in theirs or name in mine}
    if _is_later(theirs.get("blockedUntil"), mine.get("blockedUntil")):
        fields |= {name: theirs[name] for name in _BLOCKS if name in theirs}
    spellings = normalised({**mine, **fields}, region_of(business))
    return fields | spellings


def _holds_longer(theirs: JsonObject, mine: JsonObject) -> bool:
    """Tell whether the one flag holds for longer than the other, of two."""
    one, two = theirs.get("flaggedUntil"), mine.get("flaggedUntil")
    return two is not None and (one is None or _is_later(one, two))


def _is_later(one: Any, two: Any) -> bool:
    return isinstance(one, datetime) and (not isinstance(two, datetime) or one > two)
