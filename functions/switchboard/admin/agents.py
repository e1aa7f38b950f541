"""The agents of a business, as its owners make, change and remove them: `businesses/{id}/agents/{agentId}`.

Exactly one agent is the default one, from the first on. Every write is conditioned on the business's document and
touches it, so that two who write in the same moment cannot leave two defaults, or none.
"""

import asyncio
import re
import secrets
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from switchboard.admin.agent_fields import FIELDS, AgentFields
from switchboard.admin.refusal import NotFound, NotValid, Problem
from switchboard.admin.toolkits import SecretKeeper
from switchboard.catalog.toolkits import Toolkits
from switchboard.contract import policy
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import BusinessPaths, Paths, Store
from switchboard.contract.store import (
    SERVER_TIME,
    AlreadyExists,
    Create,
    Delete,
    Document,
    Filter,
    Missing,
    Query,
    Stale,
    Update,
    Write,
)

AGENT_ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")
_ATTEMPTS = 8
_MOST_ATTACHMENTS = 400  # a commit holds 500 writes


@dataclass(frozen=True, slots=True)
class _Moment:
    """A business and its agents, as they were read together."""

    business: Document
    agents: Mapping[str, Document]

    @property
    def default(self) -> str | None:
        """The id of the agent that is the default one."""
        return next((id for id, document in self.agents.items() if document.data.get("isDefault") is True), None)


