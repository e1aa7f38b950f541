"""Send an e-mail (seed 001, "Example: Adding a New Tool")."""

from switchboard.contract.context import CallContext
from switchboard.contract.response import Result
from switchboard.desk import Desk
from switchboard.desk.wording import iso


async def execute(ctx: CallContext, desk: Desk, *, to: str, subject: str, body: str) -> Result:
    """Return that the mail server has accepted the e-mail, or that the same wish had sent it before.

    Args:
        ctx: The call.
        desk: Does the work.
        to: One address, read back to the caller and agreed to.
        subject: One line.
        body: Plain text.

    Raises:
        ToolError: VALIDATION, RATE_LIMIT, AUTH, PERMANENT or TRANSIENT; see `Mail.send`.
    """
    mail = await desk.mail.send(ctx, to, subject, body)
    receipt = {
        "what": "email",
        "for": mail.to,
        "when": iso(ctx.now, ctx.business.timezone),
        "effectIds": [mail.id],
    }
    data = {"sent": True, "emailId": mail.id, "to": mail.to, "subject": mail.subject, "repeated": mail.repeated}
    return Result(data, receipt=receipt)
