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
from switchboard.admin.api.answer import json_answer, saved_answer
from switchboard.admin.api.endpoint import Endpoint, deciding
from switchboard.admin.api.serving import BasedOn, Caller
from switchboard.admin.toolkits.models import ToolkitRemoved
from switchboard.admin.toolkits.toolkits import ToolkitSettings
from switchboard.contract.business.agent import answering, read_agent
from switchboard.contract.business.limits import table
from switchboard.contract.channel import Channel


class AgentEndpoints:
    """Shows agents, changes them, and sets up their toolkits.

    What an agent sets for a toolkit takes whoever may connect toolkits: another server there would be told the
    business's own password.
    """

    def __init__(self, agents: Agents, own: AgentToolkits, settings: ToolkitSettings) -> None:
        self._agents, self._own, self._settings = agents, own, settings

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """All of them."""
        base = "/businesses/{business_id}/agents"
        one, own = f"{base}/{{agent_id}}", f"{base}/{{agent_id}}/toolkits/{{name}}"
        see, edit, connect = Operation.SEE_SETUP, Operation.EDIT_AGENTS, Operation.CONNECT
        remove, read_own = "Remove an agent, and what is attached to it", "Read an agent's own settings of a toolkit"
        set_own, back = "Change an agent's own settings of a toolkit", "Let an agent use the business's settings again"
        return (
            deciding(
                Endpoint("GET", base, see, "List the agents", self._all, AgentList),
                Endpoint("POST", base, edit, "Enter an agent", self._create, AgentShown, 201),
                Endpoint("GET", one, see, "Read an agent", self._one, AgentShown),
                Endpoint("PUT", one, edit, "Replace an agent", self._replace, AgentShown, is_revisioned=True),
                Endpoint("PATCH", one, edit, "Change an agent", self._amend, AgentShown, is_revisioned=True),
                Endpoint("DELETE", one, edit, remove, self._remove, AgentRemoved, is_revisioned=True),
                Endpoint("GET", own, see, read_own, self._toolkit, AgentToolkitShown),
                Endpoint("PUT", own, connect, set_own, self._set_toolkit, AgentToolkitShown, is_revisioned=True),
                Endpoint("DELETE", own, connect, back, self._remove_toolkit, ToolkitRemoved, is_revisioned=True),
            )
            + AgentVersionEndpoints(AgentVersions(self._agents)).endpoints
        )

    async def _all(self, permit: Caller) -> Response:
        agents = await self._agents.all(permit.business_id)
        read = [read_agent(agent["id"], agent) for agent in agents]
        answers = {channel.value: agent.id for channel in Channel if (agent := answering(read, channel)) is not None}
        return json_answer(
            {"agents": agents, "answers": answers, "limits": table(), "models": list(self._agents.models)}
        )

    async def _create(self, permit: Caller, body: AgentBody) -> Response:
        return saved_answer(*await self._agents.create(permit, body.sent()), 201)

    async def _one(self, permit: Caller, agent_id: str) -> Response:
        shown = await self._agents.one(permit.business_id, agent_id)
        return json_answer(shown, revision=shown["revision"])

    async def _replace(self, permit: Caller, agent_id: str, based_on: BasedOn, body: AgentReplacement) -> Response:
        return saved_answer(*await self._agents.change(permit, agent_id, based_on, lambda _: body.sent()))

    async def _amend(self, permit: Caller, agent_id: str, based_on: BasedOn, body: AgentPatch) -> Response:
        return saved_answer(*await self._agents.change(permit, agent_id, based_on, lambda now: now | body.sent()))

    async def _remove(self, permit: Caller, agent_id: str, based_on: BasedOn) -> Response:
        return saved_answer({"removed": True}, await self._agents.remove(permit, agent_id, based_on))

    async def _toolkit(self, permit: Caller, agent_id: str, name: str) -> Response:
        shown = await self._own.one(permit.business_id, agent_id, self._settings.toolkit(name))
        return json_answer(shown, revision=shown["revision"])

    async def _set_toolkit(
        self, permit: Caller, agent_id: str, name: str, based_on: BasedOn, body: AgentToolkitPatch
    ) -> Response:
        toolkit, change = self._settings.toolkit(name), body.change()
        return saved_answer(*await self._own.change(permit, agent_id, toolkit, based_on, change, body.enabled))

    async def _remove_toolkit(self, permit: Caller, agent_id: str, name: str, based_on: BasedOn) -> Response:
        saved = await self._own.remove(permit, agent_id, self._settings.toolkit(name), based_on)
        return saved_answer({"removed": True}, saved)
