"""What is measured of every call, and the one line that the log holds of it."""

import logging
import time
from functools import lru_cache

from switchboard.contract.call import ToolCall
from switchboard.contract.context import Context
from switchboard.contract.definitions.definition import TOOL_NAME, Kind
from switchboard.contract.error import ErrorType
from switchboard.contract.observability.trace import shown_id
from switchboard.contract.response import Failure, ToolResponse
from switchboard.pipeline.metrics.meter import OTHER, Meter
from switchboard.pipeline.metrics.token_estimate import characters_in

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
    """Let the meter record a call, and the log; the meter none of an owner who tries a tool.

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
    failure = response.failure
    type = failure.type if failure is not None else None
    size = characters_in(response.data) if characters is None else characters
    elapsed_ms = round((time.monotonic() - started) * 1000, 1)
    if log.isEnabledFor(logging.INFO):
        # Seed 000, "Observability": name, latency, result size, failure reason; no words of anybody's.
        fields: dict[str, object] = {
            "tool": shown_name(call, response),
            "business": facts.business_id,
            "session": shown_id(facts.session_id),
            "channel": facts.channel.value,
            "turn": facts.turn,
            "latencyMs": elapsed_ms,
            "characters": size,
            "outcome": _outcome(failure),
        }
        fields |= ({"reason": type.value} if type is not None else {}) | ({"trial": True} if facts.is_trial else {})
        log.info("tool call", extra=fields)
    if facts.is_trial:
        return
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
        outcome_unknown=failure is not None and failure.partial_side_effects,
        was_refused=failure is not None and failure.was_refused,
        was_cut="turnUsedUp" in response.meta,
    )


def _outcome(failure: Failure | None) -> str:
    if failure is None:
        return "done"
    if failure.partial_side_effects:
        return "unknown"
    if failure.was_refused:
        return "refused"
    return "failed" if failure.is_failure else "answered"


def shown_name(call: ToolCall, response: ToolResponse | None = None) -> str:
    """Return the name of a call's tool for logs and traces: `_other` where it can be seen that there is none.

    In a name that a model made up may stand anything, a person's name or number too.
    """
    is_unknown = response is not None and "callable" in response.meta
    return OTHER if is_unknown or not _may_be_a_tools(call.name) else call.name


@lru_cache(maxsize=1_000)
def _may_be_a_tools(name: str) -> bool:
    return TOOL_NAME.fullmatch(name) is not None
