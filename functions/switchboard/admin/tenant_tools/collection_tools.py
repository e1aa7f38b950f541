"""Attach a collection of the business's own to an agent: its query tool is made by that (seed 002, "Query")."""

from switchboard.admin.access.access import Permit
from switchboard.admin.access.refusal import EntryProblem, NotValid
from switchboard.admin.tenant_tools.attachments import Attachments
from switchboard.admin.tenant_tools.collection_query import wish_of
from switchboard.admin.tenant_tools.record import Attachment, StoredTenantTool, new_id
from switchboard.admin.tenant_tools.store import ToolStore
from switchboard.admin.tenant_tools.tenant_tools import TenantTools
from switchboard.contract.json import JsonObject
from switchboard.contract.store import Query

_LOOKED_AT = 50


class CollectionTools:
    """Attaches collections. What the store raises passes through."""

    def __init__(self, store: ToolStore, tools: TenantTools, attachments: Attachments) -> None:
        """Join the parts."""
        self._store, self._tools, self._attachments = store, tools, attachments

    async def attach(self, permit: Permit, agent_id: str, collection: str) -> tuple[StoredTenantTool, Attachment]:
        """Return a collection's query tool, made if there was none, and its attachment to an agent.

        Asking for the same again changes nothing: one collection has one such tool, also after its owner has edited
        it, and an agent has it once.

        Raises:
            NotFound: There is no such business or agent.
            NotValid: The name is none, or nothing lies in the collection.
            ToolError: As making a tool, and as attaching one.
        """
        business_id = permit.business_id
        await self._store.owner(business_id)
        await self._store.agent(business_id, agent_id)
        wish = f"collection:{collection}"
        kept = await self._store.find(business_id, new_id(business_id, wish))
        if kept is None or kept.unfinished is not None:
            kept = await self._tools.create(permit, kept.config if kept else await self._wish(permit, collection), wish)
        row = await self._store.attachment(business_id, agent_id, kept.id)
        if row is None or row.is_leaving:
            row = await self._attachments.attach(permit, agent_id, kept.id)
        return kept, row

    async def _wish(self, permit: Permit, collection: str) -> JsonObject:
        query = Query(self._store.within(permit.business_id).items(collection), limit=_LOOKED_AT)
        items = [document.data for document in await self._store.store.query(query)]
        if not items:
            told = f"The collection {collection[:80]!r} has no items; write some first: they show what can be asked by."
            raise NotValid([EntryProblem("collection", told)])
        return wish_of(collection, items)
