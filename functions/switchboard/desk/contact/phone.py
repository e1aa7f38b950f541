"""Phone numbers in the one spelling that everything else uses, E.164, and which of them may be texted or dialled.

One caller is one caller in any spelling, and what costs by the minute,
leads into space or calls the fire brigade is dialled for nobody.
"""

import re
from typing import TYPE_CHECKING, Literal, TypeAlias

from switchboard.contract.business.business import Business
from switchboard.contract.business.names import visible_text
from switchboard.contract.business.own_addresses import own_numbers
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.telephony import BAD_NUMBER, TELL_INSTEAD
from switchboard.desk.contact.home_country import NOWHERE, home_country

if TYPE_CHECKING:
    from phonenumbers import PhoneNumber

Purpose: TypeAlias = Literal["text", "transfer"]
"""What a number is wanted for: to be sent a text message, or to be put through to."""

INTEGRATION = "twilio"

# What carriers signal for a caller whose number is withheld: letters on a telephone's keypad (ANONYMOUS, RESTRICTED,
# BLOCKED, UNKNOWN, UNAVAILABLE). No real number is among them.
_WITHHELD = frozenset({"266696687", "7378742833", "2562533", "8566", "8656696", "86282452253"})
_TEXTED = ("MOBILE", "FIXED_LINE_OR_MOBILE", "VOIP")
_PUT_THROUGH = (*_TEXTED, "FIXED_LINE", "TOLL_FREE")
_KINDS: dict[Purpose, tuple[str, ...]] = {"text": _TEXTED, "transfer": _PUT_THROUGH}
_DONE: dict[Purpose, str] = {"text": "be sent a text message", "transfer": "be put through to"}
# Mostly it is the number that the call comes from, which nobody can choose.
_INSTEAD: dict[Purpose, str] = {
    "text": f"It is no mobile number. {TELL_INSTEAD}",
    "transfer": "Ask for an ordinary phone number.",
}
_COSTLY = frozenset({"PREMIUM_RATE", "SHARED_COST", "PERSONAL_NUMBER"})
_MOST_READ = 4_000
# What one query of the store can ask for, the number itself beside them: as it is kept first, and as a further one.
_MOST_SPELLINGS = 28
# No number that can be dialled from another telephone has fewer; most texts have none at all.
_FEWEST_DIGITS = 5
# An address in some network, or a number with parameters: `phone-context` would have its digits put before the others.
_NO_PLAIN_NUMBER = re.compile(r"\s*(?!tel:)(?:[a-z][a-z0-9+.-]*:(?=\S)|whatsapp\b)|[^;]*;", re.IGNORECASE)


def to_e164(text: str, business: Business) -> str:
    """Return a phone number in E.164, read as it is dialled where the business is.

    Raises:
        ToolError: VALIDATION, naming an example, when it is no number that can be called, or has an extension.
    """
    # Imported here and below: 50 ms that a cold start need not pay.
    import phonenumbers

    return phonenumbers.format_number(_parsed(text, business), phonenumbers.PhoneNumberFormat.E164)


def caller_number(text: str | None) -> str | None:
    """Return the caller's number in E.164 as the phone network signalled it, or None where it did not tell one.

    Withheld numbers, `client:` and `sip:` addresses and what cannot be a number are nobody's. Whether the number is in
    use is not asked: new ranges are opened faster than the tables here are renewed.
    """
    import phonenumbers

    # Direction marks and the like are invisible, so that the number that is read is the number that is kept.
    visible = visible_text(text or "").strip()
    if not visible or is_withheld(visible) or any(c.isalpha() or c == ";" for c in visible):
        return None
    try:
        number = phonenumbers.parse(visible)
    except phonenumbers.NumberParseException:
        return None
    if number.extension or not phonenumbers.is_possible_number(number):
        return None
    return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)


def is_withheld(text: str) -> bool:
    """Tell whether a text is what carriers signal in digits for a caller whose number is withheld."""
    return text.lstrip("+") in _WITHHELD


