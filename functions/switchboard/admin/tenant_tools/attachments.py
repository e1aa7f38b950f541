"""Which agent has which tenant tool: attach, detach, and the list of both (seed 002, "Tool Attachment Flow").

What should be stands in the store first, and Vapi's assistant follows: whoever attaches at the same moment then sees
both. A tool that only runs when a call starts is never taken to Vapi.
"""

from collections.abc import Callable, Iterable

from switchboard.admin.access.access import Permit
from switchboard.admin.access.refusal import NotFound
from switchboard.admin.tenant_tools.record import Attachment, StoredTenantTool, Unfinished
from switchboard.admin.tenant_tools.store import ATTACHMENT, ToolStore
from switchboard.admin.vapi.assistants import has_tool, settle
from switchboard.admin.vapi.client import Mirror
from switchboard.admin.vapi.sync import MirrorChange, VapiSync, assistant_of, successor_missing
from switchboard.contract.business.agent import Agent
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.store import (
    DELETE_FIELD,
    SERVER_TIME,
    AlreadyExists,
    Create,
    Delete,
    Missing,
    StoreError,
    Update,
)

_TO_ITSELF = (
    "{tool} hands over to {agent}; an agent cannot hand over to itself. Attach it to another agent. Nothing was done."
)


class Attachments:
    """Attaches and detaches. What the store raises passes through."""

    def __init__(self, tools: ToolStore, mirroring: VapiSync, forget: Callable[[str], None]) -> None:
        """Join the parts; `forget` lets the catalog read a business anew."""
        self._tools, self._mirroring, self._forget = tools, mirroring, forget

    async def of(
        self, business_id: str, agent_id: str
    ) -> tuple[list[tuple[StoredTenantTool, Attachment]], list[StoredTenantTool]]:
        """Return an agent's tools, each with its attachment, and the tools that can be attached to it; by name.

        Raises:
            NotFound: There is no such business or agent.
        """
        await self._tools.owner(business_id)
        await self._tools.agent(business_id, agent_id)
        known = sorted(await self._tools.tools(business_id), key=lambda documents: (documents.name, documents.id))
        rows = {row.tool_id: row for row in await self._tools.attachments(business_id, agent_id=agent_id)}
        attached = [(documents, rows[documents.id]) for documents in known if documents.id in rows]
        return attached, [documents for documents in known if documents.id not in rows and _is_attachable(documents)]

    async def require_agents(self, business_id: str, agent_ids: Iterable[str]) -> None:
        """Let through agents that there are.

        Raises:
            NotFound: One of them is not there.
        """
        for agent_id in agent_ids:
            await self._tools.agent(business_id, agent_id)

    async def attach(self, permit: Permit, agent_id: str, tool_id: str, undoes: str | None = None) -> Attachment:
        """Attach a tool to an agent, here and at Vapi where an assistant mirrors the agent.

        Raises:
            NotFound: There is no such business, agent or tool.
            ToolError: CONFLICT, it is attached already, it is neither for conversations nor for the start of calls, or
                something about it is unfinished; or what Vapi refuses with, and then it is not attached.
        """
        business_id = permit.business_id
        owner = await self._tools.owner(business_id)
        agent, stored_tool = (
            await self._tools.agent(business_id, agent_id),
            await self._tools.tool(business_id, tool_id),
        )
        _require_attachable(stored_tool)
        if stored_tool.hands_over_to == agent_id:
            raise ToolError(ErrorType.CONFLICT, _TO_ITSELF.format(tool=stored_tool.name, agent=agent.name))
        is_for_vapi = stored_tool.is_wanted_there
        if is_for_vapi and stored_tool.hands_over_to:
            agents = await self._tools.agents(business_id)
            is_for_vapi = successor_missing(stored_tool, agents, owner.business) is None
        assistant_id = assistant_of(agent, owner.business) if is_for_vapi else ""
        mirror = await self._mirroring.open(owner.business) if assistant_id else None
        row = await self._tools.attachment(business_id, agent_id, tool_id)
        if row is not None and not row.is_leaving and await _is_whole(row, mirror, assistant_id, stored_tool):
            raise ToolError(ErrorType.CONFLICT, "This tool is already attached to this agent.")
        was_there = row is not None and not row.is_leaving
        await self._entered(permit, agent_id, tool_id, row, undoes)
        if mirror is not None:
            try:
                stored_tool = await self._mirrored(mirror, stored_tool)
                await self._settled(mirror, agent, assistant_id)
            except (ToolError, StoreError):
                if not was_there:
                    await self._taken_back(permit, agent_id, stored_tool, mirror, assistant_id)
                raise
            await self._tools.commit(Update(self._path(permit, agent_id, tool_id), {"isVapiAttached": True}))
        self._forget(business_id)
        attachment_row = await self._tools.attachment(business_id, agent_id, tool_id)
        if attachment_row is None:
            raise NotFound("It was detached while it was being attached.")
        return attachment_row

    async def detach(self, permit: Permit, agent_id: str, tool_id: str, undoes: str | None = None) -> None:
        """Take a tool away from an agent, at Vapi and here.

        Raises:
            NotFound: There is no such business, agent or tool, or it is not attached there.
            ToolError: What Vapi refuses with; it stays attached.
        """
        business_id = permit.business_id
        owner = await self._tools.owner(business_id)
        agent, stored_tool = (
            await self._tools.agent(business_id, agent_id),
            await self._tools.tool(business_id, tool_id),
        )
        row = await self._tools.attachment(business_id, agent_id, tool_id)
        assistant_id = assistant_of(agent, owner.business) if stored_tool.external_id else ""
        mirror = await self._mirroring.open(owner.business) if assistant_id else None
        if row is None and (mirror is None or not await _has(mirror, assistant_id, stored_tool)):
            raise NotFound("This tool is not attached to this agent.")
        path = self._path(permit, agent_id, tool_id)
        if mirror is not None and stored_tool.external_id is not None:
            if row is not None:
                await self._tools.commit(Update(path, {"isLeaving": True}))
            # It stays where another agent that the same assistant stands for has it.
            change = MirrorChange(absent=frozenset({stored_tool.external_id}))
            try:
                await settle(
                    mirror.platform, assistant_id, self._mirroring.wanted(owner.business, assistant_id, change)
                )
            except ToolError:
                if row is not None:
                    await self._tools.commit(Update(path, {"isLeaving": DELETE_FIELD}))
                raise
        if row is not None:
            fields = _said(agent_id, tool_id)
            entry = self._tools.entry(permit, ATTACHMENT, f"{agent_id}~{tool_id}", fields, None, undoes)
            await self._tools.commit(Delete(path), entry=entry)
        self._forget(business_id)

    async def _entered(
        self, permit: Permit, agent_id: str, tool_id: str, row: Attachment | None, undoes: str | None
    ) -> None:
        """Write that a tool should be attached."""
        path, fields = self._path(permit, agent_id, tool_id), _said(agent_id, tool_id)
        try:
            if row is not None:
                await self._tools.commit(Update(path, {"isLeaving": DELETE_FIELD}))
                return
        except Missing:
            # It was taken away a moment ago.
            pass
        entry = self._tools.entry(permit, ATTACHMENT, f"{agent_id}~{tool_id}", None, fields, undoes)
        try:
            row_written = Create(path, {**fields, "isVapiAttached": False, "attachedAt": SERVER_TIME})
            await self._tools.commit(row_written, entry=entry)
        except AlreadyExists:
            # Somebody wants the same at the same moment.
            return

    async def _mirrored(self, mirror: Mirror, stored_tool: StoredTenantTool) -> StoredTenantTool:
        """Return a tool that Vapi has: one that was made before the account was connected is made there now."""
        if stored_tool.external_id is not None:
            return stored_tool
        return await self._mirroring.finish(mirror, stored_tool, may_be_there=True)

    async def _settled(self, mirror: Mirror, agent: Agent, assistant_id: str) -> None:
        tools_wanted = self._mirroring.wanted(mirror.business, assistant_id)
        if not await settle(mirror.platform, assistant_id, tools_wanted):
            raise ToolError(
                ErrorType.CONFLICT,
                f"The assistant that stands for {agent.name} at Vapi is not there any more; choose another for the "
                "agent. Nothing was attached.",
            )

    async def _taken_back(
        self, permit: Permit, agent_id: str, stored_tool: StoredTenantTool, mirror: Mirror, assistant_id: str
    ) -> None:
        entry = self._tools.entry(
            permit, ATTACHMENT, f"{agent_id}~{stored_tool.id}", _said(agent_id, stored_tool.id), None
        )
        await self._tools.commit(Delete(self._path(permit, agent_id, stored_tool.id)), entry=entry)
        if stored_tool.external_id is None:
            return
        change = MirrorChange(absent=frozenset({stored_tool.external_id}))
        try:
            await settle(mirror.platform, assistant_id, self._mirroring.wanted(mirror.business, assistant_id, change))
        except ToolError:
            # Vapi refuses this too, and the comparison with it shows what is left.
            return

    def _path(self, permit: Permit, agent_id: str, tool_id: str) -> str:
        return self._tools.attachment_path(permit.business_id, agent_id, tool_id)


