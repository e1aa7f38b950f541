"""Collections as owners make and fill them; what calls read of them lies where it always has."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from uuid import uuid4

from switchboard.admin.access.access import Permit
from switchboard.admin.access.known_business import known_business
from switchboard.admin.access.refusal import EntryProblem, NotFound, NotValid, OutOfDate
from switchboard.admin.access.roles import Operation
from switchboard.admin.api.paging import Page, Slice, sliced
from switchboard.admin.api.wording import wrong_with
from switchboard.admin.audit.document_kind import DocumentKind, revision_of
from switchboard.admin.audit.revisions import (
    NO_DOCUMENT,
    Revisions,
    Saved,
    again_where_late,
    out_of_date,
    require,
)
from switchboard.admin.collections.fields import RowField, fields_of, joined, wrong_with_row
from switchboard.admin.collections.models import FieldsBody
from switchboard.admin.collections.rows import MOST_CHANGED, MOST_ROWS, Rows, StoredRows
from switchboard.admin.collections.table_text import LineProblem, TableText, read_table, write_table
from switchboard.admin.documents.difference import changed
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Document, Query

MOST_COLLECTIONS = 50
_LOOKED_AT = 50

COLLECTION = DocumentKind(
    "collection",
    Operation.EDIT_ENTRIES,
    lambda paths, name: paths.document("collections", name),
    lambda fields, _: wrong_with(FieldsBody, fields),
    ("fields",),
)
"""What an owner has said of a collection: which fields its rows have."""


@dataclass(frozen=True, slots=True)
class Collection:
    """A collection: its name, its fields, how many rows it has, and what is stored of it (None: nothing was said)."""

    name: str
    fields: Sequence[RowField]
    items: int
    document: Document | None

    @property
    def revision(self) -> str:
        """The revision of what its owner has said of it."""
        return COLLECTION.revision(self.document) if self.document is not None else NO_DOCUMENT


@dataclass(frozen=True, slots=True)
class TableDraft:
    """What a file would make of a collection, and the revision of all its rows, which doing it is based on."""

    table: TableText
    stored: StoredRows
    after: JsonObject

    @property
    def problems(self) -> Sequence[LineProblem]:
        """What is wrong with it, line by line, and last as a whole; where there is anything, it is not taken in."""
        old, new = changed(self.stored.view, self.after)
        count, sentence = len({*old, *new}), ""
        if len(self.after) > max(MOST_ROWS, len(self.stored.documents)):
            sentence = (
                f"There would be {len(self.after):,} rows, and at most {MOST_ROWS:,} are looked through when a caller "
                "asks. Leave some out, or make a second collection."
            )
        elif count > MOST_CHANGED:
            sentence = (
                f"The file changes {count:,} rows, and at most {MOST_CHANGED} are changed at once. Cut it into several."
            )
        return (*self.table.problems, LineProblem(0, "", sentence)) if sentence else self.table.problems

    def to_json(self) -> JsonObject:
        """Return how many rows it concerns, and what is wrong."""
        old, new = changed(self.stored.view, self.after)
        problems, notes = (
            [{"line": p.line, "column": p.column, "message": p.message} for p in told]
            for told in (self.problems, self.table.notes)
        )
        return {
            "columns": [{"name": name, "field": field} for name, field in self.table.columns.items()],
            "notes": notes,
            "added": sum(1 for id in new if id not in old),
            "changed": sum(1 for id in new if id in old),
            "removed": sum(1 for id in old if id not in new),
            "unchanged": sum(1 for id in self.after if id not in new),
            "problems": problems,
            "revision": self.stored.revision,
        }


class Collections:
    """What is done with them. What the store raises passes through."""

    def __init__(self, store: Store, paths: Paths, revisions: Revisions, rows: Rows) -> None:
        self._store, self._paths, self._revisions, self._rows = store, paths, revisions, rows

    async def one(self, business_id: str, name: str) -> Collection:
        """Return a collection.

        Raises:
            NotFound: There is no such business, or nothing of that name.
        """
        within = self._paths.within(business_id)
        await known_business(self._store, within)
        document = await self._store.get(within.document("collections", name))
        some = await self._store.query(Query(within.items(name), limit=_LOOKED_AT))
        if not some and (document is None or "fields" not in document.data):
            raise NotFound("There is no collection of that name.")
        count = await self._store.count(Query(within.items(name), limit=MOST_ROWS + 1))
        stored = document.data if document is not None else {}
        return Collection(name, fields_of(stored, [row.data for row in some]), count, document)

    async def create(self, permit: Permit, name: str, fields: JsonObject) -> Saved:
        """Make a collection, or say which fields one has that was filled before.

        Raises:
            NotValid: The fields cannot be kept.
            ToolError: CONFLICT; it was made already, or there are as many as there may be.
        """
        within = self._paths.within(permit.business_id)
        await known_business(self._store, within)
        if await self._store.count(Query(within.collection("collections"), limit=MOST_COLLECTIONS)) >= MOST_COLLECTIONS:
            raise ToolError(ErrorType.CONFLICT, f"There are {MOST_COLLECTIONS} collections; remove one that is empty.")
        return await self._revisions.create(permit, COLLECTION, name, fields)

    async def describe(self, permit: Permit, name: str, based_on: str | None, fields: JsonObject) -> Saved:
        """Say anew which fields there are; what rows hold beside them stays in them.

        Raises:
            NotFound, NotValid, OutOfDate, RevisionMissing: See `Revisions.change`.
        """
        return await self._revisions.change(permit, COLLECTION, name, based_on, lambda _: fields)

    async def remove(self, permit: Permit, name: str, based_on: str | None) -> Saved:
        """Remove a collection in which nothing lies.

        Raises:
            NotFound, OutOfDate, RevisionMissing: See `Revisions.delete`.
            ToolError: CONFLICT; it has rows.
        """
        if await self._store.count(Query(self._paths.within(permit.business_id).items(name), limit=1)):
            raise ToolError(ErrorType.CONFLICT, "It has rows. Remove them first, so that none is lost by mistake.")
        return await self._revisions.delete(permit, COLLECTION, name, based_on)

    async def rows(self, business_id: str, name: str, page: Page) -> Slice[Document]:
        """Return a page of rows by id; NotFound where there is no such collection."""
        await self.one(business_id, name)
        return await sliced(self._store, Query(self._paths.within(business_id).items(name)), page)

    async def row(self, business_id: str, name: str, id: str) -> Document:
        """Return a row; NotFound where there is none."""
        row = await self._rows.one(business_id, name, id)
        if row is None:
            raise NotFound("There is no row of that id.")
        return row

    async def add_row(self, permit: Permit, name: str, given: JsonObject) -> tuple[str, JsonObject, str | None]:
        """Return the id of a new row, the row, and the audit's entry.

        Raises:
            NotFound, NotValid: There is no such collection, or it has no such fields.
            ToolError: CONFLICT; there are as many rows as there may be.
        """
        fields = await self._sound(permit.business_id, name, given)
        id, row = str(uuid4()), joined(fields, {}, given)
        return id, row, await self._rows.write(permit, name, StoredRows({}), {id: row})

    async def put_row(
        self, permit: Permit, name: str, id: str, based_on: str | None, given: JsonObject
    ) -> tuple[JsonObject, str | None]:
        """Return a row with other fields, and the audit's entry.

        Raises:
            NotFound, NotValid: There is no such row, or it cannot have these fields.
            RevisionMissing, OutOfDate: See `Revisions.change`.
        """
        fields = await self._sound(permit.business_id, name, given)
        return await self._edited(permit, name, id, based_on, lambda before: joined(fields, before, given))

    async def remove_row(self, permit: Permit, name: str, id: str, based_on: str | None) -> str | None:
        """Remove a row as it was read, and return the audit's entry; raises as `put_row`."""
        return (await self._edited(permit, name, id, based_on, lambda _: None))[1]

    async def table(self, business_id: str, name: str) -> str:
        """Return all rows as CSV; NotFound where there is no such collection."""
        collection = await self.one(business_id, name)
        return write_table(collection.fields, (await self._rows.all(business_id, name)).view)

    async def drafted(self, business_id: str, name: str, text: str, *, replaces: bool) -> TableDraft:
        """Return what a CSV file would make of the rows; with `replaces`, those that it does not name are removed.

        Raises:
            NotFound: There is no such collection.
        """
        collection = await self.one(business_id, name)
        stored = await self._rows.all(business_id, name)
        # A file of many thousand lines takes a second, in which everybody's conversations go on.
        table = await asyncio.to_thread(read_table, text, collection.fields, frozenset(stored.documents))
        rows = {id: joined(collection.fields, stored.view.get(id) or {}, row) for id, row in table.rows.items()}
        return TableDraft(table, stored, rows if replaces else stored.view | rows)

    @again_where_late
    async def take_table(
        self, permit: Permit, name: str, based_on: str | None, text: str, *, replaces: bool
    ) -> tuple[TableDraft, Saved]:
        """Take a file in, whole or not at all.

        Raises:
            NotFound: There is no such collection.
            NotValid: A line is wrong; nothing was written.
            RevisionMissing, OutOfDate: A row has changed since `based_on` was told.
            ToolError: It is more than one commit takes.
        """
        require(based_on)
        draft = await self.drafted(permit.business_id, name, text, replaces=replaces)
        if draft.stored.revision != based_on:
            raise OutOfDate(draft.stored.revision, None, None)
        if draft.problems:
            raise NotValid([EntryProblem("csv", f"csv: {one.message}") for one in draft.problems])
        entry_id = await self._rows.write(permit, name, draft.stored, draft.after)
        return draft, Saved(None, revision_of(draft.after), entry_id)

    async def _sound(self, business_id: str, name: str, given: Mapping[str, object]) -> Sequence[RowField]:
        fields = (await self.one(business_id, name)).fields
        problems = wrong_with_row(fields, given)
        if problems:
            raise NotValid(problems)
        return fields

    @again_where_late
    async def _edited(
        self,
        permit: Permit,
        name: str,
        id: str,
        based_on: str | None,
        edit: Callable[[JsonObject], JsonObject | None],
    ) -> tuple[JsonObject, str | None]:
        require(based_on)
        row = await self.row(permit.business_id, name, id)
        after = edit(row.data)
        if revision_of(row.data) != based_on:
            raise out_of_date(row, row.data, after)
        stored = StoredRows({id: row})
        entry_id = await self._rows.write(permit, name, stored, {} if after is None else {id: after})
        return after or {}, entry_id
