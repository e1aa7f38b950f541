"""When the number of a call says who is calling: never by itself.

A caller has any number shown. It is an identity only where the carrier vouches for it
in full and the business has agreed to rely on that, or where a code that was sent to it has come back.
"""

from typing import Final

from switchboard.contract.business.business import Business
from switchboard.contract.context import Context, PhoneContext, ProvenNumber

# Of the carriers' verdicts the only one that says: this customer, and this number is theirs.
VOUCHED_FOR: Final = "TN-Validation-Passed-A"


def vouched_number(facts: Context) -> ProvenNumber | None:
    """Return the number of a phone call whose carrier vouches for it in full; None of every other conversation."""
    if not isinstance(facts, PhoneContext) or facts.attestation != VOUCHED_FOR or not facts.caller_phone:
        return None
    return ProvenNumber(facts.caller_phone)


def attested_number(facts: Context, business: Business | None) -> ProvenNumber | None:
    """Return the number of a phone call, where the carrier vouches for it in full and the business relies on that."""
    return vouched_number(facts) if business is not None and business.trust_caller_id else None


def proven_number(facts: Context, business: Business | None) -> ProvenNumber | None:
    """Return the number by which the caller is known, None where none is proven as far as the business asks for it.

    Of a verified caller that is the number on file, whatever the call shows. Anybody else is known by the number that
    the carrier vouches for, unless the business asks for a code as well.
    """
    if facts.caller_verified:
        return facts.verified_phone
    asks_for_code = business is not None and business.caller_verification == "code"
    return None if asks_for_code else attested_number(facts, business)
