"""What the meter shows as JSON: the four parts of seed 003's `/metrics` in its words, and more."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import datetime

from switchboard.contract.json import JsonObject
from switchboard.pipeline.metrics.percentiles import Percentiles, percentiles
from switchboard.pipeline.metrics.sessions import SessionMeter
from switchboard.pipeline.metrics.token_estimate import tokens_of
from switchboard.pipeline.metrics.tools import ToolUse


def snapshot(tools: Sequence[ToolUse], sessions: SessionMeter, now: datetime) -> JsonObject:
    """Return what is known of these tools and of all sessions; a tool stands only where it has been measured."""
    return {
        "responseSizes": _each(tools, lambda tool: _points(tool.size())),
        "responseTokens": _each(tools, _response_tokens),
        "latencyMs": _each(tools, lambda tool: _points(tool.latency(), digits=1)),
        "calls": _each(tools, _calls),
        "failures": _each(tools, lambda tool: {type.value: n for type, n in sorted(tool.failures.items())}),
        "context": _context(sessions),
        "loopDetection": _loop_detection(tools, sessions),
        "sessions": _sessions(sessions, now),
    }


def _each(tools: Sequence[ToolUse], part: Callable[[ToolUse], JsonObject]) -> JsonObject:
    return {tool.name: found for tool in tools if (found := part(tool))}


def _points(found: Percentiles | None, digits: int | None = None) -> JsonObject:
    return {name: round(value, digits) for name, value in asdict(found).items()} if found else {}


def _response_tokens(tool: ToolUse) -> JsonObject:
    sizes = tool.size()
    return {"avg": round(tool.average_tokens(), 1), "p95": tokens_of(sizes.p95)} if sizes else {}


def _calls(tool: ToolUse) -> JsonObject:
    errors = {type.value: count for type, count in sorted(tool.errors.items())}
    return {"count": sum(tool.calls.values()), "errors": errors}


def _context(sessions: SessionMeter) -> JsonObject:
    initial = sessions.latest_initial
    return {
        "sessionInitTokens": initial.tokens,
        "systemPromptTokens": initial.system_prompt_tokens,
        "toolDeclTokens": initial.declaration_tokens,
        "tools": initial.tools,
        "peakTokens": sessions.peak_tokens,
    }


def _loop_detection(tools: Sequence[ToolUse], sessions: SessionMeter) -> JsonObject:
    return {
        "activeSessions": sessions.with_history,
        "totalTurnsTracked": sessions.turns_tracked,
        "detections": {tool.name: tool.loops for tool in tools if tool.loops},
    }


def _sessions(sessions: SessionMeter, now: datetime) -> JsonObject:
    known = [*sessions.ended.values(), *sessions.active.values()]
    return {
        "active": len(sessions.active),
        "opened": sessions.opened_count,
        "ended": sessions.ended_count,
        "calls": _distribution([use.calls for use in known]),
        "turns": _distribution([use.turns for use in known]),
        "durationMs": _distribution([use.duration_ms(now) for use in known]),
    }


def _distribution(values: Sequence[float]) -> JsonObject:
    return {"avg": round(sum(values) / len(values), 1), **_points(percentiles(values))} if values else {}
