"""Vapi's server messages about phone calls: which assistant answers one that starts, and where one is put through.

Vapi waits 7.5 seconds for an assistant. What the call-start tools find is one more system message of its model, for
this phone call alone: it is in the history before the first word.

A request for a transfer names nobody. `transfer_call` decides as it does for every model: by the business's rules,
their hours and what the channel offers; of several people the first in the owner's order who is there. Vapi hears a
number, or why there is none.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
import zlib
from dataclasses import dataclass, replace
from typing import Any, Final

import orjson

from switchboard.catalog.offer.alternatives import WHEREVER
from switchboard.catalog.offer.catalog import Catalog
from switchboard.catalog.offer.phone_numbers import PhoneLine, assistant_of, own_line
from switchboard.catalog.tenant_tools.tenant import Tenant
from switchboard.channels.call_start import CallStart
from switchboard.channels.http.idempotency import delivery_key
from switchboard.channels.phone.phone_numbers import NO_SAFE_NUMBERS, SafeNumbers
from switchboard.channels.phone.voice import Sentence, Voice, unattended
from switchboard.channels.phone.webhook import CallerDirectory
from switchboard.channels.vapi.callbacks import CallbackParts, context_of, phone_context
from switchboard.channels.vapi.request import VapiRequest
from switchboard.contract.business.business import Business
from switchboard.contract.context import PhoneContext
from switchboard.contract.deadline import ending_in
from switchboard.contract.definitions.voice_platform import VoicePlatforms
from switchboard.contract.document import items
from switchboard.contract.error import ErrorType, ToolError, log_fields
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Clock, Paths
from switchboard.contract.response import IntentType, ToolResponse
from switchboard.contract.store import StoreError
from switchboard.conversation.speech.plain_speech import plain
from switchboard.formats.vapi.call_facts import VapiFacts, facts_of_message
from switchboard.pipeline.ledger.admission import options_of

TRANSFER_REQUEST: Final = "transfer-destination-request"
_TOOL: Final = "transfer_call"
TRANSFER_ANSWERED_WITHIN_S = 6.0
_NOBODY: Final = (
    "The call cannot be put through to anybody here, and you still answer it. Do not say that it is being transferred. "
    f"{WHEREVER}"
)

log = logging.getLogger(__name__)

ASSISTANT_REQUEST = "assistant-request"
ANSWERED_WITHIN_S = 3.5
FOUND_WITHIN_S = 2.2
READ_WITHIN_S = 0.8


@dataclass(frozen=True, slots=True)
class AssistantParts:
    """What assistant requests work with."""

    paths: Paths
    catalog: Catalog
    platforms: VoicePlatforms
    call_start: CallStart
    reception: CallerDirectory
    transfers: TransferRequests
    clock: Clock
    safe_numbers: SafeNumbers = NO_SAFE_NUMBERS


class AssistantRequests:
    """Says who answers."""

    def __init__(self, parts: AssistantParts) -> None:
        """Join the parts."""
        self._parts = parts

    async def answer(self, number_id: str, request: VapiRequest) -> JsonObject | None:
        """Return the body that answers; None where the business has no such number.

        Whatever fails, the caller is put through to somebody, or told to call again. Where no assistant is set up,
        which no waiting mends, they are put through to a person who is there, or told how else the business is reached.
        """
        business_id = request.proof.business_id
        try:
            tenant = await self._parts.catalog.tenant(business_id)
        except ToolError:
            return None
        call = facts_of_message(request.body["message"], "")
        if tenant is None:
            return self.without_store(call)
        line = own_line(tenant.business, number_id)
        if line is None:
            return None
        try:
            async with asyncio.timeout(ANSWERED_WITHIN_S):
                with ending_in(ANSWERED_WITHIN_S):
                    return await self._answer(tenant, line, call)
        except (ToolError, TimeoutError) as error:
            log.error("a phone call has no assistant", extra=log_fields(error))
            return _nobody(tenant.business)

    def without_store(self, call: VapiFacts) -> JsonObject:
        """Return what answers while nobody can say whose number was called: whom to ring, as far as that is known."""
        return _nobody(self._parts.safe_numbers.behind(call.called_number) or Business(""))

    async def _answer(self, tenant: Tenant, line: PhoneLine, call: VapiFacts) -> JsonObject:
        parts, business = self._parts, tenant.business
        agent = line.agent(tenant)
        agent_id = agent.id if agent is not None else line.agent_id
        context = phone_context(business.id, call, parts.reception.caller_number(call.caller_number))
        context = replace(context, called_phone=line.number, agent_id=agent_id)
        if await parts.reception.turned_away(parts.paths.within(business.id), context, parts.clock.now()):
            return {"error": Voice.of(business).sentence(Sentence.NOT_SERVED)}
        assistant_id = assistant_of(tenant, agent)
        if not assistant_id:
            return await self._without_assistant(
                tenant.business, replace(context, agent_id=agent.id if agent else None)
            )
        overrides: JsonObject = {"variableValues": variables(context)}
        note = await parts.call_start.look_up(context, FOUND_WITHIN_S)
        if note:
            model = await self._model(tenant.as_seen_by(agent), assistant_id)
            if model is not None:
                overrides["model"] = _with_message(model, note)
        return {"assistantId": assistant_id, "assistantOverrides": overrides}

    async def _without_assistant(self, business: Business, context: PhoneContext) -> JsonObject:
        log.error("a phone call has no assistant", extra={"reason": "none is set up", "business": business.id})
        destination = await self._parts.transfers.anybody(business, context)
        return {"destination": destination} if destination else {"error": unattended(business, self._parts.clock.now())}

    async def _model(self, business: Business, assistant_id: str) -> JsonObject | None:
        """Return an assistant's whole model, which an override replaces; None where it cannot be read in time."""
        try:
            with ending_in(READ_WITHIN_S):
                platform = await self._parts.platforms.of(business)
                assistant = await platform.get_assistant(assistant_id) if platform is not None else None
        except ToolError as error:
            log.warning("a phone call is not told what was found", extra={"pii.detail": error.detail or str(error)})
            return None
        model = assistant.get("model") if assistant is not None else None
        return model if isinstance(model, dict) else None


