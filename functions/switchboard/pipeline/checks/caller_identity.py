"""Who is calling, as far as this conversation has established it: read when a tool asks, and only then.

The channel may vouch for a caller itself; otherwise the session's document does, which only the desk's verification
writes (seed 004, `verify_caller`).
"""

from dataclasses import replace
from datetime import datetime

from switchboard.catalog.offer.offer import Offer
from switchboard.contract.business.business import Business
from switchboard.contract.caller.caller_identity import Standing
from switchboard.contract.context import Context, ProvenNumber

CONDITION = "session:verified"


def asks_who_calls(name: str, facts: Context, offer: Offer) -> bool:
    """Tell whether a call depends on an identity that the channel has not established."""
    if facts.caller_verified:
        return False
    tool = offer.named(name)
    if tool is None:
        why = offer.why_not(name)
        return why is not None and why.condition == CONDITION
    return tool.tool.asks_who_calls


def with_standing(facts: Context, standing: Standing | None, business: Business | None, now: datetime) -> Context:
    """Return the facts of a call with a standing that is current, and enough for the business; else as they are."""
    if standing is None or business is None:
        return facts
    if not standing.counts(now, facts, business.caller_verification):
        return facts
    # Where to text this caller: on the phone the number of the call, which proves nothing; elsewhere the one on file.
    phone = facts.caller_phone or standing.phone
    verified_phone = ProvenNumber(standing.phone) if standing.phone else None
    return replace(
        facts,
        caller_verified=True,
        caller_id=standing.caller_id,
        caller_phone=phone,
        is_number_on_file=facts.shown_phone is None and phone is not None,
        verified_phone=verified_phone,
    )
