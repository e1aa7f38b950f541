"""`execute_tool`: the one way in which a tool is called, on every channel and in every dialect (seed 004, "Execution").

A call is prepared in memory, admitted in one commit, checked, run, and settled in one commit. It never raises: every
outcome is an envelope.
"""

import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

from switchboard.catalog.offer.catalog import Catalog
from switchboard.catalog.offer.inclusion import integration_of, is_owners_service
from switchboard.catalog.offer.offer import Offer
from switchboard.contract.call import ToolCall
from switchboard.contract.context import Context, in_order
from switchboard.contract.definitions.definition import Kind
from switchboard.contract.error import ErrorType, Refused, ToolError
from switchboard.contract.observability.subject import About
from switchboard.contract.observability.trace import recorded
from switchboard.contract.policy import CHANNEL_POLICY, WAITED_PART, WAITED_PART_OF_ACTIONS
from switchboard.contract.ports import Clock, Paths, TaskQueue
from switchboard.contract.response import ToolResponse
from switchboard.contract.store import StoreError
from switchboard.pipeline.boundary import guarded
from switchboard.pipeline.checks.caller_identity import asks_who_calls, with_standing
from switchboard.pipeline.checks.checks import run_checks
from switchboard.pipeline.checks.strangers import shares_with_others
from switchboard.pipeline.confirmation.proposing import Proposing
from switchboard.pipeline.confirmation.told_terms import ToldTerms
from switchboard.pipeline.execution.deadline import awaited, ends_at
from switchboard.pipeline.execution.queue import InProcessQueue, announce, not_accepted
from switchboard.pipeline.execution.reauthorization import Reauthorisation
from switchboard.pipeline.execution.runner import Runner
from switchboard.pipeline.invocation import Invocation
from switchboard.pipeline.ledger.admission import Admission, options_of, prepare
from switchboard.pipeline.ledger.ledger import Ledger
from switchboard.pipeline.ledger.record import arrival_of, told_late
from switchboard.pipeline.ledger.row import CallRow
from switchboard.pipeline.ledger.unsettled import Unsettled, may_be_carried_out
from switchboard.pipeline.limits.breaker import Breakers
from switchboard.pipeline.limits.concurrency import Concurrency, Slot
from switchboard.pipeline.limits.fair_queue import Lane
from switchboard.pipeline.metrics.call_metrics import measure, shown_name
from switchboard.pipeline.metrics.meter import Meter
from switchboard.pipeline.recovery import Recovery
from switchboard.pipeline.result.outcome import CallOutcome, failed, not_begun, not_started, unheard, unrecorded
from switchboard.pipeline.tracing import traced

