"""End a browser voice session (seed 003, `end_voice_session` and "Intent Types")."""

from switchboard.contract.context import CallContext
from switchboard.contract.response import Intent, IntentType, Result
from switchboard.desk import Desk


async def execute(ctx: CallContext, desk: Desk, *, reason: str | None = None, silent: bool = False) -> Result:
    """Return `{ended: true}` and ask the channel to end the session after the current turn.

    Args:
        ctx: The call.
        desk: Not needed: ending is the channel's to do.
        reason: Why, for the record.
        silent: Also ask the channel to make no further sound in this turn.
    """
    ending = Intent(IntentType.END_VOICE_SESSION, {"reason": reason or ""})
    # First the silence: what comes after the end may not be looked at any more.
    intents = (Intent(IntentType.SUPPRESS_AUDIO), ending) if silent else (ending,)
    return Result({"ended": True}, intents=intents)
