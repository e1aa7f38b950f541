"""`POST /browser_voice/execute` and `/cancel`: the calls of a vendor's live model, carried out on our side.

The browser is the caller's own: it may ask for nothing that the model could not, and what needs a yes is decided by
the caller's words or button of a later turn, never by a call. Business and caller come from the credential.
"""

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response

from switchboard.catalog.offer.offer import Offer
from switchboard.channels.browser_voice.sessions import NOT_SERVED
from switchboard.channels.browser_voice.turn import admit, turn_number
from switchboard.channels.browser_voice.vendor_sessions import LiveSessions, VendorSession, VendorSessions
from switchboard.channels.browser_voice.vendors import DIALECTS, CallAnswer, VoiceDialect
from switchboard.channels.http.answer import Endpoint, json_answer
from switchboard.channels.http.credentials import Rejected
from switchboard.channels.http.request_body import Malformed, json_object, optional_text
from switchboard.channels.portal.auth import PortalAuth
from switchboard.channels.portal.events import receipt_view
from switchboard.channels.portal.replies import TurnedAway, read_utterance
from switchboard.channels.stranger_shares import StrangerShares
from switchboard.contract.call import ToolCall
from switchboard.contract.caller.outside_id import is_blank
from switchboard.contract.context import BrowserVoiceContext
from switchboard.contract.definitions.definition import Kind
from switchboard.contract.error import ErrorType, Refused
from switchboard.contract.json import JsonObject
from switchboard.contract.policy import CHANNEL_POLICY, Thing
from switchboard.contract.response import CALLERS_WORDS, Failure, IntentType, ToolResponse
from switchboard.contract.store import StoreError
from switchboard.conversation.dependencies import Dependencies
from switchboard.conversation.speech.house_phrases import ending_of
from switchboard.conversation.speech.utterance import Utterance
from switchboard.pipeline.confirmation.approvals import ConsentResult

MOST_CALLS = 16
_LONGEST_SAID = 16_000
_STATUSES = ("completed", "cancelled", "failed", "incomplete")
_ASK_AGAIN_S = 0.1
_NOTHING = ConsentResult("nothing")
# What a page has to do; where people are sent and what a model is told is not for browsers.
_FOR_PAGES = (
    IntentType.END_CALL,
    IntentType.END_VOICE_SESSION,
    IntentType.SUPPRESS_AUDIO,
    IntentType.SUPPRESS_TRANSCRIPT,
)


def execute_endpoint(
    door: PortalAuth,
    parts: Dependencies,
    sessions: VendorSessions,
    shares: StrangerShares,
    live: LiveSessions,
    turned_away: TurnedAway,
) -> Endpoint:
    """Return the endpoint that carries calls out and hears the caller, where a live model holds the conversation.

    The body is `{provider?, turn?, calls?, status?, heard?, asked?, said?, interrupted?}`: `turn` is a browser's own
    count of human turns, by which a late request is told from one of a new turn; the number that holds is counted here,
    by what was heard and answered, and a stranger gets so many. `calls` are in the vendor's words, `status` that of the
    response they came in, `heard` {text} or {button, question} of this turn, `asked` what the agent said last before
    it, as far as it was heard, `said` what the agent said in it, once it is over. The answer is `{turn, messages,
    heard, asked, receipts, notes, intents, over}`: `messages` go to the vendor as they are, `notes` are told to the
    model with the next turn.

    Whoever is turned away is refused (403). While a person answers in the conversation, no call is made and the talk is
    over; what was heard reaches them.
    """

    async def execute(request: Request) -> Response:
        body = await json_object(request)
        speaker = await admit(door, request, body)
        await live.require(speaker.context)
        label = turn_number(body)
        dialect, calls, unreadable = _calls(body)
        spoken, status = _utterance(body), body.get("status", "completed")
        if status not in _STATUSES:
            raise Malformed("status", f"status must be one of {', '.join(_STATUSES)}.")
        agent, asked = (optional_text(body, name, longest=_LONGEST_SAID) for name in ("said", "asked"))
        session = await sessions.open(speaker.context)
        if await turned_away(speaker.context, session.session.blocked_until):
            raise Rejected(403, NOT_SERVED)
        context = await _in_turn(shares, session, speaker.context, label, is_heard=spoken is not None)
        is_with_person = session.session.person.is_answering
        answer: JsonObject = {"turn": context.turn, "heard": None}
        if spoken is not None:
            session.note_utterance(spoken, speaker.portal.business)
            context = session.turn_context(speaker.context)
            # A button stands below its question; of spoken words, only what the model has said tells what to.
            presented = None if spoken.question is not None else asked or ""
            consent = await _hear(parts, session, context, spoken, presented)
            answer["heard"] = _decision(consent)
        began = time.monotonic()
        answers = [*await _answered(parts, session, context, dialect, calls, status), *unreadable]
        session.note_answers(answers, round((time.monotonic() - began) * 1000, 1))
        answer |= {"messages": dialect.messages(answers), **_page_effects(answers), "notes": session.notes()}
        if agent is not None or body.get("interrupted") is True:
            session.note_speech(agent or "", body.get("interrupted") is True)
        if answer["over"]:
            session.note_end()
        elif is_with_person:
            answer |= {"over": True, "intents": [IntentType.END_VOICE_SESSION.value]}
        await session.save()
        return json_answer(orjson.dumps(answer, default=str))

    return execute


