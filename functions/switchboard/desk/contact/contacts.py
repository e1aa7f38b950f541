"""Phone numbers and e-mail addresses in free text, in the spellings that everything else uses (seed 003)."""

import re
from typing import Final

from switchboard.contract.business.business import Business
from switchboard.contract.business.names import visible_text
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.python.dataclass import dataclass
from switchboard.desk.contact.phone import region_of

MOST: Final = 20
# Only where an address may be; whether it is one is for `to_address` to say.
_ADDRESS = re.compile(r"[^\s@<>()\[\]{},;:\"]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}")
_AROUND = "'.!?*_“”„«»"

_LONGEST = 254  # RFC 5321, and what fits between the brackets of RCPT TO
_LOCAL = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*")
_DOMAIN = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])")


@dataclass(frozen=True, slots=True)
class FoundNumber:
    """A phone number: in E.164, and as it was written."""

    number: str
    written: str


@dataclass(frozen=True, slots=True)
class Contacts:
    """What a text holds, each once, in order; `is_cut` says that there was more than 20 of a kind."""

    phones: tuple[FoundNumber, ...]
    emails: tuple[str, ...]
    is_cut: bool


def contacts_in(text: str, business: Business) -> Contacts:
    """Return the phone numbers, read as they are dialled where the business is, and the e-mail addresses in a text."""
    visible = visible_text(text)
    emails: dict[str, None] = {}
    for match in _ADDRESS.finditer(visible):
        try:
            emails.setdefault(to_address(match[0].strip(_AROUND)).casefold())
        except ToolError:
            continue
    # Without the addresses: digits in them are nobody's number.
    phones = _numbers(_ADDRESS.sub(" ", visible), business)
    is_cut = len(emails) > MOST or len(phones) > MOST
    return Contacts(tuple(phones[:MOST]), tuple(list(emails)[:MOST]), is_cut)


def _numbers(text: str, business: Business) -> list[FoundNumber]:
    # Imported here: 50 ms that a cold start need not pay.
    import phonenumbers

    numbers: dict[str, FoundNumber] = {}
    for match in phonenumbers.PhoneNumberMatcher(text, region_of(business)):
        number = phonenumbers.format_number(match.number, phonenumbers.PhoneNumberFormat.E164)
        numbers.setdefault(number, FoundNumber(number, match.raw_string))
        if len(numbers) > MOST:
            break
    return list(numbers.values())


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
