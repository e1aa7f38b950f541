"""One conversation's state: who is calling, what was said, and what its tools did (seed 000, "CallSession Changes")."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field, replace
from datetime import date, datetime

from switchboard.catalog.offer.alternatives import Alternatives
from switchboard.catalog.offer.offer import Offer
from switchboard.contract.business.business import Business
from switchboard.contract.business.chat_person import NOBODY, ChatPerson
from switchboard.contract.business.languages import spoken_with
from switchboard.contract.call import ToolCall
from switchboard.contract.caller.caller_identity import Standing
from switchboard.contract.channel import Channel
from switchboard.contract.conclusion import Conclusion, concluded
from switchboard.contract.context import Context
from switchboard.contract.document import items
from switchboard.contract.error import BusinessGone
from switchboard.contract.json import JsonObject
from switchboard.contract.model import Ended, Noted
from switchboard.contract.observability.turn_times import CURRENT_TURN, TurnTimes
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.response import CALLERS_WORDS, IntentType, ToolResponse
from switchboard.contract.store import Document
from switchboard.conversation.asked_question import AskedQuestion, calls_asked_about
from switchboard.conversation.event import TurnOutcome
from switchboard.conversation.history import History
from switchboard.conversation.pending_results import Arrival, PendingResults
from switchboard.conversation.record.deliveries import RecordedDeliveries
from switchboard.conversation.record.turn_numbers import OtherTurns
from switchboard.conversation.speech.house_phrases import UsedUp
from switchboard.pipeline.metrics.model_use import use_of

# The interaction's record holds the rest.
CALLS_KEPT = 100
_VERIFYING = ("verify_caller", "check_verification_code")
# The hours in which an answer may come on another day than its question.
_ABOUT_MIDNIGHT = (23, 0)


@dataclass(frozen=True, slots=True)
class Receipt:
    """What an action did, as far as the agent may speak of it: `tool`, what it was called with, and its own words.

    One that `is_recorded` stands in the conversation's record already. `turn` is the one in which it was done; 0 of
    what is no longer known, or came late.
    """

    tool: str
    arguments: Mapping[str, object]
    words: JsonObject
    is_recorded: bool = False
    turn: int = 0

    @property
    def ids(self) -> tuple[str, ...]:
        """What it was done to, or made: a booking's id; empty where it does not say."""
        return tuple(map(str, items(self.words.get("effectIds"))))


@dataclass(frozen=True, slots=True)
class Successor:
    """The agent that has taken a conversation over: its id, what the caller is told of it, and its language.

    The language is empty until the conversation has gone on with it.
    """

    agent_id: str
    name: str
    language: str = ""

    def to_document(self) -> JsonObject:
        """Return it as it stands in the conversation's record."""
        return {"agentId": self.agent_id, "name": self.name, "language": self.language}


