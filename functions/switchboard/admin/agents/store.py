"""A business's agents as they are stored, and the one way in which they are written: guarded, and audited.

Every write is conditioned on the business's document and touches it, so that two who write in the same moment cannot
leave two default agents, or none.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from weakref import WeakValueDictionary

from switchboard.admin.access.known_business import business_document
from switchboard.admin.access.refusal import NotFound
from switchboard.admin.agents.trial_state import running
from switchboard.admin.api.paging import Page, Slice, sifted
from switchboard.admin.audit.revisions import again_where_late
from switchboard.admin.audit.trail import AuditTrail, id_of
from switchboard.contract.document import mapping
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import BusinessPaths, Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import (
    SERVER_TIME,
    Create,
    Document,
    Filter,
    Order,
    Query,
    Update,
    Write,
)

FORMER_DEFAULT = "formerDefault"
"""The field of an audit's entry that names the agent which another one has followed as the default one."""
VERSION = "version"
"""The field of an audit's entry that holds an agent as a whole, as it was from then on."""
ENDED_TRIAL = "endedTrial"
"""The field of an audit's entry that names the trial which ended by the change."""
TRIALS = "removedTrials"
"""The field of an audit's entry that holds the trials which went with an agent that was removed."""
_KIND = "agent"
_TRIALS_AT_ONCE = 50


@dataclass(frozen=True, slots=True)
class AgentsSnapshot:
    """A business and its agents, as they were read together."""

    business: Document
    agents: Mapping[str, Document]

    @property
    def default(self) -> str | None:
        """The id of the agent that is the default one."""
        return next((id for id, document in self.agents.items() if document.data.get("isDefault") is True), None)

    def agent(self, agent_id: str) -> Document:
        """Return one agent.

        Raises:
            NotFound: There is no such agent.
        """
        found = self.agents.get(agent_id)
        if found is None:
            raise NotFound(f"There is no agent {agent_id[:80]!r}.")
        return found


@dataclass(frozen=True, slots=True)
class Plan:
    """What is about to be written, and what the audit will say of it."""

    entry: Create
    writes: Sequence[Write]


class AgentStore:
    """Reads and writes agents. What the store raises passes through."""

    def __init__(self, store: Store, paths: Paths, trail: AuditTrail, forget: Callable[[str], None]) -> None:
        """Keep agents in `store`; `forget` lets the catalog read a business anew, so that what is offered follows."""
        self._store, self._paths, self.trail, self._forget = store, paths, trail, forget
        # By business; gone as soon as nobody writes there or waits to.
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def moment(self, business_id: str) -> AgentsSnapshot:
        """Return a business and its agents, by id.

        Raises:
            NotFound: There is no such business.
        """
        within = self._paths.within(business_id)
        # The business first: whatever changes its agents after this also changes it.
        business = await business_document(self._store, within)
        documents = await self._store.query(Query(within.collection("agents")))
        return AgentsSnapshot(business, {document.id: document for document in sorted(documents, key=lambda d: d.id)})

    async def own_tools(self, business_id: str) -> dict[str, str]:
        """Return the names of a business's own tools, by id."""
        documents = await self._store.query(Query(self._paths.within(business_id).collection("tools")))
        return {document.id: str(document.data.get("name")) for document in documents}

    async def attached(self, business_id: str, agent_id: str | None = None) -> Sequence[Document]:
        """Return the attachments of one agent, or of all."""
        filters = (Filter("agentId", "==", agent_id),) if agent_id is not None else ()
        return await self._store.query(Query(self._paths.within(business_id).collection("agentTools"), filters))

    async def trials(self, business_id: str, agent: Document) -> Sequence[Document]:
        """Return what is noted of an agent's trials, so many as one commit can take away; the one that is on is there.

        Of very many not all are; what says that one is on always is.
        """
        of_agent = (Filter("agentId", "==", agent.id),)
        within = self._paths.within(business_id)
        notes = await self._store.query(Query(within.collection("agentTrials"), of_agent, limit=_TRIALS_AT_ONCE))
        on = running(agent.data)
        path = within.document("agentTrials", f"{agent.id}~{on['since']}") if on is not None else ""
        note = await self._store.get(path) if path and path not in (each.path for each in notes) else None
        return [*notes, note] if note is not None else notes

    async def removed_trials(self, business_id: str, entry_id: str) -> JsonObject:
        """Return the trials that went with an agent, as the entry of its removal holds them; empty where none did."""
        document = await self._store.get(self._paths.within(business_id).document("audit", entry_id))
        return dict(mapping(document.data.get(TRIALS))) if document is not None else {}

    async def former_default(self, business_id: str, entry_id: str) -> str | None:
        """Return the agent whose place as the default one was taken, as an entry of the audit names it."""
        document = await self._store.get(self._paths.within(business_id).document("audit", entry_id))
        former = document.data.get(FORMER_DEFAULT) if document is not None else None
        return former if isinstance(former, str) else None

    async def versions(self, business_id: str, agent_id: str, page: Page) -> Slice[Document]:
        """Return a page of the audit's entries that hold an agent as a whole, the newest first."""
        of_agent = (Filter("kind", "==", _KIND), Filter("document", "==", agent_id))
        audit = self._paths.within(business_id).collection("audit")
        query = Query(audit, of_agent, (Order("at", descending=True),))
        return await sifted(self._store, query, page, lambda entry: VERSION in entry.data)

    async def version(self, business_id: str, agent_id: str, entry_id: str) -> Document | None:
        """Return an entry that holds an agent as a whole; None where there is none of that id."""
        document = await self._store.get(self._paths.within(business_id).document("audit", entry_id))
        if document is None or VERSION not in document.data:
            return None
        is_of_agent = (document.data.get("kind"), document.data.get("document")) == (_KIND, agent_id)
        return document if is_of_agent else None

    async def commit(
        self, business_id: str, plan: Callable[[AgentsSnapshot, BusinessPaths], Awaitable[Plan | None]]
    ) -> str | None:
        """Do what `plan` makes of what is there, and return the id of the audit's entry; None plans nothing.

        Raises:
            NotFound: There is no such business.
            ToolError: TRANSIENT, somebody else was quicker every time.
        """
        # One after the other in a business; the guard is for what other instances change meanwhile.
        async with self._turns.setdefault(business_id, asyncio.Lock()):
            return await self._guarded(business_id, plan)

    @again_where_late
    async def _guarded(
        self, business_id: str, plan: Callable[[AgentsSnapshot, BusinessPaths], Awaitable[Plan | None]]
    ) -> str | None:
        within = self._paths.within(business_id)
        moment = await self.moment(business_id)
        planned = await plan(moment, within)
        if planned is None:
            return None
        guard = Update(within.business, {"updatedAt": SERVER_TIME}, if_update_time=moment.business.update_time)
        await self.trail.commit(planned.entry, [*planned.writes, guard])
        self._forget(business_id)
        return id_of(planned.entry)
