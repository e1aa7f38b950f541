"""Send an e-mail (seed 001, "Example: Adding a New Tool")."""

from switchboard.contract.context import CallContext
from switchboard.contract.response import Proposal, Result
from switchboard.desk import Desk
from switchboard.desk.bookings.date_text import iso


async def propose(ctx: CallContext, desk: Desk, *, to: str, subject: str, body: str) -> Proposal:
    """Return whether this very e-mail was sent before.

    Args:
        ctx: The call.
        desk: Does the work.
        to: One address.
        subject: One line.
        body: Plain text.

    Raises:
        ToolError: VALIDATION, PERMANENT or TRANSIENT; see `Email.is_sent`.
    """
    return Proposal(is_done=await desk.mail.is_sent(ctx, to, subject, body))


async def execute(ctx: CallContext, desk: Desk, *, to: str, subject: str, body: str) -> Result:
    """Return that the mail server has accepted the e-mail, or that the same wish had sent it before.

    Args:
        ctx: The call.
        desk: Does the work.
        to: One address, read back to the caller and agreed to.
        subject: One line.
        body: Plain text.

    Raises:
        ToolError: VALIDATION, RATE_LIMIT, AUTH, PERMANENT or TRANSIENT; see `Email.send`.
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
