"""The rows of a collection, written together: all that changes in one commit, with one entry that can be undone."""

from collections.abc import Callable, Mapping

from switchboard.admin.access.access import Permit
from switchboard.admin.access.roles import Operation
from switchboard.admin.audit.document_kind import DocumentKind, revision_of
from switchboard.admin.audit.revisions import Saved, again_where_late, allow
from switchboard.admin.audit.trail import AuditTrail, id_of
from switchboard.admin.documents.difference import canonical, changed
from switchboard.admin.undo.handler import DocumentState, OnlyChanges
from switchboard.contract.deadline import patiently
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import BusinessPaths, Clock, Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import (
    DELETE_FIELD,
    Create,
    Delete,
    Document,
    Query,
    Update,
    Write,
    documents_of,
)

MOST_ROWS = 1_500
"""As many as are looked at when a caller asks (`desk/tenant_tools/queries.py`)."""
MOST_CHANGED = 450
"""As many as one commit takes with its entry: a file is taken in whole, or not at all."""

_MOST_AUDITED = 700_000
_PAGE = 300
_COMMIT_S = 10.0

ROWS = DocumentKind(
    "collectionRows", Operation.EDIT_ENTRIES, lambda paths, name: paths.document("collections", name), lambda *_: ()
)
"""All rows of a collection, by their ids, as one thing that is edited: the audit tells those that differ."""

Edit = Callable[[JsonObject], JsonObject]


@dataclass(frozen=True, slots=True)
class StoredRows:
    """The rows that there are, each as it is stored, by id."""

    documents: Mapping[str, Document]

    @property
    def view(self) -> JsonObject:
        """Their fields, by id."""
        return {id: document.data for id, document in self.documents.items()}

    @property
    def revision(self) -> str:
        """The revision of all of them together."""
        return revision_of(self.view)


class Rows:
    """Reads and writes rows. What the store raises passes through."""

    def __init__(self, store: Store, paths: Paths, clock: Clock) -> None:
        self._store, self._paths, self._trail = store, paths, AuditTrail(store, paths, clock)

    async def all(self, business_id: str, name: str) -> StoredRows:
        """Return every row of a collection, also where it has more than it may."""
        path = self._within(business_id).items(name)
        rows = documents_of(self._store.query, Query(path), _PAGE)
        return StoredRows({document.id: document async for document in rows})

    async def one(self, business_id: str, name: str, id: str) -> Document | None:
        """Return a row; None where there is none of that id."""
        return await self._store.get(f"{self._within(business_id).items(name)}/{id}")

    async def write(
        self, permit: Permit, name: str, stored: StoredRows, after: JsonObject, undoes: str | None = None
    ) -> str | None:
        """Make rows what they shall be, all or none; returns the audit's entry, None where nothing differs.

        Args:
            permit: Who wants it, and where.
            name: The collection's.
            stored: The rows as they were read, or some of them.
            after: The same rows as they shall be, by id; those that are not in it are removed.
            undoes: The entry that this undoes, if any.

        Raises:
            Forbidden: The role does not allow it.
            Stale, Missing, AlreadyExists: Somebody else has changed one of them since; nothing was written.
            ToolError: VALIDATION, it is more than one commit takes; CONFLICT, there would be too many rows.
        """
        allow(permit, ROWS, stored.view, after)
        old, new = changed(stored.view, after)
        ids = list(dict.fromkeys((*old, *new)))
        if not ids:
            return None
        if len(ids) > MOST_CHANGED or len(canonical([old, new])) > _MOST_AUDITED:
            raise ToolError(
                ErrorType.VALIDATION,
                f"That changes {len(ids):,} rows. At most {MOST_CHANGED}, of {_MOST_AUDITED // 1_000} KB, are changed "
                "at once, so that it is done whole or not at all. Cut the file into several, one after the other.",
            )
        added = sum(1 for id in new if id not in old)
        if added:
            await self._hold_bound(permit.business_id, name, added - (len(old) - sum(1 for id in old if id in new)))
        within = self._within(permit.business_id)
        writes = [self._write_of(within, name, id, stored.documents.get(id), new.get(id)) for id in ids]
        entry = self._trail.entry(permit, ROWS, name, old, new, undoes)
        with patiently(_COMMIT_S):
            await self._trail.commit(entry, writes, made=ids[0] if added == len(ids) == 1 else "")
        return id_of(entry)

    def _write_of(self, within: BusinessPaths, name: str, id: str, there: Document | None, row: object) -> Write:
        path = f"{within.items(name)}/{id}"
        if there is None:
            assert isinstance(row, dict)
            return Create(path, row)
        if row is None:
            return Delete(path, must_exist=True, if_update_time=there.update_time)
        assert isinstance(row, dict)
        gone, there_now = changed(there.data, row)
        fields = {field: DELETE_FIELD for field in gone if field not in there_now} | there_now
        return Update(path, fields, if_update_time=there.update_time)

    async def _hold_bound(self, business_id: str, name: str, more: int) -> None:
        count = await self._store.count(Query(self._within(business_id).items(name), limit=MOST_ROWS + 1))
        if count + more > MOST_ROWS:
            raise ToolError(
                ErrorType.CONFLICT,
                f"There are {count:,} rows, and at most {MOST_ROWS:,} are looked through when a caller asks. Remove "
                "some, or make a second collection.",
            )

    def _within(self, business_id: str) -> BusinessPaths:
        return self._paths.within(business_id)


class RowsWay(OnlyChanges):
    """Puts back rows, those that one change has changed together."""

    kind = ROWS

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    async def standing(self, business_id: str, id: str) -> DocumentState | None:
        """Return the rows that there are."""
        stored = await self._rows.all(business_id, id)
        return DocumentState(stored.view, stored.revision)

    @again_where_late
    async def change(self, permit: Permit, id: str, based_on: str, edit: Edit, *, undoes: str) -> Saved:
        """Write the rows that differ."""
        stored = await self._rows.all(permit.business_id, id)
        after = edit(stored.view)
        entry_id = await self._rows.write(permit, id, stored, after, undoes)
        return Saved(None, revision_of(after), entry_id)
