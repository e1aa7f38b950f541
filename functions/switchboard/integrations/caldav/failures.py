"""The one table of how a CalDAV server's refusals are called in this house (RFC 4791, 3744, 6585).

By HTTP status and by the condition that the server names in its answer, such as `no-uid-conflict`: a 403 may mean
"not you" or "not that", and only the condition tells. The server's own words go to the log alone.
"""

from collections.abc import Mapping

from switchboard.contract.business.calendar import NOT_THIS_ONE
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.retry_after import retry_after_s
from switchboard.integrations.caldav.multistatus import UnreadableMultistatus, read_error
from switchboard.integrations.calendar_failures import CalendarFailures
from switchboard.integrations.http_session import HttpAnswer

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

# What names a condition is short; an error page is none.
_READ_BYTES = 16_384
_LONGEST_WAIT_S = 86_400.0


def condition_of(answer: HttpAnswer) -> str:
    """Return the condition that an answer says was not met, such as `no-uid-conflict`; empty where it names none."""
    try:
        return read_error(answer.body) if len(answer.body) <= _READ_BYTES else ""
    except UnreadableMultistatus:
        return ""


CALDAV = CalendarFailures(
    vendor="caldav", table=FAILURES, reason_of=condition_of, never_done=frozenset({408, 423, 425})
)
failure = CALDAV.failure


def wait_s(answer: HttpAnswer) -> float | None:
    """Return for how many seconds an answer asks not to be asked again; None where it does not say."""
    return retry_after_s(answer.headers, _LONGEST_WAIT_S)


def is_put_off(answer: HttpAnswer) -> bool:
    """Tell whether a server said that it did nothing yet, and may do it later."""
    return answer.status == 429 or (answer.status == 503 and wait_s(answer) is not None)


def refused(answer: HttpAnswer, *, is_write: bool) -> ToolError:
    """Return what a refusal by the server means; a write that met a failing server may have been made."""
    if is_put_off(answer):
        after = wait_s(answer)
        meta = {} if after is None else {"retryAfterS": after}
        return failure(RATE_LIMIT, f"{answer.status}, again in {after} s", meta=meta)
    error = CALDAV.refused(answer, is_write=is_write)
    if error.type is AUTH and answer.status != 401:
        return failure(AUTH, f"{answer.status} {condition_of(answer)}".strip(), meta={"reason": NOT_THIS_ONE})
    return error


def not_sent(error: ToolError) -> ToolError:
    """Return what it means here that a request did not get through the egress door, or was not answered."""
    # Why is kept, where the owner's setting is to blame (`ServiceFault`).
    return failure(error.type, error.detail, is_unknown=error.partial_side_effects, meta=error.meta)
