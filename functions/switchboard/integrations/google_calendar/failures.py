"""The one table of how Google's refusals are called in this house.

By HTTP status and reason: a 403 may mean "slower" or "never", and only the reason tells. Google's own words go to the
log alone.
"""

from collections.abc import Mapping

from switchboard.contract.error import ErrorType
from switchboard.integrations.calendar_failures import CalendarFailures
from switchboard.integrations.http_session import HttpAnswer
from switchboard.integrations.vendor_http import json_object

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


def reason_of(answer: HttpAnswer) -> str:
    """Return the first reason that an answer gives, such as `rateLimitExceeded`; empty where it gives none."""
    error = json_object(answer).get("error")
    if not isinstance(error, Mapping):
        return ""
    rows = error.get("errors")
    first = rows[0] if isinstance(rows, list) and rows else {}
    reason = first.get("reason") if isinstance(first, Mapping) else None
    return reason if isinstance(reason, str) else ""


GOOGLE = CalendarFailures(vendor="google calendar", table=FAILURES, oauth_table=OAUTH_FAILURES, reason_of=reason_of)
refused, token_refused, failure = GOOGLE.refused, GOOGLE.token_refused, GOOGLE.failure
