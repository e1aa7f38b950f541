"""What the meter shows to Prometheus: its text format, version 0.0.4.

Written by hand: the vendor's client costs ten times as much per call as the meter does. Quantiles are of this process
and cannot be added up; the histogram of durations can, over any number of instances.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate

from switchboard.contract.channel import Channel
from switchboard.pipeline.meter_sessions import Sessions
from switchboard.pipeline.meter_tools import BUCKETS_MS, ToolUse
from switchboard.pipeline.percentiles import Percentiles

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

_LABEL_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})
_HELP_ESCAPES = str.maketrans({"\\": r"\\", "\n": r"\n"})


def exposition(tools: Sequence[ToolUse], sessions: Sessions) -> str:
    """Return what is known of these tools and of all sessions."""
    return "".join(f"{line}\n" for line in (*_tool_lines(tools), *_session_lines(sessions)))


def sample(name: str, value: float, labels: Mapping[str, str] | None = None) -> str:
    """Return the line of one value; label values may be any text."""
    inside = ",".join(f'{key}="{text.translate(_LABEL_ESCAPES)}"' for key, text in (labels or {}).items())
    return f"{name}{{{inside}}} {value}" if inside else f"{name} {value}"


def family(name: str, type: str, help: str) -> tuple[str, str]:
    """Return the two lines that stand before a metric's values."""
    return f"# HELP {name} {help.translate(_HELP_ESCAPES)}", f"# TYPE {name} {type}"


def _tool_lines(tools: Sequence[ToolUse]) -> Iterator[str]:
    yield from family("tool_calls_total", "counter", "Finished calls, refused ones included.")
    for tool in tools:
        for channel, count in tool.calls.items():
            if count:
                yield sample("tool_calls_total", count, {"tool": tool.name, "channel": channel.value})
    yield from family("tool_call_errors_total", "counter", "Failed and refused calls by error type.")
    for tool in tools:
        for type, count in sorted(tool.errors.items()):
            yield sample("tool_call_errors_total", count, {"tool": tool.name, "type": type.value})
    yield from family("tool_loops_detected_total", "counter", "Calls refused as a loop.")
    for tool in tools:
        yield sample("tool_loops_detected_total", tool.loops, {"tool": tool.name})
    name = "tool_call_latency_ms"
    yield from family(name, "summary", "Milliseconds of calls that ran; quantiles of the last 1000 of each tool.")
    for tool in tools:
        yield from _summary(name, tool, tool.latency(), sum(t.sum_ms for t in tool.ran.values()), tool.runs)
    name = "tool_response_characters"
    yield from family(name, "summary", "Characters of results as JSON; quantiles of the last 1000 of each tool.")
    for tool in tools:
        yield from _summary(name, tool, tool.size(), tool.characters, tool.responses)
    name = "tool_call_duration_seconds"
    yield from family(name, "histogram", "Seconds that every call took, refused ones included.")
    for tool in tools:
        for channel in tool.ran:
            yield from _histogram(name, tool, channel)


def _session_lines(sessions: Sessions) -> Iterator[str]:
    initial = sessions.latest_initial
    for name, type, help, value in (
        ("sessions_opened_total", "counter", "Conversations since the start.", sessions.opened_count),
        ("sessions_active", "gauge", "Conversations that go on.", len(sessions.active)),
        ("loop_sessions_tracked", "gauge", "Conversations with calls in their last 5 turns.", sessions.with_history),
        ("loop_turns_tracked", "gauge", "Turns with calls, of the last 5 of each.", sessions.turns_tracked),
        ("context_init_tokens", "gauge", "Estimated tokens the latest conversation started with.", initial.tokens),
        ("context_peak_tokens", "gauge", "Largest context of any conversation in tokens.", sessions.peak_tokens),
    ):
        yield from family(name, type, help)
        yield sample(name, value)


def _summary(name: str, tool: ToolUse, points: Percentiles | None, total: float, count: int) -> Iterator[str]:
    labels = {"tool": tool.name}
    if points is not None:
        for quantile, value in (("0.5", points.p50), ("0.95", points.p95), ("0.99", points.p99)):
            yield sample(name, value, labels | {"quantile": quantile})
    yield sample(f"{name}_sum", total, labels)
    yield sample(f"{name}_count", count, labels)


def _histogram(name: str, tool: ToolUse, channel: Channel) -> Iterator[str]:
    ran, not_run = tool.ran[channel], tool.not_run[channel]
    if not ran.count + not_run.count:
        return
    labels = {"tool": tool.name, "channel": channel.value}
    *bounded, count = accumulate(map(sum, zip(ran.buckets, not_run.buckets, strict=True)))
    for bound_ms, below in zip(BUCKETS_MS, bounded, strict=True):
        yield sample(f"{name}_bucket", below, labels | {"le": str(bound_ms / 1000)})
    yield sample(f"{name}_bucket", count, labels | {"le": "+Inf"})
    yield sample(f"{name}_sum", (ran.sum_ms + not_run.sum_ms) / 1000, labels)
    yield sample(f"{name}_count", count, labels)
