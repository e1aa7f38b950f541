"""What is measured of every call, and the one line that the log holds of it."""

import logging
import time

from switchboard.contract.call import ToolCall
from switchboard.contract.context import Context
from switchboard.contract.definition import TOOL_NAME, Kind
from switchboard.contract.error import ErrorType
from switchboard.contract.response import ToolResponse
from switchboard.pipeline.meter import OTHER, Meter
from switchboard.pipeline.token_estimate import characters_in

log = logging.getLogger(__name__)


def measure(
    meter: Meter,
    call: ToolCall,
    facts: Context,
    kind: Kind,
    response: ToolResponse,
    started: float,
    *,
    ran: bool,
    characters: int | None = None,
) -> None:
    """Let the meter record a call, and the log.

    Args:
        meter: The process's own.
        call: As the dialect parsed it.
        facts: What the channel knows.
        kind: The tool's.
        response: What was answered.
        started: When it began, on the monotonic clock.
        ran: Whether its handler was started.
        characters: The size of its result, where that is not the size of what was answered: a tool that always has
            to be shortened should be noticed.
    """
    type = response.failure.type if response.failure else None
    size = characters_in(response.data) if characters is None else characters
    elapsed_ms = round((time.monotonic() - started) * 1000, 1)
    if log.isEnabledFor(logging.INFO):
        # Seed 000, "Observability": name, latency, result size, failure reason; no words of anybody's.
        fields = {
            "tool": shown_name(call, response),
            "latencyMs": elapsed_ms,
            "characters": size,
            "channel": facts.channel.value,
        }
        log.info("tool call", extra=fields | ({"reason": type.value} if type is not None else {}))
    meter.record(
        call.name,
        kind=kind,
        channel=facts.channel,
        session=(facts.business_id, facts.session_id),
        turn=facts.turn,
        ok=type is None,
        error_type=type,
        elapsed_ms=elapsed_ms,
        characters=size,
        ran=ran,
        loop_detected=type is ErrorType.LOOP_DETECTED,
        outcome_unknown=response.failure is not None and response.failure.partial_side_effects,
    )


def shown_name(call: ToolCall, response: ToolResponse | None = None) -> str:
    """Return the name of a call's tool for logs and traces: `_other` where it can be seen that there is none.

    In a name that a model made up may stand anything, a person's name or number too.
    """
    is_unknown = response is not None and "callable" in response.meta
    return OTHER if is_unknown or not TOOL_NAME.fullmatch(call.name) else call.name
