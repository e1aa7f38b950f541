"""The owners' HTTP API for businesses: list, read and edit them, look at their figures, and at what was changed."""

from typing import Annotated

from fastapi import Body, Query
from starlette.responses import Response

from switchboard.admin.access.refusal import EntryProblem, NotValid
from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import json_answer, saved_answer
from switchboard.admin.api.endpoint import Endpoint
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


class BusinessEndpoints:
    """The endpoints below `/admin/businesses` that are about a business itself."""

    def __init__(self, businesses: Businesses, figures: BusinessStats, audit: Audit) -> None:
        self._businesses, self._figures, self._audit = businesses, figures, audit

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """All of them."""
        base = "/businesses/{business_id}"
        see, edit = Operation.SEE_BUSINESS, Operation.EDIT_BUSINESS
        conversations, audit = Operation.SEE_CONVERSATIONS, Operation.SEE_AUDIT
        list_all, entry = Operation.LIST_BUSINESSES, f"{base}/audit/{{entry_id}}"
        looked = "Read what was changed, and what undoing is based on"
        return (
            Endpoint(
                "GET", "/businesses", list_all, "List the businesses you have a role in", self._list, BusinessList
            ),
            Endpoint("GET", base, see, "Read a business", self._read, BusinessShown),
            Endpoint(
                "PATCH",
                base,
                edit,
                "Edit a business",
                self._edit,
                BusinessShown,
                is_revisioned=True,
                decides_offers=True,
            ),
            Endpoint(
                *("GET", f"{base}/counts", conversations, "Count a business's conversations and documents"),
                *(self._counts, BusinessCounts),
            ),
            Endpoint(
                *("GET", f"{base}/metrics", conversations, "Sum up how the latest conversations and tools went"),
                *(self._metrics, BusinessMetrics),
            ),
            Endpoint(
                "GET", f"{base}/audit", audit, "List what was changed, the newest first", self._entries, ChangeList
            ),
            Endpoint("GET", entry, audit, looked, self._entry, ChangeLooked),
            Endpoint(
                *("POST", f"{entry}/undo", Operation.UNDO, "Undo a change", self._undo, ChangeUndone),
                is_revisioned=True,
                decides_offers=True,
            ),
        )

    async def _list(self, permit: Caller, query: Annotated[BusinessQuery, Query()]) -> Response:
        page = await self._businesses.listed(permit.identity, query.page(0), query.text or "")
        return json_answer({"businesses": [line.to_json() for line in page.items], "nextCursor": page.next_cursor})

    async def _read(self, permit: Caller) -> Response:
        shown = await self._businesses.shown(permit)
        return json_answer(shown, revision=shown["revision"])

    async def _edit(
        self, permit: Caller, based_on: BasedOn, patch: Annotated[JsonObject, Described(BusinessPatch), Body()]
    ) -> Response:
        settings = {name: patch[name] for name in EditSettings.model_fields if name in patch}
        problems = wrong_with(EditSettings, settings)
        if problems:
            raise NotValid(problems)
        fields = {name: value for name, value in patch.items() if name not in settings}
        is_confirmed = settings.get("confirm", False)
        shown, saved = await self._businesses.edit(permit, based_on, fields, is_confirmed=is_confirmed)
        return saved_answer(shown, saved)

    async def _counts(self, permit: Caller, query: Annotated[SpanQuery, Query()]) -> Response:
        return json_answer(await self._figures.counts(permit.business_id, query.wanted()))

    async def _metrics(self, permit: Caller, query: Annotated[PeriodQuery, Query()]) -> Response:
        return json_answer(await self._figures.summary(permit.business_id, query.wanted()))

    async def _entries(self, permit: Caller, query: Annotated[AuditQuery, Query()]) -> Response:
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

    async def _entry(self, permit: Caller, entry_id: str) -> Response:
        looked = await self._audit.look(permit.business_id, entry_id)
        shown = looked.entry.to_json(self._audit.why_not(permit, looked), looked.now)
        return json_answer({**shown, "revision": looked.revision}, revision=looked.revision)

    async def _undo(self, permit: Caller, entry_id: str, based_on: BasedOn, body: UndoBody) -> Response:
        saved = await self._audit.undo(permit, entry_id, based_on)
        return saved_answer({"undone": entry_id, "revision": saved.revision, "entryId": saved.entry_id}, saved)


_USUAL = 7


class DayEndpoints:
    """The endpoint below `/admin/businesses/{business_id}` that tells of single days."""

    def __init__(self, totals: DailyStats) -> None:
        self._totals = totals

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """All of them."""
        base, see = "/businesses/{business_id}/days", Operation.SEE_CONVERSATIONS
        return (Endpoint("GET", base, see, "Sum up each of the last days", self._days, DayList),)

    async def _days(self, permit: Caller, query: Annotated[DaysQuery, Query()]) -> Response:
        totals = await self._totals.of(permit.business_id, query.days or _USUAL)
        return json_answer(totals.to_json())
