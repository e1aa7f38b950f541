"""The one table of how Pipedream's refusals, and those of the apps behind it, are called in this house.

A refusal by status comes before anything ran; an action whose own code failed is
answered with 200 and an `error`, and may have done half of what it does. Vendors' own words go to the log alone.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.integrations.http_session import HttpAnswer
from switchboard.integrations.not_found import says_not_found
from switchboard.integrations.vendor_http import VendorFailures, json_object

AUTH, NOT_FOUND, PERMANENT, RATE_LIMIT, TRANSIENT, VALIDATION = (
    ErrorType.AUTH,
    ErrorType.NOT_FOUND,
    ErrorType.PERMANENT,
    ErrorType.RATE_LIMIT,
    ErrorType.TRANSIENT,
    ErrorType.VALIDATION,
)

BY_STATUS: Mapping[int, ErrorType] = {
    400: VALIDATION,
    # our own project's credentials, twice: nothing that an owner could repair
    401: PERMANENT,
    402: PERMANENT,
    403: PERMANENT,
    404: PERMANENT,
    405: PERMANENT,
    410: PERMANENT,
    413: VALIDATION,
    422: VALIDATION,
    429: RATE_LIMIT,
}
"""Statuses with which nothing ran. After every other one nobody knows: TRANSIENT."""

_LOST_PERMISSION = re.compile(
    r"invalid_grant|unauthori[sz]ed|invalid[_ ](?:authentication )?credentials|expired or revoked"
    r"|token (?:has |was |is )?(?:been )?(?:expired|revoked|invalid)|(?:status|code|http|error)\W{0,4}40[13]\b"
    r"|\b403 forbidden",
    re.IGNORECASE,
)
_TOO_MANY = re.compile(
    r"rate.?limit|too many requests|quota exceeded|(?:status|code|http|error)\W{0,4}429\b",
    re.IGNORECASE,
)

_WORDS = {
    AUTH: "The business's owner must connect this app again; until then nothing can be done with it. Nothing was done.",
    RATE_LIMIT: "The app takes no more right now; nothing was done. Try once more in a moment.",
    TRANSIENT: "The app cannot be reached right now; nothing was done. Try once more.",
    PERMANENT: "The app does not allow this, and trying again will not help.",
    VALIDATION: "The app does not take these values; nothing was done. Check them with the caller and correct them.",
}
_UNKNOWN_OUTCOME = (
    "The app did not say whether it was done. Do not say that it was, nor that it was not, and do not ask for it "
    "again; say that it is not confirmed."
)
_NOT_THERE = (
    "The app knows nothing of what was asked for, and some of it may have been done. Do not say that it was done; "
    "check with the caller what is meant."
)
_BROKE_OFF = (
    "The app reported an error, and some of it may have been done. Do not say that it was done, and do not ask for it "
    "again; say that this is not known."
)


def broke_off(answer: JsonObject) -> ToolError | None:
    """Return what the error means that an action's own code ended with; None where it ended well."""
    error = answer.get("error") or _observed_error(answer.get("os"))
    if not error:
        return None
    words = _words(error)
    if _LOST_PERMISSION.search(words):
        return failure(AUTH, words)
    if _TOO_MANY.search(words):
        return failure(RATE_LIMIT, words)
    if says_not_found(words):
        # What it looked for is not there; whatever it did before that, nobody knows.
        return ToolError(NOT_FOUND, _NOT_THERE, partial_side_effects=True, detail=f"pipedream: {words}"[:500])
    return ToolError(PERMANENT, _BROKE_OFF, partial_side_effects=True, detail=f"pipedream: {words}"[:500])


def _observed_error(observations: Any) -> Any:
    rows = observations if isinstance(observations, list) else []
    error_row = next((row for row in rows if isinstance(row, Mapping) and row.get("k") == "error"), None)
    return None if error_row is None else error_row.get("err") or error_row.get("msg") or "error"


def _error_words(answer: HttpAnswer) -> str:
    document = json_object(answer)
    return _words(document.get("error"), document.get("code"))


def _words(*parts: Any) -> str:
    texts: list[str] = []
    for part in parts:
        if isinstance(part, Mapping):
            texts += [str(part[name]) for name in ("name", "message", "code", "status") if part.get(name)]
        elif part:
            texts.append(str(part))
    return ": ".join(texts)


PIPEDREAM = VendorFailures(
    vendor="pipedream",
    words=_WORDS,
    table=BY_STATUS,
    unknown_outcome=_UNKNOWN_OUTCOME,
    otherwise=TRANSIENT,
    reason_of=_error_words,
)
failure = PIPEDREAM.failure
TOKENS = replace(PIPEDREAM, table={408: TRANSIENT, 429: RATE_LIMIT}, otherwise=PERMANENT)
"""What refusals by the token endpoint mean: nothing of an owner's is asked for there."""
