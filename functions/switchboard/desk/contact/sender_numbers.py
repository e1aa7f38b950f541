"""Which of its own numbers a business texts from."""

from switchboard.contract.business.own_addresses import own_numbers
from switchboard.contract.context import CallContext, PhoneContext
from switchboard.contract.error import ErrorType, ToolError

_NOT_OURS = (
    "The number that this text should come from is not one of {name}'s own, so nothing was sent. Say what it would "
    "have told."
)


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
