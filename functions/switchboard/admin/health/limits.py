"""Which limit a refused call has met: one that the business sets, or what each of its callers gets."""

import json
from typing import Any, Final

from switchboard.contract.error import ErrorType
from switchboard.contract.json import at_path
from switchboard.desk.limits.month_limit import MONTH

# The scopes of what one number, one visitor, or all of whom nothing is known get: no setting raises them.
_OF_CALLERS: Final = frozenset({"number", "prefix", "visit", "address", "named", "withheld", "strangers"})


def limit_reached(response: Any) -> str | None:
    """Return what a stored answer that was refused by a limit is a sign of, as Health names it; None for any other."""
    try:
        envelope = json.loads(response)
    except (TypeError, ValueError, RecursionError):
        return None
    if at_path(envelope, "error.type") != ErrorType.RATE_LIMIT.value:
        return None
    reason = at_path(envelope, "meta.reason")
    if reason == MONTH:
        # Told by what the month has used.
        return None
    return "share_spent" if reason in _OF_CALLERS else "quota_spent"