@dataclass(slots=True)
class CallSession:
    """The state of one conversation.

    Attributes:
        facts: What the channel knows; nothing of it comes from the model. Its `turn` counts human turns.
        history: What the model is told.
        tool_context: The latest answer of each tool, for follow-ups.
        tool_history: Calls and results in the first seed's JSON, oldest first.
        tool_latency_ms: How long each call took, in the same order.
        receipts: What is known to have been done in this conversation.
        is_over: Whether nothing more is said.
        question: What the caller was asked last, and may agree to; None when nothing is open.
        began_at: When the first word was said (aware, UTC).
        waiting: What is told in the next turn.
        is_closed: Whether its calls are refused from now on; not after a transfer, which may come back, and never in a
            chat, which goes on when somebody writes again.
        was_closed: Whether its session is marked so in the store.
        blocked_until: Until when nobody is answered in it (aware), as its session said last; None where it says none.
        successor: Who has taken it over from the agent that answers this channel; None while that one still does.
        business: Whose conversation it is, as last read; None before the first turn.
        offer: What the model was offered last; None before the first turn.
        outcome: How its last turn ended, or what the record says of a conversation that was over; empty before that.
        is_taken_over: Whether a person of the business has had the caller put through.
        person: Who of the business answers in this chat, as its record said last.
        known_as: What it had established about who is calling when it was opened last.
        own: Its session's document, as it was read then; None where there is none, or it could not be read.
        record_bytes: About how much its record held when it was read.
        lasted_s: How many seconds it lasted, as its channel says; None where that does not.
        deliveries: What its record says of what may come twice.
        turns: Which turns are held here, and what is known of others.
        last_turn: The number of the last turn that was told here; None where that is the one in `facts`.
        turn_before: The one before the turn that is under way: there, the caller was told something last.
        unheard: What the human said in a turn that has begun, and the model has not been told.
        heard_at: When the last human turn began (aware); None before the first one here.
        confidences: How sure the recogniser was of each of the caller's utterances, where it says so.
        used_up: Why a caller whom nothing vouches for gets no more answers for now; None while they do.
        agreed: The tools to which the human has said yes in this turn.
        unanswered: The turns that its record shows as begun and never answered, until the next one begins.
        times: How long the steps of its turns took, of those that are not written down; the last one is under way.
        model_use: What models have read and written for it, an entry an answer (`use_of`), until it is stored.
        arrived_in: By tool, the last turn that began with what came of an earlier call of it.
        is_unread: Whether nobody could read what was done in turns that had no answer, until the next one has ended.
        unshown_in: The last turn in which a tool wanted the agent's words to be heard only; 0 where none has.
    """

    facts: Context
    history: History = field(default_factory=History)
    tool_context: dict[str, JsonObject] = field(default_factory=dict)
    tool_history: list[JsonObject] = field(default_factory=list)
    tool_latency_ms: list[float] = field(default_factory=list)
    receipts: list[Receipt] = field(default_factory=list)
    is_over: bool = False
    question: AskedQuestion | None = None
    began_at: datetime | None = None
    waiting: PendingResults = field(default_factory=PendingResults)
    is_closed: bool = False
    was_closed: bool = False
    blocked_until: datetime | None = None
    successor: Successor | None = None
    business: Business | None = None
    offer: Offer | None = None
    used_up: UsedUp | None = None
    outcome: str = ""
    is_taken_over: bool = False
    person: ChatPerson = NOBODY
    known_as: Standing | None = None
    own: Document | None = field(default=None, repr=False)
    record_bytes: int = 0
    lasted_s: int | None = None
    deliveries: RecordedDeliveries = field(default_factory=RecordedDeliveries)
    turns: OtherTurns = field(default_factory=OtherTurns)
    last_turn: int | None = None
    turn_before: int = 0
    unheard: str | None = None
    heard_at: datetime | None = None
    confidences: list[float] = field(default_factory=list)
    agreed: tuple[str, ...] = ()
    unanswered: tuple[int, ...] = ()
    times: list[TurnTimes] = field(default_factory=list)
    model_use: list[JsonObject] = field(default_factory=list)
    arrived_in: dict[str, int] = field(default_factory=dict)
    is_unread: bool = False
    unshown_in: int = 0

    @contextmanager
    def timing(self) -> Iterator[None]:
        """Have the steps of whatever is begun inside, also in tasks of its own, noted in the turn that is under way."""
        token = CURRENT_TURN.set(self.times[-1] if self.times else None)
        try:
            yield
        finally:
            CURRENT_TURN.reset(token)

    @property
    def is_under_way(self) -> bool:
        """Whether somebody has been greeted or answered, and it has not ended since."""
        return not self.is_over and (self.facts.turn > 0 or bool(self.history.messages))

    def learn(self, recorded: "CallSession") -> None:
        """Take over what others have noted of it since: that it is closed or blocked, who is calling, who has it."""
        self.was_closed = self.was_closed or recorded.was_closed
        self.is_taken_over, self.person, self.known_as = recorded.is_taken_over, recorded.person, recorded.known_as
        self.blocked_until, self.own = recorded.blocked_until, recorded.own

    @property
    def is_unshown(self) -> bool:
        """Whether what the agent says now is to be heard and shown nowhere; where people read, nothing is hidden."""
        return self.facts.channel.is_spoken and 0 < self.unshown_in == self.facts.turn

    @property
    def language(self) -> str:
        """In which is spoken now: as the caller speaks, or else the agent; empty before the first turn."""
        return spoken_with(self.agents_language, self.facts.language)

    @property
    def agents_language(self) -> str:
        """In which the agent speaks that answers now; empty before the first turn."""
        own = self.business.language if self.business is not None else ""
        return own or (self.successor.language if self.successor is not None else "")

    @property
    def other_language(self) -> str:
        """The same; empty where it is what the agent speaks that answers the channel."""
        is_own = not self.facts.language or (self.business is not None and self.language == self.business.language)
        return "" if self.successor is None and is_own else self.language

    @property
    def conclusion(self) -> Conclusion | None:
        """What came of it; None while it goes on, and while a caller who was put through may come back."""
        if not (self.is_closed or (self.is_over and self.outcome != TurnOutcome.TRANSFERRED)):
            return None
        receipts = [(receipt.tool, receipt.words) for receipt in self.receipts]
        is_asked = self.question is not None
        outcome = TurnOutcome.TRANSFERRED if self.is_taken_over or self.person.is_answering else self.outcome
        return concluded(outcome, turns=self.facts.turn, is_asked=is_asked, receipts=receipts)

    @property
    def came_to(self) -> str:
        """What came of it, or else how its last turn ended, as its record says it."""
        return str(self.conclusion or self.outcome)

    @property
    def standing(self) -> list[Receipt]:
        """The latest receipt of each thing: what was booked and then moved, or cancelled, is not where it was."""
        latest: dict[str, Receipt] = {}
        for number, receipt in enumerate(self.receipts):
            for thing in receipt.ids or (f"#{number}",):
                latest[thing] = receipt
        # One of several things is one receipt.
        return list({id(receipt): receipt for receipt in latest.values()}.values())

    @property
    def verified_caller(self) -> str | None:
        """The record of the caller who was verified in this conversation, the last one; None where nobody was."""
        effect_ids = [receipt.words.get("effectIds") for receipt in self.receipts if receipt.tool in _VERIFYING]
        ids = [ids[0] for ids in effect_ids if isinstance(ids, list) and ids and isinstance(ids[0], str)]
        return ids[-1] or None if ids else None

    def answered_by(self, model: str, ended: Ended) -> None:
        """Note what a model has read and written for an answer, before that stands in the history."""
        self.model_use.append(use_of(model, self.facts.turn, len(self.history.messages), ended))

    def take(self, offer: Offer) -> Business | None:
        """Keep what is offered now, and return whose it is.

        Raises:
            BusinessGone: It is offered by another business than the one that has held this conversation.
        """
        began, begins = (business and business.began_at for business in (self.business, offer.business))
        if began is not None and begins is not None and began != begins:
            raise BusinessGone(self.facts.business_id)
        self.offer, self.business = offer, offer.business
        return self.business

    def today(self, now: datetime) -> date | None:
        """Return the business's day at a moment (aware), by which "tomorrow" is told; None where that may be misheard.

        About midnight the same word soon means another day, and before the first turn nobody knows whose day it is.
        """
        if self.business is None:
            return None
        local = now.astimezone(self.business.timezone)
        return local.date() if local.hour not in _ABOUT_MIDNIGHT else None

    @property
    def agent_mark(self) -> str:
        """By what it is counted that a version of an agent answers that is on trial, or the old one beside it."""
        situation = self.offer.situation if self.offer is not None and not self.facts.is_trial else None
        agent = situation.agent if situation is not None else None
        return agent.mark(self.facts.business_id) if agent is not None else ""

    @property
    def ways_out(self) -> Alternatives:
        """What can be had instead when something cannot be done; nothing before anybody knows what is offered."""
        return self.offer.ways_out() if self.offer is not None else Alternatives(self.facts.channel)

    def of_now(self, facts: Context) -> Context:
        """Return what a channel knows with what this conversation knows better: its turn, and who answers it."""
        agent_id = self.successor.agent_id if self.successor is not None else facts.agent_id
        known = self.facts
        facts = replace(facts, turn=known.turn, unanswered=known.unanswered, told=known.told)
        return replace(facts, agent_id=agent_id, language=known.language)

    def ask(self, question: AskedQuestion) -> None:
        """Keep the question that has just been said: a yes in the next turn is to it, and to what stood before it."""
        question.asked_in = self.facts.turn
        question.before = self.history.last_spoken.removesuffix(question.said)
        question.calls = calls_asked_about(self.history.messages, self.offer)
        self.question = question

    @property
    def asked_in(self) -> int:
        """The turn whose last words were a question that waits for the caller's yes; 0 where there is none."""
        return self.question.asked_in if self.question is not None else 0

    @property
    def told_last_in(self) -> int:
        """The turn in which the caller was told something last."""
        return self.facts.turn if self.last_turn is None else self.last_turn

    def told_beside(self, text: str) -> None:
        """Note that the caller was told something outside a turn, before it stands in the history.

        A question that is open is closed by it, since a yes is to what was said last; where these words end with it, it
        is asked anew.
        """
        question = self.question
        if question is None or question.asked_in != self.told_last_in or not text.endswith(question.said):
            self.question = None
            return
        question.is_heard, question.before = True, text.removesuffix(question.said)

    def close_question(self, *, is_missed: bool) -> None:
        """Let no yes count to a question that was asked; one that `is_missed` is asked again then."""
        if self.question is not None and is_missed:
            self.question.is_heard = False
        else:
            self.question = None

    def check_heard(self) -> None:
        """Note that a question was not heard whose last words are not among what is known to have been heard."""
        if self.question is not None:
            self.question.check_heard(self.history.last_spoken)

    def begin_turn(self, number: int | None = None) -> None:
        """Count a human turn: the next one, or the one of that number."""
        self.turn_before = self.told_last_in
        turn = self.facts.turn + 1 if number is None else number
        self.facts, self.unanswered = replace(self.facts, turn=turn, unanswered=self.unanswered), ()
        self.last_turn, self.person = None, NOBODY if self.person.has_left else self.person
        self.turns.own.add(self.facts.turn)

    def hear_unheard(self) -> None:
        """Let the model know what was said in a turn that was broken off before it could be told."""
        if self.unheard is not None:
            self.history.heard(self.unheard, self.heard_at)
            self.unheard = None

    def catch_up(self, recorded: "CallSession") -> None:
        """Go on from what the record holds by now: others have held turns of this conversation."""
        self.history, self.receipts, self.question = recorded.history, recorded.receipts, recorded.question
        self.successor, self.confidences = recorded.successor, recorded.confidences
        self.turns.known, self.last_turn = recorded.turns.known, recorded.last_turn
        self.record_bytes, self.person = recorded.record_bytes, recorded.person
        self.facts = replace(self.facts, language=recorded.facts.language)

    def finish(self, outcome: TurnOutcome) -> None:
        """Note how a turn has ended, and perhaps the conversation with it."""
        self.is_unread = False
        self.is_over = outcome in (TurnOutcome.ENDED, TurnOutcome.TRANSFERRED)
        self.is_closed = outcome is TurnOutcome.ENDED and self.facts.channel is not Channel.PORTAL

    def arrive(self, arrival: Arrival) -> None:
        """Let the model know what came of a call that was accepted before, and let it take effect on what is said."""
        response = arrival.response
        self.facts = replace(self.facts, told=(*self.facts.told, arrival.call_id))
        self.arrived_in[arrival.tool] = self.facts.turn
        self.history.add(Noted(arrival.note))
        for intent in response.intents:
            text = intent.payload.get("text")
            if intent.type is IntentType.INJECT_CONTEXT and isinstance(text, str) and text:
                self.history.add(Noted(text))
            self.waiting.leave(intent)
        if response.ok:
            self.tool_context[arrival.tool] = response.data or {}
        receipt = response.meta.get("receipt")
        if not response.ok or not isinstance(receipt, dict):
            return
        if not arrival.is_unheard:
            self.receipts.append(Receipt(arrival.tool, {}, receipt, is_recorded=True))
        elif not any(known.tool == arrival.tool and known.words == receipt for known in self.receipts):
            # Who waited for it in the turn before hears of it in this one.
            self.receipts.append(Receipt(arrival.tool, {}, receipt, turn=self.facts.turn))

    def note(self, call: ToolCall, response: ToolResponse, elapsed_ms: float) -> None:
        """Keep a call and what it came to, as the first seed's protocol writes them, and its receipt."""
        arguments = call.arguments_object
        envelope = response.to_json()
        result = envelope["data"] if response.ok else {"error": envelope["error"]}
        self.tool_history += [
            {"type": "tool_call", "tool_name": call.name, "arguments": arguments},
            {"type": "tool_result", "tool_name": call.name, "result": result},
        ]
        del self.tool_history[: -2 * CALLS_KEPT]
        self.tool_latency_ms.append(elapsed_ms)
        del self.tool_latency_ms[:-CALLS_KEPT]
        if response.ok:
            self.tool_context[call.name] = result
        self.waiting.accept(response)
        if isinstance(repeated_of := response.meta.get("repeatedOf"), str):
            self.facts = replace(self.facts, told=(*self.facts.told, repeated_of))
        hides = (
            intent != CALLERS_WORDS for intent in response.intents if intent.type is IntentType.SUPPRESS_TRANSCRIPT
        )
        if any(hides):
            self.unshown_in = self.facts.turn
        receipt, told = response.meta.get("receipt"), [r.words for r in self.receipts if r.tool == call.name]
        if response.ok and isinstance(receipt, dict) and not (response.meta.get("repeated") and receipt in told):
            self.receipts.append(Receipt(call.name, arguments, receipt, turn=self.facts.turn))
