"""The same delivery again: the stored response, or CONFLICT when it cannot be that.

Twilio, Vapi and impatient applications deliver a call more than once; the provider's call id tells. Whatever else a
check would say, an answer that was given once is given again.
"""

from dataclasses import replace

from switchboard.contract.error import ErrorType, Refused
from switchboard.contract.response import ToolResponse
from switchboard.pipeline.invocation import Invocation
from switchboard.pipeline.ledger.record import CallRow


def replay(case: Invocation, earlier: CallRow) -> ToolResponse:
    """Return the stored response of an earlier delivery; its intents too, since it may never have arrived.

    Raises:
        Refused: CONFLICT; the id belongs to another call, or (retryable) the first delivery is still running.
    """
    if not earlier.is_of(case):
        raise Refused(
            ErrorType.CONFLICT,
            f"The call id {case.facts.call_id[:80]!r} was already used for a different call. Use a new id.",
        )
    given = earlier.response
    if given is None:
        raise Refused(
            ErrorType.CONFLICT,
            "This call is still being carried out. Wait for its result; do not call again with another id.",
            retryable=True,
        )
    return replace(given, meta={**given.meta, "replayed": True})
