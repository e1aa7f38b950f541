"""Calls that an instance has left unfinished, brought to their ends: by whoever looks next, or by their redelivery.

The row is the proof of everything: that the call was let in, that its caller said yes, who was calling. So it is driven
on with nobody being asked again, and where that could do something twice, it is said that nobody knows. What cannot be
brought to its end is tried less and less often, each row by itself, and in the end left for people to see.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Protocol

from switchboard.contract.call import ToolCall
from switchboard.contract.context import Context
from switchboard.contract.definitions.definition import Kind
from switchboard.contract.document import text
from switchboard.contract.error import ErrorType, Refused, ToolError
from switchboard.contract.observability.hidden import without_hidden
from switchboard.contract.observability.subject import About
from switchboard.contract.observability.trace import is_trace_id
from switchboard.contract.ports import Clock, Paths
from switchboard.contract.response import ToolResponse
from switchboard.contract.store import StoreError
from switchboard.pipeline.boundary import guarded
from switchboard.pipeline.checks.checks import run_checks
from switchboard.pipeline.invocation import Invocation
from switchboard.pipeline.ledger.due_calls import ABANDONED_AT_ONCE
from switchboard.pipeline.ledger.effect_dedup import repeated, unproven
from switchboard.pipeline.ledger.ledger import Ledger
from switchboard.pipeline.ledger.record import MOST_RECOVERIES, told_late
from switchboard.pipeline.ledger.row import CallRow
from switchboard.pipeline.ledger.unsettled import Unsettled
from switchboard.pipeline.limits.concurrency import Concurrency, Slot
from switchboard.pipeline.limits.fair_queue import Lane
from switchboard.pipeline.metrics.call_metrics import shown_name
from switchboard.pipeline.result.outcome import being_carried_out, interrupted, not_begun
from switchboard.pipeline.tracing import traced

log = logging.getLogger(__name__)

ID_USED = "call-id-used"
"""As `meta.reason` says it: the id under which a call came stands for another one."""

# How many pages one pass takes up; the next pass takes the rest, and whatever failed in this one stands behind it.
_PAGES = 40
_AT_ONCE = 8
_PASS_S = 60.0
_GONE = "its session is not there any more"
_UNREAD = "its business could not be read"
_AWAY = "what it needs does not answer just now"
_PASSING = ("circuit:", "store:")
"""How conditions begin that fail while what a tool needs does not answer, and hold again once it does."""


class Completes(Protocol):
    """What recovery needs of the dispatcher: the second half of the way of every call."""

    paths: Paths
    clock: Clock
    ledger: Ledger
    concurrency: Concurrency
    arrivals: list[Callable[[Context, str, ToolResponse], Awaitable[None]]]

    async def prepare(self, call: ToolCall, facts: Context) -> Invocation:
        """Return a call with everything that is known about it."""

    async def complete(self, invocation: Invocation, slot: Slot) -> ToolResponse:
        """Check a call that was admitted, run it, and settle it."""

    async def conclude(self, invocation: Invocation, error: ToolError) -> ToolResponse:
        """Settle a call that is not run."""


Page = Callable[..., Awaitable[list[CallRow]]]


class Recovery:
    """Takes over what others have left."""

    def __init__(self, dispatcher: Completes, unsettled: Unsettled) -> None:
        """Complete calls as `dispatcher` does; what is `unsettled` is this instance's own."""
        self._dispatcher, self._unsettled = dispatcher, unsettled
        self.given_up = 0

    async def recover(self, business_id: str | None) -> int:
        """Take up calls whose instance has died, and those of which nobody knew; return how many that were.

        Raises:
            StoreError: The store cannot be asked.
        """
        return await self._over(self._dispatcher.ledger.abandoned, business_id, self._recover)

    async def carry_out_queued(self, business_id: str | None) -> int:
        """Carry out calls that were accepted; return how many there were.

        Raises:
            StoreError: The store cannot be asked.
        """
        return await self._over(self._dispatcher.ledger.due, business_id, self._carry_out)

    async def answer(self, invocation: Invocation, earlier: CallRow, slot: Slot) -> ToolResponse:
        """Return the answer to a call that was delivered before: the same, or what it comes to now.

        Twilio, Vapi and impatient applications deliver a call more than once; the provider's call id tells. Whatever a
        check would say today, an answer that was given once is given again: to whoever shows as much of who they are,
        and what a tool answers anybody to the same call without its attestation, too.

        Raises:
            ToolError: CONFLICT; the id belongs to another call, it was made by somebody who showed more of who they
                are, or (retryable) somebody is still at it.
        """
        tool = invocation.tool.tool if invocation.tool is not None else None
        is_anybodys = tool is not None and tool.answers_anybody and earlier.kind is Kind.RETRIEVAL
        is_heard = earlier.may_be_heard_by(invocation.facts, is_anybodys=is_anybodys)
        if earlier.is_of(invocation) and not is_heard:
            raise unproven(invocation.facts.call_id)
        row = await self._unsettled.as_answered(invocation, earlier)
        if row.is_open and row.is_of(invocation):
            row = await self._decided(invocation, row)
        is_open = row.is_abandoned(invocation.now) or row.may_be_tried_again or row.is_looked_into
        if is_open and row.is_of(invocation):
            return await self._take_over(invocation, row, slot)
        return _replayed(invocation, row)

    async def _decided(self, invocation: Invocation, row: CallRow) -> CallRow:
        try:
            return await self._dispatcher.ledger.at_once.decided(invocation, row)
        except StoreError:
            raise being_carried_out() from None

    async def _take_over(
        self, invocation: Invocation, row: CallRow, slot: Slot, *, is_live: bool = True
    ) -> ToolResponse:
        """Finish a call whose instance died: again if that is harmless, and otherwise by saying that nobody knows.

        `is_live`: whether somebody waits for the answer, who can be asked.
        """
        if row.kind is Kind.ACTION and (invocation.offer.business is None or _waits(invocation)):
            # What its tool is, and whether it may be done again, stands in what cannot be read just now; or what came
            # of it is known to what does not answer just now.
            raise being_carried_out()
        await self._stand_as_admitted(invocation, row)
        if not await self._dispatcher.ledger.take_over(invocation, row):
            raise being_carried_out()
        invocation.asked_at = row.started_at
        invocation.may_be_done = not row.was_never_begun and not row.may_be_tried_again
        if row.agreed_facts is not None:
            # The yes was spent when the call was let in, and the row says so.
            invocation.is_approved, invocation.agreed_facts = True, row.agreed_facts
        if row.effect_key is not None and invocation.arguments is not None:
            # What an earlier version, or an earlier turn, has begun goes on under its own key.
            invocation.keep_effect_key(row.effect_key)
        # By what the row says it was: the tool may have been taken away since, and what it did then still counts.
        run_checks(invocation)
        definition = invocation.definition
        # A row does not keep everything that was sent, no secret for one; what is read from it may be another call.
        if definition is not None and definition.is_async and row.is_looked_into:
            # Accepted long ago: what is wanted is what came of it.
            invocation.is_due = True
        if not is_live and row.kind is Kind.ACTION and row.was_never_let_through:
            # Its caller was refused, whatever stands against it by now; only the same call once more asks for it again.
            invocation.objection = not_begun(invocation)
            return await self._dispatcher.conclude(invocation, invocation.objection)
        is_repeatable = definition is not None and definition.is_repeatable and row.is_of(invocation)
        if row.kind is not Kind.ACTION or row.may_be_tried_again or (is_repeatable and invocation.refusal is None):
            invocation.is_unattended = not is_live
            return await self._dispatcher.complete(invocation, slot)
        if not row.was_never_begun or not row.is_of(invocation):
            return await self._dispatcher.conclude(invocation, interrupted(invocation))
        if is_live or invocation.refusal is None:
            return await self._dispatcher.complete(invocation, slot)
        # A question that nobody hears would take the place of one that is waiting for its answer.
        invocation.objection = not_begun(invocation)
        return await self._dispatcher.conclude(invocation, invocation.objection)

    async def _recover(self, row: CallRow) -> None:
        facts = row.facts()
        async with self._dispatcher.concurrency.slot(facts.business_id, Lane.QUEUED) as slot:
            invocation = await self._invocation_of(row, facts)
            invocation.is_due = row.was_accepted
            invocation.is_approved = row.was_accepted
            invocation.is_told_late = row.kind is Kind.ACTION
            response = await self._take_over(invocation, row, slot, is_live=False)
        is_open = invocation.is_left_open or invocation.is_lost
        if row.kind is Kind.ACTION and not is_open and not (response.failure and response.failure.partial_side_effects):
            await self._tell(facts, row, told_late(invocation, response))

    async def _carry_out(self, row: CallRow) -> None:
        facts = row.facts()
        async with self._dispatcher.concurrency.slot(facts.business_id, Lane.QUEUED) as slot:
            invocation = await self._invocation_of(row, facts)
            invocation.is_due = invocation.is_approved = True
            await self._stand_as_admitted(invocation, row)
            if not await self._dispatcher.ledger.take_over(invocation, row):
                return
            invocation.asked_at = row.started_at
            work = self._dispatcher.complete(invocation, slot)
            response = await traced(invocation.call, facts, work)
        if not invocation.is_left_open and not invocation.is_lost:
            await self._tell(facts, row, told_late(invocation, response))

    async def _stand_as_admitted(self, invocation: Invocation, row: CallRow) -> None:
        """Let a call that was admitted as the wish of another one be that: it is neither done nor given up as its own.

        Raises:
            Refused: CONFLICT, retryable; that call has no answer yet.
        """
        if not row.repeats:
            return
        invocation.claims_wish, invocation.repeats = False, row.repeats
        if invocation.definition is None or not invocation.definition.is_repeatable:
            holder = await self._dispatcher.ledger.call_of(invocation, row.repeats)
            invocation.wish_granted = repeated(invocation, holder)

    async def _tell(self, facts: Context, row: CallRow, response: ToolResponse) -> None:
        # Of what still runs, its settlement tells the session.
        for arrival in () if response.meta.get("timedOut") else self._dispatcher.arrivals:
            await arrival(facts, row.tool, response)

    async def _invocation_of(self, row: CallRow, facts: Context) -> Invocation:
        within = self._dispatcher.paths.within(facts.business_id)
        if within.call(facts.session_id, facts.call_id) != row.document.path:
            raise ValueError("the row names another call than the one it stands for")
        if not await self._dispatcher.ledger.has_session(row):
            # To go on would begin the conversation anew, for a call that nobody waits for.
            raise ToolError(ErrorType.PERMANENT, "This conversation is not there any more.", detail=_GONE)
        invocation = await self._dispatcher.prepare(ToolCall(row.tool, row.arguments, facts.call_id), facts)
        if invocation.offer.business is None:
            raise ToolError(ErrorType.TRANSIENT, "Try again in a moment.", detail=_UNREAD)
        if row.kind is Kind.ACTION and _waits(invocation):
            # Refused for the moment, it would end as one of which nobody knows, although that can be found out later.
            raise ToolError(ErrorType.TRANSIENT, "Try again in a moment.", detail=_AWAY)
        return invocation

    async def _over(self, page_of: Page, business_id: str | None, work: Callable[[CallRow], Awaitable[None]]) -> int:
        """Do the work for each row that waits, page by page, so that none keeps another waiting."""
        now, after, count, room = self._dispatcher.clock.now(), None, 0, asyncio.Semaphore(_AT_ONCE)
        ends_at = time.monotonic() + _PASS_S
        for _ in range(_PAGES):
            rows = await page_of(now, business_id, after)
            own = [row for row in rows if not self._unsettled.holds(row)]
            await asyncio.gather(*(self._one(row, work, room) for row in own))
            count += len(own)
            if len(rows) < ABANDONED_AT_ONCE or time.monotonic() > ends_at:
                break
            after = rows[-1]
        return count

    async def _one(self, row: CallRow, work: Callable[[CallRow], Awaitable[None]], room: asyncio.Semaphore) -> None:
        async with room:
            with _about(row):
                if row.recoveries >= MOST_RECOVERIES:
                    await self._put_off(row, "whoever tried it did not come to an end")
                    return
                why = await guarded(work(row), _why, acting=False)
                if why:
                    await self._put_off(row, why, is_last=why == _GONE)

    async def _put_off(self, row: CallRow, why: str, *, is_last: bool = False) -> None:
        try:
            is_given_up = await self._dispatcher.ledger.put_off(row, self._dispatcher.clock.now(), why, is_last=is_last)
        except (StoreError, ValueError) as error:
            log.warning("call not put off", extra={"reason": type(error).__name__, "pii.detail": str(error)})
            return
        if is_given_up:
            self.given_up += 1
            log.error("call given up", extra={"path": row.document.path, "reason": why})


