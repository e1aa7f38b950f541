"""Search what the business has written down (seed 004, `search_knowledge`: always offered)."""

from switchboard.contract.context import CallContext
from switchboard.contract.response import Result
from switchboard.desk import Desk
from switchboard.desk.knowledge.knowledge import answer


async def execute(ctx: CallContext, desk: Desk, *, query: str, limit: int = 3) -> Result:
    """Return the passages that answer a question best, in the business's own words.

    Args:
        ctx: The call; its channel decides how long the texts may be.
        desk: Does the work.
        query: The caller's question, or its telling words.
        limit: The most results, 1 to 10.

    Raises:
        ToolError: TRANSIENT when the store does not answer and nothing was read before.
    """
    hits = await desk.knowledge.search(ctx, query, limit)
    return Result(answer(ctx, hits), empty=not hits)
