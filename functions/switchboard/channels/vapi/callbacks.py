"""What a tool's callback comes to: its calls through the dispatcher, like those of every other channel.

A delivery is answered once: Vapi gives no promise about repeating itself, and the same phone call's same tool call is
the same wish. An `apiRequest` has no id of its own; its phone call, tool and arguments stand for one within half a
minute, and where it names no phone call either, who calls whom does in its place. Where it does not tell who calls,
two callers may say the same: then only what comes again within seconds is taken for a repetition. Before a phone call
is handed over Vapi asks by such a call, and is told who stands for the agent there.
"""

from __future__ import annotations

import json
import logging
import uuid
from collections.abc import Callable
from dataclasses import replace
from typing import Final

import orjson

from switchboard.catalog.offer.alternatives import WHEREVER
from switchboard.catalog.offer.catalog import Catalog
from switchboard.catalog.offer.offer import Offer
from switchboard.catalog.offer.phone_numbers import assistant_of
from switchboard.catalog.tenant_tools.tenant import Tenant
from switchboard.channels.http.idempotency import REDELIVERED_S, Deliveries, Redeliveries, delivery_key
from switchboard.channels.vapi.request import LastTurn, VapiRequest, last_turn
from switchboard.contract.business.business import Business
from switchboard.contract.call import ToolCall
from switchboard.contract.context import Beside, PhoneContext
from switchboard.contract.error import ErrorType, ToolError, log_fields
from switchboard.contract.observability.subject import concerns
from switchboard.contract.ports import Clock, Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.response import Failure, ToolResponse
from switchboard.contract.store import StoreError, Unavailable
from switchboard.conversation.event import TurnOutcome
from switchboard.conversation.speech.house_phrases import ending_of, leave_words
from switchboard.conversation.speech.plain_speech import plain
from switchboard.conversation.tool_runner import ToolRunner
from switchboard.formats.vapi.call_facts import VapiFacts
from switchboard.formats.vapi.delivery import VapiDelivery
from switchboard.formats.vapi.tools import render, render_all, render_handover, render_request
from switchboard.pipeline.confirmation.approvals import Approvals
from switchboard.pipeline.confirmation.consent import Said
from switchboard.pipeline.dispatcher import Dispatcher
from switchboard.pipeline.ledger.admission import options_of

log = logging.getLogger(__name__)

# Vapi waits 20 seconds, and has to hear the answer within them.
ANSWERED_WITHIN_S = 12.0
REPEATED_WITHIN_S = 30
"""How long after the first of them an `apiRequest` is taken for the same one, in seconds."""
RETRIED_WITHIN_S = 5
"""The same where neither its phone call nor its caller is told: whoever sends it once more does so at once."""

NOBODY_THERE: Final = ToolResponse(
    failure=Failure(
        ErrorType.PERMANENT,
        "The phone call cannot be handed over, and you still answer it. Do not say that somebody else takes over. Go "
        f"on yourself. {WHEREVER}",
        retryable=False,
        partial_side_effects=False,
    )
)
"""What Vapi's model is told where nobody there could go on."""


@dataclass(frozen=True, slots=True)
class CallbackParts:
    """What callbacks work with; `caller_number` reads a number as the phone network signalled it, in E.164 or None."""

    catalog: Catalog
    dispatcher: Callable[[], Dispatcher]
    approvals: Approvals
    deliveries: Deliveries
    redeliveries: Redeliveries
    names: ToolNames
    paths: Paths
    clock: Clock
    caller_number: Callable[[str | None], str | None]


