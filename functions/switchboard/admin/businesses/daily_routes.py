"""The owners' HTTP API for what happened each day."""

from starlette.requests import Request
from starlette.responses import Response

from switchboard.admin.access.access import Permit
from switchboard.admin.access.refusal import EntryProblem, NotValid
from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import json_answer
from switchboard.admin.api.endpoint import Endpoint
from switchboard.admin.api.schemas import COUNT, COUNTS, MAYBE_NUMBER, TEXT, listed, record
from switchboard.admin.businesses.daily_stats import MOST_DAYS, DailyStats
from switchboard.contract.json import JsonObject

_USUAL = 7
_NUMBERS: JsonObject = {"type": "object", "additionalProperties": {"type": "number", "minimum": 0}}
_DAY = record(
    {
        "day": {**TEXT, "format": "date"},
        "interactions": COUNT,
        "byChannel": COUNTS,
        "byOutcome": COUNTS,
        "seconds": _NUMBERS,
        "basedOn": COUNT,
        "toolCalls": COUNT,
        "failedCalls": COUNT,
        "medianMs": MAYBE_NUMBER,
        "p95Ms": MAYBE_NUMBER,
    }
)
_QUERY: dict[str, JsonObject] = {
    "days": {"type": "integer", "minimum": 1, "maximum": MOST_DAYS, "description": "How many days, the last one today."}
}


class DayEndpoints:
    """The endpoint below `/admin/businesses/{business_id}` that tells of single days."""

    def __init__(self, totals: DailyStats) -> None:
        """Answer from these."""
        self._totals = totals

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """All of them."""
        return (
            Endpoint(
                *("GET", "/businesses/{business_id}/days", Operation.SEE_CONVERSATIONS, "Sum up each of the last days"),
                *(self._days, record({"timezone": TEXT, "days": listed(_DAY), "uncounted": COUNT})),
                query=_QUERY,
            ),
        )

    async def _days(self, request: Request, permit: Permit) -> Response:
        found = await self._totals.of(permit.business_id, _wanted(request.query_params.get("days", "")))
        return json_answer(found.to_json())


def _wanted(text: str) -> int:
    if not text:
        return _USUAL
    number = int(text) if text.isascii() and text.isdigit() and len(text) <= 6 else 0
    if not 1 <= number <= MOST_DAYS:
        raise NotValid([EntryProblem("days", f"days must be a whole number from 1 to {MOST_DAYS}.")])
    return number
