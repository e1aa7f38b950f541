"""Every way into a house as channels come in, each with one request as a caller's side sends it."""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import httpx2 as httpx
from twilio.request_validator import RequestValidator

from operations import seeding
from stand_ins.vapi.asking import call_in, message_of
from switchboard.admin.credentials import api_keys
from switchboard.app.container import build
from switchboard.app.settings import read_configuration
from switchboard.channels.browser_voice.vendor_sessions import LiveSessions
from switchboard.channels.phone.relay import RelayTokens
from switchboard.contract.context import BrowserVoiceContext
from switchboard.contract.store import Document, Query, Update, WriteResult
from switchboard.state.memory.store import MemoryStore
from tests.channels.test_serving import ROOT
from tests.pipeline.conftest import PATHS

SALON, KEY, TOKEN, NUMBER, CALLER = "demo-salon", "sb_salon", "12345", "+15185550100", "+15185550171"
PUBLIC_URL, RELAY_URL = "https://switchboard.example.com", "wss://relay.example.com/phone/relay"
SETTINGS = {
    "SWITCHBOARD_EMBEDDINGS": "none",
    "SWITCHBOARD_PUBLIC_URL": PUBLIC_URL,
    "SWITCHBOARD_RELAY_URL": RELAY_URL,
}
SPOKEN = {"SpeechResult": "What does a haircut cost?", "Confidence": "0.9"}

log = logging.getLogger("switchboard.state.faulty")


class FaultyStore(MemoryStore):
    """Fails from one of the questions to it on, whichever it is; each question is logged.

    Attributes:
        fault: What is raised; nothing fails without.
        fails_from: The first question that fails, counted from 0.
        has_failed: Whether any did.
        gate: What each waits for before it is answered; nothing without.
    """

    def __init__(self) -> None:
        super().__init__()
        self.fault: Exception | None = None
        self.gate: asyncio.Event | None = None
        self.fails_from, self.count_of_questions, self.has_failed = 0, 0, False

    def break_down(self, fault: Exception, fails_from: int) -> None:
        """Fail from now on, after so many questions more."""
        self.fault, self.fails_from, self.count_of_questions, self.has_failed = fault, fails_from, 0, False

    async def get(self, path: str) -> Document | None:
        """Return a document."""
        await self._asked()
        return await super().get(path)

    async def get_many(self, paths: Any) -> list[Document | None]:
        """Return documents."""
        await self._asked()
        return await super().get_many(paths)

    async def query(self, query: Query) -> list[Document]:
        """Return the matching documents."""
        await self._asked()
        return await super().query(query)

    async def commit(self, writes: Any) -> list[WriteResult]:
        """Write."""
        await self._asked()
        return await super().commit(writes)

    async def _asked(self) -> None:
        if self.gate is not None:
            await self.gate.wait()
        log.info("asked")
        self.count_of_questions += 1
        if self.fault is not None and self.count_of_questions > self.fails_from:
            self.has_failed = True
            raise self.fault


class Premises:
    """A whole house over a store that can fail, and what stands outside it."""

    def __init__(self, store: FaultyStore) -> None:
        self.store, self.house = store, build(read_configuration(SETTINGS), store)
        transport = httpx.ASGITransport(app=self.house.app, raise_app_exceptions=False)
        self.relay_tokens: dict[str, str] = {}
        self._before = asyncio.all_tasks()
        self.http = httpx.AsyncClient(
            transport=transport, base_url=PUBLIC_URL, headers={"Authorization": f"Bearer {KEY}"}, timeout=None
        )

    async def ended(self) -> None:
        """Wait until nothing goes on any more of what a request has begun."""
        while others := asyncio.all_tasks() - {asyncio.current_task()} - self._before:
            await asyncio.wait(others)


