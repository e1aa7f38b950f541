"""What the audit of a business says of roles that were given and taken away: of which account, before and after.

Roles are claims of an account and no documents, so that an entry cannot stand in one commit with the change that it
tells of. It is written behind that change, and what is the last that it says can be asked for, so that telling can be
repeated until it is done, and is then done once.
"""

from collections.abc import AsyncIterator

from switchboard.admin.access.access import OwnerIdentity, Permit
from switchboard.admin.access.known_business import businesses
from switchboard.admin.access.roles import Operation, Role
from switchboard.admin.audit.document_kind import DocumentKind
from switchboard.admin.audit.trail import AuditTrail
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Clock, Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Filter, Order, Query

ROLE = DocumentKind("role", Operation.EDIT_KEYS, lambda paths, id: paths.business, lambda after, before: ())
PLATFORM_ROLE = DocumentKind(
    "platformRole", Operation.EDIT_KEYS, lambda paths, id: paths.business, lambda after, before: ()
)


@dataclass(frozen=True, slots=True)
class RoleChange:
    """What an account was to a business, and what it is now.

    Attributes:
        account_id: The user's id; the entry's document.
        account: For people to read: an e-mail address, or the id.
        before: A role's value; empty for none.
        after: The same.
        is_platform: Whether the role is one in every business, beside those that the account has in single ones.
    """

    account_id: str
    account: str
    before: str
    after: str
    is_platform: bool = False

    @property
    def kind(self) -> DocumentKind:
        """The kind of its entries."""
        return PLATFORM_ROLE if self.is_platform else ROLE


class RoleEntries:
    """Writes them, and looks them up. What the store raises passes through."""

    def __init__(self, store: Store, paths: Paths, clock: Clock) -> None:
        self._store, self._paths, self._trail = store, paths, AuditTrail(store, paths, clock)

    async def concerned(self, business_id: str) -> AsyncIterator[str]:
        """Yield the businesses that a role is one in, of those that exist; with "" all of them."""
        async for document in businesses(self._store, self._paths, business_id or None):
            yield document.id

    async def tell(self, business_id: str, by: OwnerIdentity, change: RoleChange) -> None:
        """Write the entry of a change that was made."""
        permit = Permit(by, business_id, Role.PLATFORM)
        before, after = (_view(change, role) for role in (change.before, change.after))
        await self._trail.commit(self._trail.entry(permit, change.kind, change.account_id, before, after), [])

    async def last(self, business_id: str, change: RoleChange) -> tuple[str, str]:
        """Return the last that a business's audit says of an account: its role before and after; "" for none."""
        query = Query(
            self._paths.within(business_id).collection("audit"),
            (Filter("kind", "==", change.kind.name), Filter("document", "==", change.account_id)),
            (Order("at", descending=True),),
            limit=1,
        )
        documents = await self._store.query(query)
        return (
            (_role(documents[0].data.get("before")), _role(documents[0].data.get("after"))) if documents else ("", "")
        )


def _view(change: RoleChange, role: str) -> JsonObject | None:
    # One field, so that an entry names the account on both sides.
    return {"account": {"name": change.account, "role": role}} if role else None


def _role(side: object) -> str:
    account = side.get("account") if isinstance(side, dict) else None
    return str(account.get("role") or "") if isinstance(account, dict) else ""
