"""The owners' HTTP API for businesses: list, read and edit them, look at their figures, and at what was changed."""

from starlette.requests import Request
from starlette.responses import Response

from switchboard.admin.access.access import Permit
from switchboard.admin.access.refusal import EntryProblem, NotValid
from switchboard.admin.access.roles import Operation, Role
from switchboard.admin.api.answer import json_answer, saved_answer
from switchboard.admin.api.endpoint import Endpoint
from switchboard.admin.api.paging import read_page
from switchboard.admin.api.request_body import revisioned_body, wanted_interactions, with_flags
from switchboard.admin.api.schemas import (
    ANYTHING,
    CONFIRM,
    COUNT,
    COUNTS,
    FLAG,
    MAYBE_NUMBER,
    MAYBE_TEXT,
    MAYBE_TIME,
    PAGING,
    PERIOD,
    TEXT,
    TEXTS,
    TIME,
    listed,
    paged,
    record,
)
from switchboard.admin.businesses.businesses import Businesses
from switchboard.admin.businesses.form import EDITED
from switchboard.admin.businesses.stats import BusinessStats
from switchboard.admin.undo.undoing import Audit

_LONGEST_TEXT = 200
_LONGEST_ID = 300
_SEARCHED = {
    **TEXT,
    "maxLength": _LONGEST_TEXT,
    "description": "Only those whose name or id has words that begin like these. A page may hold few, and go on.",
}
_ROLE = {"enum": [role.value for role in Role]}
_LINE = record({"id": TEXT, "name": TEXT, "timezone": TEXT, "industry": TEXT, "role": _ROLE})
_BUSINESS = record(
    {
        "businessId": TEXT,
        "revision": TEXT,
        "role": _ROLE,
        "mayEdit": FLAG,
        "mayEditSafeguards": FLAG,
        "limits": ANYTHING,
        "business": ANYTHING,
        "integrations": ANYTHING,
        "problems": TEXTS,
        "updatedAt": TIME,
        "updatedBy": MAYBE_TEXT,
    }
)
_PATCH = {
    "type": "object",
    "description": "A merge patch (RFC 7396) of the fields that owners edit, and optionally the revision.",
    "properties": {"revision": TEXT, "confirm": CONFIRM} | {name: {} for name in EDITED},
    "additionalProperties": False,
}
_COUNTS = record({"interactions": COUNT, "byChannel": COUNTS, "byOutcome": COUNTS, "stored": COUNTS})
_TOOL = record(
    {"tool": TEXT, "calls": COUNT, "failed": COUNT, "errors": COUNTS, "medianMs": MAYBE_NUMBER, "p95Ms": MAYBE_NUMBER}
)
_SUMMARY = record(
    {
        "basedOn": COUNT,
        "isWhole": FLAG,
        "since": MAYBE_TIME,
        "medianSeconds": MAYBE_NUMBER,
        "outcomes": COUNTS,
        "tools": listed(_TOOL),
    }
)
_ENTRY = {
    "id": TEXT,
    "at": TIME,
    "who": ANYTHING,
    "kind": TEXT,
    "document": TEXT,
    "deed": {"enum": ["created", "changed", "deleted"]},
    "before": ANYTHING,
    "after": ANYTHING,
    "changes": TEXTS,
    "undoes": MAYBE_TEXT,
    "undoneBy": MAYBE_TEXT,
    "redoneBy": MAYBE_TEXT,
    "isUndoable": FLAG,
    "whyNotUndoable": MAYBE_TEXT,
}
_UNDONE = record({"undone": TEXT, "revision": TEXT, "entryId": MAYBE_TEXT})


