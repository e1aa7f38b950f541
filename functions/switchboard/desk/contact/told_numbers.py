"""Callers' numbers as services tell them, which write them as their own systems do: read for certain, or not at all.

A carrier vouches for one number. So one is read only where it can be no other: a few digits that are a number where the
business is, and with a + before them another one in another country, are neither. Such a caller has no number, as one
who withholds it, and is served; what is no spelling of a number is a mistake of the service's, and refused.
"""

import re

from switchboard.contract.business.business import Business
from switchboard.contract.business.names import visible_text
from switchboard.contract.error import ErrorType, ToolError
from switchboard.desk.contact.phone import caller_number, is_withheld, may_be_number, number_on_file, region_of

_SCHEME = re.compile(r"(?:sips?|tel|client):", re.IGNORECASE)
_UNREADABLE = (
    "is no number that can be read for certain. Send it with + and its country code, like +12015550123; a withheld one "
    "as an empty text or as anonymous."
)


def told_number(text: str, business: Business | None) -> str | None:
    """Return a caller's number in E.164; None where it is withheld, could be two, or is at home in some network only.

    With +, `00` or `tel:+` it is read with its own country, without as it is dialled where the business is.

    Raises:
        ToolError: VALIDATION; something is told that is no number in any spelling. The message says what would be.
    """
    visible = visible_text(text).strip()
    scheme = _SCHEME.match(visible)
    named = visible[scheme.end() :] if scheme else visible
    kind = scheme[0].lower() if scheme else ""
    # An address at home in some network is no number, whatever digits its network has.
    own = named.partition("@")[0]
    if is_withheld(own) or kind not in ("", "tel:") or (not may_be_number(own) and not own.lstrip("+").isdecimal()):
        return None
    number = caller_number(named) or _dialled(named, region_of(business) if business is not None else None)
    if number is None and not named.isdecimal():
        raise ToolError(ErrorType.VALIDATION, _UNREADABLE)
    return number


def _dialled(text: str, region: str | None) -> str | None:
    import phonenumbers

    number = number_on_file(text, region)
    if number is None or not text[:1].isdecimal():
        return number
    # Some networks leave the + out: the same digits are then another country's number.
    abroad = caller_number("+" + "".join(filter(str.isdecimal, text)))
    if abroad is None or abroad == number:
        return number
    return None if phonenumbers.is_valid_number(phonenumbers.parse(abroad)) else number
