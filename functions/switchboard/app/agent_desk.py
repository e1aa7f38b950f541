"""The owners' operations on agents and on versions on trial, joined; and the pass that counts what trials did."""

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from switchboard.admin.agents.agents import Agents
    from switchboard.admin.agents.store import AgentStore
    from switchboard.admin.agents.trials import AgentTrials
    from switchboard.app.container import Container
    from switchboard.app.core import Core
    from switchboard.catalog.tenant_tools.toolkits import Toolkits


def agents_of(core: "Core", store: "AgentStore", toolkits: "Toolkits") -> "Agents":
    """Return what is done with agents."""
    from switchboard.admin.agents.agents import Agents

    own, known = core.configuration, core.catalog.definitions.registry.tools
    models = tuple(dict.fromkeys((own.model, *own.agent_models)))
    return Agents(store, core.secrets, toolkits, known.keys, models)


def trials_of(core: "Core", agents: "Agents") -> "AgentTrials":
    """Return what is done with versions of agents on trial."""
    from switchboard.admin.agents.trial_numbers import AgentTrialNumbers
    from switchboard.admin.agents.trials import AgentTrials

    return AgentTrials(agents, AgentTrialNumbers(core.store, core.paths, core.clock))


def trial_counting(house: "Container") -> Callable[[str | None], Awaitable[Mapping[str, int]]]:
    """Return what counts trials of tools' drafts and of agents' versions, of one business or of all."""

    async def count(business_id: str | None) -> Mapping[str, int]:
        from switchboard.admin.agents.trial_numbers import AgentTrialNumbers

        of_agents = await AgentTrialNumbers(house.store, house.paths, house.clock).kept(business_id)
        of_tools = await house.admin_app.definitions.canaries.kept(business_id)
        return {"counted": of_tools["counted"] + of_agents["counted"]}

    return count
