"""The owners' HTTP API for what was done with definitions: listed, read, and drafts put back into what they were."""

from starlette.requests import Request
from starlette.responses import Response

from switchboard.admin.access.access import Permit
from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import json_answer, saved_answer
from switchboard.admin.api.endpoint import Endpoint
from switchboard.admin.api.paging import read_page
from switchboard.admin.api.request_body import known_change
from switchboard.admin.api.schemas import PAGING, TEXT, paged
from switchboard.admin.audit.revisions import Saved
from switchboard.admin.definitions.changes import DefinitionChange
from switchboard.admin.definitions.schemas import CHANGE, CHANGE_LINE, DEFINITION, NOTHING
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
                *(self._list, paged("changes", CHANGE_LINE)),
                query={"tool": {**TEXT, "description": "Only of the tool of this name."}, **PAGING},
            ),
            Endpoint(
                *("GET", f"{base}/{{change_id}}", see, "Read a change, and what undoing is based on"),
                *(self._read, CHANGE),
            ),
            Endpoint(
                *("POST", f"{base}/{{change_id}}/undo", edit, "Put a draft back into what it was before a change"),
                *(self._undo, DEFINITION),
                body=NOTHING,
                is_revisioned=True,
            ),
        )

    async def _list(self, request: Request, permit: Permit) -> Response:
        page = read_page(request.query_params, 1)
        found = await self._office.drafts.changes.listed(page, request.query_params.get("tool") or None)
        return json_answer({"changes": [c.to_json() for c in found.items], "nextCursor": found.next_cursor})

    async def _read(self, request: Request, permit: Permit) -> Response:
        change = await self._change(request)
        revision = None
        if change.is_draft:
            # None of a tool that is gone, of which nothing can be undone.
            found = await self._office.records.read_several(list(change.tools))
            revision = found[0].revision if found else None
        told = await self._office.drafts.changes.told(change)
        return json_answer({**told, "revision": revision}, revision=revision)

    async def _undo(self, request: Request, permit: Permit) -> Response:
        _, based_on = await known_change(request)
        done = await self._office.drafts.take_back(permit, await self._change(request), based_on)
        saved = Saved(None, done.record.revision, done.entry_id)
        return saved_answer(shown(done.record, permit), saved)

    async def _change(self, request: Request) -> DefinitionChange:
        return await self._office.drafts.changes.one(request.path_params["change_id"])
