"""One edit of a tenant tool: at Vapi first, then here, and back at Vapi where it could not be stored.

Seed 002, "Tool Editing Flow". A tool at Vapi cannot change its kind, so that one which becomes asynchronous is made
anew there, takes the old one's place in every assistant, and only then the old one is deleted.
"""

import logging
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from switchboard.admin.tenant_tools.record import StoredTenantTool
from switchboard.admin.tenant_tools.store import ToolStore
from switchboard.admin.vapi.client import Mirror
from switchboard.admin.vapi.sync import LEFT_THERE, MirrorChange, VapiSync, attached_at
from switchboard.contract.definitions.tenant_tool import TenantTool
from switchboard.contract.error import ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.store import DELETE_FIELD, StoreError

log = logging.getLogger(__name__)

StoreFields: TypeAlias = Callable[[JsonObject], Awaitable[StoredTenantTool]]
"""Writes the new fields of a tool's document, audited, and returns it."""
_KEPT = ("createdAt", "updatedAt")


class ToolEdit:
    """From one state of a tool to the next."""

    def __init__(
        self, tools: ToolStore, mirroring: VapiSync, mirror: Mirror | None, before: StoredTenantTool, after: TenantTool
    ) -> None:
        """Plan it; nothing is done yet."""
        self._tools, self._mirroring, self._mirror = tools, mirroring, mirror
        self._before, self._after = before, after

    async def carry_out(self, store: StoreFields) -> StoredTenantTool:
        """Do it and return the tool as it then is.

        Raises:
            NotValid: Vapi cannot have it like this; nothing was done.
            ToolError: Vapi refuses; nothing is changed, as far as that could be done.
            StoreError: It could not be stored; Vapi has the old one again, as far as that could be done.
        """
        fields: JsonObject = {k: v for k, v in self._after.to_document().items() if k not in _KEPT}
        fields["unfinished"] = DELETE_FIELD
        mirror, external_id = self._mirror, self._before.external_id
        if mirror is None:
            return await store(fields)
        if not self._after.attach_to_agent:
            if external_id is not None:
                await self._mirroring.withdraw(mirror, external_id, self._after.id)
            return await store(fields | {"externalToolId": None, "data": {}})
        declaration = mirror.wanted(self._after)
        is_same_kind = (
            self._before.document.data.get("data", {}).get("type", declaration["type"]) == declaration["type"]
        )
        if external_id is not None and is_same_kind:
            changed = await mirror.change(external_id, self._after)
            if changed is not None:
                return await self._stored(store, fields | self._mirroring.as_made(changed), mirror, external_id)
        return await self._replaced(store, fields, mirror)

    async def _stored(
        self, store: StoreFields, fields: JsonObject, mirror: Mirror, external_id: str
    ) -> StoredTenantTool:
        try:
            return await store(fields)
        except StoreError:
            await self._set_back(mirror, external_id)
            raise

    async def _set_back(self, mirror: Mirror, external_id: str) -> None:
        """Have Vapi show what is stored, which may be what somebody else has stored since."""
        try:
            stored_tool = await self._tools.find(mirror.business.id, self._after.id)
            if stored_tool is not None and stored_tool.tool is not None and stored_tool.external_id == external_id:
                await mirror.change(external_id, stored_tool.tool)
        except (ToolError, StoreError) as error:
            log.error(LEFT_THERE, extra={"tool": external_id, "reason": type(error).__name__, "pii.detail": str(error)})

    async def _replaced(self, store: StoreFields, fields: JsonObject, mirror: Mirror) -> StoredTenantTool:
        old = self._before.external_id
        made = await mirror.make(self._after, may_be_there=True)
        id = str(made["id"])
        business = mirror.business
        rows = await self._tools.attachments(business.id, tool_id=self._after.id)
        assistants = attached_at(rows, await self._tools.agents(business.id), business)
        change = MirrorChange({self._after.id: id}, absent=frozenset({old} if old and old != id else ()))
        try:
            await self._mirroring.settle_all(mirror, assistants, change)
            noted = {"supersededToolId": old} if old and old != id else {}
            stored = await store(fields | self._mirroring.as_made(made) | noted)
        except (ToolError, StoreError):
            if id != old and not await self._is_stored():
                await self._undone(mirror, assistants, id)
            raise
        return await self._mirroring.cleared(mirror, stored)

    async def _undone(self, mirror: Mirror, assistants: list[str], id: str) -> None:
        try:
            await self._mirroring.settle_all(mirror, assistants, MirrorChange(absent=frozenset({id})))
        except (ToolError, StoreError) as error:
            log.error(LEFT_THERE, extra={"tool": id, "reason": type(error).__name__, "pii.detail": str(error)})
            return
        await self._mirroring.drop(mirror, id)

    async def _is_stored(self) -> bool:
        """Tell whether the document is the new one after all; where nobody can tell, it counts as such."""
        try:
            document = await self._tools.store.get(self._before.document.path)
        except StoreError:
            return True
        return document is not None and document.data.get("configMetadata") == self._after.config_metadata
