"""The checks that a call passes, in their order; each stands in a file of its own."""

from collections.abc import Callable

from switchboard.contract.definitions.definition import Kind
from switchboard.contract.error import Refused
from switchboard.pipeline.checks.admit import admit
from switchboard.pipeline.checks.budget import budget
from switchboard.pipeline.checks.confirm import confirm
from switchboard.pipeline.checks.loop import loop
from switchboard.pipeline.checks.resolve import resolve
from switchboard.pipeline.checks.session_active import session_active
from switchboard.pipeline.checks.validate import validate
from switchboard.pipeline.invocation import Invocation

# Order is policy. `replay` stands before all of these, and admission finds it out: an answer that was given once is
# given again, whatever a check would say today.
CHECKS: tuple[Callable[[Invocation], None], ...] = (
    session_active,
    # After session_active: once a conversation is over, advice on what can be called would only prolong it.
    resolve,
    # After resolve: only a tool that exists can be restricted.
    admit,
    # After admit: the advice against a loop must not send a model to a tool it may not use.
    loop,
    # After loop: the third identical mistake needs other advice than the first.
    validate,
    # After validate: a caller is asked about valid arguments only, and hears them read back.
    confirm,
    # After confirm: a budget is not spent on what would have been refused anyway.
    budget,
)


def run_checks(invocation: Invocation) -> None:
    """Ask every check until one refuses."""
    invocation.refusal = None
    try:
        for check in CHECKS:
            check(invocation)
    except Refused as refusal:
        invocation.refusal = refusal


def is_refused_anyway(invocation: Invocation) -> bool:
    """Tell, before a call is counted, whether it is an action that no count can let through any more.

    One that waits for the caller's yes is none: what is found done already needs none.
    """
    definition = invocation.definition
    if invocation.kind is not Kind.ACTION or definition is None:
        return False
    if definition.confirm and not invocation.is_approved:
        return False
    run_checks(invocation)
    return invocation.refusal is not None


def refused_by_counts(invocation: Invocation, took_ms: float) -> Refused | None:
    """Return what a call is refused with that has run and did not fit into its turn, as it was counted; or None."""
    usual_ms = invocation.usual_ms
    # What it took is known by now, and may be more than was left.
    invocation.usual_ms = max(usual_ms, took_ms)
    try:
        for check in (session_active, loop, budget):
            check(invocation)
    except Refused as refusal:
        return refusal
    finally:
        invocation.usual_ms = usual_ms
    return None
