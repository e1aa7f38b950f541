"""Give a disrespectful caller no conversation for a while (seed 003, `ignore_user`)."""

from switchboard.contract.channel import Channel
from switchboard.contract.context import CallContext
from switchboard.contract.response import Intent, IntentType, Result
from switchboard.desk import Desk
from switchboard.desk.bookings.date_text import iso

# A chat has nothing to hang up: its channel asks before the next message whether anybody is to be answered.
_ENDINGS = {Channel.PHONE: IntentType.END_CALL, Channel.BROWSER_VOICE: IntentType.END_VOICE_SESSION}


async def execute(ctx: CallContext, desk: Desk, *, reason: str, duration_minutes: int = 60) -> Result:
    """Return until when the caller is ignored; after it the model speaks no more.

    Args:
        ctx: The call; the trusted number, the verified caller and the session say whom to ignore.
        desk: Does the work.
        reason: For the people at the business.
        duration_minutes: From now; five minutes to a week.

    Raises:
        ToolError: VALIDATION or TRANSIENT; see `Moderation.ignore`.
    """
    ignored = await desk.moderation.ignore(ctx, duration_minutes, reason)
    zone, ending = ctx.business.timezone, _ENDINGS.get(ctx.facts.channel)
    receipt = {
        "what": "block",
        "for": ctx.facts.caller_phone or "this conversation",
        "when": iso(ctx.now, zone),
        "effectIds": list(ignored.caller_ids),
    }
    return Result(
        {"ignored": True, "until": iso(ignored.until, zone), "ended": True},
        intents=(Intent(ending, {"reason": "ignored"}),) if ending else (),
        receipt=receipt,
    )
