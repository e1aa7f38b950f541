"""A house with nothing but what Vapi asks of it; Vapi itself is the stand-in, on a port of this machine."""

import base64
import hmac
import json
from typing import Any

import httpx2 as httpx
from starlette.applications import Starlette
from starlette.routing import Mount
from twilio.request_validator import RequestValidator

from stand_ins.vapi.app import VapiStandIn
from stand_ins.vapi.asking import call_in, message_of
from stand_ins.vapi.document import problems
from switchboard.admin.credentials import api_keys
from switchboard.catalog.definitions.registry import Registry
from switchboard.channels.call_start import CallStart
from switchboard.channels.http.answer import HANDLERS
from switchboard.channels.http.credentials import Credentials
from switchboard.channels.http.idempotency import Deliveries, Redeliveries
from switchboard.channels.phone.call_transfers import CallTransfers
from switchboard.channels.phone.phone_numbers import NO_SAFE_NUMBERS, Lines, SafeNumbers
from switchboard.channels.phone.webhook import WebhookAuth
from switchboard.channels.vapi.callbacks import CallbackParts, Callbacks, ToolNames
from switchboard.channels.vapi.incoming import Controls, Incoming, IncomingParts
from switchboard.channels.vapi.request import RequestProofs
from switchboard.channels.vapi.routes import VapiParts, routes
from switchboard.channels.vapi.server_messages import AssistantParts, AssistantRequests, TransferRequests
from switchboard.contract.store import Set
from switchboard.desk.callers.callers import Callers
from switchboard.desk.callers.moderation import CallerScreening, Moderation
from switchboard.desk.contact.phone import caller_number
from switchboard.integrations.http_session import HttpSession
from switchboard.integrations.vapi.accounts import VapiAccounts
from switchboard.pipeline.confirmation.approvals import Approvals
from tests.channels.vapi import planted
from tests.desk.front_desk import StoppedClock, WatchedStore
from tests.integrations.twilio_account import MemorySecrets
from tests.pipeline.conftest import PATHS, Instance

BUSINESS, RIVAL = "demo-salon", "demo-plumber"
NUMBER, RIVALS_NUMBER, CALLER = "+15185550100", "+15185550200", "+15185550171"
KEY, READER, RIVALS_KEY, SECRET, TOKEN = "sb_salon", "sb_reader", "sb_plumber", "callback-secret", "12345"
NUMBER_ID, LINE_ID = "0b0b0b0b-0000-4000-8000-000000000001", "front-desk"
PUBLIC_URL = "https://switchboard.example.com"
WITHIN = PATHS.within(BUSINESS)
VARIABLES = {
    "call.id": "11111111-0000-4000-8000-000000000001",
    "customer.number": CALLER,
    "phoneNumber.number": NUMBER,
    "transport.callSid": "CA1",
    "assistant.id": "assistant-1",
}


def business(number: str, **changes: Any) -> dict[str, Any]:
    """Return a business that is connected to Vapi and to the phone."""
    rows = [{"id": LINE_ID, "number": number, "vapiPhoneNumberId": NUMBER_ID}]
    return {
        "name": "Salon",
        "twilioNumber": number,
        "ai": {"language": "en", "callerVerification": "none"},
        "escalation": {"safeNumber": "+15185550143"},
        "integrations": {
            "vapi": {"isConnected": True},
            "twilio": {"isConnected": True, "phoneNumbers": rows},
        },
    } | changes


def secrets(vapi_key: str) -> MemorySecrets:
    """Return what both businesses keep secret."""
    kept = {}
    for id, token, secret in ((BUSINESS, TOKEN, SECRET), (RIVAL, "54321", "rivals-secret")):
        kept |= {(id, "twilio", "authToken"): token, (id, "vapi", "callbackSecret"): secret}
        kept[id, "vapi", "apiKey"] = vapi_key
    return MemorySecrets(kept)


