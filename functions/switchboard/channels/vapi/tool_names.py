"""Which tool of a business a callback's address means: a tenant tool by its id, or any tool by its name."""

from switchboard.catalog.offer.catalog import Catalog
from switchboard.catalog.tenant_tools.tenant import Tenant
from switchboard.contract.ports import Paths, Store
from switchboard.contract.store import Unavailable


class ToolNames:
    """Finds tools by what stands in addresses; nothing of another business is ever found."""

    def __init__(self, catalog: Catalog, store: Store, paths: Paths) -> None:
        """Ask `catalog`, and `store` about tools that were made a moment ago."""
        self._catalog, self._store, self._paths = catalog, store, paths

    async def of(self, business_id: str, id: str) -> str | None:
        """Return the name of the tool, None where this business has none that the id could mean.

        Raises:
            StoreError: The business's own tools cannot be read.
        """
        if (await self._catalog.definitions.current()).set.tools.get(id) is not None:
            return id
        tenant = await self._tenant(business_id)
        found = _named(tenant, id)
        if found is not None:
            return found
        # What was made on another instance is not known here for up to a minute.
        if await self._store.get(self._paths.within(business_id).document("tools", id)) is None:
            return None
        self._catalog.forget(business_id)
        return _named(await self._tenant(business_id), id)

    async def _tenant(self, business_id: str) -> Tenant:
        tenant = await self._catalog.tenant(business_id)
        if tenant is None:
            raise Unavailable("the business's own tools cannot be read")
        return tenant


def _named(tenant: Tenant, id: str) -> str | None:
    own = tenant.own.tools.values()
    return next((tool.record.name for tool in own if id in (tool.record.id, tool.record.name)), None)
