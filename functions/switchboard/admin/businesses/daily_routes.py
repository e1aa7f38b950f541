"""The owners' HTTP API for what happened each day."""

from typing import Annotated

from fastapi import Query
from starlette.responses import Response

from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import json_answer
from switchboard.admin.api.endpoint import Endpoint
from switchboard.admin.api.serving import Caller
from switchboard.admin.businesses.daily_stats import DailyStats
from switchboard.admin.businesses.models import DayList, DaysQuery

_USUAL = 7


class DayEndpoints:
    """The endpoint below `/admin/businesses/{business_id}` that tells of single days."""

    def __init__(self, totals: DailyStats) -> None:
        """Answer from these."""
        self._totals = totals

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """All of them."""
        base, see = "/businesses/{business_id}/days", Operation.SEE_CONVERSATIONS
        return (Endpoint("GET", base, see, "Sum up each of the last days", self._days, DayList),)

    async def _days(self, permit: Caller, query: Annotated[DaysQuery, Query()]) -> Response:
        found = await self._totals.of(permit.business_id, query.days or _USUAL)
        return json_answer(found.to_json())