def number_on_file(text: str, region: str | None) -> str | None:
    """Return a number in E.164 that somebody typed into a record, or None where it cannot be told which it is.

    With + or 00 it is read with its own country, without as it is dialled in `region`; None there leaves it unread,
    since it could be another person's number. Blanks, brackets, dashes and a `(0)` may stand in it.
    """
    import phonenumbers

    visible = visible_text(text).strip().lstrip("( ")
    if visible.startswith("00"):
        visible = "+" + visible[2:].lstrip(") -")
    if visible.startswith("+") or region is None:
        return caller_number(visible)
    try:
        number = phonenumbers.parse(visible, region)
    except phonenumbers.NumberParseException:
        return None
    if number.extension or any(c.isalpha() or c == ";" for c in visible) or not phonenumbers.is_valid_number(number):
        return None
    return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)


def spellings(number: str) -> list[str]:
    """Return how an E.164 number may stand in a record that somebody typed in, the likeliest first.

    Without its country it means another number elsewhere: what is found by one of these is read again where it stands.
    """
    import phonenumbers
    from phonenumbers import PhoneNumberFormat

    parsed = phonenumbers.parse(number)
    country, international, national = (
        str(parsed.country_code),
        phonenumbers.format_number(parsed, PhoneNumberFormat.INTERNATIONAL),
        phonenumbers.format_number(parsed, PhoneNumberFormat.NATIONAL),
    )
    rest = international.partition(" ")[2]
    digits, home = "".join(filter(str.isdigit, rest)), "".join(filter(str.isdigit, national))
    texts = [number, international, national, home, rest, digits, f"00{number[1:]}", f"00{international[1:]}"]
    texts += [text.replace("-", " ") for text in (international, rest, national, f"00{international[1:]}")]
    texts += [text.replace(" ", "-") for text in (international, rest, national.replace(") ", ")-"))]
    texts += [f"+{country} {national}", f"+{country}{digits}", f"+{country} {digits}", f"+{country}-{rest}"]
    texts += [f"+{country} (0){rest}", f"+{country} (0) {rest}", f"+{country}(0){digits}", f"+{country} (0){digits}"]
    texts += [f"{country}{digits}", f"{country}-{rest}", f"{country} {rest}", f"00{country} {digits}"]
    texts.append(rest.replace("-", "."))
    return list(dict.fromkeys(texts))[:_MOST_SPELLINGS]


def region_of_number(number: str) -> str | None:
    """Return the ISO code of the country that an E.164 number belongs to; None where it belongs to none."""
    import phonenumbers

    try:
        return phonenumbers.region_code_for_number(phonenumbers.parse(number))
    except phonenumbers.NumberParseException:
        return None


def dialable(text: str, business: Business, purpose: Purpose) -> str:
    """Return a number in E.164 that may be used for a purpose.

    Texts go to mobile numbers, and to those that may be one, in the business's own country and those of its setting
    `integrations.twilio.countries`. Calls are put through to those, fixed lines and freephone, in any country, since
    only owners choose where to. Neither goes to premium, shared-cost and personal numbers, satellites, pagers, short
    and emergency numbers, extensions, or to the business's own numbers for tools, which would answer themselves.

    Raises:
        ToolError: VALIDATION; the message says what would work.
    """
    import phonenumbers
    from phonenumbers import PhoneNumberType

    number = _parsed(text, business)
    region = phonenumbers.region_code_for_number(number)
    kind = PhoneNumberType.to_string(phonenumbers.number_type(number))
    e164 = str(phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164))
    if region in (None, NOWHERE) or kind not in _KINDS[purpose] or e164 in own_numbers(business).values():
        raise ToolError(ErrorType.VALIDATION, f"{e164} cannot {_DONE[purpose]}. {_INSTEAD[purpose]}")
    allowed = text_countries(business)
    if purpose == "text" and not _is_of(number, allowed):
        countries = " and ".join(sorted(allowed)) or "no country"
        raise ToolError(
            ErrorType.VALIDATION,
            f"{e164} is in {region}, and {business.name} sends text messages to numbers in {countries} only. "
            f"{TELL_INSTEAD}",
            meta={"reason": "country"},
        )
    return e164


_TO_NOBODY = "in a range of numbers that is given to nobody"


def may_be_number(text: str) -> bool:
    """Tell whether a text has the digits of a number that can be dialled from another telephone."""
    return sum(map(str.isdigit, text)) >= _FEWEST_DIGITS


