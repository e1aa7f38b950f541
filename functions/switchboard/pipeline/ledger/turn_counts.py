"""How a turn's calls are counted: by increments in the commits that admit and settle a call, which return the sums."""

from typing import Final

from switchboard.contract.definitions.definition import Kind
from switchboard.contract.json import JsonObject
from switchboard.contract.store import Increment, WriteResult
from switchboard.pipeline.checks.session_active import ENDED
from switchboard.pipeline.invocation import Invocation, TurnCounts
from switchboard.pipeline.result.outcome import CallOutcome

PENDING: Final = "pendingResults"
"""The field that says how many results of earlier calls wait in a session's document."""
_ONE, _NONE = Increment(1), Increment(0)


def increments(invocation: Invocation) -> JsonObject:
    """Return what admission adds to the counts of the call's turn."""
    # Adding nothing reads what is there, in the same commit.
    return {
        "calls": _ONE if invocation.takes else _NONE,
        "retrievals": _ONE if invocation.takes and invocation.kind is Kind.RETRIEVAL else _NONE,
        "retrievalMs": _NONE,
        "same": {invocation.arguments_hash: _ONE},
        "empty": {invocation.tool_key: _NONE},
    }


def counted_in(invocation: Invocation, result: WriteResult) -> TurnCounts:
    """Return what the turn has used up, of what the increments returned."""
    prefix, found = f"turns.{invocation.facts.turn}", result.increments
    return TurnCounts(
        calls=int(found[f"{prefix}.calls"]),
        retrievals=int(found[f"{prefix}.retrievals"]),
        same=int(found[f"{prefix}.same.{invocation.arguments_hash}"]),
        empty=int(found[f"{prefix}.empty.{invocation.tool_key}"]),
        retrieval_ms=found[f"{prefix}.retrievalMs"],
        is_over=found[f"{ENDED}.{invocation.facts.channel.value}"] > 0,
        pending=int(found.get(PENDING, 0)),
    )


def consequences(invocation: Invocation, outcome: CallOutcome) -> JsonObject:
    """Return what settlement adds: what was refused has not counted, what was looked up took its time."""
    if outcome.state == "refused":
        return {
            "calls": Increment(-invocation.takes),
            "retrievals": Increment(-invocation.takes * (invocation.kind is Kind.RETRIEVAL)),
        }
    return {
        "retrievalMs": Increment(outcome.retrieval_ms(invocation)),
        "empty": {invocation.tool_key: _ONE if outcome.empty else _NONE},
    }
