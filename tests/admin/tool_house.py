"""Owners before the API of tenant tools: two businesses that share one account with Vapi, which is the stand-in."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import httpx2 as httpx
from starlette.routing import Mount

from stand_ins.vapi.account import KEY
from stand_ins.vapi.app import VapiStandIn
from switchboard.admin.access.access import Access, OwnerIdentity, Permit
from switchboard.admin.access.roles import Role
from switchboard.admin.api.endpoint import Endpoint
from switchboard.admin.api.serving import owners_app, routes
from switchboard.admin.tenant_tools.services import TenantToolServices, open_tool_room
from switchboard.admin.tenant_tools.store import ToolStore
from switchboard.admin.tenant_tools.trial import ToolTrials
from switchboard.admin.vapi.callback_key import CallbackKeys
from switchboard.admin.vapi.client import VapiMirrors
from switchboard.channels.http.answer import HANDLERS
from switchboard.channels.http.credentials import Credentials, Rejected
from switchboard.contract.business.business import Business
from switchboard.contract.ports import Store
from switchboard.contract.store import Query, Set, Update
from switchboard.conversation.claims.classifier import suggested_deed
from switchboard.integrations.egress.egress import SafeEgress
from switchboard.integrations.http_session import HttpSession
from switchboard.integrations.secrets.kms import LocalKeyKeeper
from switchboard.integrations.secrets.sealed_secrets import SealedSecrets
from switchboard.integrations.vapi.accounts import VapiAccounts
from tests.admin.owners_office import HOST, OTHER, OWN, SignIns, token
from tests.desk.calendar_house import Dies, Life, MortalStore
from tests.desk.front_desk import StoppedClock
from tests.pipeline.conftest import PATHS, Instance

PUBLIC_URL = "https://switchboard.example.com"
WITHIN = PATHS.within(OWN)
OWNER = Permit(OwnerIdentity("user:owner", "owner@example.com", {OWN: Role.OWNER}), OWN, Role.OWNER)
MODEL: dict[str, Any] = {
    "provider": "openai",
    "model": "gpt-4o",
    "toolIds": ["of-their-own"],
    "newerThanTheDocument": {"deep": [1, None, "ü"]},
}
LOOKUP: dict[str, Any] = {
    "type": "api_request",
    "label": "Order status",
    "description": "Look up an order for {{caller_phone_number}}.",
    "request": {"method": "GET", "url": "https://orders.example.com/orders/{{order}}"},
    "params": {
        "order": {"mode": "ai", "prompt": "The order's number"},
        "key": {"mode": "fixed", "value": "k-1"},
    },
}
AT_START: dict[str, Any] = {
    "type": "api_request",
    "label": "Who calls",
    "request": {"url": "https://crm.example.com/customers?phone={{caller_phone_number}}"},
    "executeOnCallStart": True,
    "attachToAgent": False,
}
NOTE: dict[str, Any] = {
    "type": "api_request",
    "label": "Note an order",
    "async": True,
    "request": {"method": "POST", "url": "https://orders.example.com/notes"},
    "params": {"text": {"mode": "ai", "prompt": "What to note"}},
}


class MortalPlatforms:
    """Accounts whose user dies just before or just after a change."""

    def __init__(self, inner: Any, life: Life) -> None:
        self._inner, self._life = inner, life

    async def of(self, business: Business) -> Any:
        """Return an account; looking is no step, changing is."""
        found = await self._inner.of(business)
        return MortalPlatform(found, self._life) if found is not None else None


class MortalPlatform:
    """One such account."""

    def __init__(self, inner: Any, life: Life) -> None:
        self._inner, self._life = inner, life

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._inner, name)
        return self._life.limiting(method) if name.startswith(("create", "update", "delete", "replace")) else method


class ToolHouse:
    """The API over a store, and the stand-in behind it."""

    def __init__(self, store: Store, stand_in: VapiStandIn, url: str) -> None:
        self.store, self.stand_in, self.url = store, stand_in, url
        self.clock, self.http, self.forgotten = StoppedClock(), HttpSession(), list[str]()
        self.secrets = SealedSecrets(store, PATHS, LocalKeyKeeper(b"k" * 32))
        self.office = Instance(store, self.clock)
        self.sent: list[Any] = []
        self.office.dispatcher.runner.desk = SimpleNamespace(api_requests=SimpleNamespace(send=self._send))
        self.room = self.room_over()
        access = Access(Credentials(store, PATHS, self.clock).recognise, Rejected, SignIns())
        app = owners_app([Mount("/api", routes=routes(self.endpoints, access))], HANDLERS)
        self.browser = httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url=HOST)

    def room_over(self, life: Life | None = None, public_url: str | None = PUBLIC_URL) -> TenantToolServices:
        """Return the operations; with a life, in a process that ends."""
        store: Any = MortalStore(self.store, life) if life else self.store
        accounts = VapiAccounts(self.http, self.secrets, self.url)
        platforms: Any = MortalPlatforms(accounts, life) if life else accounts
        mirrors = VapiMirrors(platforms, CallbackKeys(self.store, PATHS, self.secrets), public_url)
        tools = ToolStore(store, PATHS, self.clock)
        return open_tool_room(tools, mirrors, self.secrets, lambda: ["look", "act"], self._forget, SafeEgress().problem)

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """Every endpoint."""
        tools = ToolStore(self.store, PATHS, self.clock)
        trials = ToolTrials(tools, lambda: self.office.dispatcher, self._forget)
        return self.room.endpoints(trials, suggested_deed)

    async def open(self) -> "ToolHouse":
        """Enter two businesses with an account at Vapi, and the salon's agents, of whom Cy is not mirrored."""
        for id in (OWN, OTHER):
            business = {"name": id, "timezone": "America/New_York", "integrations": {"vapi": {"isConnected": True}}}
            await self.store.commit([Set(PATHS.within(id).business, business)])
            await self.secrets.keep(id, "vapi", "apiKey", KEY)
        self.ada, self.bob = self.assistant(), self.assistant()
        for id, assistant in (("ada", self.ada), ("bob", self.bob), ("cy", None)):
            agent = {"name": id.capitalize(), "isDefault": id == "ada", "vapiAssistantId": assistant}
            await self.store.commit([Set(WITHIN.document("agents", id), agent)])
        return self

    async def close(self) -> None:
        await self.browser.aclose()
        await self.http.close()

    def assistant(self, **model: Any) -> str:
        """Return an assistant that the owner made at Vapi."""
        made = self.stand_in.account.create_assistant({"name": "Reception", "model": {**MODEL, **model}})
        return str(made["id"])

    def model(self, assistant_id: str) -> dict[str, Any]:
        """Return an assistant's model."""
        found: dict[str, Any] = self.stand_in.account.assistants[assistant_id]["model"]
        return found

    def fault(self, mode: str, method: str = "*", **more: Any) -> None:
        """Let the next request go wrong."""
        self.stand_in.faults.set({"mode": mode, "method": method, **more})

    @property
    def theirs(self) -> dict[str, dict[str, Any]]:
        """The tools that Vapi has."""
        return self.stand_in.account.tools

    def asked(self, method: str) -> list[dict[str, Any]]:
        """Return what was asked of Vapi."""
        return [line for line in self.stand_in.faults.journal if line["method"] == method]

    async def ask(self, method: str, path: str, body: Any = None, by: str = "owner", **headers: str) -> httpx.Response:
        """Send a request below `/api/`; the salon's where the path begins with no slash."""
        url = f"/api{path}" if path.startswith("/") else f"/api/{OWN}/{path}"
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return await self.browser.request(method, url, json=body, headers={**token(by), **named})

    async def done(self, method: str, path: str, body: Any = None, **headers: str) -> dict[str, Any]:
        """Send a request that succeeds, and return its answer."""
        answer = await self.ask(method, path, body, **headers)
        assert answer.status_code in (200, 201), answer.text
        found: dict[str, Any] = answer.json()
        return found

    async def refused(self, method: str, path: str, body: Any, status: int, **headers: str) -> dict[str, Any]:
        """Send a request that is refused, and return the error."""
        answer = await self.ask(method, path, body, **headers)
        assert answer.status_code == status, answer.text
        found: dict[str, Any] = answer.json()["error"]
        return found

    async def make(self, config: dict[str, Any] = LOOKUP, **changes: Any) -> dict[str, Any]:
        """Make a tool and return it."""
        found: dict[str, Any] = (await self.done("POST", "tools", {**config, **changes}))["tool"]
        return found

    async def attach(self, tool: dict[str, Any], agent: str = "ada") -> dict[str, Any]:
        """Attach a tool and return the attachment."""
        found: dict[str, Any] = await self.done("POST", f"agents/{agent}/tools/attach", {"toolId": tool["id"]})
        return found["attachment"]  # type: ignore[no-any-return]

    async def stored(self, collection: Any = "tools", business_id: str = OWN) -> dict[str, dict[str, Any]]:
        """Return what is stored, by id."""
        found = await self.store.query(Query(PATHS.within(business_id).collection(collection)))
        return {document.id: document.data for document in found}

    async def set_up(self, **settings: Any) -> None:
        """Change what the salon has set for Vapi."""
        fields = {f"integrations.vapi.{name}": value for name, value in settings.items()}
        await self.store.commit([Update(WITHIN.business, fields)])

    async def dies_after(self, steps: int, deed: Callable[[TenantToolServices], Awaitable[Any]]) -> Life:
        """Do something in a process that ends after so many steps."""
        life = Life(steps)
        with suppress(Dies):
            await deed(self.room_over(life))
        return life

    def _forget(self, business_id: str) -> None:
        self.forgotten.append(business_id)
        self.office.catalog.forget(business_id)

    async def _send(self, ctx: Any, bound: Any) -> Any:
        self.sent.append(bound)
        return SimpleNamespace(
            status=200, result={"state": "shipped"}, is_cut=False, is_empty=False, problem="", state=""
        )
