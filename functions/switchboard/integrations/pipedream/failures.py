"""The one table of how Pipedream's refusals, and those of the apps behind it, are called in this house.

A refusal by status comes before anything ran; an action whose own code failed is
answered with 200 and an `error`, and may have done half of what it does. Vendors' own words go to the log alone.
"""

import re
from collections.abc import Mapping
from typing import Any

import orjson

from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.integrations.http_session import HttpAnswer, NoAnswer
from switchboard.integrations.not_found import says_not_found

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


def refused(answer: HttpAnswer, *, is_run: bool) -> ToolError:
    """Return what an answer with a status that is no success means.

    Args:
        answer: Pipedream's.
        is_run: Whether an action was to run; the rest only reads.
    """
    words = _error_words(answer.body)
    type = BY_STATUS.get(answer.status, PERMANENT if 300 <= answer.status < 400 else TRANSIENT)
    return failure(type, f"{answer.status} {words}", is_unknown=is_run and type is TRANSIENT)


def unanswered(error: NoAnswer, *, is_run: bool) -> ToolError:
    """Return what it means that there was no answer; an action whose request was sent may have run."""
    return failure(TRANSIENT, f"no answer: {error}", is_unknown=is_run and error.was_sent)


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


def failure(type: ErrorType, detail: str, *, is_unknown: bool = False, message: str = "") -> ToolError:
    """Return a failure in the words of this house.

    Args:
        type: What it is here.
        detail: For the log.
        is_unknown: Whether the action may have run.
        message: Where there is more to say than of every failure of this type.
    """
    return ToolError(
        type,
        _UNKNOWN_OUTCOME if is_unknown else message or _WORDS[type],
        retryable=False if is_unknown else None,
        partial_side_effects=is_unknown,
        detail=f"pipedream: {detail}"[:500],
    )


def _observed_error(observations: Any) -> Any:
    rows = observations if isinstance(observations, list) else []
    found = next((row for row in rows if isinstance(row, Mapping) and row.get("k") == "error"), None)
    return None if found is None else found.get("err") or found.get("msg") or "error"


def _error_words(body: bytes) -> str:
    try:
        found = orjson.loads(body)
    except orjson.JSONDecodeError:
        return ""
    return _words(found.get("error"), found.get("code")) if isinstance(found, Mapping) else ""


def _words(*parts: Any) -> str:
    texts: list[str] = []
    for part in parts:
        if isinstance(part, Mapping):
            texts += [str(part[name]) for name in ("name", "message", "code", "status") if part.get(name)]
        elif part:
            texts.append(str(part))
    return ": ".join(texts)
