"""Conversations that a vendor's model holds: which were opened so, their calls, and their record.

The words go between browser and vendor. What comes this way is what the caller said, what the agent said, as the page
tells it turn by turn, and every call. A live model asks for calls and takes them back when the caller speaks: what has
not begun is dropped, what only reads is discarded, and an action that has begun is kept, since nobody can undo it; the
model is told of it in the next turn.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import field, replace
from datetime import timedelta
from typing import Any, Literal, TypeAlias

from cachetools import LRUCache

from switchboard.channels.browser_voice.vendors import CallAnswer
from switchboard.channels.http.credentials import Rejected
from switchboard.contract.background import in_background
from switchboard.contract.business.business import Business
from switchboard.contract.business.succession import drop_business, forgets_businesses
from switchboard.contract.call import ToolCall
from switchboard.contract.context import BrowserVoiceContext
from switchboard.contract.error import ErrorType, log_fields
from switchboard.contract.model import Spoken, ToolMessage
from switchboard.contract.ports import Clock, Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.response import Failure, ToolResponse
from switchboard.contract.store import Set, StoreError
from switchboard.conversation.dependencies import Dependencies, Recorder
from switchboard.conversation.event import Text, ToolFinished, TurnEnded, TurnOutcome
from switchboard.conversation.held_conversations import Conversations
from switchboard.conversation.history import reported
from switchboard.conversation.session import CallSession
from switchboard.conversation.speech.callers_language import follow
from switchboard.conversation.speech.utterance import Utterance

log = logging.getLogger(__name__)

SESSIONS_KEPT = 2_000

# As long as a visitor's token is good for.
_LASTS = timedelta(hours=12)
_KNOWN = 5_000
_NOT_OPENED = (
    "This conversation was not opened with a live speech model, so that no model can have asked for a call. Open it by "
    "POST /browser_voice/session and a provider that SWITCHBOARD_VOICES names, or speak by POST /browser_voice/turn."
)

CALLS_KEPT = 200

Fate: TypeAlias = Literal["dropped", "discarded", "kept"]
"""What became of a call that was taken back."""
Execute: TypeAlias = Callable[[ToolCall], Coroutine[Any, Any, ToolResponse]]


class LiveSessions:
    """Notes them, for every process."""

    def __init__(self, store: Store, paths: Paths, clock: Clock) -> None:
        """Keep them in `store`."""
        self._store, self._paths, self._clock = store, paths, clock
        self._known: LRUCache[tuple[str, str], bool] = LRUCache(_KNOWN)
        forgets_businesses(self)

    def forget_business(self, business_id: str) -> None:
        """Forget which talks of a business were opened."""
        drop_business(self._known, business_id)

    async def open(self, context: BrowserVoiceContext, provider: str) -> None:
        """Note that a conversation has been opened with a provider's model.

        Raises:
            StoreError: It was not noted, and its calls would be refused.
        """
        path, now = self._path(context), self._clock.now()
        await self._store.commit([Set(path, {"provider": provider, "at": now, "expireAt": now + _LASTS})])
        self._known[context.business_id, path] = True

    async def require(self, context: BrowserVoiceContext) -> None:
        """Return if a conversation has been opened so, here or elsewhere.

        Raises:
            Rejected: 403, it has not.
            StoreError: Nobody can tell.
        """
        path = self._path(context)
        if (context.business_id, path) in self._known:
            return
        if await self._store.get(path) is None:
            raise Rejected(403, _NOT_OPENED)
        self._known[context.business_id, path] = True

    def _path(self, context: BrowserVoiceContext) -> str:
        return self._paths.within(context.business_id).document("tickets", f"live-voice:{context.session_id}")


@dataclass(slots=True)
class _LiveCall:
    call: ToolCall
    acts: bool
    fate: Fate | None = None
    has_begun: bool = False
    is_reported: bool = False
    task: asyncio.Task[ToolResponse] | None = field(default=None, repr=False)

    @property
    def response(self) -> ToolResponse | None:
        task = self.task
        return task.result() if task is not None and task.done() and not task.cancelled() else None


class LiveCalls:
    """The calls of one conversation, in one process."""

    def __init__(self) -> None:
        """Know no call."""
        self._known: LRUCache[str, _LiveCall] = LRUCache(CALLS_KEPT)
        # What was taken back before it arrived here: requests overtake each other.
        self._unwanted: LRUCache[str, bool] = LRUCache(CALLS_KEPT)
        self._one_after_the_other = asyncio.Lock()

    async def carry_out(
        self,
        calls: Sequence[ToolCall],
        acts: Callable[[str], bool],
        ends: Callable[[ToolResponse], bool],
        execute: Execute,
    ) -> list[ToolResponse | None]:
        """Return one answer per call, in order; None for what was taken back.

        Reading goes on side by side, acting in the model's order, across several of these too. A call that is known
        already is not begun again; whoever stops waiting stops nothing.

        Args:
            calls: Each under an id of its own.
            acts: Tells whether a tool changes the world.
            ends: Tells whether an answer ends the conversation, so that no later action is begun.
            execute: Carries one out; it never raises.
        """
        is_over: list[bool] = []
        live_calls = [self._begin(call, acts(call.name), ends, execute, is_over) for call in calls]
        tasks = [one.task for one in live_calls if one.task is not None]
        if tasks:
            await asyncio.wait(tasks)
        return [None if one.fate is not None else one.response or _not_begun(one.call) for one in live_calls]

    def take_back(self, ids: Sequence[str]) -> list[tuple[str, str, Fate]]:
        """Take calls back; return id, tool and fate of each. The tool is empty where the call has not arrived."""
        fates: list[tuple[str, str, Fate]] = []
        for id in ids:
            call = self._known.get(id)
            if call is None:
                self._unwanted[id] = True
                fates.append((id, "", "dropped"))
                continue
            call.fate = call.fate or self._fate(call)
            fates.append((id, call.call.name, call.fate))
        return fates

    def unreported(self) -> list[tuple[ToolCall, ToolResponse]]:
        """Return the calls that were kept and are done, each once: what the model has to be told of."""
        outcomes = []
        for live_call in self._known.values():
            response = live_call.response
            if live_call.fate == "kept" and not live_call.is_reported and response is not None:
                live_call.is_reported = True
                outcomes.append((live_call.call, response))
        return outcomes

    def _fate(self, live_call: _LiveCall) -> Fate:
        if not live_call.acts:
            if live_call.task is not None:
                live_call.task.cancel()
            return "discarded"
        return "kept" if live_call.has_begun else "dropped"

    def _begin(
        self,
        call: ToolCall,
        acts: bool,
        ends: Callable[[ToolResponse], bool],
        execute: Execute,
        is_over: list[bool],
    ) -> _LiveCall:
        known = self._known.get(call.call_id)
        # Under a known id, another call is the ledger's to refuse.
        if known is not None and known.call == call:
            return known
        made = self._known[call.call_id] = _LiveCall(call, acts)
        if self._unwanted.pop(call.call_id, False):
            made.fate = "dropped"
            return made
        work = self._act(made, ends, execute, is_over) if acts else execute(call)
        made.task = in_background(work)
        return made

    async def _act(
        self,
        live_call: _LiveCall,
        ends: Callable[[ToolResponse], bool],
        execute: Execute,
        is_over: list[bool],
    ) -> ToolResponse:
        async with self._one_after_the_other:
            if live_call.fate is not None or is_over:
                return _not_begun(live_call.call)
            live_call.has_begun = True
            response = await execute(live_call.call)
            if ends(response):
                is_over.append(True)
            return response


def _not_begun(call: ToolCall) -> ToolResponse:
    text = f"{call.name} was not begun; nothing was done. Call it again only if the caller still wants it."
    return ToolResponse(failure=Failure(ErrorType.TRANSIENT, text, retryable=True, partial_side_effects=False))


@dataclass(slots=True)
class VendorSession:
    """One conversation that a vendor's model holds.

    Attributes:
        session: Its state, as the turn loop keeps it too, so that the caller may go on without the vendor.
        recorder: Writes it down.
        calls: Its calls.
        label: The number that the browser gave to the human turn that is under way.
        is_heard: Whether it is known what the human did in that turn.
        has_answer: Whether its answer is over.
        floor: Held while a request finds out in which turn it is.
    """

    session: CallSession
    recorder: Recorder
    calls: LiveCalls = field(default_factory=LiveCalls)
    label: int = 0
    # What is taken up from a record may be anywhere in its turn.
    is_heard: bool = True
    has_answer: bool = True
    floor: asyncio.Lock = field(default_factory=asyncio.Lock)

    def begins_turn(self, label: int | None, is_heard: bool) -> bool:
        """Tell whether a request begins a human turn: turns are counted here, and never by a browser.

        It begins one if the human has done something, or the last answer is over, under a number that is new.
        """
        if not self.session.facts.turn:
            return True
        if label is None:
            return is_heard and (self.is_heard or self.has_answer)
        return label > self.label and (is_heard or self.has_answer)

    async def begin_turn(self, label: int | None) -> None:
        """Count a human turn."""
        self.label = label or self.label + 1
        self.is_heard = self.has_answer = False
        await self.recorder.begin(self.session, None)

    def connect(self, known: BrowserVoiceContext) -> BrowserVoiceContext:
        """Return the context of a browser that begins to talk, and counts its turns on from the last one here."""
        self.label, self.is_heard, self.has_answer = self.session.facts.turn, True, True
        return self.turn_context(known)

    def turn_context(self, known: BrowserVoiceContext) -> BrowserVoiceContext:
        """Return the context of the human turn that is under way.

        A vendor's model has its tools and its words for as long as it is connected, so that nobody can take over. The
        caller speaks what they have been heard to speak, also elsewhere where `known` says so.
        """
        successor = self.session.successor
        agent_id = successor.agent_id if successor is not None else known.agent_id
        turn, unanswered = self.session.facts.turn, self.session.facts.unanswered
        heard_in = replace(known, language=known.language or self.session.facts.language)
        context = replace(heard_in, turn=turn, unanswered=unanswered, agent_id=agent_id, applies_intents=False)
        self.session.facts = context
        return context

    def greet(self, text: str) -> None:
        """Note what the caller is told before the first turn."""
        self.session.history.add(Spoken(text))
        self.recorder.happened(self.session, Text(text))

    def note_utterance(self, utterance: Utterance, business: Business) -> None:
        """Note what the caller said or clicked; questions are put in the language that they have shown from then on."""
        self.is_heard = True
        if self.session.business is None:
            successor = self.session.successor
            own = (successor.language if successor is not None else "") or business.language
            self.session.business = replace(business, language=own)
        follow(self.session, utterance)
        self.session.history.heard(utterance.words)
        self.recorder.heard(self.session, utterance)

    def note_answers(self, answers: list[CallAnswer], elapsed_ms: float) -> None:
        """Note calls and what they came to."""
        if not answers:
            return
        session = self.session
        session.history.add(Spoken("", tuple(answer.call for answer in answers)))
        for answer in answers:
            call, response = answer.call, answer.response
            session.history.add(ToolMessage(call.call_id, call.name, response))
            session.note(call, response, elapsed_ms)
            self.recorder.happened(session, ToolFinished(call.call_id, call.name, response, elapsed_ms))
            for intent in response.intents:
                session.waiting.leave(intent)

    def notes(self) -> list[str]:
        """Return what the model is told with the next turn, each once: results, and messages that tools have left."""
        arrivals = self.session.waiting.take_arrivals()
        for arrival in arrivals:
            self.session.arrive(arrival)
            if arrival.is_unheard:
                self.recorder.happened(self.session, ToolFinished(arrival.call_id, arrival.tool, arrival.response, 0.0))
        notes = interrupted_notes([(call.name, response) for call, response in self.calls.unreported()])
        notes += [arrival.note for arrival in arrivals]
        return notes + [f"Say this first in your next answer: {m}" for m in self.session.waiting.take_messages()]

    def note_speech(self, text: str, was_interrupted: bool) -> None:
        """Note what the agent said, as far as it was heard, by the browser's word; the turn is over."""
        session = self.session
        self.has_answer = True
        if text:
            session.history.add(reported(text))
            self.recorder.happened(session, Text(text, is_reported=True))
        if was_interrupted:
            self.recorder.interrupted(session, None)
        self.recorder.happened(session, TurnEnded(TurnOutcome.INTERRUPTED if was_interrupted else TurnOutcome.ANSWERED))

    async def save(self) -> None:
        """Write down what has happened."""
        await self.recorder.save(self.session)

    def note_end(self) -> None:
        """Note that nothing more is said."""
        self.session.finish(TurnOutcome.ENDED)
        self.recorder.happened(self.session, TurnEnded(TurnOutcome.ENDED))


