"""Callers' numbers as services tell them, which write them as their own systems do: read for certain, or not at all.

A carrier vouches for one number. So one is read only where it can be no other: a few digits that are a number where the
business is, and with a + before them another one in another country, are neither. Such a caller has no number, as one
who withholds it, and is served; what is no spelling of a number, and no word that carriers send
instead of one, is a mistake of the service's, and refused.
"""

import re
from functools import lru_cache

from switchboard.contract.business.business import Business
from switchboard.contract.business.names import visible_text
from switchboard.contract.error import ErrorType, ToolError
from switchboard.desk.contact.phone import caller_number, is_withheld, number_on_file, region_of

_SCHEME = re.compile(r"(?:sips?|tel|client):", re.IGNORECASE)
# An address stands in angle brackets behind a name that is shown: "Anonymous" <sip:anonymous@anonymous.invalid>.
_NAMED = re.compile(r"[^<>]*<([^<>]+)>[^<>]*")
_UNREADABLE = (
    "is no number that can be read for certain. Send it with + and its country code, like +12015550123; a withheld one "
    "as an empty text or as anonymous."
)
# What is sent where no number is shown: by SIP, by Twilio, as the letters P and O of Caller ID, and what telephones and
# exchanges make of these.
_WORDS_FOR_NONE = frozenset(
    {
        *("anonymous", "restricted", "blocked", "unknown", "unavailable", "private", "withheld", "hidden"),
        *("not available", "out of area", "no caller id", "no number", "p", "o"),
    }
)
_OF_WHAT = frozenset({"caller", "id", "callerid", "number", "call"})
_NO_LETTERS = re.compile(r"[\W_]+")


def told_number(text: str, business: Business | None) -> str | None:
    """Return a caller's number in E.164; None where it is withheld, could be two, or is at home in some network only.

    With +, `00` or `tel:+` it is read with its own country, without as it is dialled where the business is.

    Raises:
        ToolError: VALIDATION; something is told that is no number in any spelling. The message says what would be.
    """
    return _read(text, region_of(business) if business is not None else None)


# Each request of a call tells the same number.
@lru_cache(maxsize=2_048)
def _read(text: str, region: str | None) -> str | None:
    visible = visible_text(text).strip()
    if (in_brackets := _NAMED.fullmatch(visible)) is not None:
        visible = in_brackets[1].strip()
    scheme = _SCHEME.match(visible)
    named = visible[scheme.end() :] if scheme else visible
    kind = scheme[0].lower() if scheme else ""
    # An address at home in some network is no number, whatever digits it or its network has.
    if not visible or kind not in ("", "tel:") or "@" in named or says_none(named):
        return None
    number = caller_number(named) or _dialled(named, region)
    if number is None and not named.isdecimal():
        raise ToolError(ErrorType.VALIDATION, _UNREADABLE)
    return number


def says_none(text: str) -> bool:
    """Tell whether a text is what carriers send for a caller whose number is withheld, in digits or in words."""
    words = _NO_LETTERS.sub(" ", text).casefold().split()
    said = " ".join(words), " ".join(word for word in words if word not in _OF_WHAT)
    return is_withheld(text) or not _WORDS_FOR_NONE.isdisjoint(said)


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
