"""What could not be written down when it happened, and is written down as soon as the store answers again.

Two kinds: calls whose admission got no answer, which were not started although their rows may exist; and calls whose
settlement did not get through, whose answer was given once and must be what is given again. Of an action that was not
done, neither is certain as long as its row does not say so: others carry it out, should this instance die. Whoever
waits is told just that, and hears what became of it once that is written down.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

from switchboard.contract import policy
from switchboard.contract.definitions.definition import Kind
from switchboard.contract.error import ToolError, log_fields
from switchboard.contract.ports import Clock
from switchboard.contract.store import StoreError
from switchboard.pipeline.boundary import guarded
from switchboard.pipeline.invocation import Invocation
from switchboard.pipeline.ledger.ledger import Ledger
from switchboard.pipeline.ledger.row import CallRow
from switchboard.pipeline.ledger.states import UNDONE
from switchboard.pipeline.result.outcome import CallOutcome, being_carried_out, failed, not_begun

log = logging.getLogger(__name__)

# Side by side, since a minute without the store leaves thousands, and recovery waits until all have been looked at.
_TAKEN_BACK_AT_ONCE = 24
# Seconds until what is left is looked at again: soon after it was left, and often enough while it may still turn up.
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 1.0, 5.0
# And while the store does not take it: a pass over all that is left asks it once for each.
_LONGEST_AWAY_S = 30.0


def may_be_carried_out(invocation: Invocation, outcome: CallOutcome) -> bool:
    """Tell whether a call that was not done may be by others, as long as its row does not say what came of it."""
    is_never_let_through = (
        invocation.is_refused_at_once
        or invocation.arguments is None
        # A yes that was spent for it stands in its row, also where it has to be asked about anew.
        or (_asks_first(invocation) and not invocation.is_agreed)
    )
    return invocation.kind is Kind.ACTION and outcome.state in UNDONE and not is_never_let_through


def _asks_first(invocation: Invocation) -> bool:
    definition = invocation.definition
    return definition is not None and definition.confirm and invocation.facts.staff is None


class Unsettled:
    """One instance's; they die with it, and others find the rows abandoned then."""

    def __init__(self, ledger: Ledger, clock: Clock) -> None:
        """Start with nothing left over."""
        self._ledger, self._clock = ledger, clock
        # Calls that were not started, and until when what their admission may have left could still turn up.
        self._disowned: dict[tuple[str, ...], tuple[Invocation, datetime]] = {}
        self._unsettled: dict[tuple[str, ...], tuple[Invocation, CallOutcome]] = {}
        self._left = asyncio.Event()
        # Why the last pass left something that the store did not take; None where it did not.
        self._refused: StoreError | None = None
        self._is_away = False

    def not_started(self, invocation: Invocation) -> None:
        """Keep a call that was refused because it could not be recorded."""
        self._disowned[invocation.admission] = (invocation, invocation.now + timedelta(seconds=policy.CALL_LEASE_S))
        self._left.set()

    def not_settled(self, invocation: Invocation, outcome: CallOutcome) -> None:
        """Keep an answer that could not be written down; not one that nobody knows and whoever takes over finds out."""
        is_open = (
            outcome.state == "unknown" and invocation.definition is not None and invocation.definition.is_repeatable
        )
        if not is_open:
            self._unsettled[invocation.admission] = (invocation, outcome)
            self._left.set()

    async def keep(self, clear_up: Callable[[], Awaitable[None]]) -> None:
        """Have it cleared up whenever something is left, until cancelled; costs nothing while there is nothing.

        Whoever reads the log is told once that the store does not take it, and once that it has.
        """
        while True:
            await self._left.wait()
            pause_s = _FIRST_PAUSE_S
            while self._disowned or self._unsettled:
                await asyncio.sleep(pause_s)
                await guarded(clear_up(), _not_cleared_up, acting=False)
                pause_s = min(_LONGEST_AWAY_S if self._is_away else _LONGEST_PAUSE_S, pause_s * 2)
            self._left.clear()

    async def clear_up(self) -> list[tuple[Invocation, CallOutcome]]:
        """Write down what can be written down by now; return what that was."""
        self._refused = None
        settled = await self._take_back()
        for admission, (invocation, outcome) in list(self._unsettled.items()):
            try:
                is_own = await self._ledger.settle_late(invocation, outcome)
            except StoreError as error:
                self._refused = error
                continue
            if self._unsettled.pop(admission, None) is not None and is_own:
                settled.append((invocation, outcome))
        self._report()
        return settled

    def _report(self) -> None:
        """Tell of a pass that could not write everything down, and of the first after it that could."""
        if self._refused is not None and not self._is_away:
            left = len(self._disowned) + len(self._unsettled)
            log.error("what came of calls is still not written down", extra={**log_fields(self._refused), "left": left})
        elif self._refused is None and self._is_away:
            log.warning("what came of calls is written down again")
        self._is_away = self._refused is not None

    async def as_answered(self, invocation: Invocation, row: CallRow) -> CallRow:
        """Return the row of an earlier delivery as it stands once this instance's own answer to it is written down.

        A call that was answered is not abandoned only because that could not be recorded.

        Raises:
            Refused: CONFLICT, retryable; it still cannot be.
        """
        admission = row.admission
        if admission not in self._unsettled:
            return row
        # Whoever hears what becomes of this delivery need not hear of that one.
        self._unsettled[admission][0].is_in_doubt = False
        try:
            await self._ledger.settle_late(*self._unsettled[admission])
            newest_row = await self._ledger.call_of(invocation, invocation.facts.call_id)
        except StoreError:
            newest_row = None
        if newest_row is None:
            raise being_carried_out()
        self._unsettled.pop(admission, None)
        return newest_row

    def holds(self, row: CallRow) -> bool:
        """Tell whether a row is one that is cleared up here: its call was not started, or has its answer."""
        return row.admission in self._disowned or row.admission in self._unsettled

    async def has_taken_back(self, row: CallRow) -> bool:
        """Take back what an earlier delivery has left here that was not started, so that this one may begin anew."""
        left = self._disowned.get(row.admission)
        if left is None:
            return False
        # Whoever hears what becomes of this one need not hear of that.
        left[0].is_in_doubt = False
        if not await self._is_taken_back(*left):
            return False
        self._disowned.pop(row.admission, None)
        return True

    async def _take_back(self) -> list[tuple[Invocation, CallOutcome]]:
        """See that nothing is left of calls that were not started: before their leases end, and before a recovery.

        Returns those of which somebody was told that nobody knows.
        """
        news: list[tuple[Invocation, CallOutcome]] = []
        # Entries stay where they are until they are settled: whoever asked for this may give up, and more may come.
        waiting = list(self._disowned.values())
        for first in range(0, len(waiting), _TAKEN_BACK_AT_ONCE):
            part = waiting[first : first + _TAKEN_BACK_AT_ONCE]
            settled = await asyncio.gather(*(self._is_taken_back(invocation, until) for invocation, until in part))
            for (invocation, _), is_settled in zip(part, settled, strict=True):
                if is_settled and self._disowned.pop(invocation.admission, None) is not None and invocation.is_in_doubt:
                    news.append((invocation, failed(invocation, not_begun(invocation))))
        return news

    async def _is_taken_back(self, invocation: Invocation, until: datetime) -> bool:
        try:
            return await self._ledger.disown(invocation) or self._clock.now() >= until
        except StoreError as error:
            self._refused = error
            # As long as nobody can look, what is there may outlast its lease.
            return False


def _not_cleared_up(error: ToolError) -> None:
    log.warning("not cleared up", extra={"reason": error.type.value, "pii.detail": error.detail})
