"""What a mail server's failures mean here: one table, first match wins."""

import ssl
from collections.abc import Iterator
from functools import cache

from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.python.dataclass import dataclass
from switchboard.integrations.smtp.message import UnfitMessage
from switchboard.integrations.smtp.route import AddressRefused

_LATER = "The mail server does not take the e-mail right now; nothing was sent. Try once more."
_NEVER = "The e-mail was refused for good and was not sent. Check the address with the caller."
_RECONNECT = "The business's mail account must be connected again; nothing was sent."
_SET_UP = "The business's mail server cannot be used as it is set up; nothing was sent."
_UNFIT = "This cannot be sent as an e-mail; nothing was sent. The subject must be one line of plain text."
_UNKNOWN = (
    "It is not known whether the e-mail was sent: the mail server did not say. Do not say that it was, and do not send "
    "it again; say that this is not known."
)


@dataclass(frozen=True, slots=True)
class SmtpFailure:
    """One kind of failure.

    Attributes:
        kind: The exception, subclasses included.
        codes: Which reply codes of the server it is about; None for all, and for failures without a reply.
        type: What it is here.
        message: For the model, where nothing was sent.
        is_answer: Whether the server, or we, certainly did not take the message. Otherwise nobody knows, once the
            message was on its way.
    """

    kind: type[BaseException]
    codes: range | frozenset[int] | None
    type: ErrorType
    message: str
    is_answer: bool = True


@cache
def table() -> tuple[SmtpFailure, ...]:
    """Return the table; what it names is imported with it, not before."""
    import aiosmtplib as smtp

    refused, busy = range(500, 600), range(400, 500)
    return (
        SmtpFailure(smtp.SMTPAuthenticationError, refused, ErrorType.AUTH, _RECONNECT),
        # Servers that let us in and then ask who we are (RFC 4954).
        SmtpFailure(smtp.SMTPResponseException, frozenset({530, 534, 535, 538}), ErrorType.AUTH, _RECONNECT),
        SmtpFailure(smtp.SMTPResponseException, refused, ErrorType.PERMANENT, _NEVER),
        SmtpFailure(smtp.SMTPResponseException, busy, ErrorType.TRANSIENT, _LATER),
        # No reply that SMTP knows.
        SmtpFailure(smtp.SMTPResponseException, None, ErrorType.TRANSIENT, _LATER, is_answer=False),
        SmtpFailure(smtp.SMTPRecipientsRefused, None, ErrorType.PERMANENT, _NEVER),
        SmtpFailure(smtp.SMTPNotSupported, None, ErrorType.PERMANENT, _SET_UP),
        SmtpFailure(smtp.SMTPServerDisconnected, None, ErrorType.TRANSIENT, _LATER, is_answer=False),
        SmtpFailure(smtp.SMTPConnectError, None, ErrorType.TRANSIENT, _LATER, is_answer=False),
        SmtpFailure(smtp.SMTPTimeoutError, None, ErrorType.TRANSIENT, _LATER, is_answer=False),
        # No STARTTLS, or no way to log in: what is left is never sent in clear.
        SmtpFailure(smtp.SMTPException, None, ErrorType.PERMANENT, _SET_UP),
        SmtpFailure(AddressRefused, None, ErrorType.PERMANENT, _SET_UP),
        SmtpFailure(ssl.SSLCertVerificationError, None, ErrorType.PERMANENT, _SET_UP),
        SmtpFailure(OSError, None, ErrorType.TRANSIENT, _LATER, is_answer=False),
        SmtpFailure(UnfitMessage, None, ErrorType.PERMANENT, _UNFIT),
        # An address or an argument that the library itself would not send.
        SmtpFailure(ValueError, None, ErrorType.PERMANENT, _UNFIT),
    )


def expected() -> tuple[type[BaseException], ...]:
    """Return what `translated` can translate, for an except clause."""
    return tuple({row.kind for row in table()})


def translated(error: BaseException, *, underway: bool) -> ToolError:
    """Return the house's word for a failure.

    Args:
        error: Of one of the kinds in the table.
        underway: Whether the message was on its way when it happened.
    """
    row = next(row for cause in _causes(error) for row in table() if _fits(row, cause))
    is_unknown = underway and not row.is_answer
    return ToolError(
        row.type,
        _UNKNOWN if is_unknown else row.message,
        retryable=False if is_unknown else None,
        partial_side_effects=is_unknown,
        detail=f"{type(error).__name__}: {error}",
    )


def _causes(error: BaseException) -> Iterator[BaseException]:
    # The library wraps a bad certificate as if the server could not be reached, which would be tried for ever.
    if isinstance(error.__cause__, ssl.SSLError):
        yield error.__cause__
    yield error


def _fits(row: SmtpFailure, error: BaseException) -> bool:
    return isinstance(error, row.kind) and (row.codes is None or getattr(error, "code", None) in row.codes)
