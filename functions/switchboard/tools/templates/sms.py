"""Send the text message of an owner's own tool (seed 002, "SMS")."""

from switchboard.contract.context import CallContext
from switchboard.contract.definitions.tenant_tool import BoundSms
from switchboard.contract.json import JsonObject
from switchboard.contract.response import Result
from switchboard.desk import Desk
from switchboard.desk.bookings.date_text import iso
from switchboard.desk.tenant_tools.sms import SmsDelivery, send_to_each


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
    receipt: JsonObject = {
        "what": "text message",
        "for": ", ".join(delivery.to for delivery in deliveries if delivery.receipt is not None),
        "when": iso(ctx.now, ctx.business.timezone),
        "effectIds": [delivery.receipt.id for delivery in deliveries if delivery.receipt is not None],
    }
    return Result(data, receipt=receipt)


def _shown(delivery: SmsDelivery) -> JsonObject:
    shown: JsonObject = {"to": delivery.to, "state": delivery.state}
    if delivery.receipt is not None:
        return shown | {"messageId": delivery.receipt.id, "repeated": delivery.receipt.repeated}
    return shown | {"problem": delivery.error.message if delivery.error is not None else ""}
