"""BUDGET_EXCEEDED: this turn has used up its calls, or the time the caller will wait; RATE_LIMIT: a stranger is.

Seed 003 ("Constraints") limits calls per turn, seed 000 ("MVP limits") their time. Calls that are refused are given
back at settlement: a corrected mistake must not cost the answer.
"""

from switchboard.contract.definition import Kind
from switchboard.contract.error import ErrorType, Refused
from switchboard.contract.policy import CHANNEL_POLICY
from switchboard.pipeline.case import Case
from switchboard.pipeline.strangers import strangers

_ADVICE = "Answer the caller now with what you have; if that is not enough, say so."


def budget(case: Case) -> None:
    """Refuse what no longer fits into the turn, or is more than callers get who are not verified."""
    strangers(case)
    counts, limits = case.counts, CHANNEL_POLICY[case.facts.channel]
    if counts is None:
        return
    if counts.calls > limits.calls_per_turn:
        raise Refused(
            ErrorType.BUDGET_EXCEEDED, f"All {limits.calls_per_turn} tool calls of this turn are used. {_ADVICE}"
        )
    if case.kind is not Kind.RETRIEVAL:
        return
    if counts.retrievals > limits.retrieval_calls_per_turn:
        raise Refused(
            ErrorType.BUDGET_EXCEEDED,
            f"All {limits.retrieval_calls_per_turn} look-ups of this turn are used. {_ADVICE}",
        )
    # One clock for the turn: the caller hears the sum of all silences, not each of them.
    left_ms = limits.retrieval_ms_per_turn - counts.retrieval_ms
    if left_ms <= 0 or case.usual_ms > left_ms:
        raise Refused(
            ErrorType.BUDGET_EXCEEDED,
            f"{case.call.name} usually takes {case.usual_ms:.0f} ms and {max(left_ms, 0):.0f} ms of this turn are left "
            f"for look-ups. {_ADVICE}",
            meta={"remainingMs": max(round(left_ms), 0)},
        )