async def _in_turn(
    shares: StrangerShares, session: VendorSession, caller: BrowserVoiceContext, label: int | None, *, is_heard: bool
) -> BrowserVoiceContext:
    """Return the context of the turn that a request belongs to; one that begins a new turn is counted first."""
    # Requests of one turn come side by side: whichever is first begins it, and the others are of that turn too.
    async with session.floor:
        if session.begins_turn(label, is_heard):
            # What a person answers costs no model.
            is_with_person = session.session.person.is_answering
            await shares.spend(caller, Thing.MESSAGES, *(() if is_with_person else (Thing.MODEL_TURNS,)))
            await session.begin_turn(label)
        return session.turn_context(caller)


def cancel_endpoint(door: PortalAuth, sessions: VendorSessions, live: LiveSessions) -> Endpoint:
    """Return the endpoint that takes calls back; it answers `{calls: [{callId, name, fate}], notes}`."""

    async def cancel(request: Request) -> Response:
        body = await json_object(request)
        speaker = await admit(door, request, body)
        await live.require(speaker.context)
        ids = body.get("callIds")
        if (
            not isinstance(ids, list)
            or len(ids) > MOST_CALLS
            or not all(isinstance(id, str) and not is_blank(id) for id in ids)
        ):
            raise Malformed("callIds", f"callIds must be a list of at most {MOST_CALLS} call ids.")
        session = await sessions.open(speaker.context)
        fates = session.calls.take_back(ids)
        calls = [{"callId": id, "name": name, "fate": fate} for id, name, fate in fates]
        return json_answer(orjson.dumps({"calls": calls, "notes": session.notes()}, default=str))

    return cancel


def _calls(body: Mapping[str, Any]) -> tuple[VoiceDialect, list[ToolCall], list[CallAnswer]]:
    """Return the dialect, the calls under different ids, and the answers to those that cannot be read."""
    given = body.get("calls", [])
    if not isinstance(given, list) or len(given) > MOST_CALLS or not all(isinstance(c, dict) for c in given):
        raise Malformed("calls", f"calls must be a list of at most {MOST_CALLS} function calls.")
    provider = body.get("provider")
    if provider is None:
        provider = "openai" if any("call_id" in call for call in given) else "gemini"
    if provider not in DIALECTS:
        raise Malformed("provider", f"provider must be one of {', '.join(DIALECTS)}.")
    dialect = DIALECTS[provider]
    calls: dict[str, ToolCall] = {}
    unreadable: dict[str, CallAnswer] = {}
    for number, vendor in enumerate(given):
        id, field = vendor.get(dialect.id_field), f"calls[{number}].{dialect.id_field}"
        if not isinstance(id, str) or len(id) > 200 or is_blank(id):
            raise Malformed(field, f"{field} is required: without it the vendor cannot be answered.")
        try:
            call = dialect.parse(vendor)
        except Refused as refused:
            call = ToolCall(str(vendor.get("name") or "")[:60], {}, id)
            unreadable[id] = CallAnswer(call, ToolResponse(failure=Failure.of(refused)), None)
            continue
        calls.setdefault(id, call)
    return dialect, list(calls.values()), [answer for id, answer in unreadable.items() if id not in calls]


def _utterance(body: Mapping[str, Any]) -> Utterance | None:
    """Return what the human did, as `heard` tells it; None where a request tells nothing of it."""
    heard = body.get("heard")
    if heard is not None and not isinstance(heard, dict):
        raise Malformed("heard", "heard must be an object with text or button.")
    return read_utterance(heard, within="heard.", whole="heard") if heard is not None else None


