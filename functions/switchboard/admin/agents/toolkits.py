"""What one agent sets for a toolkit of its own: whether it may use it, and settings and secrets over the business's."""

from collections.abc import Callable, Mapping
from datetime import datetime

from switchboard.admin.access.access import Permit
from switchboard.admin.access.roles import Operation
from switchboard.admin.agents.fields import settings
from switchboard.admin.agents.store import AgentsSnapshot, AgentStore, Plan
from switchboard.admin.audit.document_kind import DocumentKind, revision_of
from switchboard.admin.audit.revisions import Saved, require, stamps
from switchboard.admin.documents.difference import canonical
from switchboard.admin.toolkits.state import ToolkitChange, secrets_to_json, stale, told, wanted
from switchboard.admin.toolkits.toolkits import SecretKeeper
from switchboard.catalog.tenant_tools.toolkit import Toolkit
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import BusinessPaths
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Update, Write

AGENT_TOOLKIT = DocumentKind(
    "agentToolkit", Operation.CONNECT, lambda paths, id: paths.document("agents", id), lambda after, before: ()
)
"""Its documents are named `{agentId}~{toolkit}`."""


@dataclass(frozen=True, slots=True)
class OwnToolkit:
    """What an agent sets for a toolkit; `row` is None where it sets nothing but, at most, secrets."""

    row: JsonObject | None
    since: Mapping[str, datetime]

    @property
    def is_enabled(self) -> bool:
        """Whether the agent may use the toolkit."""
        return (self.row or {}).get("enabled") is not False

    @property
    def config(self) -> JsonObject:
        """Its settings over the business's."""
        return dict((self.row or {}).get("config") or {})

    @property
    def view(self) -> JsonObject:
        """The owner's part: of secrets since when they are kept."""
        return {"enabled": self.is_enabled, "config": self.config, "sensitiveConfig": dict(self.since)}

    @property
    def revision(self) -> str:
        """Changes with the owner's part, and only with that."""
        return revision_of(self.view)


class AgentToolkits:
    """The owners' operations. What the store raises passes through."""

    def __init__(self, store: AgentStore, secrets: SecretKeeper) -> None:
        """Keep settings with the agents, and secrets in `secrets`."""
        self._store, self._secrets = store, secrets

    async def own(self, business_id: str, agent_id: str, toolkit: Toolkit) -> OwnToolkit:
        """Return what an agent sets for a toolkit.

        Raises:
            NotFound: There is no such business or agent.
        """
        return await self._own(await self._store.moment(business_id), business_id, agent_id, toolkit)

    async def one(self, business_id: str, agent_id: str, toolkit: Toolkit) -> JsonObject:
        """Return `{name, agentId, enabled, config, sensitiveConfig, revision}`; of secrets only since when.

        Raises:
            NotFound: There is no such business or agent.
        """
        own = await self.own(business_id, agent_id, toolkit)
        secrets = secrets_to_json(toolkit, own.since)
        shown: JsonObject = {"enabled": own.is_enabled, "config": own.config, "sensitiveConfig": secrets}
        return {"name": toolkit.name, "agentId": agent_id, **shown, "revision": own.revision}

    async def change(
        self,
        permit: Permit,
        agent_id: str,
        toolkit: Toolkit,
        based_on: str | None,
        change: ToolkitChange,
        enabled: bool | None = None,
        *,
        undoes: str | None = None,
    ) -> tuple[JsonObject, Saved]:
        """Change what an agent sets for a toolkit, and return it as it then is; None leaves a part as it is.

        Raises:
            RevisionMissing, OutOfDate: See `Revisions.change`.
            NotFound: There is no such business or agent.
            NotValid: Something is wrong with what was given; nothing was changed.
        """
        change = change.spelled(toolkit)

        def after(own: OwnToolkit) -> tuple[JsonObject | None, Mapping[str, str | None]]:
            if own.revision != based_on:
                yours = {"enabled": own.is_enabled if enabled is None else enabled}
                raise stale(own.revision, own.view, yours | wanted(own.config, own.since, change))
            change.checked(toolkit, is_partial=True)
            row = {
                "enabled": own.is_enabled if enabled is None else enabled,
                "config": own.config if change.config is None else change.config,
            }
            return row, change.effective(own.since)

        return await self._saved(permit, agent_id, toolkit, based_on, after, undoes)

    async def remove(self, permit: Permit, agent_id: str, toolkit: Toolkit, based_on: str | None) -> Saved:
        """Let an agent use a toolkit as the business has set it up, with no settings and secrets of its own.

        Raises:
            RevisionMissing, OutOfDate: See `Revisions.delete`.
            NotFound: There is no such business or agent.
        """

        def after(own: OwnToolkit) -> tuple[JsonObject | None, Mapping[str, str | None]]:
            if own.revision != based_on:
                raise stale(own.revision, own.view, None)
            return None, dict.fromkeys(own.since)

        return (await self._saved(permit, agent_id, toolkit, based_on, after, None))[1]

    async def _saved(
        self,
        permit: Permit,
        agent_id: str,
        toolkit: Toolkit,
        based_on: str | None,
        after: Callable[[OwnToolkit], tuple[JsonObject | None, Mapping[str, str | None]]],
        undoes: str | None,
    ) -> tuple[JsonObject, Saved]:
        require(based_on)
        business_id = permit.business_id

        async def plan(moment: AgentsSnapshot, within: BusinessPaths) -> Plan | None:
            own = await self._own(moment, business_id, agent_id, toolkit)
            row, secrets = after(own)
            then = OwnToolkit(row, {})
            before, now = told((own.config, then.config), own.since, secrets)
            before, now = before | {"enabled": own.is_enabled}, now | {"enabled": then.is_enabled}
            if canonical(before) == canonical(now):
                return None
            document = moment.agent(agent_id)
            others = {n: r for n, r in settings(document.data.get("toolkits")).items() if n != toolkit.integration}
            rows = others | ({toolkit.integration: row} if row is not None else {})
            writes: list[Write] = [Update(document.path, {"toolkits": rows} | stamps(permit))]
            if row is None and own.since:
                writes.append(self._secrets.to_forget(business_id, toolkit.name, agent_id=agent_id))
            elif secrets:
                writes.append(await self._secrets.to_write(business_id, toolkit.name, secrets, agent_id=agent_id))
            id = f"{agent_id}~{toolkit.name}"
            return Plan(self._store.trail.entry(permit, AGENT_TOOLKIT, id, before, now, undoes), writes)

        entry_id = await self._store.commit(business_id, plan)
        shown = await self.one(business_id, agent_id, toolkit)
        return shown, Saved(None, shown["revision"], entry_id)

    async def _own(self, moment: AgentsSnapshot, business_id: str, agent_id: str, toolkit: Toolkit) -> OwnToolkit:
        rows = settings(moment.agent(agent_id).data.get("toolkits"))
        kept = await self._secrets.kept_since(business_id, toolkit.name, agent_id=agent_id)
        since = {name: at for name, at in kept.items() if name in toolkit.sensitive}
        return OwnToolkit(rows.get(toolkit.integration), since)
