"""A conversation with a scripted model over a real dispatcher, in memory."""

from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from switchboard.contract.channel import Channel
from switchboard.contract.context import CONTEXTS
from switchboard.contract.store import Set
from switchboard.conversation.conversation import Conversation
from switchboard.conversation.dependencies import join
from switchboard.conversation.event import Event
from switchboard.conversation.guard import Unguarded
from switchboard.conversation.session import CallSession
from switchboard.conversation.speech.utterance import Utterance
from switchboard.pipeline.confirmation.approvals import Approvals
from switchboard.pipeline.execution.deadline import outlived
from switchboard.state.memory.store import MemoryStore
from tests.conversation import planted
from tests.conversation.scripted import ScriptedModel
from tests.desk.front_desk import StoppedClock
from tests.leisure import leisure, pressed  # noqa: F401
from tests.pipeline import planted as pipeline_planted
from tests.pipeline.conftest import BUSINESS, PATHS, Instance


class Notes:
    """A recorder that keeps everything."""

    def __init__(self) -> None:
        self.events: list[Any] = []
        self.saves = 0

    async def begin(self, session: CallSession, utterance: Utterance | None, delivery: Any = None) -> None:
        session.begin_turn()
        if utterance is not None:
            self.heard(session, utterance)

    def heard(self, session: CallSession, utterance: Utterance) -> None:
        self.events.append(utterance)

    def happened(self, session: CallSession, event: Event) -> None:
        self.events.append(event)

    def interrupted(self, session: CallSession, heard: str | None) -> None:
        self.events.append(("interrupted", heard))

    async def save(self, session: CallSession, delivery: Any = None) -> None:
        self.saves += 1


LANGUAGES = ("en", "de", "de-AT", "es", "fr", "fr-CA", "it", "pt", "nl", "fi")
"""In which a business can be talked to by its `language`."""
Talk = Callable[..., Conversation]


@pytest.fixture
async def talk() -> AsyncIterator[Talk]:
    """Begin a conversation with a model that gives these answers."""
    store = MemoryStore()
    await store.commit([Set(PATHS.within(BUSINESS).business, {"name": "Salon", "ai": {"language": "en"}})])
    for language in LANGUAGES:
        within = PATHS.within(f"{BUSINESS}-{language}")
        await store.commit([Set(within.business, {"name": "Salon", "ai": {"language": language}})])
    office = Instance(store, StoppedClock(), planted.registry())

    async def system(*_: Any) -> str:
        return "You are Echo."

    def begin(*answers: Any, channel: Channel = Channel.PHONE, guard: Any = None, language: str = "") -> Conversation:
        model = ScriptedModel(*answers)
        notes = Notes()
        parts = join(
            model,
            office.catalog,
            office.dispatcher,
            Approvals(store, PATHS),
            office.clock,
            system,
            guard or (lambda session, offer: Unguarded()),
            lambda session: notes,
        )
        business_id = f"{BUSINESS}-{language}" if language else BUSINESS
        facts = CONTEXTS[channel](business_id=business_id, session_id="s1", turn=0)
        conversation = Conversation(parts, CallSession(facts))
        conversation.model, conversation.notes = model, notes  # type: ignore[attr-defined]
        return conversation

    for known in (planted.gates, planted.begun, pipeline_planted.done):
        known.clear()
    yield begin
    for gate in planted.gates.values():
        gate.set()
    await outlived()


async def answer(conversation: Conversation, text: str = "Hello", **how: Any) -> list[Event]:
    """Return everything that happened in answer to a human turn."""
    return [event async for event in conversation.reply(Utterance(text, **how))]
