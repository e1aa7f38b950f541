"""The owners' HTTP API for agents: `/businesses/{id}/agents…`, and what each sets for its toolkits."""

from starlette.responses import Response

from switchboard.admin.access.roles import Operation
from switchboard.admin.agents.agents import Agents
from switchboard.admin.agents.models import (
    AgentBody,
    AgentList,
    AgentPatch,
    AgentRemoved,
    AgentReplacement,
    AgentShown,
    AgentToolkitPatch,
    AgentToolkitShown,
)
from switchboard.admin.agents.toolkits import AgentToolkits
from switchboard.admin.agents.version_routes import AgentVersionEndpoints
from switchboard.admin.agents.versions import AgentVersions
from switchboard.admin.api.answer import json_answer, revised_answer, saved_answer
from switchboard.admin.api.endpoint import Endpoint, EndpointGroup, endpoint
from switchboard.admin.api.serving import BasedOn, Caller
from switchboard.admin.toolkits.models import ToolkitRemoved
from switchboard.admin.toolkits.toolkits import ToolkitSettings
from switchboard.contract.business.agent import answering, read_agent
from switchboard.contract.business.limits import table
from switchboard.contract.channel import Channel


class AgentEndpoints(EndpointGroup):
    """Shows agents, changes them, and sets up their toolkits.

    What an agent sets for a toolkit takes whoever may connect toolkits: another server there would be told the
    business's own password.
    """

    _BASE = "/businesses/{business_id}/agents"
    _ONE, _OWN = f"{_BASE}/{{agent_id}}", f"{_BASE}/{{agent_id}}/toolkits/{{name}}"
    _SEE, _EDIT, _CONNECT = Operation.SEE_SETUP, Operation.EDIT_AGENTS, Operation.CONNECT

    def __init__(self, agents: Agents, own: AgentToolkits, settings: ToolkitSettings) -> None:
        self._agents, self._own, self._settings = agents, own, settings

    @endpoint("GET", _BASE, _SEE, AgentList)
    async def _all(self, permit: Caller) -> Response:
        """List the agents."""
        agents = await self._agents.all(permit.business_id)
        read = [read_agent(agent["id"], agent) for agent in agents]
        answers = {channel.value: agent.id for channel in Channel if (agent := answering(read, channel)) is not None}
        return json_answer(
            {"agents": agents, "answers": answers, "limits": table(), "models": list(self._agents.models)}
        )

    @endpoint("POST", _BASE, _EDIT, AgentShown, 201, decides_offers=True, once=_ONE)
    async def _create(self, permit: Caller, body: AgentBody) -> Response:
        """Enter an agent."""
        return saved_answer(*await self._agents.create(permit, body.sent()), 201)

    @endpoint("GET", _ONE, _SEE, AgentShown)
    async def _one(self, permit: Caller, agent_id: str) -> Response:
        """Read an agent."""
        return revised_answer(await self._agents.one(permit.business_id, agent_id))

    @endpoint("PUT", _ONE, _EDIT, AgentShown, is_revisioned=True, decides_offers=True)
    async def _replace(self, permit: Caller, agent_id: str, based_on: BasedOn, body: AgentReplacement) -> Response:
        """Replace an agent."""
        return saved_answer(*await self._agents.change(permit, agent_id, based_on, lambda _: body.sent()))

    @endpoint("PATCH", _ONE, _EDIT, AgentShown, is_revisioned=True, decides_offers=True)
    async def _amend(self, permit: Caller, agent_id: str, based_on: BasedOn, body: AgentPatch) -> Response:
        """Change an agent."""
        return saved_answer(*await self._agents.change(permit, agent_id, based_on, lambda now: now | body.sent()))

    @endpoint("DELETE", _ONE, _EDIT, AgentRemoved, is_revisioned=True, decides_offers=True)
    async def _remove(self, permit: Caller, agent_id: str, based_on: BasedOn) -> Response:
        """Remove an agent, and what is attached to it."""
        return saved_answer({"removed": True}, await self._agents.remove(permit, agent_id, based_on))

    @endpoint("GET", _OWN, _SEE, AgentToolkitShown)
    async def _toolkit(self, permit: Caller, agent_id: str, name: str) -> Response:
        """Read an agent's own settings of a toolkit."""
        return revised_answer(await self._own.one(permit.business_id, agent_id, self._settings.toolkit(name)))

    @endpoint("PUT", _OWN, _CONNECT, AgentToolkitShown, is_revisioned=True, decides_offers=True)
    async def _set_toolkit(
        self, permit: Caller, agent_id: str, name: str, based_on: BasedOn, body: AgentToolkitPatch
    ) -> Response:
        """Change an agent's own settings of a toolkit."""
        toolkit, change = self._settings.toolkit(name), body.change()
        return saved_answer(*await self._own.change(permit, agent_id, toolkit, based_on, change, body.enabled))

    @endpoint("DELETE", _OWN, _CONNECT, ToolkitRemoved, is_revisioned=True, decides_offers=True)
    async def _remove_toolkit(self, permit: Caller, agent_id: str, name: str, based_on: BasedOn) -> Response:
        """Let an agent use the business's settings again."""
        saved = await self._own.remove(permit, agent_id, self._settings.toolkit(name), based_on)
        return saved_answer({"removed": True}, saved)


def agent_endpoints(agents: Agents, own: AgentToolkits, settings: ToolkitSettings) -> tuple[Endpoint, ...]:
    """Return the endpoints of agents, and of what they were each time they were saved."""
    versions = AgentVersionEndpoints(AgentVersions(agents))
    return (*AgentEndpoints(agents, own, settings).endpoints, *versions.endpoints)
