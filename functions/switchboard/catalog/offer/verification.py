"""Which tools of an offer do nothing for a caller who is not verified."""

from switchboard.catalog.offer.inclusion import Ground
from switchboard.contract.business.business import Business
from switchboard.contract.definitions.definition import Definition


def verification_needed(definition: Definition, business: Business | None) -> Ground | None:
    """Return that a call of a tool that is offered needs a verified caller; None where everybody may call it.

    What a conversation itself has made is its caller's at any level; such a tool says no to the rest itself.
    """
    is_opened = definition.opened_by is not None and business is not None and definition.opened_by in business.features
    # A business that verifies nobody has decided so, but what is for verified callers alone stays closed there.
    is_asked = business is None or business.caller_verification != "none" or definition.opened_by is not None
    if not definition.verified or is_opened or not is_asked:
        return None
    opening = f", unless the feature {definition.opened_by} is switched on" if definition.opened_by else ""
    but = ", but for what the conversation itself has made" if definition.callers_own else ""
    return Ground("session:verified", f"the caller has to be verified before it does anything{opening}{but}")
