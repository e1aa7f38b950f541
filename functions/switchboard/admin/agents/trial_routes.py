"""The owners' HTTP API for versions of agents on trial."""

from typing import Annotated

from fastapi import Query
from starlette.responses import Response

from switchboard.admin.access.roles import Operation
from switchboard.admin.agents.models import AgentShown, AgentTrialBody, AgentTrialList
from switchboard.admin.agents.trials import AgentTrials
from switchboard.admin.api.answer import json_answer, saved_answer
from switchboard.admin.api.endpoint import Endpoint, deciding
from switchboard.admin.api.models import Paging, Revisioned
from switchboard.admin.api.serving import BasedOn, Caller

_USUAL = 5


class AgentTrialEndpoints:
    """The endpoints below `/admin/businesses/{business_id}/agents/{agent_id}` that are about trials."""

    def __init__(self, trials: AgentTrials) -> None:
        self._trials = trials

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """All of them."""
        one = "/businesses/{business_id}/agents/{agent_id}"
        see, edit, trial = Operation.SEE_SETUP, Operation.EDIT_AGENTS, f"{one}/trial"
        told = "Tell how versions on trial did beside the agent as it was"
        begin, stop = "Have a share of conversations answered by another version", "Stop the trial of a version"
        adopt = "Have the version on trial be the agent"
        return (
            Endpoint("GET", f"{one}/trials", see, told, self._list, AgentTrialList),
            *deciding(
                Endpoint("PUT", trial, edit, begin, self._start, AgentShown, is_revisioned=True),
                Endpoint("DELETE", trial, edit, stop, self._stop, AgentShown, is_revisioned=True),
                Endpoint("POST", f"{trial}/adopt", edit, adopt, self._adopt, AgentShown, is_revisioned=True),
            ),
        )

    async def _list(self, permit: Caller, agent_id: str, query: Annotated[Paging, Query()]) -> Response:
        page = await self._trials.listed(permit.business_id, agent_id, query.page(1, _USUAL))
        return json_answer({"trials": [look.to_json() for look in page.items], "nextCursor": page.next_cursor})

    async def _start(self, permit: Caller, agent_id: str, based_on: BasedOn, body: AgentTrialBody) -> Response:
        given = body.share, body.changes.sent(), body.version
        return saved_answer(*await self._trials.start(permit, agent_id, based_on, *given))

    async def _stop(self, permit: Caller, agent_id: str, based_on: BasedOn, body: Revisioned) -> Response:
        return saved_answer(*await self._trials.stop(permit, agent_id, based_on))

    async def _adopt(self, permit: Caller, agent_id: str, based_on: BasedOn, body: Revisioned) -> Response:
        return saved_answer(*await self._trials.adopt(permit, agent_id, based_on))
