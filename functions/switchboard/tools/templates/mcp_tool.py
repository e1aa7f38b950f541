"""Call a tool of a server that the owner has connected (Model Context Protocol)."""

from switchboard.contract.context import CallContext
from switchboard.contract.definitions.tenant_tool import BoundMcpCall
from switchboard.contract.json import JsonObject
from switchboard.contract.response import Result
from switchboard.desk import Desk
from switchboard.desk.bookings.date_text import iso
from switchboard.desk.tenant_tools.api_success import UNFINISHED


async def execute(ctx: CallContext, desk: Desk, *, bound: BoundMcpCall) -> Result:
    """Return the server's answer: `{result}`, with `shortened` where something was left out.

    An action that the server has only accepted says so (`accepted`, `message`), and leaves no receipt.

    Args:
        ctx: The call.
        desk: Does the work.
        bound: Which tool of which server, as its owner and the model made it.

    Raises:
        ToolError: See `McpTools.call`.
    """
    answer = await desk.mcp_tools.call(ctx, bound)
    data: JsonObject = {"result": answer.result}
    if answer.is_cut:
        data["shortened"] = True
    if bound.is_reading:
        return Result(data, empty=answer.is_empty)
    if answer.state:
        data |= {"accepted": True, "message": UNFINISHED[answer.state]}
    if answer.state == "accepted":
        # Nothing was done that anybody could say was.
        return Result(data)
    receipt = {"what": ctx.tool, "when": iso(ctx.now, ctx.business.timezone), "effectIds": [ctx.effect_key]}
    return Result(data, receipt=receipt)
