"""Send the text message of an owner's own tool (seed 002, "SMS")."""

from switchboard.contract.context import CallContext
from switchboard.contract.definitions.tenant_tool import BoundSms
from switchboard.contract.json import JsonObject
from switchboard.contract.response import Result
from switchboard.desk import Desk
from switchboard.desk.bookings.date_text import iso
from switchboard.desk.tenant_tools.sms import SmsDelivery, send_to_each

UNTOLD = "a number that the business has set"


async def execute(ctx: CallContext, desk: Desk, *, bound: BoundSms) -> Result:
    """Return what became of the text to each of its recipients; `sent` only if every one of them was.

    Args:
        ctx: The call; the number that was called is the usual sender.
        desk: Does the work.
        bound: The text, from where and to whom.

    Raises:
        ToolError: See `send_to_each`; nothing was sent, or nobody knows.
    """
    deliveries = await send_to_each(ctx, desk.texts, bound)
    data: JsonObject = {
        "sent": all(delivery.state == "sent" for delivery in deliveries),
        "recipients": [_shown(delivery) for delivery in deliveries],
    }
    # A receipt is told in the conversation as well; under its ids the outbox has every number.
    told = [delivery.to for delivery in deliveries if delivery.receipt is not None and not delivery.is_untold]
    receipt: JsonObject = {
        "what": "text message",
        "for": ", ".join(told),
        "when": iso(ctx.now, ctx.business.timezone),
        "effectIds": [delivery.receipt.id for delivery in deliveries if delivery.receipt is not None],
    }
    return Result(data, receipt=receipt)


def _shown(delivery: SmsDelivery) -> JsonObject:
    # What an owner has fixed is told to no model, by what came of it neither (seed 002, "Security Notes").
    shown: JsonObject = {"to": UNTOLD if delivery.is_untold else delivery.to, "state": delivery.state}
    if delivery.receipt is not None:
        return shown | {"messageId": delivery.receipt.id, "repeated": delivery.receipt.repeated}
    return shown | {"problem": delivery.error.message if delivery.error is not None else ""}