async def opened() -> Premises:
    """Open a house with the demo businesses, a key and the account of a telephone number."""
    store = FaultyStore()
    await seeding.seed(store, PATHS, ROOT / "seeds", out=lambda *_: None, now=datetime.now(UTC))
    await api_keys.create_key(store, PATHS, SALON, "entrances", text=KEY)
    premises = Premises(store)
    await premises.house.secrets.keep(SALON, "twilio", "authToken", TOKEN)
    await premises.house.secrets.keep(SALON, "twilio", "apiKeySecret", "a-secret-of-an-api-key" * 2)
    lines = [{"id": "front-desk", "number": NUMBER, "vapiPhoneNumberId": "0b0b0b0b-0000-4000-8000-000000000001"}]
    twilio = {"phoneNumbers": lines, "voiceAppSid": "AP" + "0" * 32, "apiKeySid": "SK" + "0" * 32}
    changes = {f"integrations.twilio.{name}": value for name, value in twilio.items()}
    await store.commit([Update(PATHS.within(SALON).business, changes)])
    return premises


async def _with_nothing(premises: Premises, session: str) -> None:
    return None


@dataclass(frozen=True)
class Entrance:
    """One way in.

    Attributes:
        route: The function and the route in it.
        enter: Sends a request of the conversation with this id, and waits for its answer.
        has_session: Whether it is one of a conversation.
        begins: Prepares what the request needs that came before it.
    """

    route: str
    enter: Callable[[Premises, str], Awaitable[Any]]
    has_session: bool = True
    begins: Callable[[Premises, str], Awaitable[Any]] = _with_nothing


def _posted(path: str, body: Callable[[str], Any], **query: str) -> Callable[[Premises, str], Awaitable[Any]]:
    async def enter(premises: Premises, session: str) -> httpx.Response:
        asked = {name: value.format(session=session) for name, value in query.items()}
        return await premises.http.post(path, json=body(session), params=asked)

    return enter


def _asked(path: str, **query: str) -> Callable[[Premises, str], Awaitable[Any]]:
    async def enter(premises: Premises, session: str) -> httpx.Response:
        asked = {name: value.format(session=session) for name, value in query.items()}
        return await premises.http.get(path, params={"businessId": SALON, **asked})

    return enter


def _of_twilio(path: str, **fields: str) -> Callable[[Premises, str], Awaitable[Any]]:
    async def enter(premises: Premises, session: str) -> httpx.Response:
        named = {"MessageSid": session} if path.endswith("/text") else {"CallSid": session}
        known = named | {"From": CALLER, "To": NUMBER, "CallStatus": "in-progress"} | fields
        signature = RequestValidator(TOKEN).compute_signature(PUBLIC_URL + path, known)
        return await premises.http.post(path, data=known, headers={"x-twilio-signature": signature})

    return enter


def _tool_call(session: str) -> dict[str, Any]:
    context = {"channel": "phone", "sessionId": session, "turn": 1, "callId": "c1"}
    return {"businessId": SALON, "name": "get_business_services", "args": {}, "context": context}


def _of_portal(session: str, **fields: Any) -> dict[str, Any]:
    return {"businessId": SALON, "sessionId": session, **fields}


def _of_mcp(session: str) -> dict[str, Any]:
    params = {"name": "get_business_services", "arguments": {}}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


def _of_vapi(session: str) -> dict[str, Any]:
    calls = [call_in("object", "c1", "get_business_services", {})]
    variables = {"call.id": session, "customer.number": CALLER, "phoneNumber.number": NUMBER}
    return message_of(calls, variables | {"transport.callSid": session})


def _of_vapi_incoming(session: str) -> dict[str, Any]:
    body = _of_vapi(session)
    body["message"]["type"] = "assistant-request"
    return body


async def _with_a_token(premises: Premises, session: str) -> None:
    tokens = RelayTokens(premises.store, premises.house.clock)
    premises.relay_tokens[session] = await tokens.issue(SALON, PATHS.within(SALON), session)


async def _with_a_live_model(premises: Premises, session: str) -> None:
    live = LiveSessions(premises.store, PATHS, premises.house.clock)
    await live.open(BrowserVoiceContext(business_id=SALON, session_id=session), "openai")