class Agents:
    """The owners' operations. What the store raises passes through."""

    def __init__(
        self,
        store: Store,
        paths: Paths,
        secrets: SecretKeeper,
        toolkits: Toolkits,
        built_in: Callable[[], Collection[str]],
        forget: Callable[[str], None],
    ) -> None:
        """Keep agents in `store`.

        Args:
            store: Where businesses are.
            paths: Where things are in it.
            secrets: Holds what agents keep secret, which leaves with them.
            toolkits: Which there are.
            built_in: Names the built-in tools.
            forget: Lets the catalog read a business anew, so that what is offered follows at once.
        """
        self._store, self._paths, self._secrets = store, paths, secrets
        self.toolkits, self._built_in, self._forget = toolkits, built_in, forget
        self._one_at_a_time = asyncio.Lock()

    async def all(self, business_id: str) -> list[JsonObject]:
        """Return the agents, by id, each with the ids of the tenant tools attached to it.

        Raises:
            NotFound: There is no such business.
        """
        moment = await self._moment(business_id)
        attached = await self._attachments(business_id)
        return [_shown(document, attached) for document in moment.agents.values()]

    async def one(self, business_id: str, agent_id: str) -> JsonObject:
        """Return one agent.

        Raises:
            NotFound: There is no such business or agent.
        """
        document = await self._agent(business_id, agent_id)
        return _shown(document, await self._attachments(business_id, agent_id))

    async def create(self, business_id: str, given: Mapping[str, Any]) -> JsonObject:
        """Make an agent; the first one is the default one.

        Args:
            business_id: Whose.
            given: Its fields, and `id` where the owner chooses one; otherwise it is made from the name.

        Raises:
            NotValid: Everything that is wrong with the fields.
            ToolError: CONFLICT, there is an agent of that id, or there are too many.
        """
        fields = {name: value for name, value in given.items() if name != "id"}
        checked = (await self._rules(business_id)).read(fields, {})
        agent_id = _id(given.get("id"), checked["name"])

        async def write(moment: _Moment, within: BusinessPaths) -> Sequence[Write]:
            if agent_id in moment.agents:
                raise ToolError(ErrorType.CONFLICT, f"There is an agent {agent_id!r} already; choose another id.")
            if len(moment.agents) >= policy.AGENTS:
                raise ToolError(ErrorType.CONFLICT, f"A business has at most {policy.AGENTS} agents.")
            becomes_default = checked["isDefault"] or moment.default is None
            document = checked | {"isDefault": becomes_default, "createdAt": SERVER_TIME, "updatedAt": SERVER_TIME}
            return [Create(within.document("agents", agent_id), document), *_others(moment, agent_id, becomes_default)]

        await self._committed(business_id, write)
        return await self.one(business_id, agent_id)

    async def change(
        self, business_id: str, agent_id: str, edit: Callable[[JsonObject], Mapping[str, Any]]
    ) -> JsonObject:
        """Change an agent from its fields into what `edit` makes of them, and return it.

        An `isDefault` that `edit` leaves out stays as it is.

        Raises:
            NotFound: There is no such business or agent.
            NotValid: What `edit` makes of it cannot be kept, or would leave the business without a default agent.
        """
        rules = await self._rules(business_id)

        async def write(moment: _Moment, within: BusinessPaths) -> Sequence[Write]:
            document = moment.agents.get(agent_id)
            if document is None:
                raise _no_agent(agent_id)
            is_default = moment.default in (agent_id, None)
            current = {name: document.data[name] for name in FIELDS if name in document.data}
            wanted = {"isDefault": is_default, **edit(current)}
            checked = rules.read(wanted, document.data)
            if is_default and not checked["isDefault"]:
                raise NotValid([Problem("isDefault", "isDefault: make another agent the default one instead.")])
            change = Update(document.path, checked | {"updatedAt": SERVER_TIME})
            return [change, *_others(moment, agent_id, checked["isDefault"])]

        await self._committed(business_id, write)
        return await self.one(business_id, agent_id)

    async def remove(self, business_id: str, agent_id: str) -> None:
        """Remove an agent with its attachments and its secrets.

        Raises:
            NotFound: There is no such business or agent.
            ToolError: CONFLICT, it is the default one among several, or Vapi's mirror of it still has tools of ours,
                which must be detached first.
        """

        async def write(moment: _Moment, within: BusinessPaths) -> Sequence[Write]:
            document = moment.agents.get(agent_id)
            if document is None:
                # An earlier attempt may have ended before this.
                await self._secrets.forget_agent(business_id, agent_id)
                raise _no_agent(agent_id)
            if moment.default == agent_id and len(moment.agents) > 1:
                raise ToolError(ErrorType.CONFLICT, "This is the default agent; make another one the default first.")
            attached = await self._attached(business_id, agent_id)
            mirrored = [str(d.data.get("toolId")) for d in attached if d.data.get("isVapiAttached") is True]
            if mirrored or len(attached) > _MOST_ATTACHMENTS:
                named = ", ".join(mirrored[:20]) or f"{len(attached)} tools"
                raise ToolError(ErrorType.CONFLICT, f"Detach its tools first, so that Vapi forgets them too: {named}.")
            return [Delete(document.path, must_exist=True), *(Delete(row.path) for row in attached)]

        await self._committed(business_id, write)
        await self._secrets.forget_agent(business_id, agent_id)

    async def _committed(
        self, business_id: str, write: Callable[[_Moment, BusinessPaths], Awaitable[Sequence[Write]]]
    ) -> None:
        # One after the other here; the guard is for what other instances change meanwhile.
        async with self._one_at_a_time:
            await self._guarded(business_id, write)

    async def _guarded(
        self, business_id: str, write: Callable[[_Moment, BusinessPaths], Awaitable[Sequence[Write]]]
    ) -> None:
        within = self._paths.within(business_id)
        for _ in range(_ATTEMPTS):
            moment = await self._moment(business_id)
            writes = await write(moment, within)
            guard = Update(within.business, {"updatedAt": SERVER_TIME}, if_update_time=moment.business.update_time)
            try:
                await self._store.commit([*writes, guard])
            except (Stale, Missing, AlreadyExists):
                continue
            self._forget(business_id)
            return
        raise ToolError(ErrorType.TRANSIENT, "This business is being changed too quickly; save again in a moment.")

    async def _moment(self, business_id: str) -> _Moment:
        within = self._paths.within(business_id)
        # The business first: whatever changes its agents after this also changes it.
        business = await self._store.get(within.business)
        if business is None:
            raise NotFound("There is no such business.")
        found = await self._store.query(Query(within.collection("agents")))
        return _Moment(business, {document.id: document for document in sorted(found, key=lambda d: d.id)})

    async def _agent(self, business_id: str, agent_id: str) -> Document:
        found = (await self._moment(business_id)).agents.get(agent_id)
        if found is None:
            raise _no_agent(agent_id)
        return found

    async def _rules(self, business_id: str) -> AgentFields:
        own = await self._store.query(Query(self._paths.within(business_id).collection("tools")))
        names = {str(document.data.get("name")) for document in own}
        return AgentFields(self.toolkits, names | set(self._built_in()))

    async def _attachments(self, business_id: str, agent_id: str | None = None) -> Mapping[str, list[str]]:
        rows = await self._attached(business_id, agent_id)
        found: dict[str, list[str]] = {}
        for row in rows:
            found.setdefault(str(row.data.get("agentId")), []).append(str(row.data.get("toolId")))
        return found

    async def _attached(self, business_id: str, agent_id: str | None) -> Sequence[Document]:
        filters = (Filter("agentId", "==", agent_id),) if agent_id is not None else ()
        return await self._store.query(Query(self._paths.within(business_id).collection("agentTools"), filters))


def _others(moment: _Moment, agent_id: str, is_default: bool) -> list[Write]:
    """Return the writes that leave no other agent as the default one."""
    others = [d for id, d in moment.agents.items() if id != agent_id and d.data.get("isDefault") is True]
    return [Update(d.path, {"isDefault": False, "updatedAt": SERVER_TIME}) for d in others if is_default]


def _shown(document: Document, attached: Mapping[str, list[str]]) -> JsonObject:
    fields = {name: document.data.get(name) for name in FIELDS}
    return {"id": document.id, **fields, "attachedTools": sorted(attached.get(document.id, ()))}


def _id(given: Any, name: str) -> str:
    if given is None:
        made = re.sub(r"[^a-z0-9]+", "-", name.casefold()).strip("-")[:40]
        return made or f"agent-{secrets.token_hex(4)}"
    if not isinstance(given, str) or not AGENT_ID.fullmatch(given):
        raise NotValid([Problem("id", "id must be 1 to 63 small letters, digits, - and _, a letter or digit first.")])
    return given


def _no_agent(agent_id: str) -> NotFound:
    return NotFound(f"There is no agent {agent_id[:80]!r}.")
