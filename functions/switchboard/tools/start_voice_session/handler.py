"""Move a written conversation to speech (seed 003, `start_voice_session`)."""

from switchboard.contract.context import CallContext
from switchboard.contract.response import Intent, IntentType, Result
from switchboard.desk import Desk


async def execute(ctx: CallContext, desk: Desk, *, reason: str | None = None) -> Result:
    """Return `{started: true}` and ask the channel to open the microphone; the browser asks the caller once more.

    Args:
        ctx: The call.
        desk: Not needed: the microphone is the channel's to open.
        reason: Why, for the record.
    """
    return Result({"started": True}, intents=(Intent(IntentType.START_VOICE_SESSION, {"reason": reason or ""}),))
