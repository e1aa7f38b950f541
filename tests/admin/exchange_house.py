"""Owners who take tools in and out, over a store in memory: two businesses without an account at Vapi."""

from dataclasses import dataclass, field
from typing import Any

import httpx2 as httpx
from starlette.routing import Mount

from switchboard.admin.access.access import Access
from switchboard.admin.agents.agents import Agents
from switchboard.admin.agents.store import AgentStore
from switchboard.admin.api.serving import owners_app, routes
from switchboard.admin.audit.trail import AuditTrail
from switchboard.admin.importers.bundle_import import BundleImport
from switchboard.admin.importers.exporting import Exporting
from switchboard.admin.importers.importing import Importing
from switchboard.admin.importers.routes import ToolExchangeEndpoints
from switchboard.admin.tenant_tools.services import TenantToolServices, open_tool_room
from switchboard.admin.tenant_tools.store import ToolStore
from switchboard.admin.vapi.callback_key import CallbackKeys
from switchboard.admin.vapi.client import VapiMirrors
from switchboard.channels.http.answer import HANDLERS
from switchboard.channels.http.credentials import Credentials, Rejected
from switchboard.contract.business.business import Business
from switchboard.contract.ports import Store
from switchboard.contract.store import Query, Set
from switchboard.integrations.secrets.kms import LocalKeyKeeper
from switchboard.integrations.secrets.sealed_secrets import SealedSecrets
from tests.admin.office import TOOLKITS
from tests.admin.owners_office import HOST, OTHER, OWN, SignIns, token
from tests.desk.front_desk import StoppedClock
from tests.pipeline.conftest import PATHS

BUILT_IN = ["look", "act"]


class NoPlatforms:
    """Nobody has an account with a voice platform."""

    async def of(self, business: Business) -> None:
        """Return none."""


@dataclass
class ExchangeHouse:
    """The endpoints over a store."""

    store: Store
    room: TenantToolServices
    agents: Agents
    endpoints: ToolExchangeEndpoints
    browser: httpx.AsyncClient
    forgotten: list[str] = field(default_factory=list)

    async def ask(self, method: str, path: str, body: Any = None, *, by: str = "owner", of: str = OWN) -> Any:
        """Send a request about a business's tools."""
        url = f"/admin/businesses/{of}/tools/{path}"
        return await self.browser.request(method, url, json=body, headers=token(by))

    async def done(self, method: str, path: str, body: Any = None, **whose: str) -> Any:
        """Send a request that succeeds, and return its answer."""
        answer = await self.ask(method, path, body, **whose)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def refused(self, method: str, path: str, body: Any, status: int, **whose: str) -> Any:
        """Send a request that is refused, and return the error."""
        answer = await self.ask(method, path, body, **whose)
        assert answer.status_code == status, answer.text
        return answer.json()["error"]

    async def stored(self, collection: Any = "tools", business_id: str = OWN) -> dict[str, dict[str, Any]]:
        """Return what is stored, by id."""
        found = await self.store.query(Query(PATHS.within(business_id).collection(collection)))
        return {document.id: document.data for document in found}


async def open_house(store: Store) -> ExchangeHouse:
    """Return a house with two businesses."""
    for id in (OWN, OTHER):
        business = {"name": id, "timezone": "America/New_York", "integrations": {}}
        await store.commit([Set(PATHS.within(id).business, business)])
    clock, forgotten = StoppedClock(), list[str]()
    secrets = SealedSecrets(store, PATHS, LocalKeyKeeper(b"k" * 32))
    platforms: Any = NoPlatforms()
    mirrors = VapiMirrors(platforms, CallbackKeys(store, PATHS, secrets), None)
    tools = ToolStore(store, PATHS, clock)
    room = open_tool_room(tools, mirrors, secrets, lambda: BUILT_IN, forgotten.append, lambda url: None)
    agents = Agents(
        AgentStore(store, PATHS, AuditTrail(store, PATHS, clock), forgotten.append), secrets, TOOLKITS, lambda: BUILT_IN
    )
    endpoints = ToolExchangeEndpoints(
        Importing(room.tools, lambda: BUILT_IN),
        BundleImport(room.tools, agents, room.attachments, lambda: BUILT_IN),
        Exporting(room.tools, agents, "https://switchboard.example.com"),
    )
    access = Access(Credentials(store, PATHS, clock).recognise, Rejected, SignIns())
    app = owners_app([Mount("/admin", routes=routes(endpoints.endpoints, access))], HANDLERS)
    browser = httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url=HOST)
    return ExchangeHouse(store, room, agents, endpoints, browser, forgotten)
