"""What the pipeline asks of a ledger, whether that is kept in the store or in this process's memory."""

from datetime import datetime
from typing import Protocol

from switchboard.contract.json import JsonObject
from switchboard.pipeline.asked_call import AskedCall
from switchboard.pipeline.case import Case, Counts
from switchboard.pipeline.ledger import Met
from switchboard.pipeline.row import Row
from switchboard.pipeline.settle import Outcome


class Bookkeeping(Protocol):
    """Records every call before anything runs, counts it in its turn, and completes it afterwards."""

    async def admit(self, case: Case) -> Counts | Met:
        """Record and count a call in one step; return the turn's counts, or what stands in its way."""

    async def begin(self, case: Case) -> None:
        """Note that a call is begun from here on, which may not be done twice."""

    async def settle(self, case: Case, outcome: Outcome) -> None:
        """Complete a call's record, and draw the consequences."""

    async def settle_late(self, case: Case, outcome: Outcome) -> None:
        """Settle a call whose settlement did not get through, unless somebody has taken it over since."""

    async def call_of(self, case: Case, call_id: str) -> Row | None:
        """Return another call of the same session."""

    async def take_results(self, case: Case) -> list[JsonObject]:
        """Return what came of earlier calls of the conversation and was not told yet, each once."""

    async def is_done(self, case: Case) -> bool:
        """Tell whether the session has a receipt for this very wish."""

    async def beside(self, case: Case) -> tuple[AskedCall, ...]:
        """Return the other calls of this turn that wait for a yes, and whose question this call can join."""

    async def take_over(self, case: Case, row: Row) -> bool:
        """Make an abandoned call one's own; False when somebody else was quicker."""

    async def disown(self, case: Case) -> bool:
        """Take back an admission that got no answer; True when there is nothing left of it."""

    async def due(self, now: datetime, business_id: str | None = None, after: Row | None = None) -> list[Row]:
        """Return a page of the calls, of one business or of all, that were accepted and wait to be carried out."""

    async def abandoned(self, now: datetime, business_id: str | None = None, after: Row | None = None) -> list[Row]:
        """Return a page of the calls, of one business or of all, that somebody has to go on with.

        Their instance has died, or nobody knew what came of them and it may be known by now.
        """

    async def has_session(self, row: Row) -> bool:
        """Tell whether the session of a call is still there."""

    async def put_off(self, row: Row, now: datetime, why: str, *, is_last: bool = False) -> bool:
        """Leave a call that could not be brought to its end for later; tell whether it is given up instead."""
