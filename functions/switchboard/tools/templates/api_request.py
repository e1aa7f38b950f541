"""Make the owner's HTTP request with what the model said (seed 002, "API Request")."""

from switchboard.contract.context import CallContext
from switchboard.contract.definitions.tenant_tool import BoundRequest
from switchboard.contract.json import JsonObject
from switchboard.contract.response import Result
from switchboard.desk import Desk
from switchboard.desk.bookings.date_text import iso
from switchboard.desk.tenant_tools.api_success import UNFINISHED


async def execute(ctx: CallContext, desk: Desk, *, bound: BoundRequest) -> Result:
    """Return the service's answer: `{status, result}`, with `shortened` where something was left out.

    A look-up that the service says no to is answered with its reason, as `problem`. An action that the service has
    only accepted says so (`accepted`, `message`), and leaves no receipt; one that it calls pending has both.

    Args:
        ctx: The call.
        desk: Does the work.
        bound: The request, as its owner and the model made it.

    Raises:
        ToolError: As the service's answer says; see `ApiRequests.send`.
    """
    answer = await desk.api_requests.send(ctx, bound)
    data: JsonObject = {"status": answer.status, "result": answer.result}
    if answer.is_cut:
        data["shortened"] = True
    if answer.problem:
        data["problem"] = f'The service says that it has no answer: "{answer.problem}"'
    if bound.method.upper() == "GET":
        return Result(data, empty=answer.is_empty)
    if answer.state:
        data |= {"accepted": True, "message": UNFINISHED[answer.state]}
    if answer.state == "accepted":
        # Nothing was done that anybody could say was.
        return Result(data)
    receipt = {"what": ctx.tool, "when": iso(ctx.now, ctx.business.timezone), "effectIds": [ctx.effect_key]}
    return Result(data, receipt=receipt)
