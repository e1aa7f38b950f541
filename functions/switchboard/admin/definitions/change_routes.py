"""The owners' HTTP API for what was done with definitions: listed, read, and drafts put back into what they were."""

from typing import Annotated

from fastapi import Query
from starlette.responses import Response

from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import json_answer, saved_answer
from switchboard.admin.api.endpoint import Endpoint
from switchboard.admin.api.models import Revisioned
from switchboard.admin.api.serving import BasedOn, Caller
from switchboard.admin.audit.revisions import Saved
from switchboard.admin.definitions.answer_models import DefinitionChangeList, DefinitionChangeLooked, DefinitionShown
from switchboard.admin.definitions.models import DefinitionChangeQuery
from switchboard.admin.definitions.service import DefinitionService
from switchboard.admin.definitions.views import shown


class DefinitionChangeEndpoints:
    """The endpoints below `/admin/definition-changes`."""

    def __init__(self, office: DefinitionService) -> None:
        """Answer from the office."""
        self._office = office

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """All of them."""
        base, see, edit = "/definition-changes", Operation.SEE_DEFINITIONS, Operation.PUBLISH_DEFINITIONS
        return (
            Endpoint(
                *("GET", base, see, "List what was done with definitions and drafts, the newest first"),
                *(self._list, DefinitionChangeList),
            ),
            Endpoint(
                *("GET", f"{base}/{{change_id}}", see, "Read a change, and what undoing is based on"),
                *(self._read, DefinitionChangeLooked),
            ),
            Endpoint(
                *("POST", f"{base}/{{change_id}}/undo", edit, "Put a draft back into what it was before a change"),
                *(self._undo, DefinitionShown),
                is_revisioned=True,
            ),
        )

    async def _list(self, permit: Caller, query: Annotated[DefinitionChangeQuery, Query()]) -> Response:
        found = await self._office.drafts.changes.listed(query.page(1), query.tool)
        return json_answer({"changes": [c.to_json() for c in found.items], "nextCursor": found.next_cursor})

    async def _read(self, permit: Caller, change_id: str) -> Response:
        change = await self._office.drafts.changes.one(change_id)
        revision = None
        if change.is_draft:
            # None of a tool that is gone, of which nothing can be undone.
            found = await self._office.records.read_several(list(change.tools))
            revision = found[0].revision if found else None
        told = await self._office.drafts.changes.told(change)
        return json_answer({**told, "revision": revision}, revision=revision)

    async def _undo(self, permit: Caller, change_id: str, based_on: BasedOn, body: Revisioned) -> Response:
        change = await self._office.drafts.changes.one(change_id)
        done = await self._office.drafts.take_back(permit, change, based_on)
        saved = Saved(None, done.record.revision, done.entry_id)
        return saved_answer(shown(done.record, permit), saved)
