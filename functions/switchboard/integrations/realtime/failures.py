"""The one table of what a vendor's refusal to open a voice session means here; its own words go to the log alone."""

from collections.abc import Mapping

from switchboard.contract.error import ErrorType
from switchboard.integrations.vendor_http import VendorFailures

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
# Whoever pressed the button waits; the browser's own speech is there at once.
OPEN_S = 4.0
LONGEST_ANSWER = 1_048_576


def failures_of(vendor: str) -> VendorFailures:
    """Return what refusals of a vendor mean."""
    return VendorFailures(vendor=vendor, words=_WORDS, table=FAILURES, unreadable=ErrorType.PERMANENT)
