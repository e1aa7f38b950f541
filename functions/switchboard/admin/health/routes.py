"""The owners' HTTP API for health, and for what callers asked that could not be answered."""

import asyncio
from typing import Annotated

from fastapi import Query
from starlette.responses import Response

from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import json_answer, saved_answer
from switchboard.admin.api.endpoint import EndpointGroup, endpoint
from switchboard.admin.api.serving import BasedOn, Caller
from switchboard.admin.businesses.businesses import Businesses
from switchboard.admin.health.findings import HealthFinding, ordered, worst
from switchboard.admin.health.health import HealthService
from switchboard.admin.health.models import (
    MOST_HEALTHS,
    HealthOverview,
    HealthQuery,
    HealthShown,
    QuestionList,
    QuestionMark,
    QuestionQuery,
    QuestionShown,
)
from switchboard.admin.health.questions import UnansweredQuestions
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.store import Unavailable

_USUAL = 10


class HealthEndpoints(EndpointGroup):
    """The endpoints about health."""

    _BASE = "/businesses/{business_id}"

    def __init__(self, health: HealthService, businesses: Businesses, questions: UnansweredQuestions) -> None:
        self._health, self._businesses, self._questions = health, businesses, questions

    @endpoint("GET", "/health", Operation.LIST_BUSINESSES, HealthOverview)
    async def _all(self, permit: Caller, query: Annotated[HealthQuery, Query()]) -> Response:
        """Tell how your businesses are doing."""
        try:
            shown = await self._businesses.listed(permit.identity, query.page(0, _USUAL))
        except Unavailable:
            return await self._all_as_seen_last(permit)
        looked = await asyncio.gather(*(self._health.of(line.id) for line in shown.items), return_exceptions=True)
        healths = []
        for health in looked:
            if isinstance(health, BaseException):
                # One that was removed in this moment is missing from the list; whatever else it was is told.
                if isinstance(health, ToolError) and health.type is ErrorType.NOT_FOUND:
                    continue
                if isinstance(health, Unavailable):
                    return await self._all_as_seen_last(permit)
                raise health
            healths.append(health)
        house = await self._health.of_the_house()
        body = {
            "worst": worst([*house, *(finding for health in healths for finding in health.findings)]),
            "house": [finding.to_json() for finding in house],
            "businesses": [health.to_json() for health in healths],
            "nextCursor": shown.next_cursor,
        }
        return json_answer(body)

    async def _all_as_seen_last(self, permit: Caller) -> Response:
        """Answer from what is known while the store is away; what is wrong for everybody is known without it."""
        seen = self._health.seen_last(lambda id: permit.identity.role_in(id) is not None)
        away = HealthFinding("store_away", f"{len(seen)} businesses of this instance")
        house = ordered([away, *await self._health.of_the_house()])
        body = {
            "worst": worst(house),
            "house": [finding.to_json() for finding in house],
            "businesses": [health.to_json() for health in seen[:MOST_HEALTHS]],
            "nextCursor": None,
        }
        return json_answer(body)

    @endpoint("GET", f"{_BASE}/health", Operation.SEE_CONVERSATIONS, HealthShown)
    async def _one(self, permit: Caller) -> Response:
        """Tell how a business is doing, and what to do."""
        try:
            health = await self._health.of(permit.business_id)
        except Unavailable:
            seen = self._health.seen_last(lambda id: id == permit.business_id)
            if not seen:
                raise
            health = seen[0]
        return json_answer(health.to_json())

    @endpoint("GET", f"{_BASE}/questions", Operation.SEE_CONVERSATIONS, QuestionList)
    async def _list(self, permit: Caller, query: Annotated[QuestionQuery, Query()]) -> Response:
        """List what callers asked in vain."""
        page = query.page(1)
        shown = await self._questions.listed(permit.business_id, page, is_answered=query.answered == "1")
        return json_answer({"questions": shown.items, "nextCursor": shown.next_cursor})

    @endpoint("PATCH", f"{_BASE}/questions/{{question_id}}", Operation.EDIT_ENTRIES, QuestionShown, is_revisioned=True)
    async def _mark(self, permit: Caller, question_id: str, based_on: BasedOn, body: QuestionMark) -> Response:
        """Mark a question as answered."""
        return saved_answer(*await self._questions.mark(permit, question_id, based_on, body.sent()))
