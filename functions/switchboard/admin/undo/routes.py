"""The owners' HTTP API for every change that reaches a business's callers."""

from typing import Annotated

from fastapi import Query
from starlette.responses import Response

from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import json_answer
from switchboard.admin.api.endpoint import EndpointGroup, endpoint
from switchboard.admin.api.models import Paging
from switchboard.admin.api.serving import Caller
from switchboard.admin.audit.models import ReachingChangeList, SharedChangeLooked
from switchboard.admin.undo.reaching import ReachingChanges, SharedChange
from switchboard.admin.undo.undoing import Audit, UndoableEntry
from switchboard.contract.json import JsonObject


class ReachingEndpoints(EndpointGroup):
    """The endpoints below `/admin/businesses/{business_id}/changes`."""

    _BASE, _SEE = "/businesses/{business_id}/changes", Operation.SEE_AUDIT

    def __init__(self, reaching: ReachingChanges, audit: Audit) -> None:
        self._reaching, self._audit = reaching, audit

    @endpoint("GET", _BASE, _SEE, ReachingChangeList)
    async def _list(self, permit: Caller, query: Annotated[Paging, Query()]) -> Response:
        """List what was changed here and of what all businesses share, the newest first."""
        page = await self._reaching.listed(permit, query.page(1))
        return json_answer({"changes": [self._row(permit, one) for one in page.items], "nextCursor": page.next_cursor})

    @endpoint("GET", f"{_BASE}/{{change_id}}", _SEE, SharedChangeLooked)
    async def _read(self, permit: Caller, change_id: str) -> Response:
        """Read a change of what all businesses share, and what differs here."""
        change, documents = await self._reaching.look(permit, change_id)
        return json_answer({**change.to_json(), "documents": documents})

    def _row(self, permit: Caller, change: UndoableEntry | SharedChange) -> JsonObject:
        if isinstance(change, SharedChange):
            return {"own": None, "shared": change.to_json()}
        return {"own": change.entry.to_json(self._audit.why_not(permit, change), change.now), "shared": None}
