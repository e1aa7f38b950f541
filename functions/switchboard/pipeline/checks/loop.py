"""LOOP_DETECTED: the model goes round in circles, by the turn's counts; the advice is what gets it out.

Seed 003 ("Detection Rules"): the third call with identical arguments, and the next call after two empty results. Equal
means canonically equal, so key order, blanks, unicode form and spelt-out defaults are no way round it. Refused calls
count as well: a model that repeats a mistake is in a loop too. So do calls that tools make, which must not
go round among themselves either. What counts each time, or is answered as before since its owner says so, is none.
"""

from switchboard.contract.definitions.definition import Kind, Repeat
from switchboard.contract.error import ErrorType, Refused
from switchboard.contract.policy import EMPTY_RESULT_LIMIT, SAME_CALL_LIMIT
from switchboard.pipeline.invocation import Invocation

# The model's call, one within it, and so on: whatever needs more than three levels below the first has lost its way.
DEEPEST = 3


def loop(invocation: Invocation) -> None:
    """Refuse a call that the turn's history shows to be pointless."""
    counts, name = invocation.counts, invocation.call.name[:60]
    if len(invocation.facts.within) > DEEPEST:
        raise Refused(
            ErrorType.LOOP_DETECTED,
            f"{name} was not called: tools already call each other {DEEPEST} deep here. Do without it, or have the "
            "model call it.",
        )
    if counts is None:
        return
    if counts.same >= SAME_CALL_LIMIT and not may_repeat(invocation):
        raise Refused(
            ErrorType.LOOP_DETECTED,
            f"Loop detected: {name} was called {counts.same} times in this turn with identical arguments. Use the "
            "earlier result, try other arguments or another tool, or ask the caller.",
        )
    if counts.empty >= EMPTY_RESULT_LIMIT:
        raise Refused(
            ErrorType.LOOP_DETECTED,
            f"{name} has found nothing {counts.empty} times in this turn; the data may not exist. Try other terms in "
            "another turn, use another tool, or tell the caller.",
        )


def may_repeat(invocation: Invocation) -> bool:
    """Tell whether the same call again is no loop: it is done each time, or an owner's own whose answer is given again.

    What is refused is a loop all the same: a turn's limits do not count it.
    """
    definition, tool = invocation.definition, invocation.tool
    if definition is None or tool is None or invocation.invalid is not None or definition.kind is not Kind.ACTION:
        return False
    if invocation.repeat is Repeat.NEVER:
        return invocation.is_approved or not definition.confirm
    return invocation.wish_granted is not None and tool.tool.built is None
