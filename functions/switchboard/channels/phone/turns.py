"""Answers to turns: what is said as it comes, and turns of calls without a relay.

There what the caller said comes in one webhook, and the answer goes out in its TwiML. A model may take longer than
Twilio and the caller have patience for. The turn then goes on by itself, the caller hears what has been said by now,
fillers as soon as they come, and the next webhook, which the TwiML asks for at once, fetches the rest: here, or on
another instance from the store. Its actions are done once, whoever waits.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import field
from typing import cast

from cachetools import LRUCache

from switchboard.channels.phone.call_state import CallStates, TurnAnswer
from switchboard.contract.context import PhoneContext
from switchboard.contract.error import log_fields
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Clock
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.response import IntentType
from switchboard.contract.store import StoreError
from switchboard.conversation.conversation import Conversation
from switchboard.conversation.event import Effect, Event, Text, TurnEnded, TurnOutcome
from switchboard.conversation.speech.spoken_language import SpokenLanguage
from switchboard.conversation.speech.utterance import Utterance

log = logging.getLogger(__name__)

PATIENCE_S = 2.0
_POLL_S = 0.25
_TURNS_KEPT = 2_000


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the answer to a turn has come.

    Attributes:
        turn: Which turn it is.
        text: What has been said by now.
        answer: The whole, None while there is more to come.
        is_bridged: Whether it ends in words that bridge the wait, and so with no half sentence.
    """

    turn: int
    text: str
    answer: TurnAnswer | None = None
    is_bridged: bool = False


@dataclass(slots=True, eq=False)
class _Running:
    turn: int
    speech: Speech
    conversation: Conversation
    text: str = ""
    answer: TurnAnswer | None = None
    # Somebody was told to come back for the rest.
    is_awaited: bool = False
    # Set when the caller has something to hear before the whole answer is there.
    has_news: asyncio.Event = field(default_factory=asyncio.Event)


class Turns:
    """Answers turns, and remembers the latest answer of each call."""

    def __init__(self, handoffs: CallStates, clock: Clock) -> None:
        """Leave what takes long in `handoffs`."""
        self._handoffs, self._clock = handoffs, clock
        self._running: LRUCache[tuple[str, str], _Running] = LRUCache(_TURNS_KEPT)
        self._tasks: set[asyncio.Task[None]] = set()

    async def answer(
        self, conversation: Conversation, context: PhoneContext, utterance: Utterance, language: str
    ) -> Progress:
        """Answer the utterance with which a turn has begun; return that, or what there is of it when patience ends."""
        speech = Speech(conversation, utterance, language)
        running = _Running(conversation.session.facts.turn, speech, conversation)
        self._running[(context.business_id, context.call_sid)] = running
        # A task of its own: a webhook that is given up must not take the turn with it.
        task = asyncio.create_task(self._run(running, context))
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return await _progress(running)

    async def resume(self, context: PhoneContext, turn: int) -> Progress:
        """Return how far the answer to an earlier webhook's turn has come, waiting as long as patience lasts.

        Raises:
            StoreError: Another instance is at it, and what it left cannot be read.
        """
        running = self._running.get((context.business_id, context.call_sid))
        if running is not None and running.turn == turn:
            return await _progress(running)
        gives_up = self._clock.monotonic() + PATIENCE_S
        while self._clock.monotonic() < gives_up:
            answer = await self._handoffs.answer_of(context.business_id, context.call_sid, turn)
            if answer is not None:
                return Progress(turn, answer.text, answer)
            await asyncio.sleep(_POLL_S)
        return Progress(turn, "")

    async def give_up(self, context: PhoneContext, turn: int) -> None:
        """Break a turn off that takes too long for anybody; its actions go on."""
        running = self._running.get((context.business_id, context.call_sid))
        if running is not None and running.turn == turn and running.answer is None:
            await running.speech.give_up()

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("a turn broke", exc_info=error)

    async def _run(self, running: _Running, context: PhoneContext) -> None:
        speech = running.speech
        try:
            async for piece in speech.pieces():
                running.text += piece
                if speech.is_bridging:
                    running.has_news.set()
        finally:
            language = running.conversation.session.other_language
            running.answer = TurnAnswer(running.text, speech.outcome, speech.transfer, speech.is_asking, language)
            running.has_news.set()
        if running.is_awaited and speech.outcome is not TurnOutcome.INTERRUPTED:
            await self.leave(context, running.turn, running.answer)

    async def leave(self, context: PhoneContext, turn: int, answer: TurnAnswer) -> None:
        """Leave an answer for the webhook that comes for the rest of it, on whichever instance."""
        try:
            await self._handoffs.keep_answer(context.business_id, context.call_sid, turn, answer)
        except StoreError as error:
            log.warning(
                "an answer is known to this instance alone",
                extra=log_fields(error),
            )


