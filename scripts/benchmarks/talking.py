"""A conversation to be measured: the real dispatcher over a store in memory, thirteen tools, and a model at no cost."""

from __future__ import annotations

import itertools
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any

from benchmarks.dispatch import ARGUMENTS
from benchmarks.planted import BUSINESS, DOCUMENT, FOUND, PATHS
from switchboard.app.clients import SystemClock
from switchboard.catalog.definitions.definitions import Definitions
from switchboard.catalog.definitions.registry import BuiltTool, Registry
from switchboard.catalog.definitions.signature import read_signature
from switchboard.catalog.offer.catalog import Catalog
from switchboard.catalog.offer.prompts import Prompts
from switchboard.catalog.tenant_tools.sessions import SessionLocks
from switchboard.contract.context import CallContext, Context, PortalContext
from switchboard.contract.definitions.definition import read_definition
from switchboard.contract.model import CallPiece, Ended, Ending, ModelEvent, Prompt, TextPiece
from switchboard.contract.ports import ChatModel
from switchboard.contract.response import Result
from switchboard.contract.store import Set
from switchboard.conversation.claims.guard import ClaimGuards
from switchboard.conversation.conversation import Conversation
from switchboard.conversation.dependencies import join
from switchboard.conversation.event import Event
from switchboard.conversation.guard import SpeechGuard, Unguarded
from switchboard.conversation.record.deliveries import TurnDelivery
from switchboard.conversation.record.interactions import Interactions
from switchboard.conversation.session import CallSession
from switchboard.conversation.speech.utterance import Utterance
from switchboard.pipeline.confirmation.approvals import Approvals
from switchboard.pipeline.dispatcher import Dispatcher
from switchboard.pipeline.ledger.ledger import Ledger
from switchboard.state.memory.store import MemoryStore

TOOLS = 13
ANSWER = "It is apt_1."
PROMPTS = {"system": "You are the receptionist of {{business.name}}.", "tool_usage": "Use the tools."}

handler_times: list[tuple[float, float]] = []
"""When the handler was entered and left."""


async def look_up(
    ctx: CallContext, desk: Any, *, customer_phone: str, date: str | None = None, limit: int = 5
) -> Result:
    """Look up a customer's appointments."""
    handler_times.append((time.perf_counter(), time.perf_counter()))
    return Result(FOUND)


class InstantModel:
    """Calls one tool with a new question, then speaks; says when it was asked and when its last fragment left."""

    name, dialect = "instant", "openai"

    def __init__(self) -> None:
        self.asked: list[float] = []
        self.called: list[float] = []
        self._arguments = itertools.cycle(ARGUMENTS)

    async def stream(self, prompt: Prompt) -> AsyncIterator[ModelEvent]:
        """Yield an answer."""
        self.asked.append(time.perf_counter())
        if len(self.asked) % 2:
            self.called.append(time.perf_counter())
            yield CallPiece(0, "call_1", "tool_0000", next(self._arguments))
            yield Ended(Ending.CALLS)
        else:
            yield TextPiece(ANSWER)
            yield Ended(Ending.STOPPED)


class Unrecorded:
    """Writes nothing down."""

    def __init__(self, session: CallSession) -> None: ...

    async def begin(
        self, session: CallSession, utterance: Utterance | None, delivery: TurnDelivery | None = None
    ) -> None:
        """Count the turn."""
        session.begin_turn()

    def heard(self, session: CallSession, utterance: Utterance) -> None:
        """Do nothing; so do the others."""

    def happened(self, session: CallSession, event: Event) -> None: ...

    def interrupted(self, session: CallSession, heard: str | None) -> None: ...

    async def save(self, session: CallSession, delivery: TurnDelivery | None = None) -> None: ...


def _in_a_chat(number: int) -> Context:
    return PortalContext(business_id=BUSINESS, session_id=f"s{number}", turn=0)


async def open_talks(
    model: ChatModel,
    is_guarded: bool = True,
    is_recorded: bool = True,
    facts: Callable[[int], Context] = _in_a_chat,
) -> Callable[[], Conversation]:
    """Return what opens conversations, each of its own session; `facts` returns those of a numbered one."""
    signature, problems = read_signature(look_up)
    assert not problems, problems
    clock, store = SystemClock(), MemoryStore()
    built = {}
    for name in (f"tool_{number:04}" for number in range(TOOLS)):
        document = DOCUMENT | {"deeds": ["booked"]}
        built[name] = BuiltTool(
            read_definition(name, document), "Looks up.", "", {}, signature, f"{__name__}:{look_up.__name__}"
        )
    await store.commit([Set(PATHS.within(BUSINESS).business, {"name": "Salon", "timezone": "Europe/Vienna"})])
    definitions = Definitions(store, PATHS, Registry("1.0.00000000", built), clock)
    catalog = Catalog(store, PATHS, definitions, SessionLocks(store, PATHS, definitions, clock), clock)
    dispatcher = Dispatcher(catalog, Ledger(store, PATHS), None, PATHS, clock)
    guards = ClaimGuards(clock)

    def guard(session: CallSession, offer: Any) -> SpeechGuard:
        return guards(session, offer) if is_guarded else Unguarded()

    prompts = Prompts(store, PATHS, PROMPTS, clock)
    parts = join(
        model,
        catalog,
        dispatcher,
        Approvals(store, PATHS),
        clock,
        prompts.system,
        guard,
        Interactions(store, PATHS, clock).recorder,
        prompts.moment,
    )
    parts = replace(parts, recorder=parts.recorder if is_recorded else Unrecorded)
    numbers = itertools.count()

    def begin() -> Conversation:
        return Conversation(parts, CallSession(facts(next(numbers))))

    return begin
