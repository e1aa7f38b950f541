"""Search what the business has written down (seed 004, `search_knowledge`: always offered)."""

from switchboard.contract.context import CallContext
from switchboard.contract.json import JsonObject
from switchboard.contract.policy import CHANNEL_POLICY
from switchboard.contract.response import Result
from switchboard.desk import Desk
from switchboard.desk.passage_index import Hit

# What a result takes beside its text: id, title, source and the JSON around them.
_AROUND = 160
_SHORTEST, _LONGEST = 160, 1_500


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
    room = CHANNEL_POLICY[ctx.facts.channel].result_characters // max(len(hits), 1) - _AROUND
    size = min(max(room, _SHORTEST), _LONGEST)
    return Result({"results": [_result(hit, size) for hit in hits]}, empty=not hits)


def _result(hit: Hit, size: int) -> JsonObject:
    passage = hit.passage
    return {
        "id": passage.id,
        "kind": passage.kind,
        "title": passage.title,
        "text": _shortened(passage.text, size),
        "source": passage.source,
        "score": hit.score,
    }


def _shortened(text: str, size: int) -> str:
    if len(text) <= size:
        return text
    end = text.rfind(" ", 0, size)
    return text[: end if end > 0 else size] + " …"
