"""The owners' HTTP API for versions of agents on trial."""

from typing import Annotated

from fastapi import Query
from starlette.responses import Response

from switchboard.admin.access.roles import Operation
from switchboard.admin.agents.models import AgentShown, AgentTrialBody, AgentTrialList
from switchboard.admin.agents.trials import AgentTrials
from switchboard.admin.api.answer import json_answer, saved_answer
from switchboard.admin.api.endpoint import EndpointGroup, endpoint
from switchboard.admin.api.models import Paging, Revisioned
from switchboard.admin.api.serving import BasedOn, Caller

_USUAL = 5


class AgentTrialEndpoints(EndpointGroup):
    """The endpoints below `/admin/businesses/{business_id}/agents/{agent_id}` that are about trials."""

    _ONE = "/businesses/{business_id}/agents/{agent_id}"
    _SEE, _EDIT, _TRIAL = Operation.SEE_SETUP, Operation.EDIT_AGENTS, f"{_ONE}/trial"

    def __init__(self, trials: AgentTrials) -> None:
        self._trials = trials

    @endpoint("GET", f"{_ONE}/trials", _SEE, AgentTrialList)
    async def _list(self, permit: Caller, agent_id: str, query: Annotated[Paging, Query()]) -> Response:
        """Tell how versions on trial did beside the agent as it was."""
        page = await self._trials.listed(permit.business_id, agent_id, query.page(1, _USUAL))
        return json_answer({"trials": [look.to_json() for look in page.items], "nextCursor": page.next_cursor})

    @endpoint("PUT", _TRIAL, _EDIT, AgentShown, is_revisioned=True, decides_offers=True)
    async def _start(self, permit: Caller, agent_id: str, based_on: BasedOn, body: AgentTrialBody) -> Response:
        """Have a share of conversations answered by another version."""
        given = body.share, body.changes.sent(), body.version
        return saved_answer(*await self._trials.start(permit, agent_id, based_on, *given))

    @endpoint("DELETE", _TRIAL, _EDIT, AgentShown, is_revisioned=True, decides_offers=True)
    async def _stop(self, permit: Caller, agent_id: str, based_on: BasedOn, body: Revisioned) -> Response:
        """Stop the trial of a version."""
        return saved_answer(*await self._trials.stop(permit, agent_id, based_on))

    @endpoint("POST", f"{_TRIAL}/adopt", _EDIT, AgentShown, is_revisioned=True, decides_offers=True)
    async def _adopt(self, permit: Caller, agent_id: str, based_on: BasedOn, body: Revisioned) -> Response:
        """Have the version on trial be the agent."""
        return saved_answer(*await self._trials.adopt(permit, agent_id, based_on))
