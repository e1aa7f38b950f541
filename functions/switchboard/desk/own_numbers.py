"""The phone numbers that a business sends from, by the ids that its tools know (seed 002, `phone_number_id`)."""

from collections.abc import Mapping

from switchboard.contract.business import Business
from switchboard.contract.context import CallContext, PhoneContext
from switchboard.contract.error import ErrorType, ToolError
from switchboard.desk.phone import INTEGRATION

_NOT_OURS = (
    "The number that this text should come from is not one of {name}'s own, so nothing was sent. Say what it would "
    "have told."
)


def own_numbers(business: Business) -> Mapping[str, str]:
    """Return the business's own numbers in E.164 by their ids.

    Its main number (`twilioNumber`), which is its own id, and those of `integrations.twilio.phoneNumbers`, rows of
    `{id, number}`, each by its id and as its own id.
    """
    connection = business.integrations.get(INTEGRATION)
    listed = connection.settings.get("phoneNumbers") if connection else None
    found = {business.twilio_number: business.twilio_number} if business.twilio_number else {}
    for row in listed if isinstance(listed, list) else []:
        number = row.get("number") if isinstance(row, Mapping) else None
        if isinstance(number, str) and number.startswith("+"):
            found |= {number: number, str(row.get("id") or number): number}
    return found


def sender_number(ctx: CallContext, sender_id: str) -> str:
    """Return the number that a text comes from, in E.164.

    Args:
        ctx: The call.
        sender_id: Of one of the business's own numbers; empty for the one that was called, or the main number where
            nothing was called.

    Raises:
        ToolError: PERMANENT, the business has no such number: nothing may be sent from it.
    """
    called = ctx.facts.called_phone if isinstance(ctx.facts, PhoneContext) else None
    wanted = sender_id or called or ctx.business.twilio_number
    found = own_numbers(ctx.business).get(wanted)
    if found is None:
        detail = f"{wanted!r} is none of the business's numbers" if wanted else "the business has no number"
        raise ToolError(ErrorType.PERMANENT, _NOT_OURS.format(name=ctx.business.name), detail=detail)
    return found
