"""What one agent sets for a toolkit of its own: whether it may use it, and settings and secrets over the business's."""

from collections.abc import Mapping
from typing import Any

from switchboard.admin.agents import Agents
from switchboard.admin.refusal import NotValid, Problem
from switchboard.admin.toolkit_state import Change, secrets_to_json
from switchboard.admin.toolkits import SecretKeeper, keep_secrets
from switchboard.catalog.toolkit import Toolkit
from switchboard.contract.json import JsonObject


class AgentToolkits:
    """The owners' operations. What the store raises passes through."""

    def __init__(self, agents: Agents, secrets: SecretKeeper) -> None:
        """Keep settings with the agents, and secrets in `secrets`."""
        self._agents, self._secrets = agents, secrets

    async def one(self, business_id: str, agent_id: str, toolkit: Toolkit) -> JsonObject:
        """Return `{name, agentId, enabled, config, sensitiveConfig}`; of secrets only whether and since when.

        Raises:
            NotFound: There is no such business or agent.
        """
        return await self._shown(business_id, agent_id, toolkit, await self._agents.one(business_id, agent_id))

    async def change(
        self, business_id: str, agent_id: str, toolkit: Toolkit, change: Change, enabled: Any = None
    ) -> JsonObject:
        """Change what an agent sets for a toolkit, and return it as it then is; None leaves a part as it is.

        Raises:
            NotFound: There is no such business or agent.
            NotValid: Something is wrong with what was given; nothing was changed.
        """
        if not isinstance(enabled, bool | None):
            raise NotValid([Problem("enabled", "enabled must be true or false.")])
        change.checked(toolkit, is_partial=True)
        # Looked up first: a secret must not be kept for an agent that is not there.
        await self._agents.one(business_id, agent_id)
        await keep_secrets(self._secrets, business_id, toolkit, change.sensitive, agent_id)

        def edit(fields: JsonObject) -> JsonObject:
            rows = dict(fields.get("toolkits") or {})
            row = dict(rows.get(toolkit.integration) or {})
            row |= {} if change.config is None else {"config": change.config}
            row |= {} if enabled is None else {"enabled": enabled}
            return fields | {"toolkits": rows | {toolkit.integration: row}}

        return await self._shown(business_id, agent_id, toolkit, await self._agents.change(business_id, agent_id, edit))

    async def remove(self, business_id: str, agent_id: str, toolkit: Toolkit) -> None:
        """Let an agent use a toolkit as the business has set it up, with no settings and secrets of its own.

        Raises:
            NotFound: There is no such business or agent.
        """

        def edit(fields: JsonObject) -> JsonObject:
            rows = {name: row for name, row in (fields.get("toolkits") or {}).items() if name != toolkit.integration}
            return fields | {"toolkits": rows}

        await self._agents.change(business_id, agent_id, edit)
        await self._secrets.forget(business_id, toolkit.name, agent_id=agent_id)

    async def _shown(self, business_id: str, agent_id: str, toolkit: Toolkit, agent: Mapping[str, Any]) -> JsonObject:
        row = (agent["toolkits"] or {}).get(toolkit.integration) or {}
        since = await self._secrets.kept_since(business_id, toolkit.name, agent_id=agent_id)
        return {
            "name": toolkit.name,
            "agentId": agent_id,
            "enabled": row.get("enabled") is not False,
            "config": row.get("config") or {},
            "sensitiveConfig": secrets_to_json(toolkit, since),
        }