def _waits(invocation: Invocation) -> bool:
    """Tell whether what keeps the tool of a call from being offered passes without anybody changing anything."""
    exclusion = invocation.offer.why_not(invocation.call.name)
    return exclusion is not None and exclusion.condition.startswith(_PASSING)


def _about(row: CallRow) -> About:
    # What stands there may be damaged, which is what the records are about.
    business, session, call = (row.named(name) for name in ("businessId", "sessionId", "callId"))
    tool, trace = text(row.document.data.get("tool")), text(row.document.data.get("trace"))
    known = trace if is_trace_id(trace) else ""
    return About(business, session, call, shown_name(ToolCall(tool, {}, call)), known)


def _replayed(invocation: Invocation, row: CallRow) -> ToolResponse:
    """Return the stored response of an earlier delivery; its intents too, since it may never have arrived."""
    if not row.is_of(invocation):
        raise Refused(
            ErrorType.CONFLICT,
            f"The call id {invocation.facts.call_id[:80]!r} was already used for a different call. Use a new id.",
            meta={"reason": ID_USED},
        )
    given = row.response
    if given is None:
        raise Refused(
            ErrorType.CONFLICT,
            "This call is still being carried out. Wait for its result; do not call again with another id.",
            retryable=True,
        )
    return replace(given, meta={**given.meta, "replayed": True})


def _why(error: ToolError) -> str:
    """Return why a call could not be brought to its end; nothing where there was only no room for it just now."""
    return "" if isinstance(error, Refused) else without_hidden(error.detail) or error.type.value
