"""Put the phone call through to a person (seed 004, "Conditional Inclusion" and "Special Tool Behaviors")."""

from switchboard.contract.context import CallContext
from switchboard.contract.json import JsonObject
from switchboard.contract.response import Intent, IntentType, Result
from switchboard.desk import Desk
from switchboard.desk.bookings.date_text import iso


async def execute(ctx: CallContext, desk: Desk, *, destination: str | None = None, reason: str | None = None) -> Result:
    """Return `{transferred: true}` and the intent that puts the call through; after it the model speaks no more.

    Args:
        ctx: The phone call.
        desk: Does the work.
        destination: The id of an escalation rule; may be left out where there is only one.
        reason: Why, for whoever answers and for the record.

    Raises:
        ToolError: See `Transfers.transfer`; nothing was transferred then.
    """
    transfer = await desk.transfers.transfer(ctx, destination)
    to = transfer.destination
    payload: JsonObject = {
        "destinationId": to.id,
        "number": to.number,
        "fallback": transfer.fallback.id if transfer.fallback else "message",
        "fallbackNumber": transfer.fallback.number if transfer.fallback else None,
        "timeoutS": to.rings_s,
        "callerId": transfer.caller_phone,
        "reason": reason or "",
        "applied": transfer.applied,
    }
    receipt: JsonObject = {
        "what": "transfer",
        "for": to.label,
        "when": iso(ctx.now, ctx.business.timezone),
        "effectIds": [to.id],
    }
    data: JsonObject = {"transferred": True, "destination": to.label}
    return Result(data, intents=(Intent(IntentType.TRANSFER_CALL, payload),), receipt=receipt)
