"""Calls of a turn that was broken off, and what they have done that the caller has not been told.

Whoever interrupts by speaking is there, and the model tells them what came of it. Whoever was cut off is told by the
house itself as soon as they are back: a model may take what stands in its history for said.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from datetime import datetime

from switchboard.contract.model import Noted
from switchboard.contract.response import IntentType
from switchboard.conversation.agent_handover import hands_over, take_over
from switchboard.conversation.event import Effect, Event, ToolFinished, TurnOutcome
from switchboard.conversation.history import PlayedWords
from switchboard.conversation.session import CallSession, Receipt
from switchboard.conversation.speech.bridging import CHARACTERS_PER_S
from switchboard.conversation.speech.done_words import deeds_told
from switchboard.conversation.speech.house_phrases import ending_of
from switchboard.conversation.speech.plain_speech import plain
from switchboard.conversation.tool_runner import ToolRunner
from switchboard.conversation.turn import STEPS, write_down

INTERRUPTED = "The caller interrupted here and did not hear the rest."
_UNTOLD = (
    "{} was called when the caller spoke before, and was carried out; the caller has not been told. Do not call it "
    "again for the same wish; tell the caller."
)
_UNTOLD_ALL = (
    "These were called when the caller spoke before, and each was carried out; the caller has not been told: {}. Do "
    "not call them again for the same wishes; tell the caller of each."
)
_DROPPED = "The line dropped here. The caller has perhaps not heard the last words."


class OwedCalls:
    """What one conversation owes its model and its caller from turns that were broken off."""

    def __init__(self, session: CallSession, now: Callable[[], datetime]) -> None:
        """Owe nothing yet; `now` tells the time (aware)."""
        self._session, self._now = session, now
        self._runner: ToolRunner | None = None
        # What was done in a turn that was broken off before a word was said of it.
        self._unsaid: list[Receipt] = []
        # By the monotonic clock, when whoever had the last turn was gone; None where they are there.
        self._left_at: float | None = None

    def take(self, runner: ToolRunner | None) -> None:
        """Owe the answers of the calls that were under way in a turn that is broken off; None where none were."""
        if runner is not None:
            self._runner = runner
            return
        session = self._session
        session.history.add(Noted(INTERRUPTED))
        if not session.history.is_result_told:
            self._unsaid += [receipt for receipt in session.receipts if receipt.turn == session.facts.turn]

    def has_left(self) -> None:
        """Note that the caller was cut off, now or before."""
        self._left_at = self._left_at or time.monotonic()

    async def settle(self, emit: Callable[[Event], None], within_s: float) -> TurnOutcome | None:
        """Tell the model what became of the calls; return how they ended the conversation, None if they did not."""
        outcome, done = await self._settled(emit, within_s)
        is_left, self._left_at = self._left_at is not None, None
        words = self._told(done) if is_left else ""
        if words:
            self._session.waiting.say_first(words)
        else:
            self._note(done)
        return outcome

    async def told_on_return(self, emit: Callable[[Event], None], played: PlayedWords, within_s: float) -> str:
        """Return what was done that a caller who was cut off has not been told; they are told it now, before a turn.

        Args:
            emit: Takes what has happened.
            played: The words of the last turn; what cannot have been spoken by then was not heard.
            within_s: How long is waited for what is still under way. What takes longer is told in the next turn.
        """
        session, left_at, runner = self._session, self._left_at, self._runner
        if left_at is None:
            return ""
        session.history.add(Noted(_DROPPED))
        if runner is not None:
            answers = [finished.response for finished in await runner.answers(within_s)]
            if self._runner is not runner:
                # Whoever else waited, in a turn or at the end of the call, has taken them.
                return ""
            # What ends the conversation, or hands it over, does so in a turn.
            if not runner.has_ended or any(ending_of(a) is not None or hands_over(a) for a in answers):
                return ""
        self._left_at = None
        _, done = await self._settled(emit, 0)
        if not played.is_spoken_by(left_at, CHARACTERS_PER_S):
            done += [r for r in session.receipts if r.turn == session.facts.turn and r not in done]
        words = self._told(done)
        if not words:
            self._note(done)
        return words

    async def _settled(
        self, emit: Callable[[Event], None], within_s: float
    ) -> tuple[TurnOutcome | None, list[Receipt]]:
        session, runner, outcome = self._session, self._runner, None
        answers = await runner.answers(within_s) if runner is not None else []
        # Only now, and with no pause until all is written down: whoever speaks breaks off the turn that waits here, and
        # the next one waits on; where two have waited, the first of them takes it all.
        unsaid, self._unsaid = self._unsaid, []
        if runner is None or self._runner is not runner:
            return None, unsaid
        self._runner, before = None, len(session.receipts)
        for finished in answers:
            write_down(session, finished)
            emit(ToolFinished(finished.call.call_id, finished.call.name, finished.response, finished.elapsed_ms))
            for intent in finished.response.intents:
                if intent.type is IntentType.SWITCH_AGENT:
                    # Whoever takes over says first what was not heard.
                    session.waiting.say_first(take_over(session, intent))
                    continue
                emit(Effect(intent))
            outcome = outcome or ending_of(finished.response)
        session.history.add(Noted(INTERRUPTED))
        return outcome, unsaid + session.receipts[before:]

    def _note(self, done: Sequence[Receipt]) -> None:
        if done:
            told = [_told_to_model(receipt, is_one=len(done) == 1) for receipt in done]
            words = _UNTOLD.format(*told) if len(told) == 1 else _UNTOLD_ALL.format("; ".join(told))
            self._session.history.add(Noted(words))

    def _told(self, done: Sequence[Receipt]) -> str:
        """Return what was done, as the caller is told it; empty for nothing, and where nobody knows what is offered."""
        offer, news = self._session.offer, [receipt for receipt in done if receipt.tool not in STEPS]
        if not news or offer is None:
            return ""
        language = self._session.language or "en"
        told = deeds_told(news, offer, language, self._now())
        return plain(told, language) if self._session.facts.channel.is_spoken else told


def _told_to_model(done: Receipt, *, is_one: bool) -> str:
    """Return which call it was; of several also what for, as the same tool may have been called for two."""
    about = [str(done.words.get(name) or "") for name in ("what", "for", "when")]
    listed = ", ".join(part for part in about if part)
    return done.tool if is_one or not listed else f"{done.tool} ({listed})"
