"""The owners' HTTP API for health, and for what callers asked that could not be answered."""

import asyncio

from starlette.requests import Request
from starlette.responses import Response

from switchboard.admin.access.access import Permit
from switchboard.admin.access.refusal import EntryProblem, NotValid
from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import json_answer, saved_answer
from switchboard.admin.api.endpoint import Endpoint
from switchboard.admin.api.paging import read_page
from switchboard.admin.api.request_body import revisioned_body
from switchboard.admin.api.schemas import (
    COUNT,
    COUNTS,
    FLAG,
    MAYBE_TEXT,
    MAYBE_TIME,
    PAGING,
    TEXT,
    TEXTS,
    TIME,
    listed,
    paged,
    record,
)
from switchboard.admin.businesses.businesses import Businesses
from switchboard.admin.health.findings import WORDS, HealthSeverity, worst
from switchboard.admin.health.health import HealthService
from switchboard.admin.health.questions import UnansweredQuestions
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject

_USUAL, _MOST = 10, 25
_FINDING = record(
    {
        "what": {"enum": list(WORDS)},
        "severity": {"enum": [severity.value for severity in HealthSeverity]},
        "subject": TEXT,
        "count": {"type": ["integer", "null"]},
        "at": MAYBE_TIME,
        "means": TEXT,
        "do": TEXT,
    }
)
_WORST = {"enum": ["ok", *(severity.value for severity in HealthSeverity)]}
_HEALTH = record(
    {
        "businessId": TEXT,
        "name": TEXT,
        "checkedAt": TIME,
        "worst": _WORST,
        "findings": listed(_FINDING),
        "calls": COUNTS,
    }
)
_ALL = record({"worst": _WORST, "house": listed(_FINDING), "businesses": listed(_HEALTH), "nextCursor": MAYBE_TEXT})
_QUESTION = record(
    {
        "id": TEXT,
        "question": TEXT,
        "count": COUNT,
        "firstAt": TIME,
        "lastAt": MAYBE_TIME,
        "channels": TEXTS,
        "isAnswered": FLAG,
        "note": TEXT,
        "revision": TEXT,
    }
)
_MARK: JsonObject = {
    "type": "object",
    "properties": {"revision": TEXT, "isAnswered": FLAG, "note": TEXT},
    "additionalProperties": False,
}


class HealthEndpoints:
    """The endpoints about health."""

    def __init__(self, health: HealthService, businesses: Businesses, questions: UnansweredQuestions) -> None:
        """Answer from these."""
        self._health, self._businesses, self._questions = health, businesses, questions

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """All of them."""
        base = "/businesses/{business_id}"
        limit = {**PAGING["limit"], "maximum": _MOST}
        answered = {"answered": {**TEXT, "description": "1 lists those that are marked as answered."}}
        return (
            Endpoint(
                *("GET", "/health", Operation.LIST_BUSINESSES, "Tell how your businesses are doing"),
                *(self._all, _ALL),
                query={**PAGING, "limit": limit},
            ),
            Endpoint(
                *("GET", f"{base}/health", Operation.SEE_CONVERSATIONS, "Tell how a business is doing, and what to do"),
                *(self._one, _HEALTH),
            ),
            Endpoint(
                *("GET", f"{base}/questions", Operation.SEE_CONVERSATIONS, "List what callers asked in vain"),
                *(self._list, paged("questions", _QUESTION)),
                query={**PAGING, **answered},
            ),
            Endpoint(
                *("PATCH", f"{base}/questions/{{question_id}}", Operation.EDIT_ENTRIES, "Mark a question as answered"),
                *(self._mark, _QUESTION),
                body=_MARK,
                is_revisioned=True,
            ),
        )

    async def _all(self, request: Request, permit: Permit) -> Response:
        page = read_page(request.query_params, 0, usual=_USUAL, most=_MOST)
        found = await self._businesses.listed(permit.identity, page)
        looked = await asyncio.gather(*(self._health.of(line.id) for line in found.items), return_exceptions=True)
        healths = []
        for health in looked:
            if isinstance(health, BaseException):
                # One that was removed in this moment is missing from the list; whatever else it was is told.
                if isinstance(health, ToolError) and health.type is ErrorType.NOT_FOUND:
                    continue
                raise health
            healths.append(health)
        house = await self._health.of_the_house()
        body = {
            "worst": worst([*house, *(finding for health in healths for finding in health.findings)]),
            "house": [finding.to_json() for finding in house],
            "businesses": [health.to_json() for health in healths],
            "nextCursor": found.next_cursor,
        }
        return json_answer(body)

    async def _one(self, request: Request, permit: Permit) -> Response:
        return json_answer((await self._health.of(permit.business_id)).to_json())

    async def _list(self, request: Request, permit: Permit) -> Response:
        page, wanted = read_page(request.query_params, 1), request.query_params.get("answered", "")
        if wanted not in ("", "0", "1"):
            raise NotValid([EntryProblem("answered", "answered must be 0 or 1.")])
        found = await self._questions.listed(permit.business_id, page, is_answered=wanted == "1")
        return json_answer({"questions": found.items, "nextCursor": found.next_cursor})

    async def _mark(self, request: Request, permit: Permit) -> Response:
        body, based_on = await revisioned_body(request)
        unknown = [name[:80] for name in body if name not in ("isAnswered", "note")]
        if unknown:
            raise NotValid(
                [EntryProblem(name, f"{name!r} is not known here; use isAnswered, note.") for name in unknown]
            )
        id = request.path_params["question_id"]
        shown, saved = await self._questions.mark(permit, id, based_on, body)
        return saved_answer(shown, saved)