def costly_numbers(text: str, business: Business) -> list[str]:
    """Return the numbers in a text, E.164, that cost whoever calls them more than an ordinary call, each once.

    Read as they are dialled where the business is, or with their country: premium, shared-cost and personal numbers.
    """
    if not may_be_number(text):
        return []
    import phonenumbers
    from phonenumbers import PhoneNumberType

    costly = []
    for match in phonenumbers.PhoneNumberMatcher(visible_text(text)[:_MOST_READ], region_of(business)):
        if PhoneNumberType.to_string(phonenumbers.number_type(match.number)) in _COSTLY:
            costly.append(phonenumbers.format_number(match.number, phonenumbers.PhoneNumberFormat.E164))
    return list(dict.fromkeys(costly))


def text_countries(business: Business) -> frozenset[str]:
    """Return the ISO codes of the countries that a business texts to: its own, and those it has allowed."""
    connection = business.integrations.get(INTEGRATION)
    listed = connection.settings.get("countries") if connection else None
    codes = {str(code).strip().upper() for code in listed} if isinstance(listed, list | tuple) else set()
    # By its numbers alone: what a text costs does not hang on how an address is read.
    own = home_country((business.phone, business.twilio_number))
    return frozenset(codes | {own} if own else codes)


def is_short(text: str, business: Business) -> bool:
    """Tell whether a number, as somebody has written it, is a short one: an emergency call, a service, a text code."""
    visible = visible_text(text)
    digits = "".join(filter(str.isdecimal, visible))
    if any(character.isalpha() for character in visible):
        return False
    if len(digits) < _FEWEST_DIGITS or "+" in visible:
        return len(digits) < _FEWEST_DIGITS
    region = region_of(business)
    if region is None:
        return False
    import phonenumbers

    try:
        number = phonenumbers.parse(digits, region)
    except phonenumbers.NumberParseException:
        return False
    return bool(phonenumbers.is_valid_short_number_for_region(number, region))


def _parsed(text: str, business: Business) -> "PhoneNumber":
    import phonenumbers

    region, visible = region_of(business), visible_text(text)
    try:
        number = None if _NO_PLAIN_NUMBER.match(visible) else phonenumbers.parse(visible, region)
    except phonenumbers.NumberParseException:
        number = None
    if number is None or number.extension or not phonenumbers.is_valid_number(number):
        sample = phonenumbers.example_number(region or "US")
        form = phonenumbers.PhoneNumberFormat.E164
        example = phonenumbers.format_number(sample, form) if sample else "+12015550123"
        if is_given_to_nobody(text, business):
            raise ToolError(ErrorType.VALIDATION, f"{text!r} is whole, and {_TO_NOBODY}. Ask for it again.")
        raise ToolError(
            ErrorType.VALIDATION,
            f"{text!r} is not a phone number that can be called. Ask for the whole number with its country code, "
            f"without an extension, and write it like {example}.",
            meta={"reason": BAD_NUMBER},
        )
    return number


def is_given_to_nobody(text: str, business: Business) -> bool:
    """Tell whether a number is as long as one is, but in a range that is given to nobody, as examples in films are."""
    import phonenumbers

    visible = visible_text(text)
    try:
        number = None if _NO_PLAIN_NUMBER.match(visible) else phonenumbers.parse(visible, region_of(business))
    except phonenumbers.NumberParseException:
        return False
    if number is None or number.extension:
        return False
    # Of the same length: one that lacks its area code is not whole.
    is_whole = phonenumbers.is_possible_number_with_reason(number) == phonenumbers.ValidationResult.IS_POSSIBLE
    return is_whole and not phonenumbers.is_valid_number(number)


def _is_of(number: "PhoneNumber", countries: frozenset[str]) -> bool:
    """Tell whether a number can be one of some countries': small ones share their mobile numbers with a neighbour.

    Those of Åland are numbered as Finland's are, the Vatican's as Italy's, and the library names the larger country.
    """
    import phonenumbers

    # Only those are asked about: twenty-five share the code of the United States, each with rules of its own.
    sharing = countries.intersection(phonenumbers.region_codes_for_country_code(number.country_code or 0))
    return any(phonenumbers.is_valid_number_for_region(number, region) for region in sharing)


def region_of(business: Business) -> str | None:
    """Return the ISO code of the country a business is in; None where neither its numbers, address nor zone tell."""
    zone = "" if business.zone_problem else business.timezone.key
    return home_country((business.phone, business.twilio_number), business.address, zone)
