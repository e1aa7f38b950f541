"""Tell the frequent questions on a topic and their answers (seed 000, `get_faqs`)."""

from switchboard.contract.context import CallContext
from switchboard.contract.json import JsonObject
from switchboard.contract.response import Result
from switchboard.desk import Desk


async def execute(ctx: CallContext, desk: Desk, *, topic: str | None = None) -> Result:
    """Return the FAQs on a topic, or the closest ones; if there is none, the topics there are.

    Args:
        ctx: The call.
        desk: Does the work.
        topic: A topic such as parking, any case.

    Raises:
        ToolError: VALIDATION without a topic, naming some; TRANSIENT when the store does not answer and nothing was
            read before.
    """
    answer = await desk.faqs.on(ctx, topic)
    data: JsonObject = {
        "faqs": [
            {"topic": f.labels[0], "question": f.title, "answer": f.text, "updatedAt": f.updated_at}
            for f in answer.entries
        ]
    }
    if not answer.is_exact:
        data["knownTopics"] = list(answer.known_topics)
    return Result(data, empty=not answer.entries)
