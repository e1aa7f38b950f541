"""`/phone/…`: what Twilio asks while a call goes on. Every answer is TwiML with status 200, whatever fails inside.

A webhook that is tried again gets the answer it got before (`deliveries`). What takes longer than Twilio and the caller
have patience for ends in a sentence and a way out.
"""

import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime
from typing import Final
from urllib.parse import urlencode

import orjson
from cachetools import LRUCache
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from switchboard.catalog.offer.alternatives import Alternatives
from switchboard.catalog.offer.catalog import Catalog, Options
from switchboard.channels.call_start import CallStart
from switchboard.channels.http.answer import Endpoint
from switchboard.channels.http.idempotency import Deliveries
from switchboard.channels.phone import twiml
from switchboard.channels.phone.call_state import CallStates
from switchboard.channels.phone.call_transfers import CallTransfers, put_elsewhere
from switchboard.channels.phone.gather import Gathering
from switchboard.channels.phone.relay import RelayTokens
from switchboard.channels.phone.turns import Turns
from switchboard.channels.phone.voice import Sentence, Voice, greeting, on_the_phone, speaking
from switchboard.channels.phone.webhook import (
    CallerDirectory,
    Kept,
    Webhook,
    WebhookAuth,
    Webhooks,
    WebhookVisit,
    in_time,
)
from switchboard.contract.business.business import Business
from switchboard.contract.business.succession import forgets_businesses
from switchboard.contract.channel import Channel
from switchboard.contract.context import PhoneContext
from switchboard.contract.document import mapping
from switchboard.contract.error import BusinessGone, ToolError, log_fields
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Clock, Paths
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import StoreError
from switchboard.conversation.conversation import Conversation
from switchboard.conversation.event import TurnOutcome
from switchboard.conversation.held_conversations import Conversations

log = logging.getLogger(__name__)

# Within three seconds, network not counted: the work, and what it takes to remember its answer.
WORKED_WITHIN_S = 2.4
REMEMBERED_WITHIN_S = 0.4
# What is looked up while a call starts holds the greeting up; the caller hears the line ring a little longer.
FOUND_WITHIN_S = 1.2
# Nobody listens to the answer to a status, and the last action of a call may take its time.
STATUS_WITHIN_S = 8.0
# What was under way when a line dropped, and comes to its end so soon, is told as soon as the caller is back.
UNTOLD_WITHIN_S = 1.0
_BUSINESSES_KNOWN = 5_000
# A line is up before its first word is said, and clocks differ.
_BEFORE_FIRST_WORD_S = 120
_OVER = frozenset({"completed", "busy", "failed", "no-answer", "canceled"})
_REACHED = frozenset({"completed", "answered"})
# As Twilio names what has answered, where it tells: `machine_start`, `machine_end_beep` and others, `fax`.
_MACHINES = ("machine", "fax")

TAKEN: Final = "taken"
"""Stands in the address of a transfer's result where a person has had the caller put through."""
Answer = Callable[["Webhook", Business], Awaitable[str]]


@dataclass(frozen=True, slots=True)
class PhoneParts:
    """What the webhooks work with.

    Attributes:
        relay_url: Without it calls are held in `<Gather>` turns.
        call_start: Looks things up while a call starts; None where nothing is.
    """

    door: WebhookAuth
    paths: Paths
    catalog: Catalog
    conversations: Conversations
    deliveries: Deliveries
    tokens: RelayTokens
    handoffs: CallStates
    reception: CallerDirectory
    transfers: CallTransfers
    clock: Clock
    relay_url: str = ""
    call_start: CallStart | None = None


def routes(parts: PhoneParts) -> list[Route]:
    """Return the routes of the `phone` function, without its path prefix."""
    phone = _Phone(parts)
    served = {
        "/incoming": (phone.incoming, WORKED_WITHIN_S, Kept.WITH_ITS_CALL),
        "/turn": (phone.turn, WORKED_WITHIN_S, Kept.WITH_ITS_TURN),
        "/relay-ended": (phone.relay_ended, WORKED_WITHIN_S, Kept.APART),
        "/transfer-result": (phone.transfer_result, WORKED_WITHIN_S, Kept.APART),
        "/status": (phone.status, STATUS_WITHIN_S, Kept.NOWHERE),
    }
    return [Route(path, phone.endpoint(*how), methods=["POST"]) for path, how in served.items()]


