"""What the meter shows to monitoring systems: every metric of tools and conversations.

Quantiles are of this process and cannot be added up; the histogram of durations can, over any number of instances.
"""

from collections.abc import Iterator, Sequence

from switchboard.contract.observability.metric import Distribution, Family, Quantiles, Sample
from switchboard.pipeline.metrics.percentiles import Percentiles
from switchboard.pipeline.metrics.sessions import SessionMeter
from switchboard.pipeline.metrics.tools import BUCKETS_MS, ToolUse

_BOUNDS_S = tuple(bound / 1000 for bound in BUCKETS_MS)


def families(tools: Sequence[ToolUse], sessions: SessionMeter) -> Iterator[Family]:
    """Yield what is known of these tools and of all sessions."""
    calls = [
        Sample(count, {"tool": tool.name, "channel": channel.value})
        for tool in tools
        for channel, count in tool.calls.items()
        if count
    ]
    yield Family("tool_calls_total", "counter", "Finished calls, refused ones included.", calls)
    errors = [
        Sample(count, {"tool": tool.name, "type": type.value})
        for tool in tools
        for type, count in sorted(tool.errors.items())
    ]
    yield Family("tool_call_errors_total", "counter", "Failed and refused calls by error type.", errors)
    failures = [
        Sample(count, {"tool": tool.name, "type": type.value})
        for tool in tools
        for type, count in sorted(tool.failures.items())
    ]
    help = "Failed calls by error type; a no that is an answer, such as a time that is taken, is none."
    yield Family("tool_call_failures_total", "counter", help, failures)
    unknown = [Sample(tool.unknown, {"tool": tool.name}) for tool in tools]
    yield Family("tool_unknown_outcomes_total", "counter", "Failed calls that may have changed something.", unknown)
    loops = [Sample(tool.loops, {"tool": tool.name}) for tool in tools]
    yield Family("tool_loops_detected_total", "counter", "Calls refused as a loop.", loops)
    took = [_quantiles(tool, tool.latency(), sum(t.sum_ms for t in tool.ran.values()), tool.runs) for tool in tools]
    help = "Milliseconds of calls that ran; quantiles of the last 1000 of each tool."
    yield Family("tool_call_latency_ms", "summary", help, took)
    sizes = [_quantiles(tool, tool.size(), tool.characters, tool.responses) for tool in tools]
    help = "Characters of results as JSON; quantiles of the last 1000 of each tool."
    yield Family("tool_response_characters", "summary", help, sizes)
    durations = [found for tool in tools for found in _durations(tool)]
    help = "Seconds that every call took, refused ones included."
    yield Family("tool_call_duration_seconds", "histogram", help, durations)
    yield from _of_sessions(sessions)


def _of_sessions(sessions: SessionMeter) -> Iterator[Family]:
    initial = sessions.latest_initial
    opened = Sample(sessions.opened_count)
    yield Family("sessions_opened_total", "counter", "Conversations since the start.", [opened])
    for name, help, value in (
        ("sessions_active", "Conversations that go on.", len(sessions.active)),
        ("loop_sessions_tracked", "Conversations with calls in their last 5 turns.", sessions.with_history),
        ("loop_turns_tracked", "Turns with calls, of the last 5 of each.", sessions.turns_tracked),
        ("context_init_tokens", "Estimated tokens the latest conversation started with.", initial.tokens),
        ("context_peak_tokens", "Largest context of any conversation in tokens.", sessions.peak_tokens),
    ):
        yield Family(name, "gauge", help, [Sample(value)])


def _quantiles(tool: ToolUse, found: Percentiles | None, total: float, count: int) -> Quantiles:
    points = {"0.5": found.p50, "0.95": found.p95, "0.99": found.p99} if found is not None else {}
    return Quantiles(points, total, count, {"tool": tool.name})


def _durations(tool: ToolUse) -> Iterator[Distribution]:
    for channel, ran in tool.ran.items():
        not_run = tool.not_run[channel]
        if ran.count + not_run.count:
            counts = [sum(pair) for pair in zip(ran.buckets, not_run.buckets, strict=True)]
            labels = {"tool": tool.name, "channel": channel.value}
            yield Distribution(_BOUNDS_S, counts, (ran.sum_ms + not_run.sum_ms) / 1000, labels)
