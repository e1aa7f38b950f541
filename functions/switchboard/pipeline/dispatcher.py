"""`execute_tool`: the one way in which a tool is called, on every channel and in every dialect (seed 004, "Execution").

A call is prepared in memory, admitted in one commit, checked, run, and settled in one commit. It never raises: every
outcome is an envelope. This file holds the program's only broad `except`.
"""

import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, TypeAlias, TypeVar

from switchboard.catalog.offer.catalog import Catalog
from switchboard.catalog.offer.inclusion import integration_of, is_owners_service
from switchboard.catalog.offer.offer import Offer
from switchboard.contract.call import ToolCall
from switchboard.contract.context import CallContext, Context, in_order
from switchboard.contract.deadline import bounded
from switchboard.contract.definitions.definition import Kind, Repeat
from switchboard.contract.error import ErrorType, Refused, ToolError
from switchboard.contract.observability.trace import recorded
from switchboard.contract.policy import CHANNEL_POLICY, WAITED_PART, WAITED_PART_OF_ACTIONS
from switchboard.contract.ports import Clock, Paths, TaskQueue
from switchboard.contract.response import ToolResponse
from switchboard.contract.revoked import noting_in
from switchboard.contract.store import Stale, StoreError
from switchboard.pipeline.checks.caller_identity import asks_who_calls, with_standing
from switchboard.pipeline.checks.checks import examine
from switchboard.pipeline.confirmation.proposing import Proposing
from switchboard.pipeline.execution.deadline import abandoned, awaited, limit_s
from switchboard.pipeline.execution.nested_calls import NestedCalls
from switchboard.pipeline.execution.queue import InProcessQueue, announce, not_accepted
from switchboard.pipeline.execution.reauthorization import Reauthorisation
from switchboard.pipeline.execution.result_cache import ResultCache
from switchboard.pipeline.invocation import Invocation
from switchboard.pipeline.ledger.admission import Admission, options_of, prepare
from switchboard.pipeline.ledger.ledger import Ledger
from switchboard.pipeline.ledger.record import CallRow, arrival_of
from switchboard.pipeline.ledger.replay import replay
from switchboard.pipeline.ledger.unsettled import Unsettled
from switchboard.pipeline.limits.breaker import Breakers
from switchboard.pipeline.limits.concurrency import Concurrency, Slot
from switchboard.pipeline.limits.fair_queue import Lane
from switchboard.pipeline.metrics.call_metrics import measure, shown_name
from switchboard.pipeline.metrics.meter import Meter
from switchboard.pipeline.recovery import Recovery
from switchboard.pipeline.result.outcome import (
    CallOutcome,
    accepted,
    being_carried_out,
    failed,
    granted,
    not_started,
    out_of_reach,
    succeeded,
    unheard,
)
from switchboard.pipeline.tracing import traced

log = logging.getLogger(__name__)
T = TypeVar("T")
S = TypeVar("S")

Arrival: TypeAlias = Callable[[Context, str, ToolResponse], Awaitable[None]]
"""Told of what came of a call that was accepted before: whose it was, the tool's name, and its answer."""


