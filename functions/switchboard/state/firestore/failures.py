"""The one table of how Google's failures are called in this house.

Keyed by class name, so that reading it needs no import of Google's libraries; a test holds it against all classes of
`google.api_core.exceptions`.
"""

import re

from switchboard.contract.store import AlreadyExists, Invalid, Missing, Stale, StoreError, Unavailable

# As a word of the text: the name of every document has `databases` in it, and may have anything behind `/documents/`.
_DATABASE = re.compile(r"\bdatabase\b", re.IGNORECASE)

FAILURES: dict[str, type[StoreError]] = {
    # said about the documents
    "AlreadyExists": AlreadyExists,
    "NotFound": Missing,
    "FailedPrecondition": Stale,
    "PreconditionFailed": Stale,
    # said about the request: repeating it will not help
    "BadRequest": Invalid,
    "InvalidArgument": Invalid,
    "OutOfRange": Invalid,
    "RequestRangeNotSatisfiable": Invalid,
    "LengthRequired": Invalid,
    "MethodNotAllowed": Invalid,
    "MethodNotImplemented": Invalid,
    # no answer, or one that does not say whether it happened
    "Aborted": Unavailable,
    "BadGateway": Unavailable,
    "Cancelled": Unavailable,
    "ClientError": Unavailable,
    "Conflict": Unavailable,
    "DataLoss": Unavailable,
    "DeadlineExceeded": Unavailable,
    "GatewayTimeout": Unavailable,
    "GoogleAPICallError": Unavailable,
    "GoogleAPIError": Unavailable,
    "InternalServerError": Unavailable,
    "ResourceExhausted": Unavailable,
    "RetryError": Unavailable,
    "RpcError": Unavailable,
    "ServerError": Unavailable,
    "ServiceUnavailable": Unavailable,
    "TooManyRequests": Unavailable,
    "Unknown": Unavailable,
    # who we are was not accepted: for callers an outage, for the operator a line in the log that says so
    "DuplicateCredentialArgs": Unavailable,
    "Forbidden": Unavailable,
    "GoogleAuthError": Unavailable,
    "PermissionDenied": Unavailable,
    "Unauthenticated": Unavailable,
    "Unauthorized": Unavailable,
    # of other transports than the one we use
    "AsyncRestUnsupportedParameterError": Unavailable,
    "MissingStatusHeaderError": Unavailable,
    "MovedPermanently": Unavailable,
    "NotModified": Unavailable,
    "Redirection": Unavailable,
    "ResumableTransferError": Unavailable,
    "ResumeIncomplete": Unavailable,
    "TemporaryRedirect": Unavailable,
    "TransferStalledError": Unavailable,
    "UnseekableStreamError": Unavailable,
    "UploadCancelledError": Unavailable,
    # our own guard around a server that accepts and never answers
    "TimeoutError": Unavailable,
}
"""What each class of failure means here."""


def translated(error: BaseException, *, committing: bool) -> StoreError:
    """Return the failure in the words of the store port; what is not in the table counts as unavailable."""
    known = (FAILURES[kind.__name__] for kind in type(error).__mro__ if kind.__name__ in FAILURES)
    failure = next(known, Unavailable)
    text = str(error)
    if failure is Stale and (not committing or "index" in text):
        # A query whose index is missing fails as a precondition; the text holds the link that creates it.
        failure = Invalid
    elif failure is Missing and (not committing or _DATABASE.search(text.partition("/documents/")[0])):
        # Reading a document that is not there is no failure: here it is the whole database that is not there.
        failure = Unavailable
    return failure(f"{type(error).__name__}: {text}")
