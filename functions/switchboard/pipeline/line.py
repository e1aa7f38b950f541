"""A conversation's own line to the dispatcher: what its calls have in common is worked out once, not for each of them.

A call that needs nothing special takes a short way, which asks what every check asks in a few comparisons; any other
goes through `Dispatcher.execute_tool`. Both count and record in one ledger in memory, so that nobody can tell which way
a call took, save by the time. Over any other ledger, every call goes the general way.
"""

import json
from asyncio import CancelledError
from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING, Any

from switchboard.catalog.integration import ALL_CLOSED
from switchboard.contract.context import Context
from switchboard.contract.deadline import ENDS_AT, earliest
from switchboard.contract.error import ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.policy import EMPTY_RESULT_LIMIT, REUSE_S, SAME_CALL_LIMIT
from switchboard.contract.response import Result
from switchboard.pipeline.json_text import json_text
from switchboard.pipeline.measuring import measure
from switchboard.pipeline.memory_ledger import MemoryLedger, Session
from switchboard.pipeline.meter_sessions import SessionUse
from switchboard.pipeline.plan import Plan, Standing
from switchboard.pipeline.settle import Outcome, failed, succeeded
from switchboard.pipeline.short_call import ShortCall

if TYPE_CHECKING:
    from switchboard.pipeline.dispatch import Dispatcher

_encoded = json.encoder.encode_basestring_ascii


