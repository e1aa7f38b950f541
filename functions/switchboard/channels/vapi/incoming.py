"""`POST /api/phone-number/{id}/incoming` from Twilio: a starting phone call is handed to Vapi.

Seed 002 ("On-Call-Start Tool Execution Flow"). While Vapi takes the call over, the agent's call-start tools run; what
they find is in the call before Twilio is told to connect it, and so before the first word. Whatever fails, the caller
hears something or somebody. What is found goes to the call's control address; whoever knows that controls the call, so
it stands in no log, and in nothing that owners or callers see.
"""

from __future__ import annotations

import asyncio
import html
import logging
import re
from dataclasses import replace
from datetime import timedelta
from typing import TypeVar

from starlette.requests import Request
from starlette.responses import Response

from switchboard.catalog.offer.catalog import Catalog
from switchboard.catalog.offer.phone_numbers import PhoneLine, assistant_of, own_line
from switchboard.channels.call_start import CallStart
from switchboard.channels.http.answer import refusal
from switchboard.channels.http.idempotency import Deliveries
from switchboard.channels.phone import twiml
from switchboard.channels.phone.call_transfers import CallTransfers, put_elsewhere
from switchboard.channels.phone.webhook import CallerDirectory, Webhook, WebhookAuth, Webhooks, in_time
from switchboard.channels.vapi.server_messages import variables
from switchboard.contract.background import in_background
from switchboard.contract.business.business import Business
from switchboard.contract.channel import Channel
from switchboard.contract.context import PhoneContext
from switchboard.contract.deadline import bounded, ending_in
from switchboard.contract.definitions.voice_platform import VoicePlatform, VoicePlatforms
from switchboard.contract.document import mapping, text
from switchboard.contract.error import ErrorType, ToolError, log_fields
from switchboard.contract.json import JsonObject
from switchboard.contract.policy import INTERACTION_DAYS
from switchboard.contract.ports import Clock, Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Set, StoreError
from switchboard.conversation.record.record import last_heard

