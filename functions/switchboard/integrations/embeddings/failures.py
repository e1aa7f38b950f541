"""The one table of how refusals by embedding models are called in this house; their own words go to the log alone."""

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
    ErrorType.AUTH: "The key for the embedding model is not accepted. Whoever runs this system must set another.",
    ErrorType.RATE_LIMIT: "The embedding model is busy. Try again in a moment.",
    ErrorType.TRANSIENT: "The embedding model does not answer right now. Try again in a moment.",
    ErrorType.PERMANENT: "The embedding model refuses this, and trying again will not help. Check its name.",
}


def failures_of(model: str) -> VendorFailures:
    """Return what refusals of a model mean, by its name as `vendor:model`."""
    return VendorFailures(vendor=f"embeddings of {model}", words=_WORDS, table=FAILURES, unreadable=ErrorType.PERMANENT)