def _said(agent_id: str, tool_id: str) -> JsonObject:
    return {"agentId": agent_id, "toolId": tool_id}


async def _is_whole(row: Attachment, mirror: Mirror | None, assistant_id: str, stored_tool: StoredTenantTool) -> bool:
    if mirror is None:
        return True
    return row.is_mirrored and await _has(mirror, assistant_id, stored_tool)


async def _has(mirror: Mirror, assistant_id: str, stored_tool: StoredTenantTool) -> bool:
    if stored_tool.external_id is None:
        return False
    return has_tool(await mirror.platform.get_assistant(assistant_id), stored_tool.external_id)


def _is_attachable(stored_tool: StoredTenantTool) -> bool:
    tool = stored_tool.tool
    return tool is not None and stored_tool.unfinished is None and (tool.attach_to_agent or tool.execute_on_call_start)


def _require_attachable(stored_tool: StoredTenantTool) -> None:
    if stored_tool.unfinished is Unfinished.DELETION:
        raise ToolError(ErrorType.CONFLICT, "This tool is being deleted.")
    if stored_tool.tool is None:
        raise ToolError(ErrorType.CONFLICT, f"This tool cannot be used as it is: {stored_tool.problem}.")
    if not stored_tool.tool.attach_to_agent and not stored_tool.tool.execute_on_call_start:
        raise ToolError(
            ErrorType.CONFLICT,
            "This tool cannot be attached: attachToAgent is false, so that executeOnCallStart must be true.",
        )
