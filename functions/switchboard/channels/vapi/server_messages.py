"""Vapi's server messages about phone calls: which assistant answers one that starts, and where one is put through.

Vapi waits 7.5 seconds for an assistant. What the call-start tools find is one more system message of its model, for
this phone call alone: it is in the history before the first word.

A request for a transfer names nobody; `channels/phone/call_transfers.py` decides. Vapi hears a number, or why there
is none.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from dataclasses import replace
from typing import Final

import orjson

from switchboard.catalog.offer.catalog import Catalog
from switchboard.catalog.offer.phone_numbers import PhoneLine, assistant_of, own_line
from switchboard.catalog.tenant_tools.tenant import Tenant
from switchboard.channels.call_start import CallStart
from switchboard.channels.http.idempotency import delivery_key
from switchboard.channels.phone.call_transfers import NOBODY_TO_TRANSFER_TO, CallTransfers, safe_destination
from switchboard.channels.phone.phone_numbers import NO_SAFE_NUMBERS, SafeNumbers
from switchboard.channels.phone.voice import Sentence, Voice, turned_away_words, unattended
from switchboard.channels.phone.webhook import CallerDirectory
from switchboard.channels.vapi.callbacks import CallbackParts, context_of, phone_context
from switchboard.channels.vapi.request import VapiRequest
from switchboard.contract.business.business import Business
from switchboard.contract.channel import Channel
from switchboard.contract.context import PhoneContext
from switchboard.contract.deadline import ending_in
from switchboard.contract.definitions.voice_platform import VoicePlatforms
from switchboard.contract.document import items
from switchboard.contract.error import ToolError, log_fields
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Clock, Paths
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import StoreError
from switchboard.formats.vapi.call_facts import VapiFacts, facts_of_message

TRANSFER_REQUEST: Final = "transfer-destination-request"
TRANSFER_ANSWERED_WITHIN_S = 6.0

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
    transfers: CallTransfers
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
            return {"error": turned_away_words(business, parts.clock.now())}
        unassisted = replace(context, agent_id=agent.id if agent else None)
        if not business.begins_conversations(Channel.PHONE, parts.clock.now()):
            return await self._without_assistant(business, unassisted)
        assistant_id = assistant_of(tenant, agent)
        if not assistant_id:
            log.error("a phone call has no assistant", extra={"reason": "none is set up", "business": business.id})
            return await self._without_assistant(business, unassisted)
        overrides: JsonObject = {"variableValues": variables(context)}
        note = await parts.call_start.look_up(context, FOUND_WITHIN_S)
        if note:
            model = await self._model(tenant.as_seen_by(agent), assistant_id)
            if model is not None:
                overrides["model"] = _with_message(model, note)
        return {"assistantId": assistant_id, "assistantOverrides": overrides}

    async def _without_assistant(self, business: Business, context: PhoneContext) -> JsonObject:
        """Put the caller through to a person who is there, or tell how else the business is reached."""
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
    destination = safe_destination(business)
    if destination is not None:
        return {"destination": destination}
    return {"error": Voice.of(business).sentence(Sentence.TROUBLE, Sentence.LATER)}


class TransferRequests:
    """Says to whom a call is put through."""

    def __init__(self, parts: CallbackParts, transfers: CallTransfers) -> None:
        """Join the parts; `transfers` decide."""
        self._parts, self._transfers = parts, transfers

    async def answer(self, request: VapiRequest) -> bytes:
        """Return the JSON body that answers: `{destination}`, or `{error}` for the model that asked. Never raises."""
        parts, business_id = self._parts, request.proof.business_id
        message: JsonObject = request.body["message"]
        at = str(message.get("timestamp") or uuid.uuid4().hex)
        call = facts_of_message(message, "")
        # Two callers' may come in one millisecond: what no call is told of is a request of its own.
        key = delivery_key("vapi", TRANSFER_REQUEST, call.conversation or uuid.uuid4().hex, at)

        async def work() -> str:
            return orjson.dumps(
                await self._transfers.decided(await context_of(parts, business_id, call, 0), at)
            ).decode()

        try:
            # A delivery that came before and has no answer yet is waited for by another clock.
            async with asyncio.timeout(TRANSFER_ANSWERED_WITHIN_S):
                with ending_in(TRANSFER_ANSWERED_WITHIN_S):
                    return (await parts.deliveries.once(parts.paths.within(business_id), key, work)).encode()
        except (StoreError, ToolError, TimeoutError) as error:
            log.error("a transfer has no answer", extra=log_fields(error))
            return orjson.dumps({"error": NOBODY_TO_TRANSFER_TO})
