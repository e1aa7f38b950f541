"""The owners' HTTP API for collections of a business's own and the rows in them."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from fastapi import Query
from starlette.responses import Response

from switchboard.admin.access.access import Permit
from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import json_answer, revised_answer, saved_answer
from switchboard.admin.api.endpoint import EndpointGroup, endpoint
from switchboard.admin.api.models import Paging
from switchboard.admin.api.serving import BasedOn, Caller
from switchboard.admin.audit.document_kind import revision_of
from switchboard.admin.audit.revisions import NO_DOCUMENT, Saved
from switchboard.admin.collections.collections import Collection, Collections
from switchboard.admin.collections.fields import RowField
from switchboard.admin.collections.models import (
    CollectionBody,
    CollectionChange,
    CollectionDetail,
    CollectionGone,
    RowBody,
    RowChange,
    RowList,
    RowShown,
    TableBody,
    TableChecked,
    TableShown,
    TableTaking,
)
from switchboard.contract.json import JsonObject

_A_PAGE = 50


class CollectionEndpoints(EndpointGroup):
    """`/businesses/{id}/collections/…`; the list of them is with what tools choose from."""

    _BASE, _SEE, _EDIT = "/businesses/{business_id}/collections", Operation.SEE_ENTRIES, Operation.EDIT_ENTRIES
    _ONE = f"{_BASE}/{{name}}"
    _ROWS, _ROW = f"{_ONE}/rows", f"{_ONE}/rows/{{row_id}}"

    def __init__(self, collections: Collections) -> None:
        self._collections = collections

    @endpoint("POST", _BASE, _EDIT, CollectionDetail, 201, once=_ONE)
    async def _create(self, permit: Caller, body: CollectionBody) -> Response:
        """Make a collection."""
        saved = await self._collections.create(permit, body.name, body.sent("name"))
        return await self._described(permit, body.name, saved, 201)

    @endpoint("GET", _ONE, _SEE, CollectionDetail, tells_revision=True)
    async def _read(self, permit: Caller, name: str) -> Response:
        """Read a collection."""
        shown = _collection(await self._collections.one(permit.business_id, name))
        return revised_answer(shown)

    @endpoint("PUT", _ONE, _EDIT, CollectionDetail, is_revisioned=True)
    async def _describe(self, permit: Caller, name: str, based_on: BasedOn, body: CollectionChange) -> Response:
        """Say which fields a collection has."""
        return await self._described(
            permit, name, await self._collections.describe(permit, name, based_on, body.sent())
        )

    async def _described(self, permit: Permit, name: str, saved: Saved, status: int = 200) -> Response:
        return saved_answer(_collection(await self._collections.one(permit.business_id, name)), saved, status)

    @endpoint("DELETE", _ONE, _EDIT, CollectionGone, is_revisioned=True)
    async def _remove(self, permit: Caller, name: str, based_on: BasedOn) -> Response:
        """Remove an empty collection."""
        saved = await self._collections.remove(permit, name, based_on)
        return saved_answer({"deleted": name, "entryId": saved.entry_id}, saved)

    @endpoint("GET", _ROWS, _SEE, RowList)
    async def _rows(self, permit: Caller, name: str, query: Annotated[Paging, Query()]) -> Response:
        """List the rows of a collection."""
        collection = await self._collections.one(permit.business_id, name)
        page = await self._collections.rows(permit.business_id, name, query.page(0, _A_PAGE))
        shown = [_row(collection.fields, row.id, row.data) for row in page.items]
        return json_answer({"rows": shown, "nextCursor": page.next_cursor})

    @endpoint("POST", _ROWS, _EDIT, RowShown, 201, once=_ROW)
    async def _add(self, permit: Caller, name: str, body: RowBody) -> Response:
        """Add a row."""
        id, row, entry_id = await self._collections.add_row(permit, name, body.fields)
        return await self._written(permit, name, id, row, entry_id, 201)

    @endpoint("GET", _ROW, _SEE, RowShown, tells_revision=True)
    async def _row(self, permit: Caller, name: str, row_id: str) -> Response:
        """Read a row."""
        row = await self._collections.row(permit.business_id, name, row_id)
        collection = await self._collections.one(permit.business_id, name)
        shown = _row(collection.fields, row.id, row.data)
        return revised_answer(shown)

    @endpoint("PUT", _ROW, _EDIT, RowShown, is_revisioned=True)
    async def _put(self, permit: Caller, name: str, row_id: str, based_on: BasedOn, body: RowChange) -> Response:
        """Replace a row."""
        row, entry_id = await self._collections.put_row(permit, name, row_id, based_on, body.fields)
        return await self._written(permit, name, row_id, row, entry_id)

    async def _written(
        self, permit: Permit, name: str, id: str, row: JsonObject, entry_id: str | None, status: int = 200
    ) -> Response:
        shown = _row((await self._collections.one(permit.business_id, name)).fields, id, row)
        return saved_answer(shown, Saved(None, shown["revision"], entry_id), status)

    @endpoint("DELETE", _ROW, _EDIT, CollectionGone, is_revisioned=True)
    async def _drop(self, permit: Caller, name: str, row_id: str, based_on: BasedOn) -> Response:
        """Remove a row."""
        entry_id = await self._collections.remove_row(permit, name, row_id, based_on)
        return saved_answer({"deleted": row_id, "entryId": entry_id}, Saved(None, NO_DOCUMENT, entry_id))

    @endpoint("GET", f"{_ONE}/table", _SEE, TableShown)
    async def _table(self, permit: Caller, name: str) -> Response:
        """Read all rows as CSV."""
        return json_answer({"name": name, "csv": await self._collections.table(permit.business_id, name)})

    @endpoint("POST", f"{_ONE}/table/check", _EDIT, TableChecked)
    async def _check(self, permit: Caller, name: str, body: TableBody) -> Response:
        """Say what a CSV file would make of the rows."""
        draft = await self._collections.drafted(permit.business_id, name, body.csv, replaces=body.replace)
        return json_answer(draft.to_json())

    @endpoint("POST", f"{_ONE}/table", _EDIT, TableChecked, is_revisioned=True)
    async def _take(self, permit: Caller, name: str, based_on: BasedOn, body: TableTaking) -> Response:
        """Take a CSV file in, whole or not at all."""
        draft, saved = await self._collections.take_table(permit, name, based_on, body.csv, replaces=body.replace)
        return saved_answer({**draft.to_json(), "revision": saved.revision}, saved)


def _collection(collection: Collection) -> JsonObject:
    stored = collection.document.data if collection.document is not None else {}
    return {
        "name": collection.name,
        "fields": [{"name": field.name, "type": field.type} for field in collection.fields],
        "items": collection.items,
        "isDescribed": "fields" in stored,
        "revision": collection.revision,
    }


def _row(fields: Sequence[RowField], id: str, data: Mapping[str, Any]) -> JsonObject:
    names = [field.name for field in fields]
    return {
        "id": id,
        "revision": revision_of(data),
        "fields": {name: data[name] for name in names if name in data and isinstance(data[name], str | int | float)},
        "others": sorted(name for name in data if name not in names),
    }
