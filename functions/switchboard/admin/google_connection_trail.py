"""Keeps what becomes of a Google connection together with the audit's entry of it, in one commit.

The entries are of the kind that toolkits have, so that owners find both ways of disconnecting in one place. The
permission is kept by the consent itself; an entry tells since when there is one, and never what it is.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeAlias

from switchboard.admin.access import Permit
from switchboard.admin.audit_trail import AuditTrail
from switchboard.admin.difference import canonical
from switchboard.admin.hiding import HIDDEN
from switchboard.admin.refusal import NotFound
from switchboard.admin.revisions import changing
from switchboard.admin.toolkit_state import ToolkitState, integrations_of, state_of
from switchboard.admin.toolkits import TOOLKIT
from switchboard.catalog.toolkit import Toolkit
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Paths, Store
from switchboard.contract.store import Document, Missing, Stale, Update

_ATTEMPTS = 5
KeptSince: TypeAlias = Callable[[str, str], Awaitable[Mapping[str, datetime]]]
"""Tells since when each secret of a business's toolkit is kept."""
Changes: TypeAlias = Callable[[Mapping[str, Any]], JsonObject]
"""Makes out of a business's fields what is to be set in its connection."""


@dataclass(frozen=True, slots=True)
class ConnectionTrail:
    """Changes connections. What the store raises passes through.

    Attributes:
        store: Where businesses are.
        paths: Where things are in it.
        trail: Writes the audit.
        toolkit: Google Calendar's, which says what of a connection is told.
        kept_since: Tells since when the permission is kept.
    """

    store: Store
    paths: Paths
    trail: AuditTrail
    toolkit: Toolkit
    kept_since: KeptSince

    async def business(self, business_id: str) -> Document:
        """Return a business.

        Raises:
            NotFound: There is none of that id.
        """
        found = await self.store.get(self.paths.within(business_id).business)
        if found is None:
            raise NotFound("there is no such business")
        return found

    async def connected(self, permit: Permit, before: Mapping[str, datetime], changes: Changes) -> None:
        """Mark a business as connected, once the permission is kept.

        Args:
            permit: Who connects it.
            before: Since when each secret was kept until then.
            changes: Say what is set.

        Raises:
            ToolError: NOT_FOUND, there is no such business; TRANSIENT, it is being changed too quickly.
        """
        after = await self.kept_since(permit.business_id, self.toolkit.name)
        # A permission in place of another cannot be put back, and is marked as what is not kept here.
        old = {name: HIDDEN if after.get(name) != at else at for name, at in before.items()}
        await self._committed(permit, old, dict(after), changes)

    async def disconnected(self, permit: Permit, changes: Changes) -> bool:
        """Mark a business as not connected, before the permission is given back; tell whether that changed anything.

        Raises:
            ToolError: As for `connected`.
        """
        kept = await self.kept_since(permit.business_id, self.toolkit.name)
        return await self._committed(permit, dict.fromkeys(kept, HIDDEN), {}, changes)

    async def _committed(self, permit: Permit, old: JsonObject, new: JsonObject, changes: Changes) -> bool:
        at = self.toolkit.integration
        for _ in range(_ATTEMPTS):
            document = await self.business(permit.business_id)
            wanted = changes(document.data)
            integrations = integrations_of(document.data)
            then = {**document.data, "integrations": {**integrations, at: {**integrations.get(at, {}), **wanted}}}
            before, after = (_told(state_of(self.toolkit, data, {})) for data in (document.data, then))
            before, after = before | {"sensitiveConfig": old}, after | {"sensitiveConfig": new}
            if canonical(before) == canonical(after):
                return False
            entry = self.trail.entry(permit, TOOLKIT, self.toolkit.name, before, after)
            fields = {f"integrations.{at}.{name}": value for name, value in wanted.items()}
            try:
                await self.trail.commit(entry, [Update(document.path, fields, if_update_time=document.update_time)])
            except (Stale, Missing):
                continue
            return True
        raise changing()


def _told(state: ToolkitState) -> JsonObject:
    return {"config": state.config, "isConnected": state.is_connected, "needsReauth": state.needs_reauth}
