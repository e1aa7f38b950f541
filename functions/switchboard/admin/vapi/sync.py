"""The steps that take tenant tools to Vapi and away from it, each of which may be repeated after it broke off."""

import logging
from collections.abc import Collection, Iterable, Mapping
from dataclasses import field

from switchboard.admin.access.refusal import NotFound
from switchboard.admin.tenant_tools.record import Attachment, StoredTenantTool, without_key
from switchboard.admin.tenant_tools.record import kept as read_kept
from switchboard.admin.tenant_tools.store import ToolStore
from switchboard.admin.vapi.assistants import Wanted, WantedIds, has_tool, is_pinned, settle, version_pinned
from switchboard.admin.vapi.client import Mirror, VapiMirrors, usual_assistant
from switchboard.contract.business.agent import Agent
from switchboard.contract.business.business import Business
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import DELETE_FIELD, Missing, Stale, StoreError, Update, Write

log = logging.getLogger(__name__)

LEFT_THERE = "something is left at Vapi, which the comparison with it shows"


@dataclass(frozen=True, slots=True)
class MirrorChange:
    """What is about to be stored.

    Attributes:
        instead: The new ids at Vapi of tools, by ours.
        without: Our ids of tools that no assistant should have.
        absent: Vapi's ids that should be nowhere unless an attachment says so.
    """

    instead: Mapping[str, str] = field(default_factory=dict)
    without: frozenset[str] = frozenset()
    absent: frozenset[str] = frozenset()


NO_CHANGE = MirrorChange()
_NOBODY_KNOWS = (
    "The store did not answer, so that nobody knows whether the tool was made; send the same again to find out."
)


