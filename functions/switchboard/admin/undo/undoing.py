"""Undo: what an audit entry says was changed is put back, unless somebody has changed the same fields since."""

from collections.abc import Callable, Mapping

from switchboard.admin.access.access import Permit
from switchboard.admin.access.refusal import NotFound, OutOfDate, RevisionMissing
from switchboard.admin.access.roles import Operation
from switchboard.admin.api.paging import Page, Slice, sliced
from switchboard.admin.audit.document_kind import DocumentKind
from switchboard.admin.audit.entry import AuditEntry, read_entry
from switchboard.admin.audit.revisions import NO_DOCUMENT, Revisions, Saved, allow
from switchboard.admin.audit.undo_links import InForce, in_force
from switchboard.admin.documents.difference import ABSENT, differences, same
from switchboard.admin.documents.redaction import without_secrets
from switchboard.admin.resources.consequences import NotConfirmed
from switchboard.admin.undo.handler import DocumentState, DocumentWay, UndoHandler, UndoHandlers
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Document, Filter, Order, Query

_NO_WAY = "Changes of this kind cannot be undone here."
_NOT_BY_UNDOING = "{} Nothing was undone. Change it under Business, where that can be confirmed."
_HELD_A_SECRET = "What was there held a secret, which the audit does not keep; enter it, or connect, again."

_NOT_FOR_YOU = "Your role does not allow changing this, so that it cannot undo it either."


@dataclass(frozen=True, slots=True)
class UndoableEntry:
    """An entry, and whether what it tells of is in force."""

    entry: AuditEntry
    now: InForce


@dataclass(frozen=True, slots=True)
class Looked(UndoableEntry):
    """An entry with the revision of its document now (`NO_DOCUMENT` where it is gone), which an undo is based on.

    `revision` is None for a kind that nothing is undone of.
    """

    revision: str | None


