"""What an edit of a business would break: told before it is saved, as for people and rooms."""

from switchboard.admin.access.access import Permit
from switchboard.admin.access.known_business import business_document
from switchboard.admin.audit.entry import same
from switchboard.admin.resources.consequences import BusinessView, NotConfirmed, consequences
from switchboard.contract.business.business import read_business
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Paths, Store
from switchboard.desk.resources.assigning import Assigning

# Whom and what an appointment needs, and when they and the house are there.
_DECIDING = ("services", "timezone", "workingHours")


class EditConsequences:
    """Looks at the appointments to come. What the store raises passes through."""

    def __init__(self, store: Store, paths: Paths, assigning: Assigning) -> None:
        """Read businesses from `store`; `assigning` knows the appointments."""
        self._store, self._paths, self._assigning = store, paths, assigning

    async def require_none(self, permit: Permit, before: JsonObject, after: JsonObject) -> None:
        """Let an edit through by which nothing would break.

        Raises:
            NotConfirmed: Something would.
            NotFound: There is no such business.
        """
        changed = {name: after.get(name) for name in _DECIDING if not same(before.get(name), after.get(name))}
        if not changed:
            return
        within = self._paths.within(permit.business_id)
        document = await business_document(self._store, within)
        place = BusinessView(read_business(document.id, document.data), within)
        edited = read_business(document.id, {**document.data, **changed})
        broken = await consequences(self._assigning, place, edited)
        if broken.are_some:
            raise NotConfirmed(broken)
