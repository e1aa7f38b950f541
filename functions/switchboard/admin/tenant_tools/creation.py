"""Making a tenant tool: stored first, so that its address has an id, then made at Vapi, then Vapi's id stored.

Seed 002, "Tool Creation Flow". The document says that it is unfinished until the last step; whatever breaks off is
taken up by whoever asks for the same again.
"""

from collections.abc import Callable, Collection
from dataclasses import field

from switchboard.admin.access.access import Permit
from switchboard.admin.audit.revisions import allow
from switchboard.admin.tenant_tools.agents import put_back, taken_out
from switchboard.admin.tenant_tools.form import chosen_name, read_form, tool_of
from switchboard.admin.tenant_tools.handover import with_successor
from switchboard.admin.tenant_tools.record import StoredTenantTool, Unfinished, new_id
from switchboard.admin.tenant_tools.store import TOOL, Owner, ToolStore, audited
from switchboard.admin.vapi.client import Mirror
from switchboard.admin.vapi.sync import VapiSync
from switchboard.contract import policy
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import (
    DELETE_FIELD,
    SERVER_TIME,
    AlreadyExists,
    Create,
    Delete,
    Missing,
    Stale,
    StoreError,
    Update,
    Write,
)

_ATTEMPTS = 8


@dataclass(frozen=True, slots=True)
class Again:
    """A tool that was deleted: its old id, the audit's entry that bringing it back undoes, and what that tells."""

    id: str
    undoes: str
    told: JsonObject = field(default_factory=dict)


