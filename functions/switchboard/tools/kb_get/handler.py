"""Tell one entry of the knowledge base whole (seed 003, `kb_get`)."""

from typing import Literal

from switchboard.contract.context import CallContext
from switchboard.contract.response import Result
from switchboard.desk import Desk


async def execute(
    ctx: CallContext, desk: Desk, *, entity_id: str, kind: Literal["policy", "faq", "knowledge"] | None = None
) -> Result:
    """Return a policy, an FAQ or an article as the business wrote it.

    Args:
        ctx: The call.
        desk: Does the work.
        entity_id: Its id, as search results cite it.
        kind: Which of the three, for ids that several have.

    Raises:
        ToolError: NOT_FOUND, saying where ids come from; VALIDATION for an id that several kinds have; TRANSIENT when
            the store does not answer.
    """
    entry = await desk.knowledge.entry(ctx, entity_id, kind)
    return Result(
        {
            "id": entry.id,
            "kind": entry.kind,
            "title": entry.title,
            "text": entry.text,
            "source": entry.source,
            "updatedAt": entry.updated_at,
        }
    )
