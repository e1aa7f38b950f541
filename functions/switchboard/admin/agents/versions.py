"""What an agent was each time it was saved: listed, compared, and saved again as it was.

A version is the entry of the audit that tells of the save, which also holds the agent as a whole. Whether it is the
default agent is part of no version: going back to one leaves that to where it is now.
"""

from collections.abc import Mapping
from datetime import datetime

from switchboard.admin.access.access import Permit
from switchboard.admin.access.refusal import NotFound
from switchboard.admin.agents.agents import Agents
from switchboard.admin.agents.fields import whole
from switchboard.admin.agents.store import VERSION
from switchboard.admin.api.paging import Page, Slice
from switchboard.admin.audit.entry import read_entry
from switchboard.admin.audit.revisions import Saved
from switchboard.admin.documents.difference import Difference, differences
from switchboard.admin.documents.redaction import hides
from switchboard.contract.document import mapping
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject, as_json
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Document

NOW = "now"
"""Names the agent as it is, where versions are compared."""
_DEFAULT = "isDefault"
_HELD_A_SECRET = "That version held a secret, which is kept nowhere else; enter it, or connect, again."


@dataclass(frozen=True, slots=True)
class AgentVersion:
    """An agent as it was saved once.

    Attributes:
        id: The audit's entry that tells of the save.
        at: When (aware, UTC).
        who: `{id, name, role}` as they were then.
        deed: Whether it was `created` or `changed`.
        changes: What that save changed, in words.
        fields: The agent's fields as they were from then on.
        is_now: Whether the agent says the same now.
    """

    id: str
    at: datetime
    who: JsonObject
    deed: str
    changes: tuple[str, ...]
    fields: JsonObject
    is_now: bool

    def to_json(self) -> JsonObject:
        """Return it as the admin API lists it."""
        return as_json(self, without=("fields",))


class AgentVersions:
    """The versions of a business's agents. What the store raises passes through."""

    def __init__(self, agents: Agents) -> None:
        """Save through `agents`."""
        self._agents = agents

    async def listed(self, business_id: str, agent_id: str, page: Page) -> Slice[AgentVersion]:
        """Return a page of an agent's versions, the newest first.

        Raises:
            NotFound: There is no such business or agent.
        """
        now = await self._now(business_id, agent_id)
        part = await self._agents.store.versions(business_id, agent_id, page)
        return Slice([_version(document, now) for document in part.items], part.next_cursor)

    async def one(self, business_id: str, agent_id: str, version: str) -> AgentVersion:
        """Return a version.

        Raises:
            NotFound: There is no such business, agent or version.
        """
        now = await self._now(business_id, agent_id)
        document = await self._agents.store.version(business_id, agent_id, version)
        if document is None:
            raise NotFound("This agent has no such version.")
        return _version(document, now)

    async def compared(self, business_id: str, agent_id: str, before: str, after: str) -> tuple[Difference, ...]:
        """Return where two versions differ, `NOW` being the agent as it is.

        Raises:
            NotFound: There is no such business, agent or version.
        """
        states = []
        for name in (before, after):
            is_now = name == NOW
            states.append(
                await self._now(business_id, agent_id)
                if is_now
                else (await self.one(business_id, agent_id, name)).fields
            )
        return differences(*states)

    async def roll_back(
        self, permit: Permit, agent_id: str, based_on: str | None, version: str
    ) -> tuple[JsonObject, Saved]:
        """Save a version again as the agent, and return the agent; a trial that is on ends by it.

        Raises:
            RevisionMissing, OutOfDate, Forbidden: See `Agents.change`.
            NotFound: There is no such business, agent or version.
            NotValid: It names what is not there any more, such as a tool.
            ToolError: CONFLICT, it held a secret.
        """
        chosen = await self.one(permit.business_id, agent_id, version)
        if hides(chosen.fields):
            raise ToolError(ErrorType.CONFLICT, _HELD_A_SECRET)
        return await self._agents.change(
            permit, agent_id, based_on, lambda _: chosen.fields, ends_trial=("rolled back", None)
        )

    async def _now(self, business_id: str, agent_id: str) -> JsonObject:
        moment = await self._agents.store.moment(business_id)
        return _content(moment.agent(agent_id).data)


def _version(document: Document, now: JsonObject) -> AgentVersion:
    entry, fields = read_entry(document), _content(mapping(document.data.get(VERSION)))
    lines = tuple(str(difference) for difference in differences(entry.before, entry.after))
    return AgentVersion(entry.id, entry.at, entry.who, entry.deed, lines, fields, is_now=not differences(fields, now))


def _content(data: Mapping[str, object]) -> JsonObject:
    return {name: value for name, value in whole(data).items() if name != _DEFAULT}
