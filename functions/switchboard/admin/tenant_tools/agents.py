"""What agents have of a tenant tool: that it is attached to them, and what each has set for it.

It leaves with the tool and comes back with it, in the same commit, and the audit's entry of the deletion tells it.
"""

from collections.abc import Collection, Mapping
from typing import Any

from switchboard.admin.tenant_tools.record import StoredTenantTool
from switchboard.admin.tenant_tools.store import ToolStore
from switchboard.contract.json import JsonObject
from switchboard.contract.store import DELETE_FIELD, SERVER_TIME, Create, Delete, Update, Write

ATTACHED_TO = "attachedTo"
"""What the audit's entry names the agents by that had it."""
SET_BY = "setBy"
"""What it names the settings by, which are given by agent."""


async def taken_out(
    tools: ToolStore, business_id: str, stored_tool: StoredTenantTool, built_in: Collection[str]
) -> tuple[list[Write], JsonObject]:
    """Return the writes that leave nothing of a tool with any agent, and what the audit tells of that.

    Args:
        tools: Where agents and attachments are.
        business_id: Whose.
        stored_tool: The tool.
        built_in: The names of the built-in tools: what is set for one of these is not about this one.
    """
    rows = await tools.attachments(business_id, tool_id=stored_tool.id)
    settings, within = await _said(tools, business_id, stored_tool.name, built_in), tools.within(business_id)
    writes: list[Write] = [Delete(row.path) for row in rows]
    writes += [Update(within.document("agents", id), {f"tools.{stored_tool.name}": DELETE_FIELD}) for id in settings]
    attached: JsonObject = {ATTACHED_TO: sorted(row.agent_id for row in rows)} if rows else {}
    return writes, attached | ({SET_BY: settings} if settings else {})


async def moved(tools: ToolStore, business_id: str, name: str, new_name: str, built_in: Collection[str]) -> list[Write]:
    """Return the writes by which what agents have set for a tool holds under its new name, and under no other."""
    if name == new_name:
        return []
    settings, within = await _said(tools, business_id, name, built_in), tools.within(business_id)
    return [
        Update(within.document("agents", id), {f"tools.{name}": DELETE_FIELD, f"tools.{new_name}": one})
        for id, one in settings.items()
    ]


async def put_back(
    tools: ToolStore, business_id: str, tool_id: str, name: str, earlier: Mapping[str, Any]
) -> list[Write]:
    """Return the writes that give a tool back to those of its agents that are still there.

    Args:
        tools: Where agents are.
        business_id: Whose.
        tool_id: The tool's.
        name: What the model calls it from now on.
        earlier: What the audit tells of its deletion.
    """
    had, settings = earlier.get(ATTACHED_TO) or (), earlier.get(SET_BY) or {}
    if not had and not settings:
        return []
    agents, within = await tools.agents(business_id), tools.within(business_id)
    rows = [
        Create(
            tools.attachment_path(business_id, id, tool_id),
            {"agentId": id, "toolId": tool_id, "isVapiAttached": False, "attachedAt": SERVER_TIME},
        )
        for id in had
        if id in agents
    ]
    fields = [
        (id, {f"tools.{name}": one}) for id, one in settings.items() if id in agents and name not in agents[id].tools
    ]
    return [*rows, *(Update(within.document("agents", id), set_again) for id, set_again in fields)]


async def _said(tools: ToolStore, business_id: str, name: str, built_in: Collection[str]) -> dict[str, JsonObject]:
    """Return what agents have set for a tenant tool of this name, by agent."""
    agents = await tools.agents(business_id) if name and name not in built_in else {}
    settings = {id: agent.tools[name] for id, agent in agents.items() if name in agent.tools}
    return {id: {"enabled": one.is_enabled, "config": one.config} for id, one in settings.items()}
