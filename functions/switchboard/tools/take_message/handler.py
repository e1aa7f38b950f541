"""Take a message for the business."""

from switchboard.contract.context import CallContext
from switchboard.contract.json import JsonObject
from switchboard.contract.response import Result
from switchboard.desk import Desk
from switchboard.desk.bookings.date_text import iso

# The business has the first one by then, and would read the same twice.
_ONLY_THIS = "call this once more saying only how to reach the caller, not the same again."
_COSTLY = (
    "Calling these numbers costs extra; the message says so to the business, which may not call them. Tell the caller, "
    f"and ask for an ordinary number. If there is one, {_ONLY_THIS}"
)

_UNANSWERABLE = f"Nobody can answer it: no number and no e-mail is known. Ask for one, and {_ONLY_THIS}"


async def execute(
    ctx: CallContext,
    desk: Desk,
    *,
    caller_name: str,
    message: str,
    callback_phone: str | None = None,
    callback_email: str | None = None,
    urgency: str = "normal",
) -> Result:
    """Return that the message was taken, or that the same wish had left it before.

    Args:
        ctx: The call; its trusted phone number is used where the caller names none.
        desk: Does the work.
        caller_name: Who leaves it.
        message: In the caller's words.
        callback_phone: Any spelling that can be dialled where the business is.
        callback_email: Where to write to, as the caller told it.
        urgency: `urgent` where it cannot wait; the business is told first.

    Raises:
        ToolError: VALIDATION or TRANSIENT; see `Messages.take`.
    """
    taken = await desk.messages.take(
        ctx, caller_name, message, callback_phone, callback_email=callback_email, is_urgent=urgency == "urgent"
    )
    data: JsonObject = {"taken": True, "messageId": taken.id, "repeated": taken.repeated}
    if taken.callback_phone:
        data["callbackPhone"] = taken.callback_phone
    if callback_email:
        data["callbackEmail"] = callback_email
    if not taken.callback_phone and not callback_email:
        data["note"] = _UNANSWERABLE
    if taken.costly:
        data["costsExtra"] = list(taken.costly)
        data["note"] = _COSTLY
    receipt = {
        "what": "message",
        "for": taken.caller_name,
        "when": iso(ctx.now, ctx.business.timezone),
        "effectIds": [taken.id],
    }
    return Result(data, receipt=receipt)
