"""The one table of what a vendor's refusal to open a voice session means here; its own words go to the log alone."""

from collections.abc import Mapping

from switchboard.contract.error import ErrorType, ToolError

FAILURES: Mapping[int, ErrorType] = {
    400: ErrorType.PERMANENT,
    401: ErrorType.AUTH,
    403: ErrorType.AUTH,
    404: ErrorType.PERMANENT,
    408: ErrorType.TRANSIENT,
    409: ErrorType.TRANSIENT,
    413: ErrorType.PERMANENT,
    422: ErrorType.PERMANENT,
    429: ErrorType.RATE_LIMIT,
}
"""By HTTP status; other 5xx are TRANSIENT, everything else is PERMANENT."""

_WORDS = {
    ErrorType.AUTH: "The speech model's key is not accepted.",
    ErrorType.RATE_LIMIT: "The speech model takes no more sessions right now.",
    ErrorType.TRANSIENT: "The speech model does not answer right now.",
    ErrorType.PERMANENT: "The speech model refuses this session.",
}


def refused(vendor: str, status: int) -> ToolError:
    """Return what a refusal means."""
    other = ErrorType.TRANSIENT if status >= 500 else ErrorType.PERMANENT
    return failure(vendor, FAILURES.get(status, other), f"HTTP {status}")


def failure(vendor: str, type: ErrorType, detail: str) -> ToolError:
    """Return a failure in the words of this house; `detail` is for the log."""
    return ToolError(type, _WORDS[type], detail=f"{vendor}: {detail}")
