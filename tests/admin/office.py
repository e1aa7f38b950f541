"""Owners in front of the routes of their set-up: toolkits and agents of two businesses."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2 as httpx
from starlette.applications import Starlette
from starlette.requests import Request

import switchboard.integrations
import switchboard.tools
from switchboard.admin import agent_routes, toolkit_routes
from switchboard.admin.agent_toolkits import AgentToolkits
from switchboard.admin.agents import Agents
from switchboard.admin.toolkits import Probe, ToolkitSettings, Withdraw
from switchboard.catalog.toolkits import Toolkits
from switchboard.channels.answer import HANDLERS, refusal
from switchboard.channels.credentials import Rejected
from switchboard.contract.definition import read_definition
from switchboard.contract.ports import Store
from switchboard.contract.store import Query, Set
from switchboard.integrations.key_keepers import LocalKeyKeeper
from switchboard.integrations.secrets import SealedSecrets
from switchboard.state.paths import FirestorePaths

PATHS = FirestorePaths()
SALON, OTHER = "demo-salon", "demo-plumber"
CANARY = "canary-7f3a91"
TOOLKITS = Toolkits.load(Path(switchboard.integrations.__path__[0]))
DEFINITIONS = {
    path.parent.name: read_definition(path.parent.name, json.loads(path.read_text()))
    for path in Path(switchboard.tools.__path__[0]).glob("*/schema.json")
}


async def owners(request: Request, business_id: str | None) -> str:
    """Let in whoever's key is the name of their business."""
    name = request.headers.get("authorization", "").removeprefix("Bearer ")
    if not name:
        raise Rejected(401, "Send your business's API key.")
    if business_id not in (None, name):
        raise Rejected(403, "You may not do this for this business.")
    return name


async def connecting(request: Request, business_id: str | None) -> str:
    """Let in whoever may connect toolkits, too: an owner who is not only an editor at the moment."""
    if request.headers.get("x-role") == "editor":
        raise Rejected(403, "You may not do this for this business.")
    return await owners(request, business_id)


@dataclass
class Office:
    """One owner's requests, and what they leave in the store."""

    store: Store
    secrets: SealedSecrets
    agents: Agents
    client: httpx.AsyncClient
    forgotten: list[str] = field(default_factory=list)

    async def ask(
        self, method: str, path: str, body: Any = None, *, by: str = SALON, of: str = SALON, role: str = "owner"
    ) -> httpx.Response:
        """Send a request below a business's own path."""
        content = None if body is None else json.dumps(body)
        headers = {"Authorization": f"Bearer {by}", "X-Role": role}
        return await self.client.request(method, f"/businesses/{of}/{path}", content=content, headers=headers)

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


@asynccontextmanager
async def opened(
    store: Store, probes: dict[str, Probe] | None = None, withdrawals: dict[str, Withdraw] | None = None
) -> AsyncIterator[Office]:
    """Open the office over a store, with two businesses in it."""
    for id in (SALON, OTHER):
        await store.commit([Set(PATHS.within(id).business, {"name": id, "integrations": {}})])
    secrets, forgotten = SealedSecrets(store, PATHS, LocalKeyKeeper(b"k" * 32)), list[str]()
    settings = ToolkitSettings(store, PATHS, secrets, TOOLKITS, forgotten.append, probes, withdrawals)
    agents = Agents(store, PATHS, secrets, TOOLKITS, lambda: DEFINITIONS.keys(), forgotten.append)
    routes = [
        *toolkit_routes.routes(settings, lambda: DEFINITIONS, owners, refusal),
        *agent_routes.routes(agents, AgentToolkits(agents, secrets), settings, owners, connecting, refusal),
    ]
    app = Starlette(routes=routes, exception_handlers=HANDLERS)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://test") as client:
        yield Office(store, secrets, agents, client, forgotten)
