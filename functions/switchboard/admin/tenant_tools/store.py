"""What the operations on tenant tools read and write: tools, agents and attachments of one business, audited."""

from collections.abc import Mapping, Sequence
from typing import Any

from switchboard.admin.access.access import Permit
from switchboard.admin.access.known_business import business_document
from switchboard.admin.access.refusal import NotFound, OutOfDate
from switchboard.admin.access.roles import Operation
from switchboard.admin.audit.document_kind import DocumentKind
from switchboard.admin.audit.trail import AuditTrail, left
from switchboard.admin.audit.undo_links import linked
from switchboard.admin.documents.difference import differences
from switchboard.admin.tenant_tools.reach import needs_of_tool
from switchboard.admin.tenant_tools.record import Attachment, StoredTenantTool, attachment, kept
from switchboard.contract import policy
from switchboard.contract.business.agent import Agent, read_agent
from switchboard.contract.business.business import Business, read_business
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import BusinessPaths, Clock, Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Create, Document, Filter, Query, Write

TOOL = DocumentKind(
    *("tool", Operation.EDIT_TOOLS, lambda paths, id: paths.document("tools", id), lambda after, before: ()),
    needs=needs_of_tool,
)
ATTACHMENT = DocumentKind(
    "attachment", Operation.EDIT_AGENTS, lambda paths, id: paths.document("agentTools", id), lambda after, before: ()
)


@dataclass(frozen=True, slots=True)
class Owner:
    """A business as it was read: the record, and its document, which guards the uniqueness of names."""

    business: Business
    document: Document


class ToolStore:
    """Reads and writes. What the store raises passes through."""

    def __init__(self, store: Store, paths: Paths, clock: Clock) -> None:
        """Keep everything in `store`; audit entries are dated by `clock`."""
        self.store, self._paths, self.trail = store, paths, AuditTrail(store, paths, clock)

    def within(self, business_id: str) -> BusinessPaths:
        """Return the paths of a business."""
        return self._paths.within(business_id)

    async def owner(self, business_id: str) -> Owner:
        """Return a business.

        Raises:
            NotFound: There is no such business.
        """
        document = await business_document(self.store, self.within(business_id))
        return Owner(read_business(business_id, document.data), document)

    async def tools(self, business_id: str, filters: tuple[Filter, ...] = ()) -> list[StoredTenantTool]:
        """Return the tools of a business, by id."""
        query = Query(self.within(business_id).collection("tools"), filters, limit=policy.TENANT_TOOLS)
        return [kept(document) for document in await self.store.query(query)]

    async def find(self, business_id: str, tool_id: str) -> StoredTenantTool | None:
        """Return one tool; None where the business has no such."""
        document = await self.store.get(self.within(business_id).document("tools", tool_id))
        return kept(document) if document is not None else None

    async def tool(self, business_id: str, tool_id: str) -> StoredTenantTool:
        """Return one tool.

        Raises:
            NotFound: The business has no such tool.
        """
        stored_tool = await self.find(business_id, tool_id)
        if stored_tool is None:
            raise NotFound("There is no such tool.")
        return stored_tool

    async def changes(self, business_id: str, tool_id: str) -> int:
        """Return how many changes of a tool, deleted or not, the audit tells of: never less than its revision."""
        of_it = (Filter("kind", "==", TOOL.name), Filter("document", "==", tool_id))
        return await self.store.count(Query(self.within(business_id).collection("audit"), of_it))

    async def agents(self, business_id: str) -> dict[str, Agent]:
        """Return the agents of a business, by id."""
        query = Query(self.within(business_id).collection("agents"), limit=policy.AGENTS)
        return {d.id: read_agent(d.id, d.data) for d in await self.store.query(query)}

    async def agent(self, business_id: str, agent_id: str) -> Agent:
        """Return one agent.

        Raises:
            NotFound: The business has no such agent.
        """
        document = await self.store.get(self.within(business_id).document("agents", agent_id))
        if document is None:
            raise NotFound("There is no such agent.")
        return read_agent(agent_id, document.data)

    async def attachments(self, business_id: str, *, tool_id: str = "", agent_id: str = "") -> list[Attachment]:
        """Return the attachments of a business: all, or those of one tool or one agent."""
        chosen = (("toolId", tool_id), ("agentId", agent_id))
        filters = tuple(Filter(name, "==", id) for name, id in chosen if id)
        query = Query(self.within(business_id).collection("agentTools"), filters, limit=policy.ATTACHMENTS)
        return [row for d in await self.store.query(query) if (row := attachment(d)) is not None]

    async def attachment(self, business_id: str, agent_id: str, tool_id: str) -> Attachment | None:
        """Return one attachment; None where there is none."""
        document = await self.store.get(self.attachment_path(business_id, agent_id, tool_id))
        return attachment(document) if document is not None else None

    def attachment_path(self, business_id: str, agent_id: str, tool_id: str) -> str:
        """Return where an attachment is stored."""
        return self.within(business_id).document("agentTools", f"{agent_id}~{tool_id}")

    def entry(
        self,
        permit: Permit,
        kind: DocumentKind,
        id: str,
        before: Mapping[str, object] | None,
        after: JsonObject | None,
        undoes: str | None = None,
    ) -> Create:
        """Return the audit's entry of a change, to be written in the change's own commit."""
        return self.trail.entry(permit, kind, id, dict(before) if before is not None else None, after, undoes)

    async def commit(self, *writes: Write | Sequence[Write], entry: Create | None = None) -> None:
        """Do all writes or none, the audit's entry behind them; one that undoes another is noted in that, too."""
        flat: list[Write] = []
        for write in writes:
            flat += list(write) if isinstance(write, Sequence) else [write]
        links = await linked(self.store, entry) if entry is not None else ()
        await self.store.commit([*flat, *links])
        if entry is not None:
            left(entry)


def audited(tool: StoredTenantTool | None) -> JsonObject | None:
    """Return what the audit says of a tool: what its owner decided; None where there was none."""
    return owned(tool.document.data) if tool is not None else None


def editable(stored_tool: StoredTenantTool) -> JsonObject:
    """Return what an owner edits of a stored tool: its whole configuration, with `enabled`."""
    return stored_tool.config | {"enabled": stored_tool.document.data.get("enabled") is not False}


def out_of_date(stored_tool: StoredTenantTool, yours: JsonObject | None) -> OutOfDate:
    """Return the refusal of what is based on another revision of a tool than there is now, with both versions.

    Args:
        stored_tool: The tool as it is now.
        yours: What it would have become; None where it would have been deleted, or stayed as it is.
    """
    current = editable(stored_tool)
    differing = differences(current, yours) if yours is not None else ()
    return OutOfDate(str(stored_tool.revision), current, yours, differing)


def owned(data: Mapping[str, Any]) -> JsonObject:
    """Return what an owner decided of a stored tool."""
    config = data.get("configMetadata")
    decided = dict(config) if isinstance(config, Mapping) else {}
    return {"name": str(data.get("name") or ""), "configMetadata": decided, "enabled": data.get("enabled") is not False}
