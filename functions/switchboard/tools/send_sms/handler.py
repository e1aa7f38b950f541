"""Send a text message from the business's number (seed 004, "Tool System")."""

from switchboard.contract.business.languages import language_of
from switchboard.contract.context import CallContext
from switchboard.contract.error import TELLS, Refused, Tells, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.response import Result
from switchboard.desk import Desk
from switchboard.desk.bookings.date_text import iso
from switchboard.desk.contact.recipients import recipient

# In place of the schema's `failed`, which offers to say what the text would have said: this one was for others.
_NOT_PASSED_ON = {
    "en": "I'm sorry, I could not pass that on just now.",
    "de": "Es tut mir leid, ich konnte das gerade nicht weitergeben.",
    "es": "Lo siento, ahora mismo no he podido transmitirlo.",
    "fr": "Désolé, je n'ai pas pu le transmettre à l'instant.",
    "it": "Mi dispiace, in questo momento non sono riuscito a trasmetterlo.",
    "pt": "Lamento, neste momento não consegui transmitir isso.",
    "nl": "Het spijt me, ik kon dat zojuist niet doorgeven.",
}


async def execute(ctx: CallContext, desk: Desk, *, message: str, to: str | None = None) -> Result:
    """Return that the text was sent or waits to be, or that the same wish had sent it before.

    Args:
        ctx: The call; its trusted phone number is where the text goes.
        desk: Does the work.
        message: What it says.
        to: An escalation rule for messages by its id; or a number, where the business allows any.

    Raises:
        ToolError: See `recipient` and `Texts.send`.
    """
    goes_to = recipient(ctx, to)
    body = goes_to.introduced(ctx, message)
    try:
        sent = await desk.texts.send(ctx, goes_to.number, body, effect_key=ctx.effect_key, purpose=goes_to.purpose)
    except ToolError as error:
        is_heard = TELLS[error.type] is not Tells.ANSWER and not error.partial_side_effects
        if goes_to.purpose == "message" and is_heard and not isinstance(error, Refused):
            error.say = error.say or _NOT_PASSED_ON.get(language_of(ctx.language), _NOT_PASSED_ON["en"])
        raise
    data: JsonObject = {
        "sent": sent.state == "sent",
        "state": sent.state,
        "to": goes_to.label,
        "messageId": sent.id,
        "repeated": sent.repeated,
    }
    receipt: JsonObject = {
        "what": "text message",
        "for": goes_to.label,
        "when": iso(ctx.now, ctx.business.timezone),
        "effectIds": [sent.id],
    }
    return Result(data, receipt=receipt)
