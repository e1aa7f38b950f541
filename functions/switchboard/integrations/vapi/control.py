"""Which addresses may be told what to do with a running phone call: the vendor's own, and no other.

A control address is a capability that comes out of the vendor's answer or its webhook; whoever could slip another one
in would make us send what we know of a caller there.
"""

from urllib.parse import urlsplit

from switchboard.contract.error import ErrorType, ToolError

VENDOR = "vapi.ai"
"""The domain below which all of Vapi's hosts are."""
_LONGEST = 2_048


def checked(control_url: str, base_url: str | None = None) -> str:
    """Return a control address as it may be used.

    Args:
        control_url: As the vendor gave it.
        base_url: Where something stands in for Vapi, whose addresses count as the vendor's own; local mode only.

    Raises:
        ToolError: VALIDATION; it is not the vendor's own.
    """
    if not isinstance(control_url, str) or len(control_url) > _LONGEST or not _is_plain(control_url):
        raise _not_theirs("it is no address")
    try:
        parts = urlsplit(control_url)
        host, port = (parts.hostname or "").lower(), parts.port
    except ValueError:
        raise _not_theirs("it is no address") from None
    if base_url is not None and _origin(control_url) == _origin(base_url):
        return control_url
    if parts.scheme != "https" or port not in (None, 443):
        raise _not_theirs("it is not https")
    if parts.username is not None or parts.password is not None or parts.fragment:
        raise _not_theirs("it names a user or a fragment")
    if host != VENDOR and not host.endswith(f".{VENDOR}"):
        raise _not_theirs("its host is not the vendor's")
    return control_url


def _origin(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return parts.scheme, parts.netloc.lower()


def _is_plain(url: str) -> bool:
    # A backslash ends the host for some readers of an address and not for others.
    return all(" " < character < "\x7f" and character != "\\" for character in url)


def _not_theirs(why: str) -> ToolError:
    return ToolError(
        ErrorType.VALIDATION,
        "The phone call's control address is not the voice platform's own, so that nothing was sent there.",
        # Never the address itself: it would let its reader speak in the phone call.
        detail=f"vapi: a control address was refused: {why}",
    )