async def _progress(running: _Running) -> Progress:
    try:
        async with asyncio.timeout(PATIENCE_S):
            await running.has_news.wait()
    except TimeoutError:
        pass
    if running.answer is None:
        running.is_awaited = True
        running.has_news.clear()
    return Progress(running.turn, running.text, running.answer, running.speech.is_bridging)


class Speech:
    """The answer to a turn, while it comes.

    Attributes:
        text: What has been handed out by now, fillers among it.
        is_bridging: Whether the last of it only bridges a wait.
        transfer: The payload of TRANSFER_CALL, empty without one.
        outcome: How the turn ended; `failed` until it has.
        language: In which it is spoken; another from where the caller speaks another, or an agent
            takes over who does.
        is_over: Whether all of it has been handed out.
        is_stopped: Set it, and nothing more of this answer is handed out, whatever the conversation still says.
    """

    def __init__(self, conversation: Conversation, utterance: Utterance, language: str) -> None:
        """Answer an utterance; `language` is that of whoever answers now."""
        self._conversation, self._utterance, self.language = conversation, utterance, language
        self._spoken = SpokenLanguage(conversation.session, language)
        self.text = ""
        self.is_bridging = self._has_answered = False
        self.transfer: JsonObject = {}
        self.outcome = TurnOutcome.FAILED
        self.is_over = self.is_stopped = False

    async def pieces(self) -> AsyncGenerator[str, None]:
        """Yield what is to be spoken as it comes. A turn that broke down without a word ends in a safe sentence."""
        replying = cast(AsyncGenerator[Event, None], self._conversation.reply(self._utterance))
        async with aclosing(replying) as events:
            async for event in events:
                language = self._spoken.of(event)
                if isinstance(event, Text):
                    # As the caller has just spoken; before whoever takes over says a word.
                    self.language = language
                    if event.is_audible and not self.is_stopped:
                        self.text += event.text
                        self.is_bridging = event.is_filler
                        self._has_answered = self._has_answered or not event.is_filler
                        yield event.text
                elif isinstance(event, Effect):
                    if event.intent.type is IntentType.TRANSFER_CALL:
                        self.transfer = event.intent.payload
                elif isinstance(event, TurnEnded):
                    self.outcome = event.outcome
                    self.is_over = self.outcome is not TurnOutcome.INTERRUPTED and not self.is_stopped
        if self.outcome is TurnOutcome.FAILED and not self._has_answered and not self.is_stopped:
            sentence = self._conversation.apology(self.language)
            self._conversation.greet(sentence)
            sentence = f" {sentence}" if self.is_bridging else sentence
            self.text += sentence
            yield sentence

    async def give_up(self) -> None:
        """Break it off, unless another turn is being answered by now; its actions go on."""
        await self._conversation.leave(self._utterance)

    @property
    def characters(self) -> int:
        """How much has been said by now."""
        return len(self.text)

    @property
    def is_asking(self) -> bool:
        """Whether the caller has been asked for a yes or a no, so that one key is an answer."""
        session = self._conversation.session
        return session.asked_in == session.facts.turn
