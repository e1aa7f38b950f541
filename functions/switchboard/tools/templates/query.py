"""Look something up as an owner's own tool says (seed 002, "Query")."""

from switchboard.contract.context import CallContext
from switchboard.contract.definitions.tenant_tool import BoundQuery
from switchboard.contract.json import JsonObject
from switchboard.contract.response import Result
from switchboard.desk import Desk


async def execute(ctx: CallContext, desk: Desk, *, bound: BoundQuery) -> Result:
    """Return what was found, and whether there is more of it.

    Args:
        ctx: The call.
        desk: Does the work.
        bound: Where, and what for.

    Raises:
        ToolError: See `TenantQueries.ask`.
    """
    answer = await desk.tenant_queries.ask(ctx, bound)
    data: JsonObject = {"results": list(answer.results), "hasMore": answer.has_more}
    return Result(data, empty=not answer.results)
