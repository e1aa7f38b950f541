"""Check a one-time code (seed 004, `check_verification_code`)."""

from switchboard.contract.context import CallContext
from switchboard.contract.response import Intent, IntentType, Result
from switchboard.desk import Desk
from switchboard.desk.bookings.date_text import iso
from switchboard.desk.callers.one_time_codes import DIGITS

_RIGHT = "The caller is verified. Go on with what they want."
# One sentence for wrong, late, used up, unknown and somebody else's: the difference would help whoever is guessing.
_NOT_RIGHT = (
    "That code is not right, or not valid any more. Ask the caller to read the latest code once more; if it is still "
    "not right, send a new one."
)


async def execute(ctx: CallContext, desk: Desk, *, code: str | int) -> Result:
    """Return whether the code was right; nothing tells why one was not.

    Args:
        ctx: The call; a code counts in the session that it was sent for only.
        desk: Does the work.
        code: As the caller said it; a number has lost its leading zeros.

    Raises:
        ToolError: VALIDATION for what is not six digits; TRANSIENT; see `OneTimeCodes.check`.
    """
    checked = await desk.codes.check(ctx, code if isinstance(code, str) else f"{int(code):0{DIGITS}}")
    if not checked.is_right:
        return Result(
            {"verified": False, "level": "code", "next": "send_verification_code", "message": _NOT_RIGHT},
        )
    intents: tuple[Intent, ...] = ()
    if checked.first_name:
        text = f"The caller is verified; the first name is {checked.first_name}."
        intents = (Intent(IntentType.INJECT_CONTEXT, {"text": text}),)
    receipt = {
        "what": "verification",
        "for": checked.first_name,
        "when": iso(ctx.now, ctx.business.timezone),
        "effectIds": [checked.caller_id],
    }
    return Result({"verified": True, "level": "code", "next": None, "message": _RIGHT}, intents, receipt)
