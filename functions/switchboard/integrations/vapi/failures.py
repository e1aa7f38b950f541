"""The one table of how Vapi's refusals are called in this house.

Vapi refuses with `{message: text | [text], error, statusCode}`; its conflicts say in `error` which one it is. Its words
are for owners, who read them here; its whole body goes along where somebody acts on what is in it.
"""

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from switchboard.contract.error import ErrorType, ToolError, leaves_open
from switchboard.integrations.http_session import HttpAnswer
from switchboard.integrations.vendor_http import VendorFailures, json_object

Effect: TypeAlias = Literal["read", "change", "message"]
"""What was asked for: to look, to change something, or to say something in a running phone call."""

_LONGEST_WORDS = 300

FAILURES: Mapping[int, ErrorType] = {
    400: ErrorType.VALIDATION,
    401: ErrorType.AUTH,
    402: ErrorType.PERMANENT,  # the account has no credit
    403: ErrorType.AUTH,
    404: ErrorType.NOT_FOUND,
    408: ErrorType.TRANSIENT,
    409: ErrorType.CONFLICT,
    413: ErrorType.VALIDATION,
    415: ErrorType.VALIDATION,
    422: ErrorType.VALIDATION,
    429: ErrorType.RATE_LIMIT,
}
"""By HTTP status. Every 5xx is TRANSIENT, everything else is PERMANENT."""

# The document knows three spellings of one fact: some version still uses it, so that it cannot go.
CONFLICTS: Mapping[str, str] = {
    "version_pinned": "version_pinned",
    "tool_pinned": "version_pinned",
    "assistant_pinned": "version_pinned",
    "tool_write_conflict": "write_conflict",
}
"""By `error` of a 409: the reason that `meta` holds. Any other is `draft` where a draft is named, else `conflict`."""

_WORDS = {
    ErrorType.VALIDATION: "The voice platform does not accept this; nothing was done.",
    ErrorType.AUTH: "The business's voice platform must be connected again with a key that is allowed to do this; "
    "nothing was done.",
    ErrorType.PERMANENT: "The voice platform refused this for good; nothing was done.",
    ErrorType.NOT_FOUND: "The voice platform does not know this; nothing was done.",
    ErrorType.RATE_LIMIT: "The voice platform takes no more right now; nothing was done. Try once more in a moment.",
    ErrorType.TRANSIENT: "The voice platform cannot be reached right now; nothing was done. Try once more.",
}
_CONFLICT_WORDS = {
    "version_pinned": "A version of this is pinned, so that the voice platform does not delete it; nothing was done. "
    "Unpin it there first.",
    "write_conflict": "Somebody else changes this on the voice platform at this moment; nothing was done. "
    "Read it again, then try once more.",
    "draft": "There is an unpublished draft of this on the voice platform; nothing was done. "
    "Publish or discard the draft there first.",
    "conflict": "The voice platform has something that stands against this; nothing was done.",
}
_ENDED = "The phone call is not under way any more; nothing was said in it."
_UNKNOWN = (
    "The voice platform has not confirmed it, so that nobody knows whether it was done. Look there before trying again."
)
VAPI = VendorFailures(vendor="vapi", words=_WORDS, table=FAILURES, unknown_outcome=_UNKNOWN)
failure = VAPI.failure


def refused(answer: HttpAnswer, effect: Effect) -> ToolError:
    """Return what an answer means that is no success."""
    body, type = json_object(answer), VAPI.type_of(answer.status)
    detail = f"{answer.status} {_text(body.get('error'))}".rstrip()
    if type is ErrorType.TRANSIENT or (leaves_open(answer.status) and effect != "read"):
        return unknown(effect, detail)
    if effect == "message":
        return _unheard(type, detail)
    if type is ErrorType.CONFLICT:
        return _conflict(body, detail)
    words = _told(body) if type in (ErrorType.VALIDATION, ErrorType.PERMANENT) else ""
    message = f"{_WORDS[type]} It says: {words}" if words else ""
    return VAPI.failure(type, detail, message=message, meta={"vendor": body} if words else None)


def unknown(effect: Effect, detail: str) -> ToolError:
    """Return what an answer that does not tell means: a change that was sent may have been made."""
    return VAPI.failure(ErrorType.TRANSIENT, detail, is_unknown=effect != "read")


def _unheard(type: ErrorType, detail: str) -> ToolError:
    # Of a running phone call only these say something else than that it runs no more.
    if type in (ErrorType.AUTH, ErrorType.RATE_LIMIT, ErrorType.VALIDATION):
        return VAPI.failure(type, detail)
    return VAPI.failure(ErrorType.CONFLICT, detail, message=_ENDED, meta={"reason": "call_ended"})


def _conflict(body: Mapping[str, Any], detail: str) -> ToolError:
    reason = CONFLICTS.get(_text(body.get("error"))) or ("draft" if body.get("existingDraftId") else "conflict")
    return ToolError(
        ErrorType.CONFLICT,
        _CONFLICT_WORDS[reason],
        retryable=reason == "write_conflict",
        detail=f"{VAPI.vendor}: {detail}",
        meta={"vendor": body, "reason": reason},
    )


def _told(body: Mapping[str, Any]) -> str:
    words = body.get("message")
    rows = words if isinstance(words, list) else [words]
    return "; ".join(" ".join(row.split()) for row in rows if isinstance(row, str))[:_LONGEST_WORDS]


def _text(value: Any) -> str:
    return value[:_LONGEST_WORDS] if isinstance(value, str) else ""
