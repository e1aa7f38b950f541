"""The owners' HTTP API for businesses: list, read and edit them, look at their figures, and at what was changed."""

from typing import Annotated

from fastapi import Body, Query
from starlette.responses import Response

from switchboard.admin.access.refusal import EntryProblem, NotValid
from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import json_answer, revised_answer, saved_answer
from switchboard.admin.api.endpoint import EndpointGroup, endpoint
from switchboard.admin.api.models import Described
from switchboard.admin.api.serving import BasedOn, Caller
from switchboard.admin.api.wording import wrong_with
from switchboard.admin.audit.models import AuditQuery, ChangeList, ChangeLooked, ChangeUndone, UndoBody
from switchboard.admin.businesses.businesses import Businesses
from switchboard.admin.businesses.daily_stats import DailyStats
from switchboard.admin.businesses.models import (
    BusinessCounts,
    BusinessList,
    BusinessMetrics,
    BusinessPatch,
    BusinessQuery,
    BusinessShown,
    DayList,
    DaysQuery,
    EditSettings,
)
from switchboard.admin.businesses.stats import BusinessStats
from switchboard.admin.conversations.models import PeriodQuery, SpanQuery
from switchboard.admin.undo.undoing import Audit
from switchboard.contract.json import JsonObject

_LONGEST_ID = 300


class BusinessEndpoints(EndpointGroup):
    """The endpoints below `/admin/businesses` that are about a business itself."""

    _BASE = "/businesses/{business_id}"
    _SEE, _EDIT = Operation.SEE_BUSINESS, Operation.EDIT_BUSINESS
    _CONVERSATIONS, _AUDIT = Operation.SEE_CONVERSATIONS, Operation.SEE_AUDIT
    _LIST_ALL, _ENTRY = Operation.LIST_BUSINESSES, f"{_BASE}/audit/{{entry_id}}"

    def __init__(self, businesses: Businesses, figures: BusinessStats, audit: Audit) -> None:
        self._businesses, self._figures, self._audit = businesses, figures, audit

    @endpoint("GET", "/businesses", _LIST_ALL, BusinessList)
    async def _list(self, permit: Caller, query: Annotated[BusinessQuery, Query()]) -> Response:
        """List the businesses you have a role in."""
        page = await self._businesses.listed(permit.identity, query.page(0), query.text or "")
        return json_answer({"businesses": [line.to_json() for line in page.items], "nextCursor": page.next_cursor})

    @endpoint("GET", _BASE, _SEE, BusinessShown)
    async def _read(self, permit: Caller) -> Response:
        """Read a business."""
        return revised_answer(await self._businesses.shown(permit))

    @endpoint("PATCH", _BASE, _EDIT, BusinessShown, is_revisioned=True, decides_offers=True)
    async def _edit(
        self, permit: Caller, based_on: BasedOn, patch: Annotated[JsonObject, Described(BusinessPatch), Body()]
    ) -> Response:
        """Edit a business."""
        settings = {name: patch[name] for name in EditSettings.model_fields if name in patch}
        problems = wrong_with(EditSettings, settings)
        if problems:
            raise NotValid(problems)
        fields = {name: value for name, value in patch.items() if name not in settings}
        is_confirmed = settings.get("confirm", False)
        return saved_answer(*await self._businesses.edit(permit, based_on, fields, is_confirmed=is_confirmed))

    @endpoint("GET", f"{_BASE}/counts", _CONVERSATIONS, BusinessCounts)
    async def _counts(self, permit: Caller, query: Annotated[SpanQuery, Query()]) -> Response:
        """Count a business's conversations and documents."""
        return json_answer(await self._figures.counts(permit.business_id, query.wanted()))

    @endpoint("GET", f"{_BASE}/metrics", _CONVERSATIONS, BusinessMetrics)
    async def _metrics(self, permit: Caller, query: Annotated[PeriodQuery, Query()]) -> Response:
        """Sum up how the latest conversations and tools went."""
        return json_answer(await self._figures.summary(permit.business_id, query.wanted()))

    @endpoint("GET", f"{_BASE}/audit", _AUDIT, ChangeList)
    async def _entries(self, permit: Caller, query: Annotated[AuditQuery, Query()]) -> Response:
        """List what was changed, the newest first."""
        page, kind, document = query.page(1), query.kind, query.document
        problems = []
        if kind and kind not in self._audit.kinds:
            problems.append(EntryProblem("kind", f"kind must be one of {', '.join(self._audit.kinds)}."))
        if document and len(document) > _LONGEST_ID:
            problems.append(
                EntryProblem("document", f"document must be an id, which has at most {_LONGEST_ID} characters.")
            )
        if problems:
            raise NotValid(problems)
        entries_page = await self._audit.entries(permit.business_id, page, kind, document)
        entries = [
            undoable.entry.to_json(self._audit.why_not(permit, undoable), undoable.now)
            for undoable in entries_page.items
        ]
        return json_answer({"entries": entries, "nextCursor": entries_page.next_cursor})

    @endpoint("GET", _ENTRY, _AUDIT, ChangeLooked)
    async def _entry(self, permit: Caller, entry_id: str) -> Response:
        """Read what was changed, and what undoing is based on."""
        looked = await self._audit.look(permit.business_id, entry_id)
        shown = looked.entry.to_json(self._audit.why_not(permit, looked), looked.now)
        return json_answer({**shown, "revision": looked.revision}, revision=looked.revision)

    @endpoint("POST", f"{_ENTRY}/undo", Operation.UNDO, ChangeUndone, is_revisioned=True, decides_offers=True)
    async def _undo(self, permit: Caller, entry_id: str, based_on: BasedOn, body: UndoBody) -> Response:
        """Undo a change."""
        saved = await self._audit.undo(permit, entry_id, based_on)
        return saved_answer({"undone": entry_id, "revision": saved.revision, "entryId": saved.entry_id}, saved)


_USUAL = 7


class DayEndpoints(EndpointGroup):
    """The endpoint below `/admin/businesses/{business_id}` that tells of single days."""

    _BASE, _SEE = "/businesses/{business_id}/days", Operation.SEE_CONVERSATIONS

    def __init__(self, totals: DailyStats) -> None:
        self._totals = totals

    @endpoint("GET", _BASE, _SEE, DayList)
    async def _days(self, permit: Caller, query: Annotated[DaysQuery, Query()]) -> Response:
        """Sum up each of the last days."""
        totals = await self._totals.of(permit.business_id, query.days or _USUAL)
        return json_answer(totals.to_json())
