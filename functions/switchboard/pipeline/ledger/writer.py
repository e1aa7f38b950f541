"""Where the documents of a call stand, and how they are written; for the ledger, and for what is settled at once."""

import uuid
from collections.abc import Sequence
from itertools import count

from switchboard.contract.ports import BusinessPaths, Paths, Store
from switchboard.contract.store import Invalid, Write, WriteResult
from switchboard.pipeline.invocation import Invocation
from switchboard.pipeline.ledger.session_upkeep import SessionUpkeep
from switchboard.pipeline.ledger.turn_counts import SeenTurns


class CallWriter:
    """One instance's: it has a name, by which a row tells who is working on it, and knows what turns have used up."""

    def __init__(self, store: Store, paths: Paths) -> None:
        """Give this instance a name."""
        self.store, self._paths = store, paths
        self.turns, self._upkeep = SeenTurns(), SessionUpkeep(store)
        self._instance, self._admissions = uuid.uuid4().hex[:12], count(1)

    def admitting(self, invocation: Invocation) -> tuple[str, str]:
        """Give a call an owner, who works on it from now on; return the paths of its session and its row."""
        # One name per admission: the same call may be admitted again while an earlier try is being cleared up.
        invocation.owner = f"{self._instance}.{next(self._admissions)}"
        within, facts = self.within(invocation), invocation.facts
        return within.document("sessions", facts.session_id), within.call(facts.session_id, facts.call_id)

    def within(self, invocation: Invocation) -> BusinessPaths:
        """Return the way into the business that is called."""
        return self._paths.within(invocation.facts.business_id)

    def session(self, invocation: Invocation) -> str:
        """Return the path of the call's session."""
        return self.within(invocation).document("sessions", invocation.facts.session_id)

    def call(self, invocation: Invocation) -> str:
        """Return the path of the call's row."""
        return self.within(invocation).call(invocation.facts.session_id, invocation.facts.call_id)

    def effect(self, invocation: Invocation) -> str:
        """Return the path of the claim of the call's wish."""
        return self.within(invocation).effect(invocation.facts.session_id, invocation.claim_key)

    async def commit(
        self, invocation: Invocation, session_path: str, writes: Sequence[Write], *, is_settling: bool = False
    ) -> list[WriteResult]:
        """Write what belongs to a call, the second of it to its session; note what the turn has used up by it.

        A session whose document is full is written once more when room has been made; now and then one in which calls
        are settled is looked after.
        """
        try:
            results = await self.store.commit(writes)
        except Invalid:
            if not await self._upkeep.tidy(session_path, invocation):
                raise
            results = await self.store.commit(writes)
        self.turns.note(invocation.facts, results[1].increments)
        if is_settling and self._upkeep.is_due(invocation, session_path):
            await self._upkeep.look(invocation, session_path)
        return results
