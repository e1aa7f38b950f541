"""Conversations that a vendor's model holds: what this process knows of them, and their record.

The words go between browser and vendor. What comes this way is what the caller said, what the agent said, as the page
tells it turn by turn, and every call.
"""

import asyncio
import logging
from dataclasses import dataclass, field, replace

from cachetools import LRUCache

from switchboard.channels.browser_voice.dialects import CallAnswer
from switchboard.channels.browser_voice.live_calls import LiveCalls
from switchboard.contract.context import BrowserVoiceContext
from switchboard.contract.model import Spoken, ToolMessage
from switchboard.contract.response import ToolResponse
from switchboard.contract.store import StoreError
from switchboard.conversation.conversation import Conversations
from switchboard.conversation.dependencies import Dependencies, Recorder
from switchboard.conversation.event import Text, ToolFinished, TurnEnded, TurnOutcome
from switchboard.conversation.session import CallSession
from switchboard.conversation.speech.utterance import Utterance

log = logging.getLogger(__name__)

TALKS_KEPT = 2_000


@dataclass(slots=True)
class VendorSession:
    """One conversation that a vendor's model holds.

    Attributes:
        session: Its state, as the turn loop keeps it too, so that the caller may go on without the vendor.
        recorder: Writes it down.
        undertakings: Its calls.
        label: The number that the browser gave to the human turn that is under way.
        is_heard: Whether it is known what the human did in that turn.
        has_answer: Whether its answer is over.
        floor: Held while a request finds out in which turn it is.
    """

    session: CallSession
    recorder: Recorder
    undertakings: LiveCalls = field(default_factory=LiveCalls)
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

    def facts(self, known: BrowserVoiceContext) -> BrowserVoiceContext:
        """Return the facts of the human turn that is under way.

        A vendor's model has its tools and its words for as long as it is connected, so that nobody can take over.
        """
        successor = self.session.successor
        agent_id = successor.agent_id if successor is not None else known.agent_id
        facts = replace(known, turn=self.session.facts.turn, agent_id=agent_id, applies_intents=False)
        self.session.facts = facts
        return facts

    def greet(self, text: str) -> None:
        """Note what the caller is told before the first turn."""
        self.session.history.add(Spoken(text))
        self.recorder.happened(self.session, Text(text))

    def heard(self, utterance: Utterance) -> None:
        """Note what the caller said or clicked."""
        self.is_heard = True
        self.session.history.heard(utterance.words)
        self.recorder.heard(self.session, utterance)

    def answered(self, answers: list[CallAnswer], elapsed_ms: float) -> None:
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
        found = told([(call.name, response) for call, response in self.undertakings.untold()])
        found += [arrival.note for arrival in arrivals]
        return found + [f"Say this first in your next answer: {m}" for m in self.session.waiting.take_messages()]

    def spoke(self, text: str, was_interrupted: bool) -> None:
        """Note what the agent said, as far as it was heard; the turn is over."""
        session = self.session
        self.has_answer = True
        session.history.add(Spoken(text))
        self.recorder.happened(session, Text(text))
        self.recorder.happened(session, TurnEnded(TurnOutcome.INTERRUPTED if was_interrupted else TurnOutcome.ANSWERED))

    def ended(self) -> None:
        """Note that nothing more is said."""
        self.session.finish(TurnOutcome.ENDED)
        self.recorder.happened(self.session, TurnEnded(TurnOutcome.ENDED))


class Talks:
    """The talks of this process; one that was begun elsewhere goes on from its record."""

    def __init__(self, parts: Dependencies, conversations: Conversations) -> None:
        """Share the conversations of the turn loop."""
        self._parts, self._conversations = parts, conversations
        self._kept: LRUCache[tuple[str, str], VendorSession] = LRUCache(TALKS_KEPT)

    async def open(self, facts: BrowserVoiceContext) -> VendorSession:
        """Return the talk of a conversation. Without its record it goes on: a vendor waits for an answer."""
        key = (facts.business_id, facts.session_id)
        kept = self._kept.get(key)
        if kept is not None:
            if kept.session.waiting.expected:
                for arrival in await self._conversations.late_results(facts):
                    kept.session.waiting.arrive(arrival)
            return kept
        try:
            session = (await self._conversations.open(facts)).session
        except StoreError as error:
            log.warning(
                "a talk goes on without its record", extra={"reason": type(error).__name__, "pii.detail": str(error)}
            )
            session = CallSession(facts)
        # Whoever else asked in the meantime must get the same: calls are carried out once.
        return self._kept.setdefault(
            key, VendorSession(session, self._parts.recorder(session), label=session.facts.turn)
        )


def told(answers: list[tuple[str, ToolResponse]]) -> list[str]:
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
