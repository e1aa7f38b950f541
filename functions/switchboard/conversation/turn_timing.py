"""Turns whose steps are timed: what was listened to, the model, the tools, the store, and the words passed on.

The times stand in the conversation's record, written with the turn and by no commit of their own. A channel on which a
vendor holds the turns has no such steps here: nothing is told of them.
"""

import time
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from datetime import datetime

from switchboard.contract.call import ToolCall
from switchboard.contract.context import Context
from switchboard.contract.model import ModelEvent, Prompt
from switchboard.contract.observability.turn_times import CURRENT_TURN, StepKind, TurnTimes, noted
from switchboard.contract.ports import ChatModel
from switchboard.contract.response import ToolResponse
from switchboard.conversation.dependencies import Dependencies, Recorder
from switchboard.conversation.event import Event, Text
from switchboard.conversation.record.deliveries import TurnDelivery
from switchboard.conversation.session import CallSession
from switchboard.conversation.speech.utterance import Utterance


def timed(parts: Dependencies) -> Dependencies:
    """Return the parts of conversations whose turns are timed as well."""

    async def execute(call: ToolCall, facts: Context) -> ToolResponse:
        began = time.monotonic()
        try:
            return await parts.execute(call, facts)
        finally:
            noted(StepKind.TOOL, began, name=call.name[:60], callId=facts.call_id)

    def recorder(session: CallSession) -> Recorder:
        return _TimedRecorder(parts.recorder(session), parts.now)

    def models(name: str) -> ChatModel | None:
        model = parts.models(name)
        return _TimedModel(model) if model is not None else None

    return replace(parts, model=_TimedModel(parts.model), models=models, execute=execute, recorder=recorder)


class _TimedModel:
    """Notes how long each answer took, however it ended, and passes everything on to another model."""

    def __init__(self, inner: ChatModel) -> None:
        self._inner, self.name, self.dialect = inner, inner.name, inner.dialect

    async def stream(self, prompt: Prompt) -> AsyncIterator[ModelEvent]:
        began, first = time.monotonic(), dict[str, float]()
        stream = self._inner.stream(prompt)
        try:
            async for event in stream:
                if not first:
                    first = {"firstMs": round((time.monotonic() - began) * 1000, 1)}
                yield event
        finally:
            noted(StepKind.MODEL, began, **first)
            close = getattr(stream, "aclose", None)
            if close is not None:
                await close()


class _TimedRecorder:
    """Begins the times of each turn, and passes everything on to another recorder, which writes them down."""

    def __init__(self, inner: Recorder, now: Callable[[], datetime]) -> None:
        self._inner, self._now = inner, now

    async def earlier(self, delivery: TurnDelivery) -> str | None:
        return await self._inner.earlier(delivery)

    async def begin(
        self, session: CallSession, utterance: Utterance | None, delivery: TurnDelivery | None = None
    ) -> None:
        times = TurnTimes(session.facts.turn + 1, self._now(), session.facts.channel.value)
        if utterance is not None and utterance.listened_s is not None:
            times.note(StepKind.LISTENING, times.began - utterance.listened_s, times.began)
        token = CURRENT_TURN.set(times)
        try:
            await self._inner.begin(session, utterance, delivery)
        finally:
            CURRENT_TURN.reset(token)
        times.turn = session.facts.turn
        session.times.append(times)

    def heard(self, session: CallSession, utterance: Utterance) -> None:
        self._inner.heard(session, utterance)

    def happened(self, session: CallSession, event: Event) -> None:
        times = CURRENT_TURN.get()
        # Words that a vendor tells of afterwards, and a greeting, are passed on in no turn of ours.
        if times is not None and type(event) is Text and event.text.strip():
            times.spoke()
        self._inner.happened(session, event)

    def interrupted(self, session: CallSession, heard: str | None) -> None:
        self._inner.interrupted(session, heard)

    async def settle(self, delivery: TurnDelivery) -> None:
        await self._inner.settle(delivery)

    async def save(self, session: CallSession, delivery: TurnDelivery | None = None) -> None:
        await self._inner.save(session, delivery)