class Dispatcher:
    """Executes calls for every business."""

    def __init__(
        self,
        catalog: Catalog,
        ledger: Ledger,
        desk: object,
        paths: Paths,
        clock: Clock,
        meter: Meter | None = None,
        breakers: Breakers | None = None,
        reauthorisation: Reauthorisation | None = None,
        queue: TaskQueue | None = None,
    ) -> None:
        """Join the parts.

        `desk` is handed to handlers as it is, `breakers` are those that the catalog asks; without a `queue`, what is
        accepted is carried out by this process.
        """
        self.catalog, self.ledger, self.desk, self.paths, self.clock = catalog, ledger, desk, paths, clock
        self.meter = meter or Meter(clock)
        self._admission = Admission(catalog, ledger)
        self.reuse = ResultCache(clock)
        self._breakers = breakers or Breakers(clock)
        self.crowd = Concurrency()
        self._leftovers = Unsettled(ledger, clock)
        self._proposing = Proposing(ledger, self._breakers, self.safely, self._called)
        self._reauthorisation = reauthorisation
        self._queue = queue or InProcessQueue(self.carry_out_queued)
        self.arrivals: list[Arrival] = []
        self.recovery = Recovery(self, self._leftovers)

    async def execute_tool(self, name: str, args: Any, business_id: str, context: Context) -> ToolResponse:
        """Execute one call and return its envelope, whatever happens.

        Args:
            name: The tool's name, as the model wrote it.
            args: The arguments: an object, or the JSON text that the model wrote.
            business_id: From the credential or the signed URL, never from the model.
            context: The channel's facts; `call_id` identifies the delivery, `session_id` the conversation.
        """
        # A model may write anything; what cannot be stored or shown as text is replaced before it goes any further.
        name = str(name).encode("utf-8", "replace").decode()
        started = time.monotonic()
        call = ToolCall(name, args, context.call_id)
        work = self._execute(call, business_id, context, started)

        def unanswered(error: ToolError) -> ToolResponse:
            response = unheard(name, context, error)
            measure(self.meter, call, context, Kind.RETRIEVAL, response, started, ran=False)
            return response

        answered = self.safely(work, unanswered, acting=False)
        return await (answered if recorded() is None else traced(call, context, answered))

    async def recover(self, business_id: str | None = None) -> int:
        """Bring to an end what instances that have died since had started; return how many calls that were.

        Of one business, or of all. Called every few seconds while a process serves, and by the scheduler. A redelivery
        does the same for its call.

        Raises:
            StoreError: The store cannot be asked.
        """
        await self._leftovers.clear_up()
        return await self.recovery.recover(business_id)

    async def carry_out_queued(self, business_id: str | None = None) -> int:
        """Carry out calls that were accepted, of one business or of all; return how many there were.

        Asked for by the task queue, and by a pass every few seconds for whatever a queue has lost. Two at once do no
        harm: a call is taken over by one of them.

        Raises:
            StoreError: The store cannot be asked.
        """
        return await self.recovery.carry_out_queued(business_id)

    async def _execute(self, call: ToolCall, business_id: str, facts: Context, started: float) -> ToolResponse:
        if facts.business_id != business_id:
            raise Refused(ErrorType.AUTH, "This conversation belongs to another business.")
        # Before anything is read or recorded: a call for which there is no room may come again under its own id.
        tool = self.catalog.definitions.registry.tools.get(call.name)
        lane = Lane.ACTING if tool is None or tool.definition.kind is Kind.ACTION else Lane.READING
        # A part of what the call itself may take, so that both together are no long silence.
        policy = CHANNEL_POLICY[facts.channel]
        ms, part = (policy.retrieval_deadline_ms, WAITED_PART)
        if lane is Lane.ACTING:
            ms, part = (policy.action_deadline_ms, WAITED_PART_OF_ACTIONS)
        within_s = ms / 1000 * part
        crowd = self.crowd.place(business_id, lane, is_let_in=bool(facts.within), within_s=within_s)
        async with in_order(facts.beside), crowd as place:
            case = await self.case_of(call, facts)
            response = await self._admit_and_carry_out(case, place, started)
            if case.counts is None or case.counts.pending <= 0:
                return response
            results = await self.ledger.take_results(case)
            return replace(response, meta={**response.meta, "pendingResults": results}) if results else response

    async def _admit_and_carry_out(self, case: Invocation, place: Slot, started: float) -> ToolResponse:
        try:
            earlier, is_recorded = await self._admitted(case)
            if earlier is None:
                if case.overdrawn and (await self._established(case.facts, case.offer)).caller_verified:
                    case.overdrawn = ()
                return await self.carry_out(case, place, started, is_recorded)
            earlier = await self._leftovers.as_answered(case, earlier)
            is_open = earlier.is_abandoned(case.now) or earlier.may_be_tried_again or earlier.is_looked_into
            if is_open and earlier.is_of(case):
                return await self.recovery.take_over(case, earlier, place, started)
            return replay(case, earlier)
        except ToolError as error:
            response = failed(case, error, started).response
            # An action that outlives its caller is measured when it ends.
            if not error.meta.get("timedOut"):
                measure(self.meter, case.call, case.facts, case.kind, response, started, ran=False)
            return response

    async def case_of(self, call: ToolCall, facts: Context) -> Invocation:
        """Return a call with everything that is known about it before it is let in."""
        offer, locked, opens_session = await self.catalog.for_call(facts.business_id, options_of(facts))
        if asks_who_calls(call.name, facts, offer):
            known = await self._established(facts, offer)
            if known is not facts:
                facts = known
                offer, locked, opens_session = await self.catalog.for_call(facts.business_id, options_of(facts))
        case = Invocation(call, facts, offer, locked, opens_session, self.clock.now())
        prepare(case)
        case.usual_ms = self.meter.usual_ms(call.name) or 0.0
        return case

    async def _admitted(self, case: Invocation) -> tuple[CallRow | None, bool]:
        """Admit the call; return an earlier delivery's row if there is one, and whether the call is recorded."""
        try:
            return await self._admission.admit(case), True
        except StoreError as error:
            examine(case)
            if case.refusal is not None or case.kind is not Kind.ACTION:
                return None, False
            self._leftovers.not_started(case)
            # A read may go unrecorded; an effect may not, since nothing would keep it from happening twice.
            raise not_started(case.call.name, error) from None

    async def carry_out(self, case: Invocation, place: Slot, started: float, is_recorded: bool) -> ToolResponse:
        """Check a call that was let in, run it, and settle it; return its answer."""
        case.began_at = started
        examine(case)
        await self._proposing.look_up(case)
        case.ends_at = time.monotonic() + bounded(limit_s(case))
        ending = self._end(case, started, is_recorded)
        is_acting = case.kind is Kind.ACTION and case.refusal is None and case.wish_granted is None
        return await (awaited(case, place.kept(ending)) if is_acting else ending)

    async def conclude(self, case: Invocation, outcome: CallOutcome, started: float) -> ToolResponse:
        """Settle a call that is not run; return its answer."""
        measure(self.meter, case.call, case.facts, case.kind, outcome.response, started, ran=False)
        await self._settle(case, outcome)
        return outcome.response

    async def _end(self, case: Invocation, started: float, is_recorded: bool) -> ToolResponse:
        """Run the call (or refuse it) and settle it; for an action this may outlive whoever waits for it."""
        # What cannot be recorded cannot be queued either.
        case.is_due = case.is_due or not is_recorded
        outcome = await self.safely(
            self._outcome(case, started, is_recorded),
            lambda error: failed(case, error, started),
            acting=case.kind is Kind.ACTION,
        )
        # An open circuit refuses only here; what it refuses has not run either.
        ran = (
            outcome.state not in ("refused", "queued")
            and case.wish_granted is None
            and "reused" not in outcome.response.meta
        )
        told = (self.meter, case.call, case.facts, case.kind, outcome.response, started)
        measure(*told, ran=ran, characters=outcome.characters)
        if outcome.state == "queued":
            return await self._queued(case, outcome, started)
        if is_recorded:
            await self._settle(case, outcome)
        await self._note_revoked(case, outcome)
        if case.runs_on and arrival_of(case, outcome) is not None:
            for arrival in self.arrivals:
                await arrival(case.facts, case.call.name, outcome.response)
        return outcome.response

    async def _queued(self, case: Invocation, outcome: CallOutcome, started: float) -> ToolResponse:
        """Record that a call was accepted, and only then say so."""
        try:
            await self.ledger.settle(case, outcome)
        except StoreError as error:
            return failed(case, not_accepted(case.call.name, str(error)), started).response
        await announce(self._queue, case.facts)
        return outcome.response

    async def _established(self, facts: Context, offer: Offer) -> Context:
        """Return the facts with what this conversation has established about who is calling."""
        try:
            standing = await self.catalog.sessions.standing(facts.business_id, facts.session_id)
        except StoreError as error:
            # The call is refused then, as that of a caller who is not verified.
            log.warning("standing not read", extra={"reason": type(error).__name__, "pii.detail": str(error)})
            return facts
        return with_standing(facts, standing, offer.business, self.clock.now())

    async def _note_revoked(self, case: Invocation, outcome: CallOutcome) -> None:
        """Let what follows from a revoked authorisation follow, before the caller's next turn."""
        failure, found = outcome.response.failure, set(case.revoked)
        if failure is not None and failure.type is ErrorType.AUTH and outcome.state != "refused":
            depends = integration_of(case.definition, case.business) if case.definition else None
            found.add(outcome.source or depends or "")
        for integration in sorted(found):
            # What an owner's service says of a key is between the two: no connection of ours has to be made again.
            if integration and not is_owners_service(integration) and self._reauthorisation is not None:
                await self._reauthorisation.mark(case.facts.business_id, integration, case.now)

    async def _settle(self, case: Invocation, outcome: CallOutcome) -> None:
        if case.is_lost:
            return
        try:
            await self.ledger.settle(case, outcome)
        except StoreError as error:
            # The answer is true all the same, and is written down as soon as that can be done.
            self._leftovers.not_settled(case, outcome)
            log.error(
                "call not settled",
                extra={"tool": shown_name(case.call), "reason": type(error).__name__, "pii.detail": str(error)},
            )

    async def _outcome(self, case: Invocation, started: float, is_recorded: bool) -> CallOutcome:
        if case.objection is not None:
            raise case.objection
        if case.refusal is not None:
            raise case.refusal
        if case.wish_granted is not None:
            return granted(case, case.wish_granted, started)
        known = self.reuse.answer(case)
        if known is not None:
            return succeeded(case, known, started, reused=True)
        assert case.definition is not None and case.tool is not None
        if case.definition.is_async and not case.is_due:
            return accepted(case, started)
        if case.is_marked_begun and is_recorded:
            await self._begin(case)
        # Around settling too: an answer that breaks the tool's promise is a failure of whoever gave it.
        with self._breakers.attempt(case.facts.business_id, integration_of(case.definition, case.business)):
            work = self._called(case, case.tool.tool.handler(self.catalog.definitions.registry))
            result = await (work if case.kind is Kind.ACTION else abandoned(case, work))
            outcome = succeeded(case, result, started)
        self.reuse.note(case, result)
        return outcome

    async def _begin(self, case: Invocation) -> None:
        try:
            await self.ledger.begin(case)
        except Stale:
            case.is_lost = True
            raise being_carried_out() from None
        except StoreError as error:
            raise not_started(case.call.name, error) from error

    async def _called(self, case: Invocation, handler: Callable[..., Awaitable[T]], *, acting: bool | None = None) -> T:
        """Return what a tool's code returns; `acting`: whether it changes anything, else as its tool does."""
        assert case.arguments is not None
        context = CallContext(
            business=case.business,
            facts=case.facts,
            paths=self.paths.within(case.facts.business_id),
            now=case.now,
            tool=case.call.name,
            effect_key=case.effect_key,
            repeats_freely=case.repeat is Repeat.NEVER,
            tools=NestedCalls(self, case.facts, case.ends_at),
            agreed=case.proposal.facts if case.proposal is not None and case.is_approved else None,
            days=case.arguments.days,
        )
        noting_in(case.revoked)
        try:
            return await handler(context, self.desk, **case.arguments.values)
        except StoreError as error:
            acting = case.kind is Kind.ACTION if acting is None else acting
            raise out_of_reach(case.call.name, error, acting=acting) from error

    @staticmethod
    async def safely(
        work: Awaitable[T],
        answer: Callable[[ToolError], S],
        *,
        acting: bool,
        foreseen: Callable[[Exception], ToolError | None] | None = None,
    ) -> T | S:
        """Return what the work returns, or the answer to whatever it raises; `foreseen` may say what that comes to."""
        try:
            return await work
        except ToolError as error:
            if error.detail:
                log.warning("call failed", extra={"type": error.type.value, "pii.detail": error.detail})
            return answer(error)
        except Exception as error:
            known = foreseen(error) if foreseen is not None else None
            if known is not None:
                return answer(known)
            log.exception("call failed unexpectedly")
            message = "Something went wrong on our side. Apologise."
            # Seed 003: an unexpected failure of an action must be taken to have changed something.
            return answer(
                ToolError(ErrorType.INTERNAL, message, partial_side_effects=acting, detail=type(error).__name__)
            )
