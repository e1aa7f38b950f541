"""Close what a portal link has opened, at a word on the phone."""

from switchboard.contract.context import CallContext
from switchboard.contract.json import JsonObject
from switchboard.contract.response import Result
from switchboard.desk import Desk
from switchboard.desk.bookings.date_text import iso


async def execute(ctx: CallContext, desk: Desk) -> Result:
    """Return `{closed}`: whether something was open that is not any more.

    Args:
        ctx: The phone call.
        desk: Does the work.

    Raises:
        ToolError: See `PortalLinks.end`.
    """
    if not await desk.portal_links.end(ctx):
        return Result({"closed": False})
    receipt: JsonObject = {
        "what": "portal page closed",
        "for": "",
        "when": iso(ctx.now, ctx.business.timezone),
        "effectIds": [ctx.facts.session_id],
    }
    return Result({"closed": True}, receipt=receipt)