async def _over_the_relay(premises: Premises, session: str) -> None:
    """Hold a conversation over a socket: words, then nothing that can be read until the house closes it."""
    token = premises.relay_tokens[session]
    handshake = RequestValidator(TOKEN).compute_signature(RELAY_URL, {})
    setup = {"type": "setup", "callSid": session, "from": CALLER, "to": NUMBER, "customParameters": {"token": token}}
    prompts = [{"type": "prompt", "voicePrompt": SPOKEN["SpeechResult"], "last": True}, *["no message"] * 12]
    messages = [{"type": "websocket.connect"}]
    messages += [{"type": "websocket.receive", "text": json.dumps(message)} for message in (setup, *prompts)]

    async def receive() -> dict[str, Any]:
        return messages.pop(0) if messages else {"type": "websocket.disconnect", "code": 1000}

    async def send(message: Any) -> None:
        return None

    headers = [(b"x-twilio-signature", handshake.encode()), (b"host", b"relay.example.com")]
    scope = {"type": "websocket", "path": "/phone/relay", "headers": headers, "query_string": b"", "subprotocols": []}
    await premises.house.app(scope, receive, send)  # type: ignore[arg-type]


ENTRANCES = (
    Entrance("tools/definitions", _asked("/tools/definitions", channel="phone", sessionId="{session}")),
    Entrance("tools/execute", _posted("/tools/execute", _tool_call)),
    Entrance("tools/execute/{name}", _posted("/tools/execute/get_business_services", _tool_call)),
    Entrance("tools/heard", _posted("/tools/heard", lambda session: _tool_call(session) | {"heard": {"text": "Yes."}})),
    Entrance("phone/incoming", _of_twilio("/phone/incoming")),
    Entrance("phone/turn", _of_twilio("/phone/turn", **SPOKEN)),
    Entrance("phone/relay-ended", _of_twilio("/phone/relay-ended", HandoffData='{"reason": "transferred"}')),
    Entrance("phone/transfer-result", _of_twilio("/phone/transfer-result", DialCallStatus="no-answer")),
    Entrance("phone/status", _of_twilio("/phone/status", CallStatus="completed")),
    Entrance("phone/text", _of_twilio("/phone/text", Body="STOP"), has_session=False),
    Entrance("phone/relay", _over_the_relay, begins=_with_a_token),
    Entrance("portal/session", _posted("/portal/session", lambda _: {"businessId": SALON}), has_session=False),
    Entrance("portal/chat", _posted("/portal/chat", lambda session: _of_portal(session, text="Good morning."))),
    Entrance("portal/stop", _posted("/portal/stop", lambda session: _of_portal(session, messageId="m1"))),
    Entrance("portal/history", _asked("/portal/history", sessionId="{session}")),
    Entrance("portal/news", _asked("/portal/news", sessionId="{session}")),
    Entrance("browser_voice/token", _asked("/browser_voice/token", sessionId="{session}")),
    Entrance("browser_voice/history", _asked("/browser_voice/history", sessionId="{session}")),
    Entrance("browser_voice/session", _posted("/browser_voice/session", _of_portal)),
    Entrance("browser_voice/turn", _posted("/browser_voice/turn", lambda session: _of_portal(session, text="Hello."))),
    Entrance(
        "browser_voice/interrupt",
        _posted("/browser_voice/interrupt", lambda session: _of_portal(session, turn=1, heard="Hel")),
    ),
    Entrance(
        "browser_voice/execute",
        _posted("/browser_voice/execute", lambda session: _of_portal(session, provider="openai", turn=1)),
        begins=_with_a_live_model,
    ),
    Entrance(
        "browser_voice/cancel",
        _posted("/browser_voice/cancel", lambda session: _of_portal(session, callIds=[])),
        begins=_with_a_live_model,
    ),
    Entrance("mcp/{business_id}", _posted(f"/mcp/{SALON}", _of_mcp, session="{session}")),
    Entrance("api/tools/{id}/execute", _posted("/api/tools/get_business_services/execute", _of_vapi)),
    Entrance("api/phone-number/{id}/incoming", _posted("/api/phone-number/front-desk/incoming", _of_vapi_incoming)),
)
"""One for each route of the channels but pages, and what MCP's clients read about access tokens."""
