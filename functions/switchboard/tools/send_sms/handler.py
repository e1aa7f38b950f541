"""Send a text message from the business's number (seed 004, "Tool System")."""

from switchboard.contract.context import CallContext
from switchboard.contract.json import JsonObject
from switchboard.contract.response import Result
from switchboard.desk import Desk
from switchboard.desk.bookings.date_text import iso
from switchboard.desk.contact.recipients import recipient


async def execute(ctx: CallContext, desk: Desk, *, message: str, to: str | None = None) -> Result:
    """Return that the text was sent or waits to be, or that the same wish had sent it before.

    Args:
        ctx: The call; its trusted phone number is where the text goes.
        desk: Does the work.
        message: What it says.
        to: An escalation rule for messages by its id; or a number, where the business allows any.

    Raises:
        ToolError: See `recipient` and `Texts.send`.
    """
    goes_to = recipient(ctx, to)
    body = goes_to.introduced(ctx, message)
    sent = await desk.texts.send(ctx, goes_to.number, body, effect_key=ctx.effect_key, purpose=goes_to.purpose)
    data: JsonObject = {
        "sent": sent.state == "sent",
        "state": sent.state,
        "to": goes_to.label,
        "messageId": sent.id,
        "repeated": sent.repeated,
    }
    receipt: JsonObject = {
        "what": "text message",
        "for": goes_to.label,
        "when": iso(ctx.now, ctx.business.timezone),
        "effectIds": [sent.id],
    }
    return Result(data, receipt=receipt)
