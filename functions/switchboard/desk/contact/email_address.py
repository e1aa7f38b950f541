"""E-mail addresses as callers say them, in the one spelling that everything else uses."""

import re

from switchboard.contract.business.names import visible_text
from switchboard.contract.error import ErrorType, ToolError

_LONGEST = 254  # RFC 5321, and what fits between the brackets of RCPT TO
_LOCAL = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*")
_DOMAIN = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])")


def to_address(text: str) -> str:
    """Return one e-mail address with its domain in lower case, and nothing around it.

    Raises:
        ToolError: VALIDATION, when it is no address, or more than one.
    """
    # Direction marks and the like are invisible, so that the address that is read is the one that is kept.
    visible = visible_text(text).strip(" ")
    local, at, domain = visible.rpartition("@")
    domain = domain.lower()
    is_written_well = at and _LOCAL.fullmatch(local) and _DOMAIN.fullmatch(domain)
    if not is_written_well or len(local) > 64 or len(visible) > _LONGEST:
        raise ToolError(
            ErrorType.VALIDATION,
            f"{text!r:.100} is not one e-mail address. Ask the caller to spell it, and write it like anna@example.com.",
        )
    return f"{local}@{domain}"
