"""What a trace says of a call: the span of a tool's execution, by OpenTelemetry's conventions for generative AI.

Tool, call, conversation, channel and the type of an error; never arguments, a result, or a message.
"""

from collections.abc import Awaitable
from typing import Final

from switchboard.contract.call import ToolCall
from switchboard.contract.context import Context
from switchboard.contract.observability.trace import SpanKind, SpanValue, may_be_shown, recorded, step
from switchboard.contract.response import ToolResponse
from switchboard.pipeline.metrics.call_metrics import shown_name

OPERATION: Final = "execute_tool"


async def traced(call: ToolCall, facts: Context, work: Awaitable[ToolResponse]) -> ToolResponse:
    """Return what the work returns, which is a step of the trace that it belongs to, if any is recorded."""
    parent = recorded()
    if parent is None:
        return await work
    name = shown_name(call)
    with step(parent, f"{OPERATION} {name}", SpanKind.INTERNAL, _fields(name, call, facts)) as span:
        response = await work
        failure = response.failure
        if failure is not None:
            known = shown_name(call, response)
            if known != name:
                span.rename(f"{OPERATION} {known}")
                span.note("gen_ai.tool.name", known)
            if failure.partial_side_effects:
                span.note("switchboard.outcome_unknown", True)
            span.end(failure.type.value)
        return response


def _fields(name: str, call: ToolCall, facts: Context) -> dict[str, SpanValue]:
    fields: dict[str, SpanValue] = {
        "gen_ai.operation.name": OPERATION,
        "gen_ai.tool.name": name,
        "gen_ai.tool.type": "function",
        "switchboard.business.id": facts.business_id,
        "switchboard.channel": facts.channel.value,
        "switchboard.turn": facts.turn,
    }
    if may_be_shown(call.call_id):
        fields["gen_ai.tool.call.id"] = call.call_id
    if may_be_shown(facts.session_id):
        fields["gen_ai.conversation.id"] = facts.session_id
    return fields
