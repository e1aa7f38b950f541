"""Close what a portal link has opened, at a word on the phone."""

from switchboard.contract.context import CallContext
from switchboard.contract.response import Result
from switchboard.desk import Desk


async def execute(ctx: CallContext, desk: Desk) -> Result:
    """Return `{closed}`: whether something was open that is not any more.

    Args:
        ctx: The phone call.
        desk: Does the work.

    Raises:
        ToolError: See `PortalLinks.end`.
    """
    return Result({"closed": await desk.portal_links.end(ctx)})