class VapiSync:
    """Joins what stands in the store to what Vapi has."""

    def __init__(self, tools: ToolStore, mirrors: VapiMirrors) -> None:
        self.tools, self._mirrors = tools, mirrors

    async def open(self, business: Business) -> Mirror | None:
        """Return a business's mirror; None where it has no account with Vapi.

        Raises:
            ToolError: It has one that cannot be used.
        """
        return await self._mirrors.of(business)

    async def finish(self, mirror: Mirror, own_tool: StoredTenantTool, *, may_be_there: bool) -> StoredTenantTool:
        """Make a stored tool at Vapi, store what came of it, and return the tool.

        Raises:
            ToolError: It was not made there; the document is as it was. With partial side effects nobody knows.
            StoreError: What came of it could not be stored; it is not there any more, as far as that could be done.
            NotFound: The tool was deleted meanwhile.
        """
        assert own_tool.tool is not None
        made = await mirror.make(own_tool.tool, may_be_there=may_be_there)
        fields = self.as_made(made)
        write = Update(own_tool.document.path, {**fields, "unfinished": DELETE_FIELD}, own_tool.document.update_time)
        try:
            return await self._stored(mirror.business.id, own_tool, write, made["id"])
        except NotFound:
            await self.drop(mirror, made["id"])
            raise
        except StoreError:
            await self.drop(mirror, made["id"])
            raise

    async def _stored(
        self, business_id: str, own_tool: StoredTenantTool, write: Write, external_id: str
    ) -> StoredTenantTool:
        problem: StoreError | None = None
        try:
            await self.tools.commit(write)
        except StoreError as error:
            # Without an answer it may have been written; and of two who make the same tool, the first counts.
            problem = error
        try:
            newest = await self.tools.find(business_id, own_tool.id)
        except StoreError as error:
            raise ToolError(ErrorType.TRANSIENT, _NOBODY_KNOWS, partial_side_effects=True, detail=str(error)) from error
        if newest is None:
            raise NotFound("The tool was deleted while it was being made.")
        if newest.external_id == external_id:
            return newest
        raise problem if problem is not None else Stale("the tool was changed while it was being made")

    @staticmethod
    def as_made(made: JsonObject) -> JsonObject:
        """Return the fields of a document that say what Vapi has."""
        return {"externalToolId": made["id"], "data": without_key(made)}

    async def drop(self, mirror: Mirror, external_id: str) -> bool:
        """Delete a tool at Vapi as far as that can be done, and tell whether it is gone."""
        try:
            await mirror.platform.delete_tool(external_id)
        except ToolError as error:
            log.error(LEFT_THERE, extra={"tool": external_id, "pii.detail": error.detail or str(error)})
            return False
        return True

    async def cleared(self, mirror: Mirror, own_tool: StoredTenantTool) -> StoredTenantTool:
        """Delete at Vapi what a tool has taken the place of, and return the tool without the note of it."""
        if own_tool.superseded is None or not await self.drop(mirror, own_tool.superseded):
            return own_tool
        return await self.mark(own_tool, {"supersededToolId": DELETE_FIELD})

    def wanted(self, business: Business, assistant_id: str, change: MirrorChange = NO_CHANGE) -> Wanted:
        """Return what reads which tools an assistant should have, once a change is made that is not stored yet."""

        async def read() -> WantedIds:
            agents = await self.tools.agents(business.id)
            rows = await self.tools.attachments(business.id)
            known = {own_tool.id: own_tool for own_tool in await self.tools.tools(business.id)}
            present: list[str] = []
            absent = set(change.absent)
            for row in sorted(rows, key=lambda row: row.tool_id):
                agent, own_tool = agents.get(row.agent_id), known.get(row.tool_id)
                if agent is None or own_tool is None or assistant_of(agent, business) != assistant_id:
                    continue
                external_id = change.instead.get(own_tool.id, own_tool.external_id)
                is_wanted = (
                    own_tool.is_wanted_there or own_tool.id in change.instead
                ) and own_tool.id not in change.without
                is_wanted = is_wanted and successor_missing(own_tool, agents, business) is None
                if external_id is not None and is_wanted and not row.is_leaving:
                    present.append(external_id)
                elif own_tool.external_id is not None:
                    absent.add(own_tool.external_id)
            shown = tuple(dict.fromkeys(present))
            return WantedIds(shown, frozenset(absent - {*shown}))

        return read

    async def settle_all(self, mirror: Mirror, assistants: Iterable[str], change: MirrorChange = NO_CHANGE) -> None:
        """Bring several assistants in line, one after another; those that are gone count as in line."""
        for assistant_id in assistants:
            await settle(mirror.platform, assistant_id, self.wanted(mirror.business, assistant_id, change))

    async def withdraw(self, mirror: Mirror, external_id: str, tool_id: str = "") -> None:
        """Take a tool out of every assistant and delete it at Vapi; one that is gone there counts as deleted.

        Args:
            mirror: Where.
            external_id: Vapi's id of it.
            tool_id: Ours, if it is the one that the store knows.

        Raises:
            ToolError: It is not deleted, and in the assistants again, as far as that could be done.
        """
        rows = await mirror.platform.list_assistants()
        pinning = [str(row["id"]) for row in rows if is_pinned(row, external_id)]
        if pinning:
            raise version_pinned([{"sourceType": "assistant", "sourceId": id} for id in pinning])
        having = [str(row["id"]) for row in rows if has_tool(row, external_id)]
        try:
            change = MirrorChange(without=frozenset({tool_id} - {""}), absent=frozenset({external_id}))
            await self.settle_all(mirror, having, change)
            await mirror.platform.delete_tool(external_id)
        except ToolError:
            await self._put_back(mirror, having, external_id)
            raise

    async def _put_back(self, mirror: Mirror, assistants: Collection[str], external_id: str) -> None:
        async def again() -> WantedIds:
            return WantedIds((external_id,))

        for assistant_id in assistants:
            try:
                await settle(mirror.platform, assistant_id, again)
            except ToolError as error:
                log.error(LEFT_THERE, extra={"tool": external_id, "pii.detail": error.detail or str(error)})

    async def mark(self, own_tool: StoredTenantTool, fields: JsonObject) -> StoredTenantTool:
        """Write fields of a tool's document that has not changed since it was read; return the tool as it then is.

        Raises:
            Stale: It has changed.
        """
        try:
            await self.tools.commit(Update(own_tool.document.path, fields, own_tool.document.update_time))
        except Missing:
            raise Stale("the tool is gone") from None
        newest = await self.tools.store.get(own_tool.document.path)
        if newest is None:
            raise Stale("the tool is gone")
        return read_kept(newest)


def assistant_of(agent: Agent, business: Business) -> str:
    """Return the assistant at Vapi that mirrors an agent; empty where none does."""
    return agent.vapi_assistant_id or (usual_assistant(business) if agent.is_default else "")


def successor_missing(own_tool: StoredTenantTool, agents: Mapping[str, Agent], business: Business) -> str | None:
    """Return the name of the agent that a tool hands over to, where no assistant at Vapi stands for it; else None.

    Vapi cannot go on as an agent that it does not have: such a tool is none of its assistants'.
    """
    agent_id = own_tool.hands_over_to
    if not agent_id:
        return None
    agent = agents.get(agent_id)
    if agent is None:
        return agent_id
    return None if assistant_of(agent, business) else agent.name


def attached_at(attachments: Iterable[Attachment], agents: dict[str, Agent], business: Business) -> list[str]:
    """Return the assistants of the agents that a tool is attached to."""
    agents_attached = (agents.get(row.agent_id) for row in attachments if not row.is_leaving)
    return list(
        dict.fromkeys(id for agent in agents_attached if agent is not None and (id := assistant_of(agent, business)))
    )
