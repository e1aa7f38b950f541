"""A conversation: human turns in, events out, one after the other.

Every channel consumes it in the same way: `async for event in conversation.reply(utterance)`, and `interrupt` when the
human speaks while the agent does.

A conversation that was held elsewhere since is taken from its record. An instance remembers more of it than the record
does (what the tools answered, what is under way), so that what is remembered is used as long as it is the latest.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress

from switchboard.contract.error import BusinessGone, Refused, ToolError
from switchboard.contract.model import Noted, Spoken
from switchboard.contract.observability.subject import About
from switchboard.contract.policy import CHANNEL_POLICY
from switchboard.conversation.agent_handover import left_to_person
from switchboard.conversation.arrivals import tell_arrivals, tell_used_up
from switchboard.conversation.asked_again import still_asked
from switchboard.conversation.dependencies import Dependencies
from switchboard.conversation.event import Event, Text, TurnEnded, TurnOutcome
from switchboard.conversation.history import PlayedWords, is_beginning
from switchboard.conversation.owed_calls import INTERRUPTED, OwedCalls
from switchboard.conversation.pending_results import Arrivals, none_arrived
from switchboard.conversation.record.deliveries import Overtaken, TurnDelivery
from switchboard.conversation.session import CallSession
from switchboard.conversation.speech.bridging import Bridge
from switchboard.conversation.speech.house_phrases import Trouble, gone_words, safe_sentence
from switchboard.conversation.speech.playhead import Playhead
from switchboard.conversation.speech.utterance import Utterance
from switchboard.conversation.turn import Turn
from switchboard.conversation.turn_fence import fenced
from switchboard.conversation.turn_writing import TurnWriting

log = logging.getLogger(__name__)

_CLAIM_ATTEMPTS = 3


async def _nothing_new(session: CallSession) -> None:
    """Do nothing, where nobody else carries the conversation."""


class Conversation:
    """One caller's conversation, in one process at a time."""

    def __init__(
        self,
        parts: Dependencies,
        session: CallSession,
        arrivals: Arrivals = none_arrived,
        look_again: Callable[[CallSession], Awaitable[None]] = _nothing_new,
    ) -> None:
        """Go on where `session` is; a new one has had no turn.

        `arrivals` is asked while results are expected that another instance may have. `look_again` lets a session know
        what was done elsewhere since it was read, before it takes a turn over that it has waited for.
        """
        self.session, self._arrivals, self._look_again = session, arrivals, look_again
        self._parts = fenced(parts, session)
        self._recorder = parts.recorder(session)
        self._events: asyncio.Queue[Event] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None
        self._turn: Turn | None = None
        # What is answered next, in a turn that has its number or soon will, and what began one last; and whether
        # somebody spoke before that.
        self._begun: Utterance | None = None
        self._latest: Utterance | None = None
        self._is_overtaken = False
        # Held by whoever breaks a turn off or begins one: of several at once, each has the one before it ended.
        self._floor = asyncio.Lock()
        self._bridge: Bridge | None = None
        # Whether the last word of the turn that is under way has been said: what is left is writing it down.
        self._is_said = False
        self._played, self._playhead = PlayedWords(), Playhead(parts.now)
        self._owed = OwedCalls(session, parts.now)
        self._writing = TurnWriting(self._recorder, session)

    def greet(self, text: str) -> None:
        """Note what the caller was told before the next turn: it closes an open question, unless it ends with that."""
        self.session.told_beside(text)
        self.session.history.add(Spoken(text))
        self._played.add(text)
        self._playhead.add(text)
        self._recorder.happened(self.session, Text(text))

    def apology(self, language: str) -> str:
        """Return what is said in a language when a turn has come to nothing, with what can be had instead."""
        language = self.session.language or language
        return safe_sentence(Trouble.NO_ANSWER, language, self.session.ways_out, self._parts.now())

    def close_question(self, *, is_missed: bool = False) -> None:
        """Let no yes count that comes now: other words came last, or the question was not played (`is_missed`)."""
        self.session.close_question(is_missed=is_missed)

    def answered_early(self, spoke_for_s: float | None = None) -> None:
        """Let no yes count that comes now, if the question before it cannot have been heard by now: it is asked again.

        For a channel that plays speech and hears of an answer as it comes; `spoke_for_s` is how long it took to say.
        """
        question = self.session.question
        if question is not None and not self._playhead.can_have_played(question.said, spoke_for_s):
            self.close_question(is_missed=True)

    async def open_question(self) -> str:
        """Return the question that still waits for a caller who is back, to be put again; empty where none does."""
        return await still_asked(self._parts, self.session)

    async def go_on(self) -> None:
        """Let a conversation that was over go on: somebody has come back to it."""
        session = self.session
        session.is_over = session.is_closed = False
        if session.was_closed:
            # At once: the calls of the next turn would still be refused.
            await self._recorder.save(session)

    async def earlier(self, delivery: TurnDelivery) -> str | None:
        """Return what the same delivery was answered before, waiting while it is being answered; None if it was not.

        Raises:
            StillAnswered: It takes longer than the delivery has patience for.
        """
        return await self._recorder.earlier(delivery)

    async def begin_once(self, utterance: Utterance, delivery: TurnDelivery) -> str | None:
        """Begin the turn that answers a delivery, or return what the same one was answered before; then none is begun.

        Whoever begins it settles the delivery, with which the turn is written down.

        Raises:
            Refused: There is no share left for it; no turn is begun.
            StillAnswered: As `earlier`.
        """
        for _ in range(_CLAIM_ATTEMPTS):
            answer = await self.earlier(delivery)
            if answer is not None:
                return answer
            with suppress(Overtaken):
                await self.begin(utterance, delivery)
                return None
        await self.begin(utterance)
        return None

    async def begin(self, utterance: Utterance, delivery: TurnDelivery | None = None) -> int:
        """Begin the turn that `reply` answers next, and return its number; for a channel that has to name it before.

        Raises:
            Overtaken, Refused: What `delivery` has begun is not answered; without one, nothing.
        """
        async with self._floor:
            await self._break_off(None)
            if delivery is not None and delivery.was_waited_for:
                await self._look_again(self.session)
            self._begun, self._latest, self._is_overtaken = utterance, utterance, False
            try:
                await self._recorder.begin(self.session, None if utterance.is_unsaid else utterance, delivery)
            except (Overtaken, Refused):
                self._begun = None
                raise
            self._writing.begun(delivery)
            self.session.unheard, self.session.heard_at = utterance.words, self._parts.now()
            return self.session.facts.turn

    async def reply(self, utterance: Utterance) -> AsyncIterator[Event]:
        """Yield what happens in answer to a human turn; `TurnEnded` is last. Closing it breaks the turn off.

        So does that another instance answers it by now: nothing more of it is said, done or written here. Turns follow
        each other: whoever speaks while a turn is being answered has interrupted it.
        """
        if self._begun is not utterance:
            await self.begin(utterance)
        is_overtaken = self._is_overtaken or self._begun is not utterance
        self._begun = None if self._begun is utterance else self._begun
        if is_overtaken:
            self.session.hear_unheard()
            yield TurnEnded(TurnOutcome.INTERRUPTED)
            return
        self._events = events = asyncio.Queue[Event]()
        self._is_said = False
        self._played, self._playhead = PlayedWords(), Playhead(self._parts.now)
        with self._about(), self.session.timing():
            # Whatever it begins, and whoever it asks, is about this conversation as well.
            self._task = task = asyncio.create_task(self._run(utterance))
        is_done = False
        try:
            while not is_done:
                event = await events.get()
                if not (self.session.deliveries.is_sure or await self.session.deliveries.holds()):
                    yield TurnEnded(TurnOutcome.INTERRUPTED)
                    return
                is_done = type(event) is TurnEnded
                yield event
        finally:
            if not is_done:
                async with self._floor:
                    # By now it may be the turn of somebody who has spoken since.
                    if self._task is task:
                        await self._break_off(None)
        # What is left is writing it down, and whatever went wrong in a way that nobody thought of.
        if not task.done():
            await asyncio.wait({task})
        if not task.cancelled() and (error := task.exception()) is not None:
            with self._about():
                log.error("a turn broke", exc_info=error)

    def _about(self) -> About:
        return About(self.session.facts.business_id, self.session.facts.session_id)

    async def interrupt(self, heard: str | None, *, sent: str | None = None) -> None:
        """Break the turn off: its speech and its reading at once, its actions never.

        Args:
            heard: What the caller heard of this turn, as the channel tells it; None where it cannot tell.
            sent: All that the channel has passed on of it, which is then kept; None keeps all that was said.
        """
        async with self._floor:
            await self._break_off(heard, sent)

    async def _break_off(self, heard: str | None, sent: str | None = None) -> None:
        task, self._task = self._task, None
        self._is_overtaken = self._begun is not None
        if self._bridge is not None:
            self._bridge.stop()
        if heard is not None:
            # Who plays it tells how far it came: nothing has to be reckoned any more.
            self._playhead.stop()
        if task is not None and self._is_said:
            # To break that off would lose what was said.
            await asyncio.wait({task})
        if task is None or task.done():
            await self._writing.rest()
            if (known := heard if heard is not None else sent) is not None:
                await self._take_back(known)
            return
        running = self._turn.stop() if self._turn is not None else None
        task.cancel()
        self._events.put_nowait(TurnEnded(TurnOutcome.INTERRUPTED))
        with suppress(asyncio.CancelledError):
            await task
        self.session.hear_unheard()
        if heard is not None:
            self.session.history.cut_to(heard, self._played.fillers)
            self.session.check_heard()
        else:
            if sent is not None:
                self.session.history.cut_to(sent, self._played.fillers)
            if self.session.question is not None:
                # Nobody can tell whether the last words of this turn have reached the caller.
                self.session.question.is_heard = False
        self._owed.take(running)
        self._recorder.interrupted(self.session, heard if heard is not None else sent)
        await self._recorder.save(self.session)

    async def interrupt_as_told(self, turn: int, heard: str) -> None:
        """Break the last turn off, if it is this one, on the word of whoever may tell words that were never said.

        Only a beginning of what was said counts as heard, fillers and all, up to the end of a word.
        """
        async with self._floor:
            if self.session.facts.turn == turn:
                # What is under way is ended first, so that all its words are known.
                await self._break_off(None)
                if is_beginning(self.session.history.last_spoken, heard, self._played.fillers):
                    await self._break_off(heard if any(map(str.isalnum, heard)) else "")

    async def leave(self, utterance: Utterance | None = None) -> None:
        """Break off what whoever has gone will not hear: the turn that answers an utterance; None: whichever there is.

        A turn that has begun since is another's, and goes on.
        """
        async with self._floor:
            if utterance is None or utterance is self._latest:
                self._owed.has_left()
                await self._break_off(None)

    async def cut_off(self, within_s: float) -> str:
        """Leave it to a caller whose line has dropped and who is about to be spoken to again.

        Returns what was done that they have not been told, to be told now; empty where there is nothing. What is under
        way is waited for so long.
        """
        await self.leave()
        words = await self._owed.told_on_return(self._emit, self._played, within_s)
        await self._recorder.save(self.session)
        return words

    async def _take_back(self, heard: str) -> None:
        """Drop what was said in the last turn and not heard: speech is made faster than it is spoken."""
        history = self.session.history
        spoken = history.last_spoken
        history.cut_to(heard, self._played.fillers)
        if history.last_spoken == spoken:
            return
        history.add(Noted(INTERRUPTED))
        # A yes to a question that was not heard to its end is none: it is asked again.
        self.session.check_heard()
        self._recorder.interrupted(self.session, heard)
        await self._recorder.save(self.session)

    async def close(self, lasted_s: int | None = None) -> None:
        """End it: break off what is being said, wait for its actions, and write everything down.

        `lasted_s` is how many seconds it lasted, where the channel knows that better.
        """
        await self.interrupt(None)
        self.session.lasted_s = lasted_s
        await self._settle_owed()
        self.session.finish(TurnOutcome.ENDED)
        await self._recorder.save(self.session)

    async def _run(self, utterance: Utterance) -> None:
        outcome: TurnOutcome | None = None
        facts, is_gone = self.session.facts, False
        self._bridge = Bridge(
            CHANNEL_POLICY[facts.channel], facts.turn, facts.channel.is_spoken, self._speaking, self._emit
        )
        try:
            ended = left_to_person(self.session, utterance.words) or await self._settle_owed()
            ended = ended or (TurnOutcome.ENDED if self.session.is_over else None)
            ended = ended or await self._tell_arrivals() or tell_used_up(self.session, self._emit)
            self._turn = Turn(self._parts, self.session, self._emit)
            outcome = ended or await self._turn.run(utterance)
        except BusinessGone:
            log.info("a conversation ends with its business")
            outcome, is_gone = TurnOutcome.ENDED, True
            self._emit(Text(gone_words(self.session.language)))
        except ToolError as error:
            log.error("a turn could not be answered", extra={"reason": type(error).__name__, "pii.detail": str(error)})
        finally:
            self._turn = None
            self._bridge.stop()
            # Whoever interrupted has told the channel already; any other way out must not leave it waiting.
            if self._task is not None:
                if outcome is None:
                    outcome = TurnOutcome.FAILED
                    self._emit(Text(self.apology("en")))
                self.session.finish(outcome)
                self._emit(TurnEnded(outcome))
                self._is_said = True
        if not is_gone:
            await self._writing.ended()

    async def _settle_owed(self) -> TurnOutcome | None:
        limit = CHANNEL_POLICY[self.session.facts.channel].action_deadline_ms / 1000
        return await self._owed.settle(self._emit, limit)

    async def _tell_arrivals(self) -> TurnOutcome | None:
        return await tell_arrivals(self.session, self._arrivals, self._emit, self._events.put_nowait)

    def _speaking(self) -> tuple[str, Sequence[str]] | None:
        """Return in which language fillers are spoken now, and the owner's own; None where nobody knows yet."""
        business, language = self.session.business, self.session.language
        own = business.fillers if business is not None and business.language == language else ()
        return (language, own) if business is not None else None

    def _emit(self, event: Event) -> None:
        if self._bridge is not None:
            event = self._bridge.pass_on(event)
        if type(event) is Text:
            self._played.add(event.text, is_filler=event.is_filler)
            if event.is_audible:
                self._playhead.add(event.text)
        self._recorder.happened(self.session, event)
        self._events.put_nowait(event)
