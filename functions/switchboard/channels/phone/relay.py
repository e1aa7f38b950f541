"""`WS /phone/relay`: who may open a ConversationRelay socket, and the conversation it belongs to.

Three things have to agree before a word of it counts: the handshake's signature, the called number's business, and a
token that was put into this very call's TwiML and is good for once. The socket's custom parameters are no proof of
anything by themselves: whoever can open a socket can send them.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import secrets
from datetime import timedelta
from typing import Any

from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from switchboard.catalog.offer.catalog import Catalog
from switchboard.channels.phone.call_state import CallStates
from switchboard.channels.phone.phone_numbers import Line, Lines, SigningKey, is_signed
from switchboard.channels.phone.relay_call import HeldCalls, RelayCall
from switchboard.channels.phone.relay_socket import RelaySocket, Unwelcome
from switchboard.channels.phone.voice import greeting, on_the_phone
from switchboard.channels.phone.webhook import CallerDirectory
from switchboard.contract.caller.outside_id import outside_id
from switchboard.contract.context import PhoneContext
from switchboard.contract.document import mapping, text
from switchboard.contract.error import BusinessGone, ToolError, log_fields
from switchboard.contract.observability.subject import concerns
from switchboard.contract.ports import BusinessPaths, Clock, Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Delete, Missing, Set, Stale, StoreError
from switchboard.conversation.conversation import Conversation
from switchboard.conversation.held_conversations import Conversations

log = logging.getLogger(__name__)

SETUP_S = 10.0

_LASTS = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class RelayParts:
    """What the sockets work with; `relay_url` is the address in the TwiML, and what the handshake is signed over."""

    paths: Paths
    catalog: Catalog
    conversations: Conversations
    lines: Lines
    tokens: RelayTokens
    handoffs: CallStates
    reception: CallerDirectory
    relay_url: str


def routes(parts: RelayParts) -> list[WebSocketRoute]:
    """Return the route of the socket, below the prefix of the `phone` function."""
    calls = HeldCalls()

    async def relay(websocket: WebSocket) -> None:
        await websocket.accept()
        socket = RelaySocket(websocket)
        opened = asyncio.ensure_future(_open(parts, socket, calls))
        await asyncio.wait({opened})
        error = opened.exception()
        if error is not None:
            await socket.close(_code(error))
            return
        conversation, language = opened.result()
        try:
            await RelayCall(socket, conversation, parts.handoffs, language, calls).run()
        finally:
            # Whoever drops the line has interrupted; what was begun is finished by its own task.
            await calls.give_back(conversation, socket)

    return [WebSocketRoute("/relay", relay)]


def _code(error: BaseException) -> int:
    """Return how a socket is closed that could not be opened, and leave word of why."""
    match error:
        case WebSocketDisconnect():
            return error.code
        case Unwelcome():
            log.warning("a relay socket is refused", extra=log_fields(error))
            return error.code
        case TimeoutError():
            return Unwelcome.POLICY
        case BusinessGone():
            # `/phone/relay-ended` says so.
            log.info("a call to a business that was taken away")
            return Unwelcome.POLICY
        case StoreError() | ToolError():
            log.error("a relay call could not be opened", extra=log_fields(error))
            return Unwelcome.TRY_LATER
        case _:
            log.error("a relay call could not be opened", exc_info=error)
            return Unwelcome.BROKEN


async def _open(parts: RelayParts, socket: RelaySocket, calls: HeldCalls) -> tuple[Conversation, str]:
    """Return the conversation of the call that the setup message names, and its language, once it has proved itself."""
    setup = await socket.first(SETUP_S)
    line = await _proven_line(parts, socket, setup)
    call_sid = outside_id(text(setup.get("callSid")))
    known, tenant = await asyncio.gather(
        parts.handoffs.beginning(line.business_id, call_sid), parts.catalog.tenant(line.business_id)
    )
    if tenant is None:
        raise Unwelcome(Unwelcome.POLICY, "there is no such business any more")
    business = on_the_phone(tenant, parts.catalog.marks_of(tenant, call_sid))
    caller_phone = parts.reception.caller_number(text(setup.get("from")))
    # The carrier's word was about the number of the incoming call; of another one it says nothing.
    is_same = caller_phone is not None and caller_phone == parts.reception.caller_number(known.get("callerPhone"))
    context = PhoneContext(
        business_id=line.business_id,
        session_id=call_sid,
        interaction_id=call_sid,
        turn=0,
        call_sid=call_sid,
        caller_phone=caller_phone,
        called_phone=text(setup.get("to")),
        attestation=known.get("attestation") if is_same else None,
        is_withheld=caller_phone is None,
        applies_intents=True,
    )
    # What Twilio says in the meantime: the greeting, or why the conversation goes on.
    said = str(known.get("said") or greeting(business))
    conversation = await parts.conversations.open(context)
    await conversation.go_on()
    # Last: an opening that fails leaves the call to the socket that has it.
    await calls.take(conversation, socket)
    conversation.greet(said)
    return conversation, business.language


async def _proven_line(parts: RelayParts, socket: RelaySocket, setup: dict[str, Any]) -> Line:
    if setup.get("type") != "setup":
        raise Unwelcome(Unwelcome.POLICY, "the first message is no setup")
    call_sid = outside_id(text(setup.get("callSid")))
    token = text(mapping(setup.get("customParameters")).get("token"))
    if not token or not call_sid:
        raise Unwelcome(Unwelcome.POLICY, "the setup names no token or no call")
    settings, signature = socket.header("x-twilio-webhooks-signature-settings"), socket.header("x-twilio-signature")

    def proves(key: SigningKey) -> bool:
        return is_signed(key, parts.relay_url, {}, signature, settings)

    line = await parts.lines.proven(text(setup.get("to")), text(setup.get("accountSid")), proves)
    if line is None:
        raise Unwelcome(Unwelcome.POLICY, "the handshake is not signed by the account of the called number")
    concerns(line.business_id, call_sid)
    # Last, since it is used up by that.
    within = parts.paths.within(line.business_id)
    if business_of(token) != line.business_id or not await parts.tokens.spend(within, token, call_sid):
        raise Unwelcome(Unwelcome.POLICY, "the token is not for this call, or spent")
    return line


class RelayTokens:
    """Issues and spends tokens."""

    def __init__(self, store: Store, clock: Clock) -> None:
        """Keep them in `store`, hashed."""
        self._store, self._clock = store, clock

    async def issue(self, business_id: str, within: BusinessPaths, call_sid: str) -> str:
        """Return a token for the socket of a phone call; it names the business and says nothing else."""
        token = f"{secrets.token_urlsafe(24)}.{business_id}"
        fields = {"callSid": call_sid, "expireAt": self._clock.now() + _LASTS}
        await self._store.commit([Set(_path(within, token), fields)])
        return token

    async def spend(self, within: BusinessPaths, token: str, call_sid: str) -> bool:
        """Tell whether a token is for this call and has not been spent; it is from now on.

        Raises:
            StoreError: Nobody can tell.
        """
        path = _path(within, token)
        ticket = await self._store.get(path)
        if ticket is None or ticket.data.get("callSid") != call_sid or self._clock.now() >= ticket.data["expireAt"]:
            return False
        try:
            await self._store.commit([Delete(path, if_update_time=ticket.update_time)])
        except (Missing, Stale):
            return False
        return True


def business_of(token: str) -> str:
    """Return the business that a token names; whether it is one is found out when it is spent."""
    return token.partition(".")[2]


def _path(within: BusinessPaths, token: str) -> str:
    return within.document(
        "tickets", f"relay:{hashlib.sha256(token.encode('utf-8', 'surrogatepass')).hexdigest()[:40]}"
    )
