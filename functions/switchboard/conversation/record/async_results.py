"""Results of calls that were accepted before: where they wait, and what stays of them in a conversation's record."""

import logging

from switchboard.contract.context import Context
from switchboard.contract.ports import Clock, Paths, Store
from switchboard.contract.store import ArrayUnion, Missing, Set, StoreError, Update, Write
from switchboard.conversation.pending_results import Arrival, arrivals_in
from switchboard.conversation.record.record import record_path, session_path, tool_entry

log = logging.getLogger(__name__)


class AsyncResults:
    """The late results of every conversation."""

    def __init__(self, store: Store, paths: Paths, clock: Clock) -> None:
        """Look for them and keep them in `store`."""
        self._store, self._paths, self._clock = store, paths, clock

    async def of(self, facts: Context) -> list[Arrival]:
        """Return what has come for a conversation and was not told yet, as far as the store knows. Never raises."""
        try:
            session = await self._store.get(session_path(self._paths, facts))
        except StoreError as error:
            # They stand there for the turn after this one too.
            log.warning("late results not read", extra={"reason": type(error).__name__, "pii.detail": str(error)})
            return []
        return list(arrivals_in(session, facts))

    async def keep(self, facts: Context, arrival: Arrival, *, is_held_here: bool) -> None:
        """Add a result to the record of its conversation, also of one that is over. Never raises.

        A session without a conversation of ours has no record, and gets none: a service holds it.
        """
        now, response = self._clock.now(), arrival.response
        elapsed_ms = float(response.meta.get("elapsedMs", 0))
        entry = tool_entry(arrival.call_id, arrival.tool, facts.turn, now, elapsed_ms, response)
        fields = {"tools": ArrayUnion((entry | {"late": True},))}
        receipt = response.meta.get("receipt")
        if response.ok and isinstance(receipt, dict):
            fields["receipts"] = ArrayUnion(({"tool": arrival.tool, "at": now, **receipt},))
        path = record_path(self._paths, facts)
        # The first turn may still be going on, at whose end the rest of the record is written.
        write: Write = Set(path, fields, merge=True) if is_held_here else Update(path, fields)
        try:
            await self._store.commit([write])
        except Missing:
            return
        except StoreError as error:
            log.error(
                "a late result is not in its record", extra={"reason": type(error).__name__, "pii.detail": str(error)}
            )
