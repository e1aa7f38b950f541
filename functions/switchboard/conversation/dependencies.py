"""What every conversation of a process works with; `main.py` joins it once."""

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Protocol

from switchboard.catalog.offer.catalog import Catalog
from switchboard.catalog.offer.offer import Offer
from switchboard.contract.business.business import Business
from switchboard.contract.call import ToolCall
from switchboard.contract.context import Context
from switchboard.contract.ports import ChatModel, Clock
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.response import ToolResponse
from switchboard.contract.store import Document
from switchboard.conversation.event import Event
from switchboard.conversation.guard import SpeechGuard
from switchboard.conversation.record.deliveries import TurnDelivery
from switchboard.conversation.session import CallSession
from switchboard.conversation.speech.plain_speech import spoken_plainly
from switchboard.conversation.speech.utterance import Utterance
from switchboard.pipeline.confirmation.approvals import Approvals, ConsentResult
from switchboard.pipeline.dispatcher import Dispatcher
from switchboard.pipeline.ledger.admission import options_of


class Recorder(Protocol):
    """Writes one conversation down, turn by turn."""

    async def earlier(self, delivery: TurnDelivery) -> str | None:
        """Return what the same delivery was answered before, waiting while it is being answered.

        Raises:
            StillAnswered: It takes longer than the delivery has patience for.
        """

    async def begin(
        self, session: CallSession, utterance: Utterance | None, delivery: TurnDelivery | None = None
    ) -> None:
        """Begin a human turn under a number that no other turn of the conversation has, and note what the human did.

        `utterance` is None where that is told later, by `heard`.

        Raises:
            Overtaken, Refused: What `delivery` has begun is not answered, and was taken back; without one, nothing.
        """

    def heard(self, session: CallSession, utterance: Utterance) -> None:
        """Note what the human did in the turn that is under way."""

    def happened(self, session: CallSession, event: Event) -> None:
        """Note what the channel is told."""

    def interrupted(self, session: CallSession, heard: str | None) -> None:
        """Note that the human spoke while the agent did, and how much they had heard; None when that is not known."""

    async def settle(self, delivery: TurnDelivery) -> None:
        """Store what a delivery was answered whose turn is written down at another time. Never raises."""

    async def save(self, session: CallSession, delivery: TurnDelivery | None = None) -> None:
        """Store what was noted, and what `delivery` was answered; nothing where its turn is answered elsewhere by now.

        A store that does not answer loses nothing of what was noted. Never raises.
        """


def _no_other_model(name: str) -> ChatModel | None:
    return None


async def _nothing_waits(facts: Context, words: str) -> bool:
    return False


async def _nobody_stops(facts: Context, business: Business | None) -> bool:
    return False


def _no_moment(offer: Offer, facts: Context) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class Dependencies:
    """The services of a conversation.

    Attributes:
        model: Speaks.
        models: Returns the model of a name that agents may choose; None where there is none of it.
        offer: Returns what may be called now; raises `ToolError` where there is no such business.
        execute: Carries a call out; the context's `call_id` is its delivery key. Never raises.
        hear: Holds an utterance against the question that waits for the caller's yes; the texts are a language, and
            what the caller was told last, and has heard (None for a button, which stands below its question); the
            document is the session's, where it was read since the caller spoke, so that it is read once.
        waits: Tells whether a question that was put in these words can still be answered; raises `StoreError`.
        stop_texts: Keeps that whoever holds the conversation wants no more texts; tells whether it did. Never raises.
        system: Returns the system prompt for what is offered; it stays the same from turn to turn.
        moment: Returns what is true right now, such as the time; told beside what the caller says.
        guard: Returns what one answer of the model has to pass before it is spoken; where the caller listens, in words.
        recorder: Returns who writes a conversation down.
        now: Tells the time (aware, UTC).
    """

    model: ChatModel
    offer: Callable[[Context], Awaitable[Offer]]
    execute: Callable[[ToolCall, Context], Awaitable[ToolResponse]]
    hear: Callable[[Context, Utterance, str, str | None, Document | None], Awaitable[ConsentResult]]
    system: Callable[[Offer, Context], Awaitable[str]]
    guard: Callable[[CallSession, Offer], SpeechGuard]
    recorder: Callable[[CallSession], Recorder]
    now: Callable[[], datetime]
    moment: Callable[[Offer, Context], str] = _no_moment
    models: Callable[[str], ChatModel | None] = _no_other_model
    waits: Callable[[Context, str], Awaitable[bool]] = _nothing_waits
    stop_texts: Callable[[Context, Business | None], Awaitable[bool]] = _nobody_stops

    def model_for(self, business: Business | None) -> ChatModel:
        """Return what speaks for a business as its agent has it; the house's model where that agent's is not there."""
        chosen = business.model if business is not None else ""
        return (self.models(chosen) if chosen else None) or self.model


def join(
    model: ChatModel,
    catalog: Catalog,
    dispatcher: Dispatcher,
    approvals: Approvals,
    clock: Clock,
    system: Callable[[Offer, Context], Awaitable[str]],
    guard: Callable[[CallSession, Offer], SpeechGuard],
    recorder: Callable[[CallSession], Recorder],
    moment: Callable[[Offer, Context], str] = _no_moment,
    models: Callable[[str], ChatModel | None] = _no_other_model,
    stop_texts: Callable[[Context, Business | None], Awaitable[bool]] = _nobody_stops,
) -> Dependencies:
    """Return the parts of conversations that call tools through a catalog and a dispatcher."""

    async def offer(facts: Context) -> Offer:
        return await catalog.get_tool_definitions(facts.business_id, options_of(facts))

    async def hear(
        facts: Context, utterance: Utterance, language: str, asked: str | None, own: Document | None
    ) -> ConsentResult:
        return await approvals.hear(
            *(facts.business_id, facts.session_id, facts.turn, utterance.answer(language), clock.now()),
            question=utterance.question,
            asked=asked,
            channel=facts.channel,
            own=own,
        )

    async def execute(call: ToolCall, facts: Context) -> ToolResponse:
        return await dispatcher.execute_tool(call.name, call.arguments, facts.business_id, facts)

    async def waits(facts: Context, words: str) -> bool:
        return await approvals.waits(facts, words, clock.now())

    plainly = spoken_plainly(guard)
    later = (moment, models, waits, stop_texts)
    return Dependencies(model, offer, execute, hear, system, plainly, recorder, clock.now, *later)
