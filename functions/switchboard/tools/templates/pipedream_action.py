"""Run an action of a connected app as an owner's own tool says (seed 002, "Pipedream Action")."""

from switchboard.contract.context import CallContext
from switchboard.contract.definitions.tenant_tool import BoundAction
from switchboard.contract.json import JsonObject
from switchboard.contract.response import Result
from switchboard.desk import Desk
from switchboard.desk.bookings.date_text import iso


async def execute(ctx: CallContext, desk: Desk, *, bound: BoundAction) -> Result:
    """Return what the app says of what it did, or that the same wish had done it before.

    Args:
        ctx: The call.
        desk: Does the work.
        bound: Which action of which app, under which account, with which values.

    Raises:
        ToolError: See `AppActions.run`.
    """
    done = await desk.app_actions.run(ctx, bound)
    data: JsonObject = {"done": True, "summary": done.summary, "result": done.result, "repeated": done.repeated}
    receipt: JsonObject = {
        "what": "app action",
        "for": bound.app or bound.action_key,
        "when": iso(ctx.now, ctx.business.timezone),
        "effectIds": [done.id],
    }
    return Result(data, receipt=receipt)
