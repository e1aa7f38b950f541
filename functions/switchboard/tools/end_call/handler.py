"""End the phone call (seed 004, "Special Tool Behaviors")."""

from switchboard.contract.context import CallContext
from switchboard.contract.response import Intent, IntentType, Result
from switchboard.desk import Desk


async def execute(ctx: CallContext, desk: Desk, *, reason: str | None = None) -> Result:
    """Return `{ended: true}` and ask the channel to hang up; after it the model speaks no more.

    Args:
        ctx: The call.
        desk: Not needed: hanging up is the channel's to do.
        reason: Why, for the record.
    """
    return Result({"ended": True}, intents=(Intent(IntentType.END_CALL, {"reason": reason or ""}),))
