"""The owners' operations on tenant tools: make, read, edit and delete, here and at Vapi (seed 002, the flows).

Each goes step by step, and whatever breaks off between two steps is brought to its end by asking for the same again:
what was begun stands in the tool's document, and what was made at Vapi is found by the address that it calls.
"""

from collections.abc import Callable, Collection
from contextlib import suppress

from switchboard.admin.access.access import Permit
from switchboard.admin.audit.revisions import allow
from switchboard.admin.tenant_tools.agents import moved, taken_out
from switchboard.admin.tenant_tools.creation import Again, ToolCreation, guard
from switchboard.admin.tenant_tools.edit import ToolEdit
from switchboard.admin.tenant_tools.form import chosen_name, read_form, tool_of
from switchboard.admin.tenant_tools.handover import with_successor
from switchboard.admin.tenant_tools.record import StoredTenantTool, Unfinished
from switchboard.admin.tenant_tools.store import TOOL, ToolStore, audited, editable, out_of_date
from switchboard.admin.vapi.client import Mirror
from switchboard.admin.vapi.sync import VapiSync
from switchboard.contract.definitions.tenant_tool import template_of
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.store import (
    DELETE_FIELD,
    SERVER_TIME,
    Delete,
    Filter,
    Missing,
    Stale,
    StoreError,
    Update,
)


