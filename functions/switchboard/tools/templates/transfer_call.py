"""Put the phone call through to where an owner's own tool leads (seed 002, "Transfer Call")."""

from switchboard.contract.context import CallContext
from switchboard.contract.intent import Intent, IntentType
from switchboard.contract.json import JsonObject
from switchboard.contract.response import Result
from switchboard.contract.tenant_tool import BoundTransfer
from switchboard.desk import Desk
from switchboard.desk.tenant_transfers import transfer_payload, transfer_to
from switchboard.desk.wording import iso


async def execute(ctx: CallContext, desk: Desk, *, bound: BoundTransfer) -> Result:
    """Return `{transferred: true}` and the intent that puts the call through; after it the model speaks no more.

    Args:
        ctx: The phone call.
        desk: Does the work.
        bound: To whom, and what the caller is told first: the payload's `message`, where there is one.

    Raises:
        ToolError: See `transfer_to`; nothing was transferred then.
    """
    transfer = await transfer_to(ctx, desk.transfers, bound)
    to = transfer.destination
    label = bound.label or to.label
    receipt: JsonObject = {
        "what": "transfer",
        "for": label,
        "when": iso(ctx.now, ctx.business.timezone),
        "effectIds": [to.id],
    }
    data: JsonObject = {"transferred": True, "destination": label}
    payload = transfer_payload(transfer) | ({"message": bound.message} if bound.message else {})
    return Result(data, intents=(Intent(IntentType.TRANSFER_CALL, payload),), receipt=receipt)