log = logging.getLogger(__name__)

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
        self.catalog, self.ledger, self.paths, self.clock = catalog, ledger, paths, clock
        self.meter = meter or Meter(clock)
        self.concurrency = Concurrency()
        self.arrivals: list[Arrival] = []
        self._admission = Admission(catalog, ledger)
        breakers = breakers or Breakers(clock)
        self.runner = Runner(catalog, ledger, breakers, desk, paths, clock, self)
        self._proposing, self._told = Proposing(ledger, breakers, self.runner.call), ToldTerms(catalog)
        self._unsettled = Unsettled(ledger, clock)
        self._reauthorisation = reauthorisation
        self._queue = queue or InProcessQueue(self.carry_out_queued)
        self.recovery = Recovery(self, self._unsettled)

    async def execute_tool(self, name: str, args: Any, business_id: str, context: Context) -> ToolResponse:
        """Execute one call and return its envelope, whatever happens.

        Args:
            name: The tool's name, as the model wrote it.
            args: The arguments: an object, or the JSON text that the model wrote.
            business_id: From the credential or the signed URL, never from the model.
            context: The channel's facts; `call_id` identifies the delivery, `session_id` the conversation.
        """
        # A model may write anything; what cannot be stored or shown as text is replaced before it goes any further.
        name = str(name)
        if not name.isascii():
            name = name.encode("utf-8", "replace").decode()
        started = time.monotonic()
        call = ToolCall(name, args, context.call_id)

        def unanswered(error: ToolError) -> ToolResponse:
            response = unheard(name, context, error)
            measure(self.meter, call, context, Kind.RETRIEVAL, response, started, ran=False)
            return response

        execute = self._execute if context.beside is None else self._execute_in_order
        answered = guarded(execute(call, business_id, context, started), unanswered, acting=False)
        with About(context.business_id, context.session_id, context.call_id, shown_name(call)):
            return await (answered if recorded() is None else traced(call, context, answered))

    async def recover(self, business_id: str | None = None) -> int:
        """Bring to an end what instances that have died since had started; return how many calls that were.

        Of one business, or of all. Called every few seconds while a process serves, and by the scheduler. A redelivery
        does the same for its call.

        Raises:
            StoreError: The store cannot be asked.
        """
        await self.clear_up()
        return await self.recovery.recover(business_id)

    async def clear_up(self) -> None:
        """Write down what this instance could not when it happened, and tell whoever was told that nobody knows."""
        for invocation, outcome in await self._unsettled.clear_up():
            await self._tell_late(invocation, outcome)

    async def keep_cleared_up(self) -> None:
        """Clear up whenever something is left, until cancelled: every instance its own, whoever makes the passes."""
        await self._unsettled.keep(self.clear_up)

    async def carry_out_queued(self, business_id: str | None = None) -> int:
        """Carry out calls that were accepted, of one business or of all; return how many there were.

        Asked for by the task queue, and by a pass every few seconds for whatever a queue has lost. Two at once do no
        harm: a call is taken over by one of them.

        Raises:
            StoreError: The store cannot be asked.
        """
        return await self.recovery.carry_out_queued(business_id)

    async def _execute_in_order(
        self, call: ToolCall, business_id: str, context: Context, started: float
    ) -> ToolResponse:
        """Execute a look-up of several that were asked for at once."""
        assert context.beside is not None
        async with in_order(context.beside):
            return await self._execute(call, business_id, context, started)

    async def _execute(self, call: ToolCall, business_id: str, context: Context, started: float) -> ToolResponse:
        """The way of every call; its second half, which what was interrupted goes once more, is `complete`."""
        if context.business_id != business_id:
            raise Refused(ErrorType.AUTH, "This conversation belongs to another business.")
        async with self._slot(call, context) as slot:
            invocation = await self.prepare(call, context, started)
            try:
                response = await self._at_once(invocation) or await self._admitted_first(invocation, slot)
            except ToolError as error:
                response = self._not_run(invocation, error)
            if invocation.counts is not None and invocation.counts.pending > 0:
                return await self._with_late_results(invocation, response)
            return response

    async def _at_once(self, invocation: Invocation) -> ToolResponse | None:
        """Run a look-up, and admit and settle it by one commit; None for what has to be admitted first."""
        at_once = self.ledger.at_once
        invocation.counts = at_once.expected(invocation)
        if invocation.counts is None:
            return None
        run_checks(invocation)
        if invocation.refusal is not None:
            # Others may have been given back what this one needs: the commit that admits it tells.
            invocation.counts = invocation.refusal = None
            return None
        invocation.ends_at = ends_at(invocation)
        outcome = await guarded(self.runner.run(invocation), partial(failed, invocation), acting=False)
        try:
            settled = await at_once.settle(invocation, outcome)
        except StoreError:
            # As it would be answered where it cannot be admitted: a read may go unrecorded.
            invocation.is_recorded, invocation.counts = False, None
            return await self._answered(invocation, outcome)
        if settled is None:
            invocation.counts = None
            return None
        if invocation.opens_session:
            whose = invocation.facts.business_id, invocation.facts.session_id
            self.catalog.sessions.remember(*whose, invocation.locked)
        return await self._answered(invocation, settled)

    async def _admitted_first(self, invocation: Invocation, slot: Slot) -> ToolResponse:
        """Admit a call, and then run and settle it, unless it was delivered before."""
        earlier = await self._admit(invocation)
        if earlier is not None and await self._unsettled.has_taken_back(earlier):
            earlier = await self._admit(invocation)
        if earlier is not None:
            return await self.recovery.answer(invocation, earlier, slot)
        return await self.complete(invocation, slot)

    def _slot(self, call: ToolCall, context: Context) -> Slot:
        """Return the call's place among those of its business.

        It is taken before anything is read or recorded: a call for which there is no room may come again under its id.
        """
        tool = self.catalog.definitions.registry.tools.get(call.name)
        lane = Lane.ACTING if tool is None or tool.definition.kind is Kind.ACTION else Lane.READING
        # A part of what the call itself may take, so that both together are no long silence.
        policy = CHANNEL_POLICY[context.channel]
        most_ms, part = policy.retrieval_deadline_ms, WAITED_PART
        if lane is Lane.ACTING:
            most_ms, part = policy.action_deadline_ms, WAITED_PART_OF_ACTIONS
        is_let_in, within_s = bool(context.within), most_ms / 1000 * part
        return self.concurrency.slot(context.business_id, lane, is_let_in=is_let_in, within_s=within_s)

    async def prepare(self, call: ToolCall, facts: Context, started: float | None = None) -> Invocation:
        """Return a call with everything that is known about it before it is let in; `started` is monotonic, or now."""
        at_hand = self.catalog.at_hand_for_call(facts)
        offer, locked, opens_session = at_hand or await self.catalog.for_call(facts.business_id, options_of(facts))
        if asks_who_calls(call.name, facts, offer):
            established = await self._established(facts, offer)
            if established is not facts:
                facts = established
                offer, locked, opens_session = await self.catalog.for_call(facts.business_id, options_of(facts))
        began_at = time.monotonic() if started is None else started
        tool = offer.named(call.name)
        invocation = Invocation(call, facts, offer, locked, opens_session, self.clock.now(), began_at, tool)
        prepare(invocation)
        invocation.usual_ms = self.meter.usual_ms(call.name) or 0.0
        return invocation

    async def _admit(self, invocation: Invocation) -> CallRow | None:
        """Record and count the call; return the row of an earlier delivery if there is one.

        Raises:
            ToolError: CONFLICT, the same wish is being granted; or TRANSIENT, an action that cannot be recorded.
        """
        try:
            earlier = await self._admission.admit(invocation)
        except StoreError as error:
            invocation.is_recorded = False
            run_checks(invocation)
            # While the business cannot be read, what nobody seems to offer may be its owner's tool; and what seems
            # to be refused may have been carried out for an earlier delivery.
            is_read = invocation.offer.business is not None
            if invocation.kind is not Kind.ACTION and (is_read or invocation.tool is not None):
                return None
            if invocation.may_be_admitted:
                self._unsettled.not_started(invocation)
            if invocation.refusal is not None and is_read:
                return None
            # A read may go unrecorded; an effect may not, since nothing would keep it from happening twice.
            invocation.is_in_doubt = invocation.may_be_admitted
            if invocation.is_in_doubt:
                raise unrecorded(invocation, str(error)) from None
            raise not_started(invocation.call.name, error) from None
        if earlier is None and (invocation.overdrawn or shares_with_others(invocation)):
            # Of somebody known nothing is used up that strangers share: settling gives it back.
            established = await self._established(invocation.facts, invocation.offer)
            invocation.is_known = established.caller_verified
            invocation.overdrawn = () if invocation.is_known else invocation.overdrawn
        return earlier

    async def complete(self, invocation: Invocation, slot: Slot) -> ToolResponse:
        """Check a call that was let in, run it, and settle it; return its answer.

        Raises:
            ToolError: TRANSIENT; an action is still running after its limit, and settles itself when it ends.
        """
        await self._told.look_up(invocation)
        run_checks(invocation)
        await self._proposing.look_up(invocation)
        invocation.ends_at = ends_at(invocation)
        work = self._run_and_settle(invocation)
        is_acting = invocation.kind is Kind.ACTION and not invocation.refusal and not invocation.wish_granted
        return await (awaited(invocation, slot.kept(work)) if is_acting else work)

    async def conclude(self, invocation: Invocation, error: ToolError) -> ToolResponse:
        """Settle a call that is not run; return its answer."""
        outcome = failed(invocation, error)
        self._measure(invocation, outcome, ran=False)
        return (await self._settle(invocation, outcome)).response

    async def _run_and_settle(self, invocation: Invocation) -> ToolResponse:
        """Run the call, or refuse it, and write down what came of it; this may outlive whoever waits for an action."""
        # What cannot be recorded cannot be queued either.
        invocation.is_due = invocation.is_due or not invocation.is_recorded
        acting = invocation.kind is Kind.ACTION
        outcome = await guarded(self.runner.run(invocation), partial(failed, invocation), acting=acting)
        if outcome.state == "queued":
            self._measure(invocation, outcome, ran=False)
            return await self._queued(invocation, outcome)
        if invocation.is_recorded:
            outcome = await self._settle(invocation, outcome)
        await self._answered(invocation, outcome)
        if invocation.runs_on:
            await self._tell_late(invocation, outcome)
        return outcome.response

    async def _tell_late(self, invocation: Invocation, outcome: CallOutcome) -> None:
        """Tell whoever holds the conversation what came of a call that nobody waits for any more, if it is news."""
        if arrival_of(invocation, outcome) is not None:
            for arrival in self.arrivals:
                await arrival(invocation.facts, invocation.call.name, told_late(invocation, outcome.response))

    async def _answered(self, invocation: Invocation, outcome: CallOutcome) -> ToolResponse:
        """Measure what a call came to, and let follow what follows; return its answer."""
        # An open circuit refuses only when it is run; what it refuses has not run either.
        is_answered = invocation.wish_granted is not None or "reused" in outcome.response.meta
        self._measure(invocation, outcome, ran=outcome.state != "refused" and not is_answered)
        failure = outcome.response.failure
        if invocation.revoked or (failure is not None and failure.type is ErrorType.AUTH):
            await self._note_revoked(invocation, outcome)
        return outcome.response

    async def _queued(self, invocation: Invocation, outcome: CallOutcome) -> ToolResponse:
        """Record that a call was accepted, and only then say so."""
        try:
            await self.ledger.settle(invocation, outcome)
        except StoreError as error:
            invocation.is_in_doubt = True
            self._unsettled.not_settled(invocation, failed(invocation, not_begun(invocation)))
            return failed(invocation, not_accepted(invocation.call.name, str(error))).response
        await announce(self._queue, invocation.facts)
        return outcome.response

    async def _settle(self, invocation: Invocation, outcome: CallOutcome) -> CallOutcome:
        """Write down what came of a call; return what it is answered with."""
        if invocation.is_lost:
            return outcome
        try:
            await self.ledger.settle(invocation, outcome)
        except StoreError as error:
            tool, reason = shown_name(invocation.call), type(error).__name__
            log.error("call not settled", extra={"tool": tool, "reason": reason, "pii.detail": str(error)})
            # As long as its row does not say that it is over, others carry out what was not done, should this instance
            # die now; what was done is true all the same. Either is written down as soon as that can be done.
            invocation.is_in_doubt = may_be_carried_out(invocation, outcome)
            self._unsettled.not_settled(invocation, outcome)
            if invocation.is_in_doubt:
                return failed(invocation, unrecorded(invocation, str(error)))
        return outcome

    def _not_run(self, invocation: Invocation, error: ToolError) -> ToolResponse:
        """Return the answer to a call that was not let in, or for which nobody waits any longer."""
        outcome = failed(invocation, error)
        # An action that outlives its caller is measured when it ends.
        if not error.meta.get("timedOut"):
            self._measure(invocation, outcome, ran=False)
        return outcome.response

    def _measure(self, invocation: Invocation, outcome: CallOutcome, *, ran: bool) -> None:
        call, facts, kind, response = invocation.call, invocation.facts, invocation.kind, outcome.response
        began_at, characters = invocation.began_at, outcome.characters
        measure(self.meter, call, facts, kind, response, began_at, ran=ran, characters=characters)

    async def _with_late_results(self, invocation: Invocation, response: ToolResponse) -> ToolResponse:
        """Return an answer together with what came of earlier calls, for a service that holds the conversation."""
        results = await self.ledger.take_results(invocation)
        return replace(response, meta={**response.meta, "pendingResults": results}) if results else response

    async def _established(self, facts: Context, offer: Offer) -> Context:
        """Return the facts with what this conversation has established about who is calling."""
        try:
            standing = await self.catalog.sessions.standing(facts.business_id, facts.session_id)
        except StoreError as error:
            # The call is refused then, as that of a caller who is not verified.
            log.warning("standing not read", extra={"reason": type(error).__name__, "pii.detail": str(error)})
            return facts
        return with_standing(facts, standing, offer.business, self.clock.now())

    async def _note_revoked(self, invocation: Invocation, outcome: CallOutcome) -> None:
        """Let what follows from a revoked authorisation follow, before the caller's next turn."""
        failure, revoked = outcome.response.failure, set(invocation.revoked)
        if failure is not None and failure.type is ErrorType.AUTH and outcome.state != "refused":
            definition = invocation.definition
            dependency = integration_of(definition, invocation.business) if definition else None
            revoked.add(outcome.source or dependency or "")
        for integration in sorted(revoked):
            # What an owner's service says of a key is between the two: no connection of ours has to be made again.
            if integration and not is_owners_service(integration) and self._reauthorisation is not None:
                await self._reauthorisation.mark(invocation.facts.business_id, integration, invocation.now)
