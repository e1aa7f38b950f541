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
from switchboard.pipeline.checks.checks import examine
from switchboard.pipeline.confirmation.asked_call import AskedCall, most_at_once
from switchboard.pipeline.execution.deadline import abandoned
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
        safely: Callable[..., Awaitable[Any]],
        call: Callable[..., Any],
    ) -> None:
        """Run a tool's `propose` as the dispatcher runs its handler: `safely`, and with what `call` gives it."""
        self._ledger, self._breakers, self._safely, self._call = ledger, breakers, safely, call

    async def look_up(self, case: Invocation) -> None:
        """Set `case.proposal` or `case.objection` where a call waits for a yes, or has just got one.

        One that has got its yes for other facts than there are now is refused again, with a new question.
        """
        if case.tool is None:
            return
        propose = case.tool.tool.propose
        if case.refusal is None:
            if case.is_approved and not case.is_due and propose is not None:
                await self._look_again(case, propose)
            return
        if case.refusal.type is not ErrorType.CONFIRMATION_REQUIRED:
            return
        others: list[AskedCall] = []
        looking: list[Awaitable[Any]] = [self._join(case, others)]
        if propose is not None:
            looking.append(self._safely(self._proposed(case, propose), partial(_objected, case), acting=False))
        await asyncio.gather(*looking)
        is_repeatable = case.definition is not None and case.definition.is_repeatable
        if propose is None and is_repeatable and await self._is_done(case):
            # One wish has one effect however often such a tool runs: it says itself that it was done before.
            case.proposal = Proposal(is_done=True)
        _joined(case, others)
        if case.objection is None and (case.proposal is not None or case.beside):
            examine(case)

    async def _join(self, case: Invocation, others: list[AskedCall]) -> None:
        try:
            others += await self._ledger.beside(case)
        except StoreError:
            # Each is then asked about alone.
            return

    async def _look_again(self, case: Invocation, propose: Propose) -> None:
        await self._safely(self._proposed(case, propose), partial(_objected, case), acting=False)
        proposal = case.proposal
        if case.recoveries and case.objection is not None and case.objection.type in _UNCLEAR:
            # Interrupted once it was let in: what cannot be looked up now may have been done before.
            case.objection.partial_side_effects = True
        if proposal is None or proposal.is_done or proposal.digest == case.agreed_facts:
            return
        case.is_approved = False
        if case.is_unattended:
            case.objection = not_begun(case)
            return
        examine(case)

    async def _proposed(self, case: Invocation, propose: Propose) -> None:
        assert case.definition is not None
        with self._breakers.attempt(case.facts.business_id, integration_of(case.definition, case.business)):
            case.proposal = await abandoned(case, self._call(case, propose, acting=False))

    async def _is_done(self, case: Invocation) -> bool:
        try:
            return await self._ledger.is_done(case)
        except StoreError:
            # Asking once too often does no harm.
            return False


def _joined(case: Invocation, others: Sequence[AskedCall]) -> None:
    """Let a call be asked about together with others of its turn, unless it would do another thing to the same."""
    is_done = case.proposal is not None and case.proposal.is_done
    if not others or is_done or case.objection is not None:
        return
    about = case.proposal.digest if case.proposal is not None and case.proposal.facts else None
    if any(other.facts == about for other in others):
        return
    most = most_at_once(CHANNEL_POLICY[case.facts.channel])
    if len(others) >= most:
        case.objection = Refused(
            ErrorType.BUDGET_EXCEEDED,
            f"Nothing was done: the caller is asked about at most {most} things at once, and those before this one "
            f"come first. Call {case.call.name} again when the caller has answered.",
        )
        return
    case.beside = tuple(others)


def _objected(case: Invocation, error: ToolError) -> None:
    # Looking something up changes nothing, whatever went wrong with it.
    error.partial_side_effects = False
    case.objection = error
