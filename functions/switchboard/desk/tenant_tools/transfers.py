"""Transfers that owners have made tools of: to one number, or to one of the business's escalation rules (seed 002)."""

import re
from dataclasses import replace

from switchboard.contract.business.business import EscalationRule
from switchboard.contract.context import CallContext, PhoneContext
from switchboard.contract.definitions.tenant_tool import BoundTransfer
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.desk.escalation.transfers import Transfer, Transfers, destinations

_E164 = re.compile(r"\+[1-9]\d{6,14}")
_OWN_RULE = "number"
_NOWHERE = "This tool leads to nobody who could be put through to. The call was not transferred."


async def transfer_to(ctx: CallContext, transfers: Transfers, bound: BoundTransfer) -> Transfer:
    """Put the phone call of this context through to where the tool leads, and no other call to nowhere else.

    Raises:
        ToolError: PERMANENT, the number is not in E.164, cannot be dialled or leads back here, or the rule is gone;
            otherwise as `Transfers.transfer`. Nothing was transferred then.
    """
    if bound.number:
        return await transfers.transfer(_with_number(ctx, bound), _OWN_RULE)
    if not any(known.id == bound.rule_id for known in destinations(ctx.business, *_own(ctx))):
        raise ToolError(ErrorType.PERMANENT, _NOWHERE, detail=f"no rule {bound.rule_id!r} that can be dialled")
    return await transfers.transfer(ctx, bound.rule_id)


def transfer_payload(transfer: Transfer, reason: str = "") -> JsonObject:
    """Return what the channel needs to put the call through: the payload of TRANSFER_CALL."""
    to, fallback = transfer.destination, transfer.fallback
    return {
        "destinationId": to.id,
        "number": to.number,
        "fallback": fallback.id if fallback else "message",
        "fallbackNumber": fallback.number if fallback else None,
        "timeoutS": to.rings_s,
        "callerId": transfer.caller_phone,
        "reason": reason,
        "applied": transfer.applied,
    }


def _with_number(ctx: CallContext, bound: BoundTransfer) -> CallContext:
    """Return the context as if the number were the business's one rule: what holds for those holds for it."""
    # Without a name of its own, it is the business that is rung: the number is for the channel, not for the model.
    label = bound.label or ctx.business.name
    rule = EscalationRule("transfer", id=_OWN_RULE, label=label, data={"destination": bound.number})
    own = replace(ctx, business=replace(ctx.business, escalation_rules=(rule,)))
    if not _E164.fullmatch(bound.number) or not destinations(own.business, *_own(ctx)):
        raise ToolError(ErrorType.PERMANENT, _NOWHERE, detail=f"{bound.number!r} cannot be dialled")
    return own


def _own(ctx: CallContext) -> tuple[str | None, str | None]:
    """Return the numbers that would lead the caller back here, or to themselves."""
    called = ctx.facts.called_phone if isinstance(ctx.facts, PhoneContext) else None
    return called, ctx.facts.caller_phone