class BusinessEndpoints:
    """The endpoints below `/admin/businesses` that are about a business itself."""

    def __init__(self, businesses: Businesses, figures: BusinessStats, audit: Audit) -> None:
        """Answer from these."""
        self._businesses, self._figures, self._audit = businesses, figures, audit

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """All of them."""
        base = "/businesses/{business_id}"
        see, edit = Operation.SEE_BUSINESS, Operation.EDIT_BUSINESS
        conversations, audit = Operation.SEE_CONVERSATIONS, Operation.SEE_AUDIT
        of_kind = {"kind": {**TEXT, "description": "Only of this kind, such as business or policies."}}
        of_document = {"document": {**TEXT, "description": "Only of the document of this id."}}
        return (
            Endpoint(
                *("GET", "/businesses", Operation.LIST_BUSINESSES, "List the businesses you have a role in"),
                *(self._list, paged("businesses", _LINE)),
                query={"text": _SEARCHED, **PAGING},
            ),
            Endpoint("GET", base, see, "Read a business", self._read, _BUSINESS),
            Endpoint(*("PATCH", base, edit, "Edit a business", self._edit, _BUSINESS), body=_PATCH, is_revisioned=True),
            Endpoint(
                *("GET", f"{base}/counts", conversations, "Count a business's conversations and documents"),
                *(self._counts, _COUNTS),
                query={name: PERIOD[name] for name in ("from", "to")},
            ),
            Endpoint(
                *("GET", f"{base}/metrics", conversations, "Sum up how the latest conversations and tools went"),
                *(self._metrics, _SUMMARY),
                query=PERIOD,
            ),
            Endpoint(
                *("GET", f"{base}/audit", audit, "List what was changed, the newest first"),
                *(self._entries, paged("entries", record(_ENTRY))),
                query={**PAGING, **of_kind, **of_document},
            ),
            Endpoint(
                *("GET", f"{base}/audit/{{entry_id}}", audit, "Read what was changed, and what undoing is based on"),
                *(self._entry, record({**_ENTRY, "revision": MAYBE_TEXT})),
            ),
            Endpoint(
                *("POST", f"{base}/audit/{{entry_id}}/undo", Operation.UNDO, "Undo a change", self._undo, _UNDONE),
                body={"type": "object", "properties": {"revision": TEXT}, "additionalProperties": False},
                is_revisioned=True,
            ),
        )

    async def _list(self, request: Request, permit: Permit) -> Response:
        query = request.query_params
        text = query.get("text", "")
        if len(text) > _LONGEST_TEXT:
            raise NotValid([EntryProblem("text", f"text must not be longer than {_LONGEST_TEXT} characters.")])
        found = await self._businesses.listed(permit.identity, read_page(query, 0), text)
        return json_answer({"businesses": [line.to_json() for line in found.items], "nextCursor": found.next_cursor})

    async def _read(self, request: Request, permit: Permit) -> Response:
        shown = await self._businesses.shown(permit)
        return json_answer(shown, revision=shown["revision"])

    async def _edit(self, request: Request, permit: Permit) -> Response:
        body, based_on = await revisioned_body(request)
        patch, how = with_flags(body, "confirm")
        shown, saved = await self._businesses.edit(permit, based_on, patch, is_confirmed=how["confirm"])
        return saved_answer(shown, saved)

    async def _counts(self, request: Request, permit: Permit) -> Response:
        wanted = wanted_interactions(
            {name: value for name, value in request.query_params.items() if name in ("from", "to")}
        )
        return json_answer(await self._figures.counts(permit.business_id, wanted))

    async def _metrics(self, request: Request, permit: Permit) -> Response:
        wanted = wanted_interactions({name: value for name, value in request.query_params.items() if name in PERIOD})
        return json_answer(await self._figures.summary(permit.business_id, wanted))

    async def _entries(self, request: Request, permit: Permit) -> Response:
        query = request.query_params
        page = read_page(query, 1)
        kind, document = query.get("kind") or None, query.get("document") or None
        problems = []
        if kind and kind not in self._audit.kinds:
            problems.append(EntryProblem("kind", f"kind must be one of {', '.join(self._audit.kinds)}."))
        if document and len(document) > _LONGEST_ID:
            problems.append(
                EntryProblem("document", f"document must be an id, which has at most {_LONGEST_ID} characters.")
            )
        if problems:
            raise NotValid(problems)
        found = await self._audit.entries(permit.business_id, page, kind, document)
        entries = [told.entry.to_json(self._audit.why_not(told.entry), told.now) for told in found.items]
        return json_answer({"entries": entries, "nextCursor": found.next_cursor})

    async def _entry(self, request: Request, permit: Permit) -> Response:
        looked = await self._audit.look(permit.business_id, request.path_params["entry_id"])
        shown = looked.entry.to_json(self._audit.why_not(looked.entry), looked.now)
        return json_answer({**shown, "revision": looked.revision}, revision=looked.revision)

    async def _undo(self, request: Request, permit: Permit) -> Response:
        body, based_on = await revisioned_body(request)
        if body:
            raise NotValid([EntryProblem(name[:80], "Undoing takes nothing but the revision.") for name in body])
        id = request.path_params["entry_id"]
        saved = await self._audit.undo(permit, id, based_on)
        return saved_answer({"undone": id, "revision": saved.revision, "entryId": saved.entry_id}, saved)
