"""Put the caller through to where an owner's own tool leads: a number, a person, or another agent (seed 002)."""

from switchboard.contract.context import CallContext
from switchboard.contract.definitions.tenant_tool import BoundTransfer
from switchboard.contract.json import JsonObject
from switchboard.contract.response import Intent, IntentType, Result
from switchboard.desk import Desk
from switchboard.desk.bookings.date_text import iso
from switchboard.desk.tenant_tools.transfers import transfer_payload, transfer_to


async def execute(ctx: CallContext, desk: Desk, *, bound: BoundTransfer) -> Result:
    """Return `{transferred: true}` and the intent that puts the call through; after it the model speaks no more.

    For another agent it is `{handedOver: true, agent}` and SWITCH_AGENT: the conversation goes on, with that agent.

    Args:
        ctx: The phone call, or for an agent any conversation.
        desk: Does the work.
        bound: To whom, and what the caller is told first: the payload's `message`, where there is one.

    Raises:
        ToolError: See `transfer_to` and `Handovers.hand_over`; nothing was transferred then.
    """
    if bound.agent_id:
        return await _handed_over(ctx, desk, bound)
    transfer = await transfer_to(ctx, desk.transfers, bound)
    to = transfer.destination
    label = bound.label or to.label
    data: JsonObject = {"transferred": True, "destination": label}
    payload = transfer_payload(transfer) | ({"message": bound.message} if bound.message else {})
    return Result(data, intents=(Intent(IntentType.TRANSFER_CALL, payload),), receipt=_receipt(ctx, label, to.id))


async def _handed_over(ctx: CallContext, desk: Desk, bound: BoundTransfer) -> Result:
    handover = await desk.handovers.hand_over(ctx, bound)
    data: JsonObject = {"handedOver": True, "agent": handover.name}
    intent = Intent(IntentType.SWITCH_AGENT, handover.to_payload())
    return Result(data, intents=(intent,), receipt=_receipt(ctx, handover.name, handover.agent.id))


def _receipt(ctx: CallContext, to: str, id: str) -> JsonObject:
    return {"what": "transfer", "for": to, "when": iso(ctx.now, ctx.business.timezone), "effectIds": [id]}
