"""What a connected server's no means here: one table of HTTP statuses, one of the protocol's codes."""

from collections.abc import Mapping
from typing import Final

from switchboard.contract.definitions.remote_tools import RemoteAnswer
from switchboard.contract.error import ErrorType, ToolError, leaves_open
from switchboard.integrations.not_found import says_not_found

# Before anything ran, as these statuses say.
_STATUSES: Final[Mapping[int, ErrorType]] = {
    401: ErrorType.AUTH,
    403: ErrorType.AUTH,
    429: ErrorType.RATE_LIMIT,
}
_WORDS: Final[Mapping[ErrorType, str]] = {
    ErrorType.AUTH: (
        "The connected server refuses the key that it was shown; its owner has to connect it anew. Nothing was done."
    ),
    ErrorType.RATE_LIMIT: "The connected server is asked too often at the moment; nothing was done. Try again later.",
    ErrorType.PERMANENT: (
        "What is connected there is no server that this tool can use. Nothing was done. Its owner has to look at the "
        "connection."
    ),
}
_AWAY = "The connected server cannot answer at the moment; nothing was done. Try again, or go on without."
_UNKNOWN = (
    "The connected server failed, so that nobody knows whether it was done. Do not say that it was, and do not try "
    "again."
)
# The protocol's codes: what was wrong with the request, so that nothing was done.
_CODES: Final[Mapping[int, ErrorType]] = {
    -32700: ErrorType.PERMANENT,
    -32600: ErrorType.PERMANENT,
    -32601: ErrorType.PERMANENT,
    -32602: ErrorType.VALIDATION,
    -32002: ErrorType.NOT_FOUND,
    -32020: ErrorType.PERMANENT,
    -32021: ErrorType.PERMANENT,
    -32022: ErrorType.PERMANENT,
}


def of_words(words: str) -> ErrorType:
    """Return what a tool's own no means: there is nothing of the kind, or its arguments are to be corrected."""
    return ErrorType.NOT_FOUND if says_not_found(words) else ErrorType.VALIDATION


def of_status(status: int, *, is_reading: bool) -> ToolError:
    """Return the error for a status without a response of the protocol."""
    detail = f"mcp: status {status}"
    if status >= 500 or status == 408:
        is_unknown = not is_reading
        return ToolError(
            ErrorType.TRANSIENT,
            _UNKNOWN if is_unknown else _AWAY,
            retryable=not is_unknown,
            partial_side_effects=is_unknown,
            detail=detail,
        )
    if leaves_open(status) and not is_reading:
        return ToolError(ErrorType.PERMANENT, _UNKNOWN, partial_side_effects=True, detail=detail)
    type = _STATUSES.get(status, ErrorType.PERMANENT)
    return ToolError(type, _WORDS[type], detail=detail)


def of_code(code: int, words: str, *, is_reading: bool) -> RemoteAnswer:
    """Return the answer that an error of the protocol comes to, in the server's words."""
    # The TypeScript library has one code for arguments that a tool does not take, and for an answer that it should not
    # have given, before and after it ran.
    type = None if "output validation error" in words.casefold() else _CODES.get(code)
    if type is ErrorType.VALIDATION and not words.casefold().startswith("unknown tool"):
        type = of_words(words)
    if type is None:
        # It failed while it was at it.
        return RemoteAnswer(words, ErrorType.TRANSIENT, is_unknown=not is_reading)
    return RemoteAnswer(words, type)


def unusable(*, is_reading: bool) -> ToolError:
    """Return the error for an answer that is none of the protocol's."""
    if is_reading:
        return ToolError(ErrorType.PERMANENT, _WORDS[ErrorType.PERMANENT], detail="mcp: no response")
    return ToolError(ErrorType.PERMANENT, _UNKNOWN, partial_side_effects=True, detail="mcp: no response")
