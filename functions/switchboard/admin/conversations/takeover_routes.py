"""The owners' endpoints by which somebody takes a running phone call over."""

from pydantic import Field
from starlette.responses import Response

from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import json_answer
from switchboard.admin.api.endpoint import Endpoint
from switchboard.admin.api.models import AnswerBody, RequestBody
from switchboard.admin.api.serving import Caller
from switchboard.admin.conversations.models import TakenOver
from switchboard.admin.conversations.takeover import Takeovers


class TakeoverBody(RequestBody):
    """Who is to be rung."""

    destination: str | None = Field(
        default=None, max_length=200, description="The id of a rule; may be left out where the rules name one person."
    )


class PersonToRing(AnswerBody):
    """Somebody to whom a call can be put through."""

    id: str
    label: str
    is_there: bool = Field(description="Whether they are there now, by their hours; they are rung also if not.")


class TakeoverDone(AnswerBody):
    """That a call is taken over."""

    taken_over: TakenOver


class TakeoverChoices(AnswerBody):
    """Whether, by whom, and for whom a call can be taken over."""

    people: list[PersonToRing]
    why_not: str | None = Field(description="Why it cannot be taken over; null where it can.")
    taken_over: TakenOver | None


class TakeoverEndpoints:
    """`/admin/businesses/{business_id}/interactions/{interaction_id}/takeover`."""

    def __init__(self, takeovers: Takeovers) -> None:
        self._takeovers = takeovers

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """Both."""
        path = "/businesses/{business_id}/interactions/{interaction_id}/takeover"
        return (
            Endpoint(
                "GET",
                path,
                Operation.SEE_CONVERSATIONS,
                "Tell whether a running phone call can be taken over, and who can be rung",
                self._choices,
                TakeoverChoices,
            ),
            Endpoint(
                "POST",
                path,
                Operation.TAKE_OVER,
                "Put the caller of a running phone call through to a person",
                self._take_over,
                TakeoverDone,
            ),
        )

    async def _choices(self, permit: Caller, interaction_id: str) -> Response:
        return json_answer(await self._takeovers.choices(permit.business_id, interaction_id))

    async def _take_over(self, permit: Caller, interaction_id: str, body: TakeoverBody) -> Response:
        return json_answer(await self._takeovers.take_over(permit, interaction_id, body.destination))
