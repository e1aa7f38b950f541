"""Owners in front of the routes of their set-up: toolkits and agents of two businesses."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2 as httpx
from starlette.requests import Request

import switchboard.integrations
import switchboard.tools
from switchboard.admin.access.access import FORBIDDEN, OwnerIdentity, Permit
from switchboard.admin.access.roles import Operation, Role
from switchboard.admin.agents.agents import Agents
from switchboard.admin.agents.routes import agent_endpoints
from switchboard.admin.agents.store import AgentStore
from switchboard.admin.agents.toolkits import AgentToolkits
from switchboard.admin.agents.trial_numbers import AgentTrialNumbers
from switchboard.admin.agents.trial_routes import AgentTrialEndpoints
from switchboard.admin.agents.trials import AgentTrials
from switchboard.admin.api.serving import owners_app, routes
from switchboard.admin.audit.trail import AuditTrail
from switchboard.admin.businesses.number_conflicts import NumberConflicts
from switchboard.admin.credentials.key_routes import KeyEndpoints
from switchboard.admin.credentials.operations import OwnersKeys
from switchboard.admin.toolkits.routes import ToolkitEndpoints
from switchboard.admin.toolkits.toolkits import Probe, ToolkitSettings, Withdraw
from switchboard.catalog.tenant_tools.toolkits import Toolkits
from switchboard.channels.http.answer import HANDLERS
from switchboard.channels.http.credentials import Rejected
from switchboard.contract.definitions.definition import read_definition
from switchboard.contract.ports import Store
from switchboard.contract.store import Query, Set
from switchboard.integrations.secrets.kms import LocalKeyKeeper
from switchboard.integrations.secrets.sealed_secrets import SealedSecrets
from switchboard.state.paths import FirestorePaths
from tests.desk.front_desk import StoppedClock

PATHS = FirestorePaths()
SALON, OTHER = "demo-salon", "demo-plumber"
CANARY = "canary-7f3a91"
MODELS = ("rehearsal", "openai:gpt-5-mini", "anthropic:claude-x")
TOOLKITS = Toolkits.load(Path(switchboard.integrations.__path__[0]))
DEFINITIONS = {
    path.parent.name: read_definition(path.parent.name, json.loads(path.read_text()))
    for path in Path(switchboard.tools.__path__[0]).glob("*/schema.json")
}


class Owners:
    """Let in whoever's key is the name of their business, in the role that they say."""

    async def authorise(self, request: Request, business_id: str, operation: Operation) -> Permit:
        """Return the permit."""
        name, role = request.headers.get("authorization", "").removeprefix("Bearer "), request.headers.get("x-role")
        if not name:
            raise Rejected(401, "Send your business's API key.")
        permit = Permit(OwnerIdentity("key", name), business_id, Role(role or "owner"))
        if business_id != name or not permit.may(operation):
            raise Rejected(403, FORBIDDEN)
        return permit


@dataclass
class Office:
    """One owner's requests, and what they leave in the store."""

    store: Store
    secrets: SealedSecrets
    agents: Agents
    client: httpx.AsyncClient
    clock: StoppedClock
    forgotten: list[str] = field(default_factory=list)

    async def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        by: str = SALON,
        of: str = SALON,
        role: str = "owner",
        revision: str | None = None,
    ) -> httpx.Response:
        """Send a request below a business's own path; a change is based on what is there now unless said otherwise."""
        content = None if body is None else json.dumps(body)
        headers = {"Authorization": f"Bearer {by}", "X-Role": role}
        url = f"/businesses/{of}/{path}"
        self.clock.wait(1)
        if method in ("PUT", "PATCH", "DELETE"):
            now = (await self.client.get(url, headers=headers)).headers.get("etag") if revision is None else revision
            headers["If-Match"] = now or "unread"
        return await self.client.request(method, url, content=content, headers=headers)

    async def revision(self, path: str) -> str:
        """Return the revision of something."""
        found: str = (await self.done("GET", path))["revision"]
        return found

    async def audit(self) -> list[dict[str, Any]]:
        """Return what was changed at the salon, the oldest first, as it is stored."""
        found = await self.store.query(Query(PATHS.within(SALON).collection("audit")))
        return [{"id": document.id, **document.data} for document in found]

    async def done(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        """Send a request that succeeds, and return its answer."""
        answer = await self.ask(method, path, body)
        assert answer.status_code in (200, 201), answer.text
        found: dict[str, Any] = answer.json()
        return found

    async def refused(self, method: str, path: str, body: Any, status: int) -> dict[str, Any]:
        """Send a request that is refused, and return the error."""
        answer = await self.ask(method, path, body)
        assert answer.status_code == status, answer.text
        found: dict[str, Any] = answer.json()["error"]
        return found

    async def business(self) -> dict[str, Any]:
        """Return the salon's document."""
        found = await self.store.get(PATHS.within(SALON).business)
        assert found is not None
        return found.data

    async def everything(self) -> str:
        """Return all that stands in the store below the salon, as text."""
        within = PATHS.within(SALON)
        found = [await self.business()]
        for name in ("secrets", "agents", "agentTools", "audit"):
            found += [d.data for d in await self.store.query(Query(within.collection(name)))]  # type: ignore[arg-type]
        return repr(found)


def numbers_of(store: Store) -> NumberConflicts:
    """Return what knows whose a phone number is, over a store."""
    return NumberConflicts(store, PATHS, SealedSecrets(store, PATHS, LocalKeyKeeper(b"k" * 32)))


@asynccontextmanager
async def opened(
    store: Store,
    probes: dict[str, Probe] | None = None,
    withdrawals: dict[str, Withdraw] | None = None,
    issuer: str | None = None,
) -> AsyncIterator[Office]:
    """Open the office over a store, with two businesses in it."""
    for id in (SALON, OTHER):
        await store.commit([Set(PATHS.within(id).business, {"name": id, "timezone": "UTC", "integrations": {}})])
    clock, secrets, forgotten = StoppedClock(), SealedSecrets(store, PATHS, LocalKeyKeeper(b"k" * 32)), list[str]()
    trail = AuditTrail(store, PATHS, clock)
    settings = ToolkitSettings(store, PATHS, trail, secrets, TOOLKITS, forgotten.append, probes, withdrawals)
    agent_store = AgentStore(store, PATHS, trail, forgotten.append)
    agents = Agents(agent_store, secrets, TOOLKITS, lambda: DEFINITIONS.keys(), MODELS)
    keys = OwnersKeys(store, PATHS, trail, clock, issuer)
    endpoints = (
        *ToolkitEndpoints(settings, lambda: DEFINITIONS).endpoints,
        *agent_endpoints(agents, AgentToolkits(agent_store, secrets), settings),
        *AgentTrialEndpoints(AgentTrials(agents, AgentTrialNumbers(store, PATHS, clock))).endpoints,
        *KeyEndpoints(keys).endpoints,
    )
    app = owners_app(routes(endpoints, Owners()), HANDLERS)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://test") as client:
        yield Office(store, secrets, agents, client, clock, forgotten)
