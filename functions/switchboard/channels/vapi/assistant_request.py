"""`POST /api/phone-number/{id}/incoming` from Vapi: which assistant answers a starting phone call.

Vapi waits 7.5 seconds. What the call-start tools find is one more system message of the assistant's model, for this
phone call alone: it is in the history before the first word.
"""

import asyncio
import logging
import uuid
from dataclasses import dataclass, replace

from switchboard.catalog.offer.catalog import Catalog
from switchboard.catalog.offer.phone_numbers import PhoneLine, assistant_of, own_line
from switchboard.catalog.tenant_tools.tenant import Tenant
from switchboard.channels.call_start import CallStart
from switchboard.channels.phone.reception import CallerDirectory
from switchboard.channels.phone.voice import Sentence, Voice, unattended
from switchboard.channels.safe_numbers import NO_SAFE_NUMBERS, SafeNumbers
from switchboard.channels.vapi.incoming import variables
from switchboard.channels.vapi.request import VapiRequest
from switchboard.channels.vapi.transfer_request import TransferRequests
from switchboard.contract.business.business import Business
from switchboard.contract.context import PhoneContext
from switchboard.contract.deadline import ending_in
from switchboard.contract.definitions.voice_platform import VoicePlatforms
from switchboard.contract.document import items
from switchboard.contract.error import ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Clock, Paths
from switchboard.formats.vapi.call_facts import VapiFacts, facts_of_message

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
        told = facts_of_message(request.body["message"], "")
        if tenant is None:
            return self.without_store(told)
        line = own_line(tenant.business, number_id)
        if line is None:
            return None
        try:
            async with asyncio.timeout(ANSWERED_WITHIN_S):
                with ending_in(ANSWERED_WITHIN_S):
                    return await self._answer(tenant, line, told)
        except (ToolError, TimeoutError) as error:
            log.error("a phone call has no assistant", extra={"reason": type(error).__name__, "pii.detail": str(error)})
            return _nobody(tenant.business)

    def without_store(self, told: VapiFacts) -> JsonObject:
        """Return what answers while nobody can say whose number was called: whom to ring, as far as that is known."""
        return _nobody(self._parts.safe_numbers.behind(told.called_number) or Business(""))

    async def _answer(self, tenant: Tenant, line: PhoneLine, told: VapiFacts) -> JsonObject:
        parts, business = self._parts, tenant.business
        agent = line.agent(tenant)
        id = told.provider_call_sid or told.call_id
        caller_phone = parts.reception.caller_number(told.caller_number)
        facts = PhoneContext(
            business_id=business.id,
            # Two callers never meet in one conversation, with what it has found and decided.
            session_id=told.conversation or f"s_{uuid.uuid4().hex}",
            interaction_id=id or None,
            turn=0,
            call_sid=told.provider_call_sid,
            caller_phone=caller_phone,
            # Who talks in a browser has no number that could be withheld.
            is_withheld=caller_phone is None and bool(told.provider_call_sid),
            called_phone=line.number,
            agent_id=agent.id if agent is not None else line.agent_id,
        )
        if await parts.reception.turned_away(parts.paths.within(business.id), facts, parts.clock.now()):
            return {"error": Voice.of(business).sentence(Sentence.NOT_SERVED)}
        assistant_id = assistant_of(tenant, agent)
        if not assistant_id:
            return await self._without_assistant(tenant.business, replace(facts, agent_id=agent.id if agent else None))
        overrides: JsonObject = {"variableValues": variables(facts)}
        found = await parts.call_start.found(facts, FOUND_WITHIN_S)
        if found:
            model = await self._model(tenant.as_seen_by(agent), assistant_id)
            if model is not None:
                overrides["model"] = _with_message(model, found)
        return {"assistantId": assistant_id, "assistantOverrides": overrides}

    async def _without_assistant(self, business: Business, facts: PhoneContext) -> JsonObject:
        log.error("a phone call has no assistant", extra={"reason": "none is set up", "business": business.id})
        found = await self._parts.transfers.decided(facts, "start")
        if "destination" in found:
            return found
        if business.safe_number:
            return _nobody(business)
        return {"error": unattended(business, self._parts.clock.now())}

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


def _with_message(model: JsonObject, text: str) -> JsonObject:
    return model | {"messages": [*items(model.get("messages")), {"role": "system", "content": text}]}


def _nobody(business: Business) -> JsonObject:
    """Return what is left: the business's safe number, or a sentence before the call ends."""
    if business.safe_number:
        return {"destination": {"type": "number", "number": business.safe_number}}
    return {"error": Voice.of(business).sentence(Sentence.TROUBLE, Sentence.LATER)}