_STREAM = re.compile(r"""<Stream\b[^>]*?\burl\s*=\s*(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE)
_TRANSPORT = re.compile(r"/transport(?=$|[?])")
_SCHEMES = {"wss://": "https://", "ws://": "http://"}

# A call is told things once its line is up, and by then the agent begins to speak.
BEFORE_THE_FIRST_WORD_S = 2.0
_ONCE_MORE_S = 0.2

log = logging.getLogger(__name__)
T = TypeVar("T")

# Twilio and the caller wait for the answer, and somebody must still be there to dial where there is none.
WORKED_WITHIN_S = 3.5
REMEMBERED_WITHIN_S = 0.4
HANDED_OVER_WITHIN_S = 3.2
# What is looked up takes part of it, and what was found needs the rest to get into the call.
FOUND_WITHIN_S = 2.0
_MOST_TWIML = 16_384


@dataclass(frozen=True, slots=True)
class IncomingParts:
    """What starting phone calls work with; `door` lets Twilio in at this function's own addresses."""

    door: WebhookAuth
    paths: Paths
    catalog: Catalog
    platforms: VoicePlatforms
    call_start: CallStart
    controls: Controls
    deliveries: Deliveries
    reception: CallerDirectory
    transfers: CallTransfers
    clock: Clock


class Incoming:
    """Hands starting phone calls over."""

    def __init__(self, parts: IncomingParts) -> None:
        """Join the parts."""
        self._parts, self._webhooks = parts, Webhooks(parts.door, parts.paths, parts.deliveries)

    async def answer(self, request: Request) -> Response:
        """Answer Twilio: with TwiML whatever fails, or that it is not let in."""
        id = request.path_params["id"]

        async def check(webhook: Webhook) -> Response | None:
            business, line = await self._of(webhook, id)
            is_other = business is not None and (line is None or line.number != webhook.called)
            return refusal(404, ErrorType.NOT_FOUND, "There is no such phone number.") if is_other else None

        async def work(webhook: Webhook) -> str:
            business, line = await self._of(webhook, id)
            if business is None or line is None:
                return self._trouble(webhook.called, business)
            handing_over = self._hand_over(webhook, business, line)
            return await in_time(handing_over, WORKED_WITHIN_S, lambda: twiml.trouble(business))

        limit_s = WORKED_WITHIN_S + REMEMBERED_WITHIN_S
        return await self._webhooks.answer(request, work, lambda visit: self._trouble(visit.called), limit_s, check)

    async def _of(self, webhook: Webhook, number_id: str) -> tuple[Business | None, PhoneLine | None]:
        """Return the business that is called, and its line by the id that the address names."""
        business = await self._parts.catalog.business(webhook.line.business_id)
        return business, own_line(business, number_id) if business is not None else None

    def _trouble(self, called: str, business: Business | None = None) -> str:
        return twiml.trouble(self._parts.door.safe_numbers.behind(called, business))

    async def _hand_over(self, webhook: Webhook, business: Business, line: PhoneLine) -> str:
        parts = self._parts
        context = webhook.context(parts.reception.caller_number(webhook.fields.get("From")))
        # Vapi carries the conversation on from here.
        context = replace(context, applies_intents=False)
        with ending_in(HANDED_OVER_WITHIN_S):
            if await parts.reception.turned_away(parts.paths.within(business.id), context, parts.clock.now()):
                return twiml.not_served(business, parts.clock.now())
            if not business.begins_conversations(Channel.PHONE, parts.clock.now()):
                return await put_elsewhere(parts.transfers, business, context, parts.clock.now())
            tenant = await parts.catalog.tenant(business.id)
            agent = line.agent(tenant) if tenant is not None else None
            assistant_id = assistant_of(tenant, agent) if tenant is not None else ""
            platform = await parts.platforms.of(tenant.as_seen_by(agent)) if tenant is not None else None
            if platform is None or not assistant_id or not line.vapi_id:
                return await self._not_set_up(business, replace(context, agent_id=agent.id if agent else None))
            context = replace(context, agent_id=agent.id if agent is not None else line.agent_id)
            looking = in_background(parts.call_start.look_up(context, FOUND_WITHIN_S))
            call = await platform.begin_call(_call(context, assistant_id, line, webhook.fields.get("From", "")))
            answer = _twiml_of(call)
            # Vapi has the call: whatever else takes long or fails, Twilio is told to connect it.
            telling = in_background(self._tell(platform, context, call, control_address(answer), looking))
            await asyncio.wait({telling}, timeout=bounded(HANDED_OVER_WITHIN_S))
        return answer

    async def _not_set_up(self, business: Business, context: PhoneContext) -> str:
        """Answer a call that no assistant is there for."""
        why = "no account, no assistant or no id of the number at vapi"
        log.error("a phone number is not set up for the voice platform", extra={"reason": why, "business": business.id})
        return await put_elsewhere(self._parts.transfers, business, context, self._parts.clock.now())

    async def _tell(
        self,
        platform: VoicePlatform,
        context: PhoneContext,
        call: JsonObject,
        control_url: str | None,
        looking: asyncio.Task[str],
    ) -> None:
        """Put what was found into the call; without a control address there is no way to."""
        if control_url is None:
            log.warning("a phone call has no control address")
            return
        keeping = self._parts.controls.keep(context, control_url, str(call.get("id") or ""))
        note, _ = await asyncio.gather(looking, keeping)
        if note:
            await self._parts.controls.tell(platform, control_url, note)


def _call(context: PhoneContext, assistant_id: str, line: PhoneLine, signalled: str) -> JsonObject:
    customer: JsonObject = {"number": context.caller_phone}
    if context.caller_phone is None:
        # Withheld: whatever was signalled is no number, and Vapi is to take the call all the same.
        customer = {"number": signalled or "anonymous", "numberE164CheckEnabled": False}
    return {
        "phoneCallProviderBypassEnabled": True,
        "assistantId": assistant_id,
        "phoneNumberId": line.vapi_id,
        "customer": customer,
        "assistantOverrides": {"variableValues": variables(context), "metadata": {"callSid": context.call_sid}},
    }


def _twiml_of(call: JsonObject) -> str:
    """Return the TwiML with which Twilio reaches a call that was taken over.

    Raises:
        ToolError: There is none; the published document of Vapi does not promise it.
    """
    twiml = text(mapping(call.get("phoneCallProviderDetails")).get("twiml"))
    if "<Response" not in twiml or len(twiml) > _MOST_TWIML:
        raise ToolError(ErrorType.PERMANENT, "The voice platform did not take the call.", detail="vapi: no twiml")
    return twiml


class Controls:
    """Keeps control addresses, and puts what was found into calls."""

    def __init__(self, store: Store, paths: Paths, clock: Clock) -> None:
        """Keep them in `store`."""
        self._store, self._paths, self._clock = store, paths, clock

    async def keep(self, context: PhoneContext, control_url: str, vapi_id: str) -> None:
        """Note with the phone call where it is controlled, and Vapi's id of it; a store that fails costs that note."""
        now = self._clock.now()
        id = context.interaction_id or context.session_id
        fields: JsonObject = {
            "id": id,
            "businessId": context.business_id,
            "sessionId": context.session_id,
            "channel": context.channel.value,
            "callSid": context.call_sid,
            "callerPhone": context.caller_phone,
            "startedAt": now,
            "createdAt": now,
            "updatedAt": now,
            "expireAt": now + timedelta(days=INTERACTION_DAYS),
            "controlUrl": control_url,
            "vapiCallId": vapi_id,
        }
        path = self._paths.within(context.business_id).document("interactions", id)
        # By which the call is counted; how long it lasts, Vapi tells nobody here.
        fields |= last_heard(path, now)
        try:
            await self._store.commit([Set(path, fields, merge=True)])
        except StoreError as error:
            log.error("a control address is not kept", extra=log_fields(error))

    async def tell(self, platform: VoicePlatform, control_url: str, text: str) -> None:
        """Put a system message into a call that has just been taken over; never raises.

        A call whose line is not up yet is tried on until its first word; what is late then is dropped.

        Args:
            platform: Which checks that the address is its own.
            control_url: Of the call.
            text: What was found.
        """
        gives_up = self._clock.monotonic() + BEFORE_THE_FIRST_WORD_S
        while True:
            try:
                await platform.add_message(control_url, "system", text)
                return
            except ToolError as error:
                # Only a line that is not up yet gets better by waiting; an unknown outcome must not be told twice.
                if error.type is not ErrorType.CONFLICT or self._clock.monotonic() >= gives_up:
                    log.warning(
                        "a phone call is not told what was found", extra={"pii.detail": error.detail or str(error)}
                    )
                    return
            await asyncio.sleep(_ONCE_MORE_S)


def control_address(twiml: str) -> str | None:
    """Return where the phone call is told things, None where the TwiML has no `<Stream>` that names one.

    It is the stream's address with `/control` in place of `/transport`, over HTTP. Whether it is Vapi's own is for
    whoever sends something there to check.
    """
    match = _STREAM.search(twiml)
    if match is None:
        return None
    stream = html.unescape(match[1] or match[2] or "").strip()
    scheme = next((scheme for scheme in _SCHEMES if stream.lower().startswith(scheme)), None)
    address, count = _TRANSPORT.subn("/control", stream)
    if scheme is None or count != 1:
        return None
    return _SCHEMES[scheme] + address[len(scheme) :]
