"""What a call would change, looked up by its tool before the caller is asked: nobody agrees to what is not there.

It is looked up again once there is a yes, since minutes may lie between the two: what has become something else in the
meantime was not agreed to, and is asked about as it is now.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any

from switchboard.catalog.definitions.tool import Propose
from switchboard.catalog.offer.inclusion import integration_of
from switchboard.contract.error import ErrorType, Refused, ToolError
from switchboard.contract.policy import CHANNEL_POLICY
from switchboard.contract.response import Proposal
from switchboard.contract.store import StoreError
from switchboard.pipeline.boundary import guarded
from switchboard.pipeline.checks.checks import run_checks
from switchboard.pipeline.confirmation.asked_call import AskedCall, most_at_once
from switchboard.pipeline.execution.deadline import abandoned, ends_at
from switchboard.pipeline.invocation import Invocation
from switchboard.pipeline.ledger.ledger import Ledger
from switchboard.pipeline.limits.breaker import Breakers
from switchboard.pipeline.result.outcome import not_begun

_UNCLEAR = frozenset({ErrorType.TRANSIENT, ErrorType.INTERNAL, ErrorType.AUTH})


class Proposing:
    """Asks tools what a call would change for which the caller's yes is missing."""

    def __init__(
        self,
        ledger: Ledger,
        breakers: Breakers,
        call: Callable[..., Any],
    ) -> None:
        """Run a tool's `propose` as its handler is run: with what `call` gives it."""
        self._ledger, self._breakers, self._call = ledger, breakers, call

    async def look_up(self, invocation: Invocation) -> None:
        """Set `invocation.proposal` or `invocation.objection` where a call waits for a yes, or has just got one.

        One that has got its yes for other facts than there are now is refused again, with a new question.
        """
        if invocation.tool is None:
            return
        propose = invocation.tool.tool.propose
        if invocation.refusal is None:
            if invocation.is_approved and not invocation.is_due and propose is not None:
                await self._look_again(invocation, propose)
            return
        if invocation.refusal.type is not ErrorType.CONFIRMATION_REQUIRED:
            return
        others: list[AskedCall] = []
        looking: list[Awaitable[Any]] = [self._join(invocation, others)]
        if propose is not None:
            looking.append(guarded(self._proposed(invocation, propose), partial(_objected, invocation), acting=False))
        await asyncio.gather(*looking)
        is_repeatable = invocation.definition is not None and invocation.definition.is_repeatable
        if propose is None and is_repeatable and await self._is_done(invocation):
            # One wish has one effect however often such a tool runs: it says itself that it was done before.
            invocation.proposal = Proposal(is_done=True)
        _joined(invocation, others)
        if invocation.objection is None and (invocation.proposal is not None or invocation.beside):
            run_checks(invocation)

    async def _join(self, invocation: Invocation, others: list[AskedCall]) -> None:
        try:
            others += await self._ledger.beside(invocation)
        except StoreError:
            # Each is then asked about alone.
            return

    async def _look_again(self, invocation: Invocation, propose: Propose) -> None:
        await guarded(self._proposed(invocation, propose), partial(_objected, invocation), acting=False)
        proposal = invocation.proposal
        if invocation.recoveries and invocation.objection is not None and invocation.objection.type in _UNCLEAR:
            # Interrupted once it was let in: what cannot be looked up now may have been done before.
            invocation.objection.partial_side_effects = True
        if proposal is None or proposal.is_done or proposal.digest == invocation.agreed_facts:
            return
        invocation.is_approved = False
        if invocation.is_unattended:
            invocation.objection = not_begun(invocation)
            return
        run_checks(invocation)

    async def _proposed(self, invocation: Invocation, propose: Propose) -> None:
        assert invocation.definition is not None
        with self._breakers.attempt(
            invocation.facts.business_id, integration_of(invocation.definition, invocation.business)
        ):
            work = self._call(invocation, propose, acting=False)
            invocation.proposal = await abandoned(invocation, work, ends_at(invocation))

    async def _is_done(self, invocation: Invocation) -> bool:
        try:
            return await self._ledger.is_done(invocation)
        except StoreError:
            # Asking once too often does no harm.
            return False


def _joined(invocation: Invocation, others: Sequence[AskedCall]) -> None:
    """Let a call be asked about together with others of its turn, unless it would do another thing to the same."""
    is_done = invocation.proposal is not None and invocation.proposal.is_done
    if not others or is_done or invocation.objection is not None:
        return
    about = invocation.proposal.digest if invocation.proposal is not None and invocation.proposal.facts else None
    if any(other.facts == about for other in others):
        return
    most = most_at_once(CHANNEL_POLICY[invocation.facts.channel])
    if len(others) >= most:
        invocation.objection = Refused(
            ErrorType.BUDGET_EXCEEDED,
            f"Nothing was done: the caller is asked about at most {most} things at once, and those before this one "
            f"come first. Call {invocation.call.name} again when the caller has answered.",
        )
        return
    invocation.beside = tuple(others)


def _objected(invocation: Invocation, error: ToolError) -> None:
    # Looking something up changes nothing, whatever went wrong with it.
    error.partial_side_effects = False
    invocation.objection = error