class _Phone:
    """Answers the webhooks of every business."""

    def __init__(self, parts: PhoneParts) -> None:
        self._parts = parts
        self._webhooks = Webhooks(parts.door, parts.paths, parts.deliveries)
        # As they were when their last webhook was answered: what is said when not even they can be read.
        self._known: LRUCache[str, Business] = LRUCache(_BUSINESSES_KNOWN)
        # Of those that are not there any more, nothing but the language in which they spoke.
        self._gone_ones: LRUCache[str, Business] = LRUCache(_BUSINESSES_KNOWN)
        turns = Turns(parts.handoffs, parts.clock)
        self._ways: LRUCache[str, Alternatives] = LRUCache(_BUSINESSES_KNOWN)
        self._gathering = Gathering(parts.conversations, turns, parts.door, parts.reception, self._ways_out)
        forgets_businesses(self)

    def forget_business(self, business_id: str) -> None:
        """Forget a business that is not there any more; in which language that is said stays known."""
        known = self._known.pop(business_id, None)
        self._ways.pop(business_id, None)
        if known is not None:
            self._gone_ones[business_id] = Business("", language=known.language)

    def endpoint(self, answer: Answer, within_s: float, kept: Kept) -> Endpoint:
        """Return an endpoint that lets requests in and answers each delivery once, after so many seconds at most."""

        def otherwise(visit: WebhookVisit) -> str:
            if visit.webhook is not None:
                return self._trouble(visit.webhook)
            # Nobody can say whether Twilio asks, and a caller may be waiting: nothing is told but what may go to
            # anybody.
            return twiml.trouble(self._parts.door.safe_numbers.behind(visit.called))

        async def served(request: Request) -> Response:
            return await self._webhooks.answer(
                request,
                lambda webhook: self._document(webhook, answer, within_s),
                otherwise,
                within_s + REMEMBERED_WITHIN_S,
                kept=kept,
            )

        return served

    async def _document(self, webhook: Webhook, answer: Answer, within_s: float) -> str:
        """Return the answer, or words for why there is none; either is what the same delivery gets again."""
        known: list[Business] = []

        async def work() -> str:
            try:
                tenant = await self._parts.catalog.tenant(webhook.line.business_id)
            except BusinessGone:
                return self._gone(webhook)
            if tenant is None:
                return self._trouble(webhook)
            business = on_the_phone(tenant, self._parts.catalog.marks_of(tenant, webhook.call_sid))
            known.append(business)
            self._known[business.id] = business
            self._ways_out(business.id)
            return await answer(webhook, business)

        def otherwise() -> str:
            return self._trouble(webhook, *known)

        return await in_time(work(), within_s, otherwise)

    def _gone(self, webhook: Webhook) -> str:
        """End a call to a business that was taken away; what a relay has ended was told so by its conversation."""
        log.info("a call to a business that was taken away")
        known = self._gone_ones.get(webhook.line.business_id)
        return twiml.goodbye("", known) if _reason(webhook.fields.get("HandoffData", "")) else twiml.gone(known)

    def _trouble(self, webhook: Webhook, business: Business | None = None) -> str:
        """Say that something failed, for a business as it was known here last; of one that was not, ring somebody."""
        business = business or self._known.get(webhook.line.business_id)
        return self._gathering.trouble(webhook, self._parts.door.safe_numbers.behind(webhook.called, business))

    async def incoming(self, webhook: Webhook, business: Business) -> str:
        """Answer a call: with the greeting, not at all, or where the month is used up by a person or another way."""
        parts = self._parts
        context = webhook.context(parts.reception.caller_number(webhook.fields.get("From")))
        within, now = parts.paths.within(business.id), parts.clock.now()
        if await parts.reception.turned_away(within, context, now, is_new=webhook.is_first):
            return twiml.not_served(business, now)
        if not business.begins_conversations(Channel.PHONE, now):
            return await put_elsewhere(parts.transfers, business, context, now)
        prompt = greeting(business)
        webhook.leaving.update(parts.handoffs.beginning_of(context, prompt))
        is_noted = await self._look_up(context)
        return await self._listen(webhook, business, prompt, is_new=webhook.is_first and not is_noted)

    async def _look_up(self, context: PhoneContext) -> bool:
        """Let the conversation begin with what the call-start tools find; tell whether anything is written for it."""
        parts = self._parts
        note = await parts.call_start.look_up(context, FOUND_WITHIN_S) if parts.call_start is not None else ""
        if not note:
            return False
        try:
            await parts.conversations.begin_with(context, note)
        except StoreError as error:
            log.warning("what was found is not told", extra=log_fields(error))
        return True

    async def turn(self, webhook: Webhook, business: Business) -> str:
        """Answer what the caller said or pressed in a `<Gather>` turn, or go on with an answer that takes long."""
        answer = await self._gathering.answer(webhook, business)
        business = speaking(business, answer.language)
        if answer.outcome is TurnOutcome.TRANSFERRED and answer.transfer.get("number"):
            return twiml.dial(answer.text, business, answer.transfer, self._result_url(answer.transfer))
        return twiml.goodbye(answer.text, business) if answer.twiml is None else answer.twiml

    async def relay_ended(self, webhook: Webhook, business: Business) -> str:
        """Do what is left to do after a relay session."""
        parts = self._parts
        reason = _reason(webhook.fields.get("HandoffData", ""))
        if reason == TurnOutcome.TRANSFERRED.value:
            transfer = await parts.handoffs.transfer_of(business.id, webhook.call_sid)
            if transfer.get("number"):
                return twiml.dial("", business, transfer, self._result_url(transfer))
            return self._gathering.trouble(webhook, business)
        if reason == TurnOutcome.ENDED.value:
            return twiml.goodbye("", business)
        if reason:
            # The relay has given the call up: nobody speaks, or it lasts too long.
            return twiml.goodbye(Voice.of(business).sentence(Sentence.GOODBYE), business)
        if webhook.fields.get("CallStatus") in _OVER:
            await self._hung_up(webhook)
        if webhook.fields.get("SessionStatus") != "failed" or webhook.fields.get("CallStatus") != "in-progress":
            return twiml.nothing_more()
        untold, asked, language = await self._untold(webhook)
        business = speaking(business, language)
        voice = Voice.of(business)
        parts_said = (voice.sentence(Sentence.CUT_OFF), untold, asked or voice.sentence(Sentence.GO_ON))
        prompt = " ".join(filter(None, parts_said))
        # Once: a second drop is no accident, and turns need no socket.
        if await parts.handoffs.reconnected(business.id, webhook.call_sid) > 1:
            return await self._gathering.listen(webhook, business, prompt)
        return await self._listen_on(webhook, business, prompt)

    async def _untold(self, webhook: Webhook) -> tuple[str, str, str]:
        """Return what was done that a caller whose line has dropped was not told, and what they are asked again.

        The third is the language in which they speak. Empty is also what nobody can tell; the language is, where it is
        the business's.
        """
        context = webhook.context(self._parts.reception.caller_number(webhook.fields.get("From")))
        try:
            conversation = await self._parts.conversations.open(context)
            untold = await conversation.cut_off(UNTOLD_WITHIN_S)
            return untold, await conversation.open_question(), conversation.session.other_language
        except (StoreError, ToolError) as error:
            log.warning("what was done before a line dropped is not told at once", extra=log_fields(error))
            return "", "", ""

    async def transfer_result(self, webhook: Webhook, business: Business) -> str:
        """Go on after a transfer: nobody has answered, or the conversation with a person is over."""
        is_reached = webhook.fields.get("DialCallStatus") in _REACHED
        # Whoever was put through to an answering machine has talked to nobody.
        by_machine = webhook.fields.get("AnsweredBy", "").casefold().startswith(_MACHINES)
        if is_reached and not by_machine and webhook.fields.get("DialBridged") != "false":
            return twiml.goodbye("", business)
        if TAKEN in webhook.query:
            await self._parts.handoffs.give_back(business.id, webhook.call_sid)
        fallback = webhook.query.get("fallback", "")
        if fallback:
            payload: JsonObject = {"number": fallback, "callerId": webhook.query.get("callerId", "")}
            return twiml.dial("", business, payload, self._result_url({}))
        offer = await self._parts.catalog.get_tool_definitions(business.id, Options(Channel.PHONE))
        # Who has just rung in vain is not rung again.
        ways = replace(offer.ways_out(), transfers=())
        apology = Voice.of(business).sentence(Sentence.NOBODY_THERE)
        instead = ways.said(business.language, self._parts.clock.now())
        return await self._listen_on(webhook, business, f"{apology} {instead}")

    async def status(self, webhook: Webhook, business: Business) -> str:
        """Write a call down that is over, unless that was done when the conversation ended."""
        if webhook.fields.get("CallStatus") in _OVER:
            await self._hung_up(webhook)
        return twiml.nothing_more()

    def _ways_out(self, business_id: str) -> Alternatives:
        """Return what a business's callers can have instead, without asking anybody: as it was known here last."""
        offer = self._parts.catalog.at_hand(business_id, Options(Channel.PHONE))
        if offer is not None:
            self._ways[business_id] = offer.ways_out()
        return (self._ways.get(business_id) or Alternatives(Channel.PHONE)).at(self._parts.clock.now())

    async def _hung_up(self, webhook: Webhook) -> None:
        context = webhook.context(self._parts.reception.caller_number(webhook.fields.get("From")))
        conversation = await self._parts.conversations.open(context)
        if not await self._has_been(conversation, webhook):
            return
        lasted_s = self._believable(webhook.lasted_s, conversation.session.began_at)
        # One that was put through to somebody is over, but was not ended by that.
        if not conversation.session.is_closed:
            await conversation.close(lasted_s)
        elif lasted_s is not None:
            await self._parts.conversations.lasted(conversation.session.facts, lasted_s)

    def _believable(self, lasted_s: int | None, began_at: datetime | None) -> int | None:
        """Return how long a call lasted, as the carrier says: never longer than since it began, ringing included."""
        if lasted_s is None or began_at is None:
            return lasted_s
        since_s = round((self._parts.clock.now() - began_at).total_seconds())
        return min(lasted_s, max(0, since_s) + _BEFORE_FIRST_WORD_S)

    async def _has_been(self, conversation: Conversation, webhook: Webhook) -> bool:
        """Tell whether a call has come in; of one that was only told of, nothing is kept."""
        session = conversation.session
        if session.history.messages or session.began_at is not None:
            return True
        return bool(await self._parts.handoffs.beginning(webhook.line.business_id, webhook.call_sid))

    async def _listen_on(self, webhook: Webhook, business: Business, prompt: str) -> str:
        """Say something in a conversation that has begun and listen on, over the relay where there is one."""
        if self._parts.relay_url:
            await self._parts.handoffs.keep_prompt(business.id, webhook.call_sid, prompt)
        return await self._listen(webhook, business, prompt)

    async def _listen(self, webhook: Webhook, business: Business, prompt: str, *, is_new: bool = False) -> str:
        parts = self._parts
        if not parts.relay_url:
            return await self._gathering.listen(webhook, business, prompt, is_new=is_new)
        token = await parts.tokens.issue(business.id, parts.paths.within(business.id), webhook.call_sid)
        return twiml.connect(business, parts.relay_url, token, prompt, parts.door.url("/relay-ended"))

    def _result_url(self, transfer: JsonObject) -> str:
        # Signed with the rest of the address, so that nobody but Twilio can send it back changed.
        words = {"fallback": transfer.get("fallbackNumber"), "callerId": transfer.get("callerId")}
        known = {name: str(value) for name, value in words.items() if value and transfer.get("fallbackNumber")}
        return self._parts.door.url("/transfer-result", urlencode(known))


def _reason(handoff: str) -> str:
    try:
        fields = orjson.loads(handoff or "{}")
    except ValueError:
        return ""
    return str(mapping(fields).get("reason", ""))
