"""Flag a caller and end the phone call (seed 004, "Special Tool Behaviors": `flag_caller`)."""

from switchboard.contract.context import CallContext
from switchboard.contract.response import Intent, IntentType, Result
from switchboard.desk import Desk
from switchboard.desk.bookings.date_text import iso


async def execute(ctx: CallContext, desk: Desk, *, reason: str) -> Result:
    """Return that the caller is flagged and the call ends; after it the model speaks no more.

    Args:
        ctx: The call; its trusted number says whom to flag.
        desk: Does the work.
        reason: For the people at the business.

    Raises:
        ToolError: VALIDATION or TRANSIENT; see `Moderation.flag`.
    """
    flagged = await desk.moderation.flag(ctx, reason)
    receipt = {
        "what": "flag",
        "for": ctx.facts.caller_phone or "a withheld number",
        "when": iso(ctx.now, ctx.business.timezone),
        "effectIds": list(flagged.caller_ids),
    }
    return Result(
        {"flagged": bool(flagged.caller_ids), "ended": flagged.is_ending},
        intents=(Intent(IntentType.END_CALL, {"reason": "flagged"}),),
        receipt=receipt if flagged.caller_ids else None,
    )
