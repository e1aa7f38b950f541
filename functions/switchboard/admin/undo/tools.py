"""How changes of tenant tools, and of which agents have them, are undone: by the operations that owners have for them.

A tool that was deleted comes back under its old id, which vendors call it by, with the agents that had it and what each
of them had set for it.
"""

import logging
from collections.abc import Callable

from switchboard.admin.access.access import Permit
from switchboard.admin.audit.document_kind import revision_of
from switchboard.admin.audit.revisions import NO_DOCUMENT, Saved
from switchboard.admin.tenant_tools.agents import ATTACHED_TO
from switchboard.admin.tenant_tools.attachments import Attachments
from switchboard.admin.tenant_tools.creation import Again
from switchboard.admin.tenant_tools.record import StoredTenantTool
from switchboard.admin.tenant_tools.store import ATTACHMENT, TOOL, ToolStore, audited
from switchboard.admin.tenant_tools.tenant_tools import TenantTools
from switchboard.admin.undo.handler import DocumentState
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.store import Filter, Query

log = logging.getLogger(__name__)

Edit = Callable[[JsonObject], JsonObject]


class ToolWay:
    """Puts back tenant tools, at Vapi too."""

    kind = TOOL

    def __init__(self, store: ToolStore, tools: TenantTools, attachments: Attachments) -> None:
        """Go through `tools`, and attach by `attachments` what was attached."""
        self._store, self._tools, self._attachments = store, tools, attachments

    async def standing(self, business_id: str, id: str) -> DocumentState | None:
        """Return what its owner decided; None where there is no such tool."""
        kept = await self._store.find(business_id, id)
        view = audited(kept)
        return DocumentState(view, str(kept.revision)) if kept is not None and view is not None else None

    async def create(self, permit: Permit, id: str, fields: JsonObject, *, undoes: str) -> Saved:
        """Make a tool again, with those of its agents that are still there."""
        kept = await self._tools.bring_back(permit, _document(fields), Again(id, undoes, fields))
        for agent_id in fields.get(ATTACHED_TO) or ():
            await self._attached_again(permit, str(agent_id), id)
        return await self._saved(permit, kept, undoes)

    async def change(self, permit: Permit, id: str, based_on: str, edit: Edit, *, undoes: str) -> Saved:
        """Change a tool."""
        kept = await self._store.tool(permit.business_id, id)
        wanted = edit(audited(kept) or {})
        document = _document(wanted if wanted["name"] != kept.name else {**wanted, "name": None})
        return await self._saved(
            permit, await self._tools.edit(permit, id, lambda _: document, based_on, undoes), undoes
        )

    async def delete(self, permit: Permit, id: str, based_on: str, *, undoes: str) -> Saved:
        """Delete a tool."""
        await self._tools.delete(permit, id, based_on, undoes)
        return await _gone(self._store, permit, undoes)

    async def _attached_again(self, permit: Permit, agent_id: str, tool_id: str) -> None:
        """Have the agent's assistant at Vapi, if it has one, follow what stands in the store."""
        try:
            await self._attachments.attach(permit, agent_id, tool_id)
        except ToolError as error:
            # It is attached already where nothing is mirrored. What Vapi refuses, the comparison with it shows.
            if error.type is not ErrorType.CONFLICT:
                extra = {"tool": tool_id, "reason": error.type.value, "pii.detail": error.detail or str(error)}
                log.warning("a tool that was brought back is not attached at Vapi", extra=extra)

    async def _saved(self, permit: Permit, kept: StoredTenantTool, undoes: str) -> Saved:
        return Saved(kept.document, str(kept.revision), await _entry_of(self._store, permit, undoes))


class AttachmentWay:
    """Attaches and detaches tenant tools, at Vapi too."""

    kind = ATTACHMENT

    def __init__(self, store: ToolStore, attachments: Attachments) -> None:
        """Go through `attachments`."""
        self._store, self._attachments = store, attachments

    async def standing(self, business_id: str, id: str) -> DocumentState | None:
        """Return which tool is attached to which agent; None where it is not."""
        agent_id, _, tool_id = id.partition("~")
        found = await self._store.attachment(business_id, agent_id, tool_id)
        view: JsonObject = {"agentId": agent_id, "toolId": tool_id}
        return DocumentState(view, revision_of(view)) if found is not None and not found.is_leaving else None

    async def create(self, permit: Permit, id: str, fields: JsonObject, *, undoes: str) -> Saved:
        """Attach."""
        agent_id, _, tool_id = id.partition("~")
        await self._attachments.attach(permit, agent_id, tool_id, undoes)
        view: JsonObject = {"agentId": agent_id, "toolId": tool_id}
        return Saved(None, revision_of(view), await _entry_of(self._store, permit, undoes))

    async def change(self, permit: Permit, id: str, based_on: str, edit: Edit, *, undoes: str) -> Saved:
        """Refuse: an attachment is there or not."""
        raise ToolError(ErrorType.CONFLICT, "A tool is attached or not; attach it or detach it.")

    async def delete(self, permit: Permit, id: str, based_on: str, *, undoes: str) -> Saved:
        """Detach."""
        agent_id, _, tool_id = id.partition("~")
        await self._attachments.detach(permit, agent_id, tool_id, undoes)
        return await _gone(self._store, permit, undoes)


def _document(fields: JsonObject) -> JsonObject:
    named = {"name": fields["name"]} if fields.get("name") else {}
    return {**fields["configMetadata"], **named, "enabled": fields["enabled"]}


async def _gone(store: ToolStore, permit: Permit, undoes: str) -> Saved:
    return Saved(None, NO_DOCUMENT, await _entry_of(store, permit, undoes))


async def _entry_of(store: ToolStore, permit: Permit, undoes: str) -> str | None:
    """Return the entry that an undo has left; None where nothing had to be changed."""
    audit = store.within(permit.business_id).collection("audit")
    found = await store.store.query(Query(audit, (Filter("undoes", "==", undoes),)))
    # Ids begin with the time: what is undone, done again and undone again has several.
    return max((entry.id for entry in found), default=None)
