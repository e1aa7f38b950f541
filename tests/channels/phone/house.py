"""A house with nothing but its phone: real webhooks and sockets on a port of this machine, tools and model planted."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any
from xml.etree import ElementTree

import httpx2 as httpx
from starlette.applications import Starlette
from starlette.routing import Mount
from twilio.request_validator import RequestValidator

from switchboard.app.clients import SystemClock
from switchboard.catalog.definitions.registry import Registry
from switchboard.channels.call_start import CallStart
from switchboard.channels.http.answer import HANDLERS
from switchboard.channels.http.idempotency import Deliveries
from switchboard.channels.phone import relay
from switchboard.channels.phone.call_state import CallStates
from switchboard.channels.phone.call_transfers import CallTransfers
from switchboard.channels.phone.phone_numbers import NO_SAFE_NUMBERS, Lines, SafeNumbers
from switchboard.channels.phone.relay import RelayTokens
from switchboard.channels.phone.routes import PhoneParts, routes
from switchboard.channels.phone.webhook import WebhookAuth
from switchboard.contract.context import CallContext
from switchboard.contract.response import Intent, IntentType, Result
from switchboard.contract.store import Set
from switchboard.conversation.dependencies import join
from switchboard.conversation.guard import Unguarded
from switchboard.conversation.held_conversations import Conversations
from switchboard.conversation.record.interactions import Interactions
from switchboard.conversation.turn_timing import timed
from switchboard.desk.callers.callers import Callers
from switchboard.desk.callers.moderation import CallerScreening, Moderation
from switchboard.pipeline.confirmation.approvals import Approvals
from switchboard.state.memory.store import MemoryStore
from tests.channels.listening import listening
from tests.conversation import planted
from tests.conversation.scripted import ScriptedModel
from tests.desk.front_desk import WatchedStore
from tests.pipeline import planted as pipeline_planted
from tests.pipeline.conftest import PATHS, Instance

BUSINESS, NUMBER, CALLER, TOKEN = "demo-salon", "+15185550100", "+15185550171", "12345"
PUBLIC_URL, RELAY_URL = "https://switchboard.example.com", "wss://relay.example.com/phone/relay"
WITHIN = PATHS.within(BUSINESS)
SALON: dict[str, Any] = {
    "name": "Salon",
    "timezone": "UTC",
    "twilioNumber": NUMBER,
    "ai": {"language": "en", "greeting": "Hello, Salon."},
}
TO_FRONT_DESK = {"destinationId": "desk", "number": "+15185550143", "timeoutS": 20, "callerId": CALLER}


async def put_through(ctx: CallContext, desk: Any, *, fallback: str = "") -> Result:
    """Put the phone call through."""
    payload = TO_FRONT_DESK | {"fallbackNumber": fallback or None}
    return Result({"transferred": True}, (Intent(IntentType.TRANSFER_CALL, payload),))


async def take_message(ctx: CallContext, desk: Any) -> Result:
    """Take a message."""
    return Result({"taken": True})


def registry(*, takes_messages: bool = True) -> Registry:
    """Return the planted tools, one that transfers, and one that takes messages."""
    fallback = {"fallback": {"type": "string", "default": ""}}
    tools = [pipeline_planted._tool(put_through, "action", fallback)]
    tools += [pipeline_planted._tool(take_message, "action", {})] if takes_messages else []
    return Registry("1.0.00000000", {**planted.registry().tools, **{tool.name: tool for tool in tools}})


class PlainSecrets:
    """Secrets that anybody may see."""

    def __init__(self) -> None:
        self.kept = {(BUSINESS, "twilio", "authToken"): TOKEN}
        self.fails: Exception | None = None

    async def reveal(self, business_id: str, toolkit: str, field: str, *, agent_id: str = "") -> str | None:
        if self.fails is not None:
            raise self.fails
        return self.kept.get((business_id, toolkit, field))

    async def reveal_several(self, business_id: str, toolkit: str, fields: Sequence[str]) -> dict[str, str | None]:
        return {field: await self.reveal(business_id, toolkit, field) for field in fields}


class PhoneInstance:
    """One instance of the phone, over a store that others may share; a model's answers are put into `model`."""

    def __init__(
        self,
        store: WatchedStore,
        relay_url: str = "",
        model: Any = None,
        tools: Registry | None = None,
        safe_numbers: SafeNumbers = NO_SAFE_NUMBERS,
    ) -> None:
        self.store, self.relay_url = store, relay_url
        self.clock = clock = SystemClock()
        self.model = model or ScriptedModel()
        self.secrets = PlainSecrets()
        office = Instance(store, clock, tools or registry())  # type: ignore[arg-type]
        self.office = office
        self.interactions = Interactions(store, PATHS, clock)

        async def system(*_: Any) -> str:
            return "You are Echo."

        parts = join(
            self.model,
            office.catalog,
            office.dispatcher,
            Approvals(store, PATHS),
            clock,
            system,
            lambda *_: Unguarded(),
            self.interactions.recorder,
        )
        self.conversations = Conversations(timed(parts), self.interactions)
        callers = Callers(store)
        reception = CallerScreening(Moderation(store, callers))
        lines = Lines(store, PATHS, self.secrets, clock)  # type: ignore[arg-type]
        tokens, handoffs = RelayTokens(store, clock), CallStates(store, PATHS, clock)
        self.phone = PhoneParts(
            WebhookAuth(lines, PUBLIC_URL, safe_numbers=safe_numbers),
            PATHS,
            office.catalog,
            self.conversations,
            Deliveries(store, clock),
            tokens,
            handoffs,
            reception,
            CallTransfers(office.catalog, lambda: office.dispatcher),
            clock,
            relay_url,
            CallStart(office.catalog, lambda: office.dispatcher),
        )
        self.relay = relay.RelayParts(
            PATHS, office.catalog, self.conversations, lines, tokens, handoffs, reception, relay_url
        )
        served = [*routes(self.phone), *relay.routes(self.relay)]
        self.app = Starlette(routes=[Mount("/phone", routes=served)], exception_handlers=HANDLERS)  # type: ignore[arg-type]
        self.port = 0
        self.client: httpx.AsyncClient

    async def record(self, call_sid: str) -> dict[str, Any]:
        """Return the interaction of a call."""
        document = await self.store.inner.get(WITHIN.document("interactions", call_sid))
        return document.data if document else {}

    @asynccontextmanager
    async def serving(self) -> AsyncIterator["PhoneInstance"]:
        """Serve on a free port as the server of `main.app` does."""
        settings = {
            "http": "switchboard.app.websocket_protocol:PromptHttp",
            "ws": "switchboard.app.websocket_protocol:ReadSocket",
            "ws_max_size": 65_536,
        }
        async with listening(self.app, **settings) as address:
            self.port = int(address.rpartition(":")[2])
            # Nothing is encrypted: reading the certificates of the world takes longer than a call.
            async with httpx.AsyncClient(base_url=address, timeout=300, verify=False) as self.client:
                yield self