class Line:
    """Executes the calls of one conversation.

    Attributes:
        dispatcher: Whose line it is.
        facts: The conversation's; `turn` and `call_id` come with each call.
    """

    __slots__ = (
        "_answers",
        "_circuits_of",
        "_clock",
        "_conversation",
        "_key",
        "_ledger",
        "_safely",
        "_session",
        "_standing",
        "_to_turn",
        "dispatcher",
        "facts",
    )

    def __init__(self, dispatcher: "Dispatcher", facts: Context) -> None:
        """Connect; nothing is looked up before the first call."""
        self.dispatcher, self.facts = dispatcher, facts
        self._key = (facts.business_id, facts.session_id)
        self._clock, self._safely = dispatcher.clock.monotonic, dispatcher.safely
        self._circuits_of = dispatcher.catalog.circuits_of
        # The short way counts every call; a trial's count nowhere.
        ledger = dispatcher.ledger
        self._ledger = ledger if isinstance(ledger, MemoryLedger) and not facts.is_trial else None
        self._session = self._ledger.session(self._key) if self._ledger else Session(self._key)
        self._answers = dispatcher.reuse.answers(self.facts)
        self._standing: Standing | None = None
        self._conversation: SessionUse | None = None
        self._to_turn = f',"sessionId":{_encoded(facts.session_id)},"turn":'

    async def call(self, name: str, arguments: str | JsonObject | None, call_id: str, turn: int = 1) -> str:
        """Execute one call and return its envelope as JSON, whatever happens.

        Args:
            name: The tool's name, as the model wrote it.
            arguments: As the model wrote them: JSON text, or an object.
            call_id: Identifies the delivery.
            turn: The human turn, counted from 1.
        """
        # What is no method is bound to a name before it is called, which Python does in half the time.
        dispatcher, standing, clock, safely = self.dispatcher, self._standing, self._clock, self._safely
        began, second = monotonic(), clock()
        if standing is None or second >= standing.definitions.expires_at or second >= standing.owner.expires_at:
            standing = self._standing = None
        plan = standing.plans.get(name) if standing is not None else None
        if plan is None and self._ledger is not None:
            plan = await safely(self._look(name), _nothing, acting=False)
        if plan is None:
            return await self._dispatched(name, arguments, call_id, turn)
        read, work, limits = plan.read, plan.work, dispatcher.limits
        plain = read(arguments)
        if plain is None:
            return await self._dispatched(name, arguments, call_id, turn)
        short = self._admitted(plan, arguments, f"{name}|{plain[1]}", call_id, turn, began, second)
        if short is None:
            return await self._dispatched(name, arguments, call_id, turn)
        # A look-up ends with its turn's time, of which its counts say how much was used before it.
        left_s = (plan.limits.retrieval_ms_per_turn - short.counts[4]) / 1000 if plan.is_retrieval else plan.seconds
        ends_at = earliest(began + min(plan.seconds, left_s))
        outer = ENDS_AT.set(ends_at)
        limits.begin(short, ends_at)
        try:
            running = work(short, dispatcher.desk, **plain[0])
            found = await safely(running, _itself, acting=False, foreseen=short.failure)
        except CancelledError:
            if not limits.end(short):
                raise
            found = short.too_slow()
        finally:
            if short.task is not None:
                limits.end(short)
            ENDS_AT.reset(outer)
        if type(found) is Result and not found.intents and found.receipt is None:
            data = plan.promised(found.data)
            if data is not None:
                return self._answered(short, found, data)
        return await safely(self._spelt_out(short, found), short.failed, acting=False)

    async def _look(self, name: str) -> Plan | None:
        """Return how a tool is called, if the short way is open to it."""
        standings = self.dispatcher.standings
        if self._standing is None:
            self._standing = await standings.of(self.facts)
        return standings.plan(self._standing, name, self.facts) if self._standing is not None else None

    def _admitted(
        self, plan: Plan, sent: Any, question: str, call_id: str, number: int, began: float, second: float
    ) -> ShortCall | None:
        """Record and count a call if nothing stands in its way; otherwise leave no trace, for the dispatcher to say."""
        dispatcher, session, limits, circuits_of = self.dispatcher, self._session, plan.limits, self._circuits_of
        assert self._ledger is not None
        if not session.is_kept:
            session = self._session = self._ledger.session(self._key)
        if (
            call_id in session.calls
            or session.ended
            or not dispatcher.crowd.has_room(plan.business_id)
            or circuits_of(plan.business_id) is not ALL_CLOSED
        ):
            return None
        turn = session.turns.get(number) or self._ledger.turn(session, number)
        same, empty = turn.same.get(question, 0) + 1, turn.empty.get(plan.name, 0)
        recent = plan.recent
        usual = recent.kept if second < recent.kept_until else dispatcher.meter.usual(plan.name)
        usual_ms = usual.p50 if usual is not None else 0.0
        if same >= SAME_CALL_LIMIT or empty >= EMPTY_RESULT_LIMIT or turn.calls >= limits.calls_per_turn:
            return None
        if plan.is_retrieval:
            left_ms = limits.retrieval_ms_per_turn - turn.retrieval_ms
            if turn.retrievals >= limits.retrieval_calls_per_turn or left_ms <= 0:
                return None
            if usual_ms > left_ms and turn.retrieval_ms > 0:
                return None
            if not self._answers.are_kept:
                self._answers = dispatcher.reuse.answers(self.facts)
            known = self._answers.get(question)
            if known is not None and second < known[1]:
                return None
        turn.calls += 1
        turn.retrievals += plan.is_retrieval
        turn.same[question] = same
        counts = (turn.calls, turn.retrievals, same, empty, turn.retrieval_ms)
        short = ShortCall(self, plan, sent, question, call_id, number, turn, counts, usual_ms, began, second)
        session.record(call_id, short)
        return short

    def _answered(self, short: ShortCall, result: Result, data: str) -> str:
        """Settle a call that went as calls usually go."""
        plan, turn = short.plan, short.in_turn
        tenths = int((monotonic() - short.began) * 10_000 + 0.5)
        elapsed_ms = tenths / 10
        if plan.is_retrieval:
            if not self._answers.are_kept:
                self._answers = self.dispatcher.reuse.answers(self.facts)
            self._answers.keep(short.question, result, short.second + REUSE_S)
            turn.retrieval_ms += elapsed_ms
        if result.empty:
            short.is_empty = True
            turn.empty[plan.name] = turn.empty.get(plan.name, 0) + 1
        conversation = self._conversation
        if conversation is None or conversation.ended is not None:
            conversation = self._conversation = self.dispatcher.meter.conversation(self._key)
        meter, use, timing = self.dispatcher.meter, plan.use, plan.timing
        if use is None or timing is None:
            # Not before its first answer: a tool that has never run is not shown.
            use, timing = plan.counted_by(meter.tool(plan.name))
        meter.count(use, timing, plan.kind, self._key, conversation, short.turn, elapsed_ms, len(data))
        short.envelope = envelope = (
            f'{{"ok":true,"data":{data},"intents":[],"meta":{plan.to_call_id}{_encoded(short.call_id)}'
            f"{self._to_turn}{short.turn}{plan.to_time}{tenths // 10}.{tenths % 10}}}}}"
        )
        return envelope

    async def _spelt_out(self, short: ShortCall, found: Result | ToolError) -> str:
        """Settle a call that failed, or whose result asks for more: intents, another size, or an objection.

        Raises:
            ToolError: It failed, or the result does not keep the tool's promise.
        """
        if isinstance(found, ToolError):
            raise found
        case = short.case()
        outcome = succeeded(case, found, short.began)
        self.dispatcher.reuse.note(case, found)
        return self._settled(short, outcome)

    def failed(self, short: ShortCall, error: ToolError) -> str:
        """Settle a call that failed, and return its envelope."""
        return self._settled(short, failed(short.case(), error, short.began))

    def _settled(self, short: ShortCall, outcome: Outcome) -> str:
        case = short.case()
        measure(
            self.dispatcher.meter,
            case.call,
            case.facts,
            case.kind,
            outcome.response,
            short.began,
            ran=True,
            characters=outcome.characters,
        )
        assert self._ledger is not None
        self._ledger.close(case, outcome)
        return json_text(outcome.response.to_json())

    async def _dispatched(self, name: str, arguments: str | JsonObject | None, call_id: str, turn: int) -> str:
        facts = replace(self.facts, call_id=call_id, turn=turn)
        response = await self.dispatcher.execute_tool(name, arguments, facts.business_id, facts)
        return json_text(response.to_json())


def _nothing(_: ToolError) -> None:
    return None


def _itself(error: ToolError) -> ToolError:
    return error