async def _answered(
    parts: Dependencies,
    session: VendorSession,
    context: BrowserVoiceContext,
    dialect: VoiceDialect,
    calls: Sequence[ToolCall],
    status: str,
) -> list[CallAnswer]:
    if session.session.person.is_answering:
        return [CallAnswer(call, _left_to_person(call), None) for call in calls]
    if status != "completed":
        return [CallAnswer(call, _cancelled_response(call, status), None) for call in calls]
    offer = await parts.offer(context)
    return await _run_calls(parts, session, context, offer, [offer.meant(dialect.format, call) for call in calls])


async def _run_calls(
    parts: Dependencies, session: VendorSession, context: BrowserVoiceContext, offer: Offer, calls: Sequence[ToolCall]
) -> list[CallAnswer]:
    async def execute(call: ToolCall) -> ToolResponse:
        return await _run_call(parts, call, context)

    def acts(name: str) -> bool:
        offered = offer.named(name)
        return offered is not None and offered.definition.kind is Kind.ACTION

    responses = await session.calls.carry_out(calls, acts, lambda r: ending_of(r) is not None, execute)
    answers = []
    for call, response in zip(calls, responses, strict=True):
        if response is not None:
            offered = offer.named(call.name)
            answers.append(CallAnswer(call, response, offered.definition if offered else None))
    return answers


async def _run_call(parts: Dependencies, call: ToolCall, context: BrowserVoiceContext) -> ToolResponse:
    """Carry a call out, or wait for its first delivery elsewhere: the vendor takes one answer to each."""
    own = replace(context, call_id=call.call_id)
    until = time.monotonic() + CHANNEL_POLICY[context.channel].action_deadline_ms / 1000
    while True:
        response = await parts.execute(call, own)
        failure = response.failure
        is_under_way = failure is not None and failure.type is ErrorType.CONFLICT and failure.retryable
        if not is_under_way or time.monotonic() >= until:
            return response
        await asyncio.sleep(_ASK_AGAIN_S)


def _cancelled_response(call: ToolCall, status: str) -> ToolResponse:
    text = f"{call.name} was not called, since the response it came in was {status}; nothing was done."
    failure = Failure(ErrorType.TRANSIENT, f"cancelled: {text}", retryable=True, partial_side_effects=False)
    return ToolResponse(failure=failure)


def _left_to_person(call: ToolCall) -> ToolResponse:
    text = (
        f"A person of the business answers in this conversation now, so {call.name} was not called, and nothing was "
        "done. Do not call any more tools and say nothing more."
    )
    return ToolResponse(failure=Failure(ErrorType.SESSION_INACTIVE, text, retryable=False, partial_side_effects=False))


async def _hear(
    parts: Dependencies, session: VendorSession, context: BrowserVoiceContext, spoken: Utterance, presented: str | None
) -> ConsentResult:
    # What is said to a person is no answer to a question of the model's.
    if session.session.person.is_answering:
        return _NOTHING
    try:
        return await parts.hear(context, spoken, session.session.language, presented, session.session.own)
    except StoreError:
        # Nothing was agreed to, as far as can be told: a call that needs a yes will ask anew.
        return _NOTHING


def _decision(heard: ConsentResult) -> JsonObject:
    return {"verdict": heard.verdict, "tool": heard.tool, "readBack": heard.read_back}


def _page_effects(answers: Sequence[CallAnswer]) -> JsonObject:
    """Return what the page shows and does about the answers."""
    asked, receipts, intents = None, [], []
    for answer in answers:
        response = answer.response
        meta = response.meta
        if response.failure is not None and response.failure.type is ErrorType.CONFIRMATION_REQUIRED:
            asked = {"question": meta.get("readBack", ""), "turn": meta.get("turn"), "tool": answer.call.name}
        receipt = receipt_view(answer.call.name, meta.get("receipt") if response.ok else None)
        if receipt is not None:
            receipts.append({"callId": answer.call.call_id, **receipt})
        shown = (intent for intent in response.intents if intent != CALLERS_WORDS)
        intents += [intent.type.value for intent in shown if intent.type in _FOR_PAGES]
    is_over = any(ending_of(answer.response) is not None for answer in answers)
    return {"asked": asked, "receipts": receipts, "intents": intents, "over": is_over}
