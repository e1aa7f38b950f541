"""What a request that came to nothing means here, in words that name neither the address nor anything that was sent."""

from typing import Final

from switchboard.contract.error import ErrorType, ServiceFault, ToolError

READING: Final = frozenset({"GET", "PROPFIND", "REPORT"})
"""The methods that change nothing: what was not answered was not done."""
_OWNER = "Its owner has to change that. Say that this cannot be done right now."
_LATER = "The service that this tool asks cannot be reached now; nothing was done. Try again, or go on without."
_SLOW = "The service that this tool asks does not answer in time; nothing was done. Try again once, or go on without."
_BROKE_OFF = (
    "The service that this tool asks was reached, and broke off or answered with what cannot be understood; nothing "
    "was done. Try again, or go on without."
)
# By `ssl.SSLCertVerificationError.verify_code`; the texts of OpenSSL change, and quote the host.
_CERTIFICATES: Final = {
    9: "its certificate is not valid yet",
    10: "its certificate has expired",
    18: "its certificate is signed by nobody but itself",
    19: "its certificate comes of an authority of its own",
    20: "its certificate comes of an authority that is not known, or the certificates between are not sent along",
    21: "its certificate comes of an authority that is not known, or the certificates between are not sent along",
    62: "its certificate is for another name",
    64: "its certificate is for another name, not for this number",
}
_UNKNOWN: Final = (
    "The service did not answer, so that nobody knows whether it was done. Do not say that it was, and do not try "
    "again."
)


def not_allowed(problem: str) -> ToolError:
    """Return the error for an address that may not be called; nothing was sent.

    Args:
        problem: Why, as a part of a sentence about the address.
    """
    return ToolError(
        ErrorType.PERMANENT,
        f"The address that this tool calls may not be called: {problem}. Nothing was sent. {_OWNER}",
        detail=f"egress refused: {problem}",
        meta={"reason": ServiceFault.ADDRESS_NOT_ALLOWED.value},
    )


def not_sendable(problem: str) -> ToolError:
    """Return the error for a request that is no proper one; nothing was sent."""
    message = f"The request that this tool makes cannot be sent: {problem}. Nothing was sent. {_OWNER}"
    return ToolError(ErrorType.PERMANENT, message, detail=f"egress refused: {problem}")


def too_much(most_bytes: int) -> ToolError:
    """Return the error for a body of a request that is too long; nothing was sent."""
    return ToolError(
        ErrorType.VALIDATION,
        f"That is more than this tool can send ({most_bytes // 1024} KB); nothing was sent. Send less.",
        detail="egress refused: long body",
    )


def untrusted(code: int) -> ToolError:
    """Return the error for a server that does not prove to be who its name says; nothing was sent.

    Args:
        code: What is wrong with its certificate, as OpenSSL numbers it.
    """
    problem = _CERTIFICATES.get(code, "its certificate is not accepted")
    return ToolError(
        ErrorType.PERMANENT,
        f"The service that this tool asks does not prove who it is: {problem}. Nothing was sent. {_OWNER}",
        detail=f"egress: certificate refused ({code})",
        meta={"reason": ServiceFault.CERTIFICATE_REFUSED.value},
    )


def unencrypted(detail: str) -> ToolError:
    """Return the error for a server with which no encrypted connection can be agreed on; nothing was sent.

    Args:
        detail: OpenSSL's word for it, for the log.
    """
    return ToolError(
        ErrorType.PERMANENT,
        "No encrypted connection (TLS 1.2 or newer) comes about with the service that this tool asks: what listens "
        f"there may speak plain http, or an older TLS. Nothing was sent. {_OWNER}",
        detail=f"egress: no TLS ({detail})",
        meta={"reason": ServiceFault.TLS_FAILED.value},
    )


def unanswered(method: str, detail: str, *, sent: bool, is_slow: bool = False) -> ToolError:
    """Return the error for no answer, or none in time.

    Args:
        method: Of the request.
        detail: For the log; holds neither address nor headers.
        sent: Whether the request may have arrived.
        is_slow: Whether it is our time that ran out: a service that was reached is there, and slow.
    """
    is_unknown = sent and method not in READING
    return ToolError(
        ErrorType.TRANSIENT,
        _UNKNOWN if is_unknown else (_SLOW if is_slow else _BROKE_OFF) if sent else _LATER,
        retryable=not is_unknown,
        partial_side_effects=is_unknown,
        detail=f"egress: {detail}",
    )


def unusable_answer(method: str, problem: str) -> ToolError:
    """Return the error for an answer that came and cannot be used.

    Args:
        method: Of the request; whatever does not only read may have been done.
        problem: What is wrong with it, as a part of a sentence.
    """
    may_be_done = method not in READING
    known = "It may have been done: say that this is not known." if may_be_done else "Ask for less, or go on without."
    return ToolError(
        ErrorType.PERMANENT,
        f"The service answered, but {problem}. {known}",
        partial_side_effects=may_be_done,
        detail=f"egress: {problem}",
    )