class VendorSessions:
    """Those of this process; one that was begun elsewhere goes on from its record."""

    def __init__(self, parts: Dependencies, conversations: Conversations) -> None:
        """Share the conversations of the turn loop."""
        self._parts, self._conversations = parts, conversations
        self._known_sessions: LRUCache[tuple[str, str], VendorSession] = LRUCache(SESSIONS_KEPT)
        forgets_businesses(self)

    def forget_business(self, business_id: str) -> None:
        """Forget the talks of a business."""
        drop_business(self._known_sessions, business_id)

    async def open(self, context: BrowserVoiceContext) -> VendorSession:
        """Return that of a conversation, with what others have done to it: who answers in it, or that it is blocked.

        Without its record it goes on: a vendor waits for an answer.
        """
        key = (context.business_id, context.session_id)
        known = self._known_sessions.get(key)
        try:
            session = (await self._conversations.open(context)).session
        except StoreError as error:
            log.warning("a talk goes on without its record", extra=log_fields(error))
            session = known.session if known is not None else CallSession(context)
            session.own = None
        if known is not None:
            known.session.learn(session)
            if known.session.waiting.expected:
                for arrival in await self._conversations.late_results(context):
                    known.session.waiting.arrive(arrival)
            return known
        # Whoever else asked in the meantime must get the same: calls are carried out once.
        return self._known_sessions.setdefault(
            key, VendorSession(session, self._parts.recorder(session), label=session.facts.turn)
        )


def interrupted_notes(answers: list[tuple[str, ToolResponse]]) -> list[str]:
    """Return, for the model, what became of actions that the caller interrupted: tool and answer of each."""
    notes = []
    for tool, response in answers:
        if response.failure is None:
            what = f"{tool} had begun when the caller interrupted, and was carried out: {response.data}."
            notes.append(f"{what} Do not call it again; tell the caller.")
        else:
            what = f"{tool} had begun when the caller interrupted, and ended so: {response.failure.message}"
            notes.append(f"{what} The caller has not been told.")
    return notes
