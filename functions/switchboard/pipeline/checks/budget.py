"""BUDGET_EXCEEDED: this turn has used up its calls, or the time a caller will wait; RATE_LIMIT: a stranger has theirs.

Seed 003 ("Constraints") limits calls per turn, seed 000 ("MVP limits") their time; a business or an agent may set its
own (`contract/business/limits.py`). The look-ups of one answer run side by side: they count as one, and by the time
they take together. Calls that are refused are given back at settlement: a corrected mistake must not cost the answer.
"""

from switchboard.contract.definitions.definition import Kind
from switchboard.contract.error import ErrorType, Refused
from switchboard.contract.json import JsonObject
from switchboard.pipeline.checks.strangers import strangers
from switchboard.pipeline.invocation import Invocation

_ADVICE = (
    "Answer the caller now with what you have, and say what is still open: their next turn has new {}. What the prompt "
    "tells needs none."
)


def budget(invocation: Invocation) -> None:
    """Refuse what no longer fits into the turn, or is more than callers get who are not verified."""
    strangers(invocation)
    if invocation.counts is None or not (invocation.takes or invocation.facts.beside):
        # What the house demands costs nothing; what it may cost is bounded by its own attempts.
        return
    problem, meta = _problem(invocation)
    beside = invocation.facts.beside
    if beside is not None:
        beside.round.begin(is_refused=bool(problem))
    if problem:
        new = "look-ups" if invocation.kind is Kind.RETRIEVAL else "tool calls"
        raise Refused(ErrorType.BUDGET_EXCEEDED, f"{problem} {_ADVICE.format(new)}", meta=meta)


def _problem(invocation: Invocation) -> tuple[str, JsonObject]:
    counts, limits, beside = invocation.counts, invocation.policy, invocation.facts.beside
    assert counts is not None
    if counts.calls > limits.calls_per_turn:
        return f"All {limits.calls_per_turn} tool calls of this turn are used.", {}
    if invocation.kind is not Kind.RETRIEVAL:
        return "", {}
    if counts.retrievals > limits.retrieval_calls_per_turn or (beside is not None and beside.round.is_refused):
        return f"All {limits.retrieval_calls_per_turn} rounds of look-ups of this turn are used.", {}
    if beside is not None and beside.place >= limits.look_ups_at_once:
        return f"No more than {limits.look_ups_at_once} look-ups run at once.", {}
    # One clock for the turn: the caller hears the sum of all silences, not each of them.
    left_ms = limits.retrieval_ms_per_turn - counts.retrieval_ms
    # The first look-up of a turn is let try, and cut at its end: nobody would find out that a tool is quick again.
    is_first = counts.retrieval_ms <= 0
    if left_ms <= 0 or (invocation.usual_ms > left_ms and not is_first):
        return (
            f"{invocation.call.name} usually takes {invocation.usual_ms:.0f} ms and {max(left_ms, 0):.0f} ms of this "
            "turn are left for look-ups.",
            {"remainingMs": max(round(left_ms), 0)},
        )
    return "", {}