class Callbacks:
    """Answers Vapi's tool calls."""

    def __init__(self, parts: CallbackParts) -> None:
        """Join the parts."""
        self._parts = parts

    async def answer(self, tool_id: str, request: VapiRequest, delivery: VapiDelivery) -> bytes | None:
        """Return the JSON body that answers a delivery; None where it asks an unknown tool by its address alone.

        Raises:
            StoreError: As an `apiRequest` it cannot be answered, since nobody can say what the address means.
        """
        parts, business_id = self._parts, request.proof.business_id
        try:
            name = await parts.names.of(business_id, tool_id)
        except StoreError as error:
            if delivery.is_request:
                raise
            return _results(delivery, {}, _out_of_reach(error))
        if name is None:
            return None if delivery.is_request else _results(delivery, {}, _unheard_of(tool_id))
        now = parts.clock.now()
        named = delivery.facts.conversation
        delivery = await self._of_a_conversation(business_id, name, delivery)
        if delivery.is_request:
            # What names no conversation has one for as long as it is known again.
            window = await self._window(business_id, name, delivery) if named else delivery.facts.conversation
            delivery = _identified(delivery, name, window)
        turn = last_turn(request.body, now)
        # A signed message is taken once, even after the half minute in which an `apiRequest` may be repeated.
        once = request.proof.signature if delivery.is_request else ""
        conversation = named if once else delivery.facts.conversation
        key = delivery_key("vapi", tool_id, conversation, once or _asked(delivery))
        within = parts.paths.within(business_id)

        async def work() -> str:
            return (await self._carry_out(business_id, delivery, turn)).decode()

        return (await parts.deliveries.once(within, key, work)).encode()

    async def _of_a_conversation(self, business_id: str, name: str, delivery: VapiDelivery) -> VapiDelivery:
        """Return a delivery that names none in a conversation of its own, which is the same where it comes again.

        So that what it did before is found, also where whoever did it has died. Another caller's may be equal in
        everything: it is the same one only where it comes again at once.

        Raises:
            StoreError: Nobody knows whether an `apiRequest` came before.
        """
        facts = delivery.facts
        if facts.conversation:
            return delivery
        if delivery.handover_at is not None:
            # Two callers may be handed over in the same moment.
            return replace(delivery, facts=replace(facts, message_id=f"s_{uuid.uuid4().hex}"))
        who = (facts.caller_number, facts.called_number, facts.assistant_id)
        within_s = REDELIVERED_S
        if delivery.is_request:
            is_caller_told = self._parts.caller_number(facts.caller_number) is not None
            within_s = REPEATED_WITHIN_S if is_caller_told else RETRIED_WITHIN_S
        try:
            key = delivery_key("vapi unnamed", name, _asked(delivery), *who)
            place = await self._parts.redeliveries.place(business_id, key, within_s)
        except StoreError:
            if delivery.is_request:
                raise
            place = uuid.uuid4().hex
        return replace(delivery, facts=replace(facts, message_id=f"s_{place}"))

    async def _window(self, business_id: str, name: str, delivery: VapiDelivery) -> str:
        """Return by what an `apiRequest`, which has no id, is known again within half a minute of the first time.

        Raises:
            StoreError: Nobody knows whether it came before.
        """
        conversation = delivery.facts.conversation
        if delivery.handover_at:
            # Two agents may hand a call back and forth within half a minute, and each time counts.
            return delivery.handover_at
        key = delivery_key("vapi", conversation, name, _asked(delivery))
        return await self._parts.redeliveries.place(business_id, key, REPEATED_WITHIN_S)

    async def _carry_out(self, business_id: str, delivery: VapiDelivery, turn: LastTurn) -> bytes:
        parts = self._parts
        context = await context_of(parts, business_id, delivery.facts, turn.number)
        # Outside any phone call it is a conversation of its own.
        concerns(business_id, context.session_id)
        assistant_id = ""
        if delivery.handover_at is not None:
            # Vapi goes on as whoever we name.
            context = replace(context, applies_intents=True)
            assistant_id = assistant_of_handover(await parts.catalog.tenant(business_id), delivery.calls[0].name)
            if not assistant_id:
                return orjson.dumps(render_handover(NOBODY_THERE, ""))
        offer, _, _ = await parts.catalog.for_call(business_id, options_of(context))
        calls = [offer.meant("vapi", d.call) for d in delivery.calls if d.call is not None]
        await self._listen(context, offer, calls, turn)
        dispatcher = parts.dispatcher()

        async def execute(call: ToolCall, beside: Beside | None) -> ToolResponse:
            own = replace(context, call_id=call.call_id, beside=beside)
            return await dispatcher.execute_tool(call.name, call.arguments, business_id, own)

        running = ToolRunner(calls, offer.acts, lambda r: ending_of(r) is not None, execute)
        answers = await running.answers(ANSWERED_WITHIN_S)
        running.stop()
        responses = {finished.call.call_id: finished.response for finished in answers}
        if delivery.handover_at is not None:
            return orjson.dumps(render_handover(next(iter(responses.values())), assistant_id))
        if delivery.is_request:
            return orjson.dumps(render_request(next(iter(responses.values()))), default=str)
        return _results(delivery, responses, offer=offer)

    async def _listen(self, context: PhoneContext, offer: Offer, calls: list[ToolCall], turn: LastTurn) -> None:
        """Take the caller's last words for an answer, where one of the tools asks for a yes."""
        offered = [offer.named(call.name) for call in calls]
        if not turn.words or not any(tool is not None and tool.definition.confirm for tool in offered):
            return
        business = offer.business or Business(context.business_id)
        words = Said(turn.words, business.language)
        try:
            now = self._parts.clock.now()
            await self._parts.approvals.hear(
                *(context.business_id, context.session_id, context.turn, words, now),
                asked=turn.asked,
                channel=context.channel,
            )
        except StoreError as error:
            # Then the tool asks once more.
            log.warning("what was said is not recorded", extra=log_fields(error))


async def context_of(parts: CallbackParts, business_id: str, call: VapiFacts, turn: int) -> PhoneContext:
    """Return what is known of the phone call that a message is about, and which agent answers it."""
    tenant = await parts.catalog.tenant(business_id)
    agents = tenant.agents.values() if tenant is not None and call.assistant_id else ()
    agent_id = next((a.id for a in agents if a.vapi_assistant_id == call.assistant_id), None)
    context = phone_context(business_id, call, parts.caller_number(call.caller_number))
    return replace(context, turn=turn, called_phone=parts.caller_number(call.called_number), agent_id=agent_id)


