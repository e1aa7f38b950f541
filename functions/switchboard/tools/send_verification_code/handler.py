"""Send a one-time code to the number on file (seed 004, `send_verification_code`)."""

from switchboard.contract.context import CallContext
from switchboard.contract.json import JsonObject
from switchboard.contract.response import Result
from switchboard.desk import Desk
from switchboard.desk.bookings.date_text import iso
from switchboard.desk.callers.one_time_codes import LASTS

_MATCH_FIRST = "No code was sent: the caller has not said who they are in this conversation. Verify the caller first."
_KNOWN = "No code was sent, and none is needed: the caller is verified. Go on with what they want."
_ON_ITS_WAY = (
    "Say: if that is right, a code has been sent to the number on file. Ask the caller to read it out once it is "
    "there. If none comes within a minute, send one more, and then say what can be had instead. Say also that numbers "
    "that have texted STOP get none until START is texted from them to this business, so that nobody waits in vain. "
    "Do not say or hint whether they are known."
)


async def execute(ctx: CallContext, desk: Desk) -> Result:
    """Return that a code is on its way, if there is anybody to send it to: which of the two is the same answer.

    The code itself goes to the caller's telephone and nowhere else.

    Args:
        ctx: The call; who was matched in its session decides where the code goes.
        desk: Does the work.

    Raises:
        ToolError: RATE_LIMIT, or texts cannot be sent; see `OneTimeCodes.send`. TRANSIENT; the store does not answer.
    """
    sent = await desk.codes.send(ctx)
    if not sent.is_asked_for:
        if await desk.verification.is_known(ctx):
            return Result({"sent": False, "next": None, "message": _KNOWN})
        return Result({"sent": False, "next": "verify_caller", "message": _MATCH_FIRST})
    data: JsonObject = {
        "sent": True,
        "next": "check_verification_code",
        "message": _ON_ITS_WAY,
        "expiresInMinutes": int(LASTS.total_seconds() // 60),
        "repeated": sent.repeated,
    }
    receipt = {
        "what": "verification code",
        "for": "the number on file",
        "when": iso(ctx.now, ctx.business.timezone),
        "effectIds": [],
    }
    return Result(data, receipt=receipt)
