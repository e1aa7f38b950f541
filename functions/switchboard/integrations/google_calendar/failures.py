"""The one table of how Google's refusals are called in this house (wire-formats §9.7, §9.8).

By HTTP status and reason: a 403 may mean "slower" or "never", and only the reason tells. Google's own words go to the
log alone.
"""

from collections.abc import Mapping
from typing import Any

import orjson

from switchboard.contract.error import ErrorType, ToolError
from switchboard.integrations.http_session import Answer, NoAnswer

AUTH, PERMANENT, RATE_LIMIT, TRANSIENT = (
    ErrorType.AUTH,
    ErrorType.PERMANENT,
    ErrorType.RATE_LIMIT,
    ErrorType.TRANSIENT,
)

FAILURES: Mapping[tuple[int, str], ErrorType] = {
    # who asks: only the owner can repair it, by connecting again
    (401, ""): AUTH,
    (403, "insufficientPermissions"): AUTH,
    # how often
    (403, "rateLimitExceeded"): RATE_LIMIT,
    (403, "userRateLimitExceeded"): RATE_LIMIT,
    (403, "quotaExceeded"): RATE_LIMIT,
    (403, "dailyLimitExceeded"): RATE_LIMIT,
    (403, "calendarUsageLimitsExceeded"): RATE_LIMIT,
    (429, ""): RATE_LIMIT,
    # what is asked: connecting again would not help
    (400, ""): PERMANENT,
    (403, ""): PERMANENT,
    (404, ""): PERMANENT,
    (409, ""): PERMANENT,
    (410, ""): PERMANENT,
    (412, ""): PERMANENT,
    # when
    (408, ""): TRANSIENT,
    (500, ""): TRANSIENT,
    (502, ""): TRANSIENT,
    (503, ""): TRANSIENT,
    (504, ""): TRANSIENT,
}
"""Status and reason, or the status alone. Other 5xx are TRANSIENT, everything else is PERMANENT."""

SOON_OVER = frozenset({"rateLimitExceeded", "userRateLimitExceeded"})
"""The limits that count by the minute; the others last for hours, and no call can wait for their end."""

OAUTH_FAILURES: Mapping[str, ErrorType] = {
    "invalid_grant": AUTH,
    "invalid_client": PERMANENT,
    "unauthorized_client": PERMANENT,
    "redirect_uri_mismatch": PERMANENT,
    "unsupported_grant_type": PERMANENT,
    "invalid_request": PERMANENT,
    "invalid_scope": PERMANENT,
    "internal_failure": TRANSIENT,
    "server_error": TRANSIENT,
    "temporarily_unavailable": TRANSIENT,
}
"""The token endpoint's errors; only the first says that the owner's permission is gone."""

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


def reason_of(answer: Answer) -> str:
    """Return the first reason that an answer gives, such as `rateLimitExceeded`; empty where it gives none."""
    error = _json(answer).get("error")
    if not isinstance(error, Mapping):
        return ""
    rows = error.get("errors")
    first = rows[0] if isinstance(rows, list) and rows else {}
    reason = first.get("reason") if isinstance(first, Mapping) else None
    return reason if isinstance(reason, str) else ""


def refused(answer: Answer, *, is_write: bool) -> ToolError:
    """Return what a refusal by the calendar means; a write that met a failing server may have been made."""
    reason = reason_of(answer)
    other = TRANSIENT if answer.status >= 500 else PERMANENT
    type = FAILURES.get((answer.status, reason)) or FAILURES.get((answer.status, ""), other)
    return failure(type, f"{answer.status} {reason}", is_unknown=is_write and type is TRANSIENT)


def unanswered(error: NoAnswer, *, is_write: bool) -> ToolError:
    """Return what it means that there was no answer; a write that was sent may have been made."""
    return failure(TRANSIENT, f"no answer: {error}", is_unknown=is_write and error.was_sent)


def token_refused(answer: Answer) -> ToolError:
    """Return what a refusal by the token endpoint means. A failing server never counts as a lost permission."""
    reason = _json(answer).get("error")
    if answer.status >= 500 or answer.status in (408, 429):
        return failure(TRANSIENT, f"token endpoint: {answer.status}")
    # Anything may stand there: what is in front of the endpoint answers in forms of its own.
    known = reason if isinstance(reason, str) and reason in OAUTH_FAILURES else ""
    type = OAUTH_FAILURES.get(known, PERMANENT)
    return failure(type, f"token endpoint: {answer.status} {known}", was_asked=type is not PERMANENT)


def failure(type: ErrorType, detail: str, *, is_unknown: bool = False, was_asked: bool = True) -> ToolError:
    """Return a failure in the words of this house.

    Args:
        type: What it is here.
        detail: For the log.
        is_unknown: Whether what was asked for may have been done.
        was_asked: False where it is our own registration that is wrong: of an entry that says nothing.
    """
    message = _UNKNOWN_OUTCOME if is_unknown else _WORDS[type]
    return ToolError(
        type,
        message,
        partial_side_effects=is_unknown,
        detail=f"google calendar: {detail}",
        meta=None if was_asked else {"reason": "not_asked"},
    )


def _json(answer: Answer) -> Mapping[str, Any]:
    try:
        found = orjson.loads(answer.body)
    except orjson.JSONDecodeError:
        return {}
    return found if isinstance(found, Mapping) else {}
