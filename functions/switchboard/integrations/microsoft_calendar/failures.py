"""The one table of how Microsoft's refusals are called in this house.

By HTTP status and, where it matters, the error's code. Microsoft's own words go nowhere.
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
    # how often
    (429, ""): RATE_LIMIT,
    (509, ""): RATE_LIMIT,
    # what is asked: connecting again would not help; a 403 is a calendar that the account may only look at
    (400, ""): PERMANENT,
    (402, ""): PERMANENT,
    (403, ""): PERMANENT,
    (404, ""): PERMANENT,
    (405, ""): PERMANENT,
    (406, ""): PERMANENT,
    (409, ""): PERMANENT,
    (410, ""): PERMANENT,
    (411, ""): PERMANENT,
    (412, ""): PERMANENT,
    (413, ""): PERMANENT,
    (415, ""): PERMANENT,
    (416, ""): PERMANENT,
    (422, ""): PERMANENT,
    (501, ""): PERMANENT,
    (507, ""): PERMANENT,
    # when
    (408, ""): TRANSIENT,
    (423, ""): TRANSIENT,
    (500, ""): TRANSIENT,
    (502, ""): TRANSIENT,
    (503, ""): TRANSIENT,
    (504, ""): TRANSIENT,
}
"""Every status that Graph's documentation lists; other 5xx are TRANSIENT, everything else is PERMANENT."""

OAUTH_FAILURES: Mapping[str, ErrorType] = {
    # the owner's permission: taken back, run out, or in want of the owner's presence
    "invalid_grant": AUTH,
    "interaction_required": AUTH,
    "consent_required": AUTH,
    "login_required": AUTH,
    # the owner's organisation has switched this application off
    "AADSTS7000112": AUTH,
    # our own registration
    "access_denied": PERMANENT,
    "invalid_client": PERMANENT,
    "invalid_request": PERMANENT,
    "invalid_resource": PERMANENT,
    "invalid_scope": PERMANENT,
    "unauthorized_client": PERMANENT,
    "unsupported_grant_type": PERMANENT,
    "unsupported_response_type": PERMANENT,
    "server_error": TRANSIENT,
    "temporarily_unavailable": TRANSIENT,
}
"""The token endpoint's errors, or the number of one where the error alone says too little."""


def reason_of(answer: HttpAnswer) -> str:
    """Return the code that an answer gives, such as `ErrorItemNotFound`; empty where it gives none."""
    error = json_object(answer).get("error")
    code = error.get("code") if isinstance(error, Mapping) else None
    return code if isinstance(code, str) else ""


def _oauth_reason_of(answer: HttpAnswer) -> str:
    body = json_object(answer)
    numbers = body.get("error_codes")
    names = (f"AADSTS{number}" for number in numbers) if isinstance(numbers, list) else ()
    reason = next((name for name in names if name in OAUTH_FAILURES), body.get("error"))
    return reason if isinstance(reason, str) else ""


MICROSOFT = CalendarFailures(
    vendor="microsoft calendar",
    table=FAILURES,
    reason_of=reason_of,
    oauth_table=OAUTH_FAILURES,
    oauth_reason_of=_oauth_reason_of,
)
failure, refused, token_refused = MICROSOFT.failure, MICROSOFT.refused, MICROSOFT.token_refused