class Audit:
    """What was changed in a business, and the way back. What the store raises passes through."""

    def __init__(
        self,
        store: Store,
        paths: Paths,
        revisions: Revisions,
        kinds: Mapping[str, DocumentKind],
        ways: Callable[[], UndoHandlers] = UndoHandlers,
    ) -> None:
        """Undo changes of these kinds, and of those that `ways` has further ways back for."""
        self._store, self._paths = store, paths
        self._documents = {name: DocumentWay(store, paths, revisions, kind) for name, kind in kinds.items()}
        self._ways = ways

    async def entries(
        self, business_id: str, page: Page, kind: str | None = None, document: str | None = None
    ) -> Slice[UndoableEntry]:
        """Return a page of entries, the newest first; of one kind, and of one document, where these are given."""
        filters = [Filter(name, "==", value) for name, value in (("kind", kind), ("document", document)) if value]
        query = Query(
            self._paths.within(business_id).collection("audit"), tuple(filters), (Order("at", descending=True),)
        )
        part = await sliced(self._store, query, page)
        now = await in_force(self._store, part.items)
        return Slice(
            [UndoableEntry(read_entry(document), now[document.id]) for document in part.items], part.next_cursor
        )

    @property
    def kinds(self) -> tuple[str, ...]:
        """Every kind of document that the audit tells of, by name."""
        ways = self._ways()
        return tuple(sorted({*self._documents, *ways.by_kind, *ways.refusals}))

    def why_not(self, permit: Permit, undoable: UndoableEntry) -> str:
        """Return why somebody cannot undo an entry, whatever is there now; empty where it can be tried.

        Whoever may undo nothing at all reads what others may.
        """
        entry = undoable.entry
        way, reason = self._way(entry.kind), self._never(undoable)
        if way is None or reason or not permit.may(Operation.UNDO):
            return reason
        needed = {way.kind.operation, *way.kind.needs(entry.after, entry.before)}
        return "" if all(permit.may(operation) for operation in needed) else _NOT_FOR_YOU

    def _never(self, undoable: UndoableEntry) -> str:
        """Return why nobody can undo an entry."""
        entry = undoable.entry
        if self._way(entry.kind) is None:
            return self._ways().refusals.get(entry.kind, _NO_WAY)
        return undoable.now.why_not_again() or ("" if entry.is_undoable else _HELD_A_SECRET)

    async def look(self, business_id: str, entry_id: str) -> Looked:
        """Return an entry with the revision that an undo is based on.

        Raises:
            NotFound: There is no such entry.
        """
        document = await self._entry(business_id, entry_id)
        entry, now = read_entry(document), (await in_force(self._store, [document]))[document.id]
        way = self._way(entry.kind)
        if way is None:
            return Looked(entry, now, None)
        standing = await way.standing(business_id, entry.document)
        return Looked(entry, now, standing.revision if standing is not None else NO_DOCUMENT)

    async def undo(self, permit: Permit, entry_id: str, based_on: str | None) -> Saved:
        """Put back what an entry changed; other fields stay as they are now.

        Raises:
            RevisionMissing: `based_on` says nothing.
            OutOfDate: The document is of another revision, or the same fields were changed since the entry.
            Forbidden: Doing it would not be allowed either.
            NotFound: There is no such entry.
            NotValid: What was there before would not be allowed now.
            ToolError: CONFLICT; it cannot be undone, was undone already, or something would break by it.
        """
        try:
            return await self._undone(permit, entry_id, based_on)
        except NotConfirmed as error:
            raise ToolError(ErrorType.CONFLICT, _NOT_BY_UNDOING.format(error.words)) from None

    async def _undone(self, permit: Permit, entry_id: str, based_on: str | None) -> Saved:
        document = await self._entry(permit.business_id, entry_id)
        entry, now = read_entry(document), (await in_force(self._store, [document]))[document.id]
        way, reason = self._way(entry.kind), self._never(UndoableEntry(entry, now))
        if way is None or reason:
            raise ToolError(ErrorType.CONFLICT, reason)
        if not based_on:
            raise RevisionMissing
        allow(permit, way.kind, {}, {})
        standing = await way.standing(permit.business_id, entry.document)
        if entry.deed == "deleted":
            if standing is not None or based_on != NO_DOCUMENT:
                raise _conflict(standing, entry.before)
            return await way.create(permit, entry.document, dict(entry.before), undoes=entry.id)
        if based_on == NO_DOCUMENT:
            raise NotFound("What this entry changed is not there any more.")
        if standing is None:
            raise NotFound("There is nothing of that id.")
        if entry.deed == "created":
            _require_unchanged(entry, standing.view, standing.revision)
            return await way.delete(permit, entry.document, based_on, undoes=entry.id)

        def put_back(current: JsonObject) -> JsonObject:
            _require_unchanged(entry, current, standing.revision)
            return _put_back(entry, current)

        return await way.change(permit, entry.document, based_on, put_back, undoes=entry.id)

    def _way(self, kind: str) -> UndoHandler | None:
        return self._documents.get(kind) or self._ways().by_kind.get(kind)

    async def _entry(self, business_id: str, entry_id: str) -> Document:
        document = await self._store.get(self._paths.within(business_id).document("audit", entry_id))
        if document is None:
            raise NotFound("The audit has no entry of that id.")
        return document


def _put_back(entry: AuditEntry, current: JsonObject) -> JsonObject:
    untouched = {name: value for name, value in current.items() if name not in entry.after or name in entry.before}
    return untouched | entry.before


def _require_unchanged(entry: AuditEntry, current: JsonObject, revision: str) -> None:
    shown = without_secrets(current)
    touched = (*entry.before, *entry.after)
    if any(not same(shown.get(name, ABSENT), entry.after.get(name, ABSENT)) for name in touched):
        yours = _put_back(entry, shown)
        raise OutOfDate(revision, shown, yours, differences(shown, yours))


def _conflict(standing: DocumentState | None, yours: JsonObject) -> OutOfDate:
    if standing is None:
        return OutOfDate(NO_DOCUMENT, None, yours)
    shown = without_secrets(standing.view)
    return OutOfDate(standing.revision, shown, yours, differences(shown, yours))