async def open_store(**changes: Any) -> WatchedStore:
    """Return a store that knows the business."""
    store = WatchedStore(MemoryStore())
    await store.inner.commit([Set(WITHIN.business, SALON | changes)])
    return store


class Twilio:
    """Asks as Twilio does: signed, with a call's fields, one call at a time."""

    def __init__(self, instance: PhoneInstance, call_sid: str = "") -> None:
        self.instance = instance
        self.call_sid = call_sid or f"CA{uuid.uuid4().hex}"
        self.client = instance.client

    async def post(self, path: str, *, headers: Any = None, token: str = TOKEN, **fields: str) -> httpx.Response:
        """Send a webhook; `path` may also be the whole public address."""
        path = path.removeprefix(PUBLIC_URL)
        known = {
            "CallSid": self.call_sid,
            "AccountSid": "AC1",
            "From": CALLER,
            "To": NUMBER,
            "CallStatus": "in-progress",
        }
        known |= fields
        signature = RequestValidator(token).compute_signature(PUBLIC_URL + path, known)
        signed = {"X-Twilio-Signature": signature} if headers is None else dict(headers)
        return await self.client.post(path, data=known, headers=signed)

    async def ask(self, path: str, **fields: str) -> "Heard":
        """Send a webhook and return what its TwiML does."""
        answer = await self.post(path, **fields)
        assert answer.status_code == 200, answer.text
        assert answer.headers["content-type"].startswith("text/xml")
        return Heard(answer.text)

    async def finish(self, heard: "Heard", **fields: str) -> tuple[str, "Heard"]:
        """Follow redirects that fetch the rest of an answer; return everything said, and the last TwiML."""
        said = [heard.said]
        while "waiting=" in heard.redirect:
            heard = await self.ask(heard.redirect, **fields)
            said.append(heard.said)
        return " ".join(filter(None, said)), heard


class Heard:
    """One TwiML document, as it acts."""

    def __init__(self, twiml: str) -> None:
        self.twiml = twiml
        self.verbs = ElementTree.fromstring(twiml)

    def verb(self, name: str) -> ElementTree.Element | None:
        return next(self.verbs.iter(name), None)

    def attribute(self, verb: str, name: str) -> str | None:
        found = self.verb(verb)
        return None if found is None else found.get(name)

    @property
    def names(self) -> list[str]:
        return [verb.tag for verb in self.verbs]

    @property
    def said(self) -> str:
        return " ".join(say.text or "" for say in self.verbs.iter("Say"))

    @property
    def redirect(self) -> str:
        found = self.verb("Redirect")
        return (found.text or "") if found is not None else ""

    @property
    def action(self) -> str:
        return self.attribute("Gather", "action") or ""

    @property
    def dialled(self) -> str:
        return "".join(verb.text or "" for name in ("Number", "Dial") for verb in self.verbs.iter(name)).strip()


async def until(condition: Callable[[], Any], within_s: float = 60.0) -> Any:
    """Wait for something to become true, and return it."""
    async with asyncio.timeout(within_s):
        while not (found := condition()):
            await asyncio.sleep(0.005)
    return found


async def quietly(task: asyncio.Task[Any]) -> None:
    """Cancel a task."""
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
