"""The owners' HTTP API for what agents were each time they were saved."""

from typing import Annotated

from fastapi import Query
from starlette.responses import Response

from switchboard.admin.access.roles import Operation
from switchboard.admin.agents.models import (
    AgentCompared,
    AgentCompareQuery,
    AgentShown,
    AgentVersionList,
    AgentVersionShown,
)
from switchboard.admin.agents.versions import NOW, AgentVersions
from switchboard.admin.api.answer import json_answer, saved_answer
from switchboard.admin.api.endpoint import EndpointGroup, endpoint
from switchboard.admin.api.models import Paging, Revisioned
from switchboard.admin.api.serving import BasedOn, Caller
from switchboard.admin.definitions.views import lines


class AgentVersionEndpoints(EndpointGroup):
    """The endpoints below `/admin/businesses/{business_id}/agents/{agent_id}` that are about versions."""

    _ONE = "/businesses/{business_id}/agents/{agent_id}"
    _VERSION, _SEE, _EDIT = f"{_ONE}/versions/{{version}}", Operation.SEE_SETUP, Operation.EDIT_AGENTS

    def __init__(self, versions: AgentVersions) -> None:
        self._versions = versions

    @endpoint("GET", f"{_ONE}/versions", _SEE, AgentVersionList)
    async def _list(self, permit: Caller, agent_id: str, query: Annotated[Paging, Query()]) -> Response:
        """List what an agent was each time it was saved."""
        page = await self._versions.listed(permit.business_id, agent_id, query.page(1))
        return json_answer({"versions": [one.to_json() for one in page.items], "nextCursor": page.next_cursor})

    @endpoint("GET", f"{_ONE}/diff", _SEE, AgentCompared)
    async def _compare(self, permit: Caller, agent_id: str, query: Annotated[AgentCompareQuery, Query()]) -> Response:
        """Show what differs between two versions."""
        before, after = query.before or NOW, query.after or NOW
        differing = await self._versions.compared(permit.business_id, agent_id, before, after)
        return json_answer({"from": before, "to": after, "differences": lines(differing)})

    @endpoint("GET", _VERSION, _SEE, AgentVersionShown)
    async def _read(self, permit: Caller, agent_id: str, version: str) -> Response:
        """Read a version of an agent."""
        shown = await self._versions.one(permit.business_id, agent_id, version)
        return json_answer({**shown.to_json(), "fields": shown.fields})

    @endpoint("POST", f"{_VERSION}/rollback", _EDIT, AgentShown, is_revisioned=True, decides_offers=True)
    async def _back(self, permit: Caller, agent_id: str, version: str, based_on: BasedOn, body: Revisioned) -> Response:
        """Save a version of an agent again."""
        return saved_answer(*await self._versions.roll_back(permit, agent_id, based_on, version))
