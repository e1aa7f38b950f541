"""Phone numbers as callers say them, in the one spelling that everything else uses: E.164."""

import unicodedata

from switchboard.contract.business import Business
from switchboard.contract.error import ErrorType, ToolError


def to_e164(text: str, business: Business) -> str:
    """Return a phone number in E.164, read as it is dialled where the business is.

    Raises:
        ToolError: VALIDATION, naming an example, when it is no number that can be called, or has an extension.
    """
    # Imported here: 50 ms that a cold start need not pay.
    import phonenumbers
    from phonenumbers import PhoneNumberFormat

    region = _region(business)
    # Direction marks and the like are invisible, so that the number that is read is the number that is kept.
    visible = "".join(c for c in unicodedata.normalize("NFKC", text) if unicodedata.category(c) != "Cf")
    try:
        number = phonenumbers.parse(visible, region)
    except phonenumbers.NumberParseException:
        number = None
    if number is None or number.extension or not phonenumbers.is_valid_number(number):
        sample = phonenumbers.example_number(region or "US")
        example = phonenumbers.format_number(sample, PhoneNumberFormat.E164) if sample else "+12015550123"
        raise ToolError(
            ErrorType.VALIDATION,
            f"{text!r} is not a phone number that can be called. Ask for the whole number, without an extension, and "
            f"write it like {example}.",
        )
    return phonenumbers.format_number(number, PhoneNumberFormat.E164)


def _region(business: Business) -> str | None:
    import phonenumbers

    for own in (business.phone, business.twilio_number):
        try:
            region = phonenumbers.region_code_for_number(phonenumbers.parse(own))
        except phonenumbers.NumberParseException:
            continue
        if region and region != "001":
            return str(region)
    return None
