"""Keeps a permission, what becomes of the connection and the audit's entry of it together, in one commit.

So a permission is never kept without a trace, nor a trace left without what it tells of, wherever a process ends. The
entries are of the kind that toolkits have, so that owners find both ways of disconnecting in one place. An entry tells
since when there is a permission, and never what it is.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol, TypeAlias

from switchboard.admin.access.access import Permit
from switchboard.admin.access.refusal import NotFound
from switchboard.admin.audit.revisions import again_where_late
from switchboard.admin.audit.trail import AuditTrail
from switchboard.admin.documents.redaction import HIDDEN
from switchboard.admin.toolkits.state import ToolkitState, integrations_of, state_of
from switchboard.admin.toolkits.toolkits import TOOLKIT
from switchboard.catalog.tenant_tools.toolkit import Toolkit
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import SERVER_TIME, Document, Update, Write

KeptSince: TypeAlias = Callable[[str, str], Awaitable[Mapping[str, datetime]]]
"""Tells since when each secret of a business's toolkit is kept."""
Changes: TypeAlias = Callable[[Mapping[str, Any]], JsonObject]
"""Makes out of a business's fields what is to be set in its connection."""


class KeptPermission(Protocol):
    """What a consent gives, not kept yet."""

    @property
    def scopes(self) -> Sequence[str]:
        """What was allowed."""

    @property
    def secret(self) -> str:
        """The name of the secret that it is kept as."""

    @property
    def write(self) -> Write:
        """What keeps it."""


class KeptWithdrawal(Protocol):
    """A permission that is about to be given back."""

    @property
    def write(self) -> Write:
        """What forgets it."""

    async def give_back(self) -> bool:
        """Give it back once it is forgotten, and tell whether it was taken."""


Withdrawing: TypeAlias = Callable[[str], Awaitable[KeptWithdrawal]]
"""Returns what takes the permission back that a business has now."""


@dataclass(frozen=True, slots=True)
class _Secrets:
    """What becomes of the secrets: what the audit says of them before and after, and the write that does it."""

    before: JsonObject
    after: JsonObject
    write: Write


@dataclass(frozen=True, slots=True)
class ConnectionTrail:
    """Changes connections. What the store raises passes through.

    Attributes:
        store: Where businesses are.
        paths: Where things are in it.
        trail: Writes the audit.
        toolkit: The calendar's, which says what of a connection is told.
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
        document = await self.store.get(self.paths.within(business_id).business)
        if document is None:
            raise NotFound("there is no such business", "businessId")
        return document

    @again_where_late
    async def connected(self, permit: Permit, permission: KeptPermission, changes: Changes) -> None:
        """Keep a permission and mark the business as connected.

        Args:
            permit: Who connects it.
            permission: What the consent gave.
            changes: Say what is set.

        Raises:
            ToolError: NOT_FOUND, there is no such business; TRANSIENT, it is being changed too quickly. Nothing was
                kept.
        """

        def replaced(times: Mapping[str, datetime]) -> _Secrets:
            # A permission in place of another cannot be put back, and is marked as what is not kept here.
            before = {name: HIDDEN if name == permission.secret else at for name, at in times.items()}
            # The same time that is noted beside the secret itself.
            return _Secrets(before, {**times, permission.secret: SERVER_TIME}, permission.write)

        document = await self.business(permit.business_id)
        await self._commit(permit, document, replaced(await self._kept(permit)), changes(document.data))

    @again_where_late
    async def disconnected(self, permit: Permit, changes: Changes, withdrawing: Withdrawing) -> KeptWithdrawal | None:
        """Mark a business as not connected and forget its permission, which is then to be given back.

        Returns:
            What gives it back; None where there was neither a connection nor a permission.

        Raises:
            ToolError: As for `connected`; the connection is as it was.
        """
        document = await self.business(permit.business_id)
        times, settings = await self._kept(permit), changes(document.data)
        if not settings and not times:
            return None
        # Read behind the business, whose document guards it: what is given back is what is forgotten.
        withdrawal = await withdrawing(permit.business_id)
        secrets = _Secrets(dict.fromkeys(times, HIDDEN), {}, withdrawal.write)
        await self._commit(permit, document, secrets, settings)
        return withdrawal

    async def _kept(self, permit: Permit) -> Mapping[str, datetime]:
        return await self.kept_since(permit.business_id, self.toolkit.name)

    async def _commit(self, permit: Permit, document: Document, secrets: _Secrets, settings: JsonObject) -> None:
        """Do it all.

        Raises:
            Stale, Missing: The business has changed since it was read.
        """
        at, data = self.toolkit.integration, document.data
        integrations = integrations_of(data)
        then = {**data, "integrations": {**integrations, at: {**integrations.get(at, {}), **settings}}}
        before, after = (_told(state_of(self.toolkit, fields, {})) for fields in (data, then))
        before, after = before | {"sensitiveConfig": secrets.before}, after | {"sensitiveConfig": secrets.after}
        entry = self.trail.entry(permit, TOOLKIT, self.toolkit.name, before, after)
        fields = {f"integrations.{at}.{name}": value for name, value in settings.items()} | {"updatedAt": SERVER_TIME}
        update = Update(document.path, fields, if_update_time=document.update_time)
        await self.trail.commit(entry, [update, secrets.write])


def _told(state: ToolkitState) -> JsonObject:
    return {"config": state.config, "isConnected": state.is_connected, "needsReauth": state.needs_reauth}
