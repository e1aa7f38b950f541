"""Tell the business's policy on a topic (seed 000, `get_policies`)."""

from switchboard.contract.context import CallContext
from switchboard.contract.json import JsonObject
from switchboard.contract.response import Result
from switchboard.desk import Desk


async def execute(ctx: CallContext, desk: Desk, *, topic: str | None = None) -> Result:
    """Return the policies on a topic, or the closest ones; if there is none, the topics there are.

    Args:
        ctx: The call.
        desk: Does the work.
        topic: A topic such as cancellation, any case.

    Raises:
        ToolError: VALIDATION without a topic, naming some; TRANSIENT when the store does not answer and nothing was
            read before.
    """
    answer = await desk.policies.on(ctx, topic)
    data: JsonObject = {
        "policies": [{"topic": p.title, "content": p.text, "updatedAt": p.updated_at} for p in answer.entries]
    }
    if not answer.is_exact:
        data["knownTopics"] = list(answer.known_topics)
    return Result(data, empty=not answer.entries)
