"""The same delivery again: the stored response, or CONFLICT when it cannot be that.

Twilio, Vapi and impatient applications deliver a call more than once; the provider's call id tells. Whatever else a
check would say, an answer that was given once is given again.
"""

import json
from dataclasses import replace

from switchboard.contract.error import ErrorType, Refused
from switchboard.contract.response import ToolResponse
from switchboard.contract.store import Document
from switchboard.pipeline.case import Case


def replay(case: Case, earlier: Document) -> ToolResponse:
    """Return the stored response of an earlier delivery.

    Raises:
        Refused: CONFLICT; the id belongs to another call, or (retryable) the first delivery is still running.
    """
    record = earlier.data
    if record.get("tool") != case.call.name or record.get("argumentsHash") != case.arguments_hash:
        raise Refused(
            ErrorType.CONFLICT,
            f"The call id {case.facts.call_id[:80]!r} was already used for a different call. Use a new id.",
        )
    stored = record.get("response")
    if not isinstance(stored, str):
        raise Refused(
            ErrorType.CONFLICT,
            "This call is still being carried out. Wait for its result; do not call again with another id.",
            retryable=True,
        )
    # Intents are repeated too: the first answer may never have arrived.
    response = ToolResponse.from_json(json.loads(stored))
    return replace(response, meta={**response.meta, "replayed": True})
