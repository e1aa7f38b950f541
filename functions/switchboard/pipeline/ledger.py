"""The ledger: one document per call, created before anything runs and completed afterwards; it is the audit as well.

Admission and settlement are one commit each (design, "The pipeline"): a read-write transaction collapses under
contention, a batch of `create` and increments does not, and the increments bring the turn's counts back.
"""

import json
import uuid
from dataclasses import dataclass
from datetime import timedelta

from switchboard.contract import policy
from switchboard.contract.definition import Kind
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Paths, Store
from switchboard.contract.store import (
    DELETE_FIELD,
    AlreadyExists,
    Create,
    Document,
    Increment,
    Set,
    Update,
    Write,
    WriteResult,
)
from switchboard.pipeline.case import Case, Counts
from switchboard.pipeline.settle import Outcome


@dataclass(frozen=True, slots=True)
class Met:
    """Admission found the call's document already there, or the session started by another instance."""

    call: Document | None
    session: Document | None


class Ledger:
    """Writes the ledger of every business through the store port."""

    def __init__(self, store: Store, paths: Paths) -> None:
        """Give this instance a name, so that a row tells who was working on it."""
        self._store, self._paths = store, paths
        self._owner = uuid.uuid4().hex[:12]

    async def admit(self, case: Case) -> Counts | Met:
        """Create the call's document and count it in its turn, in one commit.

        Returns:
            The turn's counts including this call, or what already stood there.

        Raises:
            StoreError: `Unavailable`; the document may or may not have been created.
        """
        turn = str(case.facts.turn)
        session: JsonObject = {"turns": {turn: self._increments(case)}, "channel": case.facts.channel.value}
        path = self._session(case)
        writes: list[Write] = [Create(self._call(case), self._row(case))]
        if case.opens_session:
            session |= {"catalogHash": case.locked.hash, "startedAt": case.now}
            writes.append(Create(path, session))
        else:
            writes.append(Set(path, session, merge=True))
        try:
            results = await self._store.commit(writes)
        except AlreadyExists:
            call, started = await self._store.get_many([self._call(case), path])
            return Met(call, started)
        return self._counts(case, results[1])

    async def settle(self, case: Case, outcome: Outcome) -> None:
        """Complete the call's document with its outcome, and draw the consequences for its turn, in one commit."""
        row: JsonObject = {
            "state": outcome.state,
            # As text: a result may hold an array in an array, which the store does not.
            "response": json.dumps(outcome.response.to_json(), default=str),
            "finishedAt": case.now + timedelta(milliseconds=outcome.response.meta.get("elapsedMs", 0)),
            "leaseUntil": None,
        }
        turns: JsonObject = {str(case.facts.turn): self._consequences(case, outcome)}
        if case.counts is not None and case.counts.calls == 1:
            # The first call of a turn drops the turn that has left the window (seed 003, "Cleanup").
            turns[str(case.facts.turn - policy.LOOP_HISTORY_TURNS)] = DELETE_FIELD
        await self._store.commit(
            [Update(self._call(case), row), Set(self._session(case), {"turns": turns}, merge=True)]
        )

    def _consequences(self, case: Case, outcome: Outcome) -> JsonObject:
        is_retrieval = case.kind is Kind.RETRIEVAL
        if outcome.state == "refused":
            return {"calls": Increment(-1), "retrievals": Increment(-1 if is_retrieval else 0)}
        elapsed_ms = outcome.response.meta.get("elapsedMs", 0) if is_retrieval else 0
        return {
            "retrievalMs": Increment(elapsed_ms),
            "empty": {case.tool_key: Increment(1 if outcome.empty else 0)},
        }

    def _row(self, case: Case) -> JsonObject:
        facts = case.facts
        return {
            "tool": case.call.name[:200],
            "kind": case.kind.value,
            "channel": facts.channel.value,
            "turn": facts.turn,
            # Escaped when it is not JSON: the store keeps no lone surrogates.
            "arguments": (case.arguments_text if case.arguments else ascii(case.arguments_text))[
                : policy.ARGUMENT_BYTES
            ],
            "argumentsHash": case.arguments_hash,
            "effectKey": case.effect_key if case.arguments else None,
            "catalogHash": case.locked.hash,
            "interactionId": facts.interaction_id,
            "state": "started",
            "owner": self._owner,
            "startedAt": case.now,
            "leaseUntil": case.now + timedelta(seconds=policy.CALL_LEASE_S),
            "expireAt": case.now + timedelta(days=policy.LEDGER_DAYS),
        }

    def _increments(self, case: Case) -> JsonObject:
        # Adding nothing reads what is there, in the same commit.
        return {
            "calls": Increment(1),
            "retrievals": Increment(1 if case.kind is Kind.RETRIEVAL else 0),
            "retrievalMs": Increment(0),
            "same": {case.arguments_hash: Increment(1)},
            "empty": {case.tool_key: Increment(0)},
        }

    def _counts(self, case: Case, result: WriteResult) -> Counts:
        prefix = f"turns.{case.facts.turn}"
        found = result.increments
        return Counts(
            calls=int(found[f"{prefix}.calls"]),
            retrievals=int(found[f"{prefix}.retrievals"]),
            same=int(found[f"{prefix}.same.{case.arguments_hash}"]),
            empty=int(found[f"{prefix}.empty.{case.tool_key}"]),
            retrieval_ms=found[f"{prefix}.retrievalMs"],
        )

    def _session(self, case: Case) -> str:
        return self._paths.within(case.facts.business_id).document("sessions", case.facts.session_id)

    def _call(self, case: Case) -> str:
        return self._paths.within(case.facts.business_id).call(case.facts.session_id, case.facts.call_id)


def _storable(case: Case) -> str:
    # What was not valid may hold lone surrogates, which the store does not keep: they are escaped.
    return case.arguments_text if case.arguments else ascii(case.arguments_text)
