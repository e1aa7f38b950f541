"""What could not be written down when it happened, and is written down as soon as the store answers again.

Two kinds: calls whose admission got no answer, which were not started although their rows may exist; and calls whose
settlement did not get through, whose answer was given once and must be what is given again.
"""

import asyncio
from datetime import datetime, timedelta

from switchboard.contract import policy
from switchboard.contract.ports import Clock
from switchboard.contract.store import StoreError
from switchboard.pipeline.invocation import Invocation
from switchboard.pipeline.ledger.ledger import Ledger
from switchboard.pipeline.ledger.row import CallRow
from switchboard.pipeline.result.outcome import CallOutcome, being_carried_out

# Side by side, since a minute without the store leaves thousands, and recovery waits until all have been looked at.
_TAKEN_BACK_AT_ONCE = 24


class Unsettled:
    """One instance's; they die with it, and others find the rows abandoned then."""

    def __init__(self, ledger: Ledger, clock: Clock) -> None:
        """Start with nothing left over."""
        self._ledger, self._clock = ledger, clock
        # Calls that were not started, and until when what their admission may have left could still turn up.
        self._disowned: dict[tuple[str, ...], tuple[Invocation, datetime]] = {}
        self._unsettled: dict[tuple[str, ...], tuple[Invocation, CallOutcome]] = {}

    def not_started(self, invocation: Invocation) -> None:
        """Keep a call that was refused because it could not be recorded."""
        self._disowned[invocation.admission] = (invocation, invocation.now + timedelta(seconds=policy.CALL_LEASE_S))

    def not_settled(self, invocation: Invocation, outcome: CallOutcome) -> None:
        """Keep an answer that could not be written down; not one that nobody knows and whoever takes over finds out."""
        is_open = (
            outcome.state == "unknown" and invocation.definition is not None and invocation.definition.is_repeatable
        )
        if not is_open:
            self._unsettled[invocation.admission] = (invocation, outcome)

    async def clear_up(self) -> None:
        """Write down what can be written down by now."""
        await self._take_back()
        for admission, (invocation, outcome) in list(self._unsettled.items()):
            try:
                await self._ledger.settle_late(invocation, outcome)
            except StoreError:
                continue
            self._unsettled.pop(admission, None)

    async def as_answered(self, invocation: Invocation, row: CallRow) -> CallRow:
        """Return the row of an earlier delivery as it stands once this instance's own answer to it is written down.

        A call that was answered is not abandoned only because that could not be recorded.

        Raises:
            Refused: CONFLICT, retryable; it still cannot be.
        """
        admission = row.admission
        if admission not in self._unsettled:
            return row
        try:
            await self._ledger.settle_late(*self._unsettled[admission])
            newest_row = await self._ledger.call_of(invocation, invocation.facts.call_id)
        except StoreError:
            newest_row = None
        if newest_row is None:
            raise being_carried_out()
        self._unsettled.pop(admission, None)
        return newest_row

    def disowns(self, row: CallRow) -> bool:
        """Tell whether a row may be left of a call that was not started, which nobody is to carry out."""
        return row.admission in self._disowned

    async def _take_back(self) -> None:
        """See that nothing is left of calls that were not started: before their leases end, and before a recovery."""
        # Entries stay where they are until they are settled: whoever asked for this may give up, and more may come.
        waiting = list(self._disowned.values())
        for first in range(0, len(waiting), _TAKEN_BACK_AT_ONCE):
            part = waiting[first : first + _TAKEN_BACK_AT_ONCE]
            settled = await asyncio.gather(*(self._is_taken_back(invocation, until) for invocation, until in part))
            for (invocation, _), is_settled in zip(part, settled, strict=True):
                if is_settled:
                    self._disowned.pop(invocation.admission, None)

    async def _is_taken_back(self, invocation: Invocation, until: datetime) -> bool:
        try:
            return await self._ledger.disown(invocation) or self._clock.now() >= until
        except StoreError:
            # As long as nobody can look, what is there may outlast its lease.
            return False
