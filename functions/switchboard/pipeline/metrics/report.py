"""What the meter shows as JSON: the four parts of seed 003's `/metrics` in its words, and more."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime

from switchboard.contract.json import JsonObject
from switchboard.pipeline.metrics.percentiles import Percentiles, percentiles
from switchboard.pipeline.metrics.sessions import SessionMeter
from switchboard.pipeline.metrics.token_estimate import tokens_of
from switchboard.pipeline.metrics.tools import ToolMetrics, ToolUse, by_tool


def snapshot(metrics: ToolMetrics, tools: Sequence[ToolUse], sessions: SessionMeter, now: datetime) -> JsonObject:
    """Return what is known of these tools and of all sessions; a tool stands only where it has been measured."""
    calls, errors, failures = metrics.calls.counts(), by_tool(metrics.errors), by_tool(metrics.failures)
    return {
        "responseSizes": _each(tools, lambda tool: _points(tool.sizes.percentiles())),
        "responseTokens": _each(tools, _response_tokens),
        "latencyMs": _each(tools, lambda tool: _points(tool.latencies.percentiles(), digits=1)),
        "calls": _each(tools, lambda tool: _calls(calls.get(tool.name, 0), errors.get(tool.name, {}))),
        "failures": _each(tools, lambda tool: dict(sorted(failures.get(tool.name, {}).items()))),
        "context": _context(sessions),
        "loopDetection": _loop_detection(by_tool(metrics.loops), tools, sessions),
        "sessions": _sessions(sessions, now),
    }


def _each(tools: Sequence[ToolUse], part: Callable[[ToolUse], JsonObject]) -> JsonObject:
    return {tool.name: values for tool in tools if (values := part(tool))}


def _points(points: Percentiles | None, digits: int | None = None) -> JsonObject:
    return {name: round(value, digits) for name, value in asdict(points).items()} if points else {}


def _response_tokens(tool: ToolUse) -> JsonObject:
    sizes = tool.sizes.percentiles()
    return {"avg": round(tool.average_tokens(), 1), "p95": tokens_of(sizes.p95)} if sizes else {}


def _calls(count: int, by_type: Mapping[str, int]) -> JsonObject:
    return {"count": count, "errors": dict(sorted(by_type.items()))}


def _context(sessions: SessionMeter) -> JsonObject:
    initial = sessions.latest_initial
    return {
        "sessionInitTokens": initial.tokens,
        "systemPromptTokens": initial.system_prompt_tokens,
        "toolDeclTokens": initial.declaration_tokens,
        "tools": initial.tools,
        "peakTokens": sessions.peak_tokens,
    }


def _loop_detection(
    loops: Mapping[str, Mapping[str, int]], tools: Sequence[ToolUse], sessions: SessionMeter
) -> JsonObject:
    counts = {tool.name: sum(loops[tool.name].values()) for tool in tools}
    return {
        "activeSessions": sessions.with_history,
        "totalTurnsTracked": sessions.turns_tracked,
        "detections": {tool: count for tool, count in counts.items() if count},
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
