"""Running a call that was let in: what it was granted, an answer that is still fresh, or what its tool's code returns.

Everything around a handler is here: the circuit breaker of what it depends on, its deadline, the mark that it has
begun, and what it may know of the call.
"""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from switchboard.catalog.offer.catalog import Catalog
from switchboard.catalog.offer.inclusion import integration_of
from switchboard.catalog.tenant_tools.definition import OwnTool
from switchboard.contract.context import CallContext
from switchboard.contract.definitions.definition import Kind, Repeat
from switchboard.contract.error import NothingNew, Refused, ToolError
from switchboard.contract.ports import Clock, Paths
from switchboard.contract.response import Result
from switchboard.contract.revoked import noting_in
from switchboard.contract.store import Stale, StoreError
from switchboard.pipeline.execution.deadline import abandoned
from switchboard.pipeline.execution.nested_calls import CallExecutor, NestedCalls
from switchboard.pipeline.execution.result_cache import ResultCache
from switchboard.pipeline.invocation import Invocation
from switchboard.pipeline.ledger.ledger import Ledger
from switchboard.pipeline.limits.breaker import Breakers
from switchboard.pipeline.result.outcome import (
    CallOutcome,
    accepted,
    being_carried_out,
    granted,
    interrupted,
    not_started,
    out_of_reach,
    succeeded,
)
from switchboard.pipeline.result.secrecy import redaction_of

T = TypeVar("T")


class Runner:
    """Runs calls of every business."""

    def __init__(
        self,
        catalog: Catalog,
        ledger: Ledger,
        breakers: Breakers,
        desk: object,
        paths: Paths,
        clock: Clock,
        executor: CallExecutor,
    ) -> None:
        """Join the parts: `desk` is what handlers are given, `executor` executes the calls that they make."""
        self._catalog, self._ledger, self._breakers = catalog, ledger, breakers
        self.desk, self._paths, self._executor = desk, paths, executor
        self.results = ResultCache(clock)

    async def run(self, invocation: Invocation) -> CallOutcome:
        """Return what a call comes to.

        Raises:
            ToolError: It is refused, or its tool has failed.
        """
        problem = invocation.objection or invocation.refusal
        if problem is not None:
            raise problem
        if invocation.wish_granted is not None:
            return granted(invocation, invocation.wish_granted)
        answers = self.results.answers(invocation.facts) if invocation.kind is Kind.RETRIEVAL else None
        cached = answers.current(invocation.question) if answers is not None else None
        if cached is not None:
            return succeeded(invocation, cached, reused=True)
        assert invocation.definition is not None and invocation.tool is not None
        if invocation.definition.is_async and not invocation.is_due:
            return accepted(invocation)
        if invocation.is_marked_begun and invocation.is_recorded:
            await self._begin(invocation)
        dependency = integration_of(invocation.definition, invocation.business)
        result, outcome = await self._attempted(invocation, dependency)
        if answers is not None:
            answers.note(invocation.question, result)
        elif invocation.kind is Kind.ACTION:
            self.results.forget(invocation.facts)
        return outcome

    async def _attempted(self, invocation: Invocation, dependency: str | None) -> tuple[Result, CallOutcome]:
        """Return what the tool's code returns, and what that comes to, where what it depends on is not failing."""
        assert invocation.tool is not None
        try:
            # Around reading the answer too: one that breaks the tool's promise is a failure of whoever gave it.
            with self._breakers.attempt(invocation.facts.business_id, dependency):
                try:
                    work = self.call(invocation, invocation.tool.tool.handler(self._catalog.definitions.registry))
                    is_action = invocation.kind is Kind.ACTION
                    result: Result = await (work if is_action else abandoned(invocation, work, invocation.ends_at))
                    return result, succeeded(invocation, result)
                except ToolError as error:
                    if invocation.is_unattended and not isinstance(error, Refused):
                        raise _nothing_new(error) from error
                    raise
        except ToolError as error:
            if invocation.may_be_done and isinstance(invocation.tool.tool, OwnTool) and not error.partial_side_effects:
                # Whatever keeps it back now, what was sent before may have been carried out.
                raise interrupted(invocation) from error
            raise

    async def call(self, invocation: Invocation, code: Callable[..., Awaitable[T]], *, acting: bool | None = None) -> T:
        """Return what a tool's code returns; `acting`: whether it changes anything, else as its tool does.

        Raises:
            ToolError: The code's own, or TRANSIENT where the store cannot be reached.
        """
        assert invocation.arguments is not None
        facts, proposal = invocation.facts, invocation.proposal
        context = CallContext(
            business=invocation.business,
            facts=facts,
            paths=self._paths.within(facts.business_id),
            now=invocation.now,
            asked_at=invocation.asked_at,
            tool=invocation.call.name,
            effect_key=invocation.effect_key,
            repeats_freely=invocation.repeat is Repeat.NEVER,
            tools=NestedCalls(self._executor, facts, invocation.ends_at),
            told_tools=invocation.offer.told_names,
            agreed=proposal.facts if proposal is not None and invocation.is_approved else None,
            told=invocation.told,
            turn=invocation.turn_mark,
            days=invocation.arguments.days,
            secrets=redaction_of(invocation),
        )
        noting_in(invocation.revoked)
        try:
            return await code(context, self.desk, **invocation.arguments.values)
        except StoreError as error:
            acting = invocation.kind is Kind.ACTION if acting is None else acting
            raise out_of_reach(invocation.call.name, error, acting=acting) from error

    async def _begin(self, invocation: Invocation) -> None:
        try:
            await self._ledger.begin(invocation)
        except Stale:
            invocation.is_lost = True
            raise being_carried_out() from None
        except StoreError as error:
            raise not_started(invocation.call.name, error) from error


def _nothing_new(error: ToolError) -> NothingNew:
    """Return the failure of a call that nobody waits for: it says nothing of what it depends on, as callers have."""
    return NothingNew(
        error.type,
        error.message,
        retryable=error.retryable,
        partial_side_effects=error.partial_side_effects,
        say=error.say,
        detail=error.detail,
        meta=error.meta,
        instead=error.instead,
    )
