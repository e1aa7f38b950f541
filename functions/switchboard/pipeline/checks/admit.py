"""MODE_RESTRICTED: the tool exists but not here and now: wrong channel, unmet condition, switched off, unverified."""

from switchboard.contract.error import ErrorType, Refused
from switchboard.pipeline.invocation import Invocation


def admit(invocation: Invocation) -> None:
    """Hold the call against the conditions again: what was listed a minute ago may not hold any more."""
    why = invocation.offer.why_not(invocation.call.name)
    if why is not None:
        raise Refused(
            ErrorType.MODE_RESTRICTED,
            f"{why.name} cannot be used now: {why.reason}. Use another tool.",
            meta={"condition": why.condition},
        )
    definition = invocation.definition
    # A business that asks for no verification has decided so; what is the caller's own is still all that is shown.
    asked = invocation.business.caller_verification != "none" or invocation.offer.business is None
    if definition is None or not definition.verified or invocation.facts.caller_verified:
        return
    if definition.callers_own and invocation.tool is not None and invocation.tool.tool.built is not None:
        # What this conversation has made is the caller's at any level; of everything else the desk says no.
        return
    if definition.opened_by is not None:
        if definition.opened_by in invocation.business.features:
            return
        if not asked:
            raise Refused(
                ErrorType.MODE_RESTRICTED,
                f"{definition.name} is for verified callers, and {invocation.business.name} verifies nobody: its owner "
                f"can set ai.callerVerification, or let everybody use it by the feature {definition.opened_by}.",
                meta={"condition": "session:verified"},
            )
    if asked:
        raise Refused(
            ErrorType.MODE_RESTRICTED,
            f"{definition.name} needs a verified caller. {_how(invocation)}",
            meta={"condition": "session:verified"},
        )


def _how(invocation: Invocation) -> str:
    """Return how a caller comes to be verified here, if that can be done at all."""
    if invocation.offer.named("verify_caller") is None:
        return "Nobody can be verified here: do not ask the caller who they are for it."
    return (
        "If the caller has been here before, verify them first, then call it again; whoever is new here cannot be "
        "verified."
    )
