"""Calls that an instance has left unfinished, brought to their ends: by whoever looks next, or by their redelivery.

The row is the proof of everything: that the call was let in, that its caller said yes, who was calling. So it is driven
on with nobody being asked again, and where that could do something twice, it is said that nobody knows. What cannot be
brought to its end is tried less and less often, each row by itself, and in the end left for people to see.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Protocol

from switchboard.contract.call import ToolCall
from switchboard.contract.context import Context
from switchboard.contract.definitions.definition import Kind
from switchboard.contract.error import ErrorType, Refused, ToolError
from switchboard.contract.ports import Clock, Paths
from switchboard.contract.response import ToolResponse
from switchboard.contract.store import StoreError
from switchboard.pipeline.checks.checks import examine
from switchboard.pipeline.invocation import Invocation
from switchboard.pipeline.ledger.effect_dedup import repeated
from switchboard.pipeline.ledger.ledger import ABANDONED_AT_ONCE, Ledger
from switchboard.pipeline.ledger.record import MOST_RECOVERIES, CallRow
from switchboard.pipeline.ledger.unsettled import Unsettled
from switchboard.pipeline.limits.concurrency import Concurrency, Slot
from switchboard.pipeline.limits.fair_queue import Lane
from switchboard.pipeline.result.outcome import CallOutcome, being_carried_out, failed, interrupted, not_begun
from switchboard.pipeline.tracing import traced

log = logging.getLogger(__name__)

# How many pages one pass takes up; the next pass takes the rest, and whatever failed in this one stands behind it.
_PAGES = 40
_AT_ONCE = 8
_PASS_S = 60.0
_GONE = "its session is not there any more"


class CallRunner(Protocol):
    """What recovery needs of the dispatcher."""

    paths: Paths
    clock: Clock
    ledger: Ledger
    crowd: Concurrency
    arrivals: list[Callable[[Context, str, ToolResponse], Awaitable[None]]]

    async def safely(self, work: Awaitable[Any], answer: Callable[[ToolError], Any], *, acting: bool) -> Any:
        """Return what the work returns, or the answer to whatever it raises."""

    async def case_of(self, call: ToolCall, facts: Context) -> Invocation:
        """Return a call with everything that is known about it."""

    async def carry_out(self, case: Invocation, place: Slot, started: float, is_recorded: bool) -> ToolResponse:
        """Check a call that was admitted, run it, and settle it."""

    async def conclude(self, case: Invocation, outcome: CallOutcome, started: float) -> ToolResponse:
        """Settle a call that is not run."""


Page = Callable[..., Awaitable[list[CallRow]]]


class Recovery:
    """Takes over what others have left."""

    def __init__(self, office: CallRunner, leftovers: Unsettled) -> None:
        """Work as `office` does; `leftovers` are this instance's own."""
        self._office, self._leftovers = office, leftovers
        self.given_up = 0

    async def recover(self, business_id: str | None) -> int:
        """Take up calls whose instance has died, and those of which nobody knew; return how many that were.

        Raises:
            StoreError: The store cannot be asked.
        """
        return await self._over(self._office.ledger.abandoned, business_id, self._recover)

    async def carry_out_queued(self, business_id: str | None) -> int:
        """Carry out calls that were accepted; return how many there were.

        Raises:
            StoreError: The store cannot be asked.
        """
        return await self._over(self._office.ledger.due, business_id, self._carry_out)

    async def take_over(
        self, case: Invocation, row: CallRow, place: Slot, started: float, *, is_live: bool = True
    ) -> ToolResponse:
        """Finish a call whose instance died: again if that is harmless, and otherwise by saying that nobody knows.

        Args:
            case: The call as it is read today.
            row: What was written down of it.
            place: Where it runs.
            started: When that began, on the monotonic clock.
            is_live: Whether somebody waits for the answer, who can be asked.
        """
        await self._stand_as_admitted(case, row)
        if not await self._office.ledger.take_over(case, row):
            raise being_carried_out()
        if row.agreed_facts is not None:
            # The yes was spent when the call was let in, and the row says so.
            case.is_approved, case.agreed_facts = True, row.agreed_facts
        if row.effect_key is not None and case.arguments is not None:
            # What an earlier version, or an earlier turn, has begun goes on under its own key.
            case.keep_effect_key(row.effect_key)
        # By what the row says it was: the tool may have been taken away since, and what it did then still counts.
        examine(case)
        definition = case.definition
        # A row does not keep everything that was sent, no secret for one; what is read from it may be another call.
        if definition is not None and definition.is_async and row.is_looked_into:
            # Accepted long ago: what is wanted is what came of it.
            case.is_due = True
        is_repeatable = definition is not None and definition.is_repeatable and row.is_of(case)
        if row.kind is not Kind.ACTION or row.may_be_tried_again or (is_repeatable and case.refusal is None):
            case.is_unattended = not is_live
            return await self._office.carry_out(case, place, started, is_recorded=True)
        if row.was_never_begun and row.is_of(case):
            if is_live or case.refusal is None:
                return await self._office.carry_out(case, place, started, is_recorded=True)
            # A question that nobody hears would take the place of one that is waiting for its answer.
            case.objection = not_begun(case)
            return await self._office.conclude(case, failed(case, case.objection, started), started)
        return await self._office.conclude(case, failed(case, interrupted(case), started), started)

    async def _recover(self, row: CallRow) -> None:
        facts = row.facts()
        async with self._office.crowd.place(facts.business_id, Lane.QUEUED) as place:
            case = await self._case_of(row, facts)
            case.is_due = row.was_accepted
            case.is_approved = row.was_accepted
            case.is_told_late = row.kind is Kind.ACTION
            response = await self.take_over(case, row, place, time.monotonic(), is_live=False)
        is_open = case.is_left_open or case.is_lost
        if row.kind is Kind.ACTION and not is_open and not (response.failure and response.failure.partial_side_effects):
            await self._tell(facts, row, response)

    async def _carry_out(self, row: CallRow) -> None:
        facts = row.facts()
        async with self._office.crowd.place(facts.business_id, Lane.QUEUED) as place:
            case = await self._case_of(row, facts)
            case.is_due = case.is_approved = True
            await self._stand_as_admitted(case, row)
            if not await self._office.ledger.take_over(case, row):
                return
            work = self._office.carry_out(case, place, time.monotonic(), is_recorded=True)
            response = await traced(case.call, facts, work)
        if not case.is_left_open and not case.is_lost:
            await self._tell(facts, row, response)

    async def _stand_as_admitted(self, case: Invocation, row: CallRow) -> None:
        """Let a call that was admitted as the wish of another one be that: it is neither done nor given up as its own.

        Raises:
            Refused: CONFLICT, retryable; that call has no answer yet.
        """
        if not row.repeats:
            return
        case.claims_wish, case.repeats = False, row.repeats
        if case.definition is None or not case.definition.is_repeatable:
            case.wish_granted = repeated(case, await self._office.ledger.call_of(case, row.repeats))

    async def _tell(self, facts: Context, row: CallRow, response: ToolResponse) -> None:
        # Of what still runs, its settlement tells the session.
        for arrival in () if response.meta.get("timedOut") else self._office.arrivals:
            await arrival(facts, row.tool, response)

    async def _case_of(self, row: CallRow, facts: Context) -> Invocation:
        within = self._office.paths.within(facts.business_id)
        if within.call(facts.session_id, facts.call_id) != row.document.path:
            raise ValueError("the row names another call than the one it stands for")
        if not await self._office.ledger.has_session(row):
            # To go on would begin the conversation anew, for a call that nobody waits for.
            raise ToolError(ErrorType.PERMANENT, "This conversation is not there any more.", detail=_GONE)
        return await self._office.case_of(ToolCall(row.tool, row.arguments, facts.call_id), facts)

    async def _over(self, page_of: Page, business_id: str | None, work: Callable[[CallRow], Awaitable[None]]) -> int:
        """Do the work for each row that waits, page by page, so that none keeps another waiting."""
        now, after, count, room = self._office.clock.now(), None, 0, asyncio.Semaphore(_AT_ONCE)
        ends_at = time.monotonic() + _PASS_S
        for _ in range(_PAGES):
            rows = await page_of(now, business_id, after)
            own = [row for row in rows if not self._leftovers.disowns(row)]
            await asyncio.gather(*(self._one(row, work, room) for row in own))
            count += len(own)
            if len(rows) < ABANDONED_AT_ONCE or time.monotonic() > ends_at:
                break
            after = rows[-1]
        return count

    async def _one(self, row: CallRow, work: Callable[[CallRow], Awaitable[None]], room: asyncio.Semaphore) -> None:
        async with room:
            if row.recoveries >= MOST_RECOVERIES:
                await self._put_off(row, "whoever tried it did not come to an end")
                return
            safely, put_off = self._office.safely, partial(_why)
            why = await safely(work(row), put_off, acting=False)
            if why:
                await self._put_off(row, why, is_last=why == _GONE)

    async def _put_off(self, row: CallRow, why: str, *, is_last: bool = False) -> None:
        try:
            is_given_up = await self._office.ledger.put_off(row, self._office.clock.now(), why, is_last=is_last)
        except (StoreError, ValueError) as error:
            log.warning("call not put off", extra={"reason": type(error).__name__, "pii.detail": str(error)})
            return
        if is_given_up:
            self.given_up += 1
            log.error("call given up", extra={"path": row.document.path, "reason": why})


def _why(error: ToolError) -> str:
    """Return why a call could not be brought to its end; nothing where there was only no room for it just now."""
    return "" if isinstance(error, Refused) else error.detail or error.type.value
