"""MODE_RESTRICTED: the tool exists but not here and now: wrong channel, unmet condition, switched off, unverified."""

from switchboard.contract.error import ErrorType, Refused
from switchboard.pipeline.case import Case


def admit(case: Case) -> None:
    """Hold the call against the conditions again: what was listed a minute ago may not hold any more."""
    why = case.offer.why_not(case.call.name)
    if why is not None:
        raise Refused(
            ErrorType.MODE_RESTRICTED,
            f"{why.name} cannot be used now: {why.reason}. Use another tool, or offer to take a message.",
            meta={"condition": why.condition},
        )
    definition = case.definition
    # A business that asks for no verification has decided so; what is the caller's own is still all that is shown.
    asked = case.business.caller_verification != "none" or case.offer.business is None
    if definition is not None and definition.verified and asked and not case.facts.caller_verified:
        raise Refused(
            ErrorType.MODE_RESTRICTED,
            f"{definition.name} needs a verified caller. Verify the caller first, then call it again.",
            meta={"condition": "session:verified"},
        )
