"""Send a one-time code to the number on file (seed 004, `send_verification_code`)."""

from switchboard.contract.context import CallContext
from switchboard.contract.json import JsonObject
from switchboard.contract.response import Result
from switchboard.desk import Desk
from switchboard.desk.one_time_codes import LASTS
from switchboard.desk.wording import iso

_MATCH_FIRST = "No code was sent: nobody in this conversation has been matched yet. Verify the caller first."
_NO_NUMBER = "No code was sent: there is no number on file that it could go to. Offer to take a message."
_ON_ITS_WAY = "A code is on its way to the number on file. Ask the caller to read it out once it is there."


async def execute(ctx: CallContext, desk: Desk) -> Result:
    """Return whether a code is on its way. The code itself goes to the caller's telephone and nowhere else.

    Args:
        ctx: The call; who was matched in its session decides where the code goes.
        desk: Does the work.

    Raises:
        ToolError: RATE_LIMIT, or as the text message failed; see `OneTimeCodes.send`.
    """
    sent = await desk.codes.send(ctx)
    if not sent.was_sent:
        message, following = (_NO_NUMBER, None) if sent.is_matched else (_MATCH_FIRST, "verify_caller")
        return Result({"sent": False, "next": following, "message": message})
    data: JsonObject = {
        "sent": True,
        "next": "check_verification_code",
        "message": _ON_ITS_WAY,
        "numberEnding": sent.number_ending,
        "expiresInMinutes": int(LASTS.total_seconds() // 60),
        "repeated": sent.repeated,
    }
    receipt = {
        "what": "verification code",
        "for": f"the number ending in {sent.number_ending}",
        "when": iso(ctx.now, ctx.business.timezone),
        "effectIds": [],
    }
    return Result(data, receipt=receipt)
