"""Whether the agent that a tool hands over to can take a conversation over: asked when the tool is saved.

Seed 002 (`transfer_call`: "number/agent"). What changes afterwards, an agent that is deleted or answers elsewhere,
keeps the tool from being offered (`catalog/offer/inclusion.py`), and its owner can read there why.
"""

from collections.abc import Iterable

from switchboard.admin.access.refusal import NotValid, problem
from switchboard.admin.tenant_tools.record import StoredTenantTool
from switchboard.admin.tenant_tools.store import ToolStore
from switchboard.catalog.tenant_tools.config import ToolConfig
from switchboard.catalog.tenant_tools.config_kinds import TransferSettings
from switchboard.contract.business.agent import Agent
from switchboard.contract.definitions.definition import DefinitionError

FIELD = "destination.agentId"
_MOST_NAMED = 10


async def with_successor(
    tools: ToolStore, business_id: str, config: ToolConfig, before: StoredTenantTool | None = None
) -> ToolConfig:
    """Return the configuration as it is, if the agent that it hands over to could take over, or it hands over to none.

    A tool that leads where it has led before is not asked again: whoever deletes that agent can still switch the tool
    off, or change its words.

    Args:
        tools: Where agents and attachments are read, which is not done for any other tool.
        business_id: Whose.
        config: What is about to be saved.
        before: The tool that it becomes of; None for a new one, which is attached to nobody yet.

    Raises:
        NotValid: The business has no such agent, or nobody but that agent, or the tool is attached to that agent; the
            sentence names the agents that would do.
    """
    settings = config.settings
    if not isinstance(settings, TransferSettings) or not settings.agent_id:
        return config
    if before is not None and before.hands_over_to == settings.agent_id:
        return config
    agents = await tools.agents(business_id)
    rows = await tools.attachments(business_id, tool_id=before.id) if before is not None else []
    having = {row.agent_id for row in rows if not row.is_leaving}
    usable = [agent for agent in agents.values() if agent.id not in having] if len(agents) > 1 else []
    chosen = agents.get(settings.agent_id)
    if chosen is None:
        raise _not_valid("is none of your agents", usable)
    if len(agents) == 1:
        raise _not_valid("is your only agent, so that nobody could hand over to it", usable)
    if chosen.id in having:
        raise _not_valid("is an agent that has this tool, and cannot hand over to itself", usable)
    return config


def _not_valid(problem_text: str, usable: Iterable[Agent]) -> NotValid:
    names = [_named(agent) for agent in usable]
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    remedy = f"use one of {', '.join(names[:_MOST_NAMED])}{more}" if names else "make another agent first"
    return NotValid([problem(DefinitionError(FIELD, problem_text, remedy))])


def _named(agent: Agent) -> str:
    return agent.id if agent.name == agent.id else f"{agent.id} ({agent.name})"