def phone_context(business_id: str, call: VapiFacts, caller_phone: str | None) -> PhoneContext:
    """Return what a message says of its phone call; `caller_phone` is E.164, None where it is withheld."""
    return PhoneContext(
        business_id=business_id,
        # Two callers never meet in one conversation, with what it has found and decided.
        session_id=call.conversation or f"s_{uuid.uuid4().hex}",
        interaction_id=call.provider_call_sid or call.call_id or None,
        turn=0,
        call_sid=call.provider_call_sid,
        caller_phone=caller_phone,
        # Who talks in a browser has no number that could be withheld.
        is_withheld=caller_phone is None and bool(call.provider_call_sid),
    )


def _identified(delivery: VapiDelivery, name: str, window: str) -> VapiDelivery:
    """Return a delivery in which an `apiRequest` has a name and an id, as every other call has."""
    [only] = delivery.calls
    assert only.call is not None
    asked = json.dumps(only.call.arguments, sort_keys=True)
    id = f"request_{delivery_key(delivery.facts.conversation, name, asked, window)}"
    return replace(
        delivery, calls=(replace(only, call_id=id, name=name, call=ToolCall(name, only.call.arguments, id)),)
    )


def _asked(delivery: VapiDelivery) -> str:
    asked = [[c.call_id, c.name, c.call.arguments if c.call else None] for c in delivery.calls]
    return json.dumps(asked, sort_keys=True)


def _results(
    delivery: VapiDelivery,
    responses: dict[str, ToolResponse],
    otherwise: ToolResponse | None = None,
    *,
    offer: Offer | None = None,
) -> bytes:
    rendered = []
    for call in delivery.calls:
        response = responses.get(call.call_id) or otherwise
        if call.refusal is not None:
            response = ToolResponse(failure=Failure.of(call.refusal))
        assert response is not None
        hangs_up = ending_of(response) is TurnOutcome.ENDED
        last_words = _last_words(offer, call.name, response) if offer and hangs_up else ""
        rendered.append(render(call.call_id, call.name, response, last_words))
    return orjson.dumps(render_all(rendered))


def _last_words(offer: Offer, name: str, response: ToolResponse) -> str:
    """Return what a tool says while it hangs up: Vapi hangs up after words only."""
    offered = offer.named(name)
    language = offer.business.language if offer.business is not None else ""
    own = plain(offered.definition.phrase(language, "running"), language) if offered is not None else ""
    return own or leave_words([response], language, has_spoken=False)


def _unheard_of(tool_id: str) -> ToolResponse:
    error = ToolError(
        ErrorType.NOT_FOUND,
        f"There is no tool {tool_id[:80]!r} any more. Answer without it.",
    )
    return ToolResponse(failure=Failure.of(error))


def _out_of_reach(error: StoreError) -> ToolResponse:
    log.error("a tool's callback failed", extra=log_fields(error))
    message = f"Tools cannot be looked up right now; nothing was done. Try again in a moment. {WHEREVER}"
    return ToolResponse(failure=Failure.of(ToolError(ErrorType.TRANSIENT, message)))


class ToolNames:
    """Finds tools by what stands in addresses; nothing of another business is ever found."""

    def __init__(self, catalog: Catalog, store: Store, paths: Paths) -> None:
        """Ask `catalog`, and `store` about tools that were made a moment ago."""
        self._catalog, self._store, self._paths = catalog, store, paths

    async def of(self, business_id: str, id: str) -> str | None:
        """Return the name of the tool, None where this business has none that the id could mean.

        Raises:
            StoreError: The business's own tools cannot be read.
        """
        if (await self._catalog.definitions.current()).set.tools.get(id) is not None:
            return id
        tenant = await self._tenant(business_id)
        name = _named(tenant, id)
        if name is not None:
            return name
        # What was made on another instance is not known here for up to a minute.
        if await self._store.get(self._paths.within(business_id).document("tools", id)) is None:
            return None
        self._catalog.forget(business_id)
        return _named(await self._tenant(business_id), id)

    async def _tenant(self, business_id: str) -> Tenant:
        tenant = await self._catalog.tenant(business_id)
        if tenant is None:
            raise Unavailable("the business's own tools cannot be read")
        return tenant


def _named(tenant: Tenant, id: str) -> str | None:
    own = tenant.own.tools.values()
    return next((tool.record.name for tool in own if id in (tool.record.id, tool.record.name)), None)


def assistant_of_handover(tenant: Tenant | None, tool: str) -> str:
    """Return Vapi's id of the assistant that a tool hands over to; empty where the tool hands over to nobody there.

    The business's usual assistant stands for its default agent alone: anybody else would go on as somebody wrong.
    """
    own = tenant.own.tools.get(tool) if tenant is not None else None
    agent = tenant.agents.get(own.hands_over_to) if tenant is not None and own is not None else None
    if tenant is None or agent is None:
        return ""
    return agent.vapi_assistant_id or (assistant_of(tenant, agent) if agent.is_default else "")