class TenantTools:
    """Makes, reads, edits and deletes. What the store raises passes through."""

    def __init__(
        self,
        tools: ToolStore,
        mirroring: VapiSync,
        built_in: Callable[[], Collection[str]],
        forget: Callable[[str], None],
    ) -> None:
        """Join the parts.

        Args:
            tools: Where everything is stored.
            mirroring: Takes tools to Vapi.
            built_in: Names the built-in tools, whose names no other may have.
            forget: Lets the catalog read a business anew, so that what is offered follows at once.
        """
        self._tools, self._mirroring, self._built_in, self._forget = tools, mirroring, built_in, forget
        self._creation = ToolCreation(tools, mirroring, built_in, forget)

    async def all(self, business_id: str, *, type: str = "", external_id: str = "") -> list[StoredTenantTool]:
        """Return the tools of a business by name; of one type, or Vapi's one of an id, where these are given.

        Raises:
            NotFound: There is no such business.
        """
        await self._tools.owner(business_id)
        template = template_of(type)
        chosen = (("type", template.value if template else type), ("externalToolId", external_id))
        own_tools = await self._tools.tools(
            business_id, tuple(Filter(name, "==", value) for name, value in chosen if value)
        )
        return sorted(own_tools, key=lambda own_tool: (own_tool.name, own_tool.id))

    async def one(self, business_id: str, tool_id: str) -> StoredTenantTool:
        """Return one tool.

        Raises:
            NotFound: There is no such business or tool.
        """
        await self._tools.owner(business_id)
        return await self._tools.tool(business_id, tool_id)

    async def as_read(self, business_id: str, tool_id: str, based_on: str | None) -> StoredTenantTool:
        """Return one tool for an operation that leaves it as it is, and is based on what somebody has read.

        Raises:
            OutOfDate: It has been changed since that revision; None takes it as it is.
            NotFound: There is no such business or tool.
        """
        shown = await self.one(business_id, tool_id)
        if based_on and based_on != str(shown.revision):
            raise out_of_date(shown, None)
        return shown

    async def create(self, permit: Permit, document: JsonObject, wish: str = "", id: str = "") -> StoredTenantTool:
        """Make a tool, here and at Vapi; see `ToolCreation.create`."""
        return await self._creation.create(permit, document, wish, id=id)

    async def bring_back(self, permit: Permit, document: JsonObject, again: Again) -> StoredTenantTool:
        """Make a tool that was deleted again, under its old id and with its agents here; see `ToolCreation.create`."""
        return await self._creation.create(permit, document, again=again)

    async def edit(
        self,
        permit: Permit,
        tool_id: str,
        change: Callable[[JsonObject], JsonObject],
        based_on: str | None = None,
        undoes: str | None = None,
    ) -> StoredTenantTool:
        """Change a tool's configuration into what `change` makes of it, at Vapi first and then here.

        Args:
            permit: Who changes it, and where.
            tool_id: Which.
            change: Gets the whole configuration, with `enabled`, and returns the new one.
            based_on: The revision that was read; None changes what is there now.
            undoes: The audit's entry that this undoes, if any.

        Raises:
            NotValid, Forbidden: Everything that is wrong with the new configuration, or what the role does not allow.
            OutOfDate: Somebody else has changed the tool since that revision, or does so at this moment.
            NotFound: There is no such tool.
            ToolError: CONFLICT, the name is taken or the tool is being deleted; or what Vapi refuses it with.
        """
        owner = await self._tools.owner(permit.business_id)
        before = await self._tools.tool(permit.business_id, tool_id)
        current = editable(before)
        document = change(current)
        if based_on and based_on != str(before.revision):
            raise out_of_date(before, document)
        if before.unfinished is Unfinished.DELETION:
            raise ToolError(ErrorType.CONFLICT, "This tool is being deleted; delete it again to finish that.")
        form = read_form(document, current if undoes is None else document)
        config = await with_successor(self._tools, permit.business_id, form, before)
        name = before.name
        if document.get("name") and config.name != name:
            taken = {tool.name for tool in await self._tools.tools(permit.business_id) if tool.id != tool_id}
            name = chosen_name(document, config, {*self._built_in(), *taken})
        allow(permit, TOOL, audited(before) or {}, {"configMetadata": document})
        tool = tool_of(tool_id, document, config, name or config.name, before.tool)
        mirror = await self._mirroring.open(owner.business)
        if mirror is not None:
            before = await self._cleared(mirror, before, document)
        if document == current and before.tool is not None and (before.unfinished is None or mirror is None):
            return before
        settings = await moved(self._tools, permit.business_id, before.name, name, self._built_in())
        names = [guard(owner), *settings] if name != before.name else []

        async def store(fields: JsonObject) -> StoredTenantTool:
            told = (audited(before), audited(before.with_fields(fields)))
            entry = self._tools.entry(permit, TOOL, tool_id, *told, undoes)
            write = Update(before.document.path, fields | {"updatedAt": SERVER_TIME}, before.document.update_time)
            await self._tools.commit(write, names, entry=entry)
            return await self._tools.tool(permit.business_id, tool_id)

        try:
            return await ToolEdit(self._tools, self._mirroring, mirror, before, tool).carry_out(store)
        except (Stale, Missing):
            raise out_of_date(await self._tools.tool(permit.business_id, tool_id), document) from None
        finally:
            self._forget(permit.business_id)

    async def delete(
        self, permit: Permit, tool_id: str, based_on: str | None = None, undoes: str | None = None
    ) -> None:
        """Take a tool out of every agent, at Vapi and here, and delete it; with its attachments.

        Raises:
            OutOfDate: Somebody else has changed it since that revision, or does so at this moment.
            NotFound: There is no such tool.
            ToolError: What Vapi refuses with, such as CONFLICT where a version is pinned (`meta["vendor"]` names what
                pins it); the tool and its attachments stay.
        """
        owner = await self._tools.owner(permit.business_id)
        stored_tool = await self._tools.tool(permit.business_id, tool_id)
        if based_on and based_on != str(stored_tool.revision):
            raise out_of_date(stored_tool, None)
        mirror = await self._mirroring.open(owner.business)
        try:
            if mirror is not None:
                stored_tool = await self._withdrawn(mirror, stored_tool)
            await self._removed(permit, stored_tool, based_on, undoes)
        except (Stale, Missing):
            raise out_of_date(await self._tools.tool(permit.business_id, tool_id), None) from None
        self._forget(permit.business_id)

    async def restore(self, business_id: str, tool_id: str) -> StoredTenantTool:
        """Bring a tool at Vapi in line with what is stored, without changing that, and finish what was begun.

        Raises:
            NotFound: There is no such tool.
            ToolError: Vapi refuses, or the tool cannot be used as it is stored.
        """
        owner = await self._tools.owner(business_id)
        stored_tool = await self._tools.tool(business_id, tool_id)
        if stored_tool.tool is None:
            raise ToolError(ErrorType.CONFLICT, f"This tool cannot be used as it is: {stored_tool.problem}.")
        edit = ToolEdit(
            self._tools, self._mirroring, await self._mirroring.open(owner.business), stored_tool, stored_tool.tool
        )
        try:
            return await edit.carry_out(lambda fields: self._mirroring.mark(stored_tool, fields))
        finally:
            self._forget(business_id)

    async def _cleared(self, mirror: Mirror, before: StoredTenantTool, yours: JsonObject) -> StoredTenantTool:
        try:
            return await self._mirroring.cleared(mirror, before)
        except Stale:
            raise out_of_date(await self._tools.tool(mirror.business.id, before.id), yours) from None

    async def _removed(
        self, permit: Permit, stored_tool: StoredTenantTool, based_on: str | None, undoes: str | None
    ) -> None:
        writes, had = await taken_out(self._tools, permit.business_id, stored_tool, self._built_in())
        entry = self._tools.entry(permit, TOOL, stored_tool.id, (audited(stored_tool) or {}) | had, None, undoes)
        gone = Delete(stored_tool.document.path, if_update_time=stored_tool.document.update_time if based_on else None)
        await self._tools.commit(gone, writes, entry=entry)

    async def _withdrawn(self, mirror: Mirror, stored_tool: StoredTenantTool) -> StoredTenantTool:
        """Take a tool away from Vapi, marked so that the catalog of agents does not bring it back meanwhile."""
        is_repeated = stored_tool.unfinished is not None
        if stored_tool.external_id is None and stored_tool.superseded is None and not is_repeated:
            return stored_tool
        marked = await self._mirroring.mark(stored_tool, {"unfinished": Unfinished.DELETION.value})
        try:
            ids = {id for id in (stored_tool.external_id, stored_tool.superseded) if id is not None}
            # What an attempt made that broke off is known by its address alone.
            ids |= {str(row["id"]) for row in await mirror.all_of(stored_tool.id)} if is_repeated else set()
            for id in sorted(ids):
                await self._mirroring.withdraw(mirror, id, stored_tool.id)
        except ToolError:
            # A mark that cannot be taken back keeps the tool out of use until it is deleted again.
            with suppress(StoreError):
                await self._mirroring.mark(
                    marked, {"unfinished": stored_tool.document.data.get("unfinished", DELETE_FIELD)}
                )
            raise
        return marked