def variables(context: PhoneContext) -> JsonObject:
    """Return the two variables of seed 002, for assistants whose words speak of them."""
    return {
        "caller_phone_number": context.caller_phone or "",
        "called_phone_number": context.called_phone or "",
    }


def _with_message(model: JsonObject, text: str) -> JsonObject:
    return model | {"messages": [*items(model.get("messages")), {"role": "system", "content": text}]}


def _nobody(business: Business) -> JsonObject:
    """Return what is left: the business's safe number, or a sentence before the call ends."""
    destination = _safe_destination(business)
    if destination is not None:
        return {"destination": destination}
    return {"error": Voice.of(business).sentence(Sentence.TROUBLE, Sentence.LATER)}


def _safe_destination(business: Business) -> JsonObject | None:
    return {"type": "number", "number": business.safe_number} if business.safe_number else None


def _own_turn(at: str) -> int:
    """Return the turn in which a request counts.

    Budgets and loops are for what a model asks in one human turn. Vapi asks this by itself, whatever the model has
    looked up before, and has to be told something each time; below the turns of `call_start`, which are few.
    """
    return -1_000 - zlib.crc32(at.encode()) % 1_000_000


class TransferRequests:
    """Says to whom a call is put through."""

    def __init__(self, parts: CallbackParts) -> None:
        """Join the parts."""
        self._parts = parts

    async def answer(self, request: VapiRequest) -> bytes:
        """Return the JSON body that answers: `{destination}`, or `{error}` for the model that asked. Never raises."""
        parts, business_id = self._parts, request.proof.business_id
        message: JsonObject = request.body["message"]
        at = str(message.get("timestamp") or uuid.uuid4().hex)
        call = facts_of_message(message, "")
        # Two callers' may come in one millisecond: what no call is told of is a request of its own.
        key = delivery_key("vapi", TRANSFER_REQUEST, call.conversation or uuid.uuid4().hex, at)

        async def work() -> str:
            return orjson.dumps(await self.decided(await context_of(parts, business_id, call, 0), at)).decode()

        try:
            # A delivery that came before and has no answer yet is waited for by another clock.
            async with asyncio.timeout(TRANSFER_ANSWERED_WITHIN_S):
                with ending_in(TRANSFER_ANSWERED_WITHIN_S):
                    return (await parts.deliveries.once(parts.paths.within(business_id), key, work)).encode()
        except (StoreError, ToolError, TimeoutError) as error:
            log.error("a transfer has no answer", extra=log_fields(error))
            return orjson.dumps({"error": _NOBODY})

    async def anybody(self, business: Business, context: PhoneContext) -> JsonObject | None:
        """Return where a phone call that nobody answers is put through to: who is there, or the safe number, or None.

        Raises:
            ToolError: The business cannot be read.
        """
        answer = await self.decided(context, "start")
        return answer.get("destination") or _safe_destination(business)

    async def decided(self, context: PhoneContext, at: str) -> JsonObject:
        """Return `{destination}`, whom a phone call is put through to by whoever asks, or `{error}`, why to nobody.

        Args:
            context: The phone call.
            at: What tells this request from others about the same phone call.

        Raises:
            ToolError: The business cannot be read.
        """
        # Whoever asks puts the call through to whom we name.
        context, id = replace(context, turn=_own_turn(at), applies_intents=True), f"transfer_{at}"
        offer, _, _ = await self._parts.catalog.for_call(context.business_id, options_of(context))
        offered = offer.named(_TOOL)
        if offered is None:
            return {"error": _NOBODY}
        response = await self._execute(context, id, {})
        failure = response.failure
        others = response.meta.get("alternatives") if failure is not None else None
        if failure is not None and failure.type is ErrorType.VALIDATION and isinstance(others, list) and others:
            # Several could be meant, and nobody can be asked which.
            response = await self._execute(context, f"{id}_2", {"destination": str(others[0]["destination"])})
        if response.failure is not None:
            return {"error": " ".join(response.failure.message.split())}
        payload = next((i.payload for i in response.intents if i.type is IntentType.TRANSFER_CALL), {})
        if not payload.get("number"):
            return {"error": _NOBODY}
        destination: JsonObject = {"type": "number", "number": payload["number"]}
        language = offer.business.language if offer.business is not None else ""
        words = plain(offered.definition.phrase(language, "running"), language)
        return {"destination": destination | ({"message": words} if words else {})}

    async def _execute(self, context: PhoneContext, id: str, arguments: dict[str, Any]) -> ToolResponse:
        own = replace(context, call_id=id)
        return await self._parts.dispatcher().execute_tool(_TOOL, arguments, context.business_id, own)