class ToolCreation:
    """Makes tools. What the store raises passes through."""

    def __init__(
        self,
        tools: ToolStore,
        mirroring: VapiSync,
        built_in: Callable[[], Collection[str]],
        forget: Callable[[str], None],
    ) -> None:
        """Join the parts; `built_in` names the built-in tools, `forget` lets the catalog read a business anew."""
        self._tools, self._mirroring, self._built_in, self._forget = tools, mirroring, built_in, forget

    async def create(
        self, permit: Permit, document: JsonObject, wish: str = "", again: Again | None = None, id: str = ""
    ) -> StoredTenantTool:
        """Make a tool, here and at Vapi if the business has an account there and conversations may use the tool.

        Args:
            permit: Who makes it, and where.
            document: The `ToolConfig`.
            wish: Names this wish (`Idempotency-Key`), so that it makes one tool however often it is told. Without
                one, what broke off is taken up again by an equal configuration.
            again: Which tool it brings back, if any.
            id: Which id it has, where that follows from what it is; empty for one of its own.

        Raises:
            NotValid: Everything that is wrong with the configuration.
            Forbidden: The role is not enough for whom it reaches, or what with.
            NotFound: There is no such business.
            ToolError: CONFLICT, the name that the owner chose is taken, or there are too many tools; or what Vapi
                refuses with, and then no tool is left.
        """
        config = read_form(document, document if again is not None else None)
        allow(permit, TOOL, {}, {"configMetadata": document})
        owner = await self._tools.owner(permit.business_id)
        await with_successor(self._tools, permit.business_id, config)
        mirror = await self._mirroring.open(owner.business) if config.attach_to_agent else None
        for _ in range(_ATTEMPTS):
            known = await self._tools.tools(permit.business_id)
            begun = _begun(known, permit.business_id, document, wish)
            if begun is not None:
                return await self._finished(permit, mirror, begun, may_be_there=True)
            if len(known) >= policy.TENANT_TOOLS:
                raise ToolError(ErrorType.CONFLICT, f"A business has at most {policy.TENANT_TOOLS} tools.")
            name = chosen_name(document, config, {*self._built_in(), *(stored_tool.name for stored_tool in known)})
            chosen = again.id if again is not None else id
            tool_id = chosen or new_id(permit.business_id, wish)
            tool = tool_of(tool_id, document, config, name)
            fields: JsonObject = tool.to_document() | {"createdAt": SERVER_TIME, "updatedAt": SERVER_TIME}
            if chosen:
                # Counted from 1 again, what was read before it was deleted would pass for the present one.
                fields["revision"] = await self._tools.changes(permit.business_id, tool_id) + 1
            if mirror is not None and tool.attach_to_agent:
                mirror.wanted(tool)
                fields["unfinished"] = Unfinished.CREATION.value
            path = self._tools.within(permit.business_id).document("tools", tool.id)
            after = {"name": name, "configMetadata": tool.config_metadata, "enabled": tool.is_enabled}
            entry = self._tools.entry(permit, TOOL, tool.id, None, after, again.undoes if again is not None else None)
            had = again.told if again is not None else {}
            with_agents = await put_back(self._tools, permit.business_id, tool_id, name, had)
            try:
                await self._tools.commit(Create(path, fields), with_agents, guard(owner), entry=entry)
            except (Stale, Missing, AlreadyExists):
                owner = await self._tools.owner(permit.business_id)
                continue
            self._forget(permit.business_id)
            made = await self._tools.tool(permit.business_id, tool.id)
            return await self._finished(permit, mirror, made, may_be_there=False)
        raise _changing()

    async def _finished(
        self, permit: Permit, mirror: Mirror | None, stored_tool: StoredTenantTool, *, may_be_there: bool
    ) -> StoredTenantTool:
        if stored_tool.unfinished is not Unfinished.CREATION:
            return stored_tool
        try:
            if mirror is None:
                return await self._mirroring.mark(stored_tool, {"unfinished": DELETE_FIELD})
            return await self._mirroring.finish(mirror, stored_tool, may_be_there=may_be_there)
        except ToolError as error:
            # Whether it was made nobody knows: then the document stays, so that a repeat can find out.
            if not error.partial_side_effects:
                await self._roll_back(permit, stored_tool)
            raise
        except Stale:
            # Somebody with the same wish was quicker.
            return await self._tools.tool(permit.business_id, stored_tool.id)
        except StoreError:
            await self._roll_back(permit, stored_tool)
            raise
        finally:
            self._forget(permit.business_id)

    async def _roll_back(self, permit: Permit, stored_tool: StoredTenantTool) -> None:
        entry = self._tools.entry(permit, TOOL, stored_tool.id, audited(stored_tool), None)
        try:
            writes, _ = await taken_out(self._tools, permit.business_id, stored_tool, self._built_in())
            gone = Delete(stored_tool.document.path, if_update_time=stored_tool.document.update_time)
            await self._tools.commit(gone, writes, entry=entry)
        except StoreError:
            # It stays as unfinished, which a repeat takes up.
            return


def guard(owner: Owner) -> Write:
    """Return the write that fails where somebody has taken a name since a business was read."""
    # Whoever takes a name touches the business, so that two cannot take the same one.
    return Update(owner.document.path, {"updatedAt": SERVER_TIME}, if_update_time=owner.document.update_time)


def _begun(
    known: Collection[StoredTenantTool], business_id: str, document: JsonObject, wish: str
) -> StoredTenantTool | None:
    """Return the tool that the same wish has made or begun before; None where it is new."""
    config = {name: value for name, value in document.items() if name != "enabled"}
    if wish:
        id = new_id(business_id, wish)
        of_this_id = next((own_tool for own_tool in known if own_tool.id == id), None)
        if of_this_id is not None and of_this_id.config != config:
            raise ToolError(ErrorType.CONFLICT, "This Idempotency-Key was used for another tool; send a new one.")
        return of_this_id
    begun = (own_tool for own_tool in known if own_tool.unfinished is Unfinished.CREATION and own_tool.config == config)
    return next(begun, None)


def _changing() -> ToolError:
    return ToolError(ErrorType.TRANSIENT, "This business is being changed too quickly; save again in a moment.")
