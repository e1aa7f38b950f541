"""The one table of how a CalDAV server's refusals are called in this house (RFC 4791, 3744, 6585).

By HTTP status and by the condition that the server names in its answer, such as `no-uid-conflict`: a 403 may mean
"not you" or "not that", and only the condition tells. The server's own words go to the log alone.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from switchboard.contract.error import ErrorType, ToolError
from switchboard.integrations.http_session import Answer

AUTH, PERMANENT, RATE_LIMIT, TRANSIENT = (
    ErrorType.AUTH,
    ErrorType.PERMANENT,
    ErrorType.RATE_LIMIT,
    ErrorType.TRANSIENT,
)

UID_TAKEN = "no-uid-conflict"
"""The condition by which a server says that it has an event of that UID under another name."""

FAILURES: Mapping[tuple[int, str], ErrorType] = {
    # who asks: only the owner can repair it, by another password or another calendar
    (401, ""): AUTH,
    (403, ""): AUTH,
    (403, "need-privileges"): AUTH,
    # what is asked: another password would not help
    (403, UID_TAKEN): PERMANENT,
    (403, "valid-calendar-data"): PERMANENT,
    (403, "valid-calendar-object-resource"): PERMANENT,
    (403, "supported-calendar-component"): PERMANENT,
    (403, "supported-calendar-data"): PERMANENT,
    (403, "supported-filter"): PERMANENT,
    (403, "valid-filter"): PERMANENT,
    (403, "max-resource-size"): PERMANENT,
    (403, "min-date-time"): PERMANENT,
    (403, "max-date-time"): PERMANENT,
    (403, "max-instances"): PERMANENT,
    (403, "max-attendees-per-instance"): PERMANENT,
    (403, "number-of-matches-within-limits"): PERMANENT,
    (403, "supported-report"): PERMANENT,
    (400, ""): PERMANENT,
    (402, ""): PERMANENT,
    (404, ""): PERMANENT,
    (405, ""): PERMANENT,
    (409, ""): PERMANENT,
    (410, ""): PERMANENT,
    (412, ""): PERMANENT,
    (413, ""): PERMANENT,
    (415, ""): PERMANENT,
    (422, ""): PERMANENT,
    (501, ""): PERMANENT,
    (507, ""): PERMANENT,
    # how often
    (429, ""): RATE_LIMIT,
    # when
    (408, ""): TRANSIENT,
    (423, ""): TRANSIENT,
    (425, ""): TRANSIENT,
    (500, ""): TRANSIENT,
    (502, ""): TRANSIENT,
    (503, ""): TRANSIENT,
    (504, ""): TRANSIENT,
}
"""Status and condition, or the status alone. Other 5xx are TRANSIENT, everything else is PERMANENT."""

_NEVER_DONE = frozenset({408, 423, 425})
# Small enough to be looked for without reading the whole answer as XML: of an error page, little is worth reading.
_CONDITION = re.compile(rb"<(?:[\w.-]+:)?error\b[^>]*>\s*<(?:[\w.-]+:)?([a-z-]{3,60})[\s/>]")
_READ_BYTES = 4_096
_LONGEST_WAIT_S = 86_400.0

_WORDS = {
    AUTH: "The business's owner must connect the calendar again; until then it can neither be read nor changed.",
    RATE_LIMIT: "The calendar is busy. Try once more in a moment.",
    TRANSIENT: "The calendar does not answer right now. Try once more.",
    PERMANENT: "The calendar does not allow this, and trying again will not help.",
}
_UNKNOWN_OUTCOME = (
    "The calendar did not say whether the change was made. Do not say that it was, nor that it was not; "
    "say that it is not confirmed."
)


def condition_of(answer: Answer) -> str:
    """Return the condition that an answer says was not met, such as `no-uid-conflict`; empty where it names none."""
    found = _CONDITION.search(answer.body[:_READ_BYTES])
    return found[1].decode() if found else ""


def retry_after_s(answer: Answer) -> float | None:
    """Return for how many seconds an answer asks not to be asked again; None where it does not say."""
    told = answer.headers.get("Retry-After", "").strip()
    if told.isascii() and told.isdigit():
        return min(float(told), _LONGEST_WAIT_S)
    try:
        at = parsedate_to_datetime(told)
    except ValueError:
        return None
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return min(max(0.0, (at - datetime.now(UTC)).total_seconds()), _LONGEST_WAIT_S)


def is_put_off(answer: Answer) -> bool:
    """Tell whether a server said that it did nothing yet, and may do it later."""
    return answer.status == 429 or (answer.status == 503 and retry_after_s(answer) is not None)


def refused(answer: Answer, *, is_write: bool) -> ToolError:
    """Return what a refusal by the server means; a write that met a failing server may have been made."""
    condition, status = condition_of(answer), answer.status
    if is_put_off(answer):
        after = retry_after_s(answer)
        meta = {} if after is None else {"retryAfterS": after}
        return failure(RATE_LIMIT, f"{status}, again in {after} s", meta=meta)
    other = TRANSIENT if status >= 500 else PERMANENT
    type = FAILURES.get((status, condition)) or FAILURES.get((status, ""), other)
    is_unknown = is_write and type is TRANSIENT and status not in _NEVER_DONE
    return failure(type, f"{status} {condition}".strip(), is_unknown=is_unknown)


def not_sent(error: ToolError) -> ToolError:
    """Return what it means here that a request did not get through the egress door, or was not answered."""
    return failure(error.type, error.detail, is_unknown=error.partial_side_effects, meta=error.meta)


def failure(
    type: ErrorType, detail: str, *, is_unknown: bool = False, meta: Mapping[str, object] | None = None
) -> ToolError:
    """Return a failure in the words of this house.

    Args:
        type: What it is here.
        detail: For the log.
        is_unknown: Whether what was asked for may have been done.
        meta: Why, where the owner's setting is to blame (`ServiceFault`).
    """
    message = _UNKNOWN_OUTCOME if is_unknown else _WORDS.get(type, _WORDS[PERMANENT])
    return ToolError(type, message, partial_side_effects=is_unknown, detail=f"caldav: {detail}", meta=meta)