class House:
    """One instance, and the stand-in that it talks to; `registry` are the tools that are built in."""

    def __init__(
        self,
        store: WatchedStore,
        stand_in: VapiStandIn,
        url: str,
        key: str,
        registry: Registry | None = None,
        safe_numbers: SafeNumbers = NO_SAFE_NUMBERS,
    ) -> None:
        self.store, self.stand_in, self.clock = store, stand_in, StoppedClock()
        self.office = Instance(store, self.clock, registry or planted.registry())
        self.http = HttpSession()
        self.secrets = secrets(key)
        clock, catalog = self.clock, self.office.catalog
        callers = Callers(store)
        reception = CallerScreening(Moderation(store, callers))
        start = CallStart(catalog, lambda: self.office.dispatcher)
        accounts = VapiAccounts(self.http, self.secrets, url)
        deliveries = Deliveries(store, clock)
        lines = Lines(store, PATHS, self.secrets, clock)
        callbacks = CallbackParts(
            catalog,
            lambda: self.office.dispatcher,
            Approvals(store, PATHS),
            deliveries,
            Redeliveries(store, PATHS, clock),
            ToolNames(catalog, store, PATHS),
            PATHS,
            clock,
            caller_number,
        )
        transfers = CallTransfers(catalog, lambda: self.office.dispatcher)
        incoming = IncomingParts(
            WebhookAuth(lines, PUBLIC_URL, "api", safe_numbers),
            PATHS,
            catalog,
            accounts,
            start,
            Controls(store, PATHS, clock),
            deliveries,
            reception,
            transfers,
            clock,
        )
        parts = VapiParts(
            RequestProofs(Credentials(store, PATHS, clock), self.secrets, store, PATHS, clock),
            Callbacks(callbacks),
            Incoming(incoming),
            AssistantRequests(
                AssistantParts(PATHS, catalog, accounts, start, reception, transfers, clock, safe_numbers)
            ),
            TransferRequests(callbacks, transfers),
        )
        app = Starlette(routes=[Mount("/api", routes=routes(parts))], exception_handlers=HANDLERS)
        transport = httpx.ASGITransport(app=app)
        self.client = httpx.AsyncClient(transport=transport, base_url="http://test")

    async def open(self) -> "House":
        """Enter both businesses and their keys."""
        await self.store.inner.commit(
            [
                Set(WITHIN.business, business(NUMBER)),
                Set(PATHS.within(RIVAL).business, business(RIVALS_NUMBER)),
                Set(WITHIN.document("agents", "echo"), agent()),
            ]
        )
        for id, text, scopes in (
            (BUSINESS, KEY, ("tools:read", "tools:execute")),
            (BUSINESS, READER, ("tools:read",)),
            (RIVAL, RIVALS_KEY, ("tools:read", "tools:execute")),
        ):
            await api_keys.create_key(self.store, PATHS, id, text, scopes=scopes, text=text)
        return self

    async def close(self) -> None:
        """Let go of connections."""
        await self.client.aclose()
        await self.http.close()

    async def execute(self, id: str, body: Any, **headers: str) -> httpx.Response:
        """Call a tool back as Vapi does; with the salon's key unless `headers` say otherwise."""
        shown = headers or {"authorization": f"Bearer {KEY}"}
        return await self.client.post(f"/api/tools/{id}/execute", json=body, headers=shown)

    async def results(self, id: str, calls: Any, **variables: str) -> list[dict[str, Any]]:
        """Return the results of a message, which Vapi understands."""
        answer = await self.execute(id, message_of(calls, VARIABLES | variables))
        return understood(answer)

    async def signed(
        self, path: str, body: Any, *, secret: str = SECRET, moved_s: float = 0, form: str = "hex", query: str = ""
    ) -> httpx.Response:
        """Send a message signed with a secret, at a time that is `moved_s` seconds away from now."""
        raw = json.dumps(body).encode()
        stamp = str(int(self.clock.now().timestamp() + moved_s))
        digest = hmac.digest(secret.encode(), stamp.encode() + b"." + raw, "sha256")
        shown = digest.hex() if form == "hex" else base64.b64encode(digest).decode()
        headers = {"x-signature": shown, "x-timestamp": stamp, "content-type": "application/json"}
        return await self.client.post(f"/api{path}{query}", content=raw, headers=headers)

    async def call(self, id: str = LINE_ID, *, token: str = TOKEN, **fields: str) -> httpx.Response:
        """Let a phone call start, as Twilio does."""
        known = {"CallSid": "CA1", "From": CALLER, "To": NUMBER, "CallStatus": "ringing"} | fields
        path = f"/api/phone-number/{id}/incoming"
        signature = RequestValidator(token).compute_signature(PUBLIC_URL + path, known)
        return await self.client.post(path, data=known, headers={"x-twilio-signature": signature})

    async def record(self, id: str = "CA1") -> dict[str, Any]:
        """Return what is recorded of a phone call."""
        document = await self.store.inner.get(WITHIN.document("interactions", id))
        return document.data if document else {}

    def told(self) -> list[dict[str, Any]]:
        """Return what Vapi's running phone calls were told."""
        return [message for call in self.stand_in.account.messages.values() for message in call]


def agent(**changes: Any) -> dict[str, Any]:
    """Return the agent that answers the phone."""
    return {"name": "Echo", "isDefault": True, "vapiAssistantId": "assistant-1"} | changes


def understood(answer: httpx.Response) -> list[dict[str, Any]]:
    """Return the results of an answer that Vapi understands: by its own document, on one line."""
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert problems("ServerMessageResponseToolCalls", body) == []
    for row in body["results"]:
        assert len(row.get("result", row.get("error")).splitlines()) == 1
    return list(body["results"])


def one(name: str, arguments: dict[str, Any], id: str = "call_1") -> list[dict[str, Any]]:
    """Return a message's one call."""
    return [call_in("text", id, name, arguments)]
